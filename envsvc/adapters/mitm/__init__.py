"""The recorder: a mitmproxy with our own addon, in a thread of its own (D8)."""
