"""Repaired copies of a refused file, for the problems behind its first ones.

A reader checks in passes, and a later one counts on what an earlier one found in order:
words are compared only where every line has its columns. Lines that were refused are
replaced by those of a guess (`scoring.examples`), and the copy is read again.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property

from scoring.errors import MESSAGES, MOST_PROBLEMS, Problem, Refused, ScoringError
from scoring.examples import CannotGuess, make_guess
from scoring.formats.bundle import is_zip
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source

BOM = b"\xef\xbb\xbf"
# Bytes that are read in all, so that a large file costs little more than one check.
MOST_BYTES = 16 << 20
FIRST_FIELD = re.compile(rb"[^\t ,;]*")
Lines = list[bytes]


def all_problems(
    scorer: Scorer,
    blind: Source,
    system: Source,
    options: Options,
    first: Sequence[Problem],
    read: Callable[[Source], object],
) -> Sequence[Problem]:
    """Problems of the first reading, and those that it kept from sight, by line.

    Only where the file, the blind file and the guess have line for line the same;
    elsewhere, and where a problem has no line, it is `first`.
    """
    listed = list(first)
    if any(problem.code == "header" for problem in first):
        return first  # all lines would be measured by a header that is not theirs
    copy = _RepairedCopy.of(scorer, blind, system, options)
    problems: Sequence[Problem] = first
    while copy and len(listed) <= MOST_PROBLEMS and copy.repair(problems):
        try:
            read(copy.source)
        except Refused as refusal:
            problems = [p for p in refusal.problems if not copy.made(p)]
            listed += problems
        else:
            break
    return first if len(listed) == len(first) else _first_problems(listed, system.name)


def _first_problems(problems: list[Problem], file: str) -> Sequence[Problem]:
    """Problems by the file's order, what the readers themselves left out last."""
    more = [problem for problem in problems if problem.code == "more_problems"]
    listed = sorted(
        set(problems) - set(more), key=lambda p: (p.line or 0, problems.index(p))
    )
    if more or len(listed) > MOST_PROBLEMS:
        last = Problem("more_problems", MESSAGES("more_of_them"), file)
        return [*listed[:MOST_PROBLEMS], last]
    return listed


class _RepairedCopy:
    """Lines of a file, of which those of problems are replaced round by round."""

    def __init__(self, name: str, lines: Lines, guess: Lines) -> None:
        self.name, self.lines, self.guess = name, lines, guess
        self.repaired: set[int] = set()
        self.begun: set[int] = set()  # first lines of blocks with a repaired line
        self.left = MOST_BYTES

    @classmethod
    def of(
        cls, scorer: Scorer, blind: Source, system: Source, options: Options
    ) -> "_RepairedCopy | None":
        """The copy; None where lines of these files do not correspond."""
        if any(len(side.files) > 1 or is_zip(side) for side in (blind, system)):
            return None
        lines = _lines(system)
        if len(lines) != len(_lines(blind)):
            return None
        try:
            guess = make_guess(scorer, blind, options)
        except (CannotGuess, ScoringError):
            return None
        if len(guess.files) > 1 or is_zip(guess) or len(_lines(guess)) != len(lines):
            return None
        return cls(system.name, lines, _lines(guess))

    @property
    def source(self) -> Source:
        return Source.of_bytes(self.name, b"\n".join(self.lines) + b"\n")

    def repair(self, problems: Sequence[Problem]) -> bool:
        """Replace the lines of these problems; False where that cannot be done."""
        lines = {line for p in problems for line in (p.line, *p.also) if line}
        wanted = {line - 1 for line in lines}
        self.left -= sum(map(len, self.lines))
        if not wanted or self.left < 0 or any(p.line is None for p in problems):
            return False
        if wanted & self.repaired or not all(map(self._same_item, wanted)):
            return False
        for row in wanted:
            self.lines[row] = self.guess[row]
            self.begun.add(self._beginnings[row])
        self.repaired |= wanted
        return True

    def made(self, problem: Problem) -> bool:
        """Whether a problem of the copy may come from a repair, and not be the file's.

        What concerns a whole block, such as a circle of heads, is said of its first
        line.
        """
        row = (problem.line or 0) - 1
        return row in self.repaired or row in self.begun

    def _same_item(self, row: int) -> bool:
        pair = self.lines[row : row + 1], self.guess[row : row + 1]
        first = [FIRST_FIELD.match(line) for lines in pair for line in lines]
        return len(first) == 2 and first[0][0] == first[1][0] != b""  # type: ignore[index]

    @cached_property
    def _beginnings(self) -> list[int]:
        """The first line of the block that holds each line; repairs move none."""
        rows, begin = [], 0
        for row in range(len(self.lines)):
            if row and not self.lines[row - 1].strip():
                begin = row
            rows.append(begin)
        return rows


def _lines(source: Source) -> Lines:
    """Lines of the only member, without the empty ones at its end."""
    return source.single().removeprefix(BOM).rstrip().split(b"\n")
