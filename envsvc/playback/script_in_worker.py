"""Put a script first into the code of a worker."""

import re
from urllib.parse import quote

_BOM = b"\xef\xbb\xbf"  # worker code is UTF-8, whatever its headers say (HTML 10.2.4)
# A directive only counts before any other statement (ECMAScript 11.2.1).
_STRICT = re.compile(rb"(?:\s|//[^\n]*\n|/\*.*?\*/)*+([\"'])use strict\1", re.DOTALL)


def with_script(code: bytes, script: str, *, is_module: bool) -> bytes:
    """Return *code* with *script* (ASCII) run before it, its line numbers as they were.

    A module's imports run before the module does, so the script becomes its first import. The
    code of a classic worker stays strict if it says that it is.
    """
    code = code.removeprefix(_BOM)
    if is_module:
        return f'import "data:text/javascript,{quote(script, safe="")}";'.encode() + code
    strict = b'"use strict";' if _STRICT.match(code) else b""
    return strict + script.encode("ascii") + code
