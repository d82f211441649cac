"""Loops over cases fail with the name of each case that failed."""

from typing import Any

import pytest

from tests.loops import CasesFailed, loop_over


def test_every_case_is_tried_and_each_that_fails_is_named() -> None:
    tried = []

    @loop_over("number", range(5))
    def test(number: int) -> None:
        tried.append(number)
        assert number % 2 == 0, f"{number} is odd"

    with pytest.raises(CasesFailed, match=r"failed: 1, 3$") as caught:
        test()
    assert tried == [0, 1, 2, 3, 4]
    assert [str(one).split("\n")[0] for one in caught.value.exceptions] == [
        "1 is odd",
        "3 is odd",
    ]
    assert [one.__notes__ for one in caught.value.exceptions] == [
        ["case 1"],
        ["case 3"],
    ]


def test_loops_in_loops_try_all_combinations() -> None:
    tried = []

    @loop_over("letter", "ab")
    @loop_over("number", [1, 2])
    def test(letter: str, number: int) -> None:
        tried.append(f"{letter}{number}")
        assert number == 1

    with pytest.raises(CasesFailed, match=r"failed: a-2, b-2$"):
        test()
    assert tried == ["a1", "a2", "b1", "b2"]


def test_what_does_not_raise_what_it_should_is_a_failure() -> None:
    @loop_over("word", ["1", "x"])
    def test(word: str) -> None:
        with pytest.raises(ValueError):
            int(word)

    with pytest.raises(CasesFailed, match=r"failed: 1$"):
        test()


def test_cases_of_one_name_are_told_apart() -> None:
    @loop_over(("text", "length"), [("a", 1), ("b", 2), ("c", 3)], ids=lambda _: "same")
    def test(text: str, length: int) -> None:
        assert len(text) == length

    with pytest.raises(CasesFailed, match=r"failed: 1-same-same, 2-same-same$"):
        test()


def test_a_loop_without_a_case_fails() -> None:
    @loop_over("case", [])
    def test(case: Any) -> None:
        raise AssertionError("not asked")

    with pytest.raises(AssertionError, match="there is no case"):
        test()


@loop_over("number", [1, 2])
def test_fixtures_are_those_of_the_test(number: int, tmp_path: Any) -> None:
    assert number and tmp_path.is_dir()
