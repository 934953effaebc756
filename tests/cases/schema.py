"""What the inputs of cases may say, kind by kind; anything else in a file is refused by name.

A field that nobody looks at would make a case pass by being ignored.
"""

from collections.abc import Sequence

import msgspec

type Data = dict[str, object]


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a case of which every field is known."""


class Message(Strict, frozen=True, kw_only=True):
    """Headers and a body, which is a text (UTF-8) or bytes in base64."""

    headers: Sequence[tuple[str, str | int | float]] = ()
    body: str | None = None
    body_b64: str | None = None


class HttpRequest(Message, frozen=True, kw_only=True):
    """A request."""

    method: str = "GET"
    url: str


class HttpResponse(Message, frozen=True, kw_only=True):
    """A response; ``chunks`` are the texts of the pieces in which its body came."""

    status: int
    reason: str = ""
    chunks: list[str] = []


class Recorded(Strict, frozen=True, kw_only=True):
    """An exchange; ``recorded_at`` is when (RFC 3339)."""

    request: HttpRequest
    response: HttpResponse
    recorded_at: str = ""
    note: str = ""


class Difference(Strict, frozen=True, kw_only=True):
    """Where a request that was missed differs from the nearest recorded one."""

    path: str
    recorded: object
    asked: object


class NearMiss(Strict, frozen=True, kw_only=True):
    """The nearest recorded request, by its place among the recorded, and all that differs."""

    use: int
    diff: list[Difference]


class Expect(Strict, frozen=True, kw_only=True):
    """How a request ends; what is left out is not asked for. ``note`` is for people."""

    verdict: str
    note: str = ""
    use: int | None = None
    match: str = ""
    flag: str = ""
    reason: str = ""
    hint: str = ""
    near_miss: bool | NearMiss | None = None
    upstream_connections: int = 0
    status: int | list[int] | None = None
    body: str | None = None
    body_b64: str | None = None
    body_json: object = msgspec.UNSET
    body_contains: str | None = None
    decoded_body: str | None = None
    chunks_at_least: int = 0
    headers_absent: list[str] = []
    headers_present: list[tuple[str, str]] = []
    headers_list: list[tuple[str, str]] | None = None
    set_cookie_names: list[str] | None = None
    shift: str = ""


class Step(Strict, frozen=True, kw_only=True):
    """A request that is asked, in the session of that name, and how it ends."""

    request: HttpRequest
    expect: Expect
    session: str = "case"
    note: str = ""


class Config(Strict, frozen=True, kw_only=True):
    """What app.yaml and the command line would say."""

    ignore_query: list[str] = []
    ignore_body_paths: list[str] = []
    ignore_form: list[str] = []
    ignore_path_parameter: list[str] = []
    host_alias: dict[str, str] = {}
    match_rules: dict[str, Data] = {}
    repeat: dict[str, str] = {}
    noise: list[str] = []
    drop_bad: bool = False
    intended_statuses: list[int] = []
    on_miss: str = "error"
    ambiguity: str = "serve"
    credentials: dict[str, str] = {}
    redact_headers: list[str] = []
    redact_cookies: list[str] = []
    redact_fields: list[str] = []
    redact_once: list[str] = []


class ExchangeInput(Strict, frozen=True, kw_only=True):
    """Kind ``exchange``: what was recorded, then what is asked."""

    kind: str
    recorded: list[Recorded]
    replay: list[Step] = []
    config: Config = Config()
    recorded_at: str = ""
    replay_at: str = ""
    same_connection: bool = False
    note: str = ""


class RedactExpect(Strict, frozen=True, kw_only=True):
    """What holds of everything stored, and of a replay of it."""

    note: str = ""
    crash: bool | None = None
    absent_from_store: bool | None = None
    scan_forms: list[str] = []
    found_by: str = ""
    same_placeholder: bool | None = None
    stored_part_bytes_b64: str | None = None
    replay: list[Step] = []


class RedactInput(Strict, frozen=True, kw_only=True):
    """Kind ``redact``: an exchange, and secrets that must be absent from everything stored."""

    kind: str
    recorded: list[Recorded]
    secrets: list[str] = []
    redact_fields: list[str] = []
    config: Config = Config()
    expect: RedactExpect
    note: str = ""


class Pair(Strict, frozen=True, kw_only=True):
    """Two requests: is their key the same?"""

    a: str
    b: str
    same: bool
    note: str = ""


class KeyPairsInput(Strict, frozen=True, kw_only=True):
    """Kind ``key_pairs``; ``what`` says what the texts are."""

    kind: str
    pairs: list[Pair]
    what: str
    note: str = ""


class RoundtripExpect(Strict, frozen=True, kw_only=True):
    """What comes out of the store."""

    same_bytes: bool | None = None
    max_decoded_bytes: int | None = None
    result: str = ""
    note: str = ""


class RoundtripInput(Message, frozen=True, kw_only=True):
    """Kind ``roundtrip``: a response body that goes into the store."""

    kind: str
    expect: RoundtripExpect
    note: str = ""


class RoundtripValueInput(Strict, frozen=True, kw_only=True):
    """Kind ``roundtrip_value``: a value, as JSON."""

    kind: str
    value_json: str
    expect: str
    note: str = ""


class YamlTextInput(Strict, frozen=True, kw_only=True):
    """Kind ``yaml_text``: what a YAML text means, or a part of the error that it gives."""

    kind: str
    text: str
    expect: object = msgspec.UNSET
    error: str | None = None
    alternative: str = msgspec.field(default="", name="or")
    note: str = ""


class NamesExpect(Strict, frozen=True, kw_only=True):
    """What holds of the paths that names get."""

    max_bytes: int | None = None
    distinct: bool | None = None
    portable: bool | None = None
    bodies_addressed_by: str = ""
    note: str = ""


class NamesInput(Strict, frozen=True, kw_only=True):
    """Kind ``names``: names that must give safe and distinct paths."""

    kind: str
    names: list[str]
    expect: NamesExpect
    note: str = ""
