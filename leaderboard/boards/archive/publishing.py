"""The archive that everybody may download: a file beside the blobs, one a task.

It is made once and kept as it was: what is decided later needs a new one.
"""

from tempfile import NamedTemporaryFile

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import Storage, storages
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.boards.archive.writing import Wish, write
from leaderboard.boards.exports.table import absolute
from leaderboard.tasks.blobs import StoreAway
from leaderboard.tasks.log import announce
from leaderboard.tasks.models import Notice, Task
from leaderboard.teams.models import User
from leaderboard.web.languages import in_english


def store() -> Storage:
    return storages["archives"]


def name_of(task: Task) -> str:
    return f"{task.pk}.zip"


def is_published(task: Task) -> bool:
    """Pages that mention it are shown also while the store is away."""
    try:
        return store().exists(name_of(task))
    except StoreAway:
        return False


def publish(task: Task, by: User) -> str:
    """Make it, without files of teams and without gold, and say so in the log.

    Whole or not at all. Returns its SHA-256; raises NotOver, NoRoom, StoreAway.
    """
    # By its name the collector knows what a maker that died left behind.
    with NamedTemporaryFile(
        dir=settings.FILE_UPLOAD_TEMP_DIR, suffix=".upload.zip"
    ) as made:
        digest = write(task, Wish(), made)
        made.seek(0)
        store().save(name_of(task), File(made))
    address = absolute(reverse("task-archive", args=[task.slug]))
    with in_english():
        text = _(
            "An archive of this task can be downloaded: %(address)s SHA-256 %(hash)s"
        )
    announce(
        task, Notice.Kind.NEWS, text % {"address": address, "hash": digest}, by, None
    )
    return digest


def withdraw(task: Task, by: User) -> bool:
    """Take it back; whether there was one."""
    if not store().exists(name_of(task)):
        return False
    store().delete(name_of(task))
    with in_english():
        text = _("The archive of this task was taken back.")
    announce(task, Notice.Kind.NEWS, text, by, None)
    return True
