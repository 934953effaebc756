"""Specification of envsvc.record, file by file."""
