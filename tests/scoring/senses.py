"""Senseval texts in, numbers out."""

from typing import Any

from scoring.counts import Counts
from scoring.engine import Job, Result, evaluate, read_pair
from scoring.errors import Problem, Refused, SetupError
from scoring.options import Options, parse
from scoring.scorers import get
from scoring.source import Source

SCORER = get("senseval")
FILES = {option.name for option in SCORER.options if option.kind == "file"}

# Two main senses with two and five below them, and one with none.
MAP = "1.1 2 1\n1.2 2 1\n1\n2\n3\n" + "".join(f"2.{i} 5 2\n" for i in range(1, 6))

KEY = "oak.n oak.1 1\noak.n oak.2 2 3\nelm.n elm.1 1.1\n"
GRAINS = ("fine", "coarse", "mixed")


def source(name: str, text: str | bytes) -> Source:
    return Source.of_bytes(name, text.encode() if isinstance(text, str) else text)


def options(**given: str | bytes) -> Options:
    """Parsed options; those that are files are given as their text."""
    raw: dict[str, Any] = {
        name: [source(name, value) if name in FILES else value]
        for name, value in given.items()
    }
    return parse(SCORER.options, raw)


def counted(key: str | bytes, answers: str | bytes, **given: str | bytes) -> Counts:
    parsed = options(**given)
    pair = read_pair(SCORER, source("key", key), source("answers", answers), parsed)
    return SCORER.count(*pair, parsed)


def numbers(key: str, answers: str, **given: str | bytes) -> dict[str, float]:
    """Summed counts."""
    return counted(key, answers, **given).as_numbers()


def result(key: str, answers: str, **given: str | bytes) -> Result:
    job = Job(SCORER, options(**given))
    return evaluate(job, source("key", key), source("answers", answers))


def measured(key: str, answers: str, **given: str | bytes) -> dict[str, float | None]:
    found = result(key, answers, **given).measures
    return {name: estimate.value for name, estimate in found.items()}


def trace(key: str, answers: str, **given: str | bytes) -> list[tuple[Any, ...]]:
    """Rows of the details table."""
    parsed = options(**given)
    pair = read_pair(SCORER, source("key", key), source("answers", answers), parsed)
    return list(SCORER.details(*pair, parsed).rows)


def refusal(
    key: str, answers: str | bytes, **given: str | bytes
) -> tuple[Problem, ...]:
    """The fault of the answers; empty if they are scored."""
    try:
        counted(key, answers, **given)
    except Refused as refused:
        return refused.problems
    return ()


def setup_error(key: str | bytes, **given: str | bytes) -> tuple[Problem, ...]:
    """The fault of the gold side; empty if it can be used."""
    try:
        SCORER.read_gold(source("key", key), options(**given))
    except SetupError as error:
        return error.problems
    return ()
