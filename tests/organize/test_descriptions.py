"""System descriptions: sent after the end, safe to open, shown where the row is."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.operations import garbage_collection
from leaderboard.submissions import system_description
from leaderboard.submissions.admin_actions import disqualify
from leaderboard.submissions.models import Submission, SystemDescription
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from tests.organize.disclosing import HOUR, revealed, under, unrevealed
from tests.organize.sheets import two_sent

Login = Callable[[User], Client]
PDF = b"%PDF-1.7\nwas sent by a test\n%%EOF\n"
BOARD = "/tasks/otters/test/board/"


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]


@pytest.fixture
def sent(task: Task) -> Submission:
    return Submission.objects.get(system="small")


def describe(client: Client, sent: Submission, **fields: Any) -> Any:
    return client.post(
        f"/submissions/{sent.pk}/describe/", {"title": "Otters", **fields}
    )


def pdf(data: bytes = PDF, name: str = "paper.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data, "application/pdf")


def test_a_description_stands_at_row_page_api_and_snapshot(
    phase: Phase, sent: Submission, ben: User, ada: User, as_user: Login
) -> None:
    revealed(phase)
    frozen = as_user(ada).post("/tasks/otters/organize/ranking/test/snapshot/")
    answer = describe(as_user(ben), sent, link="https://example.org/p", file=pdf())
    assert answer.status_code == 302
    link = f'href="/submissions/{sent.pk}/system/"'
    for address in (BOARD, frozen["Location"]):
        assert link in Client().get(address).content.decode(), address
    assert link in as_user(ben).get(f"/submissions/{sent.pk}/").content.decode()
    page = Client().get(f"/submissions/{sent.pk}/system/").content.decode()
    assert "Otters" in page and 'rel="nofollow ugc noopener"' in page
    rows = Client().get("/api/v1/tasks/otters/test/board/").json()["rows"]
    assert rows[0]["description"]["link"] == "https://example.org/p"
    assert rows[1]["description"] is None


def test_the_pdf_comes_as_an_attachment_that_is_not_sniffed(
    phase: Phase, sent: Submission, ben: User, as_user: Login
) -> None:
    revealed(phase)
    describe(as_user(ben), sent, file=pdf(name='a"b\r\n.pdf'))
    answer = Client().get(f"/submissions/{sent.pk}/paper/")
    assert answer.content == PDF
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert (
        SystemDescription.objects.get().sha256
        in garbage_collection.referenced_digests()
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Give a link, a text or a PDF"),
        ({"title": "", "text": "x"}, "This field is required"),
        ({"link": "javascript:alert(1)"}, "Enter a valid URL"),
        ({"link": "https://a@b.example/"}, "must not hold a name"),
        ({"text": "x" * 20_001}, "at most 20000"),
        ({"file": b"<script>alert(1)</script>"}, "not a PDF"),
        ({"file": b""}, "empty"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_its_reason(
    fields: dict[str, Any], said: str, sent: Submission, ben: User, as_user: Login
) -> None:
    revealed(sent.phase)
    if "file" in fields:
        fields = {"file": pdf(fields["file"])}
    answer = describe(as_user(ben), sent, **fields)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not SystemDescription.objects.exists()


def test_a_pdf_over_the_cap_is_refused(
    phase: Phase,
    sent: Submission,
    ben: User,
    as_user: Login,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    revealed(phase)
    monkeypatch.setattr(system_description, "MOST_BYTES", len(PDF) - 1)
    answer = describe(as_user(ben), sent, file=pdf())
    assert answer.status_code == 422
    assert "larger than 10 MB" in answer.content.decode()


def test_nothing_is_described_before_the_end(
    phase: Phase, sent: Submission, ben: User, as_user: Login
) -> None:
    page = as_user(ben).get(f"/submissions/{sent.pk}/describe/").content.decode()
    assert "after the end of the phase" in page
    assert "<textarea" not in page
    answer = describe(as_user(ben), sent, text="early")
    assert answer.status_code == 422
    assert not SystemDescription.objects.exists()


def test_its_page_asks_the_team_alone_for_what_is_missing(
    phase: Phase, sent: Submission, ben: User, ada: User, as_user: Login
) -> None:
    revealed(phase)
    address, asked = f"/submissions/{sent.pk}/system/", f"/{sent.pk}/describe/"
    assert asked in as_user(ben).get(address).text
    assert asked not in as_user(ada).get(address).text + Client().get(address).text


def test_a_new_version_keeps_the_pdf_unless_it_is_taken_away(
    phase: Phase, sent: Submission, ben: User, as_user: Login
) -> None:
    revealed(phase)
    describe(as_user(ben), sent, file=pdf())
    describe(as_user(ben), sent, text="more")
    newest = system_description.newest(sent)
    assert newest and newest.text == "more" and blobs.read(newest.sha256) == PDF
    describe(as_user(ben), sent, text="less", drop_file="on")
    newest = system_description.newest(sent)
    assert newest and newest.sha256 == ""
    assert Client().get(f"/submissions/{sent.pk}/paper/").status_code == 404
    assert SystemDescription.objects.count() == 3


def test_versions_have_an_end(
    phase: Phase,
    sent: Submission,
    ben: User,
    as_user: Login,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    revealed(phase)
    monkeypatch.setattr(system_description, "MOST_VERSIONS", 1)
    assert describe(as_user(ben), sent, text="one").status_code == 302
    assert describe(as_user(ben), sent, text="two").status_code == 422


def test_only_its_team_describes_a_system(
    phase: Phase, sent: Submission, ada: User, cy: User, as_user: Login
) -> None:
    revealed(phase)
    for user in (ada, cy):
        assert describe(as_user(user), sent, text="x").status_code == 404
    assert describe(Client(), sent, text="x").status_code == 302
    assert not SystemDescription.objects.exists()


def test_before_the_reveal_nobody_learns_who_sent(
    phase: Phase, sent: Submission, ben: User, cy: User, as_user: Login
) -> None:
    unrevealed(phase, "blind")
    under(phase, closes=phase.opens + HOUR)
    assert describe(as_user(ben), sent, file=pdf()).status_code == 302
    for client in (Client(), as_user(cy)):
        for page in ("system", "paper"):
            address = f"/submissions/{sent.pk}/{page}/"
            assert client.get(address).status_code == 404, page
    assert b"Otters" in as_user(ben).get(f"/submissions/{sent.pk}/system/").content


def test_what_is_off_the_board_is_off_here_too(
    phase: Phase, sent: Submission, ben: User, ada: User, as_user: Login
) -> None:
    revealed(phase)
    describe(as_user(ben), sent, file=pdf())
    disqualify(sent, ada, "copied")
    for page in ("system", "paper"):
        assert Client().get(f"/submissions/{sent.pk}/{page}/").status_code == 404


def test_a_text_is_text(
    phase: Phase, sent: Submission, ben: User, as_user: Login
) -> None:
    revealed(phase)
    describe(as_user(ben), sent, text="<img src=x onerror=alert(1)>")
    page = Client().get(f"/submissions/{sent.pk}/system/").content.decode()
    assert "<img" not in page and "&lt;img" in page


def test_the_name_of_a_file_is_text(
    phase: Phase, sent: Submission, ben: User, as_user: Login
) -> None:
    revealed(phase)
    describe(as_user(ben), sent, file=pdf(name="<img src=x onerror=alert(1)>.pdf"))
    page = as_user(ben).get(f"/submissions/{sent.pk}/describe/").content.decode()
    assert "<img" not in page and "Now: &lt;img" in page
