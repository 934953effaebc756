"""The script that gives pages and workers the virtual clock (D11)."""
