"""`semarkup`: morphology, syntax and semantics of every token (seed 000)."""

from dataclasses import replace
from itertools import chain

import numpy as np

from scoring.answered import Answered
from scoring.counts import Floats, Integers
from scoring.errors import Problem
from scoring.measures import Measure, mean_of_fractions, ratio, share_measure
from scoring.messages import Messages, _
from scoring.options import Option, Options
from scoring.scorer import Scorer
from scoring.scorers.semarkup import taxonomy
from scoring.scorers.semarkup.counts import SCORES, count, details, inspect
from scoring.scorers.semarkup.markup import (
    SEMCLASS,
    SEMSLOT,
    Markup,
    MarkupGold,
    read_blind,
    read_gold,
    read_system,
)
from scoring.scorers.semarkup.rules import HEAVY
from scoring.scorers.semarkup.taxonomy import ANONYMOUS
from scoring.scorers.treebanks import outline, trees
from scoring.scorers.treebanks.blind import blind_words
from scoring.scorers.treebanks.conllu import DEPREL, FEATS, HEAD, LEMMA, UPOS
from scoring.scorers.treebanks.examples import guessed_trees, spoiled_trees
from scoring.source import brief, list_names
from scoring.spellings import Kinds

MESSAGES = Messages(
    one_value=_("%(column)s is '%(text)s' for every token."),
    see_columns=_("Slot and class are the last two of ten columns."),
    outside=_(
        "HEAD is '%(head)s' in line %(line)s, and the sentence has no such token: "
        "it counts as a wrong head."
    ),
    unknown=_("classes that are not in the taxonomy count as wrong: %(classes)s."),
)
OPTIONS = (
    Option("taxonomy", "classes, CSV ID,ParentID,Depth,Name", "file"),
    Option("lemma_weights", "JSON tag: weight, instead of the shipped ones", "file"),
    Option(
        "feats_weights", "JSON category: weight, instead of those of SynTagRus", "file"
    ),
    Option("track", "what the total averages", "choice", "hard", ("hard", "base")),
)
LEAST = 10  # tokens of which something is said
BASE = ("uas", "semslot", "semclass")
BEST = {"lemma": "lemma_best"}


def total(*columns: Floats) -> Floats:
    """Mean of all seven scores, or of the three of the base track.

    Columns: `hard`, then the seven, then their best values; nan where one of the
    track's scores is undefined.
    """
    hard, rest = columns[0], columns[1:]
    shares = dict(zip(SCORES, map(ratio, rest[:7], rest[7:]), strict=True))
    all_seven = np.mean([shares[name] for name in SCORES], axis=0)
    base = np.mean([shares[name] for name in BASE], axis=0)
    return np.asarray(np.where(hard > 0, all_seven, base), dtype=np.float64)


TITLES = ("Lemma", "POS", "Feats", "UAS", "LAS", "SemSlot", "SemClass")
FORMULAS = (
    _("LemmaWeight of tokens with the right lemma / LemmaWeight of all tokens"),
    _("tokens with the right UPOS / tokens"),
    _(
        "sum of FEATS scores / tokens; a score is the weight of the right categories / "
        "the weight of the gold's, / (1 + categories too many)"
    ),
    _("tokens with the right HEAD / tokens"),
    _("tokens with the right HEAD and DEPREL / tokens"),
    _("tokens with the right semantic slot / tokens"),
    _("sum of 1 / (1 + path between the classes in the taxonomy) / tokens"),
)
FRACTIONS = ("feats", "semclass")
BESTS = tuple(BEST.get(name, "tokens") for name in SCORES)
MEASURES = (
    *(
        (mean_of_fractions if name in FRACTIONS else share_measure)(
            name, title, (name, best), formula
        )
        for name, title, best, formula in zip(
            SCORES, TITLES, BESTS, FORMULAS, strict=True
        )
    ),
    Measure(
        "total",
        "Total",
        ("hard", *SCORES, *BESTS),
        total,
        _("mean of the seven scores; on the base track, of UAS, SemSlot and SemClass"),
        bounds=(0.0, 1.0),
    ),
)


def gold_remarks(gold: MarkupGold, options: Options) -> list[str]:
    """Sentences without a root, and tags that a task's own lemma weights leave out."""
    roots = trees.gold_remarks(*_heads(gold.markup, 1))
    if not options["lemma_weights"]:
        return roots
    used = set(gold.markup.table.coded(UPOS).values)
    without = ", ".join(sorted(used - gold.rules.lemma.keys()))
    tags = [f"tags without a lemma weight count {HEAVY}: {without}"]
    return roots + tags * bool(without)


def remarks(gold: MarkupGold, system: Markup, _options: Options) -> list[str]:
    """Remarks on what is no tree, where the gold has trees."""
    roots = trees.remarks_on_roots(_heads(gold.markup, 1), _heads(system, 1))
    sides = [_heads(gold.markup), _heads(system)]
    circles = [len(trees.circling(*side)) for side in sides]
    if circles[0] or not circles[1]:
        return roots
    return [*roots, f"the heads of {circles[1]} tokens go round in circles"]


def _heads(markup: Markup, outside: int = 0) -> tuple[Integers, Integers]:
    """The heads of all tokens, `outside` for what is no token of the sentence, and the
    sizes of sentences."""
    coded, sizes = markup.coded(HEAD), markup.sizes
    numbers = [int(v) if v.isascii() and v.isdigit() else 0 for v in coded.values]
    heads = np.array([min(number, OUTSIDE) for number in numbers], np.int64)
    heads = heads[coded.codes]
    return np.where(heads > np.repeat(sizes, sizes), outside, heads), sizes


# Of any sentence.
OUTSIDE = 1 << 40
KINDS = {"UPOS": UPOS, "DEPREL": DEPREL, "SemSlot": SEMSLOT, "SemClass": SEMCLASS}


def count_answers(_asked: MarkupGold, system: Markup, _options: Options) -> Answered:
    """How the tokens are answered, in the columns that hold labels."""
    columns = [system.coded(column).values for column in KINDS.values()]
    size, same = len(system.table), all(len(values) == 1 for values in columns)
    single = " ".join(values[0] for values in columns) if same and size else None
    empty = size if single == " ".join("_" * len(columns)) else 0
    heads = system.coded(HEAD).values
    if not single and len(heads) == 1:
        single = f"HEAD {heads[0]}"
    return Answered(size, size, empty, single, units="tokens")


def _heads_outside(system: Markup) -> list[Problem]:
    """A remark on heads that are no token of their sentence."""
    rows = np.flatnonzero(_heads(system, -1)[0] < 0)
    if not len(rows):
        return []
    line, text = int(system.table.lines[rows[0]]), system.table.texts(HEAD, rows[:1])[0]
    message = MESSAGES("outside", head=brief(text), line=line)
    name = system.table.name
    return [Problem("head", message, name, line, count=len(rows))]


def notes(system: Markup, options: Options) -> list[Problem]:
    """Remarks on columns without any answer, and on classes that no taxonomy has."""
    problems, hint = [], MESSAGES("see_columns")
    for name, column in (("LEMMA", LEMMA), *KINDS.items()):
        counts = options["track"] == "hard" or column in (SEMSLOT, SEMCLASS)
        values = system.coded(column).values
        if counts and len(values) == 1 and len(system.table) > LEAST:
            text = MESSAGES("one_value", column=name, text=brief(values[0]))
            see = hint if column in (SEMSLOT, SEMCLASS) else ""
            problems.append(Problem("empty_column", text, system.table.name, hint=see))
    problems += _heads_outside(system)
    if options["taxonomy"] is None:
        return problems
    classes = system.coded(SEMCLASS).values
    names = taxonomy.read(options["taxonomy"]).names.keys() | {ANONYMOUS}
    unknown = [name for name in classes if name not in names]
    if unknown:
        text = MESSAGES("unknown", classes=list_names(unknown, 5))
        problems.append(Problem("unknown_class", text, system.table.name))
    return problems


def labels(read: MarkupGold | Markup, _options: Options) -> Kinds:
    """The distinct labels of each column, of features their categories."""
    markup = read.markup if isinstance(read, MarkupGold) else read
    kinds = {name: markup.coded(column).values for name, column in KINDS.items()}
    written = [value.split("|") for value in markup.coded(FEATS).values]
    categories = {pair.partition("=")[0] for pair in chain.from_iterable(written)}
    return kinds | {"FEATS": sorted(categories)}


def stand_in(published: MarkupGold, system: Markup, _options: Options) -> MarkupGold:
    return replace(published, markup=system)


EXAMPLE = """\
# sent_id = 1
# text = Green boats drift
1\tGreen\tgreen\tADJ\t_\tDegree=Pos\t2\tamod\tColour\tCOLOUR
2\tboats\tboat\tNOUN\t_\tNumber=Plur\t3\tnsubj\tAgent\tVESSEL
3\tdrift\tdrift\tVERB\t_\tMood=Ind|Tense=Pres|VerbForm=Fin\t0\troot\tPredicate\tMOTION

"""

SCORER = Scorer(
    name="semarkup",
    title="SEMarkup",
    summary=_(
        "Lemma, part of speech, grammatical features, head, relation, semantic slot "
        "and semantic class of every token, and their mean. Slot and class are the "
        "last two of ten columns."
    ),
    formats=("CoNLL-U",),
    example=EXAMPLE,
    units=("sentence", "document"),
    headline="total",
    options=OPTIONS,
    fixed_measures=MEASURES,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    outline=outline.trees,
    count=count,
    details=details,
    blind=blind_words,
    gold_remarks=gold_remarks,
    remarks=remarks,
    answered=count_answers,
    labels=labels,
    notes=notes,
    guess=guessed_trees,
    spoil=spoiled_trees,
    inspect=inspect,
    stand_in=stand_in,
)
