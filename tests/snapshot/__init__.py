"""What holds for snapshots without an engine."""
