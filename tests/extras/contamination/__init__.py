"""Overlap of a test set with other texts."""
