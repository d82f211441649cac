"""One file, one format."""
