"""UNL texts: returned, correct, and how they are compared."""

import unicodedata
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.scorers.unl.texts import is_close
from tests.loops import loop_over
from tests.properties import at_night
from tests.scoring.unls import (
    TEXT,
    measured,
    options,
    refusal,
    result,
    rows,
    setup_error,
    source,
    texts,
)


def verdict(system: str, *expected: str) -> tuple[int, int]:
    """Returned and correct of one sentence."""
    row = rows(TEXT, texts(list(expected)), texts(system))[0]
    return row["returned"], row["correct"]


def test_less_than_three_tenths_away_is_correct() -> None:
    assert verdict("0123456xx9", "0123456789") == (1, 1)
    assert verdict("0123456xxx", "0123456789") == (1, 0)
    assert verdict("abcdefgh", "abcdefghijk") == (1, 1)
    assert verdict("abcdefg", "abcdefghij") == (1, 0)


def test_the_length_is_that_of_the_expected_text() -> None:
    assert verdict("abcdefghijXYZ", "abcdefghij") == (1, 0)
    assert verdict("abcdefghij", "abcdefghijXYZ") == (1, 1)


def test_case_counts_and_white_space_does_not() -> None:
    assert verdict(" very \n\t calm\u00a0sea ", "very calm sea") == (1, 1)
    assert rows(TEXT, texts("very calm"), texts("very\n calm"))[0]["distance"] == 0
    assert rows(TEXT, texts("very calm"), texts("Very Calm"))[0]["distance"] == 2


def test_normal_forms_are_the_same() -> None:
    composed = "\u00e9\u00e8\u00ea"
    apart = unicodedata.normalize("NFD", composed)
    assert rows(TEXT, texts(composed), texts(apart))[0]["distance"] == 0
    assert rows(TEXT, texts(apart), texts(composed))[0]["length"] == 3


def test_distances_count_code_points() -> None:
    row = rows(TEXT, texts("a\U0001f600b"), texts("ab"))[0]
    assert (row["distance"], row["length"]) == (1, 3)


def test_the_best_of_several_expected_texts_counts() -> None:
    assert verdict("quite still", "very calm", "quite still") == (1, 1)
    row = rows(TEXT, texts(["calm", "quite still"]), texts("quite stil"))[0]
    assert (row["distance"], row["length"]) == (1, 11)


def test_the_first_of_several_answers_counts_and_this_is_told() -> None:
    system = texts(["calm", "very calm"])
    assert rows(TEXT, texts("very calm"), system)[0]["correct"] == 0
    remarks = result(TEXT, texts("very calm"), system).remarks
    assert "several texts, the first counts: 1" in remarks


@loop_over(
    "text",
    [
        "a gull(icl>bird)",
        "calm.@plus",
        "the 301400500",
        "301400500.@pl",
        "[W] calm",
        "301400500:01",
    ],
)
def test_uw_syntax_is_no_natural_language(text: str) -> None:
    row = rows(TEXT, texts(text), texts(text))[0]
    assert (row["returned"], row["correct"]) == (0, 0)
    assert row["why"].startswith("UW syntax")


@loop_over(
    "text",
    [
        "012345678",
        "1301400500",
        "30140050",
        "a@b.org",
        "gull (bird)",
        "[w]",
        "1.@ 2",
        "(icl)",
    ],
)
def test_what_only_looks_like_uws_is_returned(text: str) -> None:
    assert verdict(text, text) == (1, 1)


def test_empty_and_missing_texts_are_not_returned() -> None:
    gold = texts("calm", "calm", "calm", "calm")
    system = texts("calm", " \n ") + "[S:3]\n{fr}calme{/fr}\n[/S]\n"
    found = rows(TEXT, gold, system)
    assert [row["why"] for row in found] == [
        *("", "empty text", "empty text", "missing sentence")
    ]
    assert measured(TEXT, gold, system) == {
        "precision": 1,
        "recall": 1 / 4,
        "f1": pytest.approx(2 * 1 / (1 + 4)),
    }


def test_another_language_may_be_asked_for() -> None:
    gold = "[S:1]{en}calm{/en}{fr}calme{/fr}[/S]"
    system = "[S:1]{fr}calme{/fr}[/S]"
    assert measured(TEXT, gold, system)["f1"] == 0
    assert measured(TEXT, gold, system, language="fr")["f1"] == 1
    assert measured(TEXT, gold, system, language="FR")["f1"] == 1


def test_the_original_is_expected_where_there_is_no_other_text() -> None:
    gold = "[S:1]{org:en}calm{/org}[/S]"
    assert measured(TEXT, gold, texts("calm"))["f1"] == 1


def test_gold_without_a_text_is_a_setup_error() -> None:
    gold = texts("calm") + "[S:2]\n{fr}calme{/fr}\n[/S]\n[S:3]{en} {/en}[/S]"
    assert [p.line for p in setup_error(TEXT, gold)] == [6, 9]


def test_unknown_and_repeated_ids_are_refused() -> None:
    assert [p.line for p in refusal(TEXT, texts("a"), texts("a", "b"))] == [6]
    assert [p.line for p in refusal(TEXT, texts("a"), texts("a") * 2)] == [6]


def test_the_published_file_has_graphs_and_no_texts() -> None:
    gold = "[S:1]{org:en}calm{/org}{unl}301400500{/unl}{en}still{/en}{fr}calme{/fr}[/S]"
    blind = TEXT.blind(source("gold", gold), options(TEXT)).single()
    assert b"301400500" in blind
    assert not any(word in blind for word in (b"calm", b"still"))
    read = TEXT.read_blind(source("blind", blind), options(TEXT))
    assert TEXT.read_system(source("system", texts("a")), options(TEXT), read)


def test_marks_without_end_take_no_time() -> None:
    begun = process_time()
    assert verdict("a" + "\u0301\u0323" * 200_000, "a calm sea") == (1, 0)
    assert process_time() - begun < 5


def naive(first: str, second: str) -> int:
    """Levenshtein distance, row by row."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            change = previous + (a != b)
            previous, row[j] = row[j], min(change, row[j] + 1, row[j - 1] + 1)
    return row[-1]


WORDS = st.text(alphabet="abé\U0001f600 ", max_size=24)


@settings(max_examples=at_night(300))
@given(answer=WORDS, expected=WORDS)
def test_closeness_is_what_the_textbook_says(answer: str, expected: str) -> None:
    close = 10 * naive(answer, expected) < 3 * len(expected)
    assert is_close(answer, expected) == close


@settings(max_examples=at_night(100))
@given(answer=st.text(alphabet="aé\u0301\u1100\u1161\u11a8 \u0390", max_size=40))
def test_leaving_long_texts_alone_changes_no_verdict(answer: str) -> None:
    whole = unicodedata.normalize("NFC", " ".join(answer.split()))
    _, correct = verdict(answer.strip() or "a", "é á")
    assert correct == (bool(whole) and 10 * naive(whole, "é á") < 3 * 3)
