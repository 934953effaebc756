"""What crosses the wire, and what makes two requests ask the same. Pure."""
