"""Resume an event stream where a client left it (HTML 9.2.4).

A browser whose stream ended asks again, and says which event it saw last. The whole stream again
would show it every event twice, and again each few seconds.
"""

import re

from envsvc.exchange.message import Request, header

# An event is the lines up to an empty one; its last id counts, and one with a NUL does not.
_EVENT_END = re.compile(rb"(?:\r\n|\r(?!\n)|\n){2}")
_ID = re.compile(rb"(?:^|[\r\n])id(?:: ?([^\r\n\0]*))?(?=[\r\n]|$)")


def seen_up_to(request: Request, body: bytes) -> int:
    """Return how many bytes of stream *body* the client of *request* has seen.

    0 if it names no event, or one that was not recorded.
    """
    last = header(request.headers, "last-event-id").encode("latin-1", "replace")
    seen = start = 0
    for end in _EVENT_END.finditer(body) if last else ():
        ids = _ID.findall(body[start : end.start()])
        start = end.end()
        if ids and ids[-1] == last:
            seen = start
    return seen
