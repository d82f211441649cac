"""Attachment scores of dependency parsers (seed 003; SCORING.md, `attachment`)."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Floats, fixed_point
from scoring.errors import Findings, Refused, SetupError
from scoring.formats import trees
from scoring.formats.blind import blind_words
from scoring.formats.trees import Trees
from scoring.measures import Measure, f1, ratio
from scoring.options import Option, Options
from scoring.scorer import Details, Scorer
from scoring.source import Source, decode

Flags = npt.NDArray[np.bool_]

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
DEFAULT_WEIGHT = 0.5
PUNCT = "punct"

OPTIONS = (
    Option("labels", "what must agree", "choice", "full", ("full", "coarse")),
    Option("punctuation", "punctuation words", "choice", "keep", ("keep", "drop")),
    Option("weights", "CSV relation,weight for WLAS", "file"),
    Option("relations", "shipped relation lists", "choice", "ud1", ("ud1", "ud2")),
    Option("content", "content relations instead of the shipped ones", "list", ()),
    Option("function", "function relations instead of the shipped ones", "list", ()),
    Option("roots", "roots per sentence", "choice", "any", ("any", "single")),
)


def measures(_columns: tuple[str, ...]) -> tuple[Measure, ...]:
    return (
        Measure("uas", "UAS", ("uas", "words"), ratio, "right heads / words"),
        Measure("las", "LAS", ("las", "words"), ratio, "right heads and labels / words"),
        Measure(
            "wlas",
            "WLAS",
            ("weight_right", "weight"),
            ratio,
            "weights of words with right head and label / weights of all words",
        ),
        *_class_measures("content", "Content"),
        *_class_measures("function", "Function"),
    )


def _class_measures(name: str, title: str) -> tuple[Measure, ...]:
    right, system, gold = f"{name}_right", f"{name}_system", f"{name}_gold"
    return (
        Measure(
            f"{name}_precision",
            f"{title} P",
            (right, system),
            ratio,
            f"right {name} relations / {name} relations of the system",
        ),
        Measure(
            f"{name}_recall",
            f"{title} R",
            (right, gold),
            ratio,
            f"right {name} relations / {name} relations of the gold",
        ),
        Measure(
            f"{name}_f1",
            f"{title} F1",
            (right, system, gold),
            f1,
            f"harmonic mean of {name} precision and recall",
        ),
    )


def read_gold(source: Source, options: Options) -> Trees:
    read_weights(options)
    return trees.read(source, SetupError)


def read_blind(source: Source, options: Options) -> Trees:
    return trees.read_blind(source)


def read_system(source: Source, options: Options, gold: Trees) -> Trees:
    single = options["roots"] == "single"
    system = trees.read(source, Refused, single)
    trees.pair(system, gold)
    return system


@dataclass(frozen=True)
class Agreement:
    """What each word (n,) got, and its relations without subtypes."""

    head: Flags
    label: Flags
    gold: list[str]
    system: list[str]

    @property
    def both(self) -> Flags:
        return self.head & self.label


def coarse(relation: str) -> str:
    return relation.partition(":")[0]


def mapped(
    relations: list[str], function: Callable[[str], float]
) -> npt.NDArray[np.float64]:
    """`function` of each relation, called once per distinct one."""
    known = {relation: function(relation) for relation in set(relations)}
    values = map(known.__getitem__, relations)
    return np.fromiter(values, dtype=np.float64, count=len(relations))


def agreement(gold: Trees, system: Trees, options: Options) -> Agreement:
    """Compare heads and labels word by word."""
    codes = {r: i for i, r in enumerate(sorted({*gold.relations, *system.relations}))}
    bases = {r: coarse(r) for r in codes}
    full = options["labels"] == "full"
    same = {r: (codes[r] if full else codes.setdefault(bases[r], len(codes)))
            for r in bases}  # fmt: skip
    labels = (mapped(t.relations, same.__getitem__) for t in (gold, system))
    return Agreement(
        head=gold.heads == system.heads,
        label=np.equal(*labels),
        gold=[bases[r] for r in gold.relations],
        system=[bases[r] for r in system.relations],
    )


def count(gold: Trees, system: Trees, options: Options) -> Counts:
    """One row per sentence; dropped punctuation counts in no attachment score."""
    found = agreement(gold, system, options)
    dropping = options["punctuation"] == "drop"
    kept = 1 - mapped(found.gold, PUNCT.__eq__) * dropping
    items = {
        "words": kept,
        "uas": found.head * kept,
        "las": found.both * kept,
        **_weighted(found, kept, options),
        **_class_counts("content", found, options),
        **_class_counts("function", found, options),
    }
    return Counts.per_unit(gold.names, gold.sentence_of, items, _groups(gold))


def _weighted(found: Agreement, kept: Floats, options: Options) -> dict[str, Floats]:
    weights = read_weights(options)
    weight = mapped(found.gold, lambda r: weight_of(weights, r)) * kept
    return {
        **fixed_point("weight", weight),
        **fixed_point("weight_right", weight * found.both),
    }


def _class_counts(name: str, found: Agreement, options: Options) -> dict[str, Floats]:
    """Over all words: the class decides, and punctuation is in neither class.

    A punctuation word that the system calls an object does lower its precision, as in
    the published figures.
    """
    members = frozenset(relations_of(name, options))
    gold = mapped(found.gold, members.__contains__)
    system = mapped(found.system, members.__contains__)
    right = gold * system * found.both
    return {f"{name}_gold": gold, f"{name}_system": system, f"{name}_right": right}


def relations_of(name: str, options: Options) -> tuple[str, ...]:
    """The task's own list of content or function relations, or the shipped one."""
    shipped = CONTENT if name == "content" else FUNCTION
    return options[name] or tuple(shipped[options["relations"]].split())


def weight_of(weights: dict[str, float], relation: str) -> float:
    return 0.0 if relation == PUNCT else weights.get(relation, DEFAULT_WEIGHT)


def read_weights(options: Options) -> dict[str, float]:
    """The relation weights of the task; empty where none are given.

    Raises SetupError with the line of a bad row.
    """
    source = options["weights"]
    if source is None:
        return {}
    findings = Findings(source.name)
    weights: dict[str, float] = {}
    rows = csv.reader(io.StringIO(decode(source.name, source.single())))
    for line, row in enumerate(rows, 1):
        if not row or (line == 1 and row[0].strip() == "relation"):
            continue
        number = _weight(row)
        if number is None or row[0].strip() in weights:
            message = "expected a new relation and its weight of 0 or more"
            findings.add("weight", f"{message}, as in 'nsubj,0.68'.", line=line)
            continue
        weights[row[0].strip()] = number
    findings.raise_if_any(SetupError)
    return weights


def _weight(row: list[str]) -> float | None:
    try:
        number = float(row[1])
    except (IndexError, ValueError):
        return None
    return number if 0 <= number < 1000 else None


def _groups(gold: Trees) -> dict[str, tuple[str, ...]]:
    """Groupings known from the gold: document, genre, length band."""
    groups = {"length": tuple(_band(size) for size in gold.sizes.tolist())}
    for name, key, carried in (
        ("document", "newdoc id", True),
        ("genre", "genre", False),
    ):
        labels = gold.table.labels(key, carried)
        if any(labels):
            groups[name] = labels
    return groups


def _band(size: int) -> str:
    return next((f"1-{top}" if top == 10 else f"{top - 9}-{top}"
                 for top in (10, 20, 30, 40) if size <= top), "41+")  # fmt: skip


def details(gold: Trees, system: Trees, options: Options) -> Details:
    """One row per word: both analyses and what agreed."""
    found = agreement(gold, system, options)
    columns = "sentence,word,form,gold_head,head,gold_relation,relation,uas,las"
    place = np.arange(len(gold.forms)) - gold.first[gold.sentence_of] + 1
    rows = zip(
        (gold.names[i] for i in gold.sentence_of.tolist()),
        place.tolist(),
        gold.forms,
        gold.heads.tolist(),
        system.heads.tolist(),
        gold.relations,
        system.relations,
        found.head.astype(int).tolist(),
        found.both.astype(int).tolist(),
        strict=True,
    )
    return Details(tuple(columns.split(",")), rows)


def remarks(gold: Trees, _system: Trees, options: Options) -> list[str]:
    weights = read_weights(options)
    if not weights:
        return ["no relation weights given: in WLAS every relation but punct counts 0.5"]
    met = {coarse(relation) for relation in gold.relations} - {PUNCT}
    without = ", ".join(sorted(met - weights.keys()))
    return [f"relations without a weight count 0.5 in WLAS: {without}"] * bool(without)


EXAMPLE = """\
# sent_id = 1
1\tgreen\t_\t_\t_\t_\t2\tamod\t_\t_
2\tboats\t_\t_\t_\t_\t3\tnsubj\t_\t_
3\tdrift\t_\t_\t_\t_\t0\troot\t_\t_
"""

SCORER = Scorer(
    name="attachment",
    title="Attachment",
    summary="Dependency trees over given words: attachment scores, weighted by "
    "relation, and precision and recall of content and function relations.",
    formats=("CoNLL-U",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="las",
    options=OPTIONS,
    measures=measures,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind_words,
    remarks=remarks,
)
