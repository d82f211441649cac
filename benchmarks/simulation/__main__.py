"""`python -m benchmarks.simulation [--scale X] [--write]`: the table of claims.

With --write it goes into docs/statistics.md. The exit code is 1 where one is not kept,
but for intervals that are wider than they have to be, and for populations whose rare
failures no interval could know of.
"""

import argparse
import sys

from benchmarks._page import DOCS, put
from benchmarks.simulation.claims import GROUPS, Finding

MARKS = ("<!-- simulation: begin -->", "<!-- simulation: end -->")
HEAD = ("claim", "population", "found", "trials", "target", "kept")


def main(arguments: list[str] | None = None) -> int:
    called = argparse.ArgumentParser(
        prog="python -m benchmarks.simulation", description=__doc__
    )
    called.add_argument("--scale", type=float, default=1.0, help="of the trials")
    called.add_argument("--write", action="store_true")
    options = called.parse_args(arguments)
    findings = []
    for group in GROUPS:
        for finding in group(options.scale):
            print(row(finding), flush=True)
            findings.append(finding)
    if options.write:
        put(DOCS / "statistics.md", table(findings), MARKS)
    fine = (one.passed or one.safe or one.beyond for one in findings)
    return int(not all(fine))


def row(found: Finding) -> str:
    cells = (
        found.claim,
        found.population,
        f"{found.share:.4f}",
        f"{found.trials}",
        found.target,
        kept(found),
    )
    return f"| {' | '.join(cells)} |"


def kept(found: Finding) -> str:
    if found.passed:
        return "yes"
    if found.beyond:
        return "**no**: failures that were not drawn"
    return "no, too wide" if found.safe else "**no**"


def table(findings: list[Finding]) -> str:
    head = [f"| {' | '.join(HEAD)} |", "|---|---|--:|--:|---|---|"]
    return "\n".join([*head, *map(row, findings)])


if __name__ == "__main__":
    sys.exit(main())
