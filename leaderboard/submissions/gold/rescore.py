"""Gold revisions being prepared: who is scored under them, and how that ends.

A revision that is being prepared gets one background evaluation for each submission
that counts, made in batches; whoever dies in between, the next sweep goes on. What is
sent meanwhile is scored under both. The lock of the phases (`tasks/access.py`) keeps
acceptance, preparation and the switch of a task apart: nobody is accepted under a
revision that has just gone.
"""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.submissions.dispatch import background_evaluation, create_evaluations
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
    SubmissionQuerySet,
    counted_at,
)
from leaderboard.tasks.access import lock_phases, lock_task
from leaderboard.tasks.models import GoldRevision, Phase, Task
from leaderboard.teams.refusal import Refusal
from leaderboard.web.locks import lock_rows

BATCH = 500
BATCHES_AT_ONCE = 4
# Sweeps look at teams whose status changed as lately as this; they run every seconds.
RETURNED_WITHIN = timedelta(hours=1)


def another() -> Refusal:
    message = _("Another revision is being prepared; make it live or discard it first.")
    return Refusal(message)


def to_score(task: Task) -> QuerySet[Submission]:
    """Submissions of all phases that may stand on a board, baselines among them, and
    those that left it but stay the ones to beat, so that nothing withheld comes out."""
    scored = Evaluation.objects.filter(
        submission=OuterRef("pk"),
        gold_revision=OuterRef("phase__gold_revision"),
        state=EvaluationState.SCORED,
    )
    to_beat = Q(phase__policy=Phase.Policy.BEST, late=False) & Exists(scored)
    of_task = Submission.objects.filter(phase__task=task)
    return of_task.filter(counted_at("") | to_beat)


def missing(revision: GoldRevision) -> QuerySet[Submission]:
    """Submissions without an evaluation under the revision so far."""
    same = Evaluation.objects.filter(
        submission=OuterRef("pk"), gold_revision=revision.pk
    )
    return to_score(revision.task).filter(~Exists(same))


def catch_up(revision: GoldRevision) -> int:
    """Make evaluations that are missing, a few batches; how many were made.

    Repeating it, also at the same time, makes none twice.
    """
    made = 0
    for _batch in range(BATCHES_AT_ONCE):
        with transaction.atomic():
            made += (rescored := _one_batch(revision))
        if rescored < BATCH:
            break
    return made


def _one_batch(revision: GoldRevision) -> int:
    lock_phases(revision.task_id)
    if not GoldRevision.objects.filter(pk=revision.pk, preparing=True).exists():
        return 0
    some = missing(revision).order_by("received_at").values_list("pk", flat=True)
    evaluations = [background_evaluation(pk, revision) for pk in some[:BATCH]]
    create_evaluations(
        evaluations, f"gold revision {revision.number} is being prepared", None
    )
    return len(evaluations)


def score_returned(submissions: SubmissionQuerySet) -> int:
    """Queue what counts again but was away when the gold changed; how many."""
    same = Evaluation.objects.filter(
        submission=OuterRef("pk"), gold_revision=OuterRef("phase__gold_revision")
    )
    owed = submissions.counted().filter(~Exists(same)).select_related("phase")
    if not owed.exists():
        return 0
    with transaction.atomic():
        # Not joined: every submission of the phase would be held with it.
        held = submissions.order_by().values("phase")
        list(lock_rows(Phase.objects.filter(pk__in=held)))
        made = [
            background_evaluation(submission.pk, submission.phase.gold_revision)
            for submission in owed.all()
        ]
        create_evaluations(made, "counts again", None)
    return len(made)


def upkeep() -> None:
    """Part of each sweep: go on with what a process that died left half done."""
    for revision in GoldRevision.objects.filter(preparing=True).select_related("task"):
        if missing(revision).exists():
            catch_up(revision)
    lately = timezone.now() - RETURNED_WITHIN
    back = Submission.objects.filter(participation__status_at__gte=lately)
    score_returned(back)
    _cancel_discarded()


def prepare_again(revision: GoldRevision) -> None:
    """Begin the way back to an older revision.

    Only what was sent since, and so was never scored under it, is scored. Raises
    Refusal for a draft, the live one, or while another is being prepared.
    """
    was_live = GoldRevision.objects.filter(pk=revision.pk, live_at__isnull=False)
    try:
        with transaction.atomic():
            lock_task(revision.task_id)
            lock_phases(revision.task_id)
            if revision == revision.task.gold_revisions.live():
                raise Refusal(_("Boards show this revision already."))
            if not was_live.filter(preparing=False).update(preparing=True):
                raise Refusal(_("Only a revision that was live can come back."))
    except IntegrityError:
        raise another() from None
    catch_up(revision)


def discard(revision: GoldRevision) -> None:
    """Give up what is being prepared; what waits of a draft is cancelled.

    An older revision keeps its evaluations: it may be wanted back once more. Raises
    Refusal when it is not being prepared (any more).
    """
    with transaction.atomic():
        lock_task(revision.task_id)
        lock_phases(revision.task_id)
        preparing = GoldRevision.objects.filter(pk=revision.pk, preparing=True)
        draft = preparing.filter(live_at__isnull=True)
        if draft.update(preparing=False, discarded_at=Now()):
            return _cancel_discarded()
        if not preparing.update(preparing=False):
            raise Refusal(_("This revision is not being prepared."))
    return None


def _cancel_discarded() -> None:
    """Also those that a worker gave back after the draft was discarded."""
    waiting = Evaluation.objects.filter(
        state=EvaluationState.QUEUED, gold_revision__discarded_at__isnull=False
    )
    if waiting.exists():
        why = "the gold revision was discarded"
        waiting.advance(
            EvaluationState.QUEUED, EvaluationState.CANCELLED, why, finished_at=Now()
        )
