"""My submissions: a team's list of what it sent to a task."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import (
    Exists,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    prefetch_related_objects,
)
from django.forms import CharField, SearchInput, Select
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy

from leaderboard.results import score_progress
from leaderboard.results.score_progress import Headline
from leaderboard.results.status import (
    DISQUALIFIED,
    TEXTS,
    WITHDRAWN,
    SubmissionStatus,
    statuses_of,
)
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
    TeamNote,
)
from leaderboard.submissions.team_actions import why_not_pick, why_not_withdraw
from leaderboard.tasks import policy
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.web.filters import ALL, ListFilters

PER_PAGE = 50
DECIDED = {
    "late": (gettext_lazy("Late"), Q(late=True)),
    "withdrawn": (WITHDRAWN.title, Q(withdrawn_at__isnull=False)),
    "disqualified": (DISQUALIFIED.title, Q(disqualified_at__isnull=False)),
    "chosen": (gettext_lazy("Chosen"), Q(picked=True)),
}
SCORE = "score"
SORTS = {
    "": (gettext_lazy("newest first"), ("-received_at", "pk")),
    "old": (gettext_lazy("oldest first"), ("received_at", "pk")),
    "system": (gettext_lazy("by name"), ("system", "-received_at")),
    SCORE: (gettext_lazy("best score first"), ("-received_at", "pk")),
}
STATES = [(state.value, TEXTS[state][0]) for state in EvaluationState] + [
    (name, title) for name, (title, _which) in DECIDED.items()
]


class SubmissionFilters(ListFilters):
    """The filters that all lists of submissions have; `text` is for each to read."""

    text = CharField(label=gettext_lazy("Text"), max_length=100, widget=SearchInput)
    phase = CharField(label=gettext_lazy("Phase"), widget=Select)
    state = CharField(
        label=gettext_lazy("State"), widget=Select(choices=[ALL, *STATES])
    )

    def offer_phases(self, phases: Iterable[Phase]) -> None:
        self.offer("phase", [(phase.name, phase.title) for phase in phases], least=2)

    def rows(self, submissions: QuerySet[Submission]) -> QuerySet[Submission]:
        """The submissions of the chosen phase and state, each with its `state`."""
        chosen, rows = self.chosen, submissions.annotate(state=_shown_state())
        if chosen["phase"]:
            rows = rows.filter(phase__name=chosen["phase"])
        if chosen["state"] in DECIDED:
            return rows.filter(DECIDED[chosen["state"]][1])
        return rows.filter(state=chosen["state"]) if chosen["state"] else rows


class OwnSubmissionFilters(SubmissionFilters):
    tag = CharField(label=gettext_lazy("Tag"), widget=Select)
    sort = CharField(
        label=gettext_lazy("Order"),
        widget=Select(choices=[(value, title) for value, (title, _) in SORTS.items()]),
    )
    orders = ("sort",)
    descriptions: ClassVar = {
        "text": "words in names, descriptions and notes",
        "phase": "name of a phase",
        "state": "queued, running, scored, invalid, late, withdrawn …",
        "tag": "a tag of the team's notes",
        "sort": "`old`, `system` or `score`; newest first by default",
    }


@dataclass(frozen=True)
class SubmissionLine:
    """One submission in the list."""

    status: SubmissionStatus
    standing: Headline | None
    moment: datetime

    @property
    def submission(self) -> Submission:
        return self.status.submission

    @property
    def note(self) -> TeamNote | None:
        return getattr(self.submission, "team_note", None)

    @property
    def may_pick(self) -> bool:
        return not why_not_pick(self.submission, self.moment)

    @property
    def may_withdraw(self) -> bool:
        return not why_not_withdraw(self.submission, self.moment)

    @property
    def receipts(self) -> Sequence[str]:
        """The test sets whose receipt may be taken."""
        if self.status.headline is None or not self.status.shown.receipts:
            return ()
        return [test_set.name for test_set in self.status.test_sets]


@dataclass(frozen=True)
class Listing:
    """One page of them; `total` counts all, `found` those that fit what was asked."""

    task: Task
    entry: Participation | None
    page: Page
    lines: Sequence[SubmissionLine]
    total: int
    filters: OwnSubmissionFilters

    @property
    def found(self) -> int:
        return int(self.page.paginator.count)

    @property
    def compares(self) -> bool:
        """Whether there are two to compare."""
        return sum(line.standing is not None for line in self.lines) > 1

    @property
    def chooses(self) -> bool:
        """Whether a phase of these lets teams choose the one that counts."""
        rule = Phase.CountingRule.CHOSEN
        return any(line.submission.phase.counts == rule for line in self.lines)


def listing(task: Task, user: Any, asked: QueryDict) -> Listing:
    """One page of what the reader's team sent to the task.

    The number of queries grows with the phases of the task, not with submissions; the
    phases of the task are at hand afterwards.
    """
    # Read once: whatever is asked for below would else find the teams anew.
    entries = list(Participation.objects.of(user).filter(task=task))
    own = Submission.objects.filter(participation__in=entries)
    filters = OwnSubmissionFilters(asked)
    phases = _phases_with(own, task)
    entry = next(iter(entries), None)
    standings = _standings(phases, entry, user) if entry else {}
    keys = _keys_in_order(_filter(own, filters), filters.chosen["sort"], standings)
    page = Paginator(keys, PER_PAGE).get_page(asked.get("page"))
    filters.offer_phases(phases)
    filters.offer("tag", [(tag, tag) for tag in _tags_of(entries)])
    return Listing(
        task=task,
        entry=entry,
        page=page,
        lines=list(_lines(list(page), phases, user, standings)),
        total=own.count(),
        filters=filters,
    )


def _phases_with(own: QuerySet[Submission], task: Task) -> list[Phase]:
    """The phases to which something was sent; all of the task are at hand then."""
    sent = Exists(own.filter(phase=OuterRef("pk")))
    phases = policy.with_neighbours(Phase.objects.annotate(has_own=sent))
    every = Prefetch("phases", phases.prefetch_related("test_sets"))
    prefetch_related_objects([task], every)
    known: Iterable[Any] = task.phases.all()
    return [phase for phase in known if phase.has_own]


def _tags_of(entries: Sequence[Participation]) -> list[str]:
    """Every tag that these teams use."""
    notes = TeamNote.objects.filter(submission__participation__in=entries)
    tagged = notes.exclude(tags="").only("tags")
    return sorted({word for note in tagged for word in note.words})


def _standings(
    phases: Sequence[Phase], entry: Participation, user: Any
) -> Mapping[UUID, Headline]:
    headlines: dict[UUID, Headline] = {}
    for phase in phases:
        disclosure = policy.disclosure(user, phase)
        headlines.update(score_progress.standings(phase, entry, disclosure))
    return headlines


def _filter(
    own: QuerySet[Submission], filters: OwnSubmissionFilters
) -> QuerySet[Submission]:
    submissions, chosen = filters.rows(own), filters.chosen
    if chosen["tag"]:
        submissions = submissions.filter(team_note__tags__contains=f" {chosen['tag']} ")
    if words := chosen["text"]:
        submissions = submissions.filter(
            Q(system__icontains=words)
            | Q(description__icontains=words)
            | Q(team_note__text__icontains=words)
        )
    return submissions


def _shown_state() -> Subquery:
    """State of the newest evaluation under the gold revision that the phase shows."""
    shown = Evaluation.objects.filter(
        submission=OuterRef("pk"), gold_revision=OuterRef("phase__gold_revision")
    )
    return Subquery(shown.order_by("-pk").values("state")[:1])


def _keys_in_order(
    submissions: QuerySet[Submission], sort: str, standings: Mapping[UUID, Headline]
) -> list[UUID]:
    _title, order = SORTS.get(sort, SORTS[""])
    keys = list(submissions.order_by(*order).values_list("pk", flat=True))
    if sort == SCORE:
        keys.sort(key=lambda pk: _rank(standings.get(pk)))
    return keys


def _rank(standing: Headline | None) -> tuple[bool, float]:
    """Best first; without a score last."""
    value = standing.score.value if standing else None
    if standing is None or value is None:
        return True, 0.0
    return False, -value if standing.score.measure.higher_is_better else value


def _lines(
    keys: Sequence[UUID],
    phases: Sequence[Phase],
    user: Any,
    standings: Mapping[UUID, Headline],
) -> Iterator[SubmissionLine]:
    related = ("participation__team", "sender", "team_note")
    rows = Submission.objects.filter(pk__in=keys).select_related(*related)
    rows = rows.prefetch_related("evaluations", "files__test_set")
    by_key = {submission.pk: submission for submission in rows}
    at_hand = {phase.pk: phase for phase in phases}
    for submission in by_key.values():
        submission.phase = at_hand[submission.phase_id]
    extended = [phase for phase in phases if phase.extended_until]
    prefetch_related_objects(extended, "extensions")
    moment = timezone.now()
    for status in statuses_of([by_key[key] for key in keys], user):
        yield SubmissionLine(status, standings.get(status.submission.pk), moment)
