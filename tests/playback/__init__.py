"""Specification of envsvc.playback, file by file."""
