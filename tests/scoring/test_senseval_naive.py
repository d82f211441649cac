"""The arrays against a scorer that goes through the rules one by one."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties import at_night
from tests.scoring.senses import GRAINS, MAP, counted, refusal

TAGS = ["1", "2", "3", "1.1", "1.2", "2.1", "2.5", "U", "odd"]
TREE = {line.split()[0]: line.split()[1:] for line in MAP.splitlines()}
WEIGHTS = ["0", "0.1", "0.25", "1", ".5", "3", "1e-3"]

Guess = tuple[str, float | None]


def coarse(tag: str) -> str:
    return TREE[tag][-1] if TREE.get(tag) else tag


def credit(guess: str, key: str, grain: str) -> float:
    if guess == key:
        return 1
    if grain != "mixed":
        return 0
    up, down = TREE.get(key, []), TREE.get(guess, [])
    return 1 / int(up[0]) if guess in up[1:] else float(key in down[1:])


def naive(
    key: list[str], answer: list[Guess], grain: str, policy: str
) -> tuple[float, float, float]:
    """Score, attempted and total of one instance."""
    collapse = coarse if grain == "coarse" else str
    senses = sorted({collapse(tag) for tag in key})
    loose = any(weight is None for _, weight in answer)
    guesses = [(collapse(t), 1.0 if loose else float(w or 0)) for t, w in answer]
    if policy == "conjunctive":
        merged: dict[str, float] = {}
        for tag, weight in guesses:
            merged[tag] = min(1, merged.get(tag, 0) + weight)
        guesses = list(merged.items())
    elif (whole := sum(weight for _, weight in guesses)) > 1:
        guesses = [(tag, weight / whole) for tag, weight in guesses]
    hit = sum(w * min(1, sum(credit(t, k, grain) for k in senses)) for t, w in guesses)
    found = [min(1, sum(w * credit(t, k, grain) for t, w in guesses)) for k in senses]
    attempted = sum(weight for _, weight in guesses)
    if policy == "conjunctive":
        return min(hit, sum(found)), attempted, len(senses)
    return min(1, hit), attempted, 1


@st.composite
def instances(draw: st.DrawFn) -> list[tuple[list[str], list[Guess]]]:
    """Keys with answers; no answer at all is an empty list."""
    written = st.none() | st.sampled_from(WEIGHTS).map(float)
    guess = st.tuples(st.sampled_from(TAGS), written)
    key = st.lists(st.sampled_from(TAGS), min_size=1, max_size=4, unique=True)
    item = st.tuples(key, st.lists(guess, max_size=4))
    return draw(st.lists(item, min_size=1, max_size=6))


def texts(drawn: list[tuple[list[str], list[Guess]]]) -> tuple[str, str]:
    key, answers = "", ""
    for number, (tags, answer) in enumerate(drawn):
        key += f"w w.{number} {' '.join(tags)}\n"
        guesses = (tag if w is None else f"{tag}/{w!r}" for tag, w in answer)
        answers += f"w w.{number} {' '.join(guesses)}\n"
    return key, answers


@pytest.mark.parametrize("policy", ["disjunctive", "conjunctive"])
@pytest.mark.parametrize("grain", GRAINS)
@settings(max_examples=at_night(80))
@given(drawn=instances())
def test_every_instance_gets_what_the_rules_give(
    grain: str, policy: str, drawn: list[tuple[list[str], list[Guess]]]
) -> None:
    key, answers = texts(drawn)
    given_options: dict[str, Any] = {"granularity": grain, "policy": policy}
    given_options["sensemap"] = MAP
    above = any(
        any((w or 0) > 1 for _, w in answer) and all(w is not None for _, w in answer)
        for _, answer in drawn
    )
    if policy == "conjunctive" and above:
        assert refusal(key, answers, **given_options)
        return
    counts = counted(key, answers, **given_options)
    for row, (tags, answer) in enumerate(drawn):
        numbers = counts.where(np.array([row])).as_numbers()
        expected = naive(tags, answer, grain, policy)
        found = (numbers["score"], numbers["attempted"], numbers["total"])
        assert found == pytest.approx(expected, abs=1e-12)
