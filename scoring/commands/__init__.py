"""Subcommands of `python -m scoring`, one file each with `add(commands)`."""
