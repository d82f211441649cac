"""Boards for papers and for pages of other sites."""
