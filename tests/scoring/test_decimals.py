"""Plain decimals are read as Python reads them, bit by bit."""

from random import Random

import numpy as np

from scoring.formats.fields import Fields
from scoring.scorers.retrieval.decimals import decimals
from tests.loops import loop_over


def fields(texts: list[str]) -> Fields:
    ends = np.cumsum([len(text) + 1 for text in texts]) - 1
    sizes = np.array([len(text) for text in texts])
    buffer = np.frombuffer("".join(f"{t}\n" for t in texts).encode(), dtype=np.uint8)
    return Fields(buffer, ends - sizes, ends)


def test_decimals_are_those_of_python() -> None:
    dice = Random(3)
    texts = ["0", "-0", "-0.0", "7.", ".5", "-.5", "007.50", "999999999999999", "0.3"]
    for _ in range(100_000):
        digits = "".join(dice.choices("0123456789", k=dice.randint(1, 14)))
        point = dice.randint(0, len(digits))
        with_point = dice.choice((digits, f"{digits[:point]}.{digits[point:]}"))
        texts.append(dice.choice(("", "-")) + with_point)
    found = decimals(fields(texts))
    assert found is not None
    assert found.tobytes() == np.array([*map(float, texts)]).tobytes()


@loop_over(
    "text",
    [
        "",
        "-",
        ".",
        "-.",
        "1.2.3",
        "+1",
        "1e5",
        "1-2",
        "--1",
        "nan",
        "1,5",
        "1_000",
        "1234567890123456",
        "0.0000000000000001",
        "é",
        "0x10",
    ],
)
def test_what_is_no_plain_decimal_is_left_to_others(text: str) -> None:
    assert decimals(fields(["1.5", text, "2"])) is None
