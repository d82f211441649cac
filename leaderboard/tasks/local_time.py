"""Times that organizers write: with an offset, or as on the clock of a time zone."""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

# Far from where sums with zones leave the calendar.
YEARS = range(2000, 2101)


@cache
def time_zones() -> frozenset[str]:
    """Names of the time zone database; asking it means to read hundreds of files."""
    return frozenset(available_timezones())


class NoSuchTime(ValueError):
    """A clock time that a change of clocks leaves out or repeats, in words."""


def on_the_clock(local: datetime, zone: ZoneInfo) -> datetime:
    """The moment at which clocks in that zone show `local` (naive).

    Raises NoSuchTime where they never do, or do twice: an offset has to say which is
    meant. Times with an offset come back as they are.
    """
    if local.tzinfo is not None:
        return local
    first, second = both(local, zone)
    if first.astimezone(zone).replace(tzinfo=None, fold=0) != local:
        raise NoSuchTime(f"clocks in {zone.key} go forward and never show {local}")
    if first != second:
        raise NoSuchTime(f"clocks in {zone.key} show {local} twice; write the offset")
    return first.astimezone(zone)


def both(local: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """The moments, in UTC, that a naive time may mean; two where clocks are changed."""
    first, second = (
        local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)
    )
    return first, second
