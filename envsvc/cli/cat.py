"""``envsvc cat``: show one exchange of a cassette."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from envsvc.cli import output
from envsvc.cli.options import AppOption, JsonOption, workspace_of
from envsvc.exchange.key import canonical_key
from envsvc.exchange.message import Exchange, Failure, Headers, Response


class Side(StrEnum):
    """Whose body is printed as it is."""

    ANSWER = "answer"
    REQUEST = "request"


def command(
    context: typer.Context,
    app: AppOption,
    which: Annotated[
        str, typer.Argument(metavar="NUMBER|KEY|URL", help="As envsvc ls --entries lists them.")
    ],
    body: Annotated[
        Side | None, typer.Option(help="Print the bytes of this body and nothing else.")
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show one exchange: the request, its answer, both bodies.

    \b
    Example:
      envsvc cat --app shop/v1 0
      envsvc cat --app shop/v1 "POST /cart/add"
      envsvc cat --app shop/v1 /static/logo.png --body answer > logo.png
    """  # noqa: D301  (Typer's mark for text that is not to be wrapped)
    from envsvc.adapters.cassette_source import find_cassette
    from envsvc.app.pick_exchange import picked

    exchanges = find_cassette(workspace_of(context), app).read().exchanges
    number = picked(exchanges, which)
    exchange = exchanges[number]
    if body is not None:
        sys.stdout.buffer.write(_body(exchange, body))
    elif as_json:
        key = canonical_key(exchange.request).hex()
        output.json_line({"number": number, "key": key, "exchange": exchange})
    else:
        _show(number, exchange)


def _body(exchange: Exchange, side: Side) -> bytes:
    if side is Side.REQUEST:
        return exchange.request.body
    return exchange.answer.body if isinstance(exchange.answer, Response) else b""


def _show(number: int, exchange: Exchange) -> None:
    from envsvc.cassette.entry import timestamp

    place = f", tour {exchange.tour}, step {exchange.step}" if exchange.tour else ""
    key = canonical_key(exchange.request).hex()
    output.line(f"[dim]entry {number}, key {key}{output.plain(place)}[/]")
    output.line(
        f"[dim]asked {timestamp(exchange.started_us)}, took {exchange.duration_ms:.1f} ms[/]"
    )
    request, answer = exchange.request, exchange.answer
    output.line(f"\n[bold]{output.plain(f'{request.method} {request.url}')}[/]")
    _show_message(request.headers, request.body)
    if isinstance(answer, Failure):
        output.line(f"\n[bold]failure: {output.plain(f'{answer.kind}: {answer.message}')}[/]")
        return
    output.line(f"\n[bold]{answer.status} {output.plain(answer.reason)}[/]")
    _show_message(answer.headers, answer.body)
    for message in exchange.messages:
        sender = "client" if message.from_client else "server"
        output.line(f"{message.t_ms} ms, {sender}: {output.plain(_text(message.content))}")


def _show_message(headers: Headers, body: bytes) -> None:
    for name, value in headers:
        output.line(f"[cyan]{output.plain(name)}[/]: {output.plain(value)}")
    if body:
        output.line(f"\n{output.plain(_text(body))}")


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return f"({len(content)} bytes that are no text; see --body)"
