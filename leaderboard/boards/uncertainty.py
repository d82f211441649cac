"""Where the uncertainty of a system's scores comes from, as its page prints it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.boards.board import Board
from leaderboard.boards.rows import Row
from leaderboard.submissions.scores import Score, printed
from scoring.statistics.comparison import counts_of
from scoring.statistics.variance_components import Sources, sources_of


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
    """Lines of the measures that runs or judges bear on, with how many there are."""

    heads: Sequence[str]
    lines: Sequence[UncertaintyLine]
    runs: int
    judges: int


def uncertainty(board: Board, row: Row) -> Uncertainty | None:
    """None of an entry of one run with one judge or none, where all is from the units;
    and where scores are rounded."""
    if not board.disclosure.exact:
        return None
    sample = board.sample_of([row.evaluation])
    found = {
        measure.name: known
        for measure in board.measures
        if (known := sources_of(counts_of(sample.strata[0]), measure)) is not None
        and (known.runs is not None or known.judges is not None)
    }
    if not found:
        return None
    lines = [_line(row.by_measure[name], known) for name, known in found.items()]
    heads = [_("Units"), _("Runs"), _("Judges"), _("What is left")]
    every = found.values()
    most = max(one.of_runs for one in every), max(one.of_judges for one in every)
    return Uncertainty(heads, lines, *most)


def _line(score: Score, found: Sources) -> UncertaintyLine:
    factor = 100 if score.measure.percent else 1
    return UncertaintyLine(
        score,
        printed(found.error * factor, score.decimals[1]),
        list(_parts(found)),
    )


def _parts(found: Sources) -> Iterator[SourcePart | None]:
    variances = {
        "units": (_("Units"), found.units),
        "runs": (_("Runs"), found.runs),
        "judges": (_("Judges"), found.judges),
        "rest": (_("What is left"), found.rest),
    }
    whole, start = found.whole, 0.0
    for css, (title, variance) in variances.items():
        if variance is None:
            yield None
            continue
        share = 100 * variance / whole if whole else 0.0
        yield SourcePart(css, title, f"{share:.0f}%", f"{start:.2f}%", f"{share:.2f}%")
        start += share
