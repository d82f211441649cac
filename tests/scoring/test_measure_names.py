"""Names of measures that people bring from other programs."""

import pytest

from scoring import Job, Source, UsageError, evaluate
from scoring.measure_names import own_names
from scoring.options import parse
from scoring.scorers import get
from tests.loops import loop_over


@loop_over(
    ("scorer", "name", "own"),
    [
        ("retrieval", "recall@100", "r@100"),
        ("retrieval", "R@100", "r@100"),
        ("retrieval", "recall_100", "r@100"),
        ("retrieval", "P_10", "p@10"),
        ("retrieval", "nDCG@10", "ndcg@10"),
        ("retrieval", "ndcg_cut_10", "ndcg@10"),
        ("retrieval", "recip_rank", "mrr"),
        ("retrieval", "Rprec", "rprec"),
        ("retrieval", "recall@50", "r@50"),  # no measure without its option, yet one
        ("texts", "rouge_1", "rouge1"),
        ("texts", "rouge-1", "rouge1"),
        ("texts", "rouge_l", "rougeL"),
        ("texts", "exact_match", "exact_match"),
        ("multilabel", "samples_f1", "item_f1"),
        ("multilabel", "exact_match", "subset_accuracy"),
        ("classes", "f1_macro", "macro_f1"),
        ("classes", "macro-F1", "macro_f1"),
        ("classes", "f1[R@1]", "f1[R@1]"),
        ("translation", "chrF2++", "chrfpp"),
        ("translation", "BLEU", "bleu"),
    ],
)
def test_a_measure_answers_to_the_name_that_it_has_elsewhere(
    scorer: str, name: str, own: str
) -> None:
    assert get(scorer).measure(name).name == own


@loop_over("name", ["", "@", "[", "recall", "f2", "ndcg@", "ndcg@x", "1"])
def test_a_name_that_stands_for_nothing_is_unknown(name: str) -> None:
    with pytest.raises(KeyError):
        get("retrieval").measure(name)


def test_an_unknown_measure_is_answered_with_the_nearest_one() -> None:
    known = [measure.name for measure in get("texts").measures(())]
    with pytest.raises(UsageError, match="Did you mean 'similarity'") as raised:
        own_names(["similiarity"], known)
    assert raised.value.problems[0].code == "measure"


def test_an_unknown_option_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="Did you mean 'stems'"):
        parse(get("texts").options, {"stem": ["true"]})


def test_no_scorer_has_two_measures_that_one_name_stands_for() -> None:
    for scorer in ("texts", "retrieval", "classes", "multilabel", "translation"):
        names = [measure.name for measure in get(scorer).measures(())]
        assert own_names(names, names) == names


@loop_over(
    ("scorer", "name", "near"),
    [
        ("classes", "f1_macr", "macro_f1"),
        ("classes", "recall_weigthed", "weighted_recall"),
        ("multilabel", "f1_mirco", "micro_f1"),
        ("classes", "acuracy", "accuracy"),
        ("probabilities", "log_los", "log_loss"),
    ],
)
def test_a_slip_in_a_name_of_a_library_is_answered_with_ours(
    scorer: str, name: str, near: str
) -> None:
    known = [measure.name for measure in get(scorer).measures(())]
    with pytest.raises(UsageError, match=f"Did you mean '{near}'"):
        own_names([name], known)


@loop_over(
    ("unit", "near"), [("itme", "item"), ("documents", "document"), ("Item", "item")]
)
def test_a_slip_in_the_name_of_a_unit_is_answered_with_the_nearest(
    unit: str, near: str
) -> None:
    scorer = get("classes")
    options = parse(scorer.options, {})
    gold = Source.of_bytes("gold", b"id,label\na,x\nb,y\n")
    with pytest.raises(UsageError, match=f"Did you mean '{near}'"):
        evaluate(Job(scorer, options, unit), gold, gold)
