"""Dates as people write them in bundles of other sites, and how each was read.

Those sites take nearly any form. A date of three numbers has the month first, as
they read it, unless the first number is none of a month.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from re import Match

NUMBERS = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{4}|\d{1,2})(?!\d)")
WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
MONTH, DAY = r"([a-z]{3,9})\.?", r"(\d{1,2})(?:st|nd|rd|th)?"
MONTH_DAY = re.compile(rf"{WEEKDAY}{MONTH}[\s-]+{DAY}(?:,\s*|[\s-]+)(\d{{4}})", re.I)
DAY_MONTH = re.compile(
    rf"{WEEKDAY}{DAY}[\s-]+(?:of\s+)?{MONTH}(?:,\s*|[\s-]+)(\d{{4}})", re.I
)
CLOCK = re.compile(
    r"(?:\s*,\s*|\s+|t|\s+at\s+)(\d{1,2})(?::(\d\d)(?::(\d\d)(?:\.\d+)?)?)?\s*([ap]m)?",
    re.I,
)
ZONE = re.compile(r"\s*(?:(z|utc|gmt|aoe)|(?:utc|gmt)?([+-])(\d\d):?(\d\d)?)?\s*", re.I)
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
# Anywhere on earth: a day is over where it ends last.
AOE = timezone(timedelta(hours=-12))
MONTH_FIRST, DAY_FIRST, OTHER = "date_month_first", "date_day_first", "date_read"
CODES = frozenset({MONTH_FIRST, DAY_FIRST, OTHER})


@dataclass(frozen=True)
class ReadDate:
    """A moment, and the code of a remark on its form; empty where that is plain."""

    moment: datetime
    code: str = ""


def read_date(value: object) -> ReadDate | None:
    """The moment that a value names, of UTC where it has no offset; None for none."""
    if isinstance(value, datetime):
        return ReadDate(value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, date):
        return ReadDate(datetime(value.year, value.month, value.day, tzinfo=UTC))
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        return read_date(datetime.fromisoformat(text))
    except ValueError:
        pass
    try:
        return _date_in_words(text)
    except (ValueError, OverflowError):  # no such day, no such hour
        return None


def _date_in_words(text: str) -> ReadDate | None:
    """Raises ValueError for a day or an hour that does not exist."""
    if match := NUMBERS.match(text):
        read = _date_in_numbers(match)
    elif match := MONTH_DAY.match(text):
        read = _date_with_month(match[3], match[1], match[2])
    elif match := DAY_MONTH.match(text):
        read = _date_with_month(match[3], match[2], match[1])
    else:
        return None
    if read is None:
        return None
    rest = text[match.end() :]
    clock = CLOCK.match(rest)
    hour, minute, second = _clock(clock) if clock else (0, 0, 0)
    zone = ZONE.fullmatch(rest[clock.end() :] if clock else rest)
    if zone is None:
        return None
    day, code = read
    start = datetime(day.year, day.month, day.day, hour, minute, second)
    return ReadDate(start.replace(tzinfo=_zone(zone)), code)


def _date_in_numbers(match: Match[str]) -> tuple[date, str] | None:
    first, second, third = match[1], match[3], match[4]
    if len(first) == 4:
        return date(int(first), int(second), int(third)), OTHER
    if len(first) > 2 or len(third) != 4:
        return None
    a, b, year = int(first), int(second), int(third)
    if a > 12:
        return date(year, b, a), DAY_FIRST
    return date(year, a, b), MONTH_FIRST


def _date_with_month(year: str, month: str, day: str) -> tuple[date, str] | None:
    name = "sep" if month.lower() == "sept" else month.lower()
    months = [m for m in MONTHS if name in (m, m[:3])]
    return (
        (date(int(year), MONTHS.index(months[0]) + 1, int(day)), OTHER)
        if months
        else None
    )


def _clock(match: Match[str]) -> tuple[int, int, int]:
    hour = int(match[1])
    if half := (match[4] or "").lower():
        if not 1 <= hour <= 12:
            raise ValueError(match[0])
        hour = hour % 12 + (12 if half == "pm" else 0)
    elif match[2] is None:
        raise ValueError(match[0])  # a number alone is no time of day
    return hour, int(match[2] or 0), int(match[3] or 0)


def _zone(match: Match[str]) -> timezone:
    if (match[1] or "").lower() == "aoe":
        return AOE
    if not match[2]:
        return UTC
    offset = timedelta(hours=int(match[3]), minutes=int(match[4] or 0))
    return timezone(offset if match[2] == "+" else -offset)
