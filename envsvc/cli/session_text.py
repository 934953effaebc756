"""Print a session's account: what was answered and by which rule, what was not and why.

All of it goes to stderr, but for JSON: stdout belongs to the agent that ran.
"""

import os

from envsvc.cli import output
from envsvc.playback.outcome import Outcome
from envsvc.playback.session import MissRecord, SessionReport

_MAX_LISTED = 20  # misses listed in a terminal; the JSON report holds all


def note_bypassed_hosts() -> None:
    """Warn if clients that are started from the same shell leave the proxy out for some hosts."""
    hosts = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    if hosts:
        output.note(
            f"[bold]NO_PROXY[/] is set to {output.plain(hosts)}: clients started from this shell "
            "ask these hosts without the proxy. For them: unset NO_PROXY no_proxy"
        )


def print_miss(miss: MissRecord) -> None:
    """Print one miss with its reason, what is nearest, and how to record it (S0-12)."""
    output.note(f"[bold]not recorded:[/] {output.plain(miss.method)} {output.plain(miss.url)}")
    output.note(f"  reason: {miss.explanation.reason}")
    for nearest in miss.explanation.nearest:
        output.note(f"  nearest: {output.plain(f'{nearest.method} {nearest.url}')}")
        for difference in nearest.differences:
            asked, recorded = difference.asked or "(nothing)", difference.recorded or "(nothing)"
            text = f"{difference.field}: asked {asked}, recorded {recorded}"
            output.note(f"    {output.plain(text)}")
    if miss.explanation.hint:
        output.note(f"  hint: {output.plain(miss.explanation.hint)}")
    for made in miss.explanation.made:
        output.note(f"  written before: {output.plain(made)}")
    for state in miss.explanation.states:
        output.note(f"  recorded after: {output.plain('; '.join(state) or '(nothing written)')}")
    output.note(f"  to record it: {output.plain(miss.record_command)}")


def print_report(report: SessionReport, *, as_json: bool) -> None:
    """Print the account as a table, or as one JSON object."""
    if as_json:
        output.json_line(report)
        return
    rows = [
        [outcome.value, str(report.count(outcome))] for outcome in Outcome if report.count(outcome)
    ]
    rows.append(["requests", str(report.requests)])
    if report.state_assumed:
        rows.append(["of them in an assumed state", str(report.state_assumed)])
    rows += [
        [f"of them by match rule {name}", str(count)]
        for name, count in sorted(report.rule_hits.items())
    ]
    title = f"session {report.session}: {report.verdict.value}"
    output.table(title, ["outcome", "requests"], rows, to_stderr=True)
    output.note(
        f"cassette {report.app}/{report.version} {report.cassette_digest[:12]}, recorded "
        f"{report.recorded_at}; {report.entries_used} entries used, {report.entries_unused} not; "
        f"outbound connections: {report.outbound_connections}"
    )
    listed = [
        [
            miss.miss_class.value,
            str(miss.count),
            f"{miss.method} {miss.url}",
            miss.explanation.reason.value,
        ]
        for miss in report.misses[:_MAX_LISTED]
    ]
    if listed:
        output.table(
            f"not recorded ({len(report.misses)})",
            ["class", "times", "request", "reason"],
            listed,
            to_stderr=True,
        )
