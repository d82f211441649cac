"""Weights of a task: a JSON object of numbers, or a setup error that says why not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import SetupError
from scoring.scorers.semarkup import rules
from scoring.scorers.semarkup.rules import SYNTAGRUS
from scoring.source import Source
from tests.loops import loop_over
from tests.properties import at_night
from tests.scoring.markups import one, setup_error


def read(text: str | bytes) -> dict[str, float]:
    data = text.encode() if isinstance(text, str) else text
    return rules.read_weights(Source.of_bytes("weights.json", data))


def test_an_object_of_numbers_is_read() -> None:
    assert read('\ufeff{"Case": 8, "Gender": 0.5}\r\n') == {"Case": 8.0, "Gender": 0.5}
    assert read("{}") == {}


@loop_over(
    "value",
    [
        "-1",
        "true",
        "null",
        '"3"',
        "[1]",
        "{}",
        "NaN",
        "Infinity",
        "1e999",
        "1001",
        "1" + "0" * 400,
    ],
)
def test_a_weight_that_is_no_weight_is_named(value: str) -> None:
    with pytest.raises(SetupError, match="weight of 'Case' is no number"):
        read(f'{{"Case": {value}}}')


@loop_over(
    "text",
    [
        "",
        "[]",
        '[["Case", 8]]',
        "8",
        "null",
        '{"Case": }',
        "{",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"Case": ' + "1" * 5000 + "}",
        '"Case"',
    ],
)
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(SetupError) as caught:
        read(text)
    assert caught.value.problems[0].file == "weights.json"


def test_a_name_weighted_twice_is_refused() -> None:
    with pytest.raises(SetupError, match="'Case' is weighted twice"):
        read('{"Case": 8, "Case": 7}')


def test_the_line_of_broken_json_is_named() -> None:
    with pytest.raises(SetupError) as caught:
        read('{\n"Case": 8,\n}')
    assert caught.value.problems[0].line == 3


def test_half_a_surrogate_pair_can_be_printed() -> None:
    with pytest.raises(SetupError) as caught:
        read('{"\\ud800": -1}')
    caught.value.problems[0].message.encode()


def test_a_category_of_no_weight_is_refused() -> None:
    found = setup_error(one(), feats_weights='{"Case": 0}')
    assert "'Case' is 0" in found[0].message


def test_the_shipped_weights_are_the_sizes_of_the_categories() -> None:
    several = {"Animacy": 2, "Case": 8, "Gender": 3, "Number": 2, "Degree": 3}
    several |= {"Aspect": 2, "Mood": 3, "Tense": 3, "VerbForm": 4, "Voice": 3}
    several |= {"Person": 3, "PronType": 6}
    ones = (
        "Variant",
        "NumType",
        "Poss",
        "Reflex",
        "Foreign",
        "Polarity",
        "Typo",
        "Abbr",
    )
    assert several | dict.fromkeys(ones, 1) == SYNTAGRUS


JSON_LIKE = st.text(alphabet='{}[]":,1a\\ud8', max_size=40).map(str.encode)


@settings(max_examples=at_night(150))
@given(data=st.binary(max_size=40) | JSON_LIKE)
def test_any_bytes_are_weights_or_a_setup_error(data: bytes) -> None:
    try:
        found = read(data)
    except SetupError as error:
        assert all(problem.message.isprintable() for problem in error.problems)
    else:
        assert all(0 <= weight <= 1000 for weight in found.values())
