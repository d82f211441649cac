"""The words of reports: each is used, has its values, and crosses from the sandbox."""

import re
from pathlib import Path

from django.conf import settings

from leaderboard.extras.moving import dates
from leaderboard.extras.moving.report import (
    LEFT,
    TAKEN,
    ImportRemark,
    list_remarks,
    remark,
    remarks_of,
    unique,
)
from scoring.scorers.program import look as program_look
from tests.loops import loop_over

CODES = ImportRemark.words
SAID = re.compile(r'(?:remark|_note_left|_note_taken)\(\s*"(\w+)"')


def test_every_word_of_the_report_is_said_somewhere() -> None:
    root = Path(settings.BASE_DIR, "leaderboard")
    texts = [path.read_text("utf-8") for path in root.rglob("*.py")]
    said = {code for text in texts for code in SAID.findall(text)}
    assert said | program_look.CODES | dates.CODES == {*CODES, *LEFT, *TAKEN}


@loop_over("code", LEFT)
def test_what_was_left_has_a_remedy(code: str) -> None:
    text, remedy = LEFT[code]
    assert str(text).endswith((".", "{problem}")) and str(remedy).endswith(".")


def test_remarks_cross_from_the_sandbox_as_they_are() -> None:
    made = [remark("docker", "Phase 1", image="a/b:1"), remark("title", title="Tides")]
    assert remarks_of([one.row() for one in made]) == made
    assert [one.code for one in list_remarks(made, taken=True)] == ["title"]


@loop_over(
    "row",
    [
        None,
        [],
        ["docker"],
        ["nothing", "", {}],
        ["docker", "", {}],
        ["docker", 3, {"image": "x"}],
        ["docker", "", []],
        [["docker"], "", {}],
    ],
)
def test_what_is_no_remark_is_left_out(row: object) -> None:
    assert remarks_of([row]) == []
    assert remarks_of(row) == []


def test_braces_in_values_stay_braces() -> None:
    one = remark("docker", image="{where.__class__} {0}")
    assert "{where.__class__} {0}" in one.text


def test_values_are_cut_and_printable() -> None:
    one = remark("docker", image="a\0b\u202e" + "c" * 500)
    assert len(one.values["image"]) <= 201 and one.values["image"].isprintable()


def test_a_remark_is_made_once() -> None:
    same = [remark("outputs"), remark("outputs"), remark("outputs", "Phase 2")]
    assert unique(same) == [ImportRemark("outputs"), ImportRemark("outputs", "Phase 2")]


def test_values_may_be_called_as_parts_of_a_remark_are() -> None:
    row = ["docker", "", {"image": "x", "code": "y", "where": "z"}]
    (made,) = remarks_of([row])
    assert made.row() == row and "The container image x" in str(made)
