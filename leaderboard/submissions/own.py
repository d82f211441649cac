"""My submissions: what a team sent to a task, chosen, ordered, with what it gained."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions import improving, notes, picking, withdrawing
from leaderboard.submissions.improving import Standing
from leaderboard.submissions.keeping import TeamNote
from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.submissions.status import RELATED, TEXTS, Status, statuses_of
from leaderboard.tasks import policy
from leaderboard.tasks.models import Participation, Phase, Task

PER_PAGE = 50
ASKED = ("phase", "state", "tag", "text", "sort")
DECIDED = {
    "late": (_("Late"), Q(late=True)),
    "withdrawn": (_("Withdrawn"), Q(withdrawn_at__isnull=False)),
    "disqualified": (_("Disqualified"), Q(disqualified_at__isnull=False)),
    "chosen": (_("Chosen"), Q(picked=True)),
}
STATES = [(state.value, TEXTS[state][0]) for state in State] + [
    (name, title) for name, (title, _which) in DECIDED.items()
]
SCORE = "score"
SORTS = {
    "": (_("newest first"), ("-received_at", "pk")),
    "old": (_("oldest first"), ("received_at", "pk")),
    "system": (_("by name"), ("system", "-received_at")),
    SCORE: (_("best score first"), ("-received_at", "pk")),
}


@dataclass(frozen=True)
class Line:
    """One submission in the list."""

    status: Status
    standing: Standing | None
    moment: datetime

    @property
    def submission(self) -> Submission:
        return self.status.submission

    @property
    def note(self) -> TeamNote | None:
        return getattr(self.submission, "team_note", None)

    @property
    def may_pick(self) -> bool:
        return not picking.why_not(self.submission, self.moment)

    @property
    def may_withdraw(self) -> bool:
        return not withdrawing.why_not(self.submission, self.moment)

    @property
    def receipts(self) -> Sequence[str]:
        """The test sets whose receipt may be taken."""
        if self.status.headline is None or not self.status.shown.receipts:
            return ()
        return [one.name for one in self.status.test_sets]


@dataclass(frozen=True)
class Listing:
    """One page of them; `total` counts all, `found` those that fit what was asked."""

    task: Task
    page: Page
    lines: Sequence[Line]
    total: int
    chosen: Mapping[str, str]
    phases: Sequence[Phase]
    tags: Sequence[str]

    states = STATES
    sorts = tuple((value, title) for value, (title, _order) in SORTS.items())

    @property
    def found(self) -> int:
        return int(self.page.paginator.count)

    @property
    def narrowed(self) -> bool:
        return any(self.chosen[name] for name in ASKED if name != "sort")

    @property
    def compares(self) -> bool:
        """Whether there are two to compare."""
        return sum(line.standing is not None for line in self.lines) > 1


def listing(task: Task, user: Any, asked: QueryDict) -> Listing:
    """One page of what the reader's team sent to the task.

    The number of queries grows with the phases of the task, not with submissions.
    """
    own = Submission.objects.by_person(user).filter(phase__task=task)
    # PostgreSQL takes no NUL, not even to find nothing.
    chosen = {name: asked.get(name, "").replace("\0", "").strip() for name in ASKED}
    phases = list(task.phases.filter(pk__in=own.order_by().values("phase")))
    standings = _standings(task, phases, user)
    keys = _ordered(_filtered(own, chosen), chosen["sort"], standings)
    page = Paginator(keys, PER_PAGE).get_page(asked.get("page"))
    return Listing(
        task=task,
        page=page,
        lines=list(_lines(list(page), user, standings)),
        total=own.count(),
        chosen=chosen,
        phases=phases,
        tags=notes.tags_of(task, user),
    )


def _standings(
    task: Task, phases: Sequence[Phase], user: Any
) -> Mapping[UUID, Standing]:
    entry = Participation.objects.of(user).filter(task=task).first()
    found: dict[UUID, Standing] = {}
    for phase in phases if entry is not None else ():
        phase.task = task
        shown = policy.disclosure(user, phase)
        found.update(improving.standings(phase, entry, shown))
    return found


def _filtered(
    found: QuerySet[Submission], chosen: Mapping[str, str]
) -> QuerySet[Submission]:
    if chosen["phase"]:
        found = found.filter(phase__name=chosen["phase"])
    if chosen["state"] in DECIDED:
        found = found.filter(DECIDED[chosen["state"]][1])
    elif chosen["state"]:
        found = found.annotate(state=_state()).filter(state=chosen["state"])
    if chosen["tag"]:
        found = found.filter(team_note__tags__contains=f" {chosen['tag']} ")
    if words := chosen["text"]:
        found = found.filter(
            Q(system__icontains=words)
            | Q(description__icontains=words)
            | Q(team_note__text__icontains=words)
        )
    return found


def _state() -> Subquery:
    """Of the newest evaluation under the gold revision that the phase shows."""
    shown = Evaluation.objects.filter(
        submission=OuterRef("pk"), gold_revision=OuterRef("phase__gold_revision")
    )
    return Subquery(shown.order_by("-pk").values("state")[:1])


def _ordered(
    found: QuerySet[Submission], sort: str, standings: Mapping[UUID, Standing]
) -> list[UUID]:
    _title, order = SORTS.get(sort, SORTS[""])
    keys = list(found.order_by(*order).values_list("pk", flat=True))
    if sort == SCORE:
        keys.sort(key=lambda pk: _rank(standings.get(pk)))
    return keys


def _rank(standing: Standing | None) -> tuple[bool, float]:
    """Best first; without a score last."""
    value = standing.score.value if standing else None
    if standing is None or value is None:
        return True, 0.0
    return False, -value if standing.score.measure.higher_is_better else value


def _lines(
    keys: Sequence[UUID], user: Any, standings: Mapping[UUID, Standing]
) -> Iterator[Line]:
    related = ("phase__task", "participation__team", "sender", "team_note")
    rows = Submission.objects.filter(pk__in=keys).select_related(*related)
    known = {one.pk: one for one in rows.prefetch_related(*RELATED, "files__test_set")}
    moment = timezone.now()
    for status in statuses_of([known[key] for key in keys], user):
        yield Line(status, standings.get(status.submission.pk), moment)
