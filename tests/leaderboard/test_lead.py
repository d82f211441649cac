"""The sentence above a board: who leads, how sure that is, who cannot be told apart."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils.translation import override

from leaderboard.boards.board_rows import BoardRows, lead_sentence
from scoring.statistics.ranks import SystemRank

NAMES = ("Alder", "Birch", "Cedar", "Dogwood", "Elm")
ALONE = SystemRank(1, 1, 1, 1)


def lead(*standings: SystemRank, low: float | None = 80.0, in_words: str = "") -> str:
    """The sentence of a board whose teams have these standings."""
    scores = SimpleNamespace(
        columns={"las": (0, SimpleNamespace(title="LAS"))},
        texts=lambda name: ("81.2", "[80.1, 82.3]"),
        ends=lambda name: (81.2, low, 82.3),
    )
    rows: Sequence[Any] = [
        SimpleNamespace(
            team=name,
            by_measure=scores,
            context=SimpleNamespace(sorted_by="las"),
            in_words=in_words,
            rank=standing.rank,
            ranked=True,
            standing=standing,
            complete=True,
            organizers=False,
            runs=1,
        )
        for name, standing in zip(NAMES, standings, strict=False)
    ]
    return lead_sentence(BoardRows(rows))


def level(rank: int, others: str, number: int, **more: Any) -> SystemRank:
    return SystemRank(rank, 1, 4, 1, others, number, 4, **more)


BEHIND = [level(rank, "1", 1) for rank in (2, 3, 4, 5)]


def test_a_leader_that_is_better_than_all_others_is_said_to_be() -> None:
    first = SystemRank(1, 1, 1, 1, others=4)
    assert lead(first, *BEHIND) == (
        "Alder leads with LAS 81.2 [80.1, 82.3] and is significantly better than every "
        "other system."
    )


def test_systems_that_are_not_tested_are_left_out_of_such_a_claim() -> None:
    first = SystemRank(1, 1, 1, 1, others=3, untested=1)
    assert lead(first, *BEHIND).endswith("better than every other complete system.")


def test_a_claim_that_a_few_units_make_says_so() -> None:
    first = SystemRank(1, 1, 1, 1, others=4, few_decide="2-3")
    assert lead(first, *BEHIND).endswith(
        "every other system; a few units decide against ranks 2–3."
    )


@pytest.mark.parametrize(
    ("ranks", "names"),
    [
        ("2", "Birch"),
        ("2-3", "Birch and Cedar"),
        ("2, 4-5", "Birch, Dogwood and Elm"),
        ("2-5", "Birch, Cedar and 2 more systems"),
    ],
)
def test_systems_that_cannot_be_told_apart_from_the_leader_are_named(
    ranks: str, names: str
) -> None:
    # Who is not called better needs no word on the few units of others.
    assert lead(level(1, ranks, 3, few_decide="5"), *BEHIND) == (
        "Alder leads with LAS 81.2 [80.1, 82.3], but the data do not tell it apart "
        f"from {names}."
    )


def test_teams_that_share_the_first_rank_are_named_with_those_below() -> None:
    shared = level(1, "1, 3", 2)
    assert lead(shared, shared, level(3, "1", 2)) == (
        "Alder and Birch share the first rank with LAS 81.2, but the data do not tell "
        "them apart from Cedar."
    )
    apart = level(1, "1", 1)
    assert lead(apart, apart, SystemRank(3, 3, 3, 2, others=2)) == (
        "Alder and Birch share the first rank with LAS 81.2."
    )


@pytest.mark.parametrize(
    "in_words",
    ["the only ranked system", "incomplete: not compared with other systems"],
)
def test_a_leader_that_was_not_tested_is_said_to_lead_and_no_more(
    in_words: str,
) -> None:
    said = f"Alder leads with LAS 81.2 [80.1, 82.3]: {in_words}."
    assert lead(ALONE, in_words=in_words) == said


def test_nobody_is_better_than_a_system_that_was_withdrawn_just_now() -> None:
    words = "not significantly different from rank 2"
    said = lead(level(1, "2", 1), in_words=words)
    assert said == f"Alder leads with LAS 81.2 [80.1, 82.3]: {words}."


def test_a_score_without_an_interval_stands_alone() -> None:
    words = "not compared with other systems: no values per unit are known"
    of_file = SystemRank(1, others=4)
    assert (
        lead(of_file, low=None, in_words=words)
        == f"Alder leads with LAS 81.2: {words}."
    )


def test_nobody_leads_a_board_without_ranks() -> None:
    assert lead(SystemRank()) == ""


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        (
            "de",
            "Alder führt mit LAS 81.2 [80.1, 82.3], ist aber nach den Daten nicht von "
            "Birch und Cedar zu unterscheiden.",
        ),
        (
            "ru",
            "Alder лидирует: LAS 81.2 [80.1, 82.3], но данные не позволяют отличить "
            "эту систему от Birch и Cedar.",
        ),
    ],
)
def test_the_sentence_is_said_in_the_readers_language(
    language: str, sentence: str
) -> None:
    with override(language):
        assert lead(level(1, "2-3", 2), *BEHIND) == sentence
