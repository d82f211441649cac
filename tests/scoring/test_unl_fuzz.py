"""Hostile UNL files: a result or a refusal with an address, never a traceback."""

import random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import ScoringError
from scoring.scorer import Scorer
from tests.loops import loop_over
from tests.properties import at_night
from tests.scoring.damage import LONGEST_SECONDS, Tally, check_problems, mutant
from tests.scoring.examples import unl_graph, unl_text
from tests.scoring.unls import GRAPH, TEXT, result

GOLDS = {"unl-graph": unl_graph.GOLD.encode(), "unl-text": unl_text.GOLD.encode()}
SYSTEMS = {
    "unl-graph": [s.single() for s in unl_graph.SYSTEMS],
    "unl-text": [s.single() for s in unl_text.SYSTEMS],
}
PIECES = (
    *("[S:1]", "[S:2]", "[/S]", "[S:", "[D:x]", "[/D]", "[P:1]", "{unl}", "{/unl}"),
    *("{en}", "{/en}", "{org:en}", "{/org}", "[W]", "[/W]", "mod(", "1", ", ", ")"),
    *(":01", ".@pl", ".@", '"', "(icl>x)", "boot", "\n", "\r\n", "\r", " ", "\x00"),
    *("\u2028", "\x85", "\ufeff", "{", "}", "[", "]", "é", "\u0301"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def outcome(scorer: Scorer, gold: bytes, system: bytes) -> str:
    """ "scored" or "refused", checked to be a decent one of its kind."""
    try:
        found = result(scorer, gold, system)
    except ScoringError as error:
        check_problems(error, {"gold": gold, "system": system})
        return "refused"
    for estimate in found.measures.values():
        assert estimate.value is None or 0 <= estimate.value <= 1
    assert all(remark.isprintable() for remark in found.remarks)
    return "scored"


def run_mutants(scorer: Scorer, number: int, seed: int) -> Tally:
    dice, tally = random.Random(seed), Tally()
    foreign = [piece.encode() for piece in PIECES]
    for _ in range(number):
        gold, system = GOLDS[scorer.name], dice.choice(SYSTEMS[scorer.name])
        hurt = dice.random() < 0.25
        one = mutant(dice, gold if hurt else system, foreign)
        tally.add(outcome(scorer, *((one, gold) if hurt else (gold, one))))
    return tally


@pytest.mark.parametrize("scorer", [GRAPH, TEXT], ids=["graph", "text"])
def test_mutants_are_scored_or_refused(scorer: Scorer) -> None:
    assert run_mutants(scorer, 150, seed=5).fewest() > 15


@pytest.mark.campaign
@pytest.mark.parametrize("scorer", [GRAPH, TEXT], ids=["graph", "text"])
def test_twenty_thousand_mutants_are_scored_or_refused(scorer: Scorer) -> None:
    assert run_mutants(scorer, 20_000, seed=6).fewest() > 2000


@settings(max_examples=at_night(150))
@given(text=TEXTS, scorer=st.sampled_from([GRAPH, TEXT]))
def test_any_pieces_of_unl_are_scored_or_refused(text: str, scorer: Scorer) -> None:
    data = text.encode()
    outcome(scorer, GOLDS[scorer.name], data)
    outcome(scorer, data, data)


@settings(max_examples=at_night(150))
@given(text=TEXTS)
def test_any_expression_and_any_text_is_scored(text: str) -> None:
    for tag in ("[S", "[/S", "{", "}", "[D", "[P", "[/D", "\x00"):
        text = text.replace(tag, "")
    for scorer, name in ((GRAPH, "unl"), (TEXT, "en")):
        system = f"[S:1]{{{name}}}{text}{{/{name}}}[/S]".encode()
        assert outcome(scorer, GOLDS[scorer.name], system) == "scored"


CHAIN = b"".join(b"mod(%d, %d)" % (i, i + 1) for i in range(5_000))
HOSTILE = {
    "sentences never closed": b"[S:1]" * 60_000,
    "tags never closed": b"[S:" * 100_000,
    "braces never closed": b"[S:1]{en}" + b"{a" * 100_000 + b"{/en}[/S]",
    "parentheses": b"[S:1]{unl}mod(" + b"(" * 200_000 + b"{/unl}[/S]",
    "quotes": b"[S:1]{unl}mod(" + b'"a' * 100_001 + b"{/unl}[/S]",
    "single UWs": b"[S:1]{unl}" + b"[W]" * 100_000 + b"{/unl}[/S]",
    "white space": b"[S:1]{unl}a" + b" " * 200_000 + b"(x{/unl}[/S]",
    "attributes": b"[S:1]{unl}1" + b".@x" * 100_000 + b"({/unl}[/S]",
    "ids": b"[S:1]{unl}1" + b":1" * 100_000 + b"({/unl}[/S]",
    "constraints": b"[S:1]{unl}" + b"a(" * 100_000 + b"<{/unl}[/S]",
    "relations": b"[S:1]{unl}" + b"mod(1, 2)\n" * 9_000 + b"{/unl}[/S]",
    "no end": b"[S:1]{unl}" + b"mod(1, 2)\n" * 500_000 + b"{/unl}[/S]",
    "chain": b"[S:1]{unl}" + CHAIN + b"{/unl}[/S]",
}


@loop_over("name", HOSTILE)
def test_hostile_files_take_no_time(name: str) -> None:
    for scorer in (GRAPH, TEXT):
        begun = process_time()
        outcome(scorer, GOLDS[scorer.name], HOSTILE[name])
        assert process_time() - begun < LONGEST_SECONDS
