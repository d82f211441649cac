"""Names that SCORING.md promises: options, measures, units, counts, columns."""

from scoring.scorers import get
from tests.loops import loop_over

OPTIONS = {
    "semarkup": "taxonomy feats_weights lemma_weights track",
    "retrieval": "rel gain cutoffs depth groups",
    "coreference": "match singletons",
    "edits": "level types leave_out",
    "senseval": "granularity minimal policy sensemap instances senses unknown_senses",
    "attachment": "labels punctuation weights content function roots",
    "conll18": "roots enhanced",
    "spans": "format scheme tags alias equivalence empty ref_suffix_off ref_suffix_on",
    "unl-graph": "language uw_list ignored_attributes",
    "unl-text": "language",
}
CHOICES = {
    ("semarkup", "track"): "hard base",
    ("senseval", "granularity"): "fine coarse mixed",
    ("senseval", "policy"): "disjunctive conjunctive",
    ("senseval", "unknown_senses"): "wrong discard",
    ("attachment", "labels"): "full coarse",
    ("attachment", "punctuation"): "keep drop",
    ("attachment", "roots"): "any single",
    ("conll18", "roots"): "any single",
    ("spans", "format"): "mat-json xml-inline conll brat",
    ("spans", "scheme"): "iob1 iob2 bioes",
    ("spans", "empty"): "zero na",
}
CONLL18 = (
    "tokens sentences words upos xpos ufeats alltags lemmas uas las clas mlas blex"
)
MEASURES = {
    "semarkup": "lemma pos feats uas las semslot semclass total",
    "retrieval": "ndcg ndcg@10 map mrr mrr@10 p@10 r@1000 rprec bpref judged@10",
    "senseval": "precision recall f1 attempted",
    "attachment": "uas las wlas content_precision content_recall content_f1 "
    "function_precision function_recall function_f1",
    "conll18": " ".join(
        f"{name}{part}"
        for name in CONLL18.split()
        for part in ("", "_precision", "_recall")
    ),
    "spans": "precision recall f1",
    "unl-graph": "precision recall f1",
    "unl-text": "precision recall f1",
}
FINEST = {
    "semarkup": "sentence",
    "retrieval": "topic",
    "senseval": "instance",
    "attachment": "sentence",
    "conll18": "sentence",
    "spans": "sentence",
    "unl-graph": "sentence",
    "unl-text": "sentence",
}


@loop_over("name", OPTIONS)
def test_a_scorer_has_its_promised_options(name: str) -> None:
    known = {option.name for option in get(name).options}
    assert set(OPTIONS[name].split()) - known == set()


@loop_over(("name", "option"), CHOICES)
def test_an_option_takes_its_promised_values(name: str, option: str) -> None:
    found = {o.name: o for o in get(name).options}[option]
    assert set(CHOICES[name, option].split()) - set(found.choices) == set()


@loop_over("name", MEASURES)
def test_a_scorer_has_its_promised_measures(name: str) -> None:
    known = {measure.name for measure in get(name).measures(())}
    assert set(MEASURES[name].split()) - known == set()


@loop_over("name", FINEST)
def test_a_scorer_resamples_its_promised_unit(name: str) -> None:
    assert get(name).units[0] == FINEST[name]
