"""Read the entries of a HAR one after the other, whatever its size."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from envsvc.errors import EnvsvcError

_PIECE_BYTES = 1024 * 1024
# The largest body that a recording keeps, as base64, and room for the rest of its entry.
_MAX_ENTRY_CHARS = 400 * 1024 * 1024
# More than any visit makes; a file of tiny entries must not fill memory and disk.
MAX_ENTRIES = 1_000_000
_ENTRIES = re.compile(r'(?<!\\)"entries"\s*:\s*\[')
_NOT_YET = 64  # characters in which the name of the list may be cut
# The beginning of a value or an escape that the end of the file cut.
_CUT_TOKEN = re.compile(
    r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|N|Na|I\w*|-|\\?u?[0-9a-fA-F]{0,3})?\s*"
)
_WHITE = " \t\r\n\ufeff"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class BadHarError(EnvsvcError):
    """A file is no HAR, or was cut off, or holds more than is read."""

    code = "E210"


def har_entries(file: BinaryIO, where: str, *, salvage: bool) -> Iterator[object]:
    """Yield the decoded entries of the HAR in *file*, one in memory at a time.

    With *salvage* a file that was cut off gives the entries that are whole. Raises: BadHarError,
    with the number of the entry, counted from 0.
    """
    reader = _Reader(file, where)
    reader.seek_entries()
    number = 0
    while reader.seek_item():
        if number >= MAX_ENTRIES:
            raise reader.error(f"there are more than {MAX_ENTRIES} entries", "Import a part of it")
        try:
            yield reader.item(number)
        except _CutOffError:
            if salvage:
                return
            raise reader.error(
                f"truncated at entry {number}",
                "Export it again, or keep the whole entries with --salvage",
            ) from None
        number += 1


class _CutOffError(Exception):
    """The file ends before the value does."""


class _Reader:
    """A window on the text of a file."""

    def __init__(self, file: BinaryIO, where: str) -> None:
        """Begin with the first piece, whose first bytes tell the encoding."""
        self._file = file
        self._where = where
        first = file.read(_PIECE_BYTES)
        encoding = next((name for mark, name in _MARKS if first.startswith(mark)), "utf-8")
        self._decode = codecs.getincrementaldecoder(encoding)("replace")
        self._text = self._decode.decode(first)
        self._place = 0
        self._is_over = not first

    def error(self, what: str, fix: str) -> BadHarError:
        """Return an error about this file."""
        return BadHarError(what, where=self._where, fix=fix)

    def seek_entries(self) -> None:
        """Go behind the bracket that opens the list of entries."""
        while True:
            found = _ENTRIES.search(self._text)
            if found:
                self._place = found.end()
                return
            self._text = self._text[-_NOT_YET:]
            if not self._more():
                raise self.error("this is no HAR: it has no list of entries", "Give a HAR file")

    def seek_item(self) -> bool:
        """Go to the next item of the list; say whether there is one."""
        while True:
            while self._place < len(self._text) and self._text[self._place] in _WHITE + ",":
                self._place += 1
            if self._place < len(self._text):
                return self._text[self._place] != "]"
            if not self._more():
                return True  # cut off between two entries: the next read says so

    def item(self, number: int) -> object:
        """Return the value that begins here and go behind it."""
        while True:
            try:
                value, self._place = _DECODER.raw_decode(self._text, self._place)
            except RecursionError:
                raise self.error(f"entry {number} nests too deeply", "Remove it") from None
            except json.JSONDecodeError as error:
                self._grow(number, error)
            else:
                return value

    def _grow(self, number: int, error: json.JSONDecodeError) -> None:
        """Read on, since the value may only be cut by the window."""
        if len(self._text) - self._place > _MAX_ENTRY_CHARS:
            raise self.error(f"entry {number} is too large or no JSON: {error.msg}", "Remove it")
        left = self._text[error.pos :] if error.pos < len(self._text) else ""
        had = len(self._text) - self._place
        # As much again as is there: a large entry is not scanned once for each piece.
        while len(self._text) - self._place < had + max(_PIECE_BYTES, had):
            if not self._more():
                break
        if len(self._text) - self._place > had:
            return
        if error.msg.startswith("Unterminated") or _CUT_TOKEN.fullmatch(left):
            raise _CutOffError
        raise self.error(f"entry {number} is no JSON: {error.msg}", "Correct it")

    def _more(self) -> bool:
        """Take another piece into the window; say whether there was one."""
        if self._is_over:
            return False
        piece = self._file.read(_PIECE_BYTES)
        self._is_over = not piece
        self._text = self._text[self._place :] + self._decode.decode(piece, final=self._is_over)
        self._place = 0
        return not self._is_over


_DECODER = json.JSONDecoder()
