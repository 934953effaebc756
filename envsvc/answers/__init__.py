"""The right answers of one app version, and how findings score against them. Pure."""
