"""Names of apps, versions and tours: each becomes a folder or file, on whatever system."""

import re

_LONGEST = 64  # with a suffix far below 255 bytes, what file systems take
# It must not lead elsewhere nor hide, and Windows drops a dot at the end.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?")
# Windows opens the device, whatever the ending.
_DEVICE = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")

RULE = (
    f"a name is at most {_LONGEST} letters, digits, dots, underscores and hyphens, "
    "begins with a letter or digit, does not end with a dot, and is no device such as con or aux"
)
"""What is to be said to who has chosen another one."""


def is_name(text: str) -> bool:
    """Say whether *text* can be a folder on every system; see RULE."""
    is_plain = len(text) <= _LONGEST and _NAME.fullmatch(text) is not None
    return is_plain and _DEVICE.fullmatch(text) is None
