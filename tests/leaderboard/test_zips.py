"""One zip with a file per test set: what goes where, and what is said otherwise."""

import io
import zipfile
from collections.abc import Callable, Mapping
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.submissions.models import Submission
from leaderboard.submissions.zips import Files, Wanted, sorted_out
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from scoring import Refused, Source
from tests.leaderboard.small import both, perfect

Login = Callable[[User], Client]
NAMES = {"north": ["ud-north"], "south": [], "south-sea": []}


def packed(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def found(*names: str, **more: object) -> Files:
    wanted = Wanted(NAMES, **more)  # type: ignore[arg-type]
    files = {name: name.encode() for name in names}
    return sorted_out(Source.of_bytes("all.zip", packed(files)), wanted)


def said(*names: str, **more: object) -> list[str]:
    with pytest.raises(Refused) as caught:
        found(*names, **more)
    return [problem.message for problem in caught.value.problems]


@pytest.mark.parametrize(
    "name",
    ["north", "north.conllu", "NORTH.out.txt", "run/7/North.CONLLU", "ud-north.conllu",
     "north_predictions.conllu", "north/output.conllu"],
)  # fmt: skip
def test_a_file_is_known_by_its_name_whatever_is_around_it(name: str) -> None:
    assert found(name) == {"north": (name.rpartition("/")[2], name.encode())}


def test_the_longest_name_that_fits_is_meant() -> None:
    assert set(found("south-sea-run2.txt", "south-run2.txt")) == {"south", "south-sea"}


def test_a_whole_name_comes_before_the_beginning_of_one() -> None:
    (message,) = said("north-old.txt", "north.txt")
    assert message == (
        "member 'north-old.txt' is for no test set; they are: north, south, south-sea"
    )


def test_what_desktops_leave_behind_is_passed_over() -> None:
    assert set(found("a/north.txt", "__MACOSX/a/._north.txt", "a/.DS_Store")) == {
        "north"
    }


def test_every_unmatched_member_gets_a_sentence() -> None:
    assert len(said("north.txt", "east.txt", "notes.md")) == 2


def test_a_second_file_for_a_test_set_is_named_with_the_first() -> None:
    (message,) = said("a/north.txt", "b/North.conllu")
    assert message == "member 'b/North.conllu' is for north, and so is 'a/north.txt'"


def test_endings_of_the_task_are_put_right_first() -> None:
    names = {"one": ["north"], "two": []}
    wanted = Wanted(names, endings=(".out.json", ".json"))
    files = packed({"north.out.json": b"{}"})
    assert set(sorted_out(Source.of_bytes("a.zip", files), wanted)) == {"one"}


def test_a_folder_of_documents_is_one_file_for_its_test_set() -> None:
    name, data = found("south/a.json", "south/b.json", several=["south"])["south"]
    assert name == "south.zip"
    with zipfile.ZipFile(io.BytesIO(data)) as inner:
        assert inner.namelist() == ["south/a.json", "south/b.json"]
    assert "is for south, and so is" in said("south/a.json", "south/b.json")[0]


def test_a_member_over_the_limit_is_refused() -> None:
    assert said("north.txt", most_bytes=3) == [
        "the file for north is larger than 3 bytes"
    ]


def test_a_file_that_is_no_zip_is_refused() -> None:
    with pytest.raises(Refused):
        sorted_out(Source.of_bytes("all.zip", b"rain"), Wanted(NAMES))


def sent(client: Client, phase: Phase, files: Mapping[str, bytes], api: bool) -> object:
    address = f"/tasks/{phase.task.slug}/{phase.name}/submit/"
    if api:
        address = f"/api/v1/tasks/{phase.task.slug}/{phase.name}/submissions/"
    archive = SimpleUploadedFile("all.zip", packed(files))
    fields = {"system": "zipped", "key": uuid4().hex, "archive": archive}
    return client.post(address, fields)


@pytest.mark.django_db
@pytest.mark.parametrize("api", [False, True], ids=["page", "api"])
def test_a_zip_is_stored_as_the_files_it_holds(
    api: bool, phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    files = {f"run/{name}.conllu": data for name, data in both().items()}
    answer = sent(as_user(ben), phase, files, api)
    assert answer.status_code == (201 if api else 302)  # type: ignore[attr-defined]
    stored = Submission.objects.get().files.all()
    names = {one.test_set.name: (one.name, one.size) for one in stored}
    assert names["north"] == ("north.conllu", len(perfect("north")))
    assert set(names) == {"north", "south"}


@pytest.mark.django_db
@pytest.mark.parametrize("api", [False, True], ids=["page", "api"])
def test_a_zip_with_a_stranger_in_it_is_refused_and_stored_nowhere(
    api: bool, phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    answer = sent(as_user(ben), phase, {"north": perfect(), "east.txt": b"x"}, api)
    assert answer.status_code == 422  # type: ignore[attr-defined]
    assert "east.txt" in answer.content.decode()  # type: ignore[attr-defined]
    assert not Submission.objects.exists()


@pytest.mark.django_db
def test_a_problem_in_a_member_quotes_its_line(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    bad = perfect().replace(b"\t3\tnsubj", b"\t9\tnsubj", 1)
    answer = sent(as_user(ben), phase, both({"north": bad}), True)
    (problem,) = answer.json()["problems"]  # type: ignore[attr-defined]
    assert (problem["file"], problem["line"]) == ("north", 3)
    assert problem["excerpt"][problem["caret"] :].startswith("9")
    assert problem["hint"]


@pytest.mark.django_db
def test_single_files_and_a_zip_together_are_not_guessed_at(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    fields = {
        "system": "both", "key": "k", "archive": SimpleUploadedFile("a.zip", b"x"),
        "file_north": SimpleUploadedFile("north.conllu", perfect()),
    }  # fmt: skip
    answer = as_user(ben).post("/tasks/otters/test/submit/", fields)
    assert answer.status_code == 422
    assert "either single files or one zip" in answer.content.decode()
