"""Specification of envsvc.exchange, file by file."""
