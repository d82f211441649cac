"""The zip of a task that outlives the server; the same task gives the same bytes.

It holds boards as pages with pictures and every export, receipts, rules, the log, the
bundle, and for organizers what the teams sent and the gold.
"""

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path, PurePath
from typing import IO, Any, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.db.models import Max, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from leaderboard.extension import blobs, policy, snapshots
from leaderboard.extension.boards import Board, BoardQuery, newest_board, rankings
from leaderboard.extension.bundles import TaskPlan, TestSetPlan, bundle_of_plan, plan_of
from leaderboard.extension.exports import (
    ExportTable,
    add_to_zip,
    canary_sentence,
    text_of,
)
from leaderboard.extension.formats import all_formats, rules_of
from leaderboard.extension.markdown import render_markdown
from leaderboard.extension.models import (
    Evaluation,
    Notice,
    Phase,
    Snapshot,
    Submission,
    SubmittedFile,
    Task,
    raw_options,
)
from leaderboard.extension.points import ArchivePart, ArchiveSeal, BundleKey, joined
from leaderboard.extension.scores import receipt_of, written
from leaderboard.extras.archive import check, deposit
from leaderboard.extras.publishing.formats.pictures import DARK, LIGHT, board_picture
from scoring.report import csv_text
from scoring.source import Source

Member = tuple[str, bytes]
STYLES = ("colours.css", "archive.css")
ABOUT = ("authors", "contact", "website", "forum", "paper", "doi", "licence")
MOST_ROWS = 60  # of a picture
WITHHELD = b"withheld"


class NotOver(Exception):
    """No phase of the task is over yet."""


@dataclass(frozen=True)
class ArchiveOptions:
    """Parts that only organizers get beside what is public."""

    submissions: bool = False
    gold: bool = False


def is_over(task: Task, now: datetime) -> bool:
    return any(phase.state(now) == "over" for phase in task.phases.all())


def write(task: Task, options: ArchiveOptions, file: IO[bytes]) -> str:
    """Write the zip and return its SHA-256; one member is in memory at a time.

    Raises NotOver.
    """
    now = timezone.now()
    if not is_over(task, now):
        raise NotOver
    sums: dict[str, str] = {}
    at = last_moved(task, now)
    # Stored, not deflated: what deflating gives depends on the machine's library.
    with (
        translation.override(settings.LANGUAGE_CODE),
        zipfile.ZipFile(file, "w") as archive,
    ):
        for name, data in _members(task, options, now):
            sums[name] = sha256(data).hexdigest()
            add_to_zip(archive, name, data)
        described = text_of(deposit.crate(task, at, sums)).encode()
        sums[deposit.CRATE] = sha256(described).hexdigest()
        add_to_zip(archive, deposit.CRATE, described)
        lines = [f"{digest}  {name}\n" for name, digest in sorted(sums.items())]
        listed = "".join(lines).encode()
        add_to_zip(archive, check.SUMS, listed)
        for seal in joined(ArchiveSeal):
            for name, data in seal.sealing(listed):
                add_to_zip(archive, name, data)
    file.seek(0)
    whole = file_digest(cast(BytesIO, file), "sha256")
    file.seek(0)
    return whole.hexdigest()


def _members(task: Task, options: ArchiveOptions, now: datetime) -> Iterator[Member]:
    at = last_moved(task, now)
    phases = list(task.phases.select_related("task", "gold_revision"))
    rows = Snapshot.objects.filter(phase__task=task)
    rows = rows.select_related("phase__task", "gold_revision").order_by("at", "pk")
    yield "check.py", Path(check.__file__).read_bytes()
    styles = (Path(str(finders.find(name))).read_bytes() for name in STYLES)
    yield "style.css", b"\n".join(styles)
    yield "task.json", text_of(_task_values(task, phases, at)).encode()
    yield "metadata.json", text_of(deposit.datacite(task, at)).encode()
    yield "CITATION.cff", deposit.citation_file(task, at).encode()
    yield "log.json", text_of(_log_values(task)).encode()
    boards: list[tuple[str, str]] = []
    for path, title, table in _boards(phases, rows, at):
        boards.append((f"{path}/index.html", title))
        yield from _board_members(task, path, title, table)
    frozen = []
    for snapshot in rows:
        frozen.append(snapshot.short_hash)
        yield (
            f"snapshots/{frozen[-1]}/snapshot.json",
            snapshots.canonical(snapshot.data),
        )
    for phase in phases:
        yield from _receipts(phase, now)
    for seal in joined(ArchiveSeal):
        yield from seal.files_of(task)
    yield from _bundle(task, now, options.gold)
    if options.submissions:
        yield from _submissions(task)
    parts = []
    for part in joined(ArchivePart) if options.submissions else ():
        empty = True
        for member in part.members_of(task):
            empty = False
            yield member
        parts += [] if empty else [part]
    context = {
        "parts": parts,
        "notes": [canary_sentence(task)],
        "at": at,
        "options": options,
        "boards": boards,
        "snapshots": frozen,
        "task": task,
        "up": "",
        # Organizers' Markdown; it holds no pictures, so nothing is fetched.
        "description": render_markdown(task.description),
        "notices": notices_of(task),
        "phases": [_phase_context(phase) for phase in phases],
    }
    # The first page last: it lists what came before.
    for name in ("log", "index"):
        yield f"{name}.html", render_to_string(f"archive/{name}.html", context).encode()


def notices_of(task: Task) -> QuerySet[Notice]:
    """The log of changes without the lines on published archives: one that held the
    line on itself would be another one each time."""
    announced = f"{reverse('task-archive', args=[task.slug])} SHA-256 "
    notices = Notice.objects.filter(task=task).select_related("phase")
    return notices.exclude(text__contains=announced)


def last_moved(task: Task, now: datetime) -> datetime:
    """The time of the last change of what an archive shows, as far as times tell.

    Without it the archive of yesterday would not be that of today.
    """
    submissions = Submission.objects.filter(phase__task=task)
    times = [
        task.created_at,
        submissions.aggregate(last=Max("received_at"))["last"],
        submissions.aggregate(last=Max("evaluations__finished_at"))["last"],
        notices_of(task).aggregate(last=Max("at"))["last"],
        Snapshot.objects.filter(phase__task=task).aggregate(last=Max("at"))["last"],
    ]
    for phase in task.phases.all():
        times += [phase.opens, phase.closes, phase.reveal_at]
    return max(time for time in times if time is not None and time <= now)


# Boards: a folder each, with a page, pictures and every format.


def _boards(
    phases: list[Phase], frozen: Iterable[Snapshot], at: datetime
) -> Iterator[tuple[str, str, ExportTable]]:
    """Path, title and table of each board that is worth a page."""
    for phase in phases:
        yield from _live_boards(phase, at)
    for snapshot in frozen:
        yield from _frozen_boards(snapshot)


def _live_boards(phase: Phase, at: datetime) -> Iterator[tuple[str, str, ExportTable]]:
    disclosure = policy.disclosure(AnonymousUser(), phase)
    if not disclosure.board:
        return
    first = newest_board(BoardQuery(phase), disclosure)
    top = f"boards/{phase.name}"
    own = "" if first.averages or first.test_set is None else first.test_set.title
    title = ": ".join(filter(None, [phase.title, own]))
    yield top, title, ExportTable.of_board(first, at)
    for path, title, address, query in _further_queries(first):
        table = ExportTable.of_board(newest_board(query, disclosure), at, address)
        yield f"{top}/{path}", f"{phase.title}: {title}", table


def _further_queries(first: Board) -> Iterator[tuple[str, str, str, BoardQuery]]:
    """Folder, title, and the query, first as in the address of the live page."""
    if first.disclosure.everything:
        query = replace(first.query, everything=True)
        yield "entries", _("every entry"), "entries=all", query
    for number, named in enumerate(first.boards, start=1):
        query = replace(first.query, board=named.name)
        yield f"named-{number}", named.title, f"board={named.name}", query
        for test_set in () if first.averages or named.chooses else first.test_sets[1:]:
            name = test_set.name
            title = f"{named.title}, {test_set.title}"
            address = f"board={named.name}&test_set={name}"
            yield (
                f"named-{number}-{name}",
                title,
                address,
                replace(query, test_set=name),
            )
    if first.several_test_sets:
        # Without a mean the first board is that of a test set, too.
        others = [
            test_set for test_set in first.test_sets if test_set != first.test_set
        ]
        for test_set in others:
            name = test_set.name
            query = replace(first.query, test_set=name)
            yield f"set-{name}", test_set.title, f"test_set={name}", query
            if first.disclosure.everything and not first.averages:
                title = f"{test_set.title}, {_('every entry')}"
                address = f"entries=all&test_set={name}"
                yield f"entries-{name}", title, address, replace(query, everything=True)


def _frozen_boards(snapshot: Snapshot) -> Iterator[tuple[str, str, ExportTable]]:
    top = f"snapshots/{snapshot.short_hash}"
    phase = snapshot.phase
    day = date_format(snapshot.at.astimezone(phase.zone), "j M Y")
    title = f"{snapshot.title or _('Snapshot')}, {day}"
    for number, table in enumerate(ExportTable.of_snapshot(snapshot)):
        path = f"{top}/board-{number}" if number else f"{top}/board"
        # One snapshot has several boards, and there may be several on a day.
        words = [phase.title, title, table.board_title]
        yield path, ": ".join(filter(None, words)), table


def _board_members(
    task: Task, path: str, title: str, table: ExportTable
) -> Iterator[Member]:
    files = []
    for form in all_formats().values():
        # Pictures are one thing, what holds all rows another.
        stem = "picture" if form.name.endswith("svg") else "rows"
        files.append((f"{stem}.{form.name}", form.title))
        yield f"{path}/{stem}.{form.name}", form.data(table)
    charts = [(n, m["title"]) for n, m in enumerate(table.measures, start=1)]
    for number, _title in charts:
        for colours, ending in ((LIGHT, "svg"), (DARK, "dark.svg")):
            picture = board_picture(table, colours, number - 1, MOST_ROWS)
            yield f"{path}/charts/{number}.{ending}", picture.encode()
    context = {
        "task": task,
        "up": "../" * (path.count("/") + 1),
        "title": title,
        "table": table,
        "charts": charts,
        "files": files,
        "most": MOST_ROWS,
    }
    yield f"{path}/index.html", render_to_string("archive/board.html", context).encode()


# Records: rules, log, receipts, bundle and files.


def _task_values(task: Task, phases: list[Phase], at: datetime) -> dict[str, Any]:
    return {
        "format": 1,
        "at": at,
        "slug": task.slug,
        "title": task.title,
        "summary": task.summary,
        **{name: getattr(task, name) for name in ABOUT},
        "synthetic": task.synthetic,
        "scorer": task.scorer_name,
        "headline": task.headline,
        "measures": [measure.name for measure in task.measures],
        "resamples": task.resamples,
        "seed": task.seed,
        "level": task.level,
        "phases": [_phase_values(phase) for phase in phases],
        "notes": [canary_sentence(task)],
    }


def _phase_values(phase: Phase) -> dict[str, Any]:
    return {
        "name": phase.name,
        "title": phase.title,
        "opens": phase.opens,
        "declared_at": phase.declared_at,
        **rules_of(phase),
        "withheld": policy.disclosure(AnonymousUser(), phase).lines,
    }


def _phase_context(phase: Phase) -> dict[str, Any]:
    """A phase for readers: rules in words, times in its own zone."""
    return {
        **_phase_values(phase),
        "opens": written(phase.opens, phase.zone),
        "closes": phase.closes and written(phase.closes, phase.zone),
        "rules": [
            phase.get_policy_display(),
            phase.get_counts_display(),
        ],
    }


def _log_values(task: Task) -> list[dict[str, Any]]:
    return [
        {
            "at": notice.at,
            "kind": notice.kind,
            "phase": notice.phase.name if notice.phase else None,
            "text": notice.text,
        }
        for notice in notices_of(task)
    ]


def _receipts(phase: Phase, now: datetime) -> Iterator[Member]:
    """Receipts of every row that all may see exactly: none before the reveal.

    They hold the measures that boards show, no others of other teams.
    """
    disclosure = policy.disclosure(AnonymousUser(), phase, now)
    if not (policy.is_revealed(phase, now) and disclosure.receipts):
        return
    boards = [
        newest_board(query, disclosure) for query in rankings(phase, everything=True)
    ]
    names = {measure.name for measure in boards[0].measures}
    for named in boards[0].boards:
        names |= {measure.name for measure in named.measures}
    entries = {row.evaluation.pk for board in boards for row in board.rows}
    rows = Evaluation.objects.select_related("submission__phase__task", "gold_revision")
    for key in sorted(entries):
        evaluation = rows.get(pk=key)
        files = evaluation.submission.files.select_related("test_set")
        for file in files.order_by("test_set__position", "run"):
            receipt = receipt_of(evaluation, file.test_set, file.run)
            name = file.run_name
            ending = PurePath(file.name).suffix
            receipt = replace(
                receipt,
                # What the team called its file is nobody's business.
                system={**receipt.system, "file": f"{name}{ending}"},
                measures={k: v for k, v in receipt.measures.items() if k in names},
            )
            path = f"receipts/{evaluation.submission_id}/{name}.json"
            yield path, receipt.as_json().encode()


def _bundle(task: Task, now: datetime, gold: bool) -> Iterator[Member]:
    """The task as a bundle; without gold also without what is still to come."""
    plan = plan_of(task)
    files = bundle_of_plan(plan if gold else _public_plan(task, plan, now)).files
    for name in sorted(files):
        if gold or not name.startswith("gold/"):
            yield f"bundle/{name}", files[name]


def _public_plan(task: Task, plan: TaskPlan, now: datetime) -> TaskPlan:
    """The plan without gold, without the names of its files, and without how units were
    split."""
    begun = {phase.name for phase in task.phases.all() if phase.opens <= now}
    phases = tuple(
        phase.with_values(salt="") for phase in plan.phases if phase.name in begun
    )
    public = {name for phase in phases for name in phase.test_sets}
    test_sets = tuple(
        test_set.with_values(gold=_withheld(test_set))
        for test_set in plan.test_sets
        if test_set.name in public
    )
    scoring = plan.scoring.with_values(options=raw_options(task.declared_options))
    extras = {
        key.name: tuple(
            public
            for part in getattr(plan, key.name)
            if (public := part.for_everybody(begun)) is not None
        )
        for key in joined(BundleKey)
    }
    return plan.with_values(
        phases=phases, test_sets=test_sets, mail_domains=(), scoring=scoring, **extras
    )


def _withheld(plan: TestSetPlan) -> Source:
    """A name for the manifest; the file itself is left out."""
    ending = PurePath(plan.blind.name).suffix
    name = f"gold{ending}" if ending not in ("", ".zip") else "gold"
    return Source.of_bytes(name, WITHHELD)


def _submissions(task: Task) -> Iterator[Member]:
    """Files of all that counts, for organizers: with a list of who sent what."""
    submissions = Submission.objects.filter(phase__task=task).counted()
    files = SubmittedFile.objects.filter(submission__in=submissions).select_related(
        "submission__participation__team", "submission__phase", "test_set"
    )
    rows = [("file", "phase", "team", "system", "received_at", "sha256")]
    for file in files.order_by(
        "submission__received_at", "submission", "test_set", "run"
    ):
        submission = file.submission
        path = f"submissions/{submission.pk}/{file.name_in_zip}"
        rows.append(
            (
                path,
                submission.phase.name,
                submission.participation.team.name,
                submission.system,
                submission.received_at.isoformat(),
                file.sha256,
            )
        )
        yield path, blobs.read(file.sha256)
    yield "submissions/list.csv", f"\ufeff{csv_text(rows)}".encode()
