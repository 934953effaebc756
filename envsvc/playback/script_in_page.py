"""Put a script first into a document, so that nothing else of it changes.

The script goes where the parser would open ``<head>`` anyway: after doctype, comments, ``<html>``
and ``<head>`` as far as they are there, before anything that could run. It is expected to remove
itself; what is left is the recorded document, down to its white space (HTML 13.2.6).
"""

import re
from enum import Enum, auto

from envsvc.exchange.message import Headers, header, media_type
from envsvc.playback import script_in_frames

_XHTML = "http://www.w3.org/1999/xhtml"
_ATTRIBUTES = r"""(?:[^>"']|"[^"]*"|'[^']*')*+"""
_HTML_SKIPPED = r"(?:[\t\n\f\r ]|<!--(?:-?>|.*?(?:--!?>|\Z))|<![^>-][^>]*>|<\?[^>]*>)*+"
_HTML_BEGIN = re.compile(
    rf"{_HTML_SKIPPED}(?:<html(?=[\s/>]){_ATTRIBUTES}>{_HTML_SKIPPED})?"
    rf"(?:<head(?=[\s/>]){_ATTRIBUTES}>)?",
    re.IGNORECASE | re.DOTALL,
)
_XML_SKIPPED = r"(?:\s|<!--.*?-->|<\?.*?\?>)*+"
_XML_BEGIN = re.compile(
    rf"{_XML_SKIPPED}(?:<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>{_XML_SKIPPED})?"
    rf"(?P<root><(?:[\w.-]+:)?html(?=[\s>]){_ATTRIBUTES}(?<!/)>)"
    rf"(?:{_XML_SKIPPED}<(?:[\w.-]+:)?head(?=[\s>]){_ATTRIBUTES}(?<!/)>)?",
    re.DOTALL,
)
# What a browser takes for a page when the server does not say (MIME Sniffing 7.1).
_SNIFFED = re.compile(
    r"[\t\n\f\r ]*<(?:(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b"
    r"|body|br|p)[ >]|!--)",
    re.IGNORECASE,
)
# Bytes in which a page may name its charset (HTML 13.2.3.2); browsers read on to the head's end.
_PRESCANNED = 1024
_HEAD_END = re.compile(r"</head|<body", re.IGNORECASE)
_META = re.compile(
    r"<!--.*?(?:-->|\Z)|<meta(?=[\s/])(?P<attributes>[^>]*)>", re.IGNORECASE | re.DOTALL
)
_CONTENT = re.compile(r"""\bcontent\s*=\s*("[^"]*"|'[^']*')""", re.IGNORECASE)
_CHARSET = re.compile(r"\bcharset\s*=\s*[\"']?\s*([^\s;\"'/>]+)", re.IGNORECASE)
_BOMS = (("\xef\xbb\xbf", "utf-8"), ("\xfe\xff", "utf-16-be"), ("\xff\xfe", "utf-16-le"))
_UTF_16 = {
    **dict.fromkeys(("utf-16be", "unicodefffe"), "utf-16-be"),
    **dict.fromkeys(
        (
            "utf-16",
            "utf-16le",
            "ucs-2",
            "unicode",
            "csunicode",
            "iso-10646-ucs-2",
            "unicodefeff",
        ),
        "utf-16-le",
    ),
}


class Markup(Enum):
    """How a document is parsed."""

    HTML = auto()
    XML = auto()


def markup_of(headers: Headers, body: bytes) -> Markup | None:
    """Return how a browser parses an answer that it navigates to; None if as no such document.

    What is offered as a file to keep is none.
    """
    if header(headers, "content-disposition").lower().lstrip().startswith("attachment"):
        return None
    match media_type(headers):
        case "text/html":
            return Markup.HTML
        case "application/xhtml+xml":
            return Markup.XML
        case "text/xml" | "application/xml":
            root = _XML_BEGIN.match(_text(body, _encoding(headers, body)))
            return Markup.XML if root and _XHTML in root["root"] else None
        case "" | "*/*" | "unknown/unknown" | "application/unknown":
            is_page = _SNIFFED.match(body[:_PRESCANNED].decode("latin-1"))
            sniffs = header(headers, "x-content-type-options").lower() != "nosniff"
            return Markup.HTML if is_page and sniffs else None
        case _:
            return None


def with_script(headers: Headers, body: bytes, markup: Markup, script: str) -> bytes:
    """Return *body* with *script* (ASCII) first; unchanged if it is XML without an html root."""
    encoding = _encoding(headers, body)
    text = _text(body, encoding)
    begin = (_HTML_BEGIN if markup is Markup.HTML else _XML_BEGIN).match(text)
    if begin is None:
        return body
    place = len(text[: begin.end()].encode(encoding, "surrogatepass"))
    rest = text[begin.end() :]
    if markup is Markup.HTML:
        rest = script_in_frames.with_scripts(rest, script)
    added = (_element(script, markup) + rest).encode(encoding, "surrogatepass")
    odd_byte = body[len(body) // 2 * 2 :] if encoding != "latin-1" else b""
    return body[:place] + added + odd_byte


def with_charset(headers: Headers, body: bytes) -> Headers | None:
    """Return *headers* with the charset that the page *body* names itself, if only it does.

    The script would move the name out of the bytes in which browsers look for it. None where
    nobody names the charset and it matters: a browser would guess from other bytes than it did.
    """
    if _header_charset(headers) or _bom_encoding(body):
        return headers
    label = _declared_charset(body.decode("latin-1"))
    if not label:
        return headers if body.isascii() else None
    if label.lower() in _UTF_16:
        label = "utf-8"  # what names itself in ASCII is not UTF-16 (HTML 13.2.3.2)
    named = header(headers, "content-type") or "text/html"
    others = tuple((name, value) for name, value in headers if name.lower() != "content-type")
    return (*others, ("Content-Type", f"{named}; charset={label}"))


def _declared_charset(text: str) -> str:
    """Return the first charset that a ``<meta>`` within the head names, or ""."""
    head = _HEAD_END.search(text)
    end = max(_PRESCANNED, head.start() if head else 0)
    for found in _META.finditer(text[:end]):
        attributes = found["attributes"] or ""
        if "http-equiv" not in attributes.lower():
            attributes = _CONTENT.sub("", attributes)
        label = _CHARSET.search(attributes)
        if label is not None:
            return label[1]
    return ""


def _element(script: str, markup: Markup) -> str:
    if markup is Markup.HTML:
        return f"<script>{script}</script>"
    return f'<script xmlns="{_XHTML}"><![CDATA[{script}]]></script>'


def _encoding(headers: Headers, body: bytes) -> str:
    """Return UTF-16 in its byte order, or Latin-1 for all that writes ASCII as ASCII."""
    encoding = _bom_encoding(body) or _UTF_16.get(_header_charset(headers), "")
    return encoding if encoding.startswith("utf-16") else "latin-1"


def _bom_encoding(body: bytes) -> str:
    begin = body[:3].decode("latin-1")
    return next((encoding for bom, encoding in _BOMS if begin.startswith(bom)), "")


def _header_charset(headers: Headers) -> str:
    found = _CHARSET.search(header(headers, "content-type").partition(";")[2])
    return found[1].lower() if found else ""


def _text(body: bytes, encoding: str) -> str:
    """Return *body* as text, its byte order mark as white space of the same length."""
    if encoding == "latin-1":
        text = body.decode("latin-1")
    else:
        text = body[: len(body) // 2 * 2].decode(encoding, "surrogatepass")
    for bom in ("\xef\xbb\xbf", "\ufeff"):
        if text.startswith(bom):
            return " " * len(bom) + text[len(bom) :]
    return text
