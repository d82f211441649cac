"""The archive that everybody may download: a file beside the blobs, one a task.

It is made once and kept as it was: what is decided later needs a new one.
"""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import time

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.boards.archive.writing import Wish, write
from leaderboard.boards.exports.table import absolute
from leaderboard.languages import in_english
from leaderboard.tasks.log import announce
from leaderboard.tasks.models import Notice, Task
from leaderboard.teams.models import User

PART = "part-"  # begins the names of files that are still being written
LONGEST = 24 * 3600  # seconds; a part that is older has no writer any more


def place_of(task: Task) -> Path:
    return Path(settings.DATA) / "archives" / f"{task.pk}.zip"


def is_published(task: Task) -> bool:
    return place_of(task).is_file()


def publish(task: Task, by: User) -> str:
    """Make it, without files of teams and without gold, and say so in the log.

    Whole or not at all. Returns its SHA-256; raises NotOver.
    """
    place = place_of(task)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _discard_parts(place.parent)
    with NamedTemporaryFile(dir=place.parent, prefix=PART, delete=False) as part:
        try:
            digest = write(task, Wish(), part)
            part.flush()
            os.fsync(part.fileno())
            os.replace(part.name, place)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise
    address = absolute(reverse("task-archive", args=[task.slug]))
    with in_english():
        text = _(
            "An archive of this task can be downloaded: %(address)s SHA-256 %(hash)s"
        )
    announce(task, Notice.Kind.NEWS, text % {"address": address, "hash": digest}, by,
             None)  # fmt: skip
    return digest


def _discard_parts(folder: Path) -> None:
    """What writers that died left half-written."""
    for path in folder.glob(f"{PART}*"):
        if path.stat().st_mtime < time() - LONGEST:
            path.unlink(missing_ok=True)


def withdraw(task: Task, by: User) -> bool:
    """Take it back; whether there was one."""
    try:
        place_of(task).unlink()
    except FileNotFoundError:
        return False
    with in_english():
        text = _("The archive of this task was taken back.")
    announce(task, Notice.Kind.NEWS, text, by, None)
    return True
