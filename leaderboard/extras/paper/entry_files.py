"""Files of the ranked entries of a board, for its organizers: one zip with a list."""

import zipfile
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

from django.conf import settings
from django.utils.text import slugify

from leaderboard.extension import blobs
from leaderboard.extension.boards import Board, Row
from leaderboard.extension.exports import add_to_zip
from leaderboard.extension.formats import safe_csv
from leaderboard.extension.models import SubmittedFile

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
