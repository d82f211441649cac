"""One zip that outlives the server; the same task gives the same bytes."""

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.db.models import Max
from django.template.loader import render_to_string
from django.utils import timezone, translation

from leaderboard.boards import snapshots
from leaderboard.boards.archive import board_pages, check, records
from leaderboard.boards.archive.board_pages import Folder, Member
from leaderboard.submissions.models import Submission
from leaderboard.tasks.log import notices_of
from leaderboard.tasks.models import Phase, Snapshot, Task
from leaderboard.web.templatetags.zones import written

STYLES = ("colours.css", "archive.css")
MODE = 0o644 << 16


class NotOver(Exception):
    """No phase of the task is over yet."""


@dataclass(frozen=True)
class Wish:
    """What only organizers get beside what is public."""

    submissions: bool = False
    gold: bool = False


def is_over(task: Task, now: datetime) -> bool:
    return any(phase.state(now) == "over" for phase in task.phases.all())


def file_name(task: Task) -> str:
    return f"{task.slug}-archive.zip"


def write(task: Task, wish: Wish, file: IO[bytes]) -> str:
    """Write the zip and return its SHA-256; one member is in memory at a time.

    Raises NotOver.
    """
    now = timezone.now()
    if not is_over(task, now):
        raise NotOver
    sums: dict[str, str] = {}
    # Stored, not deflated: what deflating gives depends on the machine's library.
    with (
        translation.override(settings.LANGUAGE_CODE),
        zipfile.ZipFile(file, "w") as archive,
    ):
        for name, data in _members(task, wish, now):
            sums[name] = sha256(data).hexdigest()
            _add(archive, name, data)
        lines = [f"{digest}  {name}\n" for name, digest in sorted(sums.items())]
        _add(archive, check.SUMS, "".join(lines).encode())
    file.seek(0)
    return _digest(file)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    # The usual date of a ZipInfo is fixed: the first of January 1980.
    member = zipfile.ZipInfo(name)
    member.create_system, member.external_attr = 3, MODE
    archive.writestr(member, data)


def _digest(file: IO[bytes]) -> str:
    whole = sha256()
    while chunk := file.read(1 << 16):
        whole.update(chunk)
    file.seek(0)
    return whole.hexdigest()


def _members(task: Task, wish: Wish, now: datetime) -> Iterator[Member]:
    at = last_moved(task, now)
    yield "check.py", Path(check.__file__).read_bytes()
    styles = (Path(finders.find(name)).read_bytes() for name in STYLES)
    yield "style.css", b"\n".join(styles)
    yield "task.json", records.as_json(records.task_values(task, at))
    yield "log.json", records.as_json(records.log_values(task))
    shown: list[tuple[str, str]] = []
    for folder in _folders(task, at):
        shown.append((f"{folder.path}/index.html", folder.title))
        yield from board_pages.members_of(task, folder)
    frozen = list(_snapshots(task))
    for snapshot in frozen:
        yield _canonical(snapshot)
    for phase in _phases(task):
        yield from records.receipts(phase, now)
    yield from records.bundle(task, now, wish.gold)
    if wish.submissions:
        yield from records.submissions(task)
    yield from _pages(
        task,
        {
            "at": at,
            "wish": wish,
            "boards": shown,
            "snapshots": [_hash(one) for one in frozen],
        },
    )


def _phases(task: Task) -> list[Phase]:
    return list(task.phases.select_related("task", "gold_revision"))


def _snapshots(task: Task) -> Iterator[Snapshot]:
    rows = Snapshot.objects.filter(phase__task=task)
    yield from rows.select_related("phase__task", "gold_revision").order_by("at", "pk")


def _folders(task: Task, at: datetime) -> Iterator[Folder]:
    for phase in _phases(task):
        yield from board_pages.folders_of(phase, at)
    for snapshot in _snapshots(task):
        yield from board_pages.frozen_folders(snapshot)


def _hash(snapshot: Snapshot) -> str:
    return snapshot.sha256[: snapshots.IN_ADDRESS]


def _canonical(snapshot: Snapshot) -> Member:
    path = f"snapshots/{_hash(snapshot)}/snapshot.json"
    return path, snapshots.canonical(snapshot.data)


def _pages(task: Task, context: dict[str, Any]) -> Iterator[Member]:
    """The first page last: it lists what came before."""
    phases = [_told(phase) for phase in _phases(task)]
    values = {
        **context,
        "task": task,
        "up": "",
        "notices": notices_of(task),
        "phases": phases,
    }
    for name in ("log", "index"):
        yield f"{name}.html", render_to_string(f"archive/{name}.html", values).encode()


def _told(phase: Phase) -> dict[str, Any]:
    """A phase for readers: rules in words, times in its own zone."""
    closes = phase.closes and written(phase.closes, phase.zone)
    return {
        **records.phase_values(phase),
        "opens": written(phase.opens, phase.zone),
        "closes": closes,
        "rules": [
            phase.get_policy_display(),
            phase.get_publication_display(),
            phase.get_counts_display(),
        ],
    }


def last_moved(task: Task, now: datetime) -> datetime:
    """When what an archive shows changed last, as far as times tell.

    Without it the archive of yesterday would not be that of today.
    """
    sent = Submission.objects.filter(phase__task=task)
    times = [
        task.created_at,
        sent.aggregate(last=Max("received_at"))["last"],
        sent.aggregate(last=Max("evaluations__finished_at"))["last"],
        task.notices.aggregate(last=Max("at"))["last"],
        Snapshot.objects.filter(phase__task=task).aggregate(last=Max("at"))["last"],
    ]
    for phase in task.phases.all():
        times += [phase.opens, phase.closes, phase.reveal_at]
    return max(one for one in times if one is not None and one <= now)
