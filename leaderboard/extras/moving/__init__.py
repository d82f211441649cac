"""Moving here from another site: submissions of the past, brought along by a list."""
