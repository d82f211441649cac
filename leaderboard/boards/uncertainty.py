"""Where the uncertainty of a system's scores comes from: on its page and as values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.rows import Row
from leaderboard.results.scores import Score, printed
from scoring.measures import Measure
from scoring.statistics.comparison import counts_of
from scoring.statistics.judges import System
from scoring.statistics.variance_components import SOURCES, Sources, sources_of

# Of a larger board the first ones are told in exports; the API tells of each.
MOST_EXPORTED = 200


@dataclass(frozen=True)
class SourcePart:
    """One source of the uncertainty of a score: the share of the variance, as text, and
    where it stands in a bar of 100 %. `css` names its colour."""

    css: str
    title: str
    share: str
    start: str
    width: str


@dataclass(frozen=True)
class UncertaintyLine:
    """The standard error of a score, and what it is made of; a part is None where there
    is no telling it from others."""

    score: Score
    error: str
    parts: Sequence[SourcePart | None]

    @property
    def known(self) -> list[SourcePart]:
        return [part for part in self.parts if part is not None]


@dataclass(frozen=True)
class Uncertainty:
    """Lines of the measures that runs, prompts or judges bear on, with how many there
    are."""

    heads: Sequence[str]
    lines: Sequence[UncertaintyLine]
    runs: int
    prompts: int
    judges: int


def sources(board: Board, rows: Sequence[Row]) -> list[Mapping[str, Sources]]:
    """Sources of each row by the name of the measure. None of an entry of one run with
    one judge or none, where all is from the units; and where scores are rounded."""
    judged = board.phase.task.takes_judgements
    several = [row for row in rows if row.runs > 1 or judged]
    if not (several and board.disclosure.exact):
        return [{} for _row in rows]
    sample = board.sample_of([row.evaluation for row in several])
    found = {
        row.submission: _of_measures(counts_of(strata), board.measures)
        for row, strata in zip(several, sample.strata, strict=True)
    }
    return [found.get(row.submission, {}) for row in rows]


def _of_measures(system: System, measures: Sequence[Measure]) -> Mapping[str, Sources]:
    every = ((measure.name, sources_of(system, measure)) for measure in measures)
    return {name: one for name, one in every if one is not None and one.several}


def uncertainty_values(
    board: Board, rows: Sequence[Row]
) -> dict[str, dict[str, dict[str, Any]]]:
    """By submission and measure what `Sources.as_dict` says, of rows that have any."""
    return {
        row.submission: {name: one.as_dict() for name, one in known.items()}
        for row, known in zip(rows, sources(board, rows), strict=True)
        if known
    }


def uncertainty(board: Board, row: Row) -> Uncertainty | None:
    """None where nothing but units is known to vary."""
    (found,) = sources(board, [row])
    if not found:
        return None
    prompts = any(one.prompts is not None for one in found.values())
    # Most entries name no prompt, and need no column of dashes.
    names = [name for name in SOURCES if prompts or name != "prompts"]
    titles = _titles()
    lines = [_line(row.by_measure[name], one, names) for name, one in found.items()]
    every = found.values()
    most = (
        max(getattr(one, f"of_{name}") for one in every)
        for name in ("runs", "prompts", "judges")
    )
    return Uncertainty([titles[name] for name in names], lines, *most)


def _titles() -> dict[str, str]:
    titles = (_("Units"), _("Runs"), _("Prompts"), _("Judges"), _("What is left"))
    return dict(zip(SOURCES, titles, strict=True))


def _line(score: Score, found: Sources, names: Sequence[str]) -> UncertaintyLine:
    factor = 100 if score.measure.percent else 1
    return UncertaintyLine(
        score,
        printed(found.error * factor, score.decimals[1]),
        list(_parts(found, names)),
    )


def _parts(found: Sources, names: Sequence[str]) -> Iterator[SourcePart | None]:
    titles, whole, start = _titles(), found.whole, 0.0
    for name in names:
        variance = found.parts[name]
        if variance is None:
            yield None
            continue
        share = 100 * variance / whole if whole else 0.0
        title, places = titles[name], (f"{start:.2f}%", f"{share:.2f}%")
        yield SourcePart(name, title, f"{share:.0f}%", *places)
        start += share
