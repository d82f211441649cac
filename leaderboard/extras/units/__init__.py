"""Pages on what the units of a test set tell of its systems, and of its gold."""
