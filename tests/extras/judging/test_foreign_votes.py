"""Tables of Appraise, Pearmut and arenas become votes, whole or not at all."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.extras.judging.foreign_votes import bring_in, votes_in
from leaderboard.extras.judging.models import Campaign, Judge, Vote
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from scoring.formats.bundle import zip_files
from tests.extras.judging.campaigns import CANARY, campaign_of, people_task, system
from tests.extras.judging.test_spans import ESA, MEASURES

pytestmark = pytest.mark.django_db
A, B = f"{CANARY} 1", f"{CANARY} 2"
SCORES = {"kind": "slider", "questions": "score: How good is it?"}


def task_of(ada: User, ben: User, *measures: str) -> Task:
    task = people_task(ada, measures) if measures else people_task(ada)
    for quality in (1, 2):
        system(task, ben, quality)
    return task


@pytest.fixture
def pairs(ada: User, ben: User) -> Campaign:
    return campaign_of(task_of(ada, ben))


def battles(*rows: str) -> bytes:
    lines = ["question_id,model_a,model_b,winner,judge,turn", *rows]
    return "\n".join(lines).encode()


def test_battles_of_an_arena_become_votes_and_count_once(
    pairs: Campaign, ada: User, as_user: Any
) -> None:
    data = battles(
        f"u1,{A},{B},model_a,arena_user_7,1",
        f"u2,{B},{A},tie (bothbad),arena_user_7,1",
        f"u3,{A},{B},model_b,arena_user_9,1",
        f"u4,{A},{B},tie,arena_user_9,1",
    )
    place = f"/tasks/signs/organize/judging/{pairs.pk}/"
    client = as_user(ada)
    for said in ("Votes taken in: 4", "There already: 4"):
        file = SimpleUploadedFile("battles.csv", data)
        sent = {"action": "import", "votes": file}
        assert said in client.post(place + "change/", sent, follow=True).text
    assert [row.values["choice"] for row in CampaignVotes(pairs).counted_rows] == [
        "left",
        "bad",
        "right",
        "equal",
    ]
    assert Judge.objects.count() == 2
    assert "arena_user" not in client.get(place + "votes.csv").text
    one = {"question_id": "u5", "model_a": A, "model_b": B, "winner": A, "judge": "x"}
    assert bring_in(pairs, json.dumps([one]).encode()).new == 1
    last = Vote.objects.order_by("pk").last()
    assert last is not None and last.values == {"choice": "left"}


def test_systems_may_be_named_by_their_identifiers(pairs: Campaign) -> None:
    one, two = Submission.objects.values_list("pk", flat=True)
    assert bring_in(pairs, battles(f"u1,{one},{two},tie,x,1")).new == 1


def test_scores_of_appraise_become_votes_without_its_checks(
    ada: User, ben: User
) -> None:
    campaign = campaign_of(task_of(ada, ben, "score = mean(score)"), **SCORES)
    lines = [
        f"engdeu01,{A},u1,TGT,eng,deu,78,doc-1,False,1700000000.1,1700000009.2",
        f"engdeu01,{B},u1,TGT,eng,deu,55,doc-1,False,1700000010.1,1700000019.2",
        f"engdeu01,{B},u1,BAD,eng,deu,3,doc-1,False,1700000020.1,1700000029.2",
        f"engdeu02,{A},doc-1,TGT,eng,deu,70,doc-1,True,1700000030.1,1700000039.2",
    ]
    found = bring_in(campaign, "\n".join(lines).encode())
    assert (found.new, found.repeated, found.left_out) == (2, 0, 2)
    rows = CampaignVotes(campaign).counted_rows
    assert [row.values["score"] for row in rows] == [78, 55]


def test_annotations_of_pearmut_become_marked_errors(ada: User, ben: User) -> None:
    campaign = campaign_of(task_of(ada, ben, *MEASURES), **ESA)
    # "answer u1 of quality 1": characters 7 to 8 are u1, 13 to 19 quality.
    said = {
        "score": 61.0,
        "error_spans": [
            {"start_i": 7, "end_i": 19, "severity": "Major", "category": "Omission"},
            {"start_i": 99, "end_i": 99, "severity": "minor", "category": "omission"},
        ],
    }
    entry = {
        "user_id": "wmt_annotator_3",
        "item_i": 4,
        "item": [{"item_id": "u1", "src": "x", "tgt": {A: "y"}}],
        "annotation": [{A: said}],
    }
    welcome = entry | {"item_i": "welcome_0"}
    data = "\n".join(json.dumps(one) for one in (entry, welcome)).encode()
    found = bring_in(campaign, data)
    assert (found.new, found.left_out) == (1, 1)
    assert Vote.objects.get().values == {
        "spans": [
            {"start": 2, "end": 4, "category": "omission", "severity": "major"},
            {"start": None, "end": None, "category": "omission", "severity": "minor"},
        ],
        "score": 61,
    }
    (row,) = CampaignVotes(campaign).counted_rows
    assert row.values["penalty"] == 6


def test_a_table_is_read_as_programs_write_it(pairs: Campaign) -> None:
    """By commas, semicolons or tabs, behind the line of a spreadsheet, in a zip."""
    for number, (mark, first) in enumerate(
        ((",", ""), (";", ""), ("\t", ""), (";", "sep=;\r\n"), (",", "sep=,\n"))
    ):
        table = battles(f"u1,{A},{B},model_a,judge {number},1").decode()
        data = (first + table.replace(",", mark)).encode()
        assert bring_in(pairs, data).new == 1
        packed = zip_files("x.zip", {"README.md": b"Votes.", "votes.csv": data})
        assert bring_in(pairs, packed.single()).repeated == 1
    choices = {vote.values["choice"] for vote in Vote.objects.all()}
    assert choices == {"left"} and Judge.objects.count() == 5


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
        (b"Rar!\x1a\x07\x01\x00abc", "RAR"),
        (b"<!DOCTYPE html><html></html>", r"HTML page; expected a text file\. See"),
        (b"%PDF-1.7 x", "PDF"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS"),
        (b"PK\x03\x04abc", "cut off"),
        (zip_files("x.zip", {"a.csv": b"1", "b.csv": b"2"}).single(), "a zip of 2"),
        (b'[{"judge":', "expected a text in double quotes.*Line 1"),
        (b'{"judge": "x",\n', "expected a name in double quotes"),
        (b"judge;unit;winner", "columns model_a, model_b and winner"),
        (b"\xff", "not in UTF-8"),
        (b"[" * 100_000, "cannot be read"),
        (b"[1]", "other things than objects.*Line 1"),
        (b"{}", "no known form"),
        (b"a,b,c", "Line 1 is of no known form"),
        (battles(f"u1,{A},{B},both,x,1"), "answer no question"),
        (battles(f"u1,{A},{B},tie,,1"), "no judge"),
        (battles(f"u1,{A},{A},tie,x,1"), "with itself"),
        (battles(f"u1,{A},{B},tie,x,1", f"u9,{A},{B},tie,x,1"), "Line 3"),
        (battles(*[f"u9,{A},{B},tie,x,1"] * 7), "And 2 more"),
        (f"x,{A},u1,TGT,eng,deu,78".encode(), "another question"),
    ],
)
def test_what_does_not_fit_is_told_by_line_and_nothing_is_taken(
    pairs: Campaign, data: bytes, said: str
) -> None:
    with pytest.raises(Refusal, match=said):
        bring_in(pairs, data)
    assert not Vote.objects.exists() and not Judge.objects.exists()


@pytest.mark.parametrize("row", ["u1,{0} x,{1}", "u1,{0},gpt", "u1,,{1}"])
def test_a_system_that_the_campaign_has_not_is_named(pairs: Campaign, row: str) -> None:
    data = battles(f"{row.format(A, B)},model_a,x,1")
    with pytest.raises(Refusal, match="the campaign has no system “"):
        bring_in(pairs, data)


@pytest.mark.parametrize("unit", ["u0", "U1", "1"])
def test_a_unit_that_the_campaign_has_not_is_named(pairs: Campaign, unit: str) -> None:
    data = battles(f"{unit},{A},{B},model_a,x,1")
    with pytest.raises(Refusal, match=f"the campaign has no unit “{unit}”"):
        bring_in(pairs, data)


ROWS = [("u1", "gull", "tern", "model_a", "j1"), ("u2", "tern", "gull", "tie", "j2")]
NAMES = ("question_id", "model_a", "model_b", "winner", "judge")
RECORDS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
BATTLES = "\n".join(",".join(row) for row in (NAMES, *ROWS))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"votes": RECORDS}),
        json.dumps({"columns": NAMES, "data": ROWS}),
        json.dumps({n: {str(i): r[n] for i, r in enumerate(RECORDS)} for n in NAMES}),
        json.dumps(RECORDS, indent=1),
        BATTLES.replace("model_a,model_b", "Model_A, Model_B"),
        BATTLES.upper().replace("MODEL_A,J", "model_a,J"),
        BATTLES + "\n,,,,\n,,,,\n",
        "sep=;\n" + BATTLES.replace(",", ";"),
    ],
)
def test_votes_are_read_in_every_form_of_records(text: str) -> None:
    votes, left_out = votes_in(text.encode())
    assert not left_out
    assert [vote.values["choice"] for vote in votes] == ["left", "equal"]
    assert [vote.unit.lower() for vote in votes] == ["u1", "u2"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (BATTLES.replace("\n", "\r"), "Lines end with CR alone"),
        (repr(RECORDS), "as Python prints it"),
        (json.dumps(json.dumps(RECORDS)), "JSON once more"),
        ("\n".join(map(json.dumps, RECORDS))[:-9], "Line 2."),
    ],
)
def test_a_file_that_holds_no_votes_as_it_is_is_told_why(data: str, said: str) -> None:
    with pytest.raises(Refusal) as refusal:
        votes_in(data.encode())
    assert said in refusal.value.sentence


def test_a_table_of_names_alone_brings_nothing_in(pairs: Campaign) -> None:
    with pytest.raises(Refusal, match="empty"):
        bring_in(pairs, BATTLES.split("\n")[0].encode())
