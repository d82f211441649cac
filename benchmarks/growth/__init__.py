"""How the site grows with input, boards and workers, beside limits."""
