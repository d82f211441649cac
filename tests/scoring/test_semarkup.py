"""What one token earns, point by point of SCORING.md, worked out by hand."""

import math

import pytest

from scoring.engine import count
from scoring.scorer import Scorer
from tests.loops import loop_over
from tests.scoring.markups import (
    SCORER,
    SCORES,
    measured,
    one,
    options,
    result,
    sentences,
    source,
    token,
    trace,
)


def earned(name: str, gold: dict[str, str], system: dict[str, str]) -> float:
    """The score of a single token in one of the seven."""
    row = trace(one(**gold), one(**system))[0]
    assert isinstance(SCORER, Scorer)
    return float(row[name])


def feats(system: str, gold: str) -> float:
    return earned("feats", {"feats": gold}, {"feats": system})


def semclass(system: str, gold: str) -> float:
    return earned("semclass", {"semclass": gold}, {"semclass": system})


def lemma(system: str, gold: str) -> bool:
    return earned("lemma", {"lemma": gold}, {"lemma": system}) > 0


def test_the_seeds_own_example_of_features() -> None:
    found = "Animacy=Inan|Case=Loc|Gender=Neut|Number=Sing"
    wanted = "Case=Nom|Degree=Pos|Gender=Fem|Number=Sing"
    assert feats(found, wanted) == pytest.approx(2 / (8 + 3 + 3 + 2))


def test_right_features_in_any_order_earn_everything() -> None:
    assert feats("Number=Plur|Case=Nom", "Case=Nom|Number=Plur") == 1


def test_features_too_many_divide_the_score() -> None:
    assert feats("Case=Nom|Mood=Ind", "Case=Nom") == 1 / 2
    assert feats("Case=Nom|Mood=Ind|Tense=Past", "Case=Nom") == pytest.approx(1 / 3)


def test_features_too_few_are_not_punished_beyond_what_they_miss() -> None:
    assert feats("Case=Nom", "Case=Nom|Number=Sing") == 8 / 10


def test_empty_gold_features_ask_for_none() -> None:
    assert feats("_", "_") == 1
    assert feats("Case=Nom", "_") == 0
    assert feats("_", "Case=Nom") == 0


def test_the_last_of_a_repeated_category_wins_and_counts_once() -> None:
    assert feats("Case=Nom|Case=Gen", "Case=Gen") == 1
    assert feats("Case=Gen|Case=Nom", "Case=Gen") == 0


def test_a_bare_category_has_an_empty_value() -> None:
    assert feats("Abbr", "Abbr=") == 1
    assert feats("Abbr=_", "Abbr") == 1
    assert feats("Abbr=Yes", "Abbr") == 0


def test_a_grammeme_may_hold_an_equals_sign() -> None:
    assert feats("Abbr=a=b", "Abbr=a=b|Abbr=a=b") == 1
    assert feats("Abbr=a", "Abbr=a=b") == 0


def test_categories_only_the_system_has_need_no_weight() -> None:
    assert feats("Case=Nom|Nonsense=Yes", "Case=Nom") == 1 / 2


@loop_over(
    ("system", "gold", "score"),
    [
        ("SLOOP", "SLOOP", 1),
        ("VESSEL", "SLOOP", 1 / 2),
        ("SLOOP", "PIER", 1 / 6),
        ("THING", "SLOOP", 1 / 4),
        ("MOTION", "SLOOP", 0),
        ("_", "SLOOP", 0),
        ("_", "LONE", 0),
        ("NO_CLASS", "SLOOP", 0),
        ("sloop", "SLOOP", 0),
        ("_", "_", 1),
        ("THING", "_", 0),
        ("NO_CLASS", "_", 0),
    ],
)
def test_classes_are_as_close_as_their_path_is_short(
    system: str, gold: str, score: float
) -> None:
    assert semclass(system, gold) == pytest.approx(score, abs=1e-15)


def test_blanks_at_the_end_of_a_line_are_no_part_of_the_class() -> None:
    assert semclass("SLOOP  ", "SLOOP") == 1
    assert semclass("SLOOP", "SLOOP ") == 1
    assert semclass("_ ", "_") == 1


def test_lemmas_agree_in_any_case_and_with_io_for_ie() -> None:
    assert lemma("ЁЖИК", "ежик")
    assert lemma("Mast", "mAST")
    assert not lemma("masts", "mast")
    assert not lemma("e\u0301", "\u00e9")
    assert not lemma("йод", "иод")


@loop_over("tag", ["ADP", "CCONJ", "INTJ", "PART", "PUNCT", "X"])
def test_lemmas_of_light_tags_weigh_three_tenths(tag: str) -> None:
    assert earned("lemma", {"pos": tag}, {"pos": "NOUN"}) == 0.3


@pytest.mark.parametrize("tag", ["NOUN", "VERB", "_", "adp", "QUUX"])
def test_lemmas_of_all_other_tags_weigh_seven_tenths(tag: str) -> None:
    assert earned("lemma", {"pos": tag}, {"pos": "ADP"}) == 0.7


@loop_over(
    ("system", "gold", "score"),
    [
        ("0", "0", 1),
        ("_", "_", 1),
        ("_", "0", 0),
        ("-3", "0", 0),
        ("999", "1", 0),
        ("-12", "-12", 1),
        ("12345678901234567890", "1", 0),
    ],
)
def test_heads_are_equal_or_not(system: str, gold: str, score: int) -> None:
    assert earned("uas", {"head": gold}, {"head": system}) == score


def test_a_label_counts_only_at_the_right_head() -> None:
    gold = {"head": "1", "deprel": "obj"}
    assert earned("las", gold, gold) == 1
    assert earned("las", gold, {"head": "1", "deprel": "obj:x"}) == 0
    assert earned("las", gold, {"head": "2", "deprel": "obj"}) == 0


def test_slots_and_tags_are_compared_as_they_stand() -> None:
    assert earned("semslot", {"semslot": "Agent"}, {"semslot": "agent"}) == 0
    assert earned("pos", {"pos": "NOUN"}, {"pos": "Noun"}) == 0


def test_the_xpos_column_is_ignored() -> None:
    gold = one(pos="NOUN")
    assert measured(gold, gold.replace("NOUN\t_", "NOUN\tNN"))["total"] == 1


GOLD = sentences(
    [token(form="a", lemma="a", semclass="SLOOP"), token(form="b", lemma="b", pos="X")],
    [token(form="c", lemma="c", feats="Case=Nom|Number=Sing")],
)
SYSTEM = sentences(
    [
        token(form="a", lemma="z", semclass="VESSEL"),
        token(form="b", lemma="B", pos="X", head="1", semslot="Agent"),
    ],
    [token(form="c", lemma="c", pos="VERB", feats="Number=Sing", deprel="dep")],
)
WORKED = {
    "lemma": 1.0 / 1.7,
    "pos": 2 / 3,
    "feats": (1 + 1 + 2 / 10) / 3,
    "uas": 2 / 3,
    "las": 1 / 3,
    "semslot": 2 / 3,
    "semclass": 2.5 / 3,
}


def test_scores_of_a_file_are_sums_by_the_sums_of_gold_against_itself() -> None:
    found = measured(GOLD, SYSTEM)
    for name, value in WORKED.items():
        assert found[name] == pytest.approx(value, abs=1e-15)
    assert found["total"] == pytest.approx(sum(WORKED.values()) / 7, abs=1e-15)


def test_the_base_track_averages_three() -> None:
    found = measured(GOLD, SYSTEM, track="base")
    three = [WORKED[name] for name in ("uas", "semslot", "semclass")]
    assert found["total"] == pytest.approx(sum(three) / 3, abs=1e-15)
    assert found["lemma"] == pytest.approx(WORKED["lemma"], abs=1e-15)


def test_gold_earns_exactly_one_in_everything() -> None:
    for track in ("hard", "base"):
        assert set(measured(GOLD, GOLD, track=track).values()) == {1.0}


def test_weights_of_a_task_replace_the_shipped_ones() -> None:
    light = measured(GOLD, SYSTEM, lemma_weights='{"NOUN": 0, "X": 5}')
    assert light["lemma"] == 1
    feats = measured(GOLD, SYSTEM, feats_weights='{"Case": 1, "Number": 3}')
    assert feats["feats"] == pytest.approx((1 + 1 + 3 / 4) / 3)


def test_lemma_weights_of_nothing_but_zero_leave_lemma_and_total_undefined() -> None:
    found = measured(GOLD, SYSTEM, lemma_weights='{"NOUN": 0, "X": 0}')
    assert found["lemma"] is None and found["total"] is None
    assert found["pos"] == pytest.approx(2 / 3)


def test_a_tag_without_a_lemma_weight_is_told() -> None:
    remarks = result(GOLD, SYSTEM, lemma_weights='{"X": 1}').remarks
    assert "tags without a lemma weight count 0.7: NOUN" in remarks
    complete = result(GOLD, SYSTEM, lemma_weights='{"X": 1, "NOUN": 1}').remarks
    assert not any("lemma weight" in remark for remark in complete)


def test_ranges_and_empty_nodes_are_ordinary_tokens() -> None:
    lines = ("1-2\tab", "1\ta", "2\tb", "2.1\t_")
    rest = "\t_\tX\t_\t_\t_\t_\t_\t_\n"
    text = "# sent_id = s1\n" + "".join(line + rest for line in lines)
    wrong = text.replace("2.1\t_\t_\tX", "2.1\t_\t_\tY")
    found = measured(text, wrong)
    assert found["pos"] == 3 / 4


def test_columns_after_the_tenth_are_ignored() -> None:
    wide = SYSTEM.replace("VESSEL\n", "VESSEL\tmore\tand more\n")
    assert measured(GOLD, wide) == measured(GOLD, SYSTEM)


def test_documents_genres_and_lengths_are_groups() -> None:
    text = GOLD.replace("# sent_id = s2", "# newdoc id = d\n# sent_id = s2")
    pair = [source(name, text) for name in ("gold", "system")]
    given = options()
    gold = SCORER.read_gold(pair[0], given)
    counts = count(SCORER, (gold, SCORER.read_system(pair[1], given, gold)), given)
    assert counts.units == ("s1", "s2")
    assert len(set(counts.groups["document"])) == 2
    assert counts.groups["length"] == ("1-10", "1-10")
    assert counts.by("document").total("tokens") == 3


def test_sentences_with_one_id_stay_two_units() -> None:
    twice = GOLD.replace("s2", "s1")
    assert result(twice, SYSTEM.replace("s2", "s1")).units == 2


def test_details_show_both_analyses_and_all_scores() -> None:
    row = trace(GOLD, SYSTEM)[0]
    assert [row["sentence"], row["id"], row["form"]] == ["s1", "1", "a"]
    assert (row["gold_semclass"], row["system_semclass"]) == ("SLOOP", "VESSEL")
    assert [row[name] for name in SCORES] == [0, 1, 1, 1, 1, 1, 0.5]


def test_details_add_up_to_the_scores() -> None:
    rows = trace(GOLD, SYSTEM)
    for name in SCORES[1:]:
        mean = math.fsum(row[name] for row in rows) / len(rows)
        assert mean == pytest.approx(WORKED[name])
