"""Formats of a board for papers, data sets and other pages: `FORMATS` of modules."""
