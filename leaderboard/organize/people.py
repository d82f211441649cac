"""Teams of a task, decisions that they are told, who may enter, and merging."""

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.core.validators import DomainNameValidator
from django.db import transaction
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import (
    require_POST,
    require_safe,
)

from leaderboard.organize.forms import (
    ShowsValues,
    done,
    done_locked,
    form_page,
    form_response,
)
from leaderboard.organize.messages import TEAM, SentAlready, tell, write_message
from leaderboard.submissions import admin_actions, team_merger
from leaderboard.submissions.models import Submission
from leaderboard.tasks import admission, organizers
from leaderboard.tasks.access import OWN, PEOPLE, lock_task
from leaderboard.tasks.models import Merger, Message, Participation, Task
from leaderboard.tasks.organizers import has_organizers
from leaderboard.tasks.policy import Power, can
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access

REASON_LENGTH = 500
MOST_DOMAINS = 200


class ReasonForm(forms.Form):
    """Why a decision was taken; needed for some."""

    reason = forms.CharField(
        max_length=REASON_LENGTH,
        required=False,
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy(
            "The team is shown it, by mail too, and its answer comes to your address. "
            "The public is not shown it."
        ),
    )


class RulesForm(ShowsValues, forms.ModelForm):
    """Who may enter: admission, and mail domains one per line."""

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
        fields = ("entry",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["domains"] = "\n".join(self.instance.mail_domains)
        self.shows(self.initial)

    def clean_domains(self) -> list[str]:
        written = re.split(r"[\s,;]+", self.cleaned_data["domains"])
        found = dict.fromkeys(one.lstrip("@").lower() for one in written if one)
        if len(found) > MOST_DOMAINS:
            raise forms.ValidationError(
                _("At most %(n)s domains.") % {"n": MOST_DOMAINS}
            )
        check = DomainNameValidator()
        for domain in found:
            try:
                check(domain)
            except forms.ValidationError:
                words = _("“%(domain)s” is no mail domain; write it as in example.org.")
                raise forms.ValidationError(words % {"domain": domain}) from None
        return list(found)

    def save(self, commit: bool = True) -> Task:
        self.instance.mail_domains = self.cleaned_data["domains"]
        self.instance.save(update_fields=["entry", "mail_domains"])
        return self.instance


class MergeForm(forms.Form):
    """Two active teams of the task, and why when they have not agreed."""

    stays = forms.ModelChoiceField(
        Participation.objects.none(), label=gettext_lazy("Team that stays")
    )
    leaves = forms.ModelChoiceField(
        Participation.objects.none(), label=gettext_lazy("Team that goes into it")
    )
    why = forms.CharField(
        max_length=REASON_LENGTH,
        required=False,
        label=gettext_lazy("Why, if not both teams have agreed"),
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        active = (
            Participation.objects.filter(task=task, status=Participation.Status.ACTIVE)
            .select_related("team")
            .order_by("team__name")
        )
        for name in ("stays", "leaves"):
            field: Any = self.fields[name]
            field.queryset = active
            field.label_from_instance = lambda entry: str(entry.team)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("stays") and cleaned.get("stays") == cleaned.get("leaves"):
            self.add_error("leaves", _("Choose two different teams."))
        return cleaned


PER_PAGE = 50
TOLD = gettext_lazy("Done. The team is told by mail.")
Status = Participation.Status


@dataclass(frozen=True)
class ListedTeam:
    """One team in the list."""

    entry: Participation
    members: Sequence[User]
    organizers: Sequence[User]

    @property
    def domains(self) -> Sequence[str]:
        """The mail domains of its members, each once."""
        return sorted({member.email.rpartition("@")[2] for member in self.members})

    @property
    def waits(self) -> bool:
        return self.entry.status == Status.PENDING


def people_of(task: Task, status: str, words: str, number: str) -> dict[str, Any]:
    """One page of the teams of a task; the same few queries however many there are."""
    counts = dict(
        task.participations.order_by().values_list("status").annotate(n=Count("pk"))
    )
    chosen = _with_numbers(_found(task, status, words))
    page = Paginator(chosen, PER_PAGE).get_page(number)
    organizing = set(task.organizers.values_list("pk", flat=True))
    choices = [("", _("All"), sum(counts.values()))]
    choices += [(s.value, str(s.label), counts[s]) for s in Status if counts.get(s)]
    return {
        "choices": [
            {"status": name, "title": title, "count": n, "current": name == status}
            for name, title, n in choices
        ],
        "page": page,
        "lines": [_listed(entry, organizing) for entry in page],
        "waiting": bool(counts.get(Status.PENDING)),  # on this page or not
    }


def _listed(entry: Participation, organizing: Collection[int]) -> ListedTeam:
    members = [one.user for one in entry.participants.all() if one.left_at is None]
    return ListedTeam(entry, members, [u for u in members if u.pk in organizing])


def _found(task: Task, status: str, words: str) -> QuerySet[Participation]:
    found = Participation.objects.filter(task=task)
    if status in Status.values:
        found = found.filter(status=status)
    if words := words.replace("\0", "").strip():
        named = Q(team__name__icontains=words)
        named |= Q(participants__user__name__icontains=words)
        named |= Q(participants__user__email__icontains=words)
        found = found.filter(pk__in=found.filter(named).values("pk"))
    return found


def _with_numbers(found: QuerySet[Participation]) -> QuerySet[Participation]:
    sent = Submission.objects.filter(participation=OuterRef("pk")).order_by()
    per_team = sent.values("participation")
    count, last = (
        Subquery(per_team.annotate(x=one).values("x"))
        for one in (Count("pk"), Max("received_at"))
    )
    return (
        found.annotate(n_sent=count, last_sent=last)
        .select_related("team")
        .prefetch_related("participants__user")
        .order_by("team__name", "pk")
    )


def decide_and_tell(entry: Participation, name: str, actor: User, reason: str) -> None:
    """Take a decision and tell the team, as one.

    Raises Refusal.
    """
    decision = admission.DECISIONS[name]
    with transaction.atomic():
        lock_task(entry.task_id)
        decided = admission.decide(entry, name, actor, reason)
        _tell(decided, str(decision.told), _said(decided), actor)


def _said(entry: Participation) -> str:
    words = _("%(team)s in %(task)s: %(status)s.") % {
        "team": entry.team,
        "task": entry.task,
        "status": entry.get_status_display(),
    }
    if not entry.reason:
        return words
    return f"{words}\n\n" + _("Reason: %(reason)s") % {"reason": entry.reason}


def _tell(entry: Participation, subject: str, text: str, actor: Any) -> None:
    message = Message(
        task=entry.task,
        subject=subject,
        text=text,
        audience=f"{TEAM}{entry.pk}",
        important=True,
        by=actor,
    )
    try:
        write_message(message, tell)
    except SentAlready:
        return  # decided twice within minutes, with the same words


def disqualify(submission: Submission, actor: User, reason: str) -> None:
    """Take it off the boards and tell its team, as one.

    Raises Refusal.
    """
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        admin_actions.disqualify(submission, actor, reason)
        _tell_of(submission, actor)


def reinstate(submission: Submission, actor: User) -> None:
    """Put it back and tell its team, as one. Raises Refusal."""
    with transaction.atomic():
        lock_task(submission.phase.task_id)
        admin_actions.reinstate(submission)
        _tell_of(submission, actor)


def _tell_of(submission: Submission, actor: User) -> None:
    out = submission.disqualified_at is not None
    words = (
        _("Your submission %(system)s was disqualified and is off the board.")
        if out
        else _("Your submission %(system)s is no longer disqualified.")
    )
    text = words % {"system": submission.system}
    if submission.disqualified_why:
        values = {"reason": submission.disqualified_why}
        text += "\n\n" + _("Reason: %(reason)s") % values
    subject = _("Submission disqualified") if out else _("Submission reinstated")
    _tell(submission.participation, subject, text, actor)


@require_safe
@access(PEOPLE)
def teams(request: HttpRequest, task: Task) -> HttpResponse:
    status, words = request.GET.get("status", ""), request.GET.get("q", "")
    found = people_of(task, status, words, request.GET.get("page", "1"))
    context = {"task": task, "people": found, "status": status, "words": words}
    return render(request, "organize/people.html", context)


@require_POST
@access(PEOPLE)
def admit_all(request: HttpRequest, task: Task) -> HttpResponse:
    """Admit every team that waits."""
    n = 0
    for entry in task.participations.filter(status=Status.PENDING):
        with suppress(Refusal):  # somebody else just did
            decide_and_tell(entry, "admit", request.user, "")
            n += 1
    words = ngettext("%(n)s team admitted.", "%(n)s teams admitted.", n)
    messages.success(request, words % {"n": n})
    return redirect("organize-people", task.slug)


@require_safe
@access(PEOPLE)
def team(request: HttpRequest, task: Task, pk: int) -> HttpResponse:
    return _team_page(request, task, _entry_or_404(task, pk))


def _entry_or_404(task: Task, pk: int) -> Participation:
    entries = Participation.objects.select_related(
        "task", "team", "status_by", "merged_into__team"
    )
    return get_object_or_404(entries, task=task, pk=pk)


def _team_page(
    request: HttpRequest, task: Task, entry: Participation, form: Any = None
) -> HttpResponse:
    sent = Submission.objects.filter(participation=entry).select_related("phase")
    possible = admission.possible(entry)
    context = {
        "task": task,
        "entry": entry,
        "members": entry.participants.select_related("user").order_by("user__name"),
        "merged": entry.merged.select_related("team"),
        "sent": sent.order_by("phase__position", "-received_at"),
        "organizing": has_organizers(entry)
        or entry.submissions.filter(by_organizers=True).exists(),
        "owns": can(request.user, task, Power.OWN),
        "decisions": [(name, admission.DECISIONS[name]) for name in possible],
        "form": form or ReasonForm(),
    }
    return form_response(request, "organize/team.html", context)


@require_POST
@access(PEOPLE)
def decide(request: HttpRequest, task: Task, pk: int) -> HttpResponse:
    """Take the decision named by the button that was pressed."""
    entry = _entry_or_404(task, pk)
    name = request.POST.get("decision", "")
    if name not in admission.DECISIONS:
        raise Http404
    form = ReasonForm(request.POST)

    def act() -> None:
        decide_and_tell(entry, name, request.user, form.cleaned_data["reason"])

    if not done(request, form, act, TOLD, field="reason"):
        return _team_page(request, task, entry, form)
    if "list" in request.POST:  # the button stood there
        return redirect("organize-people", task.slug)
    return redirect("organize-team", task.slug, pk)


@require_POST
@access(OWN)
def let_rank(request: HttpRequest, task: Task, pk: int) -> HttpResponse:
    """An owner lets a team rank in which organizers are, or takes that back."""
    entry = _entry_or_404(task, pk)
    form = ReasonForm(request.POST)

    def act() -> None:
        ranks, why = "ranks" in request.POST, form.cleaned_data["reason"]
        organizers.let_rank(entry, ranks, why, request.user)

    sentence = _("Done. It stands in the public log.")
    if not done(request, form, act, sentence, field="reason"):
        return _team_page(request, task, entry, form)
    return redirect("organize-team", task.slug, pk)


@require_POST
@access(PEOPLE)
def decide_submission(
    request: HttpRequest, task: Task, pk: int, submission: Any
) -> HttpResponse:
    """Disqualify one submission with a reason, or take that back."""
    entry = _entry_or_404(task, pk)
    sent = get_object_or_404(Submission, pk=submission, participation=entry)
    form = ReasonForm(request.POST)

    def act() -> None:
        try:
            if request.POST.get("decision") == "reinstate":
                reinstate(sent, request.user)
            else:
                disqualify(sent, request.user, form.cleaned_data["reason"])
        except Refusal as refusal:
            raise Refusal(f"{sent.system}: {refusal}") from None

    if not done(request, form, act, TOLD, field="reason"):
        return _team_page(request, task, entry, form)
    return redirect("organize-team", task.slug, pk)


@form_page
@access(PEOPLE)
def rules(request: HttpRequest, task: Task) -> HttpResponse:
    """Who may enter: open or after admission, and from which mail domains."""

    def make(now: Task, *data: Any) -> RulesForm:
        return RulesForm(*data, instance=now)

    form, saved = done_locked(request, task, make, RulesForm.save, _("Kept."))
    if saved:
        return redirect("organize-people-rules", task.slug)
    context = {"task": task, "form": form}
    return form_response(request, "organize/people_rules.html", context)


@form_page
@access(PEOPLE)
def merge(request: HttpRequest, task: Task) -> HttpResponse:
    """A GET with both teams shows what each allowance says; a POST merges them."""
    if "show" in request.POST:
        asked = {key: request.POST.get(key, "") for key in ("stays", "leaves")}
        return redirect(f"{request.path}?{urlencode(asked)}")
    chosen = request.GET if "stays" in request.GET else None
    form = MergeForm(task, request.POST if request.method == "POST" else chosen)

    def act() -> None:
        values = form.cleaned_data
        both = {"stays": values["stays"], "leaves": values["leaves"]}
        with transaction.atomic():
            lock_task(task.pk)
            merger, _made = Merger.objects.get_or_create(
                task=task, **both, done_at=None, declined_at=None
            )
            team_merger.merge(merger, request.user, values["why"])
        teams = {name: entry.team for name, entry in both.items()}
        sentence = _("%(leaves)s is part of %(stays)s now.")
        messages.success(request, sentence % teams)

    if done(request, form, act):
        return redirect("organize-people", task.slug)
    return _page(request, task, form)


def _page(request: HttpRequest, task: Task, form: MergeForm) -> HttpResponse:
    allowances, merger = [], None
    if form.is_bound and not form.errors.keys() & {"stays", "leaves"}:
        both = form.cleaned_data["stays"], form.cleaned_data["leaves"]
        allowances = team_merger.allowances(*both, timezone.now())
        merger = _open(task).filter(stays=both[0], leaves=both[1]).first()
    context = {
        "task": task,
        "form": form,
        "rule": team_merger.RULE,
        "mergers": _open(task).select_related("stays__team", "leaves__team"),
        "allowances": allowances,
        "merger": merger,
        "chosen": form.is_bound and not form.errors,
    }
    return form_response(request, "organize/merge.html", context)


def _open(task: Task) -> QuerySet[Merger]:
    return Merger.objects.filter(task=task, done_at=None, declined_at=None)
