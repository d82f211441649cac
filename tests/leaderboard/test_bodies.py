"""Forms that are not whole, or that two readers would read differently: refused."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.tasks.models import GoldRevision, Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import both, perfect
from tests.loops import loop_over

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
SUBMIT, API = "/tasks/otters/test/submit/", "/api/v1/tasks/otters/test/submissions/"
ORGANIZE = "/tasks/otters/organize/"
FORMS = (
    SUBMIT,
    "/tasks/new/",
    f"{ORGANIZE}bundle/",
    f"{ORGANIZE}gold/new/",
    f"{ORGANIZE}baselines/",
    f"{ORGANIZE}test-sets/",
    f"{ORGANIZE}test-sets/north/",
    f"{ORGANIZE}scoring/",
)
PROGRAMS = (
    API,
    "/api/v1/tasks/",
    "/api/v1/tasks/otters/bundle/",
    "/api/v1/tasks/otters/gold-revisions/",
)


def form() -> bytes:
    """An upload of both files, whole."""
    files = {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in both().items()
    }
    return encode_multipart(BOUNDARY, {"system": "x", "key": "k", **files})


def posted(
    client: Client, address: str, body: bytes, **headers: str
) -> tuple[int, str]:
    """Status and, of a problem document, its code; of a page, its heading."""
    kind = headers.pop("kind", MULTIPART_CONTENT)
    answer = client.generic("POST", address, body, kind, headers=headers)
    if answer["Content-Type"] == "application/problem+json":
        return answer.status_code, answer.json()["code"]
    _, _, after = answer.content.decode().partition("<h1>")
    return answer.status_code, after.partition("</h1>")[0].strip()


def nothing_is_stored() -> bool:
    counted = QuotaCounter.objects.filter(used__gt=0)
    drafts = GoldRevision.objects.filter(number__gt=1)
    more = (Submission.objects, counted, drafts, Task.objects.exclude(slug="otters"))
    return not any(rows.exists() for rows in more)


@pytest.mark.parametrize("address", FORMS)
def test_no_page_takes_a_form_that_ends_in_its_second_file(
    phase: Phase, entry: Participation, ada: User, address: str
) -> None:
    client = Client()
    client.force_login(ada)
    cut = form()[:-40]
    assert posted(client, address, cut) == (400, "The upload was incomplete")
    assert nothing_is_stored()


@pytest.mark.parametrize("address", PROGRAMS)
def test_a_program_is_told_by_a_code_that_its_form_was_cut(
    phase: Phase, ada: User, address: str
) -> None:
    client = bearer(ada, "organize")
    cut = form()[:-40]
    assert posted(client, address, cut) == (400, "body_incomplete")
    assert nothing_is_stored()


def test_what_was_cut_is_taken_whole_under_the_same_key(
    entry: Participation, ben: User
) -> None:
    client, body = bearer(ben, "submit"), form()
    key = {"Idempotency-Key": "k"}
    for end in range(1, len(body), 97):
        assert posted(client, API, body[:end], **key) == (400, "body_incomplete")
    assert posted(client, API, body, **key)[0] == 201
    assert Submission.objects.get().files.count() == 2


@pytest.mark.parametrize("kind", ["application/json", "application/zip", "text/plain"])
def test_a_body_that_is_no_form_is_whole_too(
    phase: Phase, ben: User, kind: str
) -> None:
    body, said = b'{"name": "Bens"}', {"CONTENT_LENGTH": "17"}
    answer = bearer(ben, "submit").generic(
        "POST", "/api/v1/tasks/otters/team/", body, kind, **said
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "body_incomplete")


def part(name: str, data: bytes = perfect(), more: str = "") -> bytes:
    """A part of a form; `name` is what stands behind "form-data"."""
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data{name}\r\n{more}\r\n"
    return head.encode() + data + b"\r\n"


SYSTEM = part('; name="system"', b"x") + part('; name="key"', b"k")
NORTH = part('; name="file_north"; filename="n.conllu"')
SOUTH = part('; name="file_south"; filename="s.conllu"')
END = f"--{BOUNDARY}--\r\n".encode()
LONG = "X-Long: " + "x" * 2000 + "\r\n"
ODD: Mapping[str, bytes] = {
    "a file twice": SYSTEM + NORTH + NORTH + END,
    "a text twice": SYSTEM + SYSTEM + NORTH + END,
    "a name for a text and for a file": SYSTEM
    + part('; name="file_north"', b"y")
    + NORTH
    + END,
    "a part without a name": SYSTEM + NORTH + part('; filename="s.conllu"') + END,
    "a part of no kind": SYSTEM + NORTH + f"--{BOUNDARY}\r\n\r\ny\r\n".encode() + END,
    "a file called ..": SYSTEM
    + NORTH
    + part('; name="file_south"; filename=".."')
    + END,
    "huge headers": SYSTEM
    + NORTH
    + part('; name="file_south"; filename="s"', more=LONG)
    + END,
    "a boundary in a file": SYSTEM
    + NORTH
    + part('; name="file_south"; filename="s"', END)
    + END,
    "something before it": NORTH.partition(b"\r\n")[2] + SYSTEM + SOUTH + END,
    "something behind it": SYSTEM + NORTH + END + SOUTH,
    "a part behind its end": SYSTEM + NORTH + END + SOUTH + END,
    "an end in the middle of a line": SYSTEM + NORTH[:-2] + END,
    "another boundary": (SYSTEM + NORTH + END).replace(BOUNDARY.encode(), b"other"),
    "no end": SYSTEM + NORTH,
    "nothing": b"",
    "a declared length without an end": SYSTEM
    + NORTH
    + part('; name="file_south"; filename="s"', b"y", "Content-Length: 2000000000\r\n"),
}


@loop_over("address", [SUBMIT, API])
@loop_over("odd", ODD.values(), ids=ODD)
def test_a_form_that_can_be_read_in_two_ways_is_refused(
    entry: Participation, ben: User, odd: bytes, address: str
) -> None:
    client = bearer(ben, "submit")
    if address == SUBMIT:
        client.force_login(ben)
    status, _said = posted(client, address, odd)
    assert 400 <= status < 500
    assert nothing_is_stored()


KINDS = (
    "form-data",
    "form-data; boundary=",
    "form-data; boundary=\x80",
    "form-data; boundary=" + "x" * 300,
    "mixed; boundary=" + BOUNDARY,
)


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_without_a_boundary_is_refused(
    entry: Participation, ben: User, kind: str
) -> None:
    client = bearer(ben, "submit")
    assert 400 <= posted(client, API, form(), kind=f"multipart/{kind}")[0] < 500
    assert nothing_is_stored()


def test_odd_forms_that_browsers_do_send_are_taken(
    entry: Participation, ben: User
) -> None:
    """Fields left empty, and spaces behind the end."""
    left_empty = part('; name="file_south"; filename=""', b"")
    ended = f"--{BOUNDARY}-- \t\r\n\r\n".encode()
    body = SYSTEM + NORTH + left_empty + ended
    assert posted(bearer(ben, "submit"), API, body)[0] == 201


@override_settings(UPLOAD_BYTES=1000)
def test_a_part_that_says_how_long_it_is_is_named_like_any_too_large_file(
    entry: Participation, ben: User
) -> None:
    said = "Content-Length: 2000000000\r\n"
    large = part('; name="file_south"; filename="s"', b"y" * 2000, said)
    answer = posted(bearer(ben, "submit"), API, SYSTEM + NORTH + large + END)
    assert answer == (413, "too_large")
    assert nothing_is_stored()


def in_chunks(client: Client, body: bytes) -> tuple[int, str]:
    """As a server hands it over that took the chunks apart: no length is said."""
    more: dict[str, Any] = {
        "wsgi.input": BytesIO(body),
        "CONTENT_LENGTH": "",
        "wsgi.input_terminated": True,
    }
    answer = client.generic("POST", API, body, MULTIPART_CONTENT, **more)
    return answer.status_code, answer.json().get("code", "")


def test_a_body_of_unknown_length_has_the_limits_of_the_others(
    entry: Participation, ben: User, settings: Any
) -> None:
    client, kept = bearer(ben, "submit"), set(settings.FILE_UPLOAD_TEMP_DIR.iterdir())
    assert in_chunks(client, form()[:-40]) == (400, "body_incomplete")
    with override_settings(UPLOAD_BYTES=len(form()) // 20 - 1):
        assert in_chunks(client, form()) == (413, "too_large")
    with override_settings(LEAST_FREE_BYTES=1 << 60):
        assert in_chunks(client, form()) == (507, "no_room")
    assert nothing_is_stored()
    assert set(settings.FILE_UPLOAD_TEMP_DIR.iterdir()) <= kept
    assert in_chunks(client, form()) == (201, "")
