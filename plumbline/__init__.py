"""A program for participants and organizers: the site from a command line."""
