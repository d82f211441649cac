"""Signatures: the key of a site, what it signs, and the record of rows of boards."""
