"""Keys without lexelts, as the unified framework of all-words tasks has them."""

import pytest

from scoring.engine import examine
from scoring.errors import Refused
from tests.loops import loop_over
from tests.scoring.senses import SCORER, counted, measured, options, result, source

KEY = """\
d0.s0.t0 art%1:09:00:: art%1:04:00::
d0.s0.t1 change%2:30:01::
d0.s0.t2 deep%3:00:01::
d0.s1.t0 deep%5:00:00:far:00
"""
# By hand: the first by its second sense, the second wrong, two not answered: one of
# two that were tried, one of four in all.
ANSWERS = "d0.s0.t0 art%1:04:00::\nd0.s0.t1 change%2:30:00::\n"
# Two senses in every line look like three columns.
ALL_DOUBLE = "d0.s0.t0 art%1:1 art%1:2\nd0.s0.t1 bank%1:1 bank%1:2\n"
BABEL = "d0.s0.t0 bn:00000001n\nd0.s0.t1 bn:00000002v\n"


def test_a_key_of_instance_and_senses_is_read() -> None:
    found = measured(KEY, ANSWERS)
    assert (found["precision"], found["recall"]) == (0.5, 0.25)
    assert measured(KEY, KEY.replace(" art%1:04:00::", ""))["f1"] == 1.0


def test_its_instances_are_grouped_by_lemma_and_part_of_speech() -> None:
    counts = counted(KEY, ANSWERS)
    assert counts.units == ("d0.s0.t0", "d0.s0.t1", "d0.s0.t2", "d0.s1.t0")
    assert counts.groups["lexelt"] == ("art.n", "change.v", "deep.a", "deep.a")
    assert counts.groups["pos"] == ("n", "v", "a", "a")


@loop_over("key", [ALL_DOUBLE, BABEL, "!! a key\n" + BABEL])
def test_other_keys_of_this_kind_are_read(key: str) -> None:
    assert measured(key, key.replace(" bank%1:2", ""))["recall"] == 1.0


def test_its_blind_file_has_instances_alone_and_serves_for_checks() -> None:
    blind = SCORER.blind(source("key", KEY), options())
    assert blind.single() == b"d0.s0.t0\nd0.s0.t1\nd0.s0.t2\nd0.s1.t0\n"
    assert SCORER.guess is not None and SCORER.spoil is not None
    guess = SCORER.guess({"blind": blind.single()}, options())["blind"]
    for sent in (ANSWERS.encode() + b"d0.s0.t2 deep%3:00:01::/0.5\n", guess):
        verdict = examine(SCORER, blind, source("sent", sent), options())
        assert not verdict.findings
        assert result(KEY, sent.decode()).units == 4


def test_lines_without_a_lexelt_are_told_so_where_the_key_has_one() -> None:
    blind = source("blind", "art.n d0.s0.t0\nchange.v d0.s0.t1\n")
    with pytest.raises(Refused) as caught:
        SCORER.read_system(
            source("sent", ANSWERS), options(), SCORER.read_blind(blind, options())
        )
    (problem,) = caught.value.problems
    assert "without a lexelt" in problem.message and problem.hint


@loop_over(
    "sent",
    [
        "art%n d0.s0.t0 a%1\nchange%v d0.s0.t1 b%1\n",
        "art.n d1.s0.t0 a%1\n",
        "art d0.s0.t0 a%1\n",
    ],
)
def test_a_file_of_which_nothing_meets_the_test_set_is_refused(sent: str) -> None:
    blind = source("blind", "art.n d0.s0.t0\nchange.v d0.s0.t1\n")
    verdict = examine(SCORER, blind, source("sent", sent), options())
    (problem,) = verdict.problems
    assert problem.code == "unknown_id" and "art.n d0.s0.t0" in problem.message
