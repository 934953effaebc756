"""Run one target under atheris: ``python -m tests.fuzz.run TARGET [libFuzzer option or file ...]``.

Any file that is opened for what an input says must lie in the cassette's or the target's folder.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["envsvc"]):
    import envsvc
    from tests.fuzz.targets import CASSETTES, TARGETS

# Some modules are first imported when an input asks for them.
_CODE = (str(Path(envsvc.__file__).parent), sys.prefix, sys.base_prefix)
_ALLOWED = (str(CASSETTES), tempfile.gettempdir(), *_CODE)


class _Guard:
    """Refuses files elsewhere, while an input is run."""

    def __init__(self) -> None:
        self.is_on = False
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        is_asked = event == "open" and self.is_on and isinstance(arguments[0], str)
        if is_asked and not str(arguments[0]).startswith(_ALLOWED):
            raise AssertionError(f"read {arguments[0]}, which no input may name")


def main() -> None:
    """Fuzz until libFuzzer's own options say that it is enough."""
    target, guard = TARGETS[sys.argv[1]], _Guard()

    def one_input(data: bytes) -> None:
        guard.is_on = True
        try:
            target.run(data)
        finally:
            guard.is_on = False

    atheris.Setup([sys.argv[0], *sys.argv[2:]], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
