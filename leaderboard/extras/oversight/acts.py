"""Acts on many submissions at once: what will happen to which, then all or nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.extension.access import PEOPLE
from leaderboard.extension.exports import one_line
from leaderboard.extension.forms import LockedPage, Refusal, ShowsValues
from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    Message,
    Participation,
    Submission,
    Task,
    User,
)
from leaderboard.extension.participation import tell_team
from leaderboard.extension.submissions import (
    admit,
    announce_admitted,
    disqualify,
    reinstate,
    retry,
)
from leaderboard.extras.oversight.submission_filter import SentFilters, submissions_of

MOST = 200
REASON, SUBJECT, TEXT = "reason", "subject", "text"
FIELDS: Mapping[str, Callable[[], forms.Field]] = {
    REASON: lambda: forms.CharField(
        max_length=Participation._meta.get_field("reason").max_length,
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Each team is shown it, by mail too."),
    ),
    SUBJECT: lambda: forms.CharField(
        max_length=Message._meta.get_field("subject").max_length,
        label=gettext_lazy("Subject"),
        validators=Message._meta.get_field("subject").validators,
    ),
    TEXT: lambda: forms.CharField(
        max_length=Message._meta.get_field("text").max_length,
        label=gettext_lazy("Text"),
        widget=forms.Textarea(attrs={"rows": 8}),
    ),
}


@dataclass(frozen=True)
class Act:
    """Something to do with rows: `why_not` says why one is passed over, `do` does it
    to the others, in a transaction, and may raise Refusal."""

    name: str
    title: str | Promise
    about: str | Promise
    why_not: Callable[[Any], str]
    do: Callable[[Sequence[Any], User, Mapping[str, str]], None]
    fields: tuple[str, ...] = ()


def _why_not_disqualify(submission: Submission) -> str:
    if submission.baseline:
        return _("It is a baseline.")
    return _("It is disqualified already.") if submission.disqualified_at else ""


def _disqualify(
    submissions: Sequence[Submission], actor: User, words: Mapping[str, str]
) -> None:
    for submission in submissions:
        disqualify(submission, actor, words[REASON])
    subject = _("Submissions disqualified")
    text = _("These submissions of yours were disqualified and are off the board:")
    _tell(submissions, subject, text, words[REASON], actor)


def _why_not_reinstate(submission: Submission) -> str:
    return "" if submission.disqualified_at else _("It is not disqualified.")


def _reinstate(
    submissions: Sequence[Submission], actor: User, _told: Mapping[str, str]
) -> None:
    for submission in submissions:
        reinstate(submission)
    subject = _("Submissions reinstated")
    text = _("These submissions of yours are no longer disqualified:")
    _tell(submissions, subject, text, "", actor)


def _tell(
    submissions: Iterable[Submission], subject: str, text: str, why: str, actor: User
) -> None:
    """One message to each team, which names its submissions."""
    for entry, own in _by_team(submissions):
        names = [
            f"– {submission.system} ({submission.phase.title})" for submission in own
        ]
        tell_team(entry, subject, "\n".join([text, *names]), why, actor)


def _by_team(
    submissions: Iterable[Submission],
) -> Iterable[tuple[Participation, list[Submission]]]:
    ordered = sorted(submissions, key=lambda submission: submission.participation_id)
    for _key, group in groupby(
        ordered, key=lambda submission: submission.participation_id
    ):
        own = list(group)
        yield own[0].participation, own


def _why_not_admit(submission: Submission) -> str:
    if not submission.late:
        return _("It is not late.")
    if submission.withdrawn_at or submission.disqualified_at:
        return _("It is withdrawn or disqualified.")
    if not submission.participation.is_active:
        return _("Its team does not take part.")
    return ""


def has_late(task: Task) -> bool:
    """Whether submissions that could be admitted came late to a phase whose ranking is
    not declared."""
    return Submission.objects.filter(
        phase__task=task,
        phase__declared_at=None,
        late=True,
        withdrawn_at=None,
        disqualified_at=None,
        participation__status=Participation.Status.ACTIVE,
    ).exists()


def _admit(
    submissions: Sequence[Submission], actor: User, _words: Mapping[str, str]
) -> None:
    """Admit submissions in order of receipt, as each uses an attempt of its day."""
    admitted: dict[Any, int] = {}
    for submission in sorted(
        submissions, key=lambda submission: submission.received_at
    ):
        try:
            admit(submission, actor)
        except Refusal as refusal:
            words = _("%(submission)s: %(reason)s. Nothing was done to any of them.")
            values = {"submission": submission, "reason": refusal}
            raise Refusal(words % values) from None
        admitted[submission.phase] = admitted.get(submission.phase, 0) + 1
    for phase, number in admitted.items():
        announce_admitted(phase, number, actor)


def _why_not_retry(submission: Any) -> str:
    if submission.state == EvaluationState.FAILED_SYSTEM:
        return ""
    return _("Its scoring did not fail on our side.")


def _retry(
    submissions: Sequence[Submission], actor: User, _told: Mapping[str, str]
) -> None:
    for submission in submissions:
        failed = Evaluation.objects.filter(
            submission=submission,
            gold_revision=submission.phase.gold_revision_id,
            state=EvaluationState.FAILED_SYSTEM,
        )
        retry(failed.latest("pk"), actor)


def _why_not_write(submission: Submission) -> str:
    return _("It is a baseline.") if submission.baseline else ""


def _write(
    submissions: Sequence[Submission], actor: User, words: Mapping[str, str]
) -> None:
    """Write one message to each team."""
    for entry, _own in _by_team(submissions):
        subject = one_line(words[SUBJECT])
        tell_team(entry, subject, words[TEXT], "", actor, important=False)


ACTS = {
    act.name: act
    for act in (
        Act(
            "disqualify",
            gettext_lazy("Disqualify"),
            gettext_lazy(
                "They leave the boards, and stay stored. Each team gets one mail that "
                "names its submissions and the reason."
            ),
            _why_not_disqualify,
            _disqualify,
            (REASON,),
        ),
        Act(
            "reinstate",
            gettext_lazy("Reinstate"),
            gettext_lazy(
                "They are on the boards again as before. Each team gets one mail."
            ),
            _why_not_reinstate,
            _reinstate,
        ),
        Act(
            "admit",
            gettext_lazy("Admit though late"),
            gettext_lazy(
                "They are scored and ranked, and each uses an attempt of the day on "
                "which it arrived. The public log says how many, not whose."
            ),
            _why_not_admit,
            _admit,
        ),
        Act(
            "retry",
            gettext_lazy("Score again"),
            gettext_lazy("What failed on our side is tried again. No attempt is used."),
            _why_not_retry,
            _retry,
        ),
        Act(
            "message",
            gettext_lazy("Write to the teams"),
            gettext_lazy(
                "Each team gets one mail, but for people who switched messages off."
            ),
            _why_not_write,
            _write,
            (SUBJECT, TEXT),
        ),
    )
}


# A row that was chosen, and why it is passed over; empty where it is not.
Line = tuple[Any, str]


class ActForm(ShowsValues, forms.Form):
    """A form with what an act asks; the page sends back which rows it named."""

    def __init__(self, act: Act, lines: Sequence[Line], data: Any = None) -> None:
        super().__init__(data)
        for name in act.fields:
            self.fields[name] = FIELDS[name]()
        self.shows([[str(row.pk), why_not] for row, why_not in lines])


class ActsPage(LockedPage):
    """The question before an act on several rows, and the act once it is confirmed.

    Rows are those of the boxes that were ticked, or all that fit what the list showed.
    """

    mark = PEOPLE
    methods = ("POST",)
    template_name = "oversight/question.html"
    above = ("organize-submissions", gettext_lazy("Submissions"))
    acts: Mapping[str, Act] = ACTS
    act: Act
    lines: Sequence[Line]

    @property
    def title(self) -> str | Promise:  # type: ignore[override]
        return self.act.title

    button = title

    def rows(self, query: QueryDict) -> QuerySet[Any]:
        """The rows of the list as it was shown."""
        return submissions_of(self.task, SentFilters(query))

    def key_of(self, text: str) -> Any:
        """The key that a box stands for. Raises ValueError."""
        return UUID(text)

    def post(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        act = self.acts.get(request.POST.get("act", ""))
        if act is None:
            raise Http404
        self.act = act
        if "sure" in request.POST:
            return super().post(request)
        form = self.get_form()
        if not self.lines:
            messages.error(request, _("Tick at least one row first."))
            return self.done_response()
        return self.show(form)

    def get_form(self) -> ActForm:
        self.lines = [(row, self.act.why_not(row)) for row in self._chosen()]
        sure = "sure" in self.request.POST
        form = ActForm(self.act, self.lines, self.request.POST if sure else None)
        if sure and not self.chosen_rows:
            form.add_error(None, _("There is nothing left to do with these."))
        return form

    def _chosen(self) -> list[Any]:
        """The chosen rows, at most one more than may be chosen at once, so that it
        shows."""
        query = QueryDict(self.request.POST.get("query", "")[:2000])
        if "every" in self.request.POST:
            return list(self.rows(query)[: MOST + 1])
        keys = []
        for text in self.request.POST.getlist("row")[: MOST + 1]:
            with suppress(ValueError):
                keys.append(self.key_of(text))
        return list(self.rows(QueryDict()).filter(pk__in=keys))

    @property
    def too_many(self) -> bool:
        return len(self.lines) > MOST

    @property
    def chosen_rows(self) -> list[Any]:
        """The rows that the act is done to; none of too many."""
        chosen = [] if self.too_many else self.lines
        return [row for row, why_not in chosen if not why_not]

    @property
    def passed_over(self) -> list[Line]:
        return [(row, why_not) for row, why_not in self.lines if why_not]

    def save(self, form: ActForm) -> str:
        user: Any = self.request.user
        with transaction.atomic():
            self.act.do(self.chosen_rows, user, form.cleaned_data)
        n = len(self.chosen_rows)
        words = ngettext(
            "%(act)s: done to %(n)s row.", "%(act)s: done to %(n)s rows.", n
        )
        return words % {"act": self.act.title, "n": n}

    @property
    def list_address(self) -> str:
        """The list as it was shown."""
        assert self.above is not None
        address = reverse(self.above[0], args=[self.task.slug])
        query = QueryDict(self.request.POST.get("query", "")[:2000]).urlencode()
        return f"{address}?{query}" if query else address

    def done_response(self) -> HttpResponse:
        return redirect(self.list_address)

    def context(self, form: ActForm) -> dict[str, Any]:
        return {
            "act": self.act,
            "meant": self.chosen_rows,
            "passed_over": self.passed_over,
            "too_many": self.too_many,
            "most": MOST,
            "keys": [] if self.too_many else [row.pk for row, _why_not in self.lines],
            "query": self.request.POST.get("query", ""),
        }
