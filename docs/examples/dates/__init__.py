"""Dates: when phases end, and when each was last sent something."""
