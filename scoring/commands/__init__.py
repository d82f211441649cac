"""Subcommands of `python -m scoring`."""
