"""Measurements as tables, and as numbers for the capacity model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.__main__ import milliseconds
from benchmarks._page import PERFORMANCE, put

KEPT = Path(__file__).with_name("measured.json")
BEGIN, END = "<!-- growth: begin -->", "<!-- growth: end -->"
HEAD = (
    "| what | small | tenfold | hundredfold | limit | of the limit |",
    "|---|--:|--:|--:|---|--:|",
)

Found = Mapping[str, Any]


def lines(figures: Found) -> list[str]:
    """The tables of docs/evidence/performance.md."""
    tables = _sizes(figures), _workers(figures), _costs(figures), _parts(figures)
    return [*HEAD, *"\n\n".join(map("\n".join, tables)).splitlines()]


def _sizes(figures: Found) -> Iterator[str]:
    board = figures["board"]
    yield _row(
        "attachment, all measures, of {} MB",
        [f"{size / 1e6:.1f}" for size in figures["input"]["sizes"]],
        figures["input"],
        "the same bytes read at memory speed",
    )
    yield _row(
        "1,000 resamples, draws made, of {} sentences",
        [f"{size:,}" for size in figures["resampling"]["sizes"]],
        figures["resampling"],
        "one matrix product of that shape",
    )
    sizes = [f"{size:,}" for size in board["sizes"]]
    yield _row(
        "board made anew, of {} submissions",
        sizes,
        board,
        f"its {board['queries'][-1]} queries alone",
    )
    still = {"ms": board["kept"], "limit": [board["static"]] * len(sizes)}
    yield _row(
        "board from the cache, of {} submissions",
        sizes,
        still,
        "a static file from the same server",
    )


def _row(what: str, sizes: Sequence[str], figures: Found, limit: str) -> str:
    times = " | ".join(milliseconds(number) for number in figures["ms"])
    ratio = figures["ms"][-1] / figures["limit"][-1]
    least = milliseconds(figures["limit"][-1])
    said = what.format(" / ".join(sizes))
    return f"| {said} | {times} | {limit}: {least} | {ratio:.1f} |"


def _workers(figures: Found) -> Iterator[str]:
    workers, cores = figures["workers"], figures["cores"]
    yield "| workers | files a second | of the limit: the engine alone on those cores |"
    yield "|--:|--:|--:|"
    for number, rate in zip(workers["sizes"], workers["rates"], strict=True):
        limit = min(number, cores) * 1000 / workers["alone_ms"]
        yield f"| {number} | {rate:.1f} | {limit / rate:.1f} |"


def _costs(figures: Found) -> Iterator[str]:
    """Costs of one submission of 25,000 words."""
    megabytes, alone = figures["upload_bytes"] / 1e6, figures["workers"]["alone_ms"]
    rows: tuple[tuple[str, str], ...] = (
        (
            f"upload of {megabytes:.1f} MB through the API, checked and accepted",
            milliseconds(figures["intake_ms"]),
        ),
        (
            "scored by one worker, 1,000 resamples",
            milliseconds(1000 / figures["workers"]["rates"][0]),
        ),
        ("the engine's part of that", milliseconds(alone)),
        ("rows in the database (SQLite)", f"{figures['database_bytes'] / 1000:.1f} kB"),
    )
    yield "| one submission of 25,000 words | |"
    yield "|---|--:|"
    yield from (f"| {what} | {cost} |" for what, cost in rows)


def _parts(figures: Found) -> Iterator[str]:
    """Parts of a worker's processor time for that submission."""
    yield "| processor time of a worker and its child | |"
    yield "|---|--:|"
    for what, cost in figures["parts"].items():
        yield f"| {what} | {milliseconds(cost)} |"


def kept() -> Found:
    figures: Found = json.loads(KEPT.read_text("utf-8"))
    return figures


def write(figures: Found) -> None:
    KEPT.write_text(json.dumps(_rounded(figures), indent=1) + "\n", "utf-8")
    told = [*lines(kept()), "", f"{figures['machine']}."]
    put(PERFORMANCE, "\n".join(told), (BEGIN, END))


def _rounded(value: Any) -> Any:
    """Four digits: more were noise."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, Mapping):
        return {key: _rounded(part) for key, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list) else value
