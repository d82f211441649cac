"""Boards: ranks, intervals, what counts, who may see, and the number of queries."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import RANKED, better_than, of_teams
from leaderboard.boards.charts.figures import label
from leaderboard.boards.charts.scores import forest
from leaderboard.boards.entries import best_first
from leaderboard.boards.query import BoardQuery, UnknownChoice
from leaderboard.boards.rows import badges_of, row_json
from leaderboard.boards.stored_board import board
from leaderboard.results.board_sample import BoardSample, Slice
from leaderboard.results.scores import scores_for
from leaderboard.results.stored_counts import key_of
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.leaderboard.small import (
    HEADS,
    RELATIONS,
    both,
    bundle,
    conllu,
    one_wrong,
    perfect,
    scored,
    set_questions,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
URL = "/tasks/otters/test/board/"
LABEL_WRONG = {"north": conllu(HEADS["north"], ("amod", *RELATIONS[1:])).encode()}


def team(phase: Phase, name: str) -> Participation:
    user = User.objects.create_user(f"{name.lower()}@example.org")
    return join(phase.task, Team.found(name, user))


def ranking(shown: Board) -> list[tuple[int | None, str]]:
    return [(row.rank, row.team) for row in shown.rows]


@pytest.fixture
def four(phase: Phase) -> Phase:
    """One better, two tied, one worse: 1, 2, 2, 4."""
    scored(phase, team(phase, "Tied"), both({"north": one_wrong()}))
    scored(phase, team(phase, "Best"), both())
    scored(phase, team(phase, "Also"), both({"north": one_wrong()}))
    scored(phase, team(phase, "Last"), {"south": both()["south"]})
    return phase


def test_ties_share_a_rank_and_the_next_is_skipped(four: Phase) -> None:
    expected = [(1, "Best"), (2, "Tied"), (2, "Also"), (4, "Last")]
    assert ranking(board(BoardQuery(four))) == expected


def test_of_equal_means_the_earlier_stands_first() -> None:
    """1/10 and 2/10 on two test sets are as much as 3/10 and 0, which came first."""
    came = ["earlier", "later", "better"]
    values = [(0.3 + 0.0) / 2, (0.1 + 0.2) / 2, 0.5]
    assert best_first(came, values, True) == ["better", "earlier", "later"]
    assert best_first(came, values, False) == ["earlier", "later", "better"]


@pytest.mark.databases("sql")
@pytest.mark.parametrize("asks", [[], [{"name": "size", "title": "Size"}]])
def test_nothing_of_a_row_is_asked_for_when_it_is_shown(
    four: Phase, asks: list[dict[str, str]]
) -> None:
    """Rows are read without what boards do not show; the rest would be a query each."""
    set_questions(four.task, asks)
    rows = list(board(BoardQuery(four, everything=True)).rows)
    with CaptureQueriesContext(connection) as seen:
        for row in rows:
            assert not badges_of(row_json(row)) or not row.complete
            assert row.evaluation.last and row.sorted_by.measure
            assert key_of(row.evaluation, None) and row.entry.team.name
    assert len(seen) == 0


def test_an_incomplete_entry_is_marked(four: Phase) -> None:
    marks = {row.team: row.complete for row in board(BoardQuery(four)).rows}
    assert marks == {"Best": True, "Tied": True, "Also": True, "Last": False}


def test_every_score_lies_in_its_interval(four: Phase) -> None:
    for row in board(BoardQuery(four)).rows:
        for score in row.scores:
            if not row.complete:
                assert score.low is score.high is None
                continue
            assert score.low <= score.value + 1e-9
            assert score.value <= score.high + 1e-9


def test_another_measure_ranks_anew(phase: Phase) -> None:
    scored(phase, team(phase, "Heads"), both(LABEL_WRONG))
    scored(phase, team(phase, "Labels"), both({"north": one_wrong()}))
    by_las = {row.team: row.rank for row in board(BoardQuery(phase)).rows}
    by_uas = {
        row.team: row.rank for row in board(BoardQuery(phase, measure="uas")).rows
    }
    assert by_las == {"Heads": 1, "Labels": 1}
    assert by_uas == {"Heads": 1, "Labels": 2}


def test_a_missing_test_set_is_not_available_and_comes_last(four: Phase) -> None:
    last = board(BoardQuery(four, test_set="north")).rows[-1]
    assert (last.team, last.rank, last.sorted_by.value) == ("Last", None, None)


def test_the_best_entry_of_a_team_stands_unless_all_are_asked_for(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both({"north": one_wrong()}), system="early")
    scored(phase, entry, both(), system="late")
    assert [row.system for row in board(BoardQuery(phase)).rows] == ["late"]
    everything = board(BoardQuery(phase, everything=True)).rows
    assert [(row.rank, row.system) for row in everything] == [(1, "late"), (2, "early")]
    assert everything[0].entries == 2


def test_a_baseline_stands_among_the_ranked_without_a_rank(four: Phase) -> None:
    scored(four, team(four, "House"), both(), baseline=True)
    shown = board(BoardQuery(four))
    assert (None, "House") in ranking(shown)
    assert [rank for rank, _ in ranking(shown) if rank] == [1, 2, 2, 4]


def test_a_baseline_takes_no_part_in_the_tests_of_the_others(four: Phase) -> None:
    def ranges() -> dict[str, str]:
        rows = board(BoardQuery(four)).rows
        return {row.team: row.rank_range for row in rows if row.ranked}

    alone = ranges()
    scored(four, team(four, "House"), both(), baseline=True)
    assert ranges() == alone


@pytest.mark.databases("sql")
def test_late_and_withdrawn_entries_do_not_stand(
    phase: Phase, entry: Participation
) -> None:
    sent = scored(phase, entry, both())
    sent.withdrawn_at = timezone.now()
    sent.save()
    after = phase.closes + timedelta(seconds=1)
    scored(phase, entry, both(), arrived_at=after)
    assert not board(BoardQuery(phase)).rows


def test_unknown_choices_are_refused(phase: Phase, client: Client) -> None:
    with pytest.raises(UnknownChoice):
        board(BoardQuery(phase, measure="bleu"))
    assert client.get(URL, {"measure": "bleu"}).status_code == 404
    assert client.get(URL, {"test_set": "west"}).status_code == 404


def test_the_page_shows_rank_team_score_and_interval(
    four: Phase, client: Client
) -> None:
    text = client.get(URL).content.decode()
    for shown in ("Best", "Tied", "93.75", "Ranked by LAS"):
        assert shown in text


def test_an_empty_board_says_so(phase: Phase, client: Client) -> None:
    answer = client.get(URL)
    assert answer.status_code == 200 and "Be the first" in answer.text
    assert "<tbody" not in answer.text


def test_the_address_of_a_task_leads_to_the_phase_that_has_begun(
    phase: Phase, client: Client
) -> None:
    assert client.get("/tasks/otters/board/").url == URL
    choices = "?q=we%26ir&measure=uas&show=las&show=uas"
    assert client.get(f"/tasks/otters/board/{choices}").url == URL + choices


def test_charts_hold_the_numbers_of_the_rows(four: Phase) -> None:
    shown = board(BoardQuery(four))
    las = forest(shown).figure
    assert list(las["data"][0]["x"]) == [row.scores[0].value for row in shown.rows]


def test_names_cannot_put_markup_into_a_chart() -> None:
    assert label("<b>$x</b>") == "&lt;b&gt;&#36;x&lt;/b&gt;"


def test_the_number_of_queries_does_not_grow_with_the_rows(
    phase: Phase, entry: Participation, client: Client
) -> None:
    def queries(address: str) -> int:
        client.get(address)  # what a process keeps of each evaluation
        for cache in caches.all():
            cache.clear()
        with CaptureQueriesContext(connection) as seen:
            assert client.get(address).status_code == 200
        return len(seen)

    client.force_login(entry.team.members.get())
    pages = ("/", "/tasks/otters/", URL, "/tasks/otters/submissions/")
    scored(phase, entry, both())
    few = [queries(address) for address in pages]
    for name in "BCDEF":
        scored(phase, team(phase, name), both())
        scored(phase, entry, both({"north": one_wrong()}))
    assert [queries(address) for address in pages] == few


def test_a_row_says_how_sure_its_rank_is(four: Phase) -> None:
    for row in board(BoardQuery(four)).rows:
        if row.complete:
            assert row.standing.low <= row.rank <= row.standing.high
        else:
            assert (row.rank_range, row.standing.cluster) == ("", None)
            assert row.in_words.startswith("incomplete")
        assert row.in_words


def test_a_test_set_without_the_slice_is_left_out_of_its_mean(ada: User) -> None:
    """Tales are in the north alone: 3 of 4 words, all, and not sent, which counts 0."""
    plain = bundle(slug="tales")
    told = plain.files["gold/north.conllu"].replace(
        b"# sent_id = s1\n", b"# sent_id = s1\n# genre = tale\n"
    )
    gold = {"gold/north.conllu": told.replace(b" = s2\n", b" = s2\n# genre = letter\n")}
    task = create_task(Source("tales", {**plain.files, **gold}), ada)
    phase = task.phases.get()
    scored(phase, team(phase, "Most"), both({"north": one_wrong()}))
    scored(phase, team(phase, "North"), {"north": perfect()})
    scored(phase, team(phase, "South"), {"south": perfect("south")})
    shown = board(BoardQuery(phase, slice="genre:tale"))
    found = [(row.rank, row.team, row.scores[0].value) for row in shown.rows]
    assert found == [(1, "North", 100.0), (2, "Most", 75.0), (3, "South", 0.0)]


def test_a_slice_is_scored_anew_from_the_counts(phase: Phase) -> None:
    """All sentences have four words, so one slice holds everything."""
    scored(phase, team(phase, "A"), both({"north": one_wrong()}))
    whole = board(BoardQuery(phase))
    assert whole.slices == {}
    with pytest.raises(UnknownChoice):
        board(BoardQuery(phase, slice="length:41+"))
    chosen = Slice("length", "1-10")
    field = BoardSample(phase, whole.test_sets, (whole.rows[0].evaluation,), chosen)
    (scores,) = scores_for(field, whole.measures)
    shown = whole.rows[0].scores[0].exact
    assert scores[whole.measure.name].exact == shown


def test_a_difference_that_is_found_has_the_decimals_of_its_measure() -> None:
    """Ratings without decimals had "461.911"."""
    for smallest, decimals, said in (
        (461.911, 0, "462"),
        (0.0121, None, "0.013"),
        (0.0121, 2, "0.02"),
        (3.0, 0, "3"),
    ):
        measure = SimpleNamespace(percent=False, decimals=decimals)
        facts = SimpleNamespace(resolution=smallest)
        source = SimpleNamespace(facts=facts)
        shown = SimpleNamespace(source=source, measure=measure)
        note = Board.power_note.fget(shown)  # type: ignore[attr-defined]
        whole = f"A true difference of {said} would be found in four of five cases."
        assert note == whole


def test_two_conditions_on_one_column_are_not_made_one() -> None:
    both = better_than(3) & of_teams([7]) & RANKED
    assert both.lookups == {"rank__lt": 3, "team__in": [7], "rank__isnull": False}
    with pytest.raises(ValueError, match="rank__lt"):
        better_than(3) & better_than(5)
