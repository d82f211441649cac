"""`python -m benchmarks.capacity [--write]`: what large campaigns need, by computing.

From the figures that `make bench ARGS=--write` kept. Every line is a product of few
numbers, so that whoever doubts one can do it again; --write puts them into
docs/evidence/scale.md, and a test holds the two together.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import Any

from benchmarks.__main__ import milliseconds
from benchmarks._page import DOCS, put
from benchmarks.growth import report

PAGE = DOCS / "evidence" / "scale.md"
BEGIN, END = "<!-- capacity: begin -->", "<!-- capacity: end -->"
BUSY = 0.7  # share of a core that is planned with; beyond it queues grow
TASKS, SUBMISSIONS = 10_000, 1_000_000  # of a year
TEAMS = 10_000  # each sends once in RUSH seconds and looks every LOOK seconds
RUSH, LOOK, PATIENCE = 600, 10, 3600


@dataclass(frozen=True)
class Costs:
    """Seconds of one core, and bytes, for one of each."""

    upload: float
    score: float
    page: float
    made: float
    file: float
    row: float

    @classmethod
    def of(cls, answers: Mapping[str, Any]) -> "Costs":
        """Scoring is that of all cores at work, not of one alone."""
        at_once = dict(
            zip(answers["workers"]["sizes"], answers["workers"]["rates"], strict=True)
        )
        cores = max(n for n in at_once if n <= answers["cores"])
        board = answers["board"]
        return cls(
            upload=answers["intake_ms"] / 1000,
            score=cores / at_once[cores],
            page=board["kept"][-1] / 1000,
            made=board["ms"][-1] / 1000,
            file=answers["upload_bytes"],
            row=answers["database_bytes"],
        )


@dataclass(frozen=True)
class Size:
    """An installation of deploy/env.example: cores for pages and for scoring."""

    name: str
    web: int
    scoring: int


SIZES = (Size("small", 1, 1), Size("medium", 2, 6), Size("large", 16, 32))


@dataclass(frozen=True)
class Need:
    """Cores that a part of the rush takes while it lasts."""

    what: str
    cores: float
    web: bool = True


def needs(costs: Costs) -> tuple[Need, ...]:
    uploads, pages = TEAMS / RUSH, TEAMS / LOOK
    return (
        Need(f"accept {uploads:.1f} uploads a second", uploads * costs.upload / BUSY),
        Need(f"show {pages:,.0f} boards a second", pages * costs.page / BUSY),
        Need(
            f"score all within {PATIENCE // 60} minutes",
            TEAMS * costs.score / PATIENCE / BUSY,
            web=False,
        ),
    )


def lines(capacity: Mapping[str, Any]) -> list[str]:
    costs = Costs.of(capacity)
    return [
        *_rush(costs),
        "",
        *_sizes(costs),
        "",
        *_year(costs),
        "",
        *_checked(capacity),
    ]


def _rush(costs: Costs) -> Iterator[str]:
    yield f"| {TEAMS:,} teams in {RUSH // 60} minutes | cores |"
    yield "|---|--:|"
    for need in needs(costs):
        yield f"| {need.what} | {ceil(need.cores):,} |"
    line = TEAMS / RUSH * costs.file * 8 / 1e6
    yield f"| line into the site, Mbit/s | {line:,.0f} |"


def _sizes(costs: Costs) -> Iterator[str]:
    yield "| | " + " | ".join(size.name for size in SIZES) + " |"
    yield "|---|" + "--:|" * len(SIZES)
    rows: tuple[tuple[str, list[float]], ...] = (
        ("cores for pages", [s.web for s in SIZES]),
        ("cores for scoring", [s.scoring for s in SIZES]),
        ("uploads a minute", [60 * s.web * BUSY / costs.upload for s in SIZES]),
        ("boards a second", [s.web * BUSY / costs.page for s in SIZES]),
        ("scored an hour", [3600 * s.scoring * BUSY / costs.score for s in SIZES]),
        (
            "minutes until a rush is scored",
            [TEAMS * costs.score / s.scoring / BUSY / 60 for s in SIZES],
        ),
    )
    for what, numbers in rows:
        yield f"| {what} | " + " | ".join(f"{n:,.0f}" for n in numbers) + " |"
    yield "| gives first | " + " | ".join(gives_first(costs, s) for s in SIZES) + " |"


def gives_first(costs: Costs, size: Size) -> str:
    """Uploads and boards are answered by the same cores at the same time."""
    web = sum(need.cores for need in needs(costs) if need.web)
    scoring = sum(need.cores for need in needs(costs) if not need.web)
    shares = {"pages": web / size.web, "scoring": scoring / size.scoring}
    worst = max(shares, key=lambda name: shares[name])
    return f"{worst}: {shares[worst]:,.1f} times what there is"


def _year(costs: Costs) -> Iterator[str]:
    busy = SUBMISSIONS * costs.score / 3600
    yield f"| {TASKS:,} tasks, {SUBMISSIONS:,} submissions a year | |"
    yield "|---|--:|"
    yield f"| files | {SUBMISSIONS * costs.file / 1e12:,.1f} TB |"
    yield f"| rows | {SUBMISSIONS * costs.row / 1e9:,.0f} GB |"
    yield f"| submissions of a task | {SUBMISSIONS / TASKS:,.0f} |"
    yield f"| hours of one core for scoring | {busy:,.0f} |"
    hours = busy / SIZES[-1].scoring / BUSY
    yield f"| hours to score all anew on {SIZES[-1].scoring} cores | {hours:,.1f} |"


def _checked(capacity: Mapping[str, Any]) -> Iterator[str]:
    """Whether costs grow as the model takes for granted: in proportion at most."""
    yield "| curve | measured at tenfold | line from the ends | grows as |"
    yield "|---|--:|--:|---|"
    for name, what in (
        ("input", "size of a file"),
        ("resampling", "units"),
        ("board", "submissions of a board"),
    ):
        curve = capacity[name]
        between = straight(curve["sizes"], curve["ms"])
        power = exponent(curve["sizes"], curve["ms"])
        measured = milliseconds(curve["ms"][1])
        said = f"{milliseconds(between)} | {what} to the power {power:.2f}"
        yield f"| {name} | {measured} | {said} |"


def straight(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The time of the middle size, if times lay on the line between the ends."""
    slope = (times[-1] - times[0]) / (sizes[-1] - sizes[0])
    return times[0] + slope * (sizes[1] - sizes[0])


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """1 is in proportion, below it better; from the smallest to the largest."""
    return log10(times[-1] / times[0]) / log10(sizes[-1] / sizes[0])


def write() -> None:
    put(PAGE, "\n".join(lines(report.kept())), (BEGIN, END))


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    print("\n".join(lines(report.kept())))
