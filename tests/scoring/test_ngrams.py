"""Clipped matches of all segments at once equal those counted one by one."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from scoring.scorers.texts.ngrams import BLOCK, matches, of_characters, of_words


def counted(text: str, n: int) -> Counter[str]:
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


@pytest.mark.parametrize(
    ("letters", "longest", "segments"),
    [("ab", 9, BLOCK + 40), ([chr(0x4E00 + i) for i in range(9000)], 60, 400)],
    ids=["two blocks of few letters", "more letters than fit into one number"],
)
def test_matches_are_those_of_counters(
    letters: list[str], longest: int, segments: int
) -> None:
    dice = Random(3)

    def column() -> list[str]:
        sizes = [dice.randint(0, longest) for _ in range(segments)]
        return ["".join(dice.choices(letters, k=size)) for size in sizes]

    system, first, second = column(), column(), column()
    first[:20] = system[:20]
    sides = of_characters([system, first, second])
    apart = matches(sides[0], sides[1:], 6)
    merged = matches(sides[0], sides[1:], 6, merged=True)
    assert apart.sum() > 0
    for row in range(segments):
        for n in range(1, 7):
            own = counted(system[row], n)
            ones, others = counted(first[row], n), counted(second[row], n)
            assert apart[n - 1, 0, row] == (own & ones).total()
            assert apart[n - 1, 1, row] == (own & others).total()
            assert merged[n - 1, 0, row] == (own & (ones | others)).total()


def test_segments_without_anything_match_nothing() -> None:
    empty, words = of_words([[[], []], [["so"], []]])
    assert matches(empty, [words], 2).tolist() == [[[0, 0]], [[0, 0]]]
    assert matches(empty, [empty], 2).sum() == 0
    assert matches(words, [words], 2)[:, 0].tolist() == [[1, 0], [0, 0]]


def test_words_are_the_same_numbers_on_all_sides() -> None:
    one, other = of_words([[["a", "b"]], [["b", "a", "c"]]])
    assert one.codes.tolist() == [0, 1]
    assert other.codes.tolist() == [1, 0, 2]
    assert np.array_equal(other.grams(2), [2])
    assert np.array_equal(one.grams(3), [0])
