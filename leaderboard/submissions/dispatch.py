"""Dispatch of evaluations: made with a submission, weighed, and hinted to the queue.

Order is decided in the database alone: fair between teams, and the heavy in a queue of
their own. The queue only gets hints, up to a window.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import (
    BigAutoField,
    BooleanField,
    Count,
    DurationField,
    F,
    Q,
    QuerySet,
    Sum,
    Window,
)
from django.db.models.functions import Now, RowNumber

from leaderboard.celery import HEAVY, LIGHT, app
from leaderboard.submissions import outside_counts
from leaderboard.submissions.broker import UNREACHABLE, broker
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationQuerySet,
    EvaluationState,
    Event,
    Submission,
    SubmittedFile,
)
from leaderboard.tasks.models import GoldFile, GoldRevision, Phase
from leaderboard.teams.models import User
from leaderboard.web.statements import Statement, statement
from scoring import VERSION
from scoring.scorers import all_scorers

log = logging.getLogger(__name__)
LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
# Teams that were not served for so long, or not among so many, are all alike.
OF_LATE, LATEST = timedelta(minutes=10), 200
ENTRY = "submission__participation"
SCORER = "submission__phase__task__scorer_name"
SENDS_CODE = "phase__sends_code"
# Seconds for a megabyte, measured with the scorers' benchmarks; the rest reads columns.
COLUMNS = 0.03
COSTS = {"unl-graph": 0.8, "unl-text": 0.2}
PROGRAM_SECONDS = 2.0  # a task's program, of which nobody knows more
DRAWN = 1e-8  # seconds for one unit in one resample


def enqueue(
    submission: Submission, why: str = "accepted", actor: User | None = None
) -> Evaluation:
    """Evaluations under what boards show, which is returned, and what is prepared.

    Inside the transaction that accepts, with the submission's phase as it was read
    under the lock of phases: no switch comes between. The queue is told after the
    commit.
    """
    (shown,) = enqueue_all([submission], why, actor)
    return shown


def enqueue_all(
    submissions: Sequence[Submission],
    why: str = "accepted",
    actor: User | None = None,
    sizes: Mapping[UUID, int] | None = None,
    units: Mapping[tuple[int, int], int] | None = None,
) -> list[Evaluation]:
    """The same of several submissions to one phase; `sizes` are those of their files,
    where they are known, and `units` those of the only revision, where no other is
    prepared.

    What was brought along from another site is background work: it comes by hundreds,
    and each of its teams would have a turn.
    """
    if not submissions:
        return []
    phase = submissions[0].phase
    shown = [
        Evaluation(
            submission=submission,
            gold_revision_id=phase.gold_revision_id,
            engine=VERSION,
            background=submission.brought_at is not None,
        )
        for submission in submissions
    ]
    later: list[Evaluation] = []
    if units is None:
        revisions = _revisions(phase)
        units = {(r.pk, phase.pk): vars(r)["units"] or 0 for r in revisions}
        later = [
            background_evaluation(submission.pk, revision)
            for revision in revisions
            if revision.pk != phase.gold_revision_id
            for submission in submissions
        ]
    if sizes is None:
        files = SubmittedFile.objects.filter(submission__in=submissions)
        sizes = dict(files.values_list("submission").annotate(Sum("size")).order_by())
    task = phase.task
    asked = phase.pk, task.scorer_name, task.resamples, task.judgements
    known = {
        submission.pk: (sizes.get(submission.pk, 0), *asked, phase.hides_input)
        for submission in submissions
    }
    both = [*shown, *later]
    _save(both, _is_heavy_by_key(both, known, units), why, actor)
    hint_after_commit(*set(map(attrgetter("heavy"), shown)))
    return shown


def _revisions(phase: Phase) -> list[GoldRevision]:
    """The revision that a phase shows and those that are prepared, with the `units` of
    the phase in each."""
    names = {"task": phase.task_id, "phase": phase.pk}
    return _revisions_of(revision=phase.gold_revision_id, **names)


@statement(task=BigAutoField(), phase=BigAutoField(), revision=BigAutoField())
def _revisions_of(task: int, phase: int, revision: int) -> QuerySet[GoldRevision]:
    wanted = Q(task=task, preparing=True) | Q(pk=revision)
    units = Sum("files__units", filter=Q(files__test_set__phases=phase))
    return GoldRevision.objects.filter(wanted).annotate(units=units)


def background_evaluation(submission: UUID, revision: GoldRevision) -> Evaluation:
    """Not saved yet: for a revision that is being prepared, or shown already."""
    return Evaluation(
        submission_id=submission,
        gold_revision=revision,
        engine=VERSION,
        background=True,
    )


def create_evaluations(
    evaluations: Sequence[Evaluation], why: str, actor: User | None = None
) -> None:
    """Save them in the queue they belong to, with the event that says why.

    What nobody but somebody outside counts waits for that first.
    """
    _save(evaluations, weigh(evaluations), why, actor)


def _save(
    evaluations: Sequence[Evaluation],
    outside: Mapping[UUID, bool],
    why: str,
    actor: User | None,
) -> None:
    if any(outside.values()):
        lacking = outside_counts.lacking([pk for pk in outside if outside[pk]])
        for evaluation in evaluations:
            if evaluation.submission_id in lacking:
                evaluation.state = EvaluationState.AWAITING
    created = Evaluation.objects.bulk_create(evaluations)
    Event.objects.bulk_create(
        Event(evaluation=evaluation, new=evaluation.state, why=why, actor=actor)
        for evaluation in created
    )
    if outside:
        outside_counts.attach(created, outside)


def guess(scorer: str, size: int, draws: int, runs_code: bool = False) -> float:
    """Seconds; `size` in bytes, `draws` are units times resamples."""
    begins = PROGRAM_SECONDS if runs_code or _runs_program(scorer) else 0.0
    return begins + COSTS.get(scorer, COLUMNS) * size / 1_000_000 + DRAWN * draws


def _runs_program(scorer: str) -> bool:
    declared = all_scorers().get(scorer)
    return declared is not None and declared.runs_program


def most_of_team(scorer: str, runs_code: bool = False) -> int:
    """How many evaluations of a team by this scorer may be under way at a time."""
    alone = runs_code or _runs_program(scorer)
    return 1 if alone else settings.MOST_PER_TEAM


def weigh(evaluations: Sequence[Evaluation]) -> dict[UUID, bool]:
    """Set `heavy` of rows that are not saved yet, all by two questions.

    Returns the submissions of which values are counted outside, and whether nobody
    else counts them.
    """
    sent = Submission.objects.filter(pk__in={e.submission_id for e in evaluations})
    rows = sent.annotate(size=Sum("files__size")).values_list(
        "pk",
        "size",
        "phase",
        "phase__task__scorer_name",
        "phase__task__resamples",
        "phase__task__judgements",
        SENDS_CODE,
    )
    known = {pk: rest for pk, *rest in rows}
    units = _units({e.gold_revision_id for e in evaluations})
    return _is_heavy_by_key(evaluations, known, units)


def _is_heavy_by_key(
    evaluations: Iterable[Evaluation],
    known: Mapping[UUID, Sequence[Any]],
    units: Mapping[tuple[int, int], int],
) -> dict[UUID, bool]:
    outside = {}
    for evaluation in evaluations:
        size, phase, scorer, *rest = known[evaluation.submission_id]
        resamples, lines, runs_code = rest
        declared = all_scorers().get(scorer)
        alone = declared is not None and declared.counted_elsewhere
        if alone or lines:
            outside[evaluation.submission_id] = alone
        draws = units[evaluation.gold_revision_id, phase] * resamples
        seconds = guess(scorer, size or 0, draws, runs_code)
        evaluation.heavy = seconds > settings.HEAVY_SECONDS
    return outside


def _units(revisions: set[int]) -> dict[tuple[int, int], int]:
    """How many are drawn from, by revision and phase."""
    units_of: dict[tuple[int, int], int] = defaultdict(int)
    gold = GoldFile.objects.filter(revision__in=revisions)
    rows = gold.values_list("revision", "test_set__phases").annotate(Sum("units"))
    for revision, phase, units in rows:
        units_of[revision, phase] = units
    return units_of


def queue_of(heavy: bool) -> str:
    return HEAVY if heavy else LIGHT


# The order


def fresh_hint(age: timedelta) -> Q:
    """Hints of that age at most, which the queue may still hold."""
    return Q(state=EvaluationState.QUEUED, published_at__gte=Now() - age)


def outstanding(*of: bool) -> int:
    """How many hints the queues may still hold, or those of the heavy or the light."""
    age = timedelta(seconds=settings.HINT_SECONDS)
    return sum(sum(_hints(heavy=heavy, age=age)) for heavy in of or (False, True))


@statement(heavy=BooleanField(), age=DurationField())
def _hints(heavy: bool, age: timedelta) -> QuerySet:
    fresh = Evaluation.objects.filter(fresh_hint(age), heavy=heavy).values("state")
    return fresh.annotate(number=Count("pk")).values_list("number", flat=True)


def in_turn(
    waiting: EvaluationQuerySet,
    most: int,
    count_hints: bool = True,
    heavy: bool | None = None,
) -> list[int]:
    """Ids of at most `most` of the waiting evaluations, in the order to start them.

    What was just sent goes before background work, of which only so much may be under
    way: that delays a new submission by what is running already, and by no more. The
    light and the heavy are lines of their own, that do not count what is under way in
    the other; without `heavy` they are one.
    """
    if most <= 0:
        return []
    if heavy is not None:
        waiting = waiting.filter(heavy=heavy)
    line = Turns(count_hints, heavy)
    ordered = line.fresh(waiting)[:most]
    if room := most - len(ordered):
        later = waiting.filter(background=True).order_by("pk")
        if keys := list(later.values_list("pk", flat=True)[:room]):
            ordered += keys[: max(0, line.background_room())]
    return ordered


def instead_of(evaluation_id: int) -> int:
    """The evaluation to run when the queue says to run this one.

    A hint for background work gives way to what was sent after it was told.
    """
    hinted = _weights_of_hints(pk=evaluation_id)
    if not hinted:
        return evaluation_id
    heavy = hinted[0]
    ready = Evaluation.objects.ready().filter(heavy=heavy)
    first = Turns(count_hints=False, heavy=heavy).fresh(ready)[:1]
    if not first:
        return evaluation_id
    Evaluation.objects.filter(pk=evaluation_id).update(published_at=None)
    return first[0]


@statement(pk=BigAutoField())
def _weights_of_hints(pk: int) -> QuerySet:
    """Whether the evaluation is heavy; nothing unless it waits in the background."""
    hinted = Evaluation.objects.ready().filter(pk=pk, background=True)
    return hinted.values_list("heavy", flat=True)


def line(heavy: bool) -> list[int]:
    """Keys of what waits in a queue in the order in which it begins, as turns stand
    now; without background work, and what pauses after a failure."""
    ready = Evaluation.objects.ready().filter(heavy=heavy)
    return Turns(count_hints=False, heavy=heavy).ordered(ready, most=None)


def next_light() -> list[int]:
    """Keys of light work that waits, as many of each team as may be under way."""
    ready = Evaluation.objects.ready().filter(heavy=False)
    return Turns(count_hints=False, heavy=False).fresh(ready)


def _of(heavy: bool | None) -> EvaluationQuerySet:
    every = Evaluation.objects.all()
    return every if heavy is None else every.filter(heavy=heavy)


@dataclass(frozen=True)
class Turns:
    """The order in which evaluations of a queue, or of all (`heavy` is None), begin.

    Hints in the queue count as under way, but not for a worker without a queue, to
    which they mean nothing.
    """

    count_hints: bool
    heavy: bool | None

    def background_room(self) -> int:
        busy = Q(state=EvaluationState.RUNNING)
        if self.count_hints:
            busy |= fresh_hint(timedelta(seconds=settings.HINT_SECONDS))
        under_way = _of(self.heavy).filter(busy, background=True).count()
        return settings.MOST_BACKGROUND - under_way

    def fresh(self, waiting: EvaluationQuerySet) -> list[int]:
        return self.ordered(waiting, settings.MOST_PER_TEAM)

    def ordered(self, waiting: EvaluationQuerySet, most: int | None) -> list[int]:
        """Keys of waiting evaluations, in fair turns.

        Turns go round: who has least under way comes first, among those who was
        served longest ago. A team with `most` under way has no turn, so that two
        hundred submissions of one team delay another team's single one by no more
        than two; nor has one with a run of a program under way, which may take
        minutes.
        """
        placed = waiting.filter(background=False).annotate(
            place=Window(
                RowNumber(),
                partition_by=F(ENTRY),
                order_by=[F("created_at").asc(), F("pk").asc()],
            )
        )
        if most is not None:
            placed = placed.filter(place__lte=most)
        kind = (SCORER, f"submission__{SENDS_CODE}")
        first = placed.order_by("created_at", "pk")
        rows = list(first.values_list("pk", ENTRY, "place", *kind))
        if not rows:
            return []
        busy = self._busy_by_team()
        # Of one team alone the order follows from what it sent.
        several = len({team for _, team, *_ in rows}) > 1
        served = self._served_by_team() if several else {}
        ordered = []
        for pk, team, place, *about in rows:
            turn = busy.get(team, 0) + place
            if most is None or turn <= min(most, most_of_team(*about)):
                ordered.append((turn, served.get(team, LONG_AGO), pk))
        # The rows came in the order of their time, in which sorting leaves equals.
        return [pk for *_, pk in sorted(ordered, key=itemgetter(0, 1))]

    def _busy_by_team(self) -> dict[int, int]:
        """How much each has under way."""
        age = timedelta(seconds=settings.HINT_SECONDS)
        return dict(_busy_by_team(self)(age=age))

    def _served_by_team(self) -> dict[int, datetime]:
        """The time at which each of the teams served of late was served last.

        A turn reads no more on a site that served thousands in these minutes.
        """
        return dict(reversed(_served_of_late(self.heavy, LATEST)()))


@cache
def _busy_by_team(turns: Turns) -> Statement:
    """Teams and how much each has under way."""

    def busy(age: timedelta) -> QuerySet:
        busy = Q(state=EvaluationState.RUNNING)
        if turns.count_hints:
            busy |= fresh_hint(age)
        under_way = _of(turns.heavy).filter(busy, background=False).values(ENTRY)
        return under_way.annotate(busy=Count("pk")).values_list(ENTRY, "busy")

    return Statement(busy, {"age": DurationField()})


@cache
def _served_of_late(heavy: bool | None, most: int) -> Statement:
    """Teams and when they were served, so many of the last, who come first."""

    def teams() -> QuerySet:
        of_late = _of(heavy).filter(background=False, state_since__gte=Now() - OF_LATE)
        rows = of_late.exclude(state=EvaluationState.QUEUED).order_by("-state_since")
        return rows.values_list(ENTRY, "state_since")[:most]

    return Statement(teams, {})


# Hints to the queue


def hint_after_commit(*of: bool) -> None:
    """Hint what waits, as `hint_waiting` does, once the transaction is committed."""
    # Robust: what is committed is accepted, whatever becomes of the hint.
    # Not `partial`: where it fails Django logs the name of the function.
    transaction.on_commit(lambda: hint_waiting(*of), robust=True)


def hint_waiting(*of: bool, least_room: int = 1) -> int:
    """Hint what waits, in fair turns, up to the window; how many were hinted.
    Of the heavy alone (True) or the light (False), where it is named; nothing where
    the window has not as much room.

    The backlog stays in rows, so that no queue is ever long, order is decided by the
    database, and losing the queues costs seconds. Each has a window of its own: what is
    heavy fills only that of the heavy.
    """
    age = timedelta(seconds=settings.HINT_SECONDS)
    # Mostly nothing waits, and one look says so.
    some = [heavy for heavy in of or (False, True) if _waits(heavy=heavy, age=age)]
    room = {heavy: settings.HINT_WINDOW - outstanding(heavy) for heavy in some}
    open_to = [heavy for heavy in some if room[heavy] >= least_room]
    if not open_to or not broker.answers():
        return 0
    hinted = 0
    for heavy in open_to:
        most = min(room[heavy], broker.room(queue_of(heavy)))
        for pk in in_turn(_without_message(), most, heavy=heavy):
            if not hint(pk, heavy):
                return hinted
            hinted += 1
    return hinted


def hint_next() -> int:
    """Fill the windows again, by whoever has scored, once half of one was taken: turns
    are asked for several hints at a time, and the queue does not run dry."""
    return hint_waiting(least_room=max(1, settings.HINT_WINDOW // 2))


def hint(evaluation_id: int, heavy: bool = False) -> bool:
    """Tell the queue; False when it cannot be reached, which loses nothing."""
    if not _without_message().filter(pk=evaluation_id).update(published_at=Now()):
        return True  # somebody else just told it
    try:
        app.send_task(
            "submissions.score", (evaluation_id,), retry=False, queue=queue_of(heavy)
        )
    except UNREACHABLE as error:
        log.warning("queue not reached: %s", error)
        broker.rest()
        Evaluation.objects.filter(pk=evaluation_id).update(published_at=None)
        return False
    return True


@statement(heavy=BooleanField(), age=DurationField())
def _waits(heavy: bool, age: timedelta) -> QuerySet:
    rows = Evaluation.objects.unhinted(age).filter(heavy=heavy)
    return rows.order_by().values_list("pk", flat=True)[:1]


def _without_message() -> EvaluationQuerySet:
    return Evaluation.objects.unhinted(timedelta(seconds=settings.HINT_SECONDS))
