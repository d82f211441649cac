"""An organizer's page of the archive, and what everybody may download."""

from tempfile import SpooledTemporaryFile

from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import http_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.boards.archive import publishing, writing
from leaderboard.boards.archive.writing import Wish
from leaderboard.tasks.access import organized_task_or_404, task_or_404
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power

IN_MEMORY = 4 << 20  # bytes; beyond them it goes to the disk while it is made


@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    task = organized_task_or_404(request, slug, Power.EDIT)
    ready = writing.is_over(task, timezone.now())
    if request.method == "POST" and ready:
        return _done(request, task)
    context = {
        "task": task,
        "ready": ready,
        "published": publishing.is_published(task),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "archive/organize.html", context, status=status)


def _done(request: HttpRequest, task: Task) -> HttpResponseBase:
    action = request.POST.get("action", "")
    if action == "download":
        return _download(request, task)
    if action == "publish":
        publishing.publish(task, request.user)
        messages.success(request, _("The archive is published."))
    elif action == "withdraw" and publishing.withdraw(task, request.user):
        messages.success(request, _("The archive was taken back."))
    return redirect("organize-archive", task.slug)


def _download(request: HttpRequest, task: Task) -> HttpResponseBase:
    """Made while the organizer waits, a member at a time, and sent from the disk."""
    wish = Wish("submissions" in request.POST, "gold" in request.POST)
    file = SpooledTemporaryFile(IN_MEMORY, dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115
    writing.write(task, wish, file)
    response = FileResponse(
        file,
        as_attachment=True,
        filename=writing.file_name(task),
        content_type="application/zip",
    )
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
def published(request: HttpRequest, slug: str) -> HttpResponseBase:
    task = task_or_404(slug, request.user)
    try:
        file = publishing.store().open(publishing.name_of(task))
        made_at = publishing.store().get_modified_time(publishing.name_of(task))
    except FileNotFoundError:
        raise Http404 from None
    response = FileResponse(
        file,
        as_attachment=True,
        filename=writing.file_name(task),
        content_type="application/zip",
    )
    response["Last-Modified"] = http_date(made_at.timestamp())
    response["Cache-Control"] = "no-cache"
    return response
