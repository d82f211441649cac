"""The error browser: what went wrong in a submission, unit by unit."""
