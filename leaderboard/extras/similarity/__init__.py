"""Submissions that are alike, for organizers: the probe report."""
