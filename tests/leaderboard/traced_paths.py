"""Own files that one request runs through, printed by `make house`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.house import PRODUCT
from tests.leaderboard.small import both, one_wrong, scored

pytestmark = pytest.mark.django_db
ROOT = str(settings.BASE_DIR)


@contextmanager
def traced(name: str, most: tuple[int, int]) -> Iterator[set[str]]:
    """Files of the product whose functions are called meanwhile, in this thread: so
    many of both `most`."""
    files: set[str] = set()
    functions: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT):
            path = Path(code.co_filename).relative_to(ROOT)
            if path.parts[0] in PRODUCT and code.co_name != "<module>":
                files.add(str(path))
                functions.add((str(path), code.co_qualname))

    sys.setprofile(note)
    try:
        yield files
    finally:
        sys.setprofile(None)
    print(f"\n{name}: {len(files)} own files, {len(functions)} functions")
    print(*(f"  {file}" for file in sorted(files)), sep="\n")
    assert (len(files) <= most[0], len(functions) <= most[1]) == (True, True)


def test_an_upload(
    phase: Phase, entry: Participation, ben: User, as_user: Callable[[User], Client]
) -> None:
    browser = as_user(ben)
    address = "/tasks/otters/test/submit/"
    browser.get(address)

    def form(system: str) -> dict[str, Any]:
        files = {
            f"file_{name}": SimpleUploadedFile(f"{name}.conllu", one_wrong(name))
            for name in ("north", "south")
        }
        return {"system": system, "key": system, "again": "on", **files}

    browser.post(address, form("first"))  # what a process makes once is made
    second = form("second")
    with traced("an upload, web process", (35, 186)):
        answer = browser.post(address, second)
    assert answer.status_code == 302
    assert Submission.objects.filter(system="second").exists()


def test_a_stored_board_of_one_row(
    phase: Phase, entry: Participation, ben: User, as_user: Callable[[User], Client]
) -> None:
    scored(phase, entry, both())
    address = "/tasks/otters/test/board/"
    for reader, client in (("visitor", Client()), ("member", as_user(ben))):
        client.get(address)  # imports, compiled templates, the board itself
        for name in ("default", "at-hand"):
            caches[name].clear()
        with CaptureQueriesContext(connection) as asked:
            with traced(f"a page of a stored board, {reader}", (33, 178)):
                answer = client.get(address)
            assert answer.status_code == 200
        print(f"  {len(asked)} statements")
