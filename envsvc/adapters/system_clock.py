"""The time of day of this machine."""

import time


class SystemClock:
    """Clock of the operating system; see ports.Clock."""

    def now_us(self) -> int:
        """Return microseconds since the epoch."""
        return time.time_ns() // 1000
