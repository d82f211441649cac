"""The rows of a board: what table, charts and API print alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from leaderboard.boards import queries
from leaderboard.submissions import ranking, stored
from leaderboard.submissions.models import Evaluation
from leaderboard.submissions.ranking import Field, Slice
from leaderboard.submissions.status import Score
from leaderboard.tasks.models import Phase, TestSet
from scoring.measures import Measure
from scoring.ranks import rank_of
from scoring.standings import Standing, in_words

NOT_RANKED = Standing()


class UnknownChoice(Exception):
    """A measure, test set or slice that this board does not have."""


@dataclass(frozen=True)
class View:
    """What a reader chose: what ranks, one test set or all, every entry or the best.

    `slice` is "group:label", as in "genre:letter".
    """

    measure: str = ""
    test_set: str = ""
    everything: bool = False
    slice: str = ""


@dataclass(frozen=True)
class Row:
    """One line. `rank` is None for baselines and n/a; `scores` follow the columns.

    `line_above` says that everybody above differs from everybody from here on.
    """

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
    evaluation: Evaluation
    standing: Standing = NOT_RANKED
    line_above: bool = False

    @property
    def rank_range(self) -> str:
        """The 95 % range of the rank, "2-5"; empty where it is not known."""
        return self.standing.range

    @property
    def in_words(self) -> str:
        """How sure the rank is, as a sentence."""
        return in_words(self.standing)

    @property
    def ranked(self) -> bool:
        return self.rank is not None

    @property
    def incomplete(self) -> bool:
        return not self.complete


@dataclass(frozen=True)
class Board:
    """A phase's ranking as one reader sees it. `measures` are the columns."""

    phase: Phase
    measures: tuple[Measure, ...]
    measure: Measure
    test_sets: tuple[TestSet, ...]
    test_set: TestSet | None
    everything: bool
    slice: Slice | None
    slices: Mapping[str, Sequence[str]]
    rows: tuple[Row, ...] = ()

    @property
    def chosen_test_sets(self) -> tuple[TestSet, ...]:
        return self.test_sets if self.test_set is None else (self.test_set,)

    @property
    def several_test_sets(self) -> bool:
        return len(self.test_sets) > 1

    @property
    def rule(self) -> str:
        """How ranks come about, printed above the table."""
        direction = "highest" if self.measure.higher_is_better else "lowest"
        which = "every entry" if self.everything else "the best entry of each team"
        share = f"{self.phase.task.level:.0%}"
        return (
            f"Ranked by {self.measure.title}, {direction} first, {which}. Equal scores "
            "share a rank; baselines are not ranked; n/a comes last. A range such as "
            f"2-4 holds the rank in {share} of the resamples. A line parts systems "
            "where each one above differs from each one below (paired bootstrap, Holm)."
        )


def board(phase: Phase, view: View) -> Board:
    """The board of a phase under the gold revision it shows.

    Raises UnknownChoice for a measure, test set or slice it does not have.
    """
    measures = _measures(phase)
    test_sets = tuple(phase.test_sets.all())
    evaluations = list(queries.scored(phase))
    slices = _slices(evaluations, test_sets)
    frame = Board(
        phase=phase,
        measures=measures,
        measure=_measure(measures, view.measure),
        test_sets=test_sets,
        test_set=_test_set(test_sets, view.test_set),
        everything=view.everything,
        slice=_slice(slices, view.slice),
        slices=slices,
    )
    entries = queries.entries_per_team(phase)
    measured = _measured(frame, evaluations)
    found = [
        _row(frame, evaluation, numbers, entries)
        for evaluation, numbers in zip(evaluations, measured, strict=True)
    ]
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


def _slices(
    evaluations: list[Evaluation], test_sets: Sequence[TestSet]
) -> Mapping[str, Sequence[str]]:
    """What can be chosen: groupings come from the gold, the fullest entry has all."""
    fullest = sorted(evaluations, key=lambda e: not e.complete)[:1]
    rows = stored.counts_of(fullest, test_sets)
    return ranking.slices_of(rows[0]) if rows else {}


def _slice(slices: Mapping[str, Sequence[str]], name: str) -> Slice | None:
    if not name:
        return None
    group, _, label = name.partition(":")
    if label not in slices.get(group, ()):
        raise UnknownChoice(name)
    return Slice(group, label)


Measured = dict[str, Mapping[str, float | None]]


def _measured(frame: Board, evaluations: list[Evaluation]) -> list[Measured]:
    """Estimates by measure for each evaluation: stored ones, or a slice's anew."""
    if frame.slice is None:
        return [_stored(frame, evaluation) for evaluation in evaluations]
    field = Field(frame.phase, frame.chosen_test_sets, tuple(evaluations), frame.slice)
    columns = ranking.sliced_scores(field, frame.measures)
    return [
        {name: column[i] for name, column in columns.items()}
        for i in range(len(evaluations))
    ]


def _stored(frame: Board, evaluation: Evaluation) -> Measured:
    results = evaluation.results or {}
    if frame.test_set is None:
        found: Measured = results.get("overall", {})
    else:
        chosen = results.get("test_sets", {}).get(frame.test_set.name, {})
        found = chosen.get("measures", {})
    return found


def _row(
    frame: Board, evaluation: Evaluation, measured: Measured, entries: dict[int, int]
) -> Row:
    submission = evaluation.submission
    scores = {m.name: Score.of(m, measured.get(m.name)) for m in frame.measures}
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
        evaluation=evaluation,
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
    """Rows in order with their ranks and how sure those are."""
    ordered = sorted(rows, key=lambda row: _order(frame, row))
    values = [row.sorted_by.value if _may_rank(row) else None for row in ordered]
    ranks = rank_of(values, frame.measure.higher_is_better)
    standing = _standings(frame, [row for row in ordered if _may_rank(row)])
    cluster = 1
    finished = []
    for row, rank in zip(ordered, ranks, strict=True):
        found = standing.get(row.submission, NOT_RANKED)
        lined = found.cluster is not None and found.cluster > cluster
        cluster = found.cluster or cluster
        finished.append(replace(row, rank=rank, standing=found, line_above=lined))
    return tuple(finished)


def _may_rank(row: Row) -> bool:
    return not row.baseline and row.sorted_by.value is not None


def _standings(frame: Board, rows: list[Row]) -> dict[str, Standing]:
    """Standings of the ranked rows by submission."""
    evaluations = tuple(row.evaluation for row in rows)
    field = Field(frame.phase, frame.chosen_test_sets, evaluations, frame.slice)
    found = ranking.standings_of(field, frame.measure)
    return dict(zip((row.submission for row in rows), found, strict=True))
