"""How many units a part of a test set needs for its scores to say anything."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from django.conf import settings
from django.utils.translation import gettext as _

from leaderboard.tasks.models import Phase

ROUGH = 100  # below, whatever is chosen, only large differences show


class Published(Protocol):
    """What a phase, or the plan of one, says of publication."""

    title: str
    publication: str
    private_share: float | None


def private_size(units: int, share: float) -> int:
    """The nearest whole number, but neither part of two units or more is empty."""
    if units < 2:
        return 0
    return min(max(round(units * share), 1), units - 1)


def smallest_part(units: int, share: float | None) -> int:
    """Units of the smaller part; without a private part all are one."""
    if share is None:
        return units
    private = private_size(units, share)
    return min(private, units - private)


def coarse(phase: Published) -> bool:
    """Whether its scores are rounded, or a part of the units is kept for later."""
    rounded = phase.publication != Phase.Publication.EXACT
    return rounded or phase.private_share is not None


def too_few(phase: Published, units: Mapping[str, int]) -> Iterator[str]:
    """Why a phase cannot have what it asks for; `units` of its test sets by title."""
    least = settings.LEAST_PART_UNITS
    for title, n in units.items() if coarse(phase) else ():
        part = smallest_part(n, phase.private_share)
        if part >= least:
            continue
        if phase.private_share is None:
            said = _(
                "“{phase}”: rounded scores need {least} units of each test set; "
                "“{title}” has {n}. Publish exact scores, or count smaller units."
            )
        else:
            said = _(
                "“{phase}”: with a private part each part needs {least} units of each "
                "test set; the smaller one of “{title}” has {part} of {n}. Take no "
                "private part, or count smaller units."
            )
        yield said.format(phase=phase.title, least=least, title=title, n=n, part=part)


def rough(phase: Published, units: Mapping[str, int]) -> Iterator[str]:
    """What to know of parts that are large enough, but small."""
    least = settings.LEAST_PART_UNITS
    said = _(
        "“{phase}”: the smallest part of “{title}” that is scored has {n} units. Below "
        "{rough}, intervals are rough and only large differences show."
    )
    for title, n in units.items() if coarse(phase) else ():
        part = smallest_part(n, phase.private_share)
        if least <= part < ROUGH:
            yield said.format(phase=phase.title, title=title, n=part, rough=ROUGH)
