"""A mitmproxy addon: lead one host to the port where an app listens; requests stay as they are.

usage: mitmdump -s lead_to_app.py --set led_host=NAME --set led_port=PORT
"""

from mitmproxy import ctx
from mitmproxy.addonmanager import Loader
from mitmproxy.proxy.server_hooks import ServerConnectionHookData


class LeadToApp:
    """The addon."""

    def load(self, loader: Loader) -> None:
        """Add the options."""
        loader.add_option("led_host", str, "", "The host that is led to the app.")
        loader.add_option("led_port", int, 0, "The loopback port of the app.")

    def server_connect(self, data: ServerConnectionHookData) -> None:
        """Connect to the app where its host was asked for."""
        if data.server.address is not None and data.server.address[0] == ctx.options.led_host:
            data.server.address = ("127.0.0.1", ctx.options.led_port)


addons = [LeadToApp()]
