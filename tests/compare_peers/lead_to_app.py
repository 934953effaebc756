"""A mitmproxy addon: lead one host to the port where an app listens; any other is unreachable.

What is written keeps the host that was asked for.

usage: mitmdump -s lead_to_app.py --set led_host=NAME --set led_port=PORT
"""

from mitmproxy import ctx
from mitmproxy.addonmanager import Loader
from mitmproxy.http import HTTPFlow

_HTTP = 80


class LeadToApp:
    """The addon."""

    def load(self, loader: Loader) -> None:
        """Add the options."""
        loader.add_option("led_host", str, "", "The host that is led to the app.")
        loader.add_option("led_port", int, 0, "The loopback port of the app.")

    def request(self, flow: HTTPFlow) -> None:
        """Ask the app for what is asked of its host, and nobody for anything else."""
        if flow.request.host != ctx.options.led_host:
            flow.kill()  # type: ignore[no-untyped-call]
            return
        asked = flow.request.host_header
        flow.request.host, flow.request.port = "127.0.0.1", ctx.options.led_port
        flow.request.host_header = asked

    def responseheaders(self, flow: HTTPFlow) -> None:
        """Put the name back before anything is written."""
        asked = flow.request.host_header
        flow.request.host, flow.request.port = ctx.options.led_host, _HTTP
        flow.request.host_header = asked


addons = [LeadToApp()]
