"""Faults that people met in other tools, as small inputs with the right answer."""
