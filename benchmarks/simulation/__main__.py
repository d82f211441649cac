"""`python -m benchmarks.simulation [--scale X] [--write]`: the table of claims.

With --write it goes into docs/statistics.md. The exit code is 1 where one is not kept,
but for intervals that are wider than they have to be, and for populations whose rare
failures no interval could know of.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator

from benchmarks._page import DOCS, put
from benchmarks.simulation.claims import GROUPS, Finding

MARKS = ("<!-- simulation: begin -->", "<!-- simulation: end -->")
NOTHING = "–"  # is promised
COLUMNS = ("population", "found, by units", "target", "kept")
# The number of units in a population's name, or of each of its test sets.
SIZE = re.compile(r"(.*?)(?:, ((?:\d+, )*\d+)| (\d+ of \d+)) units(.*)")


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
    if not found.promised:
        return NOTHING
    if found.passed:
        return "yes"
    if found.beyond:
        return f"**no**: what was not drawn{', and it says so' * found.told}"
    return "no, too wide" if found.safe else "**no**"


def table(findings: list[Finding]) -> str:
    """For each claim a line for each kind of population."""
    parts = [f"| {' | '.join(COLUMNS)} |", "|---|---|---|---|"]
    for claim, of_claim in grouped(findings, lambda one: one.claim):
        most = max(one.trials for one in of_claim)
        parts.append(f"| **{claim}** ({most:,} trials) | | | |")
        for kind, alike in grouped(of_claim, lambda one: kind_and_size(one)[0]):
            parts.append(line(kind, alike))
    return "\n".join(parts)


def grouped(
    findings: list[Finding], key: Callable[[Finding], str]
) -> Iterator[tuple[str, list[Finding]]]:
    """Findings of one key together, in the order of the first of each."""
    by_key: dict[str, list[Finding]] = {}
    for one in findings:
        by_key.setdefault(key(one), []).append(one)
    yield from by_key.items()


def kind_and_size(found: Finding) -> tuple[str, str]:
    """The population without the number of its units, and that number."""
    named = SIZE.fullmatch(found.population)
    if named is None:
        return found.population, ""
    return named[1] + named[4], named[2] or named[3]


def line(kind: str, findings: list[Finding]) -> str:
    """What was found on populations that differ in their numbers of units alone."""
    shares, targets, broken = [], [], []
    for one in findings:
        size = kind_and_size(one)[1]
        named = f"{size}: " if size else ""
        shares.append(named + short(one.share, 4 if one.most < 0.01 else 3))
        ends = [short(end, 3).rstrip("0") for end in (one.least, one.most)]
        target = f"{ends[0]}-{ends[1]}"
        if not one.promised:
            target = NOTHING
        elif not one.least:
            target = f"≤ {ends[1]}"
        elif one.most == 1:
            target = f"≥ {ends[0]}"
        targets.append(target)
        if kept(one) not in ("yes", NOTHING):
            broken.append(named + kept(one))
    wanted = ", ".join(dict.fromkeys(targets))
    fine = NOTHING if wanted == NOTHING else "yes"
    cells = (kind, "; ".join(shares), wanted, "; ".join(broken) or fine)
    return f"| {' | '.join(cells)} |"


def short(share: float, digits: int) -> str:
    """A share without the 0 before its point."""
    text = f"{share:.{digits}f}"
    return text[1:] if text.startswith("0") else text


if __name__ == "__main__":
    sys.exit(main())
