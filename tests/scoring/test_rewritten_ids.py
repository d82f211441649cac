"""Ids that a spreadsheet or a program has rewritten are told as that."""

from collections.abc import Callable
from time import process_time

import pytest

from scoring.engine import examine
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from tests.loops import loop_over

NAMES = dict(enumerate(["Jan", "Feb", "Mrz", "Apr", "May", "Jun", "Jul", "Aug"], 1))
NAMES[12] = "Dez"
IDS = ("1234567890123456789", "1234567890123456790")


def told(*ids: str, blind: tuple[str, ...] = IDS) -> str:
    scorer = get("classes")
    rows = "".join(f'"{one}",pos\n' for one in ids)
    asked = "id\n" + "".join(f"{one}\n" for one in blind)
    verdict = examine(
        scorer,
        Source.of_bytes("blind", asked.encode()),
        Source.of_bytes("sent", f"id,label\n{rows}".encode()),
        parse(scorer.options, {}),
    )
    return verdict.findings[0].message


@loop_over(
    "ids",
    [
        ("1.23457E+18", "1.23457E+18"),
        ("1,23457E+18", "1,23457E+18"),
        ("1.2345678901234568e+18", "1.23457e18"),
        ("1234567890123450000", "1234567890123450000"),
        ("1234567890123456000", "1234567890123456000"),
        ("1234567890123456700", "1234567890123456700"),
    ],
)
def test_rounded_ids_are_named(ids: tuple[str, str]) -> None:
    assert told(*ids).startswith("A spreadsheet has rounded the ids: ")


def test_other_numbers_are_not_taken_for_rounded_ones() -> None:
    for ids in (("9.9E+18", "9.8E+18"), ("1E+5", "2E+5"), ("12", "13")):
        assert "spreadsheet" not in told(*ids)
    assert "spreadsheet" not in told("1E+5", blind=("100000",))
    others = "1234567890123470000", "1234567890123480000"
    assert "spreadsheet" not in told(*others)


@loop_over("letters", [("0", "O"), ("1", "l"), ("1", "I"), ("-", "\u2013")])
def test_letters_for_digits_of_ids_are_told(letters: tuple[str, str]) -> None:
    ids = [f"T-{n:03d}" for n in range(101, 111)]
    message = told(*(name.replace(*letters) for name in ids), blind=(*ids,))
    assert message.startswith("The ids are written differently: ")


DAYS = [f"{n}-{m}" for n in range(1, 9) for m in (1, 3, 12)]


def dated(way: Callable[[int, int], str]) -> list[str]:
    return [way(*map(int, day.split("-"))) for day in DAYS]


@loop_over(
    "way",
    [
        lambda n, m: f"{n}-{NAMES[m]}",
        lambda n, m: f"0{n}. {NAMES[m]}",
        lambda n, m: f"{NAMES[n]}-{m}" if n > 3 else f"{m}-{NAMES[n]}",
        lambda n, m: f"2026-{m:02d}-0{n}",
        lambda n, m: f"{n}/{m}/2026",
    ],
)
def test_ids_that_became_days_are_written_differently(
    way: Callable[[int, int], str],
) -> None:
    message = told(*dated(way), blind=(*DAYS,))
    assert message.startswith("The ids are written differently: ")


@loop_over(
    "ids",
    [
        [f"{n}.0" for n in range(1, 41)],
        [str(n) for n in range(1, 41)],
        [f"{n:04d}" for n in range(1, 41)],
    ],
)
@pytest.mark.parametrize("mark", ["\t", ","])
def test_ids_that_became_other_numbers_are_written_differently(
    ids: list[str], mark: str
) -> None:
    """Also beside answers that are numbers like them, and where some are the same."""
    asked = "id\n" + "".join(f"{n:02d}\n" for n in range(1, 41))
    rows = "".join(f"{name}{mark}{n * 7 % 40 + 1}\n" for n, name in enumerate(ids))
    scorer = get("numbers")
    verdict = examine(
        scorer,
        Source.of_bytes("blind", asked.encode()),
        Source.of_bytes("sent", f"id{mark}value\n{rows}".encode()),
        parse(scorer.options, {}),
    )
    message = verdict.findings[0].message
    assert message.startswith("The ids are written differently: ")


def wrong_ids(rows: int) -> tuple[str, str]:
    ids = [10**17 + 7919 * n for n in range(rows)]
    asked = "id\n" + "".join(f"{name}\n" for name in ids)
    return asked, "id,label\n" + "".join(f"{n // 1000 * 1000},pos\n" for n in ids)


def wrong_labels(rows: int) -> tuple[str, str]:
    asked = "id\n" + "".join(f"i{n}\n" for n in range(rows))
    labels = ("pos" if n % 9 else "psitive" for n in range(rows))
    return asked, "id,label\n" + "".join(f"i{n},{x}\n" for n, x in enumerate(labels))


@pytest.mark.parametrize("wrong", [wrong_ids, wrong_labels])
def test_the_time_of_a_diagnosis_grows_with_the_rows(
    wrong: Callable[[int], tuple[str, str]],
) -> None:
    """Eight times the rows took 64 times as long where each was compared with all."""
    scorer, seconds = get("classes"), []
    options = parse(scorer.options, {"labels": ["pos,neg"]})
    for rows in (6_000, 48_000):
        asked, sent = (Source.of_bytes("a", text.encode()) for text in wrong(rows))
        begun = process_time()
        assert examine(scorer, asked, sent, options).diagnosis
        seconds.append(process_time() - begun)
    assert seconds[1] < 24 * seconds[0]
