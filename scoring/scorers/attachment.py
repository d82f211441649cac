"""Attachment scores of dependency parsers (seed 003; SCORING.md, `attachment`)."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts, Flags, Floats, Integers, fixed_point
from scoring.errors import Refused, SetupError
from scoring.formats.codes import places_of
from scoring.inspection import Inspection
from scoring.measures import Measure, f1_measure, f1_of_any, share_measure
from scoring.messages import _
from scoring.options import Option, Options
from scoring.scorer import Details, Scorer, answer_itself
from scoring.scorers.treebanks import large_trees, outline, trees
from scoring.scorers.treebanks.blind import blind_surface
from scoring.scorers.treebanks.conllu import FORM
from scoring.scorers.treebanks.conllu import groupings as groups
from scoring.scorers.treebanks.examples import guessed_trees, spoiled_trees
from scoring.scorers.treebanks.inspection import TreeComparison
from scoring.scorers.treebanks.relations import (
    CLASSES,
    PUNCT,
    check_lists,
    coarse,
    read_weights,
    relations_of,
    weight_of,
)
from scoring.scorers.treebanks.trees import Trees
from scoring.source import Source

RIGHT = {
    "words": "las",
    "weight": "weight_right",
    "weight~low": "weight_right~low",
    "content_gold": "content_right",
    "function_gold": "function_right",
}
SENTENCES, WORDS = 256, 1 << 15

OPTIONS = (
    Option("labels", "what must agree", "choice", "full", ("full", "coarse")),
    Option("punctuation", "punctuation words", "choice", "keep", ("keep", "drop")),
    Option("weights", "CSV relation,weight for WLAS", "file"),
    Option("relations", "shipped relation lists", "choice", "ud1", ("ud1", "ud2")),
    Option("content", "content relations instead of the shipped ones", "list"),
    Option("function", "function relations instead of the shipped ones", "list"),
    Option("roots", "roots per sentence", "choice", "any", ("any", "single")),
)


FORMULAS = {
    ("content", "precision"): _(
        "right content relations / content relations of the system"
    ),
    ("content", "recall"): _("right content relations / content relations of the gold"),
    ("content", "f1"): _("2 x right content relations / content relations of both"),
    ("function", "precision"): _(
        "right function relations / function relations of the system"
    ),
    ("function", "recall"): _(
        "right function relations / function relations of the gold"
    ),
    ("function", "f1"): _("2 x right function relations / function relations of both"),
}


def _class_measures(name: str, title: str) -> Iterator[Measure]:
    right, system, gold = f"{name}_right", f"{name}_system", f"{name}_gold"
    for part, letter, whole in (("precision", "P", system), ("recall", "R", gold)):
        formula = FORMULAS[name, part]
        heading = f"{title} {letter}"
        yield share_measure(f"{name}_{part}", heading, (right, whole), formula)
    columns, formula = (right, system, gold), FORMULAS[name, "f1"]
    yield f1_measure(f"{name}_f1", f"{title} F1", columns, formula, f1_of_any)


MEASURES = (
    share_measure("uas", "UAS", ("uas", "words"), _("correct heads / words")),
    share_measure(
        "las", "LAS", ("las", "words"), _("correct heads and labels / words")
    ),
    share_measure(
        "wlas",
        "WLAS",
        ("weight_right", "weight"),
        _("weights of words with correct head and label / weights of all words"),
    ),
    *_class_measures("content", "Content"),
    *_class_measures("function", "Function"),
)


def read_gold(source: Source, options: Options) -> Trees:
    check_lists(options)
    weights_of(options)
    return large_trees.read(source, SetupError, options["roots"] == "single")


def read_blind(source: Source, _options: Options) -> Trees:
    return trees.read_blind(source)


def read_system(source: Source, options: Options, gold: Trees) -> Trees:
    system = large_trees.read(source, Refused, options["roots"] == "single")
    large_trees.pair(system, gold)
    return system


@dataclass(frozen=True)
class Agreement:
    """Words (n,) with the right head, the right label."""

    head: Flags
    label: Flags

    @property
    def both(self) -> Flags:
        return self.head & self.label


def agreement(gold: Trees, system: Trees, options: Options) -> Agreement:
    """Compare heads and labels word by word."""
    size = len(gold.heads)
    head, label = np.empty(size, dtype=np.bool_), np.empty(size, dtype=np.bool_)
    key = coarse if options["labels"] == "coarse" else str
    codes: dict[Hashable, int] = {}
    sides = gold.relations, system.relations
    labels = [places_of(side, codes, key) for side in sides]
    for start in range(0, size, WORDS):
        words = slice(start, start + WORDS)
        head[words] = gold.heads[words] == system.heads[words]
        left, right = (
            places[side.codes[words]]
            for places, side in zip(labels, sides, strict=True)
        )
        label[words] = left == right
    return Agreement(head, label)


def count(gold: Trees, system: Trees, options: Options) -> Counts:
    """One row per sentence; dropped punctuation counts in no attachment score.

    Content and function relations count over all words: the class decides, and
    punctuation is in neither. A punctuation word that the system calls an object does
    lower its precision, as in the published figures.
    """
    agreed = agreement(gold, system, options)
    values = (
        _gold_values(gold.relations.values, options),
        _classes(system.relations.values, "system", options),
    )
    codes = gold.relations.codes, system.relations.codes
    table = np.empty((0, 0))
    columns: Values = {}
    done = 0
    for words, first in _blocks(gold):
        here = codes[0][words], codes[1][words]
        columns = _columns(
            values, here, Agreement(agreed.head[words], agreed.label[words])
        )
        if not done:
            table = np.empty((len(gold.sizes), len(columns)))
        # No sentence is without words, as reduceat needs it.
        for place, column in enumerate(columns.values()):
            sums = table[done : done + len(first), place]
            np.add.reduceat(column, first, out=sums)
        done += len(first)
    slices = groups(gold.said, gold.sizes)
    return Counts(gold.names, tuple(columns), table, slices)


def _blocks(trees: Trees) -> Iterator[tuple[slice, Integers]]:
    """Words of some sentences at a time, and where in them each sentence begins. As
    many as a processor's cache holds, so that time grows no faster than the file."""
    ends = np.append(trees.first[1:], len(trees.heads))
    for start in range(0, len(ends), SENTENCES):
        first = trees.first[start : start + SENTENCES]
        last = int(ends[start : start + SENTENCES][-1])
        yield slice(int(first[0]), last), first - first[0]


Values = dict[str, Floats]


def _columns(
    values: tuple[Values, Values], codes: tuple[Integers, Integers], agreed: Agreement
) -> dict[str, Floats]:
    """Counts of each word: (words,) per column."""
    columns: dict[str, Floats] = {}
    both, head = (flags.astype(np.float64) for flags in (agreed.both, agreed.head))
    for name, per_relation in values[0].items():
        columns[name] = per_relation[codes[0]]
        columns[RIGHT[name]] = columns[name] * both
    columns["uas"] = columns["words"] * head
    for name, per_relation in values[1].items():
        columns[name] = per_relation[codes[1]]
    return columns


def _gold_values(relations: list[str], options: Options) -> dict[str, Floats]:
    """Counts of a word in each column by its gold relation: (relations,) each."""
    weights, dropped = weights_of(options), options["punctuation"] == "drop"
    bases = [coarse(relation) for relation in relations]
    counted = [not (dropped and base == PUNCT) for base in bases]
    return {
        "words": np.array(counted, dtype=float),
        **fixed_point("weight", np.array([weight_of(weights, base) for base in bases])),
        **_classes(bases, "gold", options),
    }


def _classes(relations: list[str], side: str, options: Options) -> dict[str, Floats]:
    """Membership of each relation in the two classes: (relations,) each."""
    membership = {}
    for name in CLASSES:
        members = frozenset(relations_of(name, options))
        inside = [coarse(relation) in members for relation in relations]
        membership[f"{name}_{side}"] = np.array(inside, dtype=float)
    return membership


def weights_of(options: Options) -> dict[str, float]:
    """The relation weights of the task; empty where none are given."""
    source = options["weights"]
    return read_weights(source) if source else {}


def details(gold: Trees, system: Trees, options: Options) -> Details:
    """One row per word: both analyses and what agreed."""
    agreed = agreement(gold, system, options)
    columns = "sentence,word,form,gold_head,head,gold_relation,relation,uas,las"
    rows = zip(
        (gold.names[i] for i in gold.sentence_of.tolist()),
        gold.places.tolist(),
        gold.field(FORM).texts(),
        gold.heads.tolist(),
        system.heads.tolist(),
        gold.relations.texts(),
        system.relations.texts(),
        agreed.head.astype(int).tolist(),
        agreed.both.astype(int).tolist(),
        strict=True,
    )
    return Details(tuple(columns.split(",")), rows)


def inspect(gold: Trees, system: Trees, options: Options) -> Inspection:
    """An item per word with what is wrong in it; dropped punctuation has no errors."""
    agreed = agreement(gold, system, options)
    dropped = options["punctuation"] == "drop"
    counted = gold.relations.flags(lambda name: not dropped or coarse(name) != PUNCT)
    wrong = {"head": ~agreed.head & counted, "label": ~agreed.label & counted}
    words = np.arange(len(gold.heads))
    comparison = TreeComparison((gold, system), (words, words), gold.sentence_of, wrong)
    return comparison.inspection()


def gold_remarks(gold: Trees, options: Options) -> list[str]:
    """Sentences without a root, and relations that the task gives no weight."""
    roots = trees.gold_remarks(gold.heads, gold.sizes)
    weights = weights_of(options)
    if not weights:
        return [
            *roots,
            "no relation weights given: in WLAS every relation but punct counts 0.5",
        ]
    used = {coarse(relation) for relation in gold.relations.values} - {PUNCT}
    without = ", ".join(sorted(used - weights.keys()))
    weightless = [f"relations without a weight count 0.5 in WLAS: {without}"]
    return roots + weightless * bool(without)


EXAMPLE = """\
# sent_id = 1
1\tsee\t_\t_\t_\t_\t0\troot\t_\t_
2\tthe\t_\t_\t_\t_\t3\tdet\t_\t_
3\tboats\t_\t_\t_\t_\t1\tdobj\t_\t_
4\tdrift\t_\t_\t_\t_\t3\tacl\t_\t_
"""

SCORER = Scorer(
    name="attachment",
    title=_("Attachment"),
    summary=_(
        "Dependency trees over given words: attachment scores, weighted by relation, "
        "and precision and recall of content and function relations."
    ),
    formats=("CoNLL-U",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="las",
    options=OPTIONS,
    fixed_measures=MEASURES,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    outline=outline.trees,
    notes=lambda system, _options: trees.notes(system),
    remarks=lambda gold, system, _options: trees.remarks_on_roots(
        (gold.heads, gold.sizes), (system.heads, system.sizes)
    ),
    answered=trees.count_answers,
    labels=trees.labels,
    count=count,
    details=details,
    blind=blind_surface,
    gold_remarks=gold_remarks,
    guess=guessed_trees,
    spoil=spoiled_trees,
    inspect=inspect,
    stand_in=answer_itself,
)
