"""The sandbox for all work on strangers' files and programs, on a site and at home."""
