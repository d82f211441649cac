"""Stored boards: after whatever happened they say what is computed from the counts."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from leaderboard.boards import (
    board_writer,
    computation,
    entries,
    stored_board,
    stored_rows,
)
from leaderboard.boards.board import Board
from leaderboard.boards.entries import ranked_board
from leaderboard.boards.leaders import head_of
from leaderboard.boards.query import BoardQuery, BoardRequest, rankings
from leaderboard.boards.render import own_rank
from leaderboard.boards.rows import row_json
from leaderboard.boards.stored_board import NotComputed, board, newest_board
from leaderboard.boards.stored_rows import StoredRanking
from leaderboard.boards.submission_rank import ranks_of_submission
from leaderboard.boards.task_page import head_with_rows
from leaderboard.organize import baselines
from leaderboard.results import stored_counts, stored_statistics
from leaderboard.submissions import admin_actions, dispatch, evaluation, team_actions
from leaderboard.submissions.models import (
    ComputedBoards,
    Evaluation,
    StoredBoard,
    StoredStatistics,
    Submission,
)
from leaderboard.tasks import participation, policy
from leaderboard.tasks.models import GoldRevision, NamedBoard, Participation, Phase
from leaderboard.teams.models import User
from tests.joined import joined
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.crowd import entered, person
from tests.organize.disclosing import BOARD, salted, three_sent, under, unrevealed
from tests.organize.gold_changes import make_live, score_all

Made = Callable[..., GoldRevision]
HOUR = timedelta(hours=1)
KINDS: dict[str, dict[str, Any]] = {
    "best of a part": {"policy": "best", "private_share": 0.5},
    "open": {},
    "best of each team": {"policy": "best"},
    "part": {"private_share": 0.5},
    "blind": {"policy": "blind"},
    "lasting": {"lasting_differences": True},
}
OF_EACH_KIND = pytest.mark.parametrize(
    "kind",
    [
        pytest.param(
            name,
            marks=pytest.mark.thorough if i else pytest.mark.databases("json", "sql"),
        )
        for i, name in enumerate(KINDS)
    ],
)


def six_sent(phase: Phase, entry: Participation) -> None:
    """Ben's team sends three and a baseline, two other teams one each."""
    salted(phase)
    under(phase, private_share=None)
    cy = User.objects.get(name="cy")
    others = entered(phase.task, "Cys", cy), entered(phase.task, "Foxes", person("f@x"))
    three_sent(phase, entry)
    for team, name in zip(others, ("dogwood", "elm"), strict=True):
        wrong = both({"south": one_wrong("south")})
        scored(phase, team, wrong, system=name)
    scored(phase, entry, both(), system="fir", baseline=True)


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=six_sent)]


@pytest.fixture(autouse=True)
def unread_counts() -> None:
    """Another test's result of the same submission may have had the same key."""
    stored_counts._counts.clear()


def events(
    phase: Phase, sent: list[Submission], propose: Made, ada: User
) -> list[tuple[str, Callable[[], object]]]:
    """All that may happen to a board, in order."""
    mine, theirs = sent[0].participation, sent[3].participation
    now = timezone.now()

    def gold_revised() -> None:
        draft = propose()
        score_all()
        make_live(draft, ada)

    def summarised_by_another_engine() -> None:
        Evaluation.objects.filter(submission=sent[2]).update(engine="0.0.1")
        assert evaluation.summarise_again(sent[2].evaluations.latest("pk").pk)

    return [
        ("nothing", lambda: None),
        ("scored", lambda: scored(phase, mine, both(), system="gorse")),
        ("withdrawn", lambda: team_actions.withdraw(sent[1])),
        ("disqualified", lambda: admin_actions.disqualify(sent[4], ada, "why")),
        ("reinstated", lambda: admin_actions.reinstate(sent[4])),
        ("summarised again", summarised_by_another_engine),
        ("renamed", lambda: _renamed(mine)),
        ("let rank", lambda: participation.let_rank(mine, True, "They may.", ada)),
        ("team left", lambda: participation.withdraw_own(theirs, ada)),
        ("team came back", lambda: participation.join(phase.task, theirs.team)),
        ("baseline withdrawn", lambda: baselines.withdraw(sent[5], now)),
        ("gold revised", gold_revised),
        *(
            (change.__module__, partial(change, mine, theirs, ada))
            for change in joined("changes_boards")
        ),
        ("frozen", lambda: under(phase, freeze_from=now - HOUR / 60)),
        ("deadline passed", lambda: under(phase, closes=now - HOUR / 60)),
        ("revealed", lambda: under(phase, reveal_at=now - HOUR / 60)),
    ]


def _renamed(entry: Participation) -> None:
    entry.team.name = "Others"
    entry.team.save()


def ranking_of(shown: Board) -> StoredBoard:
    """The stored board that the rows are read from."""
    assert isinstance(shown.source, StoredRanking)
    return shown.source.stored


def worked() -> int:
    """Let a worker compute boards that are due, also those that rest."""
    ComputedBoards.objects.update(seconds=0)
    return computation.compute_due()


def forget() -> None:
    """No statistics are known any more, and no counts at hand."""
    StoredStatistics.objects.all().delete()
    stored_counts._counts.clear()


def computed(query: BoardQuery, shown: policy.Disclosure) -> Board:
    """The board from its entries, whatever is stored."""
    return ranked_board(BoardRequest.of(query, shown))[0]


def everything_told(
    phase: Phase, board: Callable[[BoardQuery, policy.Disclosure], Board] = board
) -> list[Any]:
    """All that the boards of the phase say, to everybody who may see one."""
    phase = Phase.objects.select_related("task").get(pk=phase.pk)
    found: list[Any] = []
    for shown in policy.audiences(phase, timezone.now()):
        for choices in ({}, {"measure": "uas"}, {"everything": True}):
            if not shown.everything and "everything" in choices:
                continue
            for query in rankings(phase, **choices) if shown.board else ():
                found += _told(board(query, shown))
        if shown.details and shown.board:
            found += _told(board(BoardQuery(phase, level="90"), shown))
    return found


def _told(shown: Board) -> list[Any]:
    rows = [row_json(row) for row in shown.rows]
    marks = [(row.in_words, row.change, row.rank_range) for row in shown.rows]
    found: list[Any] = [rows, marks, shown.rule, shown.resolution, shown.unit_note]
    found.append(shown.rows.summary)
    if shown.family:
        pairs = shown.tests.pairs
        found += [shown.tests.adjusted_p.tolist(), pairs.p_value.tolist()]
        found += [pairs.spread.tolist(), pairs.effective.tolist()]
    return found + [say(shown) for say in joined("said_of")]


@OF_EACH_KIND
def test_stored_boards_say_what_is_computed_anew_after_each_event(
    kind: str,
    phase: Phase,
    sent: list[Submission],
    propose: Made,
    ada: User,
) -> None:
    unrevealed(phase, **KINDS[kind])
    for event, happens in events(phase, sent, propose, ada):
        happens()
        worked()
        stored = everything_told(phase)
        forget()
        anew = everything_told(phase, computed)
        assert repr(stored) == repr(anew), event


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """What readers ask for nobody computes until the test does."""
    monkeypatch.setattr(stored_board, "ask", lambda _task: None)


def read_as_stored(phase: Phase) -> Phase:
    return Phase.objects.select_related("task").get(pk=phase.pk)


def shown_systems(phase: Phase) -> tuple[list[str], bool]:
    """The systems of the board that readers see, and whether newer results wait."""
    shown = board(BoardQuery(read_as_stored(phase), everything=True))
    return sorted(row.system for row in shown.rows), shown.newer_wait


def test_a_board_lacks_new_results_until_a_worker_has_added_them(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, waits = shown_systems(phase)
    assert not waits
    monkeypatch.setattr(stored_board, "ask", lambda _task: None)
    scored(phase, sent[0].participation, both(), system="gorse")
    assert shown_systems(phase) == (before, True)
    assert b"newer-wait" in Client().get(f"{BOARD}?entries=all").content
    assert Client().get(f"/api/v1{BOARD}?entries=all").json()["newer_results"] is True
    # Whatever is kept has them.
    newest = newest_board(BoardQuery(phase, everything=True))
    assert "gorse" in {row.system for row in newest.rows}
    scored(phase, sent[0].participation, both(), system="heath")
    # It rests for twenty times as long as it took.
    StoredBoard.objects.update(summary={**_summary(), "seconds": 0.5})
    computation.compute_wanted(timezone.now())
    assert shown_systems(phase) == (before, True)
    computation.compute_wanted(timezone.now() + timedelta(seconds=11))
    assert shown_systems(phase) == (sorted([*before, "gorse", "heath"]), False)
    assert Client().get(f"/api/v1{BOARD}?entries=all").json()["newer_results"] is False


def _summary() -> dict[str, Any]:
    board = StoredBoard.objects.get(replaced_at=None)
    return dict(board.summary)


def test_a_board_that_nobody_computed_is_asked_for_once_and_waited_for(
    phase: Phase,
    sent: list[Submission],
    no_worker: None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    address = f"{BOARD}?measure=uas"
    for _ in range(3):
        page = Client().get(address)
        assert (page.status_code, page["Refresh"]) == (202, "2")
        assert b"The board is being computed" in page.content
    fragment = Client().get(address, headers={"HX-Request": "true"})
    assert (fragment.status_code, fragment["HX-Redirect"]) == (202, address)
    file = Client().get(f"{BOARD[:-1]}.csv?measure=uas")
    assert (file.status_code, file["Retry-After"]) == (503, "2")
    answer = Client().get("/api/v1/tasks/otters/test/board/?measure=uas")
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert answer.json()["code"] == "not_computed"
    assert "Service Unavailable" not in caplog.text
    assert _awaited() == 1
    # Other pages show the rest of what they have.
    for other in ("/", "/tasks/otters/", f"/submissions/{sent[0].pk}/"):
        assert Client().get(other).status_code in (200, 302), other
    computation.compute_due()
    assert Client().get(address).status_code == 200
    assert not _awaited()


def _awaited() -> int:
    asked = StoredBoard.objects.filter(wanted_at__isnull=False, replaced_at=None)
    return asked.count()


def test_the_key_of_a_board_is_the_same_in_every_process(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    NamedBoard.objects.create(
        task=phase.task, position=0, name="heads", title="Heads", headline="uas"
    )
    depends_on: list[object] = []
    monkeypatch.setattr("leaderboard.boards.query.digest", depends_on.append)
    asked = BoardRequest.of(BoardQuery(read_as_stored(phase), board="heads"), None)
    assert asked.key is None and "heads" in repr(depends_on)
    assert " at 0x" not in repr(depends_on)


def test_a_board_of_choices_that_there_are_not_is_not_asked_for(
    phase: Phase, sent: list[Submission], no_worker: None
) -> None:
    computation.compute_due()
    for choice in ("measure=none", "slice=none:at all", "level=12", "at=never"):
        assert Client().get(f"{BOARD}?{choice}").status_code == 404, choice
    assert not _awaited()


def test_readers_ask_for_so_many_boards_of_a_phase_at_once(
    phase: Phase,
    sent: list[Submission],
    no_worker: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stored_board, "MOST_AWAITED", 2)
    for day in range(1, 5):
        answer = Client().get(f"{BOARD}?at=2020-01-0{day}")
        assert answer.status_code == 202
    assert _awaited() == 2


def test_what_a_reader_asked_for_is_tried_again_after_it_failed(
    phase: Phase,
    sent: list[Submission],
    no_worker: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_asked: object) -> None:
        raise ValueError("counts of nobody")

    choice = BoardQuery(phase, measure="uas")
    with pytest.raises(NotComputed):
        board(choice)
    with monkeypatch.context() as patched:
        patched.setattr(computation, "ranked_board", broken)
        computation.compute_wanted(timezone.now())
    assert "counts of nobody" in caplog.text
    computation.compute_wanted(timezone.now())
    with pytest.raises(NotComputed):
        board(choice)
    later = timezone.now() + timedelta(seconds=computation.FAILED_SECONDS)
    computation.compute_wanted(later)
    assert board(choice).rows


def test_a_board_whose_worker_was_killed_is_computed_by_the_next_after_others(
    phase: Phase,
    sent: list[Submission],
    no_worker: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def killed(*_asked: object) -> None:
        raise Killed

    for measure in ("uas", "las"):
        with pytest.raises(NotComputed):
            board(BoardQuery(phase, measure=measure))
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(computation, "ranked_board", killed)
        computation.compute_wanted(timezone.now())
    computation.compute_wanted(timezone.now())
    assert board(BoardQuery(phase, measure="las")).rows
    with pytest.raises(NotComputed):
        board(BoardQuery(phase, measure="uas"))
    later = timezone.now() + timedelta(seconds=computation.KILLED_SECONDS)
    computation.compute_wanted(later)
    assert board(BoardQuery(phase, measure="uas")).rows


def test_what_nobody_may_see_any_more_is_not_computed(
    phase: Phase, sent: list[Submission], no_worker: None
) -> None:
    with pytest.raises(NotComputed):
        board(BoardQuery(phase, measure="uas"))
    under(phase, policy="blind", reveal_at=timezone.now() + HOUR)
    computation.compute_wanted(timezone.now())
    assert not _awaited()


def test_a_rank_is_not_told_from_a_board_of_before_the_submission(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = rank_of(sent[1])
    assert first.startswith("Rank 1")
    monkeypatch.setattr(stored_board, "ask", lambda _task: None)
    better = scored(phase, sent[0].participation, both(), system="gorse")
    assert rank_of(better) == ""
    assert rank_of(sent[1]) == first


def rank_of(submission: Submission) -> str:
    """What is told of its rank now."""
    submission.phase = Phase.objects.select_related("task").get(name="test")
    shown = policy.disclosure(AnonymousUser(), submission.phase)
    (standing,) = ranks_of_submission(submission, shown)
    return standing.rank


@pytest.mark.usefixtures("pages_made_anew")
def test_pages_of_systems_say_the_same_of_boards_in_blocks(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    scored(phase, sent[0].participation, both(), system="gorse")
    whole = [told_of(one) for one in phase.submissions.order_by("pk")]
    assert any("Rank 2" in ranks for ranks, _page in whole)
    monkeypatch.setattr(stored_rows, "BLOCK", 1)
    assert [told_of(one) for one in phase.submissions.order_by("pk")] == whole


def told_of(submission: Submission) -> tuple[str, bytes]:
    """All that is said of a submission's rank, and the page of its system."""
    shown = policy.disclosure(AnonymousUser(), submission.phase)
    ranks = [
        (one.rank, one.anchor, one.other, [*one.changes])
        for one in ranks_of_submission(submission, shown)
    ]
    page = Client().get(reverse("system", args=[submission.pk]))
    return repr(ranks), page.content


@pytest.mark.usefixtures("no_worker", "pages_made_anew")
def test_pages_with_a_board_in_small_show_none_that_is_not_computed(
    phase: Phase, sent: list[Submission]
) -> None:
    def leaders() -> list[str] | None:
        fresh = Phase.objects.select_related("task").get(pk=phase.pk)
        found = head_with_rows([fresh], timezone.now())
        return found and [leader["system"] for leader in found.leaders]

    assert leaders() is None
    assert not StoredStatistics.objects.exists()
    assert Client().get("/").status_code == 200
    computation.compute_due()
    before = leaders()
    assert before
    # A newer result waits for a worker; a withdrawal shows nothing until then.
    scored(phase, sent[0].participation, both(), system="gorse")
    assert leaders() == before
    team_actions.withdraw(sent[1])
    assert leaders() is None


@pytest.mark.usefixtures("pages_made_anew")
def test_a_board_whose_week_is_over_is_shown_while_another_is_computed(
    phase: Phase,
    sent: list[Submission],
    no_worker: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(entries.ComputedRows, "_until", 0.0)
        computation.compute_due()
    first = ranking_of(board(BoardQuery(phase)))
    assert head_of(read_as_stored(phase), timezone.now()) and _awaited() == 1
    computation.compute_wanted(timezone.now() + HOUR)
    assert ranking_of(board(BoardQuery(phase))).pk != first.pk and not _awaited()


def test_a_board_that_workers_test_is_read_as_they_left_it(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "MANY_SYSTEMS", 1)
    computation.compute_due()
    fresh = Phase.objects.select_related("task").get(pk=phase.pk)
    before = len(board(BoardQuery(fresh)).rows)
    team = entered(phase.task, "Jays", person("j@x"))
    scored(phase, team, both(), system="gorse")
    fresh.refresh_from_db()
    assert len(board(BoardQuery(fresh)).rows) == before
    # Workers keep no other measure than the one that ranks.
    other = BoardQuery(fresh, measure="uas")
    board(other)
    scored(phase, team, both(), system="heath")
    assert not board(other).newer_wait
    worked()
    assert len(board(BoardQuery(fresh)).rows) == before + 1


@pytest.mark.thorough
@pytest.mark.sampled(2, by="kind")
@OF_EACH_KIND
def test_whatever_happens_beside_a_new_result_is_never_missing_from_a_board(
    kind: str,
    phase: Phase,
    sent: list[Submission],
    propose: Made,
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unrevealed(phase, **KINDS[kind])
    for event, happens in events(phase, sent, propose, ada):
        computation.compute_wanted(timezone.now() + HOUR)
        everything_told(phase)
        with monkeypatch.context() as patched:
            patched.setattr(stored_board, "ask", lambda _task: None)
            happens()
            if event == "scored":
                continue
            with suppress(NotComputed):
                shown = everything_told(phase)
                forget()
                assert repr(shown) == repr(everything_told(phase, computed)), event


def test_another_result_of_a_submission_that_had_one_is_never_missing(
    phase: Phase,
    sent: list[Submission],
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown_systems(phase)
    monkeypatch.setattr(stored_board, "ask", lambda _task: None)
    Evaluation.objects.filter(submission=sent[0]).update(engine="0.0.1")
    dispatch.enqueue(sent[0], actor=ada)
    score_all()
    with pytest.raises(NotComputed):
        shown_systems(phase)


def test_a_page_reads_the_rows_that_it_shows_alone(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_rows, "BLOCK", 2)
    whole = board(BoardQuery(phase, everything=True))
    expected = [row_json(row) for row in whole.rows]
    read: list[int] = []
    make = stored_rows.StoredValues.of

    def counted(values: Any) -> Any:
        read.append(1)
        return make(values)

    monkeypatch.setattr(stored_rows.StoredValues, "of", counted)
    again = board(BoardQuery(phase, everything=True))
    assert [row_json(row) for row in again.rows[2:4]] == expected[2:4]
    assert row_json(again.rows[3]) == expected[3]
    assert len(read) == 2
    assert [row_json(row) for row in again.rows] == expected


def test_rows_far_from_each_other_are_read_without_those_between(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_rows, "BLOCK", 1)
    monkeypatch.setattr(stored_rows, "MOST_NAMED", 0)
    whole = board(BoardQuery(phase, everything=True))
    ends = [whole.rows[0], whole.rows[len(whole.rows) - 1]]
    again = board(BoardQuery(phase, everything=True))
    assert isinstance(again.rows, stored_rows.StoredRows) and len(again.rows) > 3
    far = again.rows.at([0, len(again.rows) - 1])
    assert [*map(row_json, far)] == [*map(row_json, ends)]
    assert len(again.rows._known) == 2


def test_the_newest_rows_are_read_without_the_others(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = board(BoardQuery(phase, everything=True)).rows
    newest = sorted(whole, key=lambda row: row.received_at, reverse=True)[:2]
    monkeypatch.setattr(stored_rows, "BLOCK", 1)
    again = board(BoardQuery(phase, everything=True)).rows
    assert isinstance(again, stored_rows.StoredRows) and len(again) > 3
    assert [*map(row_json, again.newest(2))] == [*map(row_json, newest)]
    assert len(again._known) == 2


def test_rows_of_a_board_that_was_replaced_meanwhile_keep_their_own_numbers(
    phase: Phase, sent: list[Submission]
) -> None:
    def told(shown: Board) -> dict[str, float | None]:
        return {row.system: row.value for row in shown.rows}

    before = told(board(BoardQuery(phase, everything=True)))
    open_still = board(BoardQuery(phase, everything=True))
    team_actions.withdraw(sent[0])
    now = told(board(BoardQuery(phase, everything=True)))
    left = {name: v for name, v in before.items() if name != sent[0].system}
    assert now == told(open_still) == left


def test_a_revision_in_preparation_is_shown_as_far_as_it_is_scored(
    phase: Phase, sent: list[Submission], propose: Made
) -> None:
    """Its scores make no other version of the board that others see."""
    draft = propose()
    asked = BoardQuery(phase, revision=draft)
    assert not board(asked).rows
    score_all()
    assert len(board(asked).rows) == len(board(BoardQuery(phase)).rows)


def test_changes_of_ranks_fade_after_a_week_without_any_event(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    Phase.objects.filter(pk=phase.pk).update(opens=timezone.now() - 480 * HOUR)
    first, others = sent[0], Submission.objects.exclude(pk=sent[0].pk)
    Submission.objects.filter(pk=first.pk).update(
        received_at=timezone.now() - 240 * HOUR
    )
    phase.refresh_from_db()

    def changes() -> list[str]:
        shown = board(BoardQuery(phase)).rows
        return [row.system for row in shown if row.change is not None]

    assert others.exists() and changes()
    version = Phase.objects.get(pk=phase.pk).board_version
    later = timezone.now() + 169 * HOUR
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert not changes()
    assert Phase.objects.get(pk=phase.pk).board_version == version


def nothing_computed(*_asked: object) -> None:
    raise AssertionError("a reader has computed statistics")


@OF_EACH_KIND
def test_readers_of_boards_that_workers_computed_compute_nothing(
    kind: str,
    phase: Phase,
    sent: list[Submission],
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unrevealed(phase, **KINDS[kind])
    assert computation.compute_due() == 1
    monkeypatch.setattr(stored_board, "ask", nothing_computed)
    monkeypatch.setattr(stored_statistics, "_store", nothing_computed)
    organizer = Client()
    organizer.force_login(ada)
    for client in (Client(), organizer):
        for address in (BOARD, "/", "/api/v1/tasks/otters/test/board/"):
            with CaptureQueriesContext(connection) as asked:
                assert client.get(address).status_code == 200, address
            read = [query["sql"] for query in asked if '"results"' in query["sql"]]
            assert not read, f"{address} parses the results of every system"


def test_boards_are_due_when_something_happened_and_when_a_moment_has_come(
    phase: Phase, sent: list[Submission]
) -> None:
    def due() -> bool:
        return worked() == 1

    unrevealed(phase)
    assert due()
    assert not due()
    team_actions.withdraw(sent[0])
    assert due()
    assert not due()
    for moment in computation.MOMENTS:
        before = timezone.now() - HOUR / 60
        ComputedBoards.objects.update(at=before - HOUR)
        under(phase, **{moment: before})
        assert due(), moment
        assert not due(), moment


@pytest.mark.parametrize(("took", "pause"), [(0.1, 2), (0.5, 10), (1, 15), (60, 15)])
def test_a_board_that_takes_long_is_computed_the_more_seldom_but_soon(
    took: float, pause: int, phase: Phase, sent: list[Submission]
) -> None:
    """Twenty times as long as it took, and fifteen seconds at most."""
    assert computation.compute_due() == 1
    team_actions.withdraw(sent[0])
    for after, due in ((pause - 1, 0), (pause + 1, 1)):
        earlier = timezone.now() - timedelta(seconds=after)
        ComputedBoards.objects.update(seconds=took, at=earlier)
        assert computation.compute_due() == due


class Killed(BaseException):
    """The end of a process."""


def test_what_a_killed_worker_left_is_computed_by_the_next(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_asked: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(board_writer, "keep_current", killed)
        with pytest.raises(Killed):
            computation.compute_due()
    assert not ComputedBoards.objects.exists()
    assert computation.compute_due() == 1
    assert StoredBoard.objects.filter(asked=False).exists()


def test_boards_that_cannot_be_computed_keep_no_others_waiting_and_are_tried_again(
    phase: Phase,
    sent: list[Submission],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_asked: object, **_how: object) -> None:
        raise ValueError("counts of nobody")

    with monkeypatch.context() as patched:
        patched.setattr(computation, "ranked_board", broken)
        assert computation.compute_due() == 1
        assert computation.compute_due() == 0
    assert "counts of nobody" in caplog.text
    # Without any change, and not before a minute is over
    assert computation.compute_due() == 0
    minute = timedelta(seconds=computation.FAILED_SECONDS + 1)
    ComputedBoards.objects.update(at=timezone.now() - minute)
    assert computation.compute_due() == 1
    assert computation.compute_due() == 0


def test_earlier_boards_go_and_what_readers_asked_for_stays_for_a_day(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    def current() -> set[tuple[str, int]]:
        boards = StoredBoard.objects.filter(replaced_at=None)
        return set(boards.values_list("key", "pk"))

    computation.compute_due()
    before = current()
    board(BoardQuery(phase, level="90"))
    asked = current() - before
    assert before and asked
    team_actions.withdraw(sent[3])
    worked()
    assert asked <= current() and not before & current()
    later = timezone.now() + board_writer.ASKED_FOR
    monkeypatch.setattr(timezone, "now", lambda: later)
    board_writer.prune()
    assert current() and not asked & current()


def test_the_oldest_statistics_go_beyond_so_many_bytes_and_states(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_statistics, "MOST_STATES", 1)
    for system in ("gorse", "heath"):
        scored(phase, sent[0].participation, both(), system=system)
        worked()
    stored = StoredStatistics.objects.order_by("id")
    boards = [row.board for row in stored]
    assert boards and len(set(boards)) == len(boards)
    last = list(stored)[-1]
    monkeypatch.setattr(stored_statistics, "MOST_STORED", last.size)
    stored_statistics.prune()
    assert [row.pk for row in stored.all()] == [last.pk]


def test_the_note_on_units_makes_no_row(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    audience = policy.disclosure(None, phase)
    expected = computed(BoardQuery(phase), audience).unit_note
    read = board(BoardQuery(phase))
    monkeypatch.setattr(stored_rows.StoredRows, "at", pytest.fail)
    assert read.unit_note == expected


def test_a_row_that_is_deleted_while_a_page_is_made_is_left_out(
    phase: Phase, sent: list[Submission]
) -> None:
    computation.compute_due()
    read = board(BoardQuery(phase))
    first = board(BoardQuery(phase)).rows[0].submission
    Submission.objects.filter(pk=first).delete()
    assert own_rank(read, {first}) is None
    assert read.rows.at([0]) == []


def test_a_board_that_a_killed_worker_left_half_is_never_read_and_goes(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    computation.compute_due()
    team_actions.withdraw(sent[1])
    ComputedBoards.objects.update(seconds=0)
    monkeypatch.setattr(board_writer, "AT_ONCE", 1)
    written = board_writer._values

    def killed(*given: Any) -> Any:
        yield next(written(*given))
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(board_writer, "_values", killed)
        with pytest.raises(Killed):
            computation.compute_due()
    half = StoredBoard.objects.get(
        rows__place=0, version__gt=1, replaced_at__isnull=False
    )
    assert half.size > half.rows.count() == 1
    shown = board(BoardQuery(phase))
    assert ranking_of(shown).pk != half.pk
    assert len(shown.rows) == len(list(shown.rows)) == half.size
    later = timezone.now() + board_writer.KEPT
    monkeypatch.setattr(timezone, "now", lambda: later)
    board_writer.prune()
    assert not StoredBoard.objects.filter(pk=half.pk).exists()


def test_a_board_is_read_to_its_end_after_another_has_replaced_it(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_still = board(BoardQuery(phase, everything=True))
    scored(phase, sent[0].participation, both(), system="gorse")
    replacing = board(BoardQuery(phase, everything=True))
    board_writer.prune()
    systems = {row.system for row in open_still.rows}
    assert {row.system for row in replacing.rows} == systems | {"gorse"}
    later = timezone.now() + board_writer.KEPT
    monkeypatch.setattr(timezone, "now", lambda: later)
    board_writer.prune()
    assert StoredBoard.objects.filter(pk=ranking_of(replacing).pk).exists()
    assert not StoredBoard.objects.filter(pk=ranking_of(open_still).pk).exists()


def test_boards_that_readers_asked_for_go_when_they_have_too_many_rows(
    phase: Phase, sent: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    computation.compute_due()
    main = ranking_of(board(BoardQuery(phase)))
    first, last = (
        ranking_of(board(BoardQuery(phase, level=level))) for level in ("90", "99")
    )
    monkeypatch.setattr(board_writer, "MOST_ASKED", last.size)
    assert board_writer.prune() == 1
    current = StoredBoard.objects.filter(replaced_at=None)
    kept = set(current.values_list("pk", flat=True))
    assert {main.pk, last.pk} <= kept and first.pk not in kept


def test_a_search_reads_the_rows_that_it_finds_by_the_names_that_are_shown(
    phase: Phase, sent: list[Submission]
) -> None:
    entry = sent[3].participation
    Participation.objects.filter(pk=entry.pk).update(anonymous=True, alias=7)
    phase.refresh_from_db()
    for words, systems in (
        ("ymous 7", ["dogwood"]),
        (entry.team.name, []),
        ("ELM", ["elm"]),
    ):
        found = board(BoardQuery(phase, search=words))
        assert [row.system for row in found.rows] == systems, words
        assert found.in_all > len(systems)
