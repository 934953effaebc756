"""The replay server: HTTP and TLS towards agents, answers from a cassette, no way out (D10)."""
