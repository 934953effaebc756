"""Specification of envsvc.answers, file by file."""
