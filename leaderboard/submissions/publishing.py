"""Scores as a disclosure lets them be seen: of which units, how round, and of whom."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from sys import getsizeof
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Q

from leaderboard.submissions import ladder
from leaderboard.submissions.ladder import Candidate
from leaderboard.submissions.models import Evaluation, State
from leaderboard.submissions.ranking import Field, Kept, answer, measured
from leaderboard.submissions.scores import PERCENT, PLAIN, Grid, Score, Shown
from leaderboard.submissions.splitting import Split
from leaderboard.submissions.stored import MEGABYTE, Packed, Recent, Scored
from leaderboard.tasks.models import GoldFile, Phase, TestSet
from leaderboard.tasks.policy import Disclosure, Entrant, Part, Publication
from scoring.measures import Measure

POINT = 0.01  # a score point is a hundredth of a share
FINEST = 0.1 * POINT  # a grid that nobody chose is not finer
STEPS = 1.0  # of the ladder, in standard errors, where nobody chose
MOST_RELEASED = 8 * MEGABYTE
# What scores are read from is kept in memory, see `stored`.
HEAVY = ("results", "problems")

One = TypeVar("One", bound=Scored)
Rounding = Callable[[Mapping[str, float | None] | None], Grid]

_released: Recent[frozenset[int]] = Recent(MOST_RELEASED, getsizeof)


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


def newest(evaluations: Iterable[One]) -> list[One]:
    """One evaluation per submission, the last made, in the order given."""
    last: dict[int, One] = {}
    for evaluation in evaluations:
        known = last.setdefault(evaluation.submission_id.int, evaluation)
        if evaluation.pk > known.pk:
            last[evaluation.submission_id.int] = evaluation
    return list(last.values())


def team_of(entry: Entrant) -> int:
    """Merged teams are one."""
    return int(entry.merged_into_id or entry.pk)


class Scores(Mapping[str, Score]):
    """Scores by measure as they may be seen, each made when it is asked for.

    A page prints a hundred of a thousand rows, and sorts all of them by one measure.
    """

    __slots__ = ("found", "measures", "rounding")

    def __init__(
        self, measures: Mapping[str, Measure], found: Packed, rounding: Rounding | None
    ) -> None:
        self.measures, self.found, self.rounding = measures, found, rounding

    def __getitem__(self, name: str) -> Score:
        found = self.found.get(name)
        grid = self.rounding(found) if self.rounding else None
        return Score.of(self.measures[name], found, grid)

    def shown(self, name: str) -> Score | Shown:
        """Its numbers, where nothing else of it is wanted: in a third of the time."""
        if self.rounding:
            return self[name]
        if self.measures[name].percent:
            return Shown(*self.found.shown(name, 100), PERCENT)
        return Shown(*self.found.shown(name), PLAIN)

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)


def published(
    field: Field, measures: Sequence[Measure], shown: Disclosure
) -> list[Scores]:
    """The scores of each system of the field, rounded as the disclosure says."""
    known = {measure.name: measure for measure in measures}
    rounding = _rounding(field, shown)
    return [Scores(known, found, rounding) for found in measured(field, measures)]


def _rounding(field: Field, shown: Disclosure) -> Rounding | None:
    """None for exact scores."""
    if shown.publication == Publication.GRID:
        grid = grid_of(field.phase, field.test_sets, field.split, shown.step)
        return lambda found: grid
    if shown.publication == Publication.LADDER:
        largest = largest_error(field.phase, field.test_sets, field.split)
        steps = _steps(shown)
        return lambda found: eta((found or {}).get("stddev"), steps, largest)
    return None


def _steps(shown: Disclosure) -> float:
    return STEPS if shown.step is None else shown.step


def eta(error: float | None, steps: float, largest: float) -> Grid:
    """The step of the ladder for a score with that standard error.

    It is never below `largest`, the largest standard error of a share: that of a score
    near 0 or 1 is small, and a handful of right answers would clear the bar.
    """
    least = max(steps, 1.0) * largest
    return Grid.at_least(max(steps * (error or 0.0), least, 0.01 * POINT))


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
    return share_error([split.size(n) if split else n for n in sizes])


def share_error(units: Sequence[int]) -> float:
    """The same from the number of units of each test set: 0.5 / sqrt(n) of one."""
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
    return Resolution(eta(error, steps, most).size / POINT, bool(errors))


def released(
    field: Field, shown: Disclosure, climbers: Sequence[object] = ()
) -> frozenset[int]:
    """Evaluations whose scores were published when they came; `everything` is all.

    The field holds the history of whole teams in order of receipt, over all test
    sets. Baselines are always published. `climbers` say who sent each, where the
    evaluations are not those of `history`.
    """
    if shown.everything or not field.evaluations:
        return frozenset(e.pk for e in field.evaluations)
    return answer(_Asked(field, shown, climbers), _released, _allowed)


class _Asked(Kept):
    """A question about releases, with all that its answer depends on."""

    def __init__(
        self, field: Field, shown: Disclosure, climbers: Sequence[object]
    ) -> None:
        self.shown = shown
        self.climbers = tuple(climbers) or tuple(map(_climber, field.evaluations))
        pks = tuple(e.pk for e in field.evaluations)
        phase = field.phase
        super().__init__(
            field,
            (phase.task.headline_measure,),
            (
                pks,
                self.climbers,
                shown.publication,
                shown.step,
                phase.gold_revision_id,
            ),
        )


def _climber(evaluation: Any) -> object:
    sent = evaluation.submission
    return climber(sent.pk, sent.baseline, sent.participation)


def climber(submission: UUID, baseline: bool, entry: Entrant) -> object:
    """A baseline competes with nobody."""
    return str(submission) if baseline else team_of(entry)


def _allowed(asked: _Asked) -> frozenset[int]:
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
    largest = largest_error(field.phase, field.test_sets, field.split)
    found = []
    for row, resampled in zip(
        measured(field, [measure]), sample.resampled, strict=True
    ):
        numbers = row.get(measure.name, {})
        step = eta(numbers.get("stddev"), _steps(shown), largest).size
        found.append(Candidate(numbers.get("value"), step, resampled))
    return found
