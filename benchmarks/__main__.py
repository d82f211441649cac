"""`python -m benchmarks [NAME...] [--write]`: every module's rows() as one table.

It never fails because something was slow: a timing on a busy machine is a remark, not
a defect. A module whose peer is not installed is named and left out.
"""

import argparse
import platform
import sys
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from os import cpu_count
from pkgutil import iter_modules
from typing import Any

import benchmarks
from benchmarks._page import PERFORMANCE, put

HEAD = ("work", "ours", "peer", "peer's", "ratio", "target")
HOW = "Processor time; medians of paired measurements of 0.1 s or more each."
BEGIN, END = "<!-- engine: begin -->", "<!-- engine: end -->"
Row = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Run the named benchmarks, or all; the exit code is always 0."""
    names = [m.name for m in iter_modules(benchmarks.__path__)]
    names = sorted(name for name in names if not name.startswith("_"))
    called = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    called.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    called.add_argument(
        "--write", action="store_true", help=f"into {PERFORMANCE.name} too"
    )
    options = called.parse_args(arguments)
    if unknown := sorted(set(options.names) - set(names)):
        called.error(f"no {', '.join(unknown)}; there are {', '.join(names)}")
    if options.write and set(options.names) - {"growth"}:
        called.error("--write takes no names: a table's rows are of one run")
    wanted = options.names or names
    rows = [row for name in wanted for row in rows_of(name)]
    print("\n".join(aligned(rows)))
    print(machine())
    if options.write and rows:
        write(rows)
    if "growth" in wanted:
        grown = import_module("benchmarks.growth.__main__")
        grown.main(["--write"] if options.write else [])
    return 0


def rows_of(name: str) -> list[Row]:
    """Rows of one module; none, and a word why, where it cannot run."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    try:
        module = import_module(f"benchmarks.{name}")
        return list(module.rows()) if hasattr(module, "rows") else []
    except ImportError as missing:
        print(f"{name} left out: {missing}", file=sys.stderr)
        return []


def cells(row: Row) -> tuple[str, ...]:
    return (
        str(row["work"]),
        milliseconds(row["ours_ms"]),
        str(row["peer"]),
        milliseconds(row["peer_ms"]),
        f"{row['ratio']:.1f} x",
        str(row["target"]) + (" x" if isinstance(row["target"], int | float) else ""),
    )


def milliseconds(number: float) -> str:
    digits = 0 if number >= 100 else 1 if number >= 10 else 2
    return f"{number:,.{digits}f} ms"


def aligned(rows: list[Row]) -> list[str]:
    table = [HEAD, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if i in (0, 2, 5) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def machine() -> str:
    """The machine that was measured on, without its name."""
    packages = [f"{name} {version(name)}" for name in ("numpy", "conllu", "rapidfuzz")]
    peers = [
        p
        for p in ("udtools", "seqeval", "nervaluate", "scipy", "sacrebleu")
        if find_spec(p)
    ]
    peers += ["scikit-learn"] if find_spec("sklearn") else []
    peers += ["pytrec_eval-terrier"] if find_spec("pytrec_eval") else []
    packages += [f"{name} {version(name)}" for name in peers]
    return (
        f"Python {platform.python_version()}, {platform.machine()}, "
        f"{cpu_count()} cores, {', '.join(packages)}"
    )


def markdown(rows: list[Row]) -> str:
    """The table without the times of peers, which follow from the ratios."""
    columns = [place for place, name in enumerate(HEAD) if name != "peer's"]
    table = [[line[place] for place in columns] for line in (HEAD, *map(cells, rows))]
    lines = ["| " + " | ".join(line) + " |" for line in table]
    lines.insert(1, "|---|--:|---|--:|---|")
    return "\n".join([*lines, "", f"{machine()}. {HOW}"])


def write(rows: list[Row]) -> None:
    put(PERFORMANCE, markdown(rows_of_page(rows)), (BEGIN, END))


def rows_of_page(rows: list[Row]) -> list[Row]:
    """Rows with a target; of several peers of one work the fastest alone."""
    fastest: dict[str, Row] = {}
    for row in rows:
        if row["target"]:
            other = fastest.setdefault(row["work"], row)
            fastest[row["work"]] = min(other, row, key=lambda of: of["peer_ms"])
    return list(fastest.values())


if __name__ == "__main__":
    sys.exit(main())
