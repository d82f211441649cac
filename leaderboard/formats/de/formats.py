"""Scores keep their point: tables, files and papers then show the same figures."""

DECIMAL_SEPARATOR = "."
