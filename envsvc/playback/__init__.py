"""Decide how to answer a request from a cassette, and account for it. Pure."""
