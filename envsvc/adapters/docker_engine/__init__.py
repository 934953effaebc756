"""The Docker engine, through its SDK."""
