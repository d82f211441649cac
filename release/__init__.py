"""Releases: two distributions built from one tree, and the version they share."""
