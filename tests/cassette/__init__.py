"""Specification of envsvc.cassette, file by file."""
