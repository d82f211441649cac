"""How far a prepared gold revision is, and the one step that makes it live."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.submissions.gold.rescore import to_score
from leaderboard.submissions.models import (
    FINAL,
    Evaluation,
    EvaluationState,
    counted_at,
)
from leaderboard.tasks.access import lock_phases, lock_task
from leaderboard.tasks.models import GoldRevision, Notice, Phase
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.languages import in_english

LOOKED_AT = 50  # of the evaluations that ended last, to tell how long the rest takes
LONGEST_NOTICE = 2000


@dataclass(frozen=True)
class RescoreProgress:
    """`ended` of `total` submissions are through; `rest` is None where unknown."""

    total: int
    ended: int
    scored: int
    running: int
    rest: timedelta | None

    @property
    def complete(self) -> bool:
        return self.ended == self.total

    @property
    def waiting(self) -> int:
        return self.total - self.ended - self.running


def progress_of(revision: GoldRevision) -> RescoreProgress:
    """The progress of rescoring, in a constant number of queries."""
    counted = to_score(revision.task)
    mine = _evaluations(revision)
    rows = mine.order_by().values_list("state").annotate(n=Count("pk"))
    states = {EvaluationState(state): n for state, n in rows}
    total = counted.count()
    # Until somebody judges it, what waits for judgements cannot hold up others.
    through = (*FINAL, EvaluationState.AWAITING)
    ended = sum(n for state, n in states.items() if state in through)
    return RescoreProgress(
        total=total,
        ended=min(ended, total),
        scored=states.get(EvaluationState.SCORED, 0),
        running=states.get(EvaluationState.RUNNING, 0),
        rest=_rest(mine, total - ended),
    )


def _evaluations(revision: GoldRevision) -> QuerySet[Evaluation]:
    counted = to_score(revision.task)
    newer = Evaluation.objects.filter(
        submission=OuterRef("submission"),
        gold_revision=revision,
        table_version__gt=OuterRef("table_version"),
    )
    made = Evaluation.objects.filter(gold_revision=revision, submission__in=counted)
    return made.filter(~Exists(newer))


def _rest(mine: QuerySet[Evaluation], left: int) -> timedelta | None:
    """The time that is left, by the pace of those that ended last."""
    ended = mine.filter(finished_at__isnull=False, background=True)
    times = list(
        ended.order_by("-finished_at").values_list("finished_at", flat=True)[:LOOKED_AT]
    )
    if left <= 0 or len(times) < 2:
        return None
    return (
        max(timezone.now() - cast(datetime, times[-1]), timedelta(0))
        / (len(times) - 1)
        * left
    )


def failures(revision: GoldRevision) -> QuerySet[Evaluation]:
    """Evaluations that would leave the board: scored under its gold, not under this.

    A file that could not be scored before either is nobody's loss.
    """
    stands = Evaluation.objects.filter(
        submission=OuterRef("submission"),
        gold_revision=OuterRef("submission__phase__gold_revision"),
        state=EvaluationState.SCORED,
    )
    failed = (
        _evaluations(revision)
        .filter(counted_at("submission__"), state__in=FINAL)
        .exclude(state=EvaluationState.SCORED)
    )
    related = ("submission__participation__team", "submission__phase")
    return failed.filter(Exists(stands)).select_related(*related).order_by("pk")


def make_live(
    revision: GoldRevision,
    by: User,
    public_note: str,
    accepted: Collection[str] = (),
    summary: str = "",
) -> Notice:
    """Switch all phases of the task at once, and say so in public.

    `accepted` are ids of submissions whose failure is accepted, as text; `summary`
    says who moved. Raises Refusal while something is missing or a failure was not
    accepted.
    """
    task = revision.task
    with transaction.atomic():
        lock_task(task.pk)
        phases = lock_phases(task.pk)
        revision = GoldRevision.objects.get(pk=revision.pk)
        _require_ready(revision, accepted)
        replaced = {phase.gold_revision_id for phase in phases}
        for phase in phases:
            phase.gold_revision = revision
            phase.save(update_fields=["gold_revision"])
        Phase.objects.filter(task=task.pk).touch_boards()
        revision.live_at = timezone.now()
        revision.preparing = False
        revision.public_note = public_note
        revision.save(update_fields=["live_at", "preparing", "public_note"])
        head = _replacement(revision, replaced)
        text = "\n\n".join(part for part in (head, public_note, summary) if part)
        return Notice.objects.create(
            task=task,
            kind=Notice.Kind.GOLD,
            text=text[:LONGEST_NOTICE],
            at=revision.live_at,
            by=by,
        )


def _require_ready(revision: GoldRevision, accepted: Collection[str]) -> None:
    if not revision.preparing:
        raise Refusal(_("This revision is not being prepared."))
    progress = progress_of(revision)
    if not progress.complete:
        left = progress.total - progress.ended
        message = _("%(left)d submissions are not scored under this revision yet.")
        raise Refusal(message % {"left": left})
    names = [
        str(failure.submission)
        for failure in failures(revision)
        if str(failure.submission_id) not in accepted
    ]
    if names:
        message = _("These would leave the board; confirm each of them: %(names)s")
        raise Refusal(message % {"names": ", ".join(names)})


def _replacement(revision: GoldRevision, replaced: set[int]) -> str:
    """The first sentence of the notice, with the numbers of the revisions."""
    old = GoldRevision.objects.filter(pk__in=replaced).order_by("number")
    numbers = ", ".join(str(number) for number in old.values_list("number", flat=True))
    with in_english():
        sentence = _("Version %(new)d of the answer key replaces version %(old)s.")
        return sentence % {"new": revision.number, "old": numbers}
