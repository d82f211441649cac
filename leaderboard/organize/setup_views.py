"""The set-up check, publishing, and baselines."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.organize import baselines, drafts
from leaderboard.organize.baseline_forms import BaselineForm
from leaderboard.organize.bundles import whole_plan
from leaderboard.organize.rehearsal import Rehearsal, rehearse
from leaderboard.submissions.accept import KeyReused, Unfit
from leaderboard.submissions.models import Submission
from leaderboard.submissions.status import RELATED, statuses_of
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power
from scoring.errors import Problem


@require_http_methods(["GET", "HEAD", "POST"])
def check(request: HttpRequest, slug: str) -> HttpResponse:
    """Explains the check; by POST it is done and shown."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    found = rehearse(task) if request.method == "POST" else None
    return _checked(request, task, found)


@require_POST
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """A draft that passes the check becomes a task that everybody sees."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    if not task.draft:
        return redirect("organize", slug)
    checked = whole_plan(task)
    found = rehearse(task)
    if not found.passed or (found.few and not request.POST.get("few_units")):
        return _checked(request, task, found, 422)
    try:
        drafts.publish(task, checked)
    except drafts.CannotPublish as reason:
        messages.error(request, str(reason))
        return _checked(request, task, None, 409)
    messages.success(request, _("The task is published."))
    return redirect("organize", slug)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask first; what was published, or entered by a team, stays."""
    task = organized_task_or_404(request, slug, Power.OWN)
    context = {"task": task, "possible": drafts.can_be_deleted(task)}
    if request.method != "POST":
        return render(request, "organize/draft_delete.html", context)
    try:
        drafts.delete(task)
    except drafts.CannotDelete:
        context["possible"] = False
        return render(request, "organize/draft_delete.html", context, status=422)
    messages.success(request, _("%(task)s is deleted.") % {"task": task.title})
    return redirect("home")


def _checked(
    request: HttpRequest, task: Task, found: Rehearsal | None, status: int = 200
) -> HttpResponse:
    context = {"task": task, "found": found}
    return render(request, "organize/check.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def baseline_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The baselines that stand, and the form for one more."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    form = BaselineForm(
        task,
        request.POST or None,
        request.FILES or None,
        too_large=getattr(request, "too_large", ()),
    )
    problems: list[Problem] = []
    if request.method == "POST" and form.is_valid():
        try:
            baselines.send(task, form.baseline(), request.user)
            messages.success(
                request, _("The baseline was sent and waits for a worker.")
            )
            return redirect("organize-baselines", slug)
        except Unfit as unfit:
            problems = list(unfit.problems)
        except KeyReused as refusal:
            form.add_error(None, refusal.sentence)
            form.renew_key()
    sent = Submission.objects.filter(
        phase__task=task, baseline=True, withdrawn_at__isnull=True
    ).order_by("received_at")
    related = sent.select_related("phase__task", "participation__team", "sender")
    rows = statuses_of(list(related.prefetch_related(*RELATED)), request.user)
    context = {"task": task, "form": form, "problems": problems, "rows": rows}
    status = 422 if problems or form.errors else 200
    return render(request, "organize/baselines.html", context, status=status)


@require_POST
def remove_baseline(request: HttpRequest, slug: str, pk: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    found = get_object_or_404(Submission, phase__task=task, baseline=True, pk=pk)
    baselines.remove(found, timezone.now())
    messages.success(request, _("The baseline is off the board."))
    return redirect("organize-baselines", slug)
