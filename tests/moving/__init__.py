"""Moving here from other sites: bundles, and submissions of the past."""
