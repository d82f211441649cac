"""A board of forty documents in which systems do well by themselves: the lead sentence,
lines, comparisons, plan, exports and records all compare document by document."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.test import Client

import plumbline
from leaderboard.boards.board import Board
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.snapshots import board_json
from leaderboard.boards.stored_board import board
from leaderboard.extras.comparison.pairs import pairs
from leaderboard.results import board_sample
from leaderboard.results.status import receipt_of
from leaderboard.submissions.models import Evaluation, StoredStatistics
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring import VERSION
from scoring.receipt import verify
from scoring.source import Source
from tests.leaderboard.small import scored
from tests.organize.test_few_units import spans

DOCUMENTS, EACH, SEED = 40, 8, 17
SENTENCE = (
    "Systems are compared document by document: units inside one document are alike."
)
BOARD = "/tasks/names/test/board/"
NAMES = ("Alder", "Birch", "Cedar")
Login = Callable[[User], Client]


def marked(right: np.ndarray | None = None) -> bytes:
    """Documents of EACH sentences with a name each, found where it is `right`."""
    lines = []
    for d in range(DOCUMENTS):
        lines.append("-DOCSTART- O\n\n")
        for s in range(EACH):
            found = right is None or bool(right[d, s])
            lines.append(f"w{d}{s}\tO\nAda\t{'B-PER' if found else 'O'}\n\n")
    return "".join(lines).encode()


def three(seed: int, spread: float) -> dict[str, bytes]:
    """Files of systems of one skill, each with documents that suit it by so much."""
    rng, files = np.random.default_rng(seed), {}
    for name in NAMES:
        chance = np.clip(0.7 + rng.normal(0, spread, (DOCUMENTS, 1)), 0, 1)
        files[name.lower()] = marked(rng.random((DOCUMENTS, EACH)) < chance)
    return files


def send_three(phase: Phase, seed: int, spread: float) -> None:
    for name, file in three(seed, spread).items():
        user, _new = User.objects.get_or_create(email=f"{name}@example.org")
        team = Team.found(f"{name.title()} {phase.task.slug}", user)
        scored(phase, join(phase.task, team), {"names": file}, system=name)


def forty_documents(slug: str) -> Phase:
    files = {**spans(1).files, "names.conll": marked()}
    named = files["task.yaml"].replace(b"slug: otters", f"slug: {slug}".encode())
    source = Source(slug, {**files, "task.yaml": named})
    return create_task(source, User.objects.get(name="ada")).phases.get()


def all_sent(_phase: Phase, _entry: object) -> None:
    send_three(forty_documents("names"), SEED, 0.25)


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=all_sent)]


@pytest.fixture
def forty(ada: User) -> Board:
    return board(BoardQuery(Phase.objects.get(task__slug="names")))


def test_everything_of_a_board_compares_document_by_document(
    forty: Board, client: Client, ada: User, as_user: Login
) -> None:
    page = client.get(BOARD).content.decode()
    assert forty.compared_by == "document"
    # By sentences the first "is significantly better than every other system".
    assert "tell it apart" in forty.lead and forty.lead in page.replace("&#x27;", "'")
    assert SENTENCE in forty.lead_notes and SENTENCE in forty.rule
    above_the_table = page[: page.index('id="ranking"')]
    assert SENTENCE in above_the_table.partition('class="board-lead"')[2]
    assert "Every system here has one run" in above_the_table
    # Neither ranges nor lines tell them apart.
    assert {(row.standing.low, row.standing.high) for row in forty.rows} == {(1, 3)}
    assert len({row.standing.cluster for row in forty.rows}) == 1

    chosen = [row.submission for row in forty.rows]
    found = pairs(forty, chosen)
    known = forty.tests.pairs.p_value.tolist()
    assert sorted(pair.exact.p_value or 0 for pair in found) == sorted(known)
    for pair in found:
        exact = pair.exact
        assert exact.compared_by == "document" and not pair.significant
        assert exact.p_value is not None and exact.randomization is not None
        assert exact.p_value == pytest.approx(exact.randomization, abs=0.05)
        assert exact.low is not None and exact.low < 0 < (exact.high or 0)
        assert (exact.won or 0) + (exact.lost or 0) + (exact.tied or 0) == DOCUMENTS
    shown = client.get("/tasks/names/test/compare/", {"system": chosen})
    assert SENTENCE in shown.content.decode()
    api = client.get("/api/v1/tasks/names/test/compare/", {"system": chosen}).json()
    assert {pair["compared_by"] for pair in api} == {"document"}
    tested = client.get("/api/v1/tasks/names/test/pairs/").json()["pairs"]
    assert {pair["compared_by"] for pair in tested} == {"document"}

    plan = as_user(ada).get("/tasks/names/test/separation/")
    assert SENTENCE in plan.content.decode()
    assert f'<td class="number">{DOCUMENTS}</td>' in plan.content.decode()

    exported = client.get("/tasks/names/test/board.md").content.decode()
    assert SENTENCE in exported
    frozen = json.loads(json.dumps(board_json(forty), default=str))
    assert frozen["compared_by"] == "document" and SENTENCE in frozen["rule"]
    assert client.get("/api/v1/tasks/names/test/board/").json()["rule"] == forty.rule
    assert forty.rows[0].evaluation.engine == VERSION == "0.5.0"


def test_entries_of_the_only_team_are_compared_as_on_a_board_of_them(
    ada: User, as_user: Login
) -> None:
    """The board has one row and no pair to go by."""
    assert ada.name  # organizes it; organizers see boards of their own
    phase = forty_documents("own")
    member = User.objects.get_or_create(email="alder@example.org")[0]
    own = join(phase.task, Team.found("Otters", member))
    for name, file in three(SEED, 0.25).items():
        scored(phase, own, {"names": file}, system=name)
    assert len(board(BoardQuery(phase)).rows) == 1
    entries = [str(key) for key in phase.submissions.values_list("pk", flat=True)]
    page = "/api/v1/tasks/own/test/compare/"
    answer = as_user(member).get(page, {"system": entries}).json()
    assert [pair["compared_by"] for pair in answer] == ["document"] * 3


def test_the_command_line_and_receipts_say_what_the_board_says(forty: Board) -> None:
    gold = Source.of_bytes("gold", marked())
    files = {n: Source.of_bytes(n, file) for n, file in three(SEED, 0.25).items()}
    compared = plumbline.compare(
        "spans", gold, *files.values(), names=list(files), measures="f1", format="conll"
    )
    assert {pair.compared_by for pair in compared} == {"document"}
    expected = sorted(forty.tests.pairs.p_value.tolist())
    assert sorted(pair.p_value or 0 for pair in compared) == expected
    printed = compared.as_text("text")
    assert "compared document by document, units inside one are alike" in printed
    # A receipt is of one system: what it repeats are scores, which no test changes.
    for scores in Evaluation.objects.filter(submission__phase=forty.phase):
        receipt = receipt_of(scores, forty.phase.test_sets.get())
        assert verify(receipt, gold, files[scores.submission.system], {}) == []


def test_a_stored_board_names_its_groups_without_another_test(
    forty: Board, django_assert_max_num_queries: Any
) -> None:
    again = board(BoardQuery(forty.phase))
    assert again.source.facts.compared_by
    with django_assert_max_num_queries(0):
        assert again.compared_by == "document"


def test_pairs_tested_by_sentences_are_not_taken_for_those_by_documents(
    forty: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newcomer may be the one that makes a board compare by documents."""
    StoredStatistics.objects.all().delete()
    two, three = (
        replace(forty.sample_of(some), family=None)
        for some in (forty.family[:2], forty.family)
    )
    monkeypatch.setattr(board_sample, "grouping_to_exchange", lambda *_given: "")
    before = board_sample.tests_of(two, forty.measure)
    monkeypatch.setattr(
        board_sample, "grouping_to_exchange", lambda *_given: "document"
    )
    after = board_sample.tests_of(three, forty.measure)
    assert (before.compared_by, after.compared_by) == ("", "document")
    first = after.submissions[two.submissions[0]], after.submissions[two.submissions[1]]
    assert first == (0, 1)
    assert after.pairs.p_value[0] > 1.5 * before.pairs.p_value[0]


def test_sentences_stay_where_systems_err_anywhere(ada: User) -> None:
    phase = forty_documents("others")
    send_three(phase, 1, 0.0)
    shown = board(BoardQuery(phase))
    assert shown.compared_by == ""
    assert "compared" not in shown.rule
    assert board_json(shown)["compared_by"] is None
