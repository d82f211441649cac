"""UNL documents written short, and what both directions make of them."""

from typing import Any

from scoring.engine import Job, Result, evaluate, read_pair
from scoring.errors import Problem, Refused, SetupError
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.source import Source

GRAPH, TEXT = get("unl-graph"), get("unl-text")


def source(name: str, text: str | bytes) -> Source:
    return Source.of_bytes(name, text.encode() if isinstance(text, str) else text)


def graphs(*expressions: str) -> str:
    """A document of graphs; the ids are 1, 2, ..."""
    return "".join(
        f"[S:{i}]\n{{unl}}\n{text}\n{{/unl}}\n[/S]\n"
        for i, text in enumerate(expressions, 1)
    )


def texts(*sentences: str | list[str]) -> str:
    """A document of English texts, a list of them where several are good."""
    found = []
    for i, one in enumerate(sentences, 1):
        several = [one] if isinstance(one, str) else one
        blocks = "".join(f"{{en}}\n{text}\n{{/en}}\n" for text in several)
        found.append(f"[S:{i}]\n{blocks}[/S]\n")
    return "".join(found)


def options(scorer: Scorer, **given: str) -> Options:
    """Parsed options; the UW list is given as its text."""
    raw: dict[str, Any] = {
        name: [source(name, value) if name == "uw_list" else value]
        for name, value in given.items()
    }
    return parse(scorer.options, raw)


def result(
    scorer: Scorer, gold: str | bytes, system: str | bytes, **given: str
) -> Result:
    job = Job(scorer, options(scorer, **given))
    return evaluate(job, source("gold", gold), source("system", system))


def measured(
    scorer: Scorer, gold: str, system: str, **given: str
) -> dict[str, float | None]:
    found = result(scorer, gold, system, **given).measures
    return {name: estimate.value for name, estimate in found.items()}


def rows(scorer: Scorer, gold: str, system: str, **given: str) -> list[dict[str, Any]]:
    """Rows of the details table by column."""
    parsed = options(scorer, **given)
    pair = read_pair(scorer, source("gold", gold), source("system", system), parsed)
    found = scorer.details(*pair, parsed)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def refusal(
    scorer: Scorer, gold: str | bytes, system: str | bytes
) -> tuple[Problem, ...]:
    """The fault of the system's file; empty if it is scored."""
    try:
        result(scorer, gold, system)
    except Refused as refused:
        return refused.problems
    return ()


def setup_error(scorer: Scorer, gold: str | bytes, **given: str) -> tuple[Problem, ...]:
    """The fault of the gold side; empty if it can be used."""
    try:
        scorer.read_gold(source("gold", gold), options(scorer, **given))
    except SetupError as error:
        return error.problems
    return ()
