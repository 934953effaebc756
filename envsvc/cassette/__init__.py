"""One app version's frozen traffic: its format, its manifest, its index of answers. Pure."""
