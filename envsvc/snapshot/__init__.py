"""Snapshots of running apps, as values and rules: what to freeze, what to refuse, what is ready."""
