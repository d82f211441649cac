"""How many examples a property takes that needs more than Hypothesis's own number."""

from hypothesis import settings


def at_night(number: int) -> int:
    """As many at night, and by day the part of them that the profile takes of others
    (`tests/conftest.py`)."""
    whole = settings.get_profile("whole").max_examples
    return number * settings.default.max_examples // whole
