"""What every token of a SEMarkup file gets, as columns (seed 000)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from scoring.counts import Counts, Floats, fixed_point
from scoring.formats import slices
from scoring.formats.conllu import DEPREL, FEATS, FORM, HEAD, ID, LEMMA, UPOS
from scoring.formats.fields import Flags, equal
from scoring.formats.taxonomy import NO_CLASS
from scoring.options import Options
from scoring.scorer import Details
from scoring.scorers.semarkup.grammar import alike_lemmas, categories, feats_score
from scoring.scorers.semarkup.markup import SEMCLASS, SEMSLOT, Gold, Markup
from scoring.scorers.semarkup.rules import Rules

SHOWN_COLUMNS = (LEMMA, UPOS, FEATS, HEAD, DEPREL, SEMSLOT, SEMCLASS)
SHOWN_NAMES = ("lemma", "pos", "feats", "head", "deprel", "semslot", "semclass")
SCORES = ("lemma", "pos", "feats", "uas", "las", "semslot", "semclass")

Judge = Callable[[list[str], list[str]], Floats]


@dataclass(frozen=True)
class Scores:
    """The seven scores of each token (n,); `weight` is what its lemma can earn."""

    weight: Floats
    lemma: Floats
    pos: Flags
    feats: Floats
    uas: Flags
    las: Flags
    semslot: Flags
    semclass: Floats


def scores(gold: Gold, system: Markup) -> Scores:
    """Compare token by token."""
    wanted, found, rules = gold.markup, system, gold.rules

    def same(column: int) -> Flags:
        return equal(found.field(column), wanted.field(column))

    weight = wanted.field(UPOS).coded().mapped(rules.lemma_weight)
    heads = same(HEAD)
    return Scores(
        weight=weight,
        lemma=weight * judged(found, wanted, LEMMA, lemma_scores),
        pos=same(UPOS),
        feats=judged(found, wanted, FEATS, partial(feats_scores, rules)),
        uas=heads,
        las=heads & same(DEPREL),
        semslot=same(SEMSLOT),
        semclass=judged(found, wanted, SEMCLASS, partial(class_scores, rules)),
    )


def lemma_scores(answers: list[str], golds: list[str]) -> Floats:
    return np.array(list(map(alike_lemmas, answers, golds)), dtype=np.float64)


def feats_scores(rules: Rules, answers: list[str], golds: list[str]) -> Floats:
    parsed = {text: categories(text) for text in {*answers, *golds}}
    pairs = zip(answers, golds, strict=True)
    return np.array([feats_score(parsed[a], parsed[g], rules.feats) for a, g in pairs])


def class_scores(rules: Rules, answers: list[str], golds: list[str]) -> Floats:
    """0 where one of two different classes is "_" or not in the taxonomy."""
    first, second = map(rules.taxonomy.nodes, (answers, golds))
    values = np.zeros(len(answers))
    known = (first != NO_CLASS) & (second != NO_CLASS)
    values[known] = rules.taxonomy.closeness(first[known], second[known])
    return values


def judged(system: Markup, gold: Markup, column: int, judge: Judge) -> Floats:
    """1 for tokens (n,) written alike, else what `judge` says of each distinct pair."""
    found, wanted = system.field(column), gold.field(column)
    alike = equal(found, wanted)
    values = alike.astype(np.float64)
    rows = np.flatnonzero(~alike)
    if not len(rows):
        return values
    answers, golds = found.at(rows).coded(), wanted.at(rows).coded()
    pairs = answers.codes * len(golds.values) + golds.codes
    distinct, which = np.unique(pairs, return_inverse=True)
    first, second = np.divmod(distinct, len(golds.values))
    values[rows] = judge(
        [answers.values[code] for code in first.tolist()],
        [golds.values[code] for code in second.tolist()],
    )[which]
    return values


def count(gold: Gold, system: Markup, options: Options) -> Counts:
    """One row per sentence; `hard` is `tokens` on that track, else 0."""
    found, markup = scores(gold, system), gold.markup
    ones = np.ones(len(found.weight))
    items = {
        "tokens": ones,
        "hard": ones * (options["track"] == "hard"),
        **fixed_point("lemma", found.lemma),
        **fixed_point("lemma_best", found.weight),
        "pos": found.pos,
        **fixed_point("feats", found.feats),
        "uas": found.uas,
        "las": found.las,
        "semslot": found.semslot,
        **fixed_point("semclass", found.semclass),
    }
    groups = slices.groups(markup.table, markup.sizes)
    return Counts.per_unit(markup.names, markup.table.sentence_of, items, groups)


def details(gold: Gold, system: Markup, _options: Options) -> Details:
    """One row per token: its seven scores, then both analyses."""
    found, wanted = scores(gold, system), gold.markup
    values = [getattr(found, name).astype(np.float64).tolist() for name in SCORES]
    analyses = [
        side.field(column).texts()
        for column in SHOWN_COLUMNS
        for side in (wanted, system)
    ]
    titles = [f"{side}{name}" for name in SHOWN_NAMES for side in ("gold_", "system_")]
    sentences = (wanted.ids[i] for i in wanted.table.sentence_of.tolist())
    place = (wanted.field(column).texts() for column in (ID, FORM))
    columns = (sentences, *place, *values, *analyses)
    head = ("sentence", "id", "form", *SCORES, *titles)
    return Details(head, zip(*columns, strict=True))
