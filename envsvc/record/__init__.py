"""What to record and what of it to keep: app description, tours, quality, journal. Pure."""
