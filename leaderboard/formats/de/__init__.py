"""How numbers are written, where that differs from the custom of a language."""
