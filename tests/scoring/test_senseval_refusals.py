"""What senseval refuses: the line, what is wrong, and no word of the key."""

import pytest

from scoring.engine import check
from scoring.errors import MOST_PROBLEMS, Refused, SetupError
from scoring.scorers.senseval import sense_answers
from scoring.scorers.senseval.reader import LONGEST_LINE, PIECE
from scoring.scorers.senseval.sense_answers import MOST_TAGS
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.senses import (
    KEY,
    MAP,
    SCORER,
    counted,
    options,
    refusal,
    setup_error,
    source,
)

GOOD = "oak.n oak.1 1\n"


@loop_over(
    "weight",
    [
        "-0.5",
        "nan",
        "inf",
        "-inf",
        "1e999",
        "",
        "x",
        "0,5",
        "1_0",
        "0x1",
        "½",
        "٣",
        "/1",
    ],
)
def test_bad_weight_names_its_line(weight: str) -> None:
    (problem,) = refusal(KEY, f"{GOOD}\noak.n oak.2 2/{weight} 3/0.1\n")
    assert (problem.code, problem.file, problem.line) == ("weight", "answers", 3)
    assert problem.unit == "oak.n oak.2"
    assert "expected a number of 0 or more" in problem.message


@pytest.mark.parametrize("beside", ["yew.n yew.1", "oak.n oak.1"])
def test_bad_weights_are_refused_in_answers_that_would_not_count(beside: str) -> None:
    (problem,) = refusal(KEY, f"{GOOD}{beside} 1/x\n")
    assert problem.line == 2


def test_a_bad_weight_beside_a_missing_one_is_refused() -> None:
    (problem,) = refusal(KEY, "oak.n oak.1 1 2/x\n")
    assert problem.code == "weight"


def test_a_weight_without_a_tag_is_refused() -> None:
    (problem,) = refusal(KEY, "oak.n oak.1 /0.5\n")
    assert (problem.code, problem.line) == ("tag", 1)


def test_a_single_field_is_refused() -> None:
    (problem,) = refusal(KEY, f"{GOOD}oak.n !! oak.2 2\n")
    assert (problem.code, problem.line) == ("fields", 2)
    assert "lexelt instance tag[/weight]" in problem.message


def test_all_problems_of_a_file_are_told_at_once_and_capped() -> None:
    problems = refusal(KEY, "oak.n oak.1 1/x\n" * 50)
    assert len(problems) == MOST_PROBLEMS + 1
    assert [p.line for p in problems[:-1]] == list(range(1, MOST_PROBLEMS + 1))
    assert "30 more" in problems[-1].message


def test_weights_above_one_are_refused_under_the_conjunctive_policy() -> None:
    answers = "elm.n elm.1 1.1/1\noak.n oak.2 2/1 3/1.5\n"
    (problem,) = refusal(KEY, answers, policy="conjunctive")
    assert (problem.code, problem.line) == ("weight_above_one", 2)
    assert (problem.unit, "1.5" in problem.message) == ("oak.n oak.2", True)
    assert refusal(KEY, answers) == ()


@pytest.mark.parametrize(
    "given",
    [
        {"instances": "elm.1\n"},
        {"senses": "1.1\n"},
        {"minimal": "true"},
        {"unknown_senses": "discard", "sensemap": MAP},
    ],
)
def test_weights_above_one_matter_only_where_they_are_scored(
    given: dict[str, str],
) -> None:
    answers = "oak.n oak.2 strange/2\n"
    assert refusal(KEY, answers, policy="conjunctive", **given) == ()


def test_a_line_beyond_measure_is_refused_before_it_is_read() -> None:
    (problem,) = refusal(KEY, GOOD + "oak.n oak.2 " + "2 " * LONGEST_LINE)
    assert (problem.code, problem.line) == ("long_line", 2)
    comment = "!!" + "x" * LONGEST_LINE
    assert refusal(KEY, GOOD + comment) == ()


def test_an_answer_of_too_many_tags_is_refused() -> None:
    (problem,) = refusal(KEY, "oak.n oak.1" + " 1" * (MOST_TAGS + 1))
    assert (problem.code, problem.line) == ("tags", 1)
    assert refusal(KEY, "oak.n oak.1" + " 1" * MOST_TAGS) == ()


def test_a_file_of_endless_lines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sense_answers, "MOST_LINES", 100)
    (problem,) = refusal(KEY, GOOD + "\n" * 130)
    assert problem.code == "too_many_lines"
    assert refusal(KEY, GOOD + "\n" * 129) == ()


def test_lines_are_counted_across_pieces_of_a_long_file() -> None:
    lines = 3 * PIECE // len(GOOD)
    (problem,) = refusal(KEY, GOOD * lines + "oak.n oak.2 2/x\n")
    assert problem.line == lines + 1


def test_the_same_guess_is_wrong_again_in_a_later_piece() -> None:
    lines = 2 * PIECE // len(GOOD)
    bad = "oak.n oak.2 2/x\n"
    problems = refusal(KEY, bad + GOOD * lines + bad)
    assert [p.line for p in problems] == [1, lines + 2]


def test_a_file_of_very_many_tags_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sense_answers, "MOST_TAGS_AT_ALL", 10)
    monkeypatch.setattr(sense_answers, "TAGS_PER_INSTANCE", 0)
    (problem,) = refusal(KEY, "oak.n oak.1 1 2 3\n" * 4)
    assert problem.code == "too_many_tags"


def test_many_different_guesses_are_forgotten_and_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sense_answers, "MOST_CACHED", 10)
    key = "".join(f"w w.{i} s{i % 700}\n" for i in range(9000))
    assert counted(key, key).total("score") == 9000


@loop_over(
    "data",
    [
        b"",
        b" \r\n",
        b"\xef\xbb\xbf",
        b"!! none\n",
        b"oak.n oak.1 \xff\n",
        b"\xff\xfea\0",
    ],
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    (problem,) = refusal(KEY, data)
    assert problem.code in ("empty_file", "encoding")


def test_several_files_are_refused() -> None:
    gold = SCORER.read_gold(source("key", KEY), options())
    several = Source("answers", {"a": b"x y z", "b": b"x y z"})
    with pytest.raises(Refused, match="expected one file"):
        SCORER.read_system(several, options(), gold)


def test_control_characters_do_not_reach_messages() -> None:
    (problem,) = refusal(KEY, "oak.n oak.1 a\x00\x1b[31m/\x07 " + "\n")
    assert problem.message.isprintable()


def test_messages_hold_nothing_of_the_key() -> None:
    key = "oak.n oak.1 SECRET-1\noak.n oak.2 SECRET-2 SECRET-3\n"
    answers = "oak.n oak.1 1/x\noak.n\noak.n oak.2 2/2\nyew.n yew.1 /\n"
    told = str(refusal(key, answers, policy="conjunctive"))
    assert "SECRET" not in told


def test_the_check_finds_the_same_problems_with_the_blind_file() -> None:
    answers = source("answers", "oak.n oak.1 1/x\noak.n oak.2 2/2\nelm.n\n")
    parsed = options(policy="conjunctive")
    published = SCORER.blind(source("key", KEY), parsed)
    found = check(SCORER, published, answers, parsed)
    scored = refusal(KEY, answers.single(), policy="conjunctive")
    assert [p.message for p in found] == [p.message for p in scored]
    assert [p.line for p in found] == [p.line for p in scored] == [1, 2, 3]


def test_a_blind_file_that_names_an_instance_twice_is_a_set_up_error() -> None:
    published = source("blind", "oak.n oak.1\noak.n oak.1\n")
    with pytest.raises(SetupError) as caught:
        SCORER.read_blind(published, options())
    (problem,) = caught.value.problems
    assert (problem.code, problem.line) == ("duplicate", 2)


@loop_over(
    ("key", "code", "line"),
    [
        ("oak.n oak.1 1\noak.n oak.1 2\n", "duplicate", 2),
        ("oak.n oak.1\n", "fields", 1),
        ("oak.n oak.1 1\n\noak.n\n", "fields", 3),
        ("oak.n oak.1 !! 1\n", "fields", 1),
        ("oak.n oak.1 1/0.5\n", "tag", 1),
        ("", "empty_file", None),
    ],
)
def test_problems_of_the_key_are_set_up_errors(
    key: str, code: str, line: int | None
) -> None:
    (problem,) = setup_error(key)
    assert (problem.code, problem.file, problem.line) == (code, "key", line)


@pytest.mark.parametrize("granularity", ["coarse", "mixed"])
def test_coarse_and_mixed_need_a_sense_map(granularity: str) -> None:
    (problem,) = setup_error(KEY, granularity=granularity)
    assert problem.code == "sensemap"
    assert setup_error(KEY, granularity=granularity, sensemap=MAP) == ()


@loop_over(
    ("text", "code", "line"),
    [
        ("1.1 2 1\n1\n1.1 3 1\n", "duplicate", 3),
        ("1\n1.1 2\n", "fields", 2),
        ("1.1 2 1 3\n", "fields", 1),
        ("1.1 0 1\n", "branching", 1),
        ("1.1 -2 1\n", "branching", 1),
        ("1.1 2.5 1\n", "branching", 1),
        ("1.1 two 1\n", "branching", 1),
        ("1.1 1234567890 1\n", "branching", 1),
        ("1.1.1 2 1 2 1\n", "branching", 1),
        ("1 2 1\n", "circle", 1),
        ("", "empty_file", None),
    ],
)
def test_problems_of_the_sense_map_are_set_up_errors(
    text: str, code: str, line: int | None
) -> None:
    (problem,) = setup_error(KEY, sensemap=text)
    assert (problem.code, problem.file, problem.line) == (code, "sensemap", line)


def test_senses_that_are_ancestors_of_each_other_are_both_named() -> None:
    problems = setup_error(KEY, sensemap="a 2 b\nb 2 a\n")
    assert [(p.code, p.line) for p in problems] == [("circle", 1), ("circle", 2)]


def test_a_filter_entry_of_three_fields_is_a_set_up_error() -> None:
    (problem,) = setup_error(KEY, instances="oak.n oak.1\noak.n oak.2 2\n")
    assert (problem.file, problem.line) == ("instances", 2)


@pytest.mark.parametrize("name", ["instances", "senses", "sensemap"])
def test_files_of_the_task_that_are_no_text_are_set_up_errors(name: str) -> None:
    (problem,) = setup_error(KEY, **{name: b"a\xff\n"})
    assert (problem.code, problem.file) == ("encoding", name)
