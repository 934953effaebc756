"""Put a page's script into the documents that stand in the page itself, where nothing else can.

A frame with a ``data:`` page, or with a ``srcdoc`` in a sandbox, is of an origin of its own: the
page around it cannot reach in, and no request is made for it. What scripts write into a page as
HTML is not seen here.
"""

import base64
import binascii
import re
from html import escape
from urllib.parse import quote, unquote_to_bytes

# Text that only looks like tags is passed over (HTML 13.1.2).
_TAGS = re.compile(
    r"<!--.*?(?:--!?>|\Z)"
    r"|<(?P<raw>script|style|textarea|title|xmp|noembed|noframes)\b.*?(?:</(?P=raw)\b|\Z)"
    r"""|<iframe(?=[\s/])(?P<attributes>(?:[^>"']|"[^"]*"|'[^']*')*+)>""",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    r"""(?P<name>[^\s=/>"']+)(?:\s*=\s*"""
    r"""(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s>"']+)))?"""
)
# What may stand before a script without a change of meaning, however it is written.
_LEADING = re.compile(
    r"(?:\s|%20|%0[ad]|(?:<|&lt;|%3c)!doctype.*?(?:>|&gt;|%3e))*", re.IGNORECASE | re.DOTALL
)
_DATA_PAGE = re.compile(
    r"(?P<head>\s*data:text/html[^,]*?)(?P<coded>;\s*base64\s*)?,(?P<page>.*)",
    re.IGNORECASE | re.DOTALL,
)


def with_scripts(page: str, script: str) -> str:
    """Return *page* (HTML, each byte a character) with *script* first in such frames of it."""
    if "<iframe" not in page.lower():
        return page  # to read all tags costs a hundred times as much
    element = f"<script>{script}</script>"

    def changed(tag: re.Match[str]) -> str:
        attributes = tag["attributes"]
        return tag[0] if attributes is None else f"<iframe{_changed(attributes, element)}>"

    return _TAGS.sub(changed, page)


def _changed(attributes: str, element: str) -> str:
    values = {found["name"].lower(): _value(found) for found in _ATTRIBUTE.finditer(attributes)}
    sandbox = values.get("sandbox", "allow-scripts allow-same-origin").lower()
    if "allow-scripts" not in sandbox:
        return attributes

    def attribute(found: re.Match[str]) -> str:
        name, value = found["name"].lower(), _value(found)
        if name == "srcdoc" and "allow-same-origin" not in sandbox:
            value = _after_leading(value, escape(element))
        elif name == "src" and "srcdoc" not in values:
            value = _data_page(value, element)
        mark = "'" if found["single"] else '"'
        return found[0] if value == _value(found) else f"{found['name']}={mark}{value}{mark}"

    return _ATTRIBUTE.sub(attribute, attributes)


def _value(attribute: re.Match[str]) -> str:
    """Return the value as it is written, with its character references."""
    return attribute["double"] or attribute["single"] or attribute["bare"] or ""


def _after_leading(text: str, first: str) -> str:
    end = _LEADING.match(text).end()  # type: ignore[union-attr]  # it matches nothing as well
    return text[:end] + first + text[end:]


def _data_page(url: str, element: str) -> str:
    found = _DATA_PAGE.fullmatch(url)
    if found is None:
        return url
    if not found["coded"]:
        return f"{found['head']},{_after_leading(found['page'], quote(element, safe=''))}"
    try:
        page = _decoded(found["page"])
    except binascii.Error:
        return url
    coded = base64.b64encode(_after_leading(page, element).encode("latin-1")).decode()
    return f"{found['head']};base64,{coded}"


def _decoded(coded: str) -> str:
    """Return what Base64 says, each byte a character, as forgiving as browsers (Infra 7).

    Raises: binascii.Error.
    """
    text = b"".join(unquote_to_bytes(coded).split()).rstrip(b"=")
    padded = text + b"=" * (-len(text) % 4)
    return base64.b64decode(padded, validate=True).decode("latin-1")
