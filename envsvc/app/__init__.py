"""Use cases: drive the core through ports."""
