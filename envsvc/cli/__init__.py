"""The command: text to options to use case."""
