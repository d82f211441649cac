"""The sandbox for all work on strangers' files and programs."""
