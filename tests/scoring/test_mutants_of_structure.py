"""Mutants of files with structure, of the scorers that `mutant_runs` names."""

import json
import os
import subprocess
import sys

import pytest

from tests.scoring import mutant_runs, outside

SECONDS, MEBIBYTES = 3, 1024


def test_mutants_end_in_an_answer_or_a_refusal_with_places() -> None:
    # None of them as long as those whose seconds and memory are asked for below.
    found = mutant_runs.main(1200, seed=2, times=2000)
    assert found["wrong"] == []


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
