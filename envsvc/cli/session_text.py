"""Print a session's account: what was answered and by which rule, what was not and why."""

from envsvc.cli import output
from envsvc.playback.outcome import Outcome
from envsvc.playback.session import MissRecord, SessionReport

_MAX_LISTED = 20  # misses listed in a terminal; the JSON report holds all


def print_miss(miss: MissRecord, *, as_json: bool) -> None:
    """Print one miss with its reason, what is nearest, and how to record it (S0-12)."""
    output.line(
        f"[bold]not recorded:[/] {output.plain(miss.method)} {output.plain(miss.url)}",
        as_json=as_json,
    )
    output.line(f"  reason: {miss.explanation.reason}", as_json=as_json)
    for nearest in miss.explanation.nearest:
        output.line(
            f"  nearest: {output.plain(f'{nearest.method} {nearest.url}')}", as_json=as_json
        )
        for difference in nearest.differences:
            asked, recorded = difference.asked or "(nothing)", difference.recorded or "(nothing)"
            text = f"{difference.field}: asked {asked}, recorded {recorded}"
            output.line(f"    {output.plain(text)}", as_json=as_json)
    output.line(f"  to record it: {output.plain(miss.record_command)}", as_json=as_json)


def print_report(report: SessionReport, *, as_json: bool) -> None:
    """Print the account as a table, or as one JSON object."""
    if as_json:
        output.json_line(report)
        return
    rows = [
        [outcome.value, str(report.count(outcome))] for outcome in Outcome if report.count(outcome)
    ]
    rows.append(["requests", str(report.requests)])
    title = f"session {report.session}: {report.verdict.value}"
    output.table(title, ["outcome", "requests"], rows)
    output.line(
        f"cassette {report.app}/{report.version} {report.cassette_digest[:12]}, recorded "
        f"{report.recorded_at}; {report.entries_used} entries used, {report.entries_unused} not; "
        f"outbound connections: {report.outbound_connections}",
        as_json=False,
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
            f"not recorded ({len(report.misses)})", ["class", "times", "request", "reason"], listed
        )
