"""What every adapter of a port promises, run against each of them."""
