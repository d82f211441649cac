"""Teams of a task, decisions that they are told, and who may enter."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.core.validators import DomainNameValidator
from django.db import transaction
from django.db.models import Count, Max, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from leaderboard.boards.exports.formats.csv import safe_csv
from leaderboard.organize.forms import (
    ColumnsForm,
    ColumnsPage,
    FormPage,
)
from leaderboard.organize.messages import TEAM, SentAlready, write_message
from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Submission
from leaderboard.tasks import participation
from leaderboard.tasks.access import OWN, PEOPLE, lock_task, row_of
from leaderboard.tasks.bundle.dump import plain_text
from leaderboard.tasks.models import (
    Message,
    Participant,
    Participation,
    Task,
    answers_to,
)
from leaderboard.tasks.participation import has_organizers
from leaderboard.tasks.policy import Power, can
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import access
from leaderboard.web.attachment import attachment
from leaderboard.web.forms import longest

ENTRIES = Participation.objects.select_related(
    "task", "team", "status_by", "merged_into__team"
)
PEOPLE_ENTRY = row_of(PEOPLE, ENTRIES, "entry", "pk")
OWN_ENTRY = row_of(OWN, ENTRIES, "entry", "pk")
MOST_DOMAINS = 200
PER_PAGE = 50
TOLD = gettext_lazy("Done. The team is told by mail.")


class ReasonForm(forms.Form):
    """The reason for a decision; needed for some."""

    reason = forms.CharField(
        max_length=longest(Participation, "reason"),
        required=False,
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy(
            "The team is shown it, by mail too, and its answer comes to your address. "
            "The public is not shown it."
        ),
    )


class RulesForm(ColumnsForm):
    """The rules of entry: admission, terms, and mail domains one per line."""

    domains = forms.CharField(
        required=False,
        label=gettext_lazy("Allowed mail domains"),
        help_text=gettext_lazy(
            "One per line, as in example.org; what lies below it is allowed too. Empty "
            "allows every address. Teams that are in already stay."
        ),
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
    )

    class Meta:
        model = Task
        fields = ("entry", "terms")
        widgets = {"terms": forms.Textarea(attrs={"rows": 8})}

    def __init__(self, *args: Any, instance: Task, **kwargs: Any) -> None:
        domains = {"domains": "\n".join(instance.mail_domains)}
        super().__init__(*args, instance=instance, initial=domains, **kwargs)

    def clean_domains(self) -> list[str]:
        written = re.split(r"[\s,;]+", self.cleaned_data["domains"])
        domains = dict.fromkeys(word.lstrip("@").lower() for word in written if word)
        if len(domains) > MOST_DOMAINS:
            raise forms.ValidationError(
                _("At most %(n)s domains.") % {"n": MOST_DOMAINS}
            )
        check = DomainNameValidator()
        for domain in domains:
            try:
                check(domain)
            except forms.ValidationError:
                words = _("“%(domain)s” is no mail domain; write it as in example.org.")
                raise forms.ValidationError(words % {"domain": domain}) from None
        return list(domains)

    def clean_terms(self) -> str:
        return plain_text(self.cleaned_data["terms"])

    def save(self, commit: bool = True) -> Task:
        self.instance.mail_domains = self.cleaned_data["domains"]
        self.instance.save(update_fields=["entry", "terms", "mail_domains"])
        return self.instance


Status = Participation.Status


def teams_found(task: Task, status: str, words: str) -> QuerySet[Participation]:
    """The teams of a status, or whose name or member holds the words, in order."""
    teams = Participation.objects.filter(task=task)
    if status in Status.values:
        teams = teams.filter(status=status)
    if words:
        named = Q(team__name__icontains=words)
        named |= Q(participants__user__name__icontains=words)
        named |= Q(participants__user__email__icontains=words)
        teams = teams.filter(pk__in=teams.filter(named).values("pk"))
    submissions = Submission.objects.filter(participation=OuterRef("pk")).order_by()
    per_team = submissions.values("participation")
    members = Participant.objects.filter(left_at=None).select_related("user")
    return (
        teams.annotate(
            n_sent=Subquery(per_team.annotate(n=Count("pk")).values("n")),
            last_sent=Subquery(per_team.annotate(at=Max("received_at")).values("at")),
        )
        .select_related("team")
        .prefetch_related(Prefetch("participants", members, "current_participants"))
        .order_by("team__name", "pk")
    )


def decide_and_tell(entry: Participation, name: str, actor: User, reason: str) -> None:
    """Take a decision and tell the team, as one.

    Raises Refusal.
    """
    subject = str(participation.DECISIONS[name].subject)
    with transaction.atomic():
        lock_task(entry.task_id)
        decided = participation.decide(entry, name, actor, reason)
        text = _("%(team)s in %(task)s: %(status)s.") % {
            "team": decided.team,
            "task": decided.task,
            "status": decided.get_status_display(),
        }
        tell_team(decided, subject, text, decided.reason, actor)


def disqualify(submission: Submission, actor: User, reason: str) -> None:
    """Take it off the boards and tell its team, as one.

    Raises Refusal.
    """
    words = _("Your submission %(system)s was disqualified and is off the board.")
    text = words % {"system": submission.system}
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        admin_actions.disqualify(submission, actor, reason)
        subject, why = _("Submission disqualified"), submission.disqualified_why
        tell_team(submission.participation, subject, text, why, actor)


def reinstate(submission: Submission, actor: User) -> None:
    """Put it back and tell its team, as one. Raises Refusal."""
    words = _("Your submission %(system)s is no longer disqualified.")
    text = words % {"system": submission.system}
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        admin_actions.reinstate(submission)
        subject, why = _("Submission reinstated"), submission.disqualified_why
        tell_team(submission.participation, subject, text, why, actor)


def tell_team(
    entry: Participation,
    subject: str,
    text: str,
    reason: str,
    actor: Any,
    important: bool = True,
) -> None:
    """Write to a team, the reason below where there is one; once within minutes."""
    if reason:
        text += "\n\n" + _("Reason: %(reason)s") % {"reason": reason}
    message = Message(
        task=entry.task,
        subject=subject,
        text=text,
        audience=f"{TEAM}{entry.pk}",
        important=important,
        by=actor,
    )
    with suppress(SentAlready):  # decided twice within minutes, with the same words
        write_message(message)


@require_safe
@access(PEOPLE)
def teams(request: HttpRequest, task: Task) -> HttpResponse:
    """One page of the teams; the same few queries however many there are."""
    status = request.GET.get("status", "")
    words = request.GET.get("q", "").replace("\0", "").strip()
    counts = dict(
        task.participations.order_by().values_list("status").annotate(n=Count("pk"))
    )
    choices = [("", _("All"), sum(counts.values()))]
    choices += [(s.value, str(s.label), counts[s]) for s in Status if counts.get(s)]
    entries = teams_found(task, status, words)
    page = Paginator(entries, PER_PAGE).get_page(request.GET.get("page"))
    organizers = set(task.organizers.values_list("pk", flat=True))
    entry: Any
    for entry in page:
        members = [participant.user for participant in entry.current_participants]
        entry.members = members
        entry.member_organizers = [user for user in members if user.pk in organizers]
        entry.domains = sorted({user.email.rpartition("@")[2] for user in members})
    context = {
        "task": task,
        "choices": choices,
        "status": status,
        "words": words,
        "page": page,
        "waiting": counts.get(Status.PENDING),  # on this page or not
    }
    return render(request, "organize/people.html", context)


@require_safe
@access(PEOPLE)
def teams_csv(request: HttpRequest, task: Task) -> HttpResponse:
    """Every team with its answers, one row a member; the first of each has number 1."""
    text = safe_csv(_people_rows(task))
    return attachment(f"{task.slug}-teams.csv", text.encode())


def _people_rows(task: Task) -> Iterator[list[Any]]:
    questions = task.registration()
    yield [
        *(
            "team",
            "affiliations",
            "status",
            "joined_at",
            "terms_accepted_at",
            "member",
            "name",
            "email",
        ),
        *(f"answer.{question.name}" for question in questions),
    ]
    for entry in teams_found(task, "", ""):
        about = [
            str(entry.team),
            entry.team.affiliations,
            entry.status,
            entry.joined_at.isoformat(timespec="seconds"),
            entry.terms_accepted_at
            and entry.terms_accepted_at.isoformat(timespec="seconds"),
        ]
        answers = [entry.answers.get(question.name) for question in questions]
        row: Any = entry
        people = [participant.user for participant in row.current_participants]
        for number, person in enumerate(people or [None], start=1):
            who = [person and person.name, person and person.email]
            yield [*about, number, *who, *answers]


@require_POST
@access(PEOPLE)
def admit_all(request: SignedInRequest, task: Task) -> HttpResponse:
    """Admit every team that waits."""
    n = 0
    for entry in task.participations.filter(status=Status.PENDING):
        with suppress(Refusal):  # somebody else just did
            decide_and_tell(entry, "admit", request.user, "")
            n += 1
    words = ngettext("%(n)s team admitted.", "%(n)s teams admitted.", n)
    messages.success(request, words % {"n": n})
    return redirect("organize-people", task.slug)


class TeamPage(FormPage):
    """A team with what it sent; what is decided of it is sent to the pages below."""

    mark = PEOPLE_ENTRY
    methods: tuple[str, ...] = ("GET", "HEAD")
    form_class = ReasonForm
    of_row = False
    template_name = "organize/team.html"
    saved = TOLD
    refused_at = "reason"
    entry: Participation

    def context(self, form: ReasonForm) -> dict[str, Any]:
        entry = self.entry
        submissions = Submission.objects.filter(participation=entry).select_related(
            "phase"
        )
        possible = participation.possible_decisions(entry)
        here = entry.participants.filter(left_at=None).select_related("user")
        return {
            "members": here.order_by("user__name"),
            "answers": answers_to(self.task.registration(), entry.answers),
            "extensions": entry.extensions.select_related("phase"),
            "merged": entry.merged.select_related("team"),
            "sent": submissions.order_by("phase__position", "-received_at"),
            "organizing": has_organizers(entry)
            or entry.submissions.filter(by_organizers=True).exists(),
            "owns": can(self.request.user, self.task, Power.OWN),
            "decisions": [(name, participation.DECISIONS[name]) for name in possible],
        }

    def done_response(self) -> HttpResponse:
        if "list" in self.request.POST:  # the button stood there
            return redirect("organize-people", self.task.slug)
        return redirect("organize-team", self.task.slug, self.entry.pk)


class DecidePage(TeamPage):
    """Takes the decision named by the button that was pressed."""

    methods = ("POST",)

    def post(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        self.decision = request.POST.get("decision", "")
        if self.decision not in participation.DECISIONS:
            raise Http404
        return super().post(request)

    def save(self, form: ReasonForm) -> None:
        reason = form.cleaned_data["reason"]
        decide_and_tell(self.entry, self.decision, self.request.user, reason)


class LetRankPage(TeamPage):
    """An owner lets a team rank in which organizers are, or takes that back."""

    mark = OWN_ENTRY
    methods = ("POST",)
    saved = gettext_lazy("Done. It stands in the public log.")

    def save(self, form: ReasonForm) -> None:
        ranks, why = "ranks" in self.request.POST, form.cleaned_data["reason"]
        participation.let_rank(self.entry, ranks, why, self.request.user)


class DecideSubmissionPage(TeamPage):
    """Disqualifies one submission with a reason, or takes that back."""

    methods = ("POST",)
    submission: UUID

    def save(self, form: ReasonForm) -> None:
        entry, by = self.entry, self.request.user
        submission = get_object_or_404(
            Submission, pk=self.submission, participation=entry
        )
        try:
            if self.request.POST.get("decision") == "reinstate":
                reinstate(submission, by)
            else:
                disqualify(submission, by, form.cleaned_data["reason"])
        except Refusal as refusal:
            raise forms.ValidationError(f"{submission.system}: {refusal}") from None


class RulesPage(ColumnsPage):
    """The rules of entry: open or after admission, and from which mail domains."""

    mark = PEOPLE
    form_class = RulesForm
    template_name = "organize/people_rules.html"
    above = ("organize-people", gettext_lazy("All teams"))
    title = gettext_lazy("Who may enter")
    button = gettext_lazy("Keep")
    saved = gettext_lazy("Kept.")
    style = "people.css"
