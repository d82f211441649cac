"""A narrow space that does not break, as Russian typesetting has it."""

THOUSAND_SEPARATOR = "\u202f"
