"""Values that go into the sandbox and come out of it; a job imports this alone."""

from scoring.sandbox.codec import Request, Values, problems_of

__all__ = [
    "Request",
    "Values",  # Values of JSON by name.
    "problems_of",
]
