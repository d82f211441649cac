"""Names of time zones: those of the database, and the one that it lacks."""

from functools import cache
from zoneinfo import available_timezones

# Anywhere on Earth: a day lasts until it is over on the last clock of all.
AOE = "Etc/GMT+12"


@cache
def time_zones() -> frozenset[str]:
    """Names of the time zone database; asking it means to read hundreds of files."""
    return frozenset(available_timezones())


def zone_title(name: str) -> str:
    """The name that people use; the database has none for Anywhere on Earth."""
    return "AoE" if name == AOE else name


def zone_named(title: str) -> str:
    """The name in the database of a zone as people write it."""
    return AOE if title.casefold() == "aoe" else title
