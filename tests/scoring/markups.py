"""SEMarkup files written short, and what `semarkup` makes of them."""

from typing import Any

from scoring.engine import Job, Result, evaluate, read_pair
from scoring.errors import Problem, Refused, SetupError
from scoring.options import Options, parse
from scoring.scorers import get
from scoring.source import Source

SCORER = get("semarkup")
FILES = {option.name for option in SCORER.options if option.kind == "file"}
SCORES = ("lemma", "pos", "feats", "uas", "las", "semslot", "semclass")

# Two trees; the path from SLOOP to PIER goes over two nodes without a name.
TAXONOMY = """\
ID,ParentID,Depth,Name
1,,0,THING
2,1,1,_
3,2,2,VESSEL
4,3,3,SLOOP
5,1,1,_
6,5,2,PIER
7,,0,EVENT
8,7,1,MOTION
9,,0,_
10,9,1,LONE
"""
FIELDS = {
    "form": "mast",
    "lemma": "mast",
    "pos": "NOUN",
    "feats": "_",
    "head": "0",
    "deprel": "root",
    "semslot": "_",
    "semclass": "_",
}


def token(**fields: str) -> str:
    """A token line behind its ID; what is not given is as in FIELDS."""
    found = FIELDS | fields
    form, lemma, pos, feats, head, deprel, slot, semclass = found.values()
    return "\t".join([form, lemma, pos, "_", feats, head, deprel, slot, semclass])


def sentences(*groups: list[str]) -> str:
    """A file; sent_ids are s1, s2, ..."""
    found = []
    for number, lines in enumerate(groups, 1):
        numbered = [f"{i}\t{line}" for i, line in enumerate(lines, 1)]
        found.append("\n".join([f"# sent_id = s{number}", *numbered, "", ""]))
    return "".join(found)


def one(**fields: str) -> str:
    """A file of one token."""
    return sentences([token(**fields)])


def source(name: str, text: str | bytes) -> Source:
    return Source.of_bytes(name, text.encode() if isinstance(text, str) else text)


def options(**given: str | bytes) -> Options:
    """Parsed options; those that are files are given as their text."""
    raw: dict[str, Any] = {
        name: [source(name, value) if name in FILES else value]
        for name, value in ({"taxonomy": TAXONOMY} | given).items()
    }
    return parse(SCORER.options, raw)


def result(gold: str | bytes, system: str | bytes, **given: str | bytes) -> Result:
    job = Job(SCORER, options(**given))
    return evaluate(job, source("gold", gold), source("system", system))


def measured(
    gold: str | bytes, system: str | bytes, **given: str | bytes
) -> dict[str, float | None]:
    found = result(gold, system, **given).measures
    return {name: estimate.value for name, estimate in found.items()}


def trace(gold: str, system: str, **given: str | bytes) -> list[dict[str, Any]]:
    """Rows of the details table by column."""
    parsed = options(**given)
    pair = read_pair(SCORER, source("gold", gold), source("system", system), parsed)
    found = SCORER.details(*pair, parsed)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def refusal(
    gold: str | bytes, system: str | bytes, **given: str | bytes
) -> tuple[Problem, ...]:
    """The fault of the system's file; empty if it is scored."""
    try:
        result(gold, system, **given)
    except Refused as refused:
        return refused.problems
    return ()


def setup_error(gold: str | bytes, **given: str | bytes) -> tuple[Problem, ...]:
    """The fault of the gold side; empty if it can be used."""
    try:
        SCORER.read_gold(source("gold", gold), options(**given))
    except SetupError as error:
        return error.problems
    return ()
