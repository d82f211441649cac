"""The rows of a board: what table, charts and API print alike."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from leaderboard.boards import queries
from leaderboard.submissions.models import Evaluation
from leaderboard.submissions.status import Score
from leaderboard.tasks.models import Phase, TestSet
from scoring.measures import Measure
from scoring.ranks import rank_of


class UnknownChoice(Exception):
    """A measure or test set that this board does not have."""


@dataclass(frozen=True)
class View:
    """What a reader chose: what ranks, one test set or all, every entry or the best."""

    measure: str = ""
    test_set: str = ""
    everything: bool = False


@dataclass(frozen=True)
class Row:
    """One line. `rank` is None for baselines and n/a; `scores` follow the columns."""

    rank: int | None
    team: str
    system: str
    submission: str
    received_at: datetime
    entries: int
    baseline: bool
    complete: bool
    scores: tuple[Score, ...]
    sorted_by: Score

    @property
    def ranked(self) -> bool:
        return self.rank is not None


@dataclass(frozen=True)
class Board:
    """A phase's ranking as one reader sees it. `measures` are the columns."""

    phase: Phase
    measures: tuple[Measure, ...]
    measure: Measure
    test_sets: tuple[TestSet, ...]
    test_set: TestSet | None
    everything: bool
    rows: tuple[Row, ...] = ()

    @property
    def rule(self) -> str:
        """How ranks come about, printed above the table."""
        direction = "highest" if self.measure.higher_is_better else "lowest"
        which = "every entry" if self.everything else "the best entry of each team"
        return (
            f"Ranked by {self.measure.title}, {direction} first, {which}. Equal scores "
            "share a rank; baselines are not ranked; n/a comes last."
        )


def board(phase: Phase, view: View) -> Board:
    """The board of a phase under the gold revision it shows.

    Raises UnknownChoice for a measure or test set it does not have.
    """
    measures = _measures(phase)
    test_sets = tuple(phase.test_sets.all())
    frame = Board(
        phase=phase,
        measures=measures,
        measure=_measure(measures, view.measure),
        test_sets=test_sets,
        test_set=_test_set(test_sets, view.test_set),
        everything=view.everything,
    )
    entries = queries.entries_per_team(phase)
    found = [_row(frame, evaluation, entries) for evaluation in queries.scored(phase)]
    kept = found if view.everything else _best_per_team(frame, found)
    return replace(frame, rows=_ranked(frame, kept))


def _measures(phase: Phase) -> tuple[Measure, ...]:
    """Columns: the headline first."""
    task = phase.task
    return tuple(sorted(task.measures, key=lambda m: m.name != task.headline))


def _measure(measures: Sequence[Measure], name: str) -> Measure:
    found = [m for m in measures if m.name == name] if name else measures
    if not found:
        raise UnknownChoice(name)
    return found[0]


def _test_set(test_sets: Sequence[TestSet], name: str) -> TestSet | None:
    found = [t for t in test_sets if t.name == name] if name else [None]
    if not found:
        raise UnknownChoice(name)
    return found[0]


def _row(frame: Board, evaluation: Evaluation, entries: dict[int, int]) -> Row:
    submission = evaluation.submission
    results = evaluation.results or {}
    measured = results.get("overall")
    if frame.test_set is not None:
        chosen = results.get("test_sets", {}).get(frame.test_set.name, {})
        measured = chosen.get("measures")
    scores = {m.name: Score.of(m, (measured or {}).get(m.name)) for m in frame.measures}
    return Row(
        rank=None,
        team=submission.participation.team.name,
        system=submission.system,
        submission=str(submission.pk),
        received_at=submission.received_at,
        entries=entries.get(submission.participation_id, 0),
        baseline=submission.baseline,
        complete=evaluation.complete or frame.test_set is not None,
        scores=tuple(scores.values()),
        sorted_by=scores[frame.measure.name],
    )


def _order(frame: Board, row: Row) -> tuple[bool, float, datetime]:
    """Best first, n/a last, earlier before later."""
    value = row.sorted_by.value
    if value is None:
        return True, 0.0, row.received_at
    return False, -value if frame.measure.higher_is_better else value, row.received_at


def _best_per_team(frame: Board, rows: list[Row]) -> list[Row]:
    """The best entry of each team; baselines all stay."""
    best: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: _order(frame, row)):
        best.setdefault(row.submission if row.baseline else row.team, row)
    return list(best.values())


def _ranked(frame: Board, rows: list[Row]) -> tuple[Row, ...]:
    ordered = sorted(rows, key=lambda row: _order(frame, row))
    values = [None if row.baseline else row.sorted_by.value for row in ordered]
    ranks = rank_of(values, frame.measure.higher_is_better)
    return tuple(
        replace(row, rank=rank) for row, rank in zip(ordered, ranks, strict=True)
    )
