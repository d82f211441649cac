"""Invariants of the database at every moment, whatever was killed before.

Numbers are those of docs/evidence/reliability.md, "Invariants".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from django.conf import settings

from leaderboard.boards import rows
from leaderboard.submissions.leases import RESTORED
from leaderboard.submissions.models import (
    FINAL,
    MOVES,
    Evaluation,
    EvaluationState,
    Event,
    QuotaCounter,
    QuotaEntry,
    QuotaKind,
    StoredCounts,
    Submission,
)
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Phase

Moves = dict[int, list[Event]]


def violations(acknowledged: Iterable[str] = ()) -> list[str]:
    """Every broken invariant in words; empty when all hold."""
    moves: Moves = defaultdict(list)
    for event in Event.objects.order_by("pk"):
        moves[event.evaluation_id].append(event)
    sent = list(Submission.objects.prefetch_related("files", "evaluations"))
    evaluations = [one for submission in sent for one in submission.evaluations.all()]
    return [
        *lost(acknowledged, sent),
        *doubled(sent, evaluations),
        *miscounted(),
        *wrongly_moved(evaluations, moves),
        *wrongly_finished(evaluations, moves),
        *undetermined(evaluations),
        *wrongly_ranked(),
    ]


def lost(acknowledged: Iterable[str], sent: Sequence[Submission]) -> Iterator[str]:
    """1: what a client saw accepted is there, its files unharmed."""
    known = {str(submission.pk) for submission in sent}
    for pk in acknowledged:
        if str(pk) not in known:
            yield f"1: {pk} was acknowledged and is gone"
    for submission in sent:
        for file in submission.files.all():
            try:
                blobs.read(file.sha256)
            except (blobs.DamagedBlob, FileNotFoundError):
                yield f"1: a file of {submission.pk} is damaged or gone"
        if not submission.late and not submission.evaluations.all():
            yield f"1: {submission.pk} has no evaluation"


def doubled(
    sent: Sequence[Submission], evaluations: Sequence[Evaluation]
) -> Iterator[str]:
    """3: one evaluation per submission, revision, engine and version of its tables of
    judgements; one key, one row."""
    rows = [
        (one.submission_id, one.gold_revision_id, one.engine, one.table_version)
        for one in evaluations
    ]
    keys = [(one.phase_id, one.participation_id, one.key) for one in sent]
    for found in (rows, keys):
        for key, times in Counter(found).items():
            if times > 1:
                yield f"3: {key} is there {times} times"


def miscounted() -> Iterator[str]:
    """4: counters equal their open entries, stay within limits; our fault is free."""
    still_open = Counter(
        QuotaEntry.objects.filter(refunded_at__isnull=True).values_list(
            "counter", flat=True
        )
    )
    for counter in QuotaCounter.objects.select_related("phase").exclude(
        kind__in=QuotaCounter.WITHOUT_ENTRIES
    ):
        limit = counter.phase.daily_limit
        if counter.used != still_open[counter.pk]:
            yield f"4: {counter} has {still_open[counter.pk]} open entries"
        if counter.kind == QuotaKind.SCORED and limit and counter.used > limit:
            yield f"4: {counter} is over the limit of {limit}"
    charged = QuotaEntry.objects.filter(
        refunded_at__isnull=True,
        counter__kind=QuotaKind.SCORED,
        submission__evaluations__state=EvaluationState.FAILED_SYSTEM,
        submission__evaluations__background=False,  # scoring anew charges nothing
    )
    for entry in charged.prefetch_related("submission__evaluations"):
        if not any(map(_attempt_is_kept, entry.submission.evaluations.all())):
            yield f"4: {entry.submission_id} failed by our fault and was charged"


def _attempt_is_kept(evaluation: Evaluation) -> bool:
    """Whether its team reads that the day's bound of attempts given back is reached."""
    return any(
        problem["code"] == Evaluation.ATTEMPT_KEPT for problem in evaluation.problems
    )


def wrongly_moved(evaluations: Sequence[Evaluation], moves: Moves) -> Iterator[str]:
    """5, 13: declared moves only, a final state left by a person only; logs replay."""
    for evaluation in evaluations:
        events = moves[evaluation.pk]
        states = ["", *(event.new for event in events)]
        if [event.old for event in events] != states[:-1]:
            yield f"13: the events of {evaluation.pk} do not follow each other"
        if states[-1] != evaluation.state:
            yield f"13: {evaluation.pk} is {evaluation.state}, replayed {states[-1]}"
        for event in events[1:]:
            if event.new not in MOVES.get(EvaluationState(event.old), ()):
                yield f"5: {evaluation.pk} moved from {event.old} to {event.new}"
            if event.old in FINAL and event.actor_id is None:
                yield f"5: {evaluation.pk} left {event.old} by itself"


def wrongly_finished(evaluations: Sequence[Evaluation], moves: Moves) -> Iterator[str]:
    """10: attempts are capped and counted, results are written once and whole."""
    with_counts = set(StoredCounts.objects.values_list("evaluation", flat=True))
    for evaluation in evaluations:
        events = moves[evaluation.pk]
        retries = sum(event.old == EvaluationState.FAILED_SYSTEM for event in events)
        ends = sum(event.new in FINAL for event in events)
        begun = sum(event.new == EvaluationState.RUNNING for event in events)
        starts = begun - sum(event.why == RESTORED for event in events)
        if evaluation.attempt > settings.MOST_ATTEMPTS:
            yield f"10: {evaluation.pk} had {evaluation.attempt} attempts"
        if starts > settings.MOST_ATTEMPTS * (retries + 1):
            yield f"10: {evaluation.pk} was started {starts} times"
        if ends != retries + (evaluation.state in FINAL):
            yield f"10: {evaluation.pk} ended {ends} times"
        scored = evaluation.state == EvaluationState.SCORED
        stored = evaluation.pk in with_counts
        if scored != stored or scored != (evaluation.results is not None):
            yield f"10: {evaluation.pk} is {evaluation.state} with half a result"


def undetermined(evaluations: Sequence[Evaluation]) -> Iterator[str]:
    """11: the result depends on files, judgements of them, gold and engine only."""
    results: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for evaluation in evaluations:
        if evaluation.state != EvaluationState.SCORED:
            continue
        files = evaluation.submission.files.all()
        sent = frozenset((file.test_set_id, file.sha256) for file in files)
        tables = evaluation.tables.values_list("test_set", "run", "sha256")
        judged = frozenset(tables)
        key = (sent, judged, evaluation.gold_revision_id, evaluation.engine)
        results[key].add(evaluation.result_sha256)
    for key, found in results.items():
        if len(found) > 1:
            yield f"11: {key} has {len(found)} results"


def held_up(processes: int) -> Iterator[str]:
    """17: light work waits for one heavy job at most in each process that takes both.

    Counted are heavy jobs that ended while it waited. Only where all have ended, and of
    each team no more waited than may be under way at a time.
    """
    moves = Event.objects.order_by("pk").values_list(
        "pk", "evaluation", "new", "evaluation__heavy"
    )
    accepted: dict[int, int] = {}
    begun: dict[int, int] = {}
    ends = []
    for pk, evaluation, new, heavy in moves:
        if heavy and new in FINAL:
            ends.append(pk)
        elif not heavy and new == EvaluationState.QUEUED:
            accepted.setdefault(evaluation, pk)
        elif not heavy and new == EvaluationState.RUNNING:
            begun.setdefault(evaluation, pk)
    for evaluation, since in accepted.items():
        waited = sum(since < end < begun[evaluation] for end in ends)
        if waited > processes:
            yield f"17: light {evaluation} waited for {waited} heavy jobs"


def wrongly_ranked() -> Iterator[str]:
    """6, 7, 16: a board shows scored, counted evaluations of its one revision."""
    for phase in Phase.objects.all():
        shown = [one.pk for one in rows.scored(phase, phase.gold_revision_id)]
        on_board = Evaluation.objects.filter(pk__in=shown)
        for evaluation in on_board.select_related("submission"):
            submission = evaluation.submission
            late = phase.closes and submission.received_at >= phase.closes
            if evaluation.state != EvaluationState.SCORED or submission.withdrawn_at:
                yield f"6: {evaluation.pk} stands on the board"
            if evaluation.gold_revision_id != phase.gold_revision_id:
                yield f"7: {evaluation.pk} is of another revision"
            if late and submission.admitted_by_id is None:
                yield f"16: {submission.pk} came late and stands on the board"
