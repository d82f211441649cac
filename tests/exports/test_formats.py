"""Every format says what the rows say, and takes no name for more than a name."""

import csv
import io
import json
import re
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from leaderboard.boards import snapshots
from leaderboard.boards.exports.formats import all_formats
from leaderboard.boards.exports.table import ExportTable
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase
from tests.exports.answers import text_of
from tests.exports.conftest import NASTY, renamed, two_sent

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
Sent = list[Submission]
BOARD = "/tasks/otters/test/board"
# Choices of the page; none of them may be lost on the way.
QUERIES: dict[str, dict[str, Any]] = {
    "": dict(),
    "entries=all": dict(everything=True),
    "measure=uas": dict(measure="uas"),
    "test_set=north": dict(test_set="north"),
    "board=n": dict(board="n"),
    "fact.size.min=10&columns=&column=size": dict(
        facts=(("size.min", "10"),), columns=("size",)
    ),
}


def get(form: str, query: str = "") -> str:
    answer = Client().get(f"{BOARD}.{form}?{query}")
    assert answer.status_code == 200, (form, query)
    return text_of(answer)


def test_every_number_is_that_of_the_rows(phase: Phase, sent: Sent) -> None:
    for query in QUERIES:
        every_number_is_that_of_the_rows(query, phase)


def every_number_is_that_of_the_rows(query: str, phase: Phase) -> None:
    shown = board(BoardQuery(phase, **QUERIES[query]))
    assert shown.rows
    exact = [[dict(s.exact) for s in row.scores] for row in shown.rows]
    names = [measure.name for measure in shown.measures]
    rows = json.loads(get("json", query))["board"]["rows"]
    assert [[row["scores"][name] for name in names] for row in rows] == exact
    table = list(csv.DictReader(io.StringIO(get("csv", query).removeprefix("\ufeff"))))
    assert [
        [
            {
                "value": float(row[name]),
                "low": float(row[f"{name}.low"]),
                "high": float(row[f"{name}.high"]),
                "informative_units": int(row[f"{name}.informative_units"]),
                "few_units": True,
            }
            for name in names
        ]
        for row in table
    ] == exact
    assert [row["rank"] for row in table] == [str(row.rank) for row in shown.rows]
    lines = map(json.loads, get("jsonl", query).splitlines())
    assert [[line["scores"][name] for name in names] for line in lines] == exact


def test_no_name_is_more_than_a_name(sent: Sent) -> None:
    for name in NASTY:
        renamed(sent[0], name)
        row = next(csv.DictReader(io.StringIO(get("csv").removeprefix("\ufeff"))))
        assert row["system"].replace("'", "") == name.replace("'", "")
        assert row["system"][0] not in "=+-@"
        assert not re.search(r"[;|\t]\s*[=+@-]", row["system"])


def test_the_json_can_be_hashed_anew_and_says_what_it_depends_on(
    phase: Phase, sent: Sent
) -> None:
    values = json.loads(get("json"))
    text = json.dumps(
        values["board"], sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert sha256(text.encode()).hexdigest() == values["sha256"]
    phase.refresh_from_db()
    assert (values["seed"], values["resamples"], values["gold_revision"]) == (7, 200, 1)
    assert values["policy"]["policy"] == "open"
    assert values["board_version"] == phase.board_version
    assert list(values) == sorted(values)


def test_a_snapshot_of_an_earlier_version_stays_rounded(
    phase: Phase, sent: Sent, ada: Any
) -> None:
    """Version 0.3.0 could round scores, and froze them so: 90 is not printed 90.00."""
    now = timezone.now()
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    for one in boards:
        one["publication"] = "grid"
        for row in one["rows"]:
            for score in row["scores"].values():
                score |= {"value": 0.9, "low": 0.85, "high": 0.95}
    taken = snapshots.take(phase, boards, snapshots.Wanted(by=ada, at=now))
    (line, *_) = ExportTable.of_snapshot(taken)[0].lines
    assert (line.cells[0].value, line.cells[0].interval) == ("90", "[85, 95]†")
    page = Client().get(snapshots.address_of(taken)).content.decode()
    assert "[85, 95]" in page and "90.00" not in page
    assert Client().get(f"{snapshots.address_of(taken)}rows.json").status_code == 200


def test_a_copy_that_is_still_good_is_not_sent_again(phase: Phase, sent: Sent) -> None:
    client = Client()
    first = client.get(f"{BOARD}.csv")
    tag = first["ETag"]
    phase.refresh_from_db()
    assert tag.startswith(f'"{phase.board_version}-')
    assert first["Cache-Control"] == "public, max-age=5"
    again = client.get(f"{BOARD}.csv", headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    renamed(sent[0], "other")
    moved = client.get(f"{BOARD}.csv", headers={"If-None-Match": tag})
    assert moved.status_code == 200


def test_no_choice_that_the_page_refuses_is_taken(phase: Phase, sent: Sent) -> None:
    for query in ("measure=none", "test_set=east", "part=private", "slice=a:b"):
        for form in all_formats():
            assert Client().get(f"{BOARD}.{form}?{query}").status_code == 404
    assert Client().get(f"{BOARD}.exe").status_code == 404


def test_the_menu_carries_the_choices_of_the_page(sent: Sent) -> None:
    """On the board it is fetched when near; without scripts it is linked."""
    page = Client().get(f"{BOARD}/?measure=uas&page=1").content.decode()
    menu = f"{BOARD}/exports/?measure=uas"
    assert f'hx-get="{menu}"' in page and f'href="{menu}"' in page
    alone = Client().get(menu).content.decode()
    fetched = Client().get(menu, headers={"HX-Request": "true"}).content.decode()
    assert "<html" in alone and "<html" not in fetched
    for form in all_formats():
        link = f'href="{BOARD}.{form}?measure=uas"'
        assert link in alone and link in fetched


def test_a_snapshot_has_the_same_formats(phase: Phase, sent: Sent, ada: Any) -> None:
    now = timezone.now() - timedelta(hours=1)
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    taken = snapshots.take(phase, boards, snapshots.Wanted(by=ada, at=now, title="x"))
    start = f"/tasks/otters/test/snapshots/{taken.sha256[:16]}/board"
    renamed(sent[0], "later")
    for form in all_formats():
        answer = Client().get(f"{start}.{form}")
        assert answer.status_code == 200
        assert "Last-Modified" in answer and "later" not in text_of(answer)
    page = Client().get(snapshots.address_of(taken)).content.decode()
    assert f'href="{start}.json"' in page and f'href="{start}.csv?board=n"' in page
    named = Client().get(f"{start}.csv?board=n").content.decode()
    assert "uas" in named and "las" not in named
    assert Client().get(f"{start}.csv?board=z").status_code == 404


@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_a_snapshot_whose_ranges_left_places_open_keeps_them_and_says_so(
    phase: Phase, sent: Sent, ada: Any, language: str
) -> None:
    """Since then ranges are among the complete systems."""
    now = timezone.now()
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    wanted = snapshots.Wanted(by=ada, at=now, title="x")
    note = b"stay as they were computed then"
    today = snapshots.take(phase, boards, wanted)
    assert note not in Client().get(snapshots.address_of(today)).content
    with override(language):
        rule = f"{boards[0]['rule']} {snapshots.OPEN_RANGES}"
    rows = [{**row, "rank_range": [1, 7]} for row in boards[0]["rows"]]
    older = snapshots.take(phase, [{**boards[0], "rule": rule, "rows": rows}], wanted)
    page = Client().get(snapshots.address_of(older)).content
    assert note in page and "1–7".encode() in page


def test_a_snapshot_says_nothing_of_what_was_not_known_when_it_was_taken(
    phase: Phase, sent: Sent, ada: Any
) -> None:
    now = timezone.now() - timedelta(hours=1)
    boards = snapshots.as_values(snapshots.public_boards(phase, now))
    for row in boards[0]["rows"]:
        del row["entries"], row["organizers"]
    taken = snapshots.take(phase, boards, snapshots.Wanted(by=ada, at=now, title="x"))
    start = f"/tasks/otters/test/snapshots/{taken.sha256[:16]}/board"
    text = Client().get(f"{start}.csv").content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {(row["organizers"], row["entries"]) for row in rows} == {("no", "")}
