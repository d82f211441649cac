"""Long ids that a spreadsheet has rounded are told as that."""

from scoring.engine import examine
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from tests.loops import loop_over

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
    ],
)
def test_rounded_ids_are_named(ids: tuple[str, str]) -> None:
    assert told(*ids).startswith("A spreadsheet has rounded the ids: ")


def test_other_numbers_are_not_taken_for_rounded_ones() -> None:
    for ids in (("9.9E+18", "9.8E+18"), ("1E+5", "2E+5"), ("12", "13")):
        assert "spreadsheet" not in told(*ids)
    assert "spreadsheet" not in told("1E+5", blind=("100000",))
