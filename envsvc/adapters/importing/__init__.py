"""Read recordings of other programs: HAR, Playwright archives, mitmproxy flows, WARC, WACZ."""
