"""Code: teams send programs, which run on hidden input; what they write is scored."""
