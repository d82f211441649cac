"""Ostrel, an invented language, and simulated parsers: the demonstration's data."""
