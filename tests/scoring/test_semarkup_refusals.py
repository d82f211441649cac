"""Files that `semarkup` refuses, each with an address; and none of them a traceback."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import MOST_PROBLEMS, ScoringError
from scoring.hints import HINTS
from tests.loops import loop_over
from tests.properties import at_night
from tests.scoring.damage import Tally, check_problems, mutant
from tests.scoring.examples import semarkup as example
from tests.scoring.markups import (
    SCORER,
    one,
    options,
    refusal,
    result,
    sentences,
    setup_error,
    source,
    token,
)

GOLD = sentences(
    [token(form="a"), token(form="b")], [token(form="c")], [token(form="d")]
)
SNIPPETS = (
    *(b"\n", b"\r\n", b"\r", b"\t", b" ", b"_", b"|", b"=", b"#", b"-1", b"\x00"),
    *(b"\xff", b"\xef\xbb\xbf", b"# sent_id = s1\n", b"9" * 400, b"Case=", b"\n\n"),
    *("\u2028".encode(), "\x85".encode(), b"\x0b", "\u0451\u0301".encode()),
)


def messages(gold: str | bytes, system: str | bytes) -> list[str]:
    found = refusal(gold, system)
    return [
        str(replace(p, hint="") if HINTS.get(p.code) == p.hint else p) for p in found
    ]


def test_a_missing_sentence_is_named_where_it_should_stand() -> None:
    without = GOLD.replace("# sent_id = s2\n1\t" + token(form="c") + "\n\n", "")
    assert messages(GOLD, without) == [
        "system:5: sentence 's2' is missing before 's3'."
    ]


def test_a_sentence_missing_at_the_end_is_named() -> None:
    assert messages(GOLD, GOLD[: GOLD.index("# sent_id = s3")]) == [
        "system:6: sentence 's3' is missing at the end."
    ]


def test_an_extra_sentence_is_named() -> None:
    more = GOLD.replace("s2", "s9") + GOLD[GOLD.index("# sent_id = s2") :].replace(
        "s3", "s4"
    )
    found = refusal(GOLD, more)
    assert [p.unit for p in found] == ["s9", "s4"]
    assert found[0].line == 5


def test_swapped_sentences_are_refused() -> None:
    swapped = GOLD.replace("s1", "x").replace("s3", "s1").replace("x", "s3")
    assert messages(GOLD, swapped) == [
        "system:1: sentence 's3' where 's1' was expected."
    ]


def test_every_sentence_of_another_length_is_named() -> None:
    longer = GOLD.replace(
        "1\t" + token(form="c"),
        "1\tc\n2\tx".replace("\n2", token(form="c")[1:] + "\n2") + token(form="x")[1:],
    )
    assert messages(GOLD, longer) == [
        "system:5: the sentence has 2 tokens; expected 1."
    ]


def test_every_form_that_differs_is_named() -> None:
    found = refusal(GOLD, GOLD.replace("\ta\t", "\tA\t").replace("\td\t", "\tD\t"))
    assert [(p.line, p.unit) for p in found] == [(2, "s1"), (9, "s3")]
    assert "form 'A'; expected 'a'" in found[0].message


def test_another_normal_form_is_refused_and_told() -> None:
    gold = one(form="\u0439")
    found = refusal(gold, one(form="\u0438\u0306"))
    assert found[0].line == 2
    assert "Unicode normal form" in found[0].hint


def test_a_sentence_without_sent_id_is_refused_on_both_sides() -> None:
    without = GOLD.replace("# sent_id = s2\n", "# text = c\n")
    assert [p.line for p in refusal(GOLD, without)] == [5]
    assert [p.line for p in setup_error(without)] == [5]
    nothing = GOLD.replace("# sent_id = s2\n", "")
    assert [p.line for p in refusal(GOLD, nothing)] == [5]


@loop_over("head", ["01", "+1", "1.0", "x", "", "-0", "--1", "1 ", "\uff11"])
def test_a_head_that_is_no_whole_number_is_refused(head: str) -> None:
    found = refusal(one(), one(head=head))
    assert [(p.code, p.line, p.unit) for p in found] == [("head", 2, "s1")]


def test_nine_columns_and_spaces_are_refused() -> None:
    nine = GOLD.replace("d\tmast\tNOUN\t_", "d\tmast\tNOUN")
    assert "line" not in messages(GOLD, nine)[0]
    assert messages(GOLD, nine)[0].startswith("system:9: expected ten columns")
    assert "tabs, not spaces" in messages(GOLD, GOLD.replace("\t", "  "))[0]


@pytest.mark.parametrize("data", [b"", b"\n \n", b"# sent_id = s1\n\n", b"\xff\xfe"])
def test_files_without_tokens_are_refused(data: bytes) -> None:
    assert refusal(GOLD, data)


def test_all_problems_come_at_once_but_not_all_of_a_thousand() -> None:
    gold = sentences([token()] * 1000)
    found = refusal(gold, gold.replace("\t0\t", "\tzero\t"))
    assert len(found) == MOST_PROBLEMS + 1
    assert "980 more" in found[-1].message


def test_a_gold_class_outside_the_taxonomy_is_a_setup_error() -> None:
    found = setup_error(sentences([token(), token(semclass="GULL")]))
    assert [(p.file, p.line) for p in found] == [("gold", 3)]
    assert "GULL" in found[0].message


def test_gold_classes_without_a_taxonomy_ask_for_one() -> None:
    parsed = {**options(), "taxonomy": None}
    with pytest.raises(ScoringError, match="option taxonomy"):
        SCORER.read_gold(source("gold", one(semclass="SLOOP")), parsed)
    assert SCORER.read_gold(source("gold", one()), parsed)


def test_a_gold_category_without_a_weight_is_a_setup_error() -> None:
    gold = sentences([token(feats="Case=Nom"), token(feats="Case=Nom|Flavour=Salt")])
    found = setup_error(gold)
    assert [(p.line, "Flavour" in p.message) for p in found] == [(3, True)]


def test_the_check_needs_no_taxonomy_and_no_gold() -> None:
    parsed = {**options(), "taxonomy": None}
    published = SCORER.blind(source("gold", GOLD), parsed)
    blind = SCORER.read_blind(published, parsed)
    assert SCORER.read_system(source("system", GOLD), parsed, blind)
    assert b"NOUN" not in published.single()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: "\n\n" + text.replace("\n\n", "\n\n\n"),
        lambda text: text.replace("\n\n", "\n# late = yes\n\n"),
    ],
)
def test_every_text_form_is_accepted(change: object) -> None:
    assert callable(change)
    changed = change(GOLD)
    assert result(changed, changed).measures["total"].value == 1
    assert result(GOLD, changed).measures["total"].value == 1


def test_other_line_ends_are_characters() -> None:
    gold = one(form="a\u2028b\x85c\x0bd")
    assert result(gold, gold).units == 1


def outcome(gold: bytes, system: bytes) -> str:
    try:
        found = result(gold, system, taxonomy=example.TAXONOMY)
    except ScoringError as error:
        check_problems(error, {"gold": gold, "system": system})
        return "refused"
    for estimate in found.measures.values():
        assert estimate.value is None or 0 <= estimate.value <= 1
    return "scored"


def run_mutants(number: int, seed: int) -> Tally:
    dice, tally = random.Random(seed), Tally()
    gold, systems = example.GOLD.encode(), [s.single() for s in example.SYSTEMS]
    for _ in range(number):
        hurt = dice.random() < 0.25
        one = mutant(dice, gold if hurt else dice.choice(systems), SNIPPETS)
        tally.add(outcome(*((one, gold) if hurt else (gold, one))))
    return tally


def test_mutants_are_scored_or_refused() -> None:
    assert run_mutants(150, seed=3).fewest() > 15


@pytest.mark.campaign
def test_twenty_thousand_mutants_are_scored_or_refused() -> None:
    assert run_mutants(20_000, seed=4).fewest() > 2000


@settings(max_examples=at_night(100))
@given(data=st.binary(max_size=80) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_refused_or_scored(data: bytes) -> None:
    outcome(example.GOLD.encode(), data)
    outcome(data, data)
