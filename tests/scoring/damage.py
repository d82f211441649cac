"""Files hurt at random, and what a refusal of one must look like."""

import random
from collections.abc import Mapping, Sequence
from time import process_time

from scoring.errors import MOST_PROBLEMS, ScoringError

LONGEST_SECONDS = 5


def mutant(dice: random.Random, data: bytes, foreign: Sequence[bytes]) -> bytes:
    """One to four wounds: bytes lost, doubled, turned round, random or `foreign`."""
    for _ in range(dice.randint(1, 4)):
        start = dice.randrange(len(data) + 1)
        end = min(len(data), start + dice.choice((0, 1, 1, 7, 60)))
        piece, other = data[start:end], dice.choice(foreign)
        filling = dice.choice(
            (b"", piece * 2, piece[::-1], other, other * 50, dice.randbytes(3))
        )
        data = data[:start] + filling + data[end:]
    return data


def check_problems(error: ScoringError, given: Mapping[str, str | bytes]) -> None:
    """Every problem has a printable message and a line that its file has."""
    assert 1 <= len(error.problems) <= MOST_PROBLEMS + 1
    for problem in error.problems:
        assert problem.message.isprintable() and problem.unit.isprintable()
        text = given[problem.file]
        data = text if isinstance(text, bytes) else text.encode()
        assert problem.line is None or 1 <= problem.line <= data.count(b"\n") + 1


class Tally:
    """Outcomes of mutants, each within LONGEST_SECONDS."""

    def __init__(self) -> None:
        self.found = {"scored": 0, "refused": 0}
        self.begun = process_time()

    def add(self, outcome: str) -> None:
        self.found[outcome] += 1
        assert process_time() - self.begun < LONGEST_SECONDS
        self.begun = process_time()

    def fewest(self) -> int:
        return min(self.found.values())
