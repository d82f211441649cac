"""Scores as a disclosure lets them be seen: of which units, how round, and of whom."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

from django.db.models import Q

from leaderboard.submissions import ladder
from leaderboard.submissions.ladder import Candidate
from leaderboard.submissions.models import Evaluation, State
from leaderboard.submissions.ranking import Field, Kept, measured
from leaderboard.submissions.scores import Grid, Score
from leaderboard.submissions.splitting import Split
from leaderboard.tasks.models import GoldFile, Participation, Phase, TestSet
from leaderboard.tasks.policy import Disclosure, Part, Publication
from scoring.measures import Measure

POINT = 0.01  # a score point is a hundredth of a share
FINEST = 0.1 * POINT  # a grid that nobody chose is not finer
STEPS = 1.0  # of the ladder, in standard errors, where nobody chose
LADDERS_KEPT = 128
# What scores are read from is kept in memory, see `stored`.
HEAVY = ("results", "problems")

Scores = Mapping[str, Score]


def history(phase: Phase, teams: Collection[int] = ()) -> list[Evaluation]:
    """Everything scored of a phase, in order of receipt, withdrawn or not.

    What a team has seen stays seen: a score that it withdrew is still one to beat.
    `teams` (of `team_of`) are those asked for, by default all. One query.
    """
    found = Evaluation.objects.filter(
        submission__phase=phase,
        submission__late=False,
        gold_revision=phase.gold_revision_id,
        state=State.SCORED,
    )
    if teams:
        own = Q(submission__participation__in=teams)
        found = found.filter(own | Q(submission__participation__merged_into__in=teams))
    related = found.select_related("submission__participation__team").defer(*HEAVY)
    return newest(related.order_by("submission__received_at", "pk"))


def newest(evaluations: Iterable[Evaluation]) -> list[Evaluation]:
    """One evaluation per submission, the last made, in the order given."""
    last: dict[object, Evaluation] = {}
    for evaluation in evaluations:
        known = last.get(evaluation.submission_id)
        if known is None or evaluation.pk > known.pk:
            last[evaluation.submission_id] = evaluation
    return list(last.values())


def team_of(entry: Participation) -> int:
    """Merged teams are one."""
    return int(entry.merged_into_id or entry.pk)


def published(
    field: Field, measures: Sequence[Measure], shown: Disclosure
) -> list[Scores]:
    """The scores of each system of the field, rounded as the disclosure says."""
    found = measured(field, measures)
    if shown.publication == Publication.GRID:
        grid = grid_of(field.phase, field.test_sets, field.split, shown.step)
        return [
            {m.name: Score.of(m, row.get(m.name), grid) for m in measures}
            for row in found
        ]
    steps = _steps(shown) if shown.publication == Publication.LADDER else None
    return [
        {m.name: _score(m, row.get(m.name), steps) for m in measures} for row in found
    ]


def _score(
    measure: Measure, found: Mapping[str, float | None] | None, steps: float | None
) -> Score:
    grid = None if steps is None else eta((found or {}).get("stddev"), steps)
    return Score.of(measure, found, grid)


def _steps(shown: Disclosure) -> float:
    return STEPS if shown.step is None else shown.step


def eta(error: float | None, steps: float) -> Grid:
    """The step of the ladder for a score with that standard error."""
    return Grid.at_least(max(steps * (error or 0.0), 0.01 * POINT))


def grid_of(
    phase: Phase, test_sets: Sequence[TestSet], split: Split | None, step: float | None
) -> Grid:
    """The grid of a phase: its step, else half the largest standard error of a share.

    That is half of 0.5 / sqrt(units), at least 0.1 points; over several test sets the
    error of their mean. It depends on the number of units alone, so that everybody
    can tell it beforehand and no submission moves it. One query without a step.
    """
    if step is not None:
        return Grid(round(step * POINT, 9))
    return Grid.at_least(max(FINEST, largest_error(phase, test_sets, split) / 2))


def largest_error(
    phase: Phase, test_sets: Sequence[TestSet], split: Split | None
) -> float:
    """Standard error of a mean over test sets of shares that are all one half."""
    files = GoldFile.objects.filter(
        revision=phase.gold_revision_id, test_set__in=test_sets
    )
    sizes = files.values_list("units", flat=True)
    units = [split.size(n) if split else n for n in sizes]
    variance = sum(0.25 / max(n, 1) for n in units)
    return sqrt(variance) / max(len(units), 1)


@dataclass(frozen=True)
class Resolution:
    """What a publication costs honest teams: differences up to `points` stay unseen.

    `measured` says that it comes from the systems scored so far, else it is the most
    that it can be for a share.
    """

    points: float
    measured: bool


def resolution(phase: Phase, publication: str | None = None) -> Resolution:
    """The resolution of the headline in score points; 0 for exact publication.

    Of the ladder the median step of what is scored, or the largest there can be.
    """
    kind = publication or phase.publication
    test_sets = list(phase.test_sets.all())
    split = Split.of(phase, Part.PUBLIC)
    if kind == Publication.EXACT:
        return Resolution(0.0, False)
    if kind == Publication.GRID:
        grid = grid_of(phase, test_sets, split, phase.step)
        return Resolution(grid.size / POINT, False)
    steps = STEPS if phase.step is None else phase.step
    field = Field(phase, tuple(test_sets), tuple(history(phase)), split=split)
    headline = phase.task.headline_measure
    errors = sorted(
        error
        for row in measured(field, [headline])
        if (error := row.get(headline.name, {}).get("stddev"))
    )
    most = largest_error(phase, test_sets, split)
    error = errors[len(errors) // 2] if errors else most
    return Resolution(eta(error, steps).size / POINT, bool(errors))


def released(field: Field, shown: Disclosure) -> frozenset[int]:
    """Evaluations whose scores were published when they came; `everything` is all.

    The field holds the history of whole teams in order of receipt, over all test
    sets. Baselines are always published.
    """
    if shown.everything or not field.evaluations:
        return frozenset(e.pk for e in field.evaluations)
    return _released(_Asked(field, shown))


class _Asked(Kept):
    """A question about releases, with all that its answer depends on."""

    def __init__(self, field: Field, shown: Disclosure) -> None:
        self.shown = shown
        self.climbers = tuple(_climber(e) for e in field.evaluations)
        pks = tuple(e.pk for e in field.evaluations)
        phase = field.phase
        super().__init__(field, (phase.task.headline_measure,), (
            pks, self.climbers, shown.publication, shown.step, phase.gold_revision_id,
        ))  # fmt: skip


def _climber(evaluation: Evaluation) -> object:
    """A baseline competes with nobody."""
    sent = evaluation.submission
    return str(sent.pk) if sent.baseline else team_of(sent.participation)


@lru_cache(maxsize=LADDERS_KEPT)
def _released(asked: _Asked) -> frozenset[int]:
    field = asked.take()
    measure = field.phase.task.headline_measure
    found = ladder.climbed(
        _candidates(field, asked.shown, measure),
        asked.climbers,
        measure.higher_is_better,
    )
    pairs = zip(field.evaluations, found, strict=True)
    return frozenset(evaluation.pk for evaluation, taken in pairs if taken)


def _candidates(field: Field, shown: Disclosure, measure: Measure) -> list[Candidate]:
    """Headline scores as the ladder takes them; rounded ones must differ as rounded."""
    if shown.publication != Publication.LADDER:
        scores = published(field, [measure], shown)
        return [Candidate(row[measure.name].exact["value"]) for row in scores]
    (sample,) = field.samples([measure])
    found = []
    for row, resampled in zip(
        measured(field, [measure]), sample.resampled, strict=True
    ):
        numbers = row.get(measure.name, {})
        step = eta(numbers.get("stddev"), _steps(shown)).size
        found.append(Candidate(numbers.get("value"), step, resampled))
    return found
