"""One zip with a file per test set: what goes where, and what is said otherwise."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.sandbox.jobs.uploads import Files, ZipContents, sorted_out
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation
from leaderboard.teams.models import User
from plumbline.format_check import source_of
from scoring import Refused, Source, examine
from scoring.__main__ import main
from scoring.options import parse
from scoring.scorers import get
from tests.leaderboard.channels import ByApi, Channel, Told
from tests.leaderboard.small import both, perfect

NAMES = {"north": ["ud-north"], "south": [], "south-sea": []}


def packed(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def found(*names: str, **more: object) -> Files:
    wanted = ZipContents(NAMES, **more)  # type: ignore[arg-type]
    files = {name: name.encode() for name in names}
    return sorted_out(Source.of_bytes("all.zip", packed(files)), wanted)


def said(*names: str, **more: object) -> list[str]:
    with pytest.raises(Refused) as caught:
        found(*names, **more)
    return [problem.message for problem in caught.value.problems]


@pytest.mark.parametrize(
    "name",
    [
        "north",
        "north.conllu",
        "NORTH.out.txt",
        "run/7/North.CONLLU",
        "ud-north.conllu",
        "north_predictions.conllu",
        "north/output.conllu",
    ],
)
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


def test_what_lies_beside_the_answers_is_passed_over() -> None:
    beside = ("README.md", "LICENSE", "run.py", "~$north.txt", "checkpoint-5/a.bin")
    assert set(found("north.txt", "out/south.txt", *beside)) == {"north", "south"}
    assert "README.md" in said("README.md")[0]


def test_the_one_file_of_data_is_for_the_only_test_set_whatever_its_name() -> None:
    wanted = ZipContents({"north": []})
    for names in (["answer.csv"], ["out\\answer.csv", "README.md"]):
        data = packed({name: b"1" for name in names})
        read = sorted_out(Source.of_bytes("all.zip", data), wanted)
        assert read == {"north": ("answer.csv", b"1")}
    assert len(said("answer.csv", "README.md")) == 2  # of three test sets


def test_every_unmatched_member_gets_a_sentence() -> None:
    assert len(said("north.txt", "east.txt", "notes.txt")) == 2


def test_a_second_file_for_a_test_set_is_named_with_the_first() -> None:
    (message,) = said("a/north.txt", "b/North.conllu")
    assert message == "member 'b/North.conllu' is for north, and so is 'a/north.txt'"


def test_endings_of_the_task_are_put_right_first() -> None:
    names = {"one": ["north"], "two": []}
    wanted = ZipContents(names, endings=(".out.json", ".json"))
    files = packed({"north.out.json": b"{}"})
    assert set(sorted_out(Source.of_bytes("a.zip", files), wanted)) == {"one"}


def test_a_folder_of_documents_is_one_file_for_its_test_set() -> None:
    name, data = found("south/a.json", "south/b.json", several=["south"])["south"]
    assert name == "south.zip"
    with zipfile.ZipFile(io.BytesIO(data)) as inner:
        assert inner.namelist() == ["south/a.json", "south/b.json"]
    assert "is for south, and so is" in said("south/a.json", "south/b.json")[0]


def test_a_member_over_the_limit_is_refused() -> None:
    assert said("north.txt", most_bytes=3) == ["the file for north is larger than 3 B"]


def test_a_file_that_is_no_zip_is_refused() -> None:
    with pytest.raises(Refused):
        sorted_out(Source.of_bytes("all.zip", b"rain"), ZipContents(NAMES))


def sent(channel: Channel, user: User, files: Mapping[str, bytes]) -> Told:
    return channel.send(user, {}, archive=SimpleUploadedFile("a.zip", packed(files)))


@pytest.mark.django_db
def test_a_zip_is_stored_as_the_files_it_holds(
    channel: Channel, entry: Participation, ben: User
) -> None:
    files = {f"run/{name}.conllu": data for name, data in both().items()}
    assert sent(channel, ben, files).accepted
    stored = Submission.objects.get().files.all()
    names = {one.test_set.name: (one.name, one.size) for one in stored}
    assert names["north"] == ("north.conllu", len(perfect("north")))
    assert set(names) == {"north", "south"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("changes", "named"),
    [({"east.txt": b"x"}, "east.txt"), ({"north": b"rain"}, "north")],
)
def test_a_zip_with_something_wrong_in_it_is_refused_and_stored_nowhere(
    channel: Channel,
    entry: Participation,
    ben: User,
    changes: dict[str, bytes],
    named: str,
) -> None:
    told = sent(channel, ben, both() | changes)
    assert (told.code, told.stored, told.charged) == ("unfit", 0, {"refused": 1})
    assert named in told.text


@pytest.mark.django_db
def test_a_file_that_is_no_zip_counts_as_a_refused_one(
    channel: Channel, entry: Participation, ben: User
) -> None:
    archive = SimpleUploadedFile("a.zip", b"rain")
    told = channel.send(ben, {}, archive=archive)
    assert (told.code, told.stored, told.charged) == ("unfit", 0, {"refused": 1})


@pytest.mark.django_db
def test_a_problem_in_a_member_quotes_its_line(entry: Participation, ben: User) -> None:
    bad = perfect().replace(b"\t3\tnsubj", b"\t9\tnsubj", 1)
    told = sent(ByApi(), ben, both({"north": bad}))
    (problem,) = json.loads(told.text)["problems"]
    assert (problem["file"], problem["line"]) == ("north", 3)
    assert problem["excerpt"][problem["caret"] :].startswith("9")
    assert problem["hint"]


@pytest.mark.django_db
def test_single_files_and_a_zip_together_are_not_guessed_at(
    channel: Channel, entry: Participation, ben: User
) -> None:
    told = channel.send(ben, both(), archive=SimpleUploadedFile("a.zip", b"x"))
    assert (told.code, told.stored, told.charged) == ("invalid", 0, {})
    assert "either single files or one zip" in told.text


ONE = perfect()
FIVE_ZIPS: list[tuple[dict[str, bytes], str]] = [
    # What is in the zip, and what a refusal names; nothing where it is read.
    ({"mine.conllu": ONE, "README.md": b"# Ours"}, ""),
    ({"run/7/mine.conllu": ONE, "run/7/poetry.lock": b"x", "run/a.py": b"y"}, ""),
    ({"mine.conllu": ONE, "checkpoint-5/a.bin": b"\0", "~$mine.conllu": b"z"}, ""),
    ({"a.conllu": ONE, "b.conllu": ONE}, "b.conllu"),
    ({"README.txt": b"See the paper."}, "README.txt"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("files", "named"), FIVE_ZIPS)
def test_one_rule_says_on_page_and_api_which_file_of_a_zip_is_meant(
    channel: Channel,
    entry: Participation,
    ben: User,
    files: dict[str, bytes],
    named: str,
) -> None:
    told = channel.send(ben, both() | {"north": packed(files)})
    assert told.accepted == (not named)
    assert named in told.text


@pytest.mark.parametrize(("files", "named"), FIVE_ZIPS)
def test_the_same_rule_holds_for_commands_of_the_kit_the_client_and_one_archive(
    files: dict[str, bytes],
    named: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scorer = get("attachment")
    options = parse(scorer.options, {})
    gold, mine = tmp_path / "gold.conllu", tmp_path / "mine.zip"
    gold.write_bytes(ONE)
    mine.write_bytes(packed(files))
    # The command that kits name, and the file as the client reads it.
    ends = main(["check", "attachment", "--gold", str(gold), "--system", str(mine)])
    assert bool(ends) == bool(named)
    assert named in capsys.readouterr().out
    verdict = examine(scorer, source_of(gold), source_of(mine), options)
    assert bool(verdict.problems) == bool(named)
    # One archive for a phase of one test set.
    wanted = ZipContents({"north": []})
    try:
        sorted_out(Source.of_bytes("all.zip", packed(files)), wanted)
    except Refused as refusal:
        assert named and any(named in problem.message for problem in refusal.problems)
    else:
        assert not named


def test_the_hint_on_a_name_has_the_ending_of_the_file() -> None:
    for member, hinted in (("x.csv", "north.csv,"), ("out/y.tsv", "north.tsv,")):
        with pytest.raises(Refused) as caught:
            found(member, "south.csv")
        (problem,) = caught.value.problems
        assert f"such as {hinted}" in problem.hint
    with pytest.raises(Refused) as caught:
        found("x", "south.csv")
    assert "such as north," in caught.value.problems[0].hint
