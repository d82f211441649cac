"""Dates of bundles of other sites are read as those sites read them, and said."""

from datetime import UTC, date, datetime

import pytest

from leaderboard.extras.moving.conversion import convert_bundle
from leaderboard.extras.moving.dates import read_date
from scoring.errors import SetupError
from scoring.formats.bundle import unpack
from scoring.source import Source
from tests.extras.moving.bundles import codabench, codabench_table
from tests.loops import loop_over


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]


# What dateutil.parser.parse gives for each, with UTC where no offset stands; it knows
# no "AoE", which is twelve hours behind UTC.
READ = {
    "1-1-2026": at(2026, 1, 1),
    "12-31-2026": at(2026, 12, 31),
    "1-2-2026": at(2026, 1, 2),
    "08/01/2018": at(2018, 8, 1),
    "08.01.2018": at(2018, 8, 1),
    "31/12/2026": at(2026, 12, 31),
    "2026-01-1": at(2026, 1, 1),
    "2026/1/5": at(2026, 1, 5),
    "2026-1-5 7:30": at(2026, 1, 5, 7, 30),
    "08-01-2018 23:59:59": at(2018, 8, 1, 23, 59, 59),
    "08-01-2018 23:59:59.25": at(2018, 8, 1, 23, 59, 59),
    "08/01/2018 11:59 PM": at(2018, 8, 1, 23, 59),
    "08/01/2018 12:00 AM": at(2018, 8, 1),
    "08/01/2018 5pm": at(2018, 8, 1, 17),
    "08/01/2018T05:00Z": at(2018, 8, 1, 5),
    "08/01/2018 05:00 UTC": at(2018, 8, 1, 5),
    "08/01/2018 05:00 +02:00": at(2018, 8, 1, 3),
    "08/01/2018 05:00-0500": at(2018, 8, 1, 10),
    "08/01/2018 23:59 AoE": at(2018, 8, 2, 11, 59),
    "January 5, 2026": at(2026, 1, 5),
    "Jan 5 2026 18:00": at(2026, 1, 5, 18),
    "Sept. 1st, 2026": at(2026, 9, 1),
    "5 March 2026": at(2026, 3, 5),
    "05-Mar-2026": at(2026, 3, 5),
    "Friday, May 1, 2026, 12:00": at(2026, 5, 1, 12),
    "2nd of May 2026 at 9:15": at(2026, 5, 2, 9, 15),
}


@loop_over("text", READ)
def test_a_date_in_words_and_numbers_of_people_is_read(text: str) -> None:
    read = read_date(text)
    assert read is not None and read.moment == READ[text]
    assert read.code


@pytest.mark.parametrize(
    "value",
    ["2026-05-01", "2026-05-01 12:00:00+02:00", date(2026, 5, 1), at(2026, 5, 1)],
)
def test_an_unmistakable_form_needs_no_remark(value: object) -> None:
    read = read_date(value)
    assert read is not None and not read.code


@loop_over(
    "value",
    [
        *("soon", "July", "13-13-2026", "2-30-2026", "1-1-26", "123-1-2026"),
        *("1/1-2026", "1-1-2026 25:00", "1-1-2026 12", "1-1-2026 13:00 PM"),
        *("1-1-2026 12:00 EST", "1-1-2026 and later", "Month 1, 2026", 20260101, 4.5),
        *("1-1-2026 05:00 +99:00", "", None),
    ],
)
def test_what_names_no_moment_is_not_guessed(value: object) -> None:
    assert read_date(value) is None


def remarks(data: bytes) -> list[str]:
    made = convert_bundle(unpack(Source.of_bytes("bundle.zip", data), ("",)))
    return list(map(str, made.remarks))


def test_the_report_says_how_each_date_was_read() -> None:
    table = codabench_table()
    table["phases"][1] |= {"start": "1-2-2030", "end": "31.1.2030"}
    table["phases"][0]["start"] = "February 2, 2030"
    said = remarks(codabench(**table))
    for line in (
        "phases 2, start: “1-2-2030” was read with the month first: "
        "2030-01-02 00:00 UTC",
        "phases 2, end: “31.1.2030” was read with the day first, for its first number "
        "is no month: 2030-01-31 00:00 UTC",
        "phases 1, start: “February 2, 2030” was read as 2030-02-02 00:00 UTC",
    ):
        assert line in said


def test_a_date_out_of_range_is_refused_in_any_form() -> None:
    table = codabench_table()
    table["phases"][0]["start"] = "1-1-1800"
    with pytest.raises(SetupError, match="expected a time from"):
        remarks(codabench(**table))
