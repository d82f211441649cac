"""Several measures in one rank: declared combinations, and their page."""
