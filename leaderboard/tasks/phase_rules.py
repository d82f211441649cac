"""Rules between the fields of a phase, its times on local clocks, size of its parts."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# As a phase their pages would lie where those of the task lie, here or in the API.
RESERVED = frozenset({"options", "phases", "submissions"})

# A new end that is nearer than this is asked about before it is taken.
NEAR = timedelta(hours=24)

Finding = tuple[str, str]

# Far from where sums with zones leave the calendar.
YEARS = range(2000, 2101)
ROUGH = 100  # below, whatever is chosen, only large differences show

# Of these a day alone is its end.
CLOSING = ("closes", "until")


def both(local: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """The moments, in UTC, that a naive time may mean; two where clocks are changed."""
    first, second = (
        local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)
    )
    return first, second


def edge_of_day(day: date, zone: ZoneInfo, closing: bool) -> datetime:
    """The moment, in UTC, at which a day begins in a zone, or, `closing`, ends.

    A midnight that the clocks skip is the moment they skip it; of one that comes twice
    the first counts.
    """
    first = day + timedelta(days=1) if closing else day
    return datetime.combine(first, time(), zone).astimezone(UTC)


def moment_of_day(
    name: str, day: date, zone: ZoneInfo, closes: datetime | None
) -> datetime:
    """The moment, in UTC, that a day in place of a time means for that field.

    Scores are not revealed on the morning of the day on which a phase `closes`.
    """
    last = name == "reveal_at" and closes == edge_of_day(day, zone, closing=True)
    return edge_of_day(day, zone, closing=last or name in CLOSING)


def check(phase: Any) -> None:
    """Raises ValidationError with a sentence for each field that does not fit.

    A field that could not be read, and so is None, is not held against the others.
    """
    sentences: dict[str, list[str]] = {}
    for rule in (_place, _freeze, _reveal, _limits):
        for name, sentence in rule(phase):
            sentences.setdefault(name, []).append(sentence)
    if sentences:
        raise ValidationError(sentences)


def reasons_against_times(
    old: Any, new: Any, now: datetime, *, declared: bool
) -> Iterator[Finding]:
    """Reasons against the times that change, for the sake of who relies on them.

    `new` are the values of the same phase as they shall be; `declared` says that it has
    a final ranking. The end is a promise,
    whatever page, bundle or program changes it: it may come later at any time, and
    earlier only while both the old one and the new one lie ahead. What everybody has
    seen is not taken back, nor said to have been revealed before it was.
    """
    if new.closes != old.closes:
        if declared:
            yield "closes", _("The final ranking was declared; this phase is closed.")
        else:
            yield from _moved_end(old, new, now)
    if old.opens > now:
        return
    if new.freeze_from not in (None, old.freeze_from) and new.freeze_from <= now:
        yield (
            "freeze_from",
            _(
                "The board cannot stand still from a moment that is "
                "over: choose a time to come."
            ),
        )
    if new.reveal_at not in (None, old.reveal_at) and new.reveal_at <= now:
        yield (
            "reveal_at",
            _("Scores cannot have been revealed already: choose a time to come."),
        )


def _moved_end(old: Any, new: Any, now: datetime) -> Iterator[Finding]:
    if new.closes is None or (old.closes is not None and new.closes > old.closes):
        return
    if old.closes is not None and old.closes <= now:
        yield "closes", _("The phase is over: its end can only be moved to later.")
    elif new.closes <= now:
        yield (
            "closes",
            _(
                "An earlier end has to lie in the future, so that everybody "
                "can still send something."
            ),
        )


def is_sudden(old: datetime | None, new: datetime | None, now: datetime) -> bool:
    """Whether a new end may surprise teams: it is near, or earlier than the old one."""
    if new is None or new == old:
        return False
    return new <= now + NEAR or old is None or new < old


def _place(phase: Any) -> Iterator[Finding]:
    if phase.name in RESERVED:
        yield "name", _("This word is an address of the site itself.")
    if phase.opens and phase.closes and phase.closes <= phase.opens:
        yield "closes", _("The phase has to close after it opens.")


def _freeze(phase: Any) -> Iterator[Finding]:
    freeze = phase.freeze_from
    if freeze is None:
        return
    if phase.policy == "blind":
        why = _("A blind phase shows no board that could stand still: leave it empty.")
        yield "freeze_from", why
    if phase.opens and freeze < phase.opens:
        yield "freeze_from", _("The board would freeze before the phase opens.")
    if phase.closes and freeze >= phase.closes:
        why = _(
            "The board would freeze after the phase has closed: choose a time "
            "before its end."
        )
        yield "freeze_from", why


def _reveal(phase: Any) -> Iterator[Finding]:
    reveal = phase.reveal_at
    if reveal is None:
        return
    if phase.closes and reveal < phase.closes:
        why = _(
            "Scores would be revealed while teams can still submit: the reveal has to "
            "be at the end of the phase or later."
        )
        yield "reveal_at", why
    if phase.opens and reveal < phase.opens:
        yield "reveal_at", _("Scores would be revealed before the phase opens.")
    if phase.policy == "blind" and not phase.closes:
        why = _(
            "A blind phase that has a reveal needs an end: after the reveal "
            "nothing would be blind."
        )
        yield "closes", why


def _limits(phase: Any) -> Iterator[Finding]:
    why = _("At least 1; leave it empty for no limit, or pause the phase.")
    for name in ("daily_limit", "total_limit"):
        if getattr(phase, name) == 0:
            yield name, why


def private_size(units: int, share: float) -> int:
    """The nearest whole number, but neither part of two units or more is empty."""
    if units < 2:
        return 0
    return min(max(round(units * share), 1), units - 1)


def smaller_part(units: int, share: float) -> int:
    """Units of the smaller one of both parts."""
    private = private_size(units, share)
    return min(private, units - private)


def too_few(phase: Any, units: Mapping[str, int]) -> Iterator[str]:
    """Reasons why a phase cannot have a private part; `units` of its test sets by
    title."""
    least, share = settings.LEAST_PART_UNITS, phase.private_share
    why = _(
        "“{phase}”: with a private part each part needs {least} units of each test "
        "set; the smaller one of “{title}” has {part} of {n}. Take no private part, or "
        "count smaller units."
    )
    for title, n in units.items() if share is not None else ():
        part = smaller_part(n, share)
        if n and part < least:  # 0: the task's program has not told yet
            yield why.format(
                phase=phase.title, least=least, title=title, n=n, part=part
            )


def rough(phase: Any, units: Mapping[str, int]) -> Iterator[str]:
    """Warnings about parts that are large enough, but small."""
    least, share = settings.LEAST_PART_UNITS, phase.private_share
    why = _(
        "“{phase}”: the smallest part of “{title}” that is scored has {n} units. Below "
        "{rough}, intervals are rough and only large differences show."
    )
    for title, n in units.items() if share is not None else ():
        part = smaller_part(n, share)
        if least <= part < ROUGH:
            yield why.format(phase=phase.title, title=title, n=part, rough=ROUGH)
