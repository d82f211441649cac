"""One test for every pair: pages, API, charts and exports of a board agree."""

import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.boards import entries
from leaderboard.boards.board import Board
from leaderboard.boards.computation import compute_boards
from leaderboard.boards.query import BoardQuery, BoardRequest
from leaderboard.boards.stored_board import board, newest_board
from leaderboard.extras.comparison import pairs as comparison
from leaderboard.extras.comparison.pairs import ForestPlot, pairs
from leaderboard.results import board_sample, stored_counts
from leaderboard.results.scores import scores_for
from leaderboard.results.stored_statistics import pairs_of
from leaderboard.submissions.models import (
    StoredBoard,
    StoredCounts,
    StoredStatistics,
    Submission,
)
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring import Counts
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.exchange import Exchange
from scoring.statistics.ranks import SystemRank
from tests.leaderboard.small import HEADS, RELATIONS, bundle, conllu, scored

Login = Callable[[User], Client]
NORTH, SOUTH = 40, 2
BOARD = "/tasks/beavers/test/board/"
API = "/api/v1/tasks/beavers/test/"
COMPARE = "/tasks/beavers/test/compare/"


def sentences(size: int, wrong: int = 0, start: int = 0) -> bytes:
    """Two-word pairs of the small task again and again; `wrong` have a wrong head."""
    found = []
    for i in range(size // 2):
        off = {2 * i, 2 * i + 1} & set(range(start, start + wrong))
        heads = list(HEADS["north"])
        for sentence in off:
            heads[4 * (sentence % 2)] = 4
        text = conllu(tuple(heads), RELATIONS)
        for old, new in (("s1", f"n{2 * i:03}"), ("s2", f"n{2 * i + 1:03}")):
            text = text.replace(f"sent_id = {old}\n", f"sent_id = {new}\n")
        found.append(text)
    return "".join(found).encode()


def files(wrong: int = 0, start: int = 0) -> dict[str, bytes]:
    return {"north": sentences(NORTH, wrong, start), "south": sentences(SOUTH)}


def four_sent(phase: Phase, entry: Participation) -> None:
    """A task with test sets of forty sentences and of two.

    Sent are the best, two that err alike often but elsewhere, one without the south.
    """
    plain = bundle(slug="beavers")
    gold = {f"gold/{name}.conllu": data for name, data in files().items()}
    source = Source("beavers", {**plain.files, **gold})
    unequal = create_task(source, User.objects.get(name="ada")).phases.get()
    for name, data in (
        ("Alder", files()),
        ("Birch", files(8)),
        ("Cedar", files(30, 8)),
        ("Dogwood", {"north": files(2)["north"]}),
    ):
        scored(unequal, entry_of(unequal, name), data, system=name.lower())


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=four_sent)]


@pytest.fixture
def unequal(ada: User) -> Phase:
    return Phase.objects.get(task__slug="beavers")


def entry_of(phase: Phase, name: str) -> Participation:
    user = User.objects.create_user(f"{name.lower()}@example.org")
    return join(phase.task, Team.found(name, user))


@pytest.fixture
def four(unequal: Phase) -> list[Submission]:
    return list(Submission.objects.order_by("received_at"))


def whole(phase: Phase) -> Board:
    return board(BoardQuery(phase, everything=True))


def test_test_sets_of_forty_and_of_two_sentences_can_be_compared(
    four: list[Submission], client: Client, as_user: Login
) -> None:
    """D1: the swaps of a small test set and of a large one had other shapes."""
    chosen = [str(sent.pk) for sent in four]
    shown = client.get(COMPARE, {"system": chosen})
    assert shown.status_code == 200
    found = client.get(f"{API}compare/", {"system": chosen})
    assert found.status_code == 200
    assert len(found.json()) == 6
    again = scored(four[0].phase, four[1].participation, files(3), system="birch-2")
    address = f"/tasks/beavers/submissions/compare/?submission={four[1].pk}"
    member = four[1].participation.team.members.get()
    page = as_user(member).get(f"{address}&submission={again.pk}")
    assert page.status_code == 200
    assert "p on the board" in page.content.decode()
    for one in (shown, page):
        # Equally good systems that fail differently differ more often than p says.
        assert "as large if both behaved alike on every unit" in one.content.decode()


def test_differences_are_drawn_against_the_best_or_the_reference_chosen(
    four: list[Submission], client: Client
) -> None:
    alder, birch, cedar, _dogwood = (str(sent.pk) for sent in four)
    compared = pairs(whole(four[0].phase), [alder, birch, cedar])
    plot = ForestPlot.of(compared, "")
    assert plot and plot.reference.submission == alder
    assert [pair.second.submission for pair in plot.pairs] == [birch, cedar]
    against = ForestPlot.of(compared, birch)
    assert against
    (first, second) = against.pairs
    assert (first.first.team, first.second.team) == ("Birch", "Alder")
    assert first.exact.difference == -compared[0].exact.difference
    assert (first.exact.low, first.exact.won) == (
        -compared[0].exact.high,
        compared[0].exact.lost,
    )
    assert first.in_words == compared[0].in_words
    assert second == compared[2]
    choice = {"system": [alder, birch], "reference": birch}
    assert "How birch differs" in client.get(COMPARE, choice).content.decode()
    assert client.get(COMPARE, choice | {"reference": cedar}).status_code == 404


def test_one_incomplete_system_leaves_the_others_their_tests(
    four: list[Submission], client: Client
) -> None:
    chosen = [str(sent.pk) for sent in four]
    found = client.get(f"{API}compare/", {"system": chosen}).json()
    for pair in found:
        numbers = (pair["p_value"], pair["adjusted"], pair["randomization"])
        incomplete = str(four[3].pk) in (pair["first"], pair["second"])
        assert (None in numbers) == incomplete
        assert pair["difference"] is not None


def test_ranks_that_are_no_single_range_are_listed_as_in_a_sentence(
    four: list[Submission],
) -> None:
    row = whole(four[0].phase).rows[0]
    standing = SystemRank(4, 1, 9, 1, "1, 3, 6-8", 5, 9, few_decide="2, 9")
    assert replace(row, standing=standing).in_words == (
        "not significantly different from ranks 1, 3 and 6–8; "
        "a few units decide against ranks 2 and 9"
    )


def test_an_incomplete_row_has_a_rank_and_no_range(
    four: list[Submission], client: Client
) -> None:
    found = client.get(f"{API}board/").json()
    assert found["rule"].endswith("and lines say nothing of them.")
    *rows, last = found["rows"]
    assert (last["system"], last["rank"]) == ("dogwood", 4)
    assert (last["rank_range"], last["cluster"]) == ([None, None], None)
    assert last["in_words"] == "incomplete: not compared with other systems"
    assert last["scores"]["las"]["low"] is None
    assert all(None not in row["rank_range"] for row in rows)


def test_a_system_counted_on_other_units_is_ranked_but_neither_tested_nor_compared(
    four: list[Submission], client: Client
) -> None:
    """As after an upgrade of a scorer that divides the same gold into other units."""
    # An evaluation of its own: the process keeps what it knows of the others.
    best = four.pop(0)
    best.delete()
    four.insert(0, scored(best.phase, best.participation, files(), system="alder"))
    stored = StoredCounts.objects.get(
        evaluation__submission=four[0], test_set__name="north"
    )
    counts = Counts.load(bytes(stored.data))
    units = tuple(f"{name}/1" for name in counts.units)
    stored.data = replace(counts, units=units).save()
    stored.save()
    stored_counts._counts.clear()
    rows = {row.team: row for row in whole(four[0].phase).rows}
    assert [rows[name].rank for name in ("Alder", "Birch", "Cedar")] == [1, 2, 3]
    assert rows["Alder"].standing.low is None
    assert rows["Birch"].standing.low is not None
    assert client.get(BOARD, {"level": "90"}).status_code == 200
    wider = board(BoardQuery(four[0].phase, level="90"))
    others = {row.team: row for row in wider.rows}
    assert others["Alder"].sorted_by.value is None
    assert others["Birch"].sorted_by.value is not None
    pair = [str(sent.pk) for sent in four[:2]]
    assert client.get(COMPARE, {"system": pair}).status_code == 404


def test_a_pair_is_corrected_over_the_board_however_few_are_chosen(
    four: list[Submission],
) -> None:
    """D17: two of a board were corrected as if there were no others."""
    shown = whole(four[0].phase)
    chosen = [str(sent.pk) for sent in four]
    alone = pairs(shown, [chosen[0], chosen[2]])[0].exact
    (among,) = [
        pair.exact
        for pair in pairs(shown, chosen)
        if (pair.first.system, pair.second.system) == ("alder", "cedar")
    ]
    assert alone.adjusted == among.adjusted
    assert alone.adjusted is not None and alone.p_value is not None
    assert alone.adjusted > alone.p_value


def test_one_more_system_on_a_board_is_tested_and_known_pairs_are_not_again(
    four: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    phase = four[0].phase
    assert len(whole(phase).tests.standings) == 4
    scored(phase, entry_of(phase, "Elder"), files(20, 4), system="elder")
    tested: list[int] = []
    pairs_alone = Exchange.pairs

    def pairs_and_size(self: Exchange, of: int | None = None) -> Any:
        found = pairs_alone(self, of)
        tested.append(len(found))
        return found

    monkeypatch.setattr(Exchange, "pairs", pairs_and_size)
    more = whole(phase)
    found = more.tests
    assert tested == [3]  # with those of the four that are complete
    StoredStatistics.objects.all().delete()
    StoredBoard.objects.all().delete()
    anew = whole(phase).tests
    assert tested[1:] == [6]
    assert found.standings == anew.standings
    assert found.resolution == anew.resolution
    np.testing.assert_array_equal(found.adjusted_p, anew.adjusted_p)


def test_numbers_of_a_board_are_the_same_however_many_are_resampled_at_once(
    four: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    large = whole(four[0].phase)
    entries = [row.evaluation for row in large.rows]
    found = []
    # On a very large board counts are read in pieces, too, and forgotten again.
    for at_once, most in ((100, 2000), (3, 2000), (1, 2000), (3, 2)):
        monkeypatch.setattr(board_sample, "SYSTEMS_AT_ONCE", at_once)
        monkeypatch.setattr(board_sample, "MANY_SYSTEMS", most)
        sample = replace(large.sample_of(entries), level=0.9)
        table = scores_for(sample, large.measures)
        found.append([dict(scores) for scores in table])
        StoredStatistics.objects.all().delete()
        StoredBoard.objects.all().delete()
    assert found[0] == found[1] == found[2] == found[3]


def test_on_a_very_large_board_nothing_is_tested_and_it_says_so(
    four: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (board_sample, entries):
        monkeypatch.setattr(module, "MANY_SYSTEMS", 3)
        monkeypatch.setattr(module, "MOST_SYSTEMS_TESTED", 3, raising=False)
    large = whole(four[0].phase)
    assert "not tested against each other" in large.rule
    assert [row.rank for row in large.rows[:3]] == [1, 2, 3]
    assert {row.in_words for row in large.rows if row.complete} == {
        "not compared with other systems: it would take too long"
    }
    assert large.resolution is None
    assert not large.levels and not large.slices  # each would be computed for all
    both = pairs(large, [str(sent.pk) for sent in four[:2]])
    assert both[0].exact.p_value is not None and both[0].exact.adjusted is None


def test_a_worker_tests_a_large_board_and_keeps_no_pairs(
    four: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    phase = four[0].phase
    small = whole(phase)
    chosen = [str(sent.pk) for sent in four[:2]]
    known = [pair.exact.adjusted for pair in pairs(small, chosen)]
    StoredStatistics.objects.all().delete()
    StoredBoard.objects.all().delete()
    for module in (board_sample, entries):
        monkeypatch.setattr(module, "MANY_SYSTEMS", 3)
    waiting = newest_board(BoardQuery(phase))
    assert waiting.rows.summary.untested
    assert not StoredStatistics.objects.filter(board=_tests_of(waiting)).exists()
    assert [row.rank_range for row in waiting.rows[:3]] == ["", "", ""]
    compute_boards(phase)
    large = board(BoardQuery(phase))
    assert not large.rows.summary.untested
    for one, other in zip(large.rows, small.rows, strict=True):
        assert one.standing == other.standing
    assert large.resolution == small.resolution
    (row,) = StoredStatistics.objects.filter(board=_tests_of(large))
    assert pairs_of(row.key) == {}
    again = [pair.exact.adjusted for pair in pairs(large, chosen)]
    for bound, adjusted in zip(again, known, strict=True):
        assert bound is not None and adjusted is not None
        assert bound >= adjusted and (bound < 0.05) == (adjusted < 0.05)


def test_a_board_takes_no_pairs_from_a_large_one_that_has_its_systems(
    four: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    phase = four[0].phase
    scored(phase, four[1].participation, files(9), system="birch again")
    expected = [row.standing for row in newest_board(BoardQuery(phase)).rows]
    StoredStatistics.objects.all().delete()
    monkeypatch.setattr(board_sample, "MANY_SYSTEMS", 4)
    every = BoardQuery(phase, everything=True)
    large = entries.ranked_board(BoardRequest.of(every, None, True))[0]
    assert large.rows.summary.untested is False
    small = entries.ranked_board(BoardRequest.of(BoardQuery(phase), None, True))[0]
    assert [row.standing for row in small.rows] == expected


def _tests_of(shown: Board) -> str:
    sample = shown.sample_of(shown.family)
    return sample.subject("tests", [shown.measure]).board


def test_a_long_list_of_systems_to_compare_is_searched_by_name(
    four: list[Submission], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "MOST_OTHERS", 1)
    keys = {sent.system: str(sent.pk) for sent in four}
    page = client.get(COMPARE).text
    assert [name for name in keys if keys[name] in page] == ["alder"]
    assert "3 more systems" in page
    asked = {"system": keys["cedar"], "find": "BIR", "choosing": "1"}
    page = client.get(COMPARE, asked).text
    assert f'value="{keys["cedar"]}" checked' in page
    assert [name for name in keys if keys[name] in page] == ["birch", "cedar"]


def test_verdicts_of_comparison_and_chart_are_those_of_the_board(
    four: list[Submission], client: Client
) -> None:
    phase = four[0].phase
    ranges = {row.system: row.standing for row in board(BoardQuery(phase)).rows}
    found = pairs(whole(phase), [str(sent.pk) for sent in four[:3]])
    better = {pair.in_words for pair in found}
    # Alder and birch differ in six sentences, each pair with cedar in more.
    assert better == {
        "alder is better",
        "alder is better; a few units decide",
        "birch is better",
    }
    assert [(ranges[n].low, ranges[n].high) for n in ("alder", "birch", "cedar")] == [
        # The fourth lacks a test set: ranges are among the complete ones.
        (1, 1),
        (2, 2),
        (3, 3),
    ]
    lines = client.get("/tasks/beavers/test/charts/", {"chart": "pairs"})
    cells = [line[2:] for line in lines.context["chart"].lines]
    stars = [["*" in cell for cell in line] for line in cells]
    assert (np.array(stars) == ~np.eye(3, dtype=bool)).all()
    marked = [[cell.endswith("*‡") for cell in line] for line in cells]
    assert np.argwhere(marked).tolist() == [[0, 1], [1, 0]]


def test_every_table_and_picture_has_the_mark_of_few_units(
    four: list[Submission], client: Client
) -> None:
    """Alder and birch differ in six sentences: no export says more than the board."""
    page = client.get("/tasks/beavers/test/board/").text
    assert page.count("‡") == 3 and "A few units decide: a significant" in page
    for name in ("column.tex", "page.tex", "tex", "md", "svg"):
        text = client.get(f"/tasks/beavers/test/board.{name}").text
        assert (name, text.count("‡")) == (name, 3)
        assert "A few units decide" in text
    rows = client.get("/tasks/beavers/test/board.csv").text.splitlines()
    place = rows[0].split(",").index("few_units_decide")
    assert [row.split(",")[place] for row in rows[1:]] == ["2", "1", "", ""]


def test_an_entry_that_is_not_on_the_board_is_corrected_as_if_it_were(
    four: list[Submission],
) -> None:
    """Alder against an earlier entry of Birch: three pairs there and this one; where
    every entry is shown it stands there, and all six pairs count."""
    phase = four[0].phase
    older = scored(phase, four[1].participation, files(12), system="birch-0")
    every, both = whole(phase), [str(four[0].pk), str(older.pk)]
    found = pairs(replace(every, beside_teams=True), both)[0].exact
    assert found.p_value is not None
    assert found.adjusted is not None
    assert found.p_value <= found.adjusted <= 4 * found.p_value
    among_all = pairs(every, both)[0].exact.adjusted
    assert among_all is not None and among_all > found.adjusted


def test_a_board_says_what_difference_it_would_find(
    four: list[Submission], client: Client
) -> None:
    """On the page behind "How to read", and in the API; in no caption or export."""
    page = client.get(BOARD).content.decode()
    said = client.get(f"{API}board/").json()["resolution"]
    assert 0 < said < 1
    points = f"{np.ceil(said * 1e4) / 100:.2f}"
    sentence = f"A true difference of {points} points would be found in four of five"
    assert sentence in page[page.index('id="how-to-read"') :]
    for export in ("md", "tex", "html"):
        exported = client.get(f"{API}exports/{export}/").content.decode()
        assert points not in exported
        assert "resolved here" not in exported
    assert "resolved here" not in page
    frozen = json.dumps(client.get(f"{API}board/", {"slice": ""}).json())
    assert '"resolution"' in frozen


def test_the_separation_page_plans_for_a_number_of_systems(
    four: list[Submission], ada: User, as_user: Login
) -> None:
    reader, sizes = as_user(ada), []
    for systems in (2, 50):
        page = reader.get("/tasks/beavers/test/separation/", {"systems": systems})
        (outlook,) = [o for o in page.context["outlooks"] if o.measure.name == "las"]
        sizes.append(outlook.separation.smallest)
        assert outlook.interval in page.content.decode()
    assert sizes[1] > 1.4 * sizes[0]
    for wrong in ("1", "x", "-3", "10001", "\u0663"):
        page = reader.get("/tasks/beavers/test/separation/", {"systems": wrong})
        assert page.status_code == 404


def test_the_separation_page_plans_runs_where_entries_have_several(
    four: list[Submission], ada: User, as_user: Login
) -> None:
    phase, reader = four[0].phase, as_user(ada)
    address = "/tasks/beavers/test/separation/"
    assert "Runs of each system" not in reader.get(address).content.decode()
    Phase.objects.filter(pk=phase.pk).update(most_runs=3)
    phase.refresh_from_db()
    test_sets = {one.name: one for one in phase.test_sets.all()}
    for name, wrong, start in (("Elm", (4, 14, 24), 0), ("Fir", (6, 16, 22), 10)):
        first, *more = (files(one, start) for one in wrong)
        runs = [
            {test_sets[n]: SimpleUploadedFile(n, data) for n, data in run.items()}
            for run in more
        ]
        entry = entry_of(phase, name)
        scored(phase, entry, first, system=name.lower(), more_runs=runs)
    smallest = []
    for runs_planned in (None, 3, 12):
        asked = {"runs": runs_planned} if runs_planned else {}
        page = reader.get(address, asked)
        (outlook,) = [o for o in page.context["outlooks"] if o.measure.name == "las"]
        smallest.append(outlook.separation.smallest)
        text = page.content.decode()
        assert "Runs of each system" in text and outlook.beside_units in text
        assert "Judges of each system" not in text
    assert smallest[0] == smallest[1] >= smallest[2]
    for unfit in ("1", "x", "10001"):
        assert reader.get(address, {"runs": unfit}).status_code == 404


@pytest.mark.parametrize(("p_value", "low"), [(0.01, -0.02), (0.2, 0.01)])
def test_what_is_bold_follows_the_test_where_the_interval_says_otherwise(
    p_value: float, low: float
) -> None:
    found = comparison.SliceNumbers(
        np.array([0.9, 0.8]), 50, np.array([low]), np.array([0.2]), np.array([p_value])
    )
    fake: Any = SimpleNamespace(level=0.95)
    line = comparison._line(fake, 1, get("attachment").measure("las"), found)
    assert [one.clear for one in line.differences] == [p_value < 0.05]
