"""Two of one's own compared: measures with the paired test, slices and units."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from django.template.loader import render_to_string
from django.test import Client

from leaderboard.boards.views import corrected_on_board
from leaderboard.results import score_progress
from leaderboard.results.score_progress import Gains, PartGain
from leaderboard.results.scores import printed
from leaderboard.results.status import status_of
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from scoring import Plan
from scoring.statistics.comparison import compare_means
from tests.leaderboard.small import both, one_wrong, scored

Login = Callable[[User], Client]
WRONG = {"north": one_wrong()}
PAGE = "/tasks/otters/submissions/compare/"


def two_sent(phase: Phase, entry: Participation) -> None:
    scored(phase, entry, both(WRONG), system="otter-1")
    scored(phase, entry, both(), system="otter-2")


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]


@pytest.fixture
def worse(task: Task) -> Submission:
    return Submission.objects.get(system="otter-1")


@pytest.fixture
def better(task: Task) -> Submission:
    return Submission.objects.get(system="otter-2")


def compared(one: Submission, other: Submission, user: User) -> Gains:
    found = [Submission.objects.get(pk=sent.pk) for sent in (one, other)]
    statuses = [status_of(sent, user) for sent in found]
    return score_progress.gains(*statuses, partial(corrected_on_board, statuses))


def address(*chosen: Submission) -> str:
    return f"{PAGE}?{'&'.join(f'submission={sent.pk}' for sent in chosen)}"


def test_the_later_one_is_told_against_the_earlier_in_any_order(
    worse: Submission, better: Submission, ben: User
) -> None:
    for pair in ((worse, better), (better, worse)):
        found = compared(*pair, ben)
        line = found.measures[0]
        assert (found.earlier.submission, found.later.submission) == (worse, better)
        assert line.change is not None
        assert (line.change.text, line.change.better) == ("+6.25", True)


def test_the_test_is_the_engines_own(
    worse: Submission, better: Submission, ben: User
) -> None:
    line = compared(worse, better, ben).measures[0]
    task = worse.phase.task
    strata = {
        str(sent.pk): [
            (counts, task.plan(counts_of.test_set.position))
            for counts_of, counts in loaded(sent)
        ]
        for sent in (better, worse)
    }
    (direct,) = compare_means(strata, task.headline_measure)
    assert line.exact == direct
    assert direct.difference == pytest.approx(0.0625)
    assert isinstance(strata[str(worse.pk)][0][1], Plan)


def loaded(sent: Submission) -> list[tuple[object, object]]:
    from scoring import Counts

    rows = sent.evaluations.get().counts.order_by("test_set__position")
    return [(row, Counts.load(bytes(row.data))) for row in rows]


def test_units_that_changed_are_named_and_counted(
    worse: Submission, better: Submission, ben: User
) -> None:
    """The first of the two sentences of the north went from 3 of 4 to 4 of 4."""
    both = compared(worse, better, ben).test_sets
    north, south = (part.units for part in both)
    assert north is not None and south is not None
    assert (north.better, north.worse, north.same) == (1, 0, 1)
    (unit,) = north.gains
    assert (unit.earlier, unit.later, unit.gain) == (75.0, 100.0, 25.0)
    assert (south.better, south.worse, south.same) == (0, 0, 2)
    assert not (north.losses or south.gains or south.losses)
    backwards = compared(better, worse, ben)
    assert backwards.test_sets == both


def test_the_page_shows_tests_and_units(
    worse: Submission, better: Submission, ben: User, as_user: Login
) -> None:
    page = as_user(ben).get(address(worse, better)).content.decode()
    assert "+6.25" in page
    assert "p, randomization" in page
    assert "Largest gains" in page
    assert "From otter-1 to otter-2" in page


def test_a_difference_is_called_better_only_where_the_test_says_so(
    worse: Submission, better: Submission, ben: User, as_user: Login
) -> None:
    """One sentence of four got better: that may be chance."""
    line = compared(worse, better, ben).measures[0]
    assert line.verdict == "level"
    page = as_user(ben).get(address(worse, better)).content.decode()
    mine = as_user(ben).get("/tasks/otters/submissions/").content.decode()
    for html in (page, mine):
        assert "+6.25" in html
        assert not re.search(r"gain-better|>\s*better\s*<", html)
    assert line.exact is not None
    for p, verdict in ((0.049, "better"), (0.05, "level"), (None, "")):
        tested = replace(line, exact=replace(line.exact, adjusted=p))
        assert tested.verdict == verdict
        shown = render_to_string(
            "results/_gain.html", {"change": line.change, "verdict": verdict}
        )
        assert ("gain-better" in shown) == (verdict == "better"), p
        assert (">better<" in shown) == (verdict == "better"), p


def test_numbers_are_rounded_as_on_the_board() -> None:
    """Of 32 words, one right: 3.125, which boards print as 3.12."""
    part = PartGain("s1", 0.0, 3.125, 3.125, better=True, decimals=2)
    assert part.printed == ("0.00", printed(part.later, 2), "+3.12")


def test_where_details_are_withheld_there_are_neither_tests_nor_units(
    worse: Submission, better: Submission, ben: User, as_user: Login
) -> None:
    Phase.objects.update(policy=Phase.Policy.BEST)
    page = as_user(ben).get(address(worse, better)).content.decode()
    assert "randomization" not in page
    assert "Largest" not in page
    assert not re.search(r"\bs1\b", page)
    assert compared(worse, better, ben).measures[0].exact is None


def test_a_blind_phase_compares_nothing(
    worse: Submission, better: Submission, ben: User, as_user: Login
) -> None:
    Phase.objects.update(policy=Phase.Policy.BLIND)
    with pytest.raises(Refusal):
        compared(worse, better, ben)
    page = as_user(ben).get(address(worse, better)).content.decode()
    assert "cannot be compared" in page


def test_two_phases_one_submission_and_strangers_are_not_compared(
    worse: Submission, better: Submission, ben: User, cy: User, as_user: Login
) -> None:
    browser = as_user(ben)
    assert "cannot be compared" in browser.get(address(worse, worse)).content.decode()
    assert "Choose two" in browser.get(PAGE).content.decode()
    assert "Choose two" in browser.get(address(worse)).content.decode()
    assert as_user(cy).get(address(worse, better)).status_code == 404
    assert browser.get(f"{PAGE}?submission=1&submission=2").status_code == 404
