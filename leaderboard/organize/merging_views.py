"""The page on which organizers merge two teams."""

from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.organize.people_forms import MergeForm
from leaderboard.submissions import team_merger
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.lock import lock_task
from leaderboard.tasks.models import Merger, Task
from leaderboard.tasks.policy import Power


@require_http_methods(["GET", "HEAD", "POST"])
def merge(request: HttpRequest, slug: str) -> HttpResponse:
    """A GET with both teams shows what each allowance says; a POST merges them."""
    task = organized_task_or_404(request, slug, Power.PEOPLE)
    if "show" in request.POST:
        asked = {key: request.POST.get(key, "") for key in ("stays", "leaves")}
        return redirect(f"{request.path}?{urlencode(asked)}")
    chosen = request.GET if "stays" in request.GET else None
    form = MergeForm(task, request.POST if request.method == "POST" else chosen)
    if request.method == "POST" and form.is_valid() and _merged(request, task, form):
        return redirect("organize-people", slug)
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
    status = 422 if form.errors else 200
    return render(request, "organize/merge.html", context, status=status)


def _open(task: Task) -> QuerySet[Merger]:
    return Merger.objects.filter(task=task, done_at=None, declined_at=None)


def _merged(request: HttpRequest, task: Task, form: MergeForm) -> bool:
    wanted = form.cleaned_data
    try:
        with transaction.atomic():
            lock_task(task.pk)
            merger, _made = Merger.objects.get_or_create(
                task=task,
                stays=wanted["stays"],
                leaves=wanted["leaves"],
                done_at=None,
                declined_at=None,
            )
            team_merger.merge(merger, request.user, wanted["why"])
    except team_merger.CannotMerge as reason:
        form.add_error(None, str(reason))
        return False
    words = _("%(leaves)s is part of %(stays)s now.")
    told = {"leaves": wanted["leaves"].team, "stays": wanted["stays"].team}
    messages.success(request, words % told)
    return True
