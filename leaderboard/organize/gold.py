"""Gold revisions as organizers read about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions import revising, switching
from leaderboard.submissions.models import Evaluation, State
from leaderboard.tasks.models import GoldFile, GoldRevision, Task

LIVE, PREPARING, OLDER, DISCARDED = "live", "preparing", "older", "discarded"
WORDS: dict[str, Promise] = {
    LIVE: _("Live"),
    PREPARING: _("Being prepared"),
    OLDER: _("Was live"),
    DISCARDED: _("Discarded"),
}
REASONS: dict[str, Promise] = {
    State.FAILED_SYSTEM: _("Scoring failed on our side, every attempt."),
    State.TIMEOUT: _("Scoring took longer than the published limit."),
    State.CANCELLED: _("An operator cancelled it."),
    State.INVALID: _("The file does not fit this gold."),
}


@dataclass(frozen=True)
class RevisionState:
    """`name` is one of live, preparing, older, discarded; `first`: never live yet."""

    name: str
    first: bool

    @property
    def words(self) -> str | Promise:
        return WORDS[self.name]

    @property
    def is_live(self) -> bool:
        return self.name == LIVE

    @property
    def is_preparing(self) -> bool:
        return self.name == PREPARING

    @property
    def is_older(self) -> bool:
        return self.name == OLDER

    @property
    def badge(self) -> str:
        return {LIVE: "open", PREPARING: "running", DISCARDED: "late"}.get(
            self.name, ""
        )


@dataclass(frozen=True)
class ListedRevision:
    revision: GoldRevision
    state: RevisionState
    corrected: Sequence[str]


@dataclass(frozen=True)
class Failure:
    """A submission that would leave the board, and why."""

    submission: str
    name: str
    phase: str
    reason: str | Promise
    ours: bool


def live_or_none(task: Task) -> GoldRevision | None:
    try:
        return revising.live_revision(task)
    except revising.CannotRevise:
        return None


def state_of(revision: GoldRevision, live: GoldRevision | None = None) -> RevisionState:
    live = live or live_or_none(revision.task)
    first = revision.live_at is None
    if revision == live:
        return RevisionState(LIVE, first)
    if revision.preparing:
        return RevisionState(PREPARING, first)
    return RevisionState(DISCARDED if first else OLDER, first)


def listed(task: Task) -> list[ListedRevision]:
    """The newest first, in a constant number of queries."""
    live = live_or_none(task)
    found = task.gold_revisions.select_related("created_by").order_by("-number")
    files = GoldFile.objects.filter(revision__task=task).select_related("test_set")
    corrected: dict[int, list[str]] = {}
    for file in files.order_by("test_set__position"):
        if file.changes:
            corrected.setdefault(file.revision_id, []).append(file.test_set.title)
    return [
        ListedRevision(one, state_of(one, live), corrected.get(one.pk, ()))
        for one in found
    ]


def failed(revision: GoldRevision) -> list[Failure]:
    """Each by its name; nothing where the revision is not being prepared."""
    if not revision.preparing:
        return []
    return [_failure(one) for one in switching.failures(revision)]


def _failure(one: Evaluation) -> Failure:
    sent = one.submission
    problem = one.problems[0]["message"] if one.problems else ""
    return Failure(
        submission=str(sent.pk),
        name=f"{sent.participation.team}: {sent.system}",
        phase=sent.phase.title,
        reason=problem or REASONS[one.state],
        ours=one.state == State.FAILED_SYSTEM,
    )


def engines(revision: GoldRevision) -> Sequence[str]:
    """Engine versions behind what is compared; one, unless the program was renewed."""
    shown = revision.task.phases.values("gold_revision")
    both = Evaluation.objects.filter(
        submission__in=revising.to_score(revision.task), state=State.SCORED
    )
    mine = both.filter(gold_revision=revision).values_list("engine", flat=True)
    theirs = both.filter(gold_revision__in=shown).values_list("engine", flat=True)
    return sorted({*mine.distinct().order_by(), *theirs.distinct().order_by()})
