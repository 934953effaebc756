"""HAR 1.2 as a JSON Schema, from http://www.softwareishard.com/blog/har-12-spec/.

Fields of one's own begin with an underscore; any other that the specification does not name fails.
"""

from typing import Any

type Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": -1}
_MILLISECONDS: Schema = {"type": "number", "minimum": 0}
_MAYBE_MILLISECONDS: Schema = {"type": "number", "minimum": -1}
_MOMENT: Schema = {
    "type": "string",
    "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$",
}


def _object(required: Schema, optional: Schema | None = None) -> Schema:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(optional or {}), "comment": _TEXT},
        "patternProperties": {"^_": {}},
        "additionalProperties": False,
    }


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_PAIRS = _array(_object({"name": _TEXT, "value": _TEXT}))
_COOKIES = _array(
    _object(
        {"name": _TEXT, "value": _TEXT},
        {
            "path": _TEXT,
            "domain": _TEXT,
            "expires": _MOMENT,
            "httpOnly": {"type": "boolean"},
            "secure": {"type": "boolean"},
        },
    )
)
_POST_DATA = _object({"mimeType": _TEXT, "params": _array({"type": "object"}), "text": _TEXT})
_REQUEST = _object(
    {
        "method": _TEXT,
        "url": _TEXT,
        "httpVersion": _TEXT,
        "cookies": _COOKIES,
        "headers": _PAIRS,
        "queryString": _PAIRS,
        "headersSize": _COUNT,
        "bodySize": _COUNT,
    },
    {"postData": _POST_DATA},
)
_CONTENT = _object(
    {"size": {"type": "integer", "minimum": 0}, "mimeType": _TEXT},
    {"text": _TEXT, "encoding": {"const": "base64"}, "compression": {"type": "integer"}},
)
_RESPONSE = _object(
    {
        "status": {"type": "integer", "minimum": 100, "maximum": 999},
        "statusText": _TEXT,
        "httpVersion": _TEXT,
        "cookies": _COOKIES,
        "headers": _PAIRS,
        "content": _CONTENT,
        "redirectURL": _TEXT,
        "headersSize": _COUNT,
        "bodySize": _COUNT,
    }
)
_TIMINGS = _object(
    {"send": _MILLISECONDS, "wait": _MILLISECONDS, "receive": _MILLISECONDS},
    dict.fromkeys(("blocked", "dns", "connect", "ssl"), _MAYBE_MILLISECONDS),
)
_ENTRY = _object(
    {
        "startedDateTime": _MOMENT,
        "time": _MILLISECONDS,
        "request": _REQUEST,
        "response": _RESPONSE,
        "cache": {"type": "object"},
        "timings": _TIMINGS,
    },
    {"pageref": _TEXT, "serverIPAddress": _TEXT, "connection": _TEXT},
)
_PROGRAM = _object({"name": _TEXT, "version": _TEXT})
HAR: Schema = _object(
    {
        "log": _object(
            {
                "version": {"const": "1.2"},
                "creator": _PROGRAM,
                "pages": _array({"type": "object"}),  # Firefox refuses a HAR without
                "entries": _array(_ENTRY),
            },
            {"browser": _PROGRAM},
        )
    }
)
