"""The script before a worker's code."""

import pytest

from envsvc.playback.script_in_worker import with_script


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        (b"go()", b"s();go()"),
        (b"", b"s();"),
        (b"\xef\xbb\xbfgo()", b"s();go()"),
        (b"'use strict';go()", b"\"use strict\";s();'use strict';go()"),
        (
            b'\n// about\n/* more\n */ "use strict"\ngo()',
            b'"use strict";s();\n// about\n/* more\n */ "use strict"\ngo()',
        ),
        (b"go('use strict')", b"s();go('use strict')"),
        (b"'use strict\"", b"s();'use strict\""),
    ],
)
def test_the_script_runs_first(code: bytes, changed: bytes) -> None:
    """D11: on the same line, and what is strict stays strict (ECMAScript 11.2.1)."""
    assert with_script(code, "s();", is_module=False) == changed


def test_it_is_the_first_import_of_a_module() -> None:
    """D11: what a module imports runs before it, so the script is imported before that."""
    changed = with_script(b"import './a.js';", 's("é%")'.replace("é", "e"), is_module=True)

    assert changed == b"import \"data:text/javascript,s%28%22e%25%22%29\";import './a.js';"
