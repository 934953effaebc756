"""Specification of the command envsvc, run as a process."""
