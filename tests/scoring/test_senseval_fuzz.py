"""Hostile senseval files: a result or a refusal with an address, never a traceback."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring.engine import read_pair
from scoring.errors import ScoringError
from scoring.options import Options
from tests.properties import at_night
from tests.scoring.damage import Tally, check_problems, mutant
from tests.scoring.outside import DATA
from tests.scoring.senses import GRAINS, KEY, MAP, SCORER, options, source

REAL = DATA / "senseval3"
LINES = 40
SNIPPETS = [
    *(
        b"\n",
        b"\r\n",
        b"\r",
        b" ",
        b"\t",
        b"/",
        b"//",
        b"!!",
        b"/-1",
        b"/nan",
        b"/1e400",
    ),
    *(b"/0", b"/2", b"\x00", b"\xff", b"\xc0\x80", b"\xef\xbb\xbf", b"\xed\xa0\x80"),
    *(
        "\u2028".encode(),
        "\x85".encode(),
        b"\x0b",
        b"\x0c",
        b"\x1c",
        "\U0001f600".encode(),
    ),
    *(b" U", b" 1/0.5", b"9" * 400, b"x " * 300, "e\u0301/½".encode()),
]
PIECES = [
    "oak.n",
    "oak.1",
    "oak.2",
    "elm.n elm.1",
    "1",
    "1.1",
    "2/0.5",
    "3/7",
    "U",
    "!!",
]
PIECES += [
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "/",
    "/x",
    "\u2028",
    "\x85",
    "\ufeff",
    "\x00",
    "é",
]

texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map(
    "".join
)
files = texts.map(str.encode) | st.binary(max_size=60)
grains = st.sampled_from(GRAINS)
policies = st.sampled_from(["disjunctive", "conjunctive"])


def outcome(key: bytes, answers: bytes, **given: str | bytes) -> str:
    """ "scored" or "refused", checked to be a decent one of its kind."""
    try:
        parsed = options(**given)
        pair = read_pair(SCORER, source("key", key), source("answers", answers), parsed)
        check_result(pair, parsed)
    except ScoringError as error:
        check_problems(error, {"key": key, "answers": answers} | given)
        return "refused"
    return "scored"


def check_result(pair: tuple[Any, Any], parsed: Options) -> None:
    """Whatever is scored lies where scores lie, and the trace tells the same."""
    counts = SCORER.count(*pair, parsed)
    assert np.isfinite(counts.table).all()
    rows = list(SCORER.details(*pair, parsed).rows)
    assert tuple(f"{row[0]} {row[1]}" for row in rows) == counts.units
    assert len(set(counts.units)) == len(counts.units)
    numbers = counts.as_numbers()
    slack = 1e-9 * (1 + len(rows))
    assert 0 <= numbers["score"] <= min(numbers["attempted"], numbers["total"]) + slack
    assert sum(row[2] for row in rows) == pytest.approx(numbers["score"])
    if parsed["policy"] == "disjunctive":
        assert numbers["attempted"] <= numbers["total"] + slack
    SCORER.remarks(*pair, parsed)


@settings(max_examples=at_night(300))
@given(answers=files, grain=grains, policy=policies)
@example(answers=b"oak.n oak.1 1/1e308 2/1e308", grain="fine", policy="disjunctive")
def test_any_answer_file_is_scored_or_refused(
    answers: bytes, grain: str, policy: str
) -> None:
    outcome(KEY.encode(), answers, granularity=grain, policy=policy, sensemap=MAP)


@settings(max_examples=at_night(200))
@given(key=files, senses=files, grain=grains)
def test_any_key_and_any_map_are_used_or_refused(
    key: bytes, senses: bytes, grain: str
) -> None:
    outcome(key, b"oak.n oak.1 1 U\n", granularity=grain, sensemap=senses)
    outcome(key, key, granularity=grain, sensemap=MAP)


@settings(max_examples=at_night(200))
@given(instances=files, senses=files, policy=policies)
def test_any_filter_is_used_or_refused(
    instances: bytes, senses: bytes, policy: str
) -> None:
    given_filters = {"instances": instances, "senses": senses, "policy": policy}
    outcome(KEY.encode(), b"oak.n oak.2 3/0.5\n", **given_filters)


@settings(max_examples=at_night(200))
@given(answers=files, policy=policies)
def test_the_check_and_the_score_refuse_the_same_files(
    answers: bytes, policy: str
) -> None:
    parsed = options(policy=policy)
    published = SCORER.blind(source("key", KEY), parsed)
    blind = SCORER.read_blind(published, parsed)
    try:
        SCORER.read_system(source("answers", answers), parsed, blind)
        checked = "scored"
    except ScoringError:
        checked = "refused"
    assert outcome(KEY.encode(), answers, policy=policy) == checked


def originals() -> list[tuple[bytes, bytes]]:
    """Beginnings of the real key and runs, of our own where those are absent."""
    names = ("sys_b.txt", "ensemble_weighted.txt", "ensemble_appearance.txt")
    if not REAL.exists():
        return [(KEY.encode(), b"oak.n oak.1 1/0.5 2/0.25\nelm.n elm.1 1.1 !! so\n")]
    key = beginning(REAL / "EnglishLS.test.key")
    return [(key, beginning(REAL / name)) for name in names]


def beginning(path: Path) -> bytes:
    return b"".join(path.read_bytes().splitlines(keepends=True)[:LINES])


def run_mutants(number: int, seed: int) -> Tally:
    dice, tally = random.Random(seed), Tally()
    pairs = originals()
    for _ in range(number):
        key, answers = dice.choice(pairs)
        hurt_key = dice.random() < 0.25
        one = mutant(dice, key if hurt_key else answers, SNIPPETS)
        key, answers = (one, answers) if hurt_key else (key, one)
        grain, policy = dice.choice(GRAINS), dice.choice(("disjunctive", "conjunctive"))
        given_options = {"granularity": grain, "policy": policy, "sensemap": MAP}
        tally.add(outcome(key, answers, **given_options))
    return tally


def test_mutants_of_real_files_are_scored_or_refused() -> None:
    assert run_mutants(400, seed=1).fewest() > 40


@pytest.mark.campaign
def test_twenty_thousand_mutants_of_real_files() -> None:
    assert run_mutants(20_000, seed=2).fewest() > 2000
