"""Where the script stands in a document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envsvc.exchange.message import Headers
from envsvc.playback.script_in_page import Markup, markup_of, with_charset, with_script

XHTML = "http://www.w3.org/1999/xhtml"
S = "<script>s</script>"
X = f'<script xmlns="{XHTML}"><![CDATA[s]]></script>'


def typed(content_type: str, *more: tuple[str, str]) -> Headers:
    """Return the headers of a document of *content_type*."""
    return (("Content-Type", content_type), *more)


HTML = typed("text/html")

PAGES = [
    ("", f"{S}"),
    ("text", f"{S}text"),
    ("<p>", f"{S}<p>"),
    ("<!doctype html>\n<title>", f"<!doctype html>\n{S}<title>"),
    ("<!DOCTYPE html><html>\n<head>\n<title>", f"<!DOCTYPE html><html>\n<head>{S}\n<title>"),
    ("<html lang='>'><HEAD a=\">\"><p>", f"<html lang='>'><HEAD a=\">\">{S}<p>"),
    ("<html>\n<!-- a --> <body>", f"<html>\n<!-- a --> {S}<body>"),
    ("<header>", f"{S}<header>"),
    ("<html-x>", f"{S}<html-x>"),
    ("<!-- <head> --><head>", f"<!-- <head> --><head>{S}"),
    ("<!--><p>-->", f"<!-->{S}<p>-->"),
    ("<!---><head>", f"<!---><head>{S}"),
    ("<!-- a --!><head>", f"<!-- a --!><head>{S}"),
    ("<!-- never closed <head>", f"<!-- never closed <head>{S}"),
    ("<?xml version='1.0'?><html><head/>", f"<?xml version='1.0'?><html><head/>{S}"),
    (
        "<!--[if IE]><html><![endif]--><html><head>",
        f"<!--[if IE]><html><![endif]--><html><head>{S}",
    ),
    ("<html attr='open><head>", f"{S}<html attr='open><head>"),
]


@pytest.mark.parametrize(("page", "changed"), PAGES)
def test_the_script_is_the_first_in_the_head(page: str, changed: str) -> None:
    """HTML 13.2.6: where the head begins, whether its tags are written or not."""
    assert with_script(HTML, page.encode(), Markup.HTML, "s") == changed.encode()


@pytest.mark.parametrize(
    ("page", "changed"),
    [
        ("<html><head><title/></head></html>", f"<html><head>{X}<title/></head></html>"),
        (
            "<?xml version='1.0'?>\n<html>\n<head a='b'>",
            f"<?xml version='1.0'?>\n<html>\n<head a='b'>{X}",
        ),
        ("<html><head/><body/></html>", f"<html>{X}<head/><body/></html>"),
        ("<html><body/></html>", f"<html>{X}<body/></html>"),
        (
            "<!DOCTYPE html [<!ENTITY a 'b'>] ><html><head>",
            f"<!DOCTYPE html [<!ENTITY a 'b'>] ><html><head>{X}",
        ),
        ("<!-- a --><h:html xmlns:h='x'><h:head>", f"<!-- a --><h:html xmlns:h='x'><h:head>{X}"),
        ("<html/>", "<html/>"),
        ("<feed/>", "<feed/>"),
    ],
)
def test_in_xml_it_is_well_formed(page: str, changed: str) -> None:
    """XHTML: an element of its own namespace, its code in a CDATA section."""
    headers = typed("application/xhtml+xml")

    assert with_script(headers, page.encode(), Markup.XML, "s") == changed.encode()


@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_page_in_utf_16_gets_it_in_utf_16(encoding: str, mark: str) -> None:
    """Encoding Standard: two bytes per character, told by a mark or by the header."""
    headers = typed(f"text/html; charset={encoding.replace('-le', 'le').replace('-be', 'be')}")
    page, changed = f"{mark}<head>語😀", f"{mark}<head>{S}語😀"

    assert with_script(headers, page.encode(encoding), Markup.HTML, "s") == changed.encode(encoding)


def test_half_a_character_at_the_end_stays() -> None:
    """D11: a body that was cut off is served as far as it goes."""
    page = "\ufeff<head>\ud83d".encode("utf-16-le", "surrogatepass") + b"x"

    assert (
        with_script(HTML, page, Markup.HTML, "s") == page[:14] + S.encode("utf-16-le") + page[14:]
    )


@given(st.binary(), st.sampled_from(list(Markup)), st.sampled_from(["", "utf-16le", "shift_jis"]))
def test_every_recorded_byte_stays(body: bytes, markup: Markup, charset: str) -> None:
    """D11: what is served is the recorded bytes with the script between them."""
    headers = typed(f"text/html; charset={charset}")
    changed = with_script(headers, body, markup, "s")
    added = len(changed) - len(body)
    place = next(i for i in range(len(body) + 1) if changed[:i] + changed[i + added :] == body)

    assert 0 <= place <= len(body)


def test_frames_in_the_page_get_it_too() -> None:
    """D11: a ``data:`` frame is a document that the page cannot reach."""
    changed = with_script(HTML, b"<head><iframe src='data:text/html,'>", Markup.HTML, "s")

    assert changed.count(b"script") == 4


@pytest.mark.parametrize(
    ("headers", "body", "markup"),
    [
        (HTML, b"", Markup.HTML),
        (typed("Text/HTML; charset=utf-8"), b"", Markup.HTML),
        (typed("application/xhtml+xml"), b"", Markup.XML),
        (typed("text/xml"), f'<html xmlns="{XHTML}">'.encode(), Markup.XML),
        (
            typed("application/xml"),
            b"\xef\xbb\xbf<html xmlns='http://www.w3.org/1999/xhtml'>",
            Markup.XML,
        ),
        (typed("text/xml"), b"<html>", None),
        (typed("text/xml"), b"<feed/>", None),
        (typed("image/svg+xml"), b"<svg/>", None),
        (typed("text/plain"), b"<html>", None),
        (typed("application/json"), b"{}", None),
        ((), b" \n<!DOCTYPE HTML><p>", Markup.HTML),
        ((), b"<p >", Markup.HTML),
        ((), b"<!-- a -->", Markup.HTML),
        ((), b"text", None),
        ((), b"<px>", None),
        ((("X-Content-Type-Options", "nosniff"),), b"<html>", None),
        (typed("text/html", ("Content-Disposition", "attachment; filename=a")), b"", None),
        (typed("text/html", ("Content-Disposition", "inline")), b"", Markup.HTML),
    ],
)
def test_a_browser_parses_it_as(headers: Headers, body: bytes, markup: Markup | None) -> None:
    """MIME Sniffing 7: by its type, or by its first bytes where there is none."""
    assert markup_of(headers, body) is markup


META = "<meta charset=euc-kr>é"
LATE = "x" * 2000
NAMED = [
    (META, "euc-kr"),
    ("<META name=a><meta CHARSET = 'Shift_JIS'>é", "Shift_JIS"),
    ("<meta http-equiv=content-type content='text/html; charset=gbk'>é", "gbk"),
    ("<meta name=a content='charset=gbk'><meta charset=big5>é", "big5"),
    ("<meta charset=utf-16le>", "utf-8"),
    (f"<head>{LATE}<meta charset=gbk></head>é", "gbk"),
    (f"{LATE}<meta charset=gbk><body>é", "gbk"),
]


@pytest.mark.parametrize(("page", "charset"), NAMED)
def test_a_charset_that_the_page_names_goes_into_the_header(page: str, charset: str) -> None:
    """HTML 13.2.3.2: the script moves the name to where browsers do not look."""
    changed = with_charset((*HTML, ("X", "y")), page.encode())

    assert changed == (("X", "y"), ("Content-Type", f"text/html; charset={charset}"))


def test_a_page_without_a_type_gets_one_with_its_charset() -> None:
    """MIME Sniffing 7: what was sniffed is HTML."""
    assert with_charset((), META.encode()) == typed("text/html; charset=euc-kr")


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (typed('text/html; charset="utf-8"'), META.encode()),
        (HTML, b"\xef\xbb\xbf" + META.encode()),
        (HTML, b"\xff\xfe\x00a"),
        (HTML, b"ascii"),
    ],
)
def test_a_charset_that_is_known_is_left_alone(headers: Headers, body: bytes) -> None:
    """HTML 13.2.3.1: a mark, then the header, then the page; ASCII is the same in all."""
    assert with_charset(headers, body) == headers


@pytest.mark.parametrize(
    "page",
    [
        "é",
        "<!-- <meta charset=gbk> -->é",
        "<!-- <meta charset=gbk>é",
        "<meta name=a content='charset=gbk'>é",
        f"<body>{LATE}<meta charset=gbk>é",
        "<metacharset=gbk>é",
    ],
)
def test_a_charset_that_nobody_names_is_not_known(page: str) -> None:
    """D11: a browser would guess from other bytes than those that were recorded."""
    assert with_charset(HTML, page.encode()) is None
