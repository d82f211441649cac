"""SENSEVAL answers: `lexelt instance tag[/weight] ...` with weights as written."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from scoring.counts import Integers
from scoring.errors import Findings, Problem, Refused
from scoring.formats.senseval import Block, blocks, shown
from scoring.formats.text import text_of
from scoring.source import Source

MOST_TAGS = 250
MOST_LINES = 1_000_000
LINES_PER_INSTANCE = 10
MOST_MET = 100_000
MISSING = math.nan

Guess = tuple[str, float]
Trouble = tuple[str, str]


@dataclass(frozen=True)
class Answers:
    """Some answer lines, `a` of them.

    `lines` (a,) count from 1, `names` (a,) are "lexelt instance", `sizes` (a,) the
    numbers of guesses, and `guesses` all of them in a row: tag and weight, MISSING
    where none is written. A line without tags has no guesses.
    """

    lines: Sequence[int]
    names: list[str]
    sizes: Integers
    guesses: list[Guess]


def read(source: Source, findings: Findings, instances: int) -> Iterator[Answers]:
    """The answers of a file, block by block; what is wrong goes to `findings`.

    Raises Refused when the file as a whole cannot be read, or has more lines than
    could make sense for that many instances.
    """
    text = text_of(source, Refused)
    most = MOST_LINES + LINES_PER_INSTANCE * instances
    if text.count("\n") > most:
        message = f"more than {most} lines found for {instances} instances."
        raise Refused(Problem("too_many_lines", message, source.name))
    met: dict[str, Guess] = {}
    for whole in blocks(text, findings):
        if len(met) > MOST_MET:
            met.clear()
        block = whole.at_least(2, "'lexelt instance tag[/weight] ...'", findings)
        written = [fields[2:] for fields in block.fields]
        troubles = _meet(set(chain.from_iterable(written)) - met.keys(), met)
        if troubles or max(map(len, written), default=0) > MOST_TAGS:
            block = _fine(block, troubles, findings)
            written = [fields[2:] for fields in block.fields]
        sizes = np.fromiter(map(len, written), dtype=np.int64, count=len(written))
        guesses = list(map(met.__getitem__, chain.from_iterable(written)))
        yield Answers(block.lines, block.names, sizes, guesses)


def _meet(written: set[str], met: dict[str, Guess]) -> dict[str, Trouble]:
    """Read guesses into `met`; code and message of those that are wrong."""
    troubles: dict[str, Trouble] = {}
    weights: dict[str, float | None] = {}
    for text in written:
        tag, slash, weight = text.partition("/")
        if slash and weight not in weights:
            weights[weight] = number(weight)
        value = weights[weight] if slash else MISSING
        if value is None or not tag:
            troubles[text] = _trouble(text)
        else:
            met[text] = tag, value
    return troubles


def _trouble(written: str) -> Trouble:
    tag, _, weight = written.partition("/")
    if not tag:
        return "tag", f"no tag in '{shown(written)}'; expected tag/weight."
    return "weight", (
        f"'{shown(weight)}' is no weight of tag '{shown(tag)}'; "
        "expected a number of 0 or more, as in 'bank:1/0.7'."
    )


def number(text: str) -> float | None:
    """A plain decimal number from 0 up; None for anything else."""
    # float() would also read "1_000" and the digits of other scripts.
    if "_" in text or not text.isascii():
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None


def _fine(block: Block, troubles: dict[str, Trouble], findings: Findings) -> Block:
    """Without the lines that hold trouble, of which the first in a line is told."""
    kept = []
    for line, fields in zip(block.lines, block.fields, strict=True):
        tags = fields[2:]
        found = next((troubles[tag] for tag in tags if tag in troubles), None)
        if len(tags) > MOST_TAGS:
            message = f"{len(tags)} tags found; expected at most {MOST_TAGS}."
            found = "tags", message
        if found:
            unit = shown(f"{fields[0]} {fields[1]}")
            findings.add(*found, line=line, unit=unit)
        kept.append(found is None)
    return block.where(kept)
