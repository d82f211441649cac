"""Mutants of coreference, spans, tuples, probabilities, metrics and edits."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from random import Random

import pytest

from scoring.errors import Refused
from scoring.scorers import get
from tests.scoring import mutant_runs, outside
from tests.scoring.examples import examples_of

SECONDS, MEBIBYTES = 3, 1024


def test_mutants_end_in_an_answer_or_a_refusal_with_places() -> None:
    found = mutant_runs.main(240, seed=2)
    assert found["wrong"] == []


JUNK = (b"", b",", b"\n", b'"', b"\t", b"\0", b"\xff", b"1e400", b"nan", b"-")
BRACKETS = (b"[", b"{", b"}", b":", b";")


@pytest.mark.parametrize("name", ["metrics", "probabilities", "tuples"])
def test_broken_files_end_in_an_answer_or_a_refusal(name: str) -> None:
    dice, scorer = Random(5), get(name)
    for example in examples_of(name):
        options = example.parsed(scorer)
        ((member, whole),) = example.systems[0].files.items()
        gold = scorer.read_gold(example.gold, options)
        for _ in range(200):
            data = bytearray(whole)
            for _ in range(dice.randrange(1, 4)):
                at = dice.randrange(len(data))
                data[at : at + dice.randrange(4)] = dice.choice(JUNK + BRACKETS)
            mine = replace(example.systems[0], files={member: bytes(data)})
            try:
                scorer.count(gold, scorer.read_system(mine, options, gold), options)
            except Refused as refusal:
                assert refusal.problems


@pytest.mark.slow
def test_five_thousand_mutants_are_quick_and_small() -> None:
    """By themselves, so that the memory is theirs."""
    found = json.loads(
        subprocess.run(
            [sys.executable, "-m", "tests.scoring.mutant_runs", "5000"],
            cwd=outside.ROOT,
            env={**os.environ, "PYTHONPATH": str(outside.ROOT)},
            capture_output=True,
            check=True,
        ).stdout
    )
    assert found["wrong"] == []
    assert sum(found["became"].values()) == 5000
    assert found["slowest"] < SECONDS, found["slow"]
    assert found["mebibytes"] < MEBIBYTES
