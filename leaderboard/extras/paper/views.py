"""The kit for the overview paper: one zip, and each file by itself."""

import zipfile
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Prefetch, prefetch_related_objects
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from leaderboard.extension import blobs, policy
from leaderboard.extension.access import PHASE, SEE, TASK, access
from leaderboard.extension.boards import (
    Board,
    Row,
    query_or_404,
    reader_of,
)
from leaderboard.extension.charts import chart_request, picture_file
from leaderboard.extension.exports import ExportTable, add_to_zip, attachment
from leaderboard.extension.formats import safe_csv
from leaderboard.extension.models import Phase, SubmittedFile, Task
from leaderboard.extras.paper.contents import (
    TYPES,
    PaperKit,
    data_of,
    list_files,
    zip_kit,
)
from leaderboard.extras.paper.pdf import page_of

LONGEST_NAME = 60
IN_MEMORY = 16 << 20  # bytes; a larger zip is on disk while it is made and sent
HEAD = ("file", "rank", "team", "system", "submission", "test_set", "run", "sha256")


def pack_entries(board: Board, stem: str) -> IO[bytes]:
    """The zip, at its start: a folder for each ranked row, and list.csv of all files.

    One file after the other is in memory, never all of them.
    """
    whole = SpooledTemporaryFile(IN_MEMORY, dir=str(settings.FILE_UPLOAD_TEMP_DIR))  # noqa: SIM115
    listed: list[tuple[object, ...]] = [HEAD]
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for row, file in _files(board):
            path = f"{_folder(row)}/{file.name_in_zip}"
            about = (row.rank, row.team, row.system, row.submission)
            of_file = (file.test_set.name, file.run, file.sha256)
            listed.append((path, *about, *of_file))
            add_to_zip(archive, f"{stem}/{path}", blobs.read(file.sha256))
        add_to_zip(archive, f"{stem}/list.csv", safe_csv(listed))
    whole.seek(0)
    return whole


def _files(board: Board) -> Iterator[tuple[Row, SubmittedFile]]:
    rows = {row.submission: row for row in board.rows if row.ranked}
    files = SubmittedFile.objects.filter(submission__in=list(rows)).select_related(
        "test_set"
    )
    by_row: dict[str, list[SubmittedFile]] = {key: [] for key in rows}
    for file in files.order_by("test_set__position", "run"):
        by_row[str(file.submission_id)].append(file)
    for key, row in rows.items():
        for file in by_row[key]:
            yield row, file


def _folder(row: Row) -> str:
    names = slugify(f"{row.team} {row.system}", allow_unicode=True)[:LONGEST_NAME]
    # Two systems may have names that look alike once they are cut.
    return f"{row.rank:04}-{names}-{row.submission[:8]}"


def shown_phases(task: Task) -> list[Phase]:
    """Phases whose board everybody sees and that have begun."""
    rows = policy.with_neighbours(Phase.objects.select_related("gold_revision"))
    prefetch_related_objects([task], Prefetch("phases", rows))
    anybody = AnonymousUser()
    return [
        phase
        for phase in task.phases.all()
        if phase.state() != "upcoming" and policy.disclosure(anybody, phase).board
    ]


def has_board(task: Task) -> bool:
    return bool(shown_phases(task))


def kit_or_404(request: HttpRequest, phase: Phase) -> PaperKit:
    """The kit of the board that the reader's page shows under the same choices."""
    query = query_or_404(request, phase)
    disclosure = policy.disclosure(reader_of(request), query.phase)
    charts = chart_request(query, disclosure)
    if not (disclosure.board and charts.board.rows):
        raise Http404
    # As the page's own columns have it: a chart may draw any measure.
    choices = request.GET.copy()
    table = ExportTable.of_board(
        charts.board, charts.board.at or timezone.now(), choices.urlencode()
    )
    return PaperKit(charts, table)


def _file_answer(
    request: HttpRequest, name: str, data: bytes, kind: str
) -> HttpResponse:
    response = attachment(name, data, kind)
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
@access(TASK)
def task_kit(request: HttpRequest, task: Task) -> HttpResponse:
    """A redirect to the kit of the last phase whose board everybody sees."""
    phases = shown_phases(task)
    if not phases:
        raise Http404
    return redirect("paper-kit", task.slug, phases[-1].name)


@require_safe
@access(PHASE)
def kit(request: HttpRequest, phase: Phase) -> HttpResponse:
    paper_kit = kit_or_404(request, phase)
    return _file_answer(
        request, f"{paper_kit.stem}.zip", zip_kit(paper_kit), "application/zip"
    )


@require_safe
@access(PHASE)
def kit_file(request: HttpRequest, phase: Phase, name: str) -> HttpResponse:
    paper_kit = kit_or_404(request, phase)
    data = data_of(paper_kit, name)
    if data is None:
        raise Http404
    stem = f"{paper_kit.table.file_stem}-{name.rpartition('/')[2]}"
    return _file_answer(request, stem, data, TYPES[name.rpartition(".")[2]])


@require_safe
@access(PHASE)
def chart_pdf(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The picture of a chart as `chart_file` has it, for LaTeX."""
    return picture_file(request, phase, "pdf", "application/pdf", page_of)


def _chosen(request: HttpRequest, task: Task) -> tuple[list[Phase], Phase | None]:
    """All phases, and that of `?phase=`, by default the last that began."""
    phases = list(task.phases.select_related("task", "gold_revision"))
    begun = [phase for phase in phases if phase.state() != "upcoming"]
    named = request.GET.get("phase")
    chosen = [phase for phase in phases if phase.name == named]
    if named is not None and not chosen:
        raise Http404
    return phases, next(reversed(chosen or begun or phases), None)


@require_safe
@access(SEE)
def entries(request: HttpRequest, task: Task) -> FileResponse:
    """The files that the ranked rows of a phase's board, `?phase=`, were scored by."""
    phase = _chosen(request, task)[1]
    if phase is None:
        raise Http404
    paper_kit = kit_or_404(request, phase)
    stem = f"{paper_kit.table.file_stem}-entries"
    answer = FileResponse(
        pack_entries(paper_kit.board, stem),
        as_attachment=True,
        filename=f"{stem}.zip",
    )
    answer["Cache-Control"] = "private, no-store"
    return answer


@require_safe
@access(SEE)
def listing(request: HttpRequest, task: Task) -> HttpResponse:
    """Files of the kit of one phase, `?phase=`, by default of the last that began."""
    phases, phase = _chosen(request, task)
    context = {"task": task, "phases": phases, "phase": phase}
    if phase is not None:
        try:
            paper_kit = kit_or_404(request, phase)
        except Http404:
            pass
        else:
            context |= {
                "files": list_files(paper_kit),
                "letters_lacking": paper_kit.letters_lacking,
            }
    return render(request, "paper/listing.html", context)
