"""The overlap of a test set with other texts, and with itself."""
