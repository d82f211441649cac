"""Pages of gold revisions: the list, a correction, its progress, what it changes."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from leaderboard.organize import gold, gold_changes
from leaderboard.organize.gold_forms import GoldForm, LiveForm
from leaderboard.sandbox.fork import JobFailed
from leaderboard.submissions import accept, admin_actions, revising, switching
from leaderboard.submissions.models import State
from leaderboard.submissions.proposing import Correction, UnfitGold, propose
from leaderboard.submissions.revising import CannotRevise
from leaderboard.tasks import blobs
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.models import GoldFile, GoldRevision, Task
from leaderboard.tasks.policy import Power
from scoring import Problem


def revision_or_404(request: HttpRequest, slug: str, number: int) -> GoldRevision:
    task = organized_task_or_404(request, slug, Power.EDIT)
    related = GoldRevision.objects.select_related("task", "created_by")
    found: GoldRevision = get_object_or_404(related, task=task, number=number)
    return found


@require_safe
def revisions(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    context = {"task": task, "revisions": gold.listed(task)}
    return render(request, "organize/gold.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """Corrected gold: checked while the request waits, scored afterwards."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    too_large = getattr(request, "too_large", ())
    data = (request.POST, request.FILES) if request.method == "POST" else ()
    form = GoldForm(task, *data, too_large=too_large)
    problems: list[Problem] = []
    if request.method == "POST" and form.is_valid():
        try:
            made = propose(_correction(request, task, form))
        except UnfitGold as unfit:
            problems = list(unfit.problems)
        except JobFailed:
            said = _("The check failed on our side; the operators can see why.")
            form.add_error(None, said)
        except CannotRevise as reason:
            form.add_error(None, str(reason))
        else:
            accept.tell_queue()
            return redirect("organize-gold-revision", slug, made.number)
    return _form_page(request, task, form, problems)


def _correction(request: HttpRequest, task: Task, form: GoldForm) -> Correction:
    return Correction(
        task=task,
        files=form.files_by_test_set(),
        by=request.user,  # type: ignore[arg-type]
        note=form.cleaned_data["note"],
        public_note=form.cleaned_data["public_note"],
    )


def _form_page(
    request: HttpRequest, task: Task, form: GoldForm, problems: list[Problem]
) -> HttpResponse:
    preparing = task.gold_revisions.filter(preparing=True).first()
    context = {
        "task": task,
        "form": form,
        "problems": problems,
        "live": gold.live_or_none(task),
        "preparing": preparing,
    }
    status = 422 if problems or form.errors else 200
    return render(request, "organize/gold_new.html", context, status=status)


@require_safe
def revision(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One revision; `?part=progress` is the part that a browser asks for again."""
    found = revision_or_404(request, slug, number)
    if request.GET.get("part") == "progress":
        context = _progress(found)
        answer = render(request, "organize/_gold_progress.html", context)
        if context["progress"].complete or not context["state"].is_preparing:
            # The rest of the page changes too: what can be done now stands there.
            answer["HX-Refresh"] = "true"
        return answer
    return _revision_page(request, found, _live_form(found))


def _revision_page(
    request: HttpRequest, found: GoldRevision, form: LiveForm, status: int = 200
) -> HttpResponse:
    context = _progress(found) | {
        "form": form,
        "files": found.files.select_related("test_set").order_by("test_set__position"),
        "phases": found.task.phases.all(),
    }
    return render(request, "organize/gold_revision.html", context, status=status)


def _progress(found: GoldRevision) -> dict[str, Any]:
    return {
        "task": found.task,
        "revision": found,
        "state": gold.state_of(found),
        "progress": switching.progress_of(found),
        "failures": gold.failed(found),
    }


def _live_form(found: GoldRevision, *data: Any) -> LiveForm:
    failing = {one.submission: one.name for one in gold.failed(found)}
    return LiveForm(failing, *data, initial={"public_note": found.public_note})


@require_safe
def preview(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What it changes; `phase`, `measure` and `entries=all` choose the table."""
    found = revision_or_404(request, slug, number)
    everything = request.GET.get("entries") == "all"
    sheets = gold_changes.sheets(found, request.user, everything)
    chosen = [
        sheet
        for sheet in sheets
        if request.GET.get("phase", sheet.phase.name) == sheet.phase.name
        and request.GET.get("measure", sheet.measure.name) == sheet.measure.name
    ]
    if sheets and not chosen:
        raise Http404
    context = _progress(found) | {
        "sheets": sheets,
        "everything": everything,
        "chosen": chosen[0] if chosen else None,
        "files": found.files.select_related("test_set").order_by("test_set__position"),
        "engines": gold.engines(found),
    }
    return render(request, "organize/gold_preview.html", context)


@require_POST
def live(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Switch all boards of the task to the revision."""
    found = revision_or_404(request, slug, number)
    form = _live_form(found, request.POST)
    if not form.is_valid():
        return _revision_page(request, found, form, 422)
    decision = switching.Decision(
        by=request.user,  # type: ignore[arg-type]
        public_note=form.cleaned_data["public_note"],
        accepted=form.cleaned_data["accepted"],
        summary=gold_changes.in_public(found) if found.preparing else "",
    )
    try:
        switching.make_live(found, decision)
    except CannotRevise as reason:
        form.add_error(None, str(reason))
        return _revision_page(request, found, form, 422)
    said = _("Gold revision %(number)d is live.") % {"number": found.number}
    messages.success(request, said)
    return redirect("organize-gold", slug)


@require_POST
def discard(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    found = revision_or_404(request, slug, number)
    try:
        revising.discard(found)
    except CannotRevise as reason:
        messages.error(request, str(reason))
    return redirect("organize-gold", slug)


@require_POST
def prepare(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Begin the way back to an older revision."""
    found = revision_or_404(request, slug, number)
    try:
        revising.prepare_again(found)
    except CannotRevise as reason:
        messages.error(request, str(reason))
    accept.tell_queue()
    return redirect("organize-gold-revision", slug, number)


@require_POST
def retry(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Give what failed by our fault new attempts."""
    found = revision_or_404(request, slug, number)
    ours = switching.failures(found).filter(state=State.FAILED_SYSTEM)
    for failure in ours:
        try:
            admin_actions.retry(failure, request.user)  # type: ignore[arg-type]
        except admin_actions.NotPossible:  # somebody else was first
            continue
    return redirect("organize-gold-revision", slug, number)


@require_safe
def gold_file(request: HttpRequest, slug: str, number: int, name: str) -> HttpResponse:
    """The gold itself, for those who may take it away."""
    found = revision_or_404(request, slug, number)
    file = get_object_or_404(GoldFile, revision=found, test_set__name=name)
    return HttpResponse(
        blobs.read(file.sha256),
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(True, file.name),
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )
