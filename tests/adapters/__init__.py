"""Specification of envsvc.adapters that touch files."""
