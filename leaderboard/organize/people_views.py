"""Pages of people: teams and what is decided about them, who may enter."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from leaderboard.organize import people
from leaderboard.organize.people_forms import ReasonForm, RulesForm
from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Submission
from leaderboard.tasks import admission, organizers
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.lock import task_locked
from leaderboard.tasks.models import Participation, Task
from leaderboard.tasks.organizers import has_organizers
from leaderboard.tasks.policy import Power, can

Status = Participation.Status


@require_safe
def teams(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.PEOPLE)
    status, words = request.GET.get("status", ""), request.GET.get("q", "")
    found = people.people_of(task, status, words, request.GET.get("page", "1"))
    context = {"task": task, "people": found, "status": status, "words": words}
    return render(request, "organize/people.html", context)


@require_POST
def admit_all(request: HttpRequest, slug: str) -> HttpResponse:
    """Admit every team that waits."""
    task = organized_task_or_404(request, slug, Power.PEOPLE)
    done = 0
    for entry in task.participations.filter(status=Status.PENDING):
        done += _decided(entry, "admit", request)
    words = ngettext("%(n)s team admitted.", "%(n)s teams admitted.", done)
    messages.success(request, words % {"n": done})
    return redirect("organize-people", slug)


def _decided(entry: Participation, name: str, request: HttpRequest) -> bool:
    try:
        people.decide(entry, name, request.user, "")
    except admission.NotDecided:
        return False  # somebody else just did
    return True


@require_safe
def team(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.PEOPLE)
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
    status = 422 if form is not None else 200
    return render(request, "organize/team.html", context, status=status)


@require_POST
def decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take the decision named by the button that was pressed."""
    task = organized_task_or_404(request, slug, Power.PEOPLE)
    entry = _entry_or_404(task, pk)
    name = request.POST.get("decision", "")
    if name not in admission.DECISIONS:
        raise Http404
    form = ReasonForm(request.POST)
    if form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            people.decide(entry, name, request.user, reason)
        except admission.NotDecided as refused:
            form.add_error("reason", str(refused))
    if form.errors:
        return _team_page(request, task, entry, form)
    messages.success(request, _("Done. The team is told by mail."))
    return redirect(_back(request, slug, pk))


def _back(request: HttpRequest, slug: str, pk: int) -> Any:
    """To the list, when the button stood there."""
    if "list" in request.POST:
        return reverse("organize-people", args=[slug])
    return reverse("organize-team", args=[slug, pk])


@require_POST
def let_rank(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """An owner lets a team rank in which organizers are, or takes that back."""
    task = organized_task_or_404(request, slug, Power.OWN)
    entry = _entry_or_404(task, pk)
    form = ReasonForm(request.POST)
    if form.is_valid():
        ranks, why = "ranks" in request.POST, form.cleaned_data["reason"]
        try:
            organizers.let_rank(entry, ranks, why, request.user)
        except organizers.NotPossible as refused:
            form.add_error("reason", str(refused))
    if form.errors:
        return _team_page(request, task, entry, form)
    messages.success(request, _("Done. It stands in the public log."))
    return redirect("organize-team", slug, pk)


@require_POST
def decide_submission(
    request: HttpRequest, slug: str, pk: int, submission: Any
) -> HttpResponse:
    """Disqualify one submission with a reason, or take that back."""
    task = organized_task_or_404(request, slug, Power.PEOPLE)
    entry = _entry_or_404(task, pk)
    found = get_object_or_404(Submission, pk=submission, participation=entry)
    form = ReasonForm(request.POST)
    if form.is_valid():
        try:
            _decide(found, request, form.cleaned_data["reason"])
        except admin_actions.NotDecided as refused:
            form.add_error("reason", f"{found.system}: {refused}")
    if form.errors:
        return _team_page(request, task, entry, form)
    messages.success(request, _("Done. The team is told by mail."))
    return redirect("organize-team", slug, pk)


def _decide(submission: Submission, request: HttpRequest, reason: str) -> None:
    if request.POST.get("decision") == "reinstate":
        people.reinstate(submission, request.user)
    else:
        people.disqualify(submission, request.user, reason)


def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """Who may enter: open or after admission, and from which mail domains."""
    task = organized_task_or_404(request, slug, Power.PEOPLE)
    form = RulesForm(instance=task)
    if request.method == "POST":
        with task_locked(task) as now:
            form = RulesForm(request.POST, instance=now)
            if form.is_valid():
                form.save()
                messages.success(request, _("Kept."))
                return redirect("organize-people-rules", slug)
    context = {"task": task, "form": form}
    status = 422 if form.errors else 200
    return render(request, "organize/people_rules.html", context, status=status)
