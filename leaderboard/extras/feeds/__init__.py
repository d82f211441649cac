"""Atom feeds of a task, and of the site."""
