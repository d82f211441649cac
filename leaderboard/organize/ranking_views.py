"""Pages on which organizers declare final rankings and freeze boards."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from leaderboard.boards import snapshots
from leaderboard.boards.frozen import pages
from leaderboard.organize import declaring
from leaderboard.organize.declaring import CannotFreeze, Declaration, Preview
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.models import Phase, Snapshot, Task
from leaderboard.tasks.policy import Power
from leaderboard.teams.models import check_display_name


class DeclareForm(forms.Form):
    """`seen` is the hash of the boards that the organizer looked at."""

    seen = forms.CharField(max_length=64, widget=forms.HiddenInput)
    note = forms.CharField(
        required=False,
        max_length=1000,
        label=gettext_lazy("Public note"),
        help_text=gettext_lazy("It stands in the log of changes for good."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    matters_known = forms.BooleanField(
        required=False, label=gettext_lazy("The open matters stay as they are")
    )


class SnapshotForm(forms.Form):
    title = forms.CharField(
        max_length=120,
        required=False,
        label=gettext_lazy("Title"),
        validators=[check_display_name],
    )


@require_safe
def ranking(request: HttpRequest, slug: str) -> HttpResponse:
    """The phases with what was frozen of each."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    return _overview(request, task, SnapshotForm())


def _overview(
    request: HttpRequest, task: Task, form: SnapshotForm, refused: str = ""
) -> HttpResponse:
    now = timezone.now()
    rows = Snapshot.objects.filter(phase__task=task).defer("data")
    taken: dict[int, list[Snapshot]] = {}
    for snapshot in rows.select_related("phase__task", "gold_revision"):
        taken.setdefault(snapshot.phase_id, []).append(snapshot)
    lines = []
    for phase in task.phases.all():
        phase.task = task
        why_not = declaring.why_not_final(phase, now)
        found = {"phase": phase, "why_not": why_not, "state": phase.state(now)}
        lines.append({**found, "snapshots": taken.get(phase.pk, [])})
    context = {"task": task, "lines": lines, "form": form, "refused": refused}
    status = 422 if form.errors or refused else 200
    return render(request, "organize/ranking.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def declare(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """The board that would be frozen with what is open, and the button."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    found = _phase_or_404(task, phase)
    if why_not := declaring.why_not_final(found, timezone.now()):
        return _overview(request, task, SnapshotForm(), f"{found.title}: {why_not}")
    form = DeclareForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        wish = Declaration(by=request.user, **given)
        try:
            snapshot = declaring.declare(found, wish)
        except CannotFreeze as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, _("The final ranking is declared."))
            return redirect(snapshots.address_of(snapshot))
    return _declare_page(request, found, form)


def _declare_page(
    request: HttpRequest, phase: Phase, form: DeclareForm
) -> HttpResponse:
    shown: Preview = declaring.preview(phase)
    form.initial["seen"] = shown.seen
    if form.is_bound:
        # What is looked at now is what the next press of the button confirms.
        form.data = form.data.copy()
        form.data["seen"] = shown.seen
    context: dict[str, Any] = {
        "task": phase.task,
        "phase": phase,
        "form": form,
        "matters": shown.matters,
        "boards": pages({"boards": shown.boards}, {}),
        "earlier": snapshots.newest_final(phase),
    }
    status = 422 if form.errors else 200
    return render(request, "organize/declare.html", context, status=status)


@require_POST
def freeze(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """An ordinary snapshot of what the public sees."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    found = _phase_or_404(task, phase)
    form = SnapshotForm(request.POST)
    if not form.is_valid():
        return _overview(request, task, form)
    try:
        snapshot = declaring.freeze(found, form.cleaned_data["title"], request.user)
    except CannotFreeze as reason:
        return _overview(request, task, form, f"{found.title}: {reason}")
    messages.success(request, _("The board was frozen."))
    return redirect(snapshots.address_of(snapshot))


def _phase_or_404(task: Task, name: str) -> Phase:
    rows = Phase.objects.select_related("task", "gold_revision")
    found: Phase = get_object_or_404(rows, task=task, name=name)
    return found
