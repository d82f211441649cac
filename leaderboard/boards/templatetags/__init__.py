"""Filters with which the templates print values."""
