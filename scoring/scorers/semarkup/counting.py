"""What every token of a SEMarkup file gets, as columns (seed 000)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Floats, Integers, fixed_point
from scoring.formats import slices
from scoring.formats.codes import Flags
from scoring.formats.conllu import DEPREL, FEATS, FORM, HEAD, ID, LEMMA, ROWS, UPOS
from scoring.formats.fields import Fields
from scoring.formats.strips import coded, equal
from scoring.formats.taxonomy import NO_CLASS
from scoring.options import Options
from scoring.scorer import Details
from scoring.scorers.semarkup.grammar import (
    Features,
    alike_lemmas,
    categories,
    feats_scores,
)
from scoring.scorers.semarkup.markup import SEMCLASS, SEMSLOT, Gold, Markup

SHOWN_COLUMNS = (LEMMA, UPOS, FEATS, HEAD, DEPREL, SEMSLOT, SEMCLASS)
SHOWN_NAMES = ("lemma", "pos", "feats", "head", "deprel", "semslot", "semclass")
SCORES = ("lemma", "pos", "feats", "uas", "las", "semslot", "semclass")


class Scores(NamedTuple):
    """The seven scores of each token (n,); `weight` is what its lemma can earn."""

    weight: Floats
    lemma: Floats
    pos: Flags
    feats: Floats
    uas: Flags
    las: Flags
    semslot: Flags
    semclass: Floats


@dataclass(frozen=True)
class Part:
    """Some rows of both sides, with their columns."""

    gold: Gold
    rows: slice
    found: Sequence[Fields]
    wanted: Sequence[Fields]

    def same(self, column: int) -> Flags:
        return equal(self.found[column], self.wanted[column])

    def judged(self, column: int, judge: "Judge") -> Floats:
        """1 for tokens written alike, else what `judge` says of their rows."""
        alike = self.same(column)
        values = alike.astype(np.float64)
        unlike = np.flatnonzero(~alike)
        if len(unlike):
            values[unlike] = judge(self, unlike)
        return values


Judge = Callable[[Part, Integers], npt.NDArray[np.floating | np.bool_]]


def scores(gold: Gold, system: Markup) -> Scores:
    """Compare token by token, some thousands at a time."""
    starts = range(0, len(system.table.lines), ROWS)
    parts = [_scores(gold, system, slice(start, start + ROWS)) for start in starts]
    if len(parts) == 1:
        return parts[0]
    return Scores._make(np.concatenate(column) for column in zip(*parts, strict=True))


def _scores(gold: Gold, system: Markup, rows: slice) -> Scores:
    wanted = gold.markup.fields(rows)
    part = Part(gold, rows, system.fields(rows), wanted)
    weight = coded(wanted[UPOS]).mapped(gold.rules.lemma_weight)
    heads = part.same(HEAD)
    return Scores(
        weight=weight,
        lemma=weight * part.judged(LEMMA, lemma_scores),
        pos=part.same(UPOS),
        feats=part.judged(FEATS, features_scores),
        uas=heads,
        las=heads & part.same(DEPREL),
        semslot=part.same(SEMSLOT),
        semclass=part.judged(SEMCLASS, class_scores),
    )


def lemma_scores(part: Part, rows: Integers) -> Flags:
    found, wanted = part.found[LEMMA].at(rows), part.wanted[LEMMA].at(rows)
    return alike_lemmas(found.texts(), wanted.texts())


def features_scores(part: Part, rows: Integers) -> Floats:
    """Each distinct FEATS is taken apart once; most are met in the gold too."""
    gold, answers = part.gold, coded(part.found[FEATS].at(rows))
    golds, place = np.unique(gold.feats.codes[part.rows][rows], return_inverse=True)
    known, weights = gold.categories, gold.rules.feats
    found = [known.get(text) or categories(text) for text in answers.values]
    wanted = [known[gold.feats.values[code]] for code in golds.tolist()]
    items: dict[tuple[str, str], int] = {}
    sides = [Features(side, items, weights) for side in (found, wanted)]
    return feats_scores(sides[0], sides[1], (answers.codes, place))


def class_scores(part: Part, rows: Integers) -> Floats:
    """0 where one of two different classes is "_" or not in the taxonomy."""
    taxonomy, golds = part.gold.rules.taxonomy, part.gold.classes
    answers = part.found[SEMCLASS].at(rows).coded()
    first = taxonomy.nodes(answers.values)[answers.codes]
    second = taxonomy.nodes(golds.values)[golds.codes[part.rows][rows]]
    values = np.zeros(len(rows))
    known = (first != NO_CLASS) & (second != NO_CLASS)
    values[known] = taxonomy.closeness(first[known], second[known])
    return values


def count(gold: Gold, system: Markup, options: Options) -> Counts:
    """One row per sentence; `hard` is `tokens` on that track, else 0."""
    found, markup = scores(gold, system), gold.markup
    items = {
        **fixed_point("lemma", found.lemma),
        **fixed_point("lemma_best", found.weight),
        "pos": found.pos,
        **fixed_point("feats", found.feats),
        "uas": found.uas,
        "las": found.las,
        "semslot": found.semslot,
        **fixed_point("semclass", found.semclass),
    }
    sums = {
        "tokens": markup.sizes,
        "hard": markup.sizes * (options["track"] == "hard"),
        **{name: _per_sentence(item, markup) for name, item in items.items()},
    }
    table = np.stack(list(sums.values()), axis=1).astype(np.float64)
    groups = slices.groups(markup.table, markup.sizes)
    return Counts(markup.names, tuple(sums), table, groups)


def _per_sentence(items: npt.NDArray[np.generic], markup: Markup) -> Floats:
    """Sums of whole numbers (n,) for each sentence: its tokens stand in a row."""
    return np.add.reduceat(items, markup.first, dtype=np.float64)


def details(gold: Gold, system: Markup, _options: Options) -> Details:
    """One row per token: its seven scores, then both analyses."""
    found, wanted = scores(gold, system), gold.markup
    values = [getattr(found, name).astype(np.float64).tolist() for name in SCORES]
    sides = wanted.fields(), system.fields()
    analyses = [side[column].texts() for column in SHOWN_COLUMNS for side in sides]
    titles = [f"{side}{name}" for name in SHOWN_NAMES for side in ("gold_", "system_")]
    sentences = (wanted.ids[i] for i in wanted.table.sentence_of.tolist())
    place = (sides[0][column].texts() for column in (ID, FORM))
    columns = (sentences, *place, *values, *analyses)
    head = ("sentence", "id", "form", *SCORES, *titles)
    return Details(head, zip(*columns, strict=True))
