"""One system over the test sets of a phase: correlations and spread (seed 003)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.extension.boards import Board, Row, UnknownChoice
from leaderboard.extension.scores import decimals_of, printed
from scoring.measures import Measure
from scoring.statistics.groups import correlations, cumulative_variance


class Spread(NamedTuple):
    """Test sets from best to worst; `variance` is that of all down to this one."""

    title: str
    value: str
    variance: str


@dataclass(frozen=True)
class Across:
    """Scores of `row` over the test sets; `matrix` follows `measures` both ways."""

    row: Row
    measures: tuple[Measure, ...]
    exact: Mapping[str, Mapping[str, float | None]]
    spread: list[tuple[str, float, float | None]]
    titles: Mapping[str, str]

    @property
    def matrix(self) -> list[tuple[Measure, list[str]]]:
        return [
            (a, [printed(self.exact[a.name][b.name], 2) for b in self.measures])
            for a in self.measures
        ]

    @property
    def spreads(self) -> list[Spread]:
        """Spreads of the scores; shares are times 100, as the board shows them. The
        square of a small number takes twice its decimals."""
        measure = self.row.sorted_by.measure
        factor, (decimals, _of_ends) = (
            100 if measure.percent else 1,
            decimals_of(measure),
        )
        of_squares = decimals if measure.percent else 2 * decimals
        return [
            Spread(
                self.titles[name],
                printed(value * factor, decimals),
                printed(None if variance is None else variance * factor**2, of_squares),
            )
            for name, value, variance in self.spread
        ]


def across(board: Board, submission: str) -> Across:
    """The named row, or the first one.

    Raises UnknownChoice for a row that is not there or with fewer than three test sets,
    and where such details are not shown.
    """
    if not board.disclosure.details:
        raise UnknownChoice
    rows = [row for row in board.rows if submission in ("", row.submission)]
    if not rows:
        sentence = _("This board shows no system of that submission or name.")
        raise UnknownChoice(sentence)
    if not board.spans_test_sets:
        raise UnknownChoice(_("This is there for boards of three test sets or more."))
    row = rows[0]
    values = {
        test_set.name: {name: s.numbers.value for name, s in scores.items()}
        for test_set, scores in board.scores_by_test_set(row).items()
    }
    measure = board.measure
    return Across(
        row=row,
        measures=board.measures,
        exact=_complete(board, correlations(values)),
        spread=cumulative_variance(
            {name: of[measure.name] for name, of in values.items()},
            measure.higher_is_better,
        ),
        titles={t.name: t.title for t in board.test_sets},
    )


def _complete(
    board: Board, values: Mapping[str, Mapping[str, float | None]]
) -> dict[str, dict[str, float | None]]:
    names = [measure.name for measure in board.measures]
    return {a: {b: values.get(a, {}).get(b) for b in names} for a in names}
