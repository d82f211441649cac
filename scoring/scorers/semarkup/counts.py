"""Seven scores of every token of a SEMarkup file: counts, details, items (seed 000)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Flags, Floats, Integers, fixed_point
from scoring.formats.codes import Coded
from scoring.inspection import Cell, Inspection, ItemTable, Picture, kinds_at
from scoring.options import Options
from scoring.scorer import Details
from scoring.scorers.semarkup.markup import SEMCLASS, SEMSLOT, Markup, MarkupGold, same
from scoring.scorers.semarkup.rules import (
    Features,
    alike_lemmas,
    categories,
    feats_scores,
)
from scoring.scorers.semarkup.taxonomy import NO_CLASS
from scoring.scorers.treebanks import conllu
from scoring.scorers.treebanks.conllu import (
    DEPREL,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    ROWS,
    UPOS,
)

SHOWN_COLUMNS = (LEMMA, UPOS, FEATS, HEAD, DEPREL, SEMSLOT, SEMCLASS)
SHOWN_NAMES = ("lemma", "pos", "feats", "head", "deprel", "semslot", "semclass")
SCORES = ("lemma", "pos", "feats", "uas", "las", "semslot", "semclass")


class TokenScores(NamedTuple):
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
class MarkupRows:
    """Some rows of gold and system, which are compared at once."""

    gold: MarkupGold
    system: Markup
    rows: slice

    def same(self, column: int) -> Flags:
        return same(self.system, self.gold.markup, column, self.rows)

    def unlike(self, alike: Flags) -> Integers:
        """The rows of the file that `alike` does not say of."""
        rows: Integers = np.flatnonzero(~alike) + self.rows.start
        return rows


def scores(gold: MarkupGold, system: Markup) -> TokenScores:
    """Compare token by token, some thousands at a time."""
    starts = range(0, len(system.table.lines), ROWS)
    parts = [_scores(gold, system, slice(start, start + ROWS)) for start in starts]
    if len(parts) == 1:
        return parts[0]
    return TokenScores._make(
        np.concatenate(column) for column in zip(*parts, strict=True)
    )


def _scores(gold: MarkupGold, system: Markup, rows: slice) -> TokenScores:
    part = MarkupRows(gold, system, rows)
    weight = gold.markup.table.coded(UPOS, rows).mapped(gold.rules.lemma_weight)
    heads = part.same(HEAD)
    return TokenScores(
        weight=weight,
        lemma=weight * lemma_scores(part),
        pos=part.same(UPOS),
        feats=features_scores(part),
        uas=heads,
        las=heads & part.same(DEPREL),
        semslot=part.same(SEMSLOT),
        semclass=class_scores(part),
    )


def lemma_scores(part: MarkupRows) -> Flags:
    alike = part.same(LEMMA)
    rows = part.unlike(alike)
    answers, wanted = (
        side.table.joined(LEMMA, rows) for side in (part.system, part.gold.markup)
    )
    alike[rows - part.rows.start] = alike_lemmas(answers, wanted)
    return alike


def features_scores(part: MarkupRows) -> Floats:
    """Each distinct FEATS is taken apart once; most are met in the gold too."""
    gold, alike = part.gold, part.same(FEATS)
    rows = part.unlike(alike)
    texts, answers, golds = both(part.system.coded(FEATS, rows), gold.feats, rows)
    fresh = [text for text in texts if text not in gold.categories]
    category_of = {
        **gold.categories,
        **dict(zip(fresh, categories(fresh), strict=True)),
    }
    feats = Features([category_of[text] for text in texts], gold.rules.feats)
    return _ones_where_alike(alike, feats_scores(feats, answers, golds))


def class_scores(part: MarkupRows) -> Floats:
    """0 where one of two different classes is "_" or not in the taxonomy."""
    gold, alike = part.gold, part.same(SEMCLASS)
    rows = part.unlike(alike)
    texts, answers, golds = both(part.system.coded(SEMCLASS, rows), gold.classes, rows)
    # The bytes may differ in blanks at the end of the line, which do not count.
    values = (answers == golds).astype(np.float64)
    nodes = gold.rules.taxonomy.nodes(texts)
    first, second = nodes[answers], nodes[golds]
    placed = (first != NO_CLASS) & (second != NO_CLASS)
    values[placed] = gold.rules.taxonomy.closeness(first[placed], second[placed])
    return _ones_where_alike(alike, values)


def both(
    answers: Coded, golds: Coded, rows: Integers
) -> tuple[list[str], Integers, Integers]:
    """The texts of both sides, and which each answer and each gold of `rows` is."""
    codes = dict(zip(golds.values, range(len(golds.values)), strict=True))
    places = [codes.setdefault(value, len(codes)) for value in answers.values]
    return [*codes], np.array(places, dtype=np.int64)[answers.codes], golds.codes[rows]


def _ones_where_alike(alike: Flags, others: Floats) -> Floats:
    """1 where both sides are alike; `others` are the values of the other rows."""
    values = alike.astype(np.float64)
    values[~alike] = others
    return values


def count(gold: MarkupGold, system: Markup, options: Options) -> Counts:
    """One row per sentence; `hard` is `tokens` on that track, else 0."""
    tokens, markup = scores(gold, system), gold.markup
    items = {
        **fixed_point("lemma", tokens.lemma),
        **fixed_point("lemma_best", tokens.weight),
        "pos": tokens.pos,
        **fixed_point("feats", tokens.feats),
        "uas": tokens.uas,
        "las": tokens.las,
        "semslot": tokens.semslot,
        **fixed_point("semclass", tokens.semclass),
    }
    sums = {
        "tokens": markup.sizes,
        "hard": markup.sizes * (options["track"] == "hard"),
        **{name: _per_sentence(item, markup) for name, item in items.items()},
    }
    groups = conllu.groupings(markup.table, markup.sizes)
    return Counts.of_rows(markup.names, sums, groups)


def _per_sentence(items: npt.NDArray[np.generic], markup: Markup) -> Floats:
    """Sums of whole numbers (n,) for each sentence: its tokens stand in a row."""
    return np.add.reduceat(items, markup.first, dtype=np.float64)


def details(gold: MarkupGold, system: Markup, _options: Options) -> Details:
    """One row per token: its seven scores, then both analyses."""
    tokens, wanted = scores(gold, system), gold.markup
    values = [getattr(tokens, name).astype(np.float64).tolist() for name in SCORES]
    sides = wanted, system
    analyses = [
        side.field(column).texts() for column in SHOWN_COLUMNS for side in sides
    ]
    titles = [f"{side}{name}" for name in SHOWN_NAMES for side in ("gold_", "system_")]
    sentences = (wanted.ids[i] for i in wanted.table.sentence_of.tolist())
    place = (wanted.field(column).texts() for column in (ID, FORM))
    columns = (sentences, *place, *values, *analyses)
    head = ("sentence", "id", "form", *SCORES, *titles)
    return Details(head, zip(*columns, strict=True))


LAYERS = {"pos": UPOS, "deprel": DEPREL, "semslot": SEMSLOT, "semclass": SEMCLASS}
COLUMNS = ("id", "form", *(f"{name}_found" for name in SHOWN_NAMES), *SCORES)


def inspect(gold: MarkupGold, system: Markup, _options: Options) -> Inspection:
    """An item per token, with each of the seven scores that is not its best."""
    tokens, markup = scores(gold, system), gold.markup
    best = {name: np.ones(len(tokens.lemma)) for name in SCORES}
    best["lemma"] = tokens.weight
    wrong: dict[str, Flags] = {
        name: np.asarray(getattr(tokens, name), dtype=np.float64) < best[name]
        for name in SCORES
    }
    items = MarkupItems(gold, system, tokens, wrong)
    unit_of = markup.table.sentence_of
    return Inspection(markup.sizes, unit_of, wrong, items.picture, items.layers)


@dataclass(frozen=True)
class MarkupItems:
    """Both sides, the scores of their tokens and what of them is wrong (n,)."""

    gold: MarkupGold
    system: Markup
    scores: TokenScores
    wrong: dict[str, Flags]

    def layers(self) -> dict[str, tuple[Coded, Coded]]:
        return {
            name: (self.gold.markup.coded(column), self.system.coded(column))
            for name, column in LAYERS.items()
        }

    def picture(self, unit: int) -> Picture:
        """A row per token; where both sides differ, "gold → system"."""
        markup = self.gold.markup
        first = int(markup.first[unit])
        rows = np.arange(first, first + int(markup.sizes[unit]))
        place = [markup.field(column, rows).texts() for column in (ID, FORM)]
        values = [
            np.asarray(getattr(self.scores, name)[rows], dtype=np.float64).tolist()
            for name in SCORES
        ]
        pairs = [
            [
                _both(expected, answer)
                for expected, answer in zip(
                    markup.field(column, rows).texts(),
                    self.system.field(column, rows).texts(),
                    strict=True,
                )
            ]
            for column in SHOWN_COLUMNS
        ]
        cells: tuple[tuple[Cell, ...], ...] = tuple(
            zip(*place, *pairs, *values, strict=True)
        )
        marks = tuple(kinds_at(self.wrong, row) for row in rows.tolist())
        return Picture(ItemTable(COLUMNS, cells, marks, tuple(SCORES)))


def _both(gold: str, system: str) -> str:
    return gold if gold == system else f"{gold} → {system}"
