"""The organizer's page of the archive, and the published one that everybody may have.

The published archive is a file beside the blobs, one a task. It is made once and kept
as it was: what is decided later needs a new one.
"""

from datetime import UTC
from tempfile import NamedTemporaryFile, SpooledTemporaryFile
from typing import IO

from django.conf import settings
from django.contrib import messages
from django.core.files.base import File
from django.core.files.storage import Storage, storages
from django.db import transaction
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.http import http_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.extension.access import EDIT, TASK, SignedInRequest, access, lock_task
from leaderboard.extension.exports import absolute
from leaderboard.extension.forms import form_page
from leaderboard.extension.models import Notice, Task, User
from leaderboard.extras.archive.contents import ArchiveOptions, is_over, write

IN_MEMORY = 4 << 20  # bytes; beyond them it goes to the disk while it is made


def store() -> Storage:
    return storages["archives"]


def stored_name(task: Task) -> str:
    """The key alone would not do: a database may use it again, files are not undone."""
    created = task.created_at.astimezone(UTC)
    return f"{task.pk}-{created:%Y%m%dT%H%M%S%f}.zip"


def is_published(task: Task) -> bool:
    """Pages that mention it are shown also while the store is away."""
    try:
        return store().exists(stored_name(task))
    except ConnectionError:
        return False


def publish(task: Task, by: User) -> str:
    """Make it, without files of teams and without gold, and say so in the log.

    Whole or not at all, and once: the same archive makes no second line of the log. The
    line is written first, and undone if the file cannot be stored. Returns its SHA-256;
    raises NotOver, NoRoom, ConnectionError.
    """
    # By its name the collector knows what a maker that died left behind.
    with NamedTemporaryFile(
        dir=settings.FILE_UPLOAD_TEMP_DIR, suffix=".upload.zip"
    ) as file:
        digest = write(task, ArchiveOptions(), file)
        file.seek(0)
        address = absolute(reverse("task-archive", args=[task.slug]))
        with translation.override(settings.LANGUAGE_CODE):
            text = _(
                "An archive of this task can be downloaded: %(address)s"
                " SHA-256 %(hash)s"
            )
        text = text % {"address": address, "hash": digest}
        with transaction.atomic():
            lock_task(task.pk)
            of_archives = Notice.objects.filter(task=task, text__contains=address)
            newest = of_archives.values_list("text", flat=True).first()
            if newest != text or not store().exists(stored_name(task)):
                Notice.objects.create(
                    task=task, kind=Notice.Kind.NEWS, text=text, by=by
                )
                store().save(stored_name(task), File(file))
    return digest


def withdraw(task: Task, by: User) -> bool:
    """Take the published archive back; whether there was one."""
    with translation.override(settings.LANGUAGE_CODE):
        text = _("The archive of this task was taken back.")
    with transaction.atomic():
        lock_task(task.pk)
        if not store().exists(stored_name(task)):
            return False
        Notice.objects.create(task=task, kind=Notice.Kind.NEWS, text=text, by=by)
        store().delete(stored_name(task))
    return True


@form_page
@access(EDIT)
def archive(request: SignedInRequest, task: Task) -> HttpResponseBase:
    ready = is_over(task, timezone.now())
    if request.method == "POST" and ready:
        action = request.POST.get("action", "")
        if action == "download":
            return _download(request, task)
        if action == "publish":
            publish(task, request.user)
            messages.success(request, _("The archive is published."))
        elif action == "withdraw" and withdraw(task, request.user):
            messages.success(request, _("The archive was taken back."))
        return redirect("organize-archive", task.slug)
    context = {"task": task, "ready": ready, "published": is_published(task)}
    status = 422 if request.method == "POST" else 200
    return render(request, "archive/organize.html", context, status=status)


def _download(request: HttpRequest, task: Task) -> FileResponse:
    """The archive is made while the organizer waits, a member at a time, and sent from
    the disk."""
    options = ArchiveOptions("submissions" in request.POST, "gold" in request.POST)
    file = SpooledTemporaryFile(IN_MEMORY, dir=str(settings.FILE_UPLOAD_TEMP_DIR))  # noqa: SIM115
    write(task, options, file)
    response = _archive_as_attachment(task, file)
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
@access(TASK)
def published_archive(request: HttpRequest, task: Task) -> HttpResponseBase:
    try:
        file = store().open(stored_name(task))
        modified = store().get_modified_time(stored_name(task))
    except FileNotFoundError:
        raise Http404 from None
    response = _archive_as_attachment(task, file)
    response["Last-Modified"] = http_date(modified.timestamp())
    response["Cache-Control"] = "no-cache"
    return response


def file_name(task: Task) -> str:
    return f"{task.slug}-archive.zip"


def _archive_as_attachment(task: Task, file: IO[bytes]) -> FileResponse:
    return FileResponse(
        file,
        as_attachment=True,
        filename=file_name(task),
        content_type="application/zip",
    )
