"""Frames whose document stands in the page itself."""

import base64

import pytest

from envsvc.playback.script_in_frames import with_scripts

S = '<script>a &amp;&amp; "b"</script>'.replace("&amp;", "&")
ESCAPED = "&lt;script&gt;a &amp;&amp; &quot;b&quot;&lt;/script&gt;"
QUOTED = "%3Cscript%3Ea%20%26%26%20%22b%22%3C%2Fscript%3E"


def coded(page: str) -> str:
    """Return *page* in Base64."""
    return base64.b64encode(page.encode("latin-1")).decode()


CHANGED = [
    (
        "<iframe sandbox=allow-scripts srcdoc='<p>x'>",
        f"<iframe sandbox=allow-scripts srcdoc='{ESCAPED}<p>x'>",
    ),
    (
        '<IFRAME SRCDOC="&lt;!doctype html&gt;\n<p>" sandbox="a allow-scripts">',
        f'<iframe SRCDOC="&lt;!doctype html&gt;\n{ESCAPED}<p>" sandbox="a allow-scripts">',
    ),
    (
        "<iframe sandbox=allow-scripts srcdoc=text>",
        f'<iframe sandbox=allow-scripts srcdoc="{ESCAPED}text">',
    ),
    (
        '<iframe src="data:text/html,<!doctype html><p>x">',
        f'<iframe src="data:text/html,<!doctype html>{QUOTED}<p>x">',
    ),
    (
        "<iframe src='data:text/html;charset=utf-8,%3C!doctype html%3E%0A'>",
        f"<iframe src='data:text/html;charset=utf-8,%3C!doctype html%3E%0A{QUOTED}'>",
    ),
    (
        f"<iframe src=data:text/html;base64,{coded('<!doctype html>é')}>",
        f'<iframe src="data:text/html;base64,{coded("<!doctype html>" + S + "é")}">',
    ),
    (
        "<iframe src='data:text/html;base64,PHA%2B\nY Q'>",
        f"<iframe src='data:text/html;base64,{coded(S + '<p>a')}'>",
    ),
    (
        "<script>'<iframe'</script ><iframe src='data:text/html,'>",
        f"<script>'<iframe'</script ><iframe src='data:text/html,{QUOTED}'>",
    ),
]


@pytest.mark.parametrize(("page", "changed"), CHANGED)
def test_the_script_comes_first_in_the_frame(page: str, changed: str) -> None:
    """D11: after a doctype, in the way in which the document is written."""
    assert with_scripts(page, S.removeprefix("<script>").removesuffix("</script>")) == changed


@pytest.mark.parametrize(
    "page",
    [
        "<p>no frame</p>",
        "<iframe>",
        "<iframe src=/page>",
        "<iframe srcdoc='<p>x'>",
        "<iframe srcdoc='<p>x' sandbox='allow-scripts allow-same-origin'>",
        "<iframe srcdoc='<p>x' sandbox>",
        "<iframe src='data:text/html,x' sandbox=''>",
        "<iframe src='data:text/plain,x'>",
        "<iframe src='data:text/html;base64,%%%'>",
        "<iframe src='data:text/html,x' srcdoc='<p>'>",
        "<iframes src='data:text/html,x'>",
        "<!-- <iframe src='data:text/html,x'> -->",
        "<!-- <iframe src='data:text/html,x'>",
        "<script>f('<iframe src=\"data:text/html,x\">')</script>",
        "<textarea><iframe src='data:text/html,x'></textarea>",
        "<style><iframe src='data:text/html,x'>",
    ],
)
def test_everything_else_is_left_alone(page: str) -> None:
    """D11: frames that the page reaches or that run nothing, and text that only looks like one."""
    assert with_scripts(page, "s") == page
