"""Titles of errors, layers, orders and columns in the reader's language."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

KINDS = {
    "word": _("no partner"),
    "head": _("wrong head"),
    "label": _("wrong relation"),
    "upos": _("wrong part of speech"),
    "xpos": _("wrong tag of its own"),
    "ufeats": _("wrong features"),
    "lemma": _("wrong lemma"),
    "pos": _("wrong part of speech"),
    "feats": _("wrong features"),
    "uas": _("wrong head"),
    "las": _("wrong head or relation"),
    "semslot": _("wrong semantic slot"),
    "semclass": _("wrong semantic class"),
    "match": _("match"),
    "tagclash": _("right place, wrong tag"),
    "spanclash": _("right tag, wrong place"),
    "bothclash": _("wrong tag and wrong place"),
    "missing": _("missing"),
    "spurious": _("spurious"),
    "unanswered": _("not attempted"),
    "wrong": _("wrong"),
    "partial": _("partly right"),
    "returned": _("not returned"),
    "correct": _("not close enough"),
    "exceeding": _("too much"),
    "substitution": _("another word"),
    "deletion": _("left out"),
    "insertion": _("added"),
    "too_low": _("too low by more than a tenth of the gold's range"),
    "too_high": _("too high by more than a tenth of the gold's range"),
    "far_off": _("a share off by a half or more"),
    "placed_low": _("below systems that people do not prefer"),
    "placed_high": _("above systems that people prefer"),
    "not_relevant": _("not relevant"),
    "unjudged": _("not judged"),
    "low": _("relevant, below rank 10"),
    "missed": _("relevant, not found"),
    "other_entity": _("in another entity"),
    "mixed": _("in a cluster with others"),
    "parted": _("apart from its own"),
}
LAYERS = {
    "relation": _("Relation"),
    "upos": _("Part of speech"),
    "pos": _("Part of speech"),
    "deprel": _("Relation"),
    "semslot": _("Semantic slot"),
    "semclass": _("Semantic class"),
    "tag": _("Tag"),
    "sense": _("Sense"),
    "class": _("Class"),
}
ORDERS = {
    "worst": _("lowest score first"),
    "most": _("most errors first"),
    "file": _("as in the file"),
    "difference": _("largest difference first"),
}
COLUMNS = {
    "gold_place": _("Gold no."),
    "gold_form": _("Gold word"),
    "gold_head": _("Gold head"),
    "gold_relation": _("Gold relation"),
    "system_place": _("System no."),
    "system_form": _("System word"),
    "system_head": _("System head"),
    "system_relation": _("System relation"),
    "verdict": _("Verdict"),
    "gold_tag": _("Gold tag"),
    "gold_text": _("Gold text"),
    "gold_entity": _("Gold entity"),
    "system_tag": _("System tag"),
    "system_text": _("System text"),
    "system_entity": _("System entity"),
    "gold_cluster": _("Gold cluster"),
    "system_cluster": _("System cluster"),
    "cluster_precision": _("B-cubed precision"),
    "cluster_recall": _("B-cubed recall"),
    "side": _("Side"),
    "sense": _("Sense"),
    "class": _("Class"),
    "weight": _("Weight"),
    "credit": _("Credit"),
    "earned": _("Earned"),
    "id": _("No."),
    "form": _("Word"),
    "lemma_found": _("Lemma"),
    "pos_found": _("Part of speech"),
    "feats_found": _("Features"),
    "head_found": _("Head"),
    "deprel_found": _("Relation"),
    "semslot_found": _("Semantic slot"),
    "semclass_found": _("Semantic class"),
    "lemma": _("Lemma score"),
    "pos": _("POS score"),
    "feats": _("Feats score"),
    "uas": _("UAS"),
    "las": _("LAS"),
    "semslot": _("SemSlot score"),
    "semclass": _("SemClass score"),
    "what": _("Kind"),
    "item": _("Item"),
    "gold_times": _("In gold"),
    "system_times": _("In the answer"),
    "system": _("System"),
    "gold_value": _("Gold value"),
    "system_value": _("System value"),
    "value_error": _("Error"),
    "rank": _("Rank"),
    "document": _("Document"),
    "score": _("Score"),
    "grade": _("Grade"),
    "tokens": _("Tokens"),
    "type": _("Type"),
    "correction": _("Correction"),
}
# Columns whose cells are words of ours, and those words.
WORD_COLUMNS = ("verdict", "side", "what")
CELLS = {
    "key": _("key"),
    "guess": _("guess"),
    "sentence": _("sentence"),
    "relations": _("relation"),
    "uws": _("UW"),
    "attributes": _("attribute"),
}


def of(titles: Mapping[str, object], name: str) -> str:
    """The title of a name, or the name itself."""
    return str(titles.get(name, name))


def errors(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(of(KINDS, kind), number) for kind, number in counts.items()]


def cell(word: str) -> str:
    return of(KINDS if word in KINDS else CELLS, word)
