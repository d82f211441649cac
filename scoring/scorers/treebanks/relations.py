"""Relations of Universal Dependencies: their classes and weights (seed 003)."""

import csv
from collections.abc import Iterator

from scoring.errors import Findings, SetupError
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.source import Source, text_of

MESSAGES = Messages(
    subtypes=_(
        "the class of a relation is decided by its part before the "
        "colon: %(relations)s."
    ),
    weight=_(
        "expected a new relation and its weight from 0 to %(most)s, as in 'nsubj,0.68'."
    ),
    both=_("in both content and function: %(relations)s."),
    no_weights=_("expected lines such as 'nsubj,0.68', found none."),
)

CONTENT = {
    "ud1": "acl advcl advmod amod appos ccomp compound conj csubj csubjpass dislocated "
    "dobj iobj list name nmod nsubj nsubjpass nummod parataxis remnant root vocative "
    "xcomp",
    "ud2": "acl advcl advmod amod appos ccomp compound conj csubj dislocated flat iobj "
    "list nmod nsubj nummod obj obl orphan parataxis root vocative xcomp",
}
FUNCTION = {
    "ud1": "aux auxpass case cc cop det expl mark neg mwe",
    "ud2": "aux case cc clf cop det expl fixed mark",
}
CLASSES = {"content": CONTENT, "function": FUNCTION}
DEFAULT_WEIGHT = 0.5
PUNCT = "punct"


def coarse(relation: str) -> str:
    return relation.partition(":")[0]


def relations_of(name: str, options: Options) -> tuple[str, ...]:
    """The task's own list of content or function relations, or the shipped one."""
    return options[name] or tuple(CLASSES[name][options["relations"]].split())


def weight_of(weights: dict[str, float], relation: str) -> float:
    return 0.0 if relation == PUNCT else weights.get(relation, DEFAULT_WEIGHT)


def check_lists(options: Options) -> None:
    """Raise SetupError for a relation that could never count, or would count twice."""
    content, function = (set(options[name]) for name in CLASSES)
    findings = Findings("")
    if content & function:
        both = ", ".join(sorted(content & function))
        findings.add("relation_lists", MESSAGES("both", relations=both))
    with_subtype = sorted(r for r in content | function if r != coarse(r))
    if with_subtype:
        message = MESSAGES("subtypes", relations=", ".join(with_subtype))
        findings.add("relation_lists", message)
    findings.raise_if_any(SetupError)


WEIGHTS_HEADER = "relation"
# Fixed-point sums of weights are exact up to this, and far beyond.
MOST_WEIGHT = 1000.0


def read_weights(source: Source) -> dict[str, float]:
    """Weight of each relation; what `wde --format csv` prints can be read as it is.

    A first line that begins with `relation` is a header; columns after the second are
    ignored. Raises SetupError with the line of a bad row.
    """
    findings = Findings(source.name)
    weights: dict[str, float] = {}
    for line, row in _rows(source):
        relation, weight = row[0].strip(), _weight(row)
        if line == 1 and relation == WEIGHTS_HEADER:
            continue
        if weight is None or not relation or relation in weights:
            message = MESSAGES("weight", most=f"{MOST_WEIGHT:g}")
            findings.add("weight", message, line=line)
            continue
        weights[relation] = weight
    if not weights and not findings.problems:
        findings.add("no_weights", MESSAGES("no_weights"))
    findings.raise_if_any(SetupError)
    return weights


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not blank, cut at commas."""
    for line, written in enumerate(text_of(source, SetupError).split("\n"), 1):
        if not written.strip():
            continue
        try:
            yield line, next(csv.reader([written]))
        except csv.Error:
            yield line, [""]


def _weight(row: list[str]) -> float | None:
    try:
        number = float(row[1])
    except (IndexError, ValueError):
        return None
    return number if 0 <= number <= MOST_WEIGHT else None
