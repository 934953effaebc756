"""Snapshots on a real Docker engine."""
