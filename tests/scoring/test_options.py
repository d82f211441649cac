"""Options: parsed once by kind, refused with what was expected."""

from typing import Any

import pytest

from scoring.errors import UsageError
from scoring.options import Option, parse
from scoring.source import Source
from tests.loops import loop_over

FILE = Source.of_bytes("weights.csv", b"a,1\n")
DECLARED = (
    Option("labels", "what must agree", "choice", "full", ("full", "coarse")),
    Option("minimal", "single answers only", "flag", False),
    Option("tags", "tags", "list", ()),
    Option("alias", "aliases", "lines", ()),
    Option("weights", "a table", "file"),
    Option("language", "a code", "text", "en"),
)


def value(name: str, *given: str | Source) -> Any:
    return parse(DECLARED, {name: given})[name]


def test_what_is_not_given_has_its_default() -> None:
    assert parse(DECLARED, {}) == {
        "labels": "full",
        "minimal": False,
        "tags": (),
        "alias": (),
        "weights": None,
        "language": "en",
    }


def test_an_empty_list_of_values_is_the_default_too() -> None:
    assert parse(DECLARED, {"labels": []})["labels"] == "full"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("true", True), ("Yes", True), ("1", True), ("off", False), ("FALSE", False)],
)
def test_a_flag_is_true_or_false(text: str, expected: bool) -> None:
    assert value("minimal", text) is expected


def test_a_list_is_split_at_commas_and_grows_when_repeated() -> None:
    assert value("tags", "PERSON, PLACE", "", "TIME,") == ("PERSON", "PLACE", "TIME")


def test_a_word_that_a_list_names_again_counts_once() -> None:
    assert value("tags", "PLACE, PERSON, PLACE", "PERSON") == ("PLACE", "PERSON")


def test_lines_are_never_split() -> None:
    given = ("PERSON=ENAMEX[type=A,B]", "PLACE=LOC")
    assert value("alias", *given) == given


def test_the_last_of_a_repeated_single_value_counts() -> None:
    assert value("labels", "full", "coarse") == "coarse"
    assert value("language", "en", "ru") == "ru"


def test_a_file_is_kept_as_it_is() -> None:
    assert value("weights", FILE) is FILE


@loop_over(
    ("name", "given", "said"),
    [
        ("labels", "fine", "expected one of: full, coarse"),
        ("minimal", "maybe", "expected true or false"),
        ("weights", "weights.csv", "takes a file"),
        ("language", FILE, "takes a word, not a file"),
        ("tags", FILE, "takes a word, not a file"),
        ("colour", "red", "this scorer knows: labels, minimal"),
    ],
)
def test_what_does_not_fit_is_refused(
    name: str, given: str | Source, said: str
) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        value(name, given)
    assert f"'{name}'" in str(caught.value)


def test_a_scorer_without_options_says_so() -> None:
    with pytest.raises(UsageError, match="knows: none"):
        parse((), {"labels": ["full"]})
