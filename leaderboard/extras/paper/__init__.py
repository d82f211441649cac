"""The kit for an overview paper: tables, tests of all pairs, figures, citations."""
