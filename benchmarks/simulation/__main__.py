"""`python -m benchmarks.simulation [--only TEXT] [--scale X] [--write]`: the table of
claims, or the lines of those populations whose names hold TEXT.

With --write every line goes into docs/evidence/statistics.csv, and one for each claim
into statistics.md beside it. The exit code is 1 where a claim is not kept, but for
intervals that are wider than they have to be, and for populations whose rare failures
no interval could know of.
"""

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks._page import DOCS, put
from benchmarks.simulation.biased_measures import biased
from benchmarks.simulation.claims import APART, FAR_APART, GROUPS, Finding
from benchmarks.simulation.combinations import combinations
from benchmarks.simulation.documents import boards_of_documents
from benchmarks.simulation.left_out import left_out
from benchmarks.simulation.unequal_judges import of_unequal_judges
from benchmarks.simulation.votes import votes_of_people

MARKS = ("<!-- simulation: begin -->", "<!-- simulation: end -->")
NOTHING = "–"  # is promised
POPULATIONS = (
    *GROUPS,
    votes_of_people,
    boards_of_documents,
    biased,
    of_unequal_judges,
    combinations,
    left_out,
)
PAGE = DOCS / "evidence" / "statistics.md"
LINES = DOCS / "evidence" / "statistics.csv"
# A line of the file is a claim and what `line` makes.
CELLS = ("population", "found, by units", "trials", "error", "target", "not kept")
SHARES_AT, TARGET_AT, BREACH_AT = 1, 4, 5
SUMMARY = ("claim", "of", "found", "target")
# By claim and population, what `line` makes.
Cells = dict[str, dict[str, list[str]]]
# Words of populations that the table does without; their full names seed the draws.
SHORTER = tuple(
    (re.compile(long), brief)
    for long, brief in (
        (r"entries of (\d+) runs that differ by ([\d.]+)", r"\1 runs \2 apart"),
        (r"entries of 1 run that differ by ([\d.]+)", r"one run, \1 apart"),
        (r"entries under 4 prompts that differ by ([\d.]+)", r"4 prompts \1 apart"),
        (r", the same for all, and by (\S+) for all alike", r", and \1 for all alike"),
        (r" with effects of their own \((\S+)\)", r", own effects \1"),
        (r"(\d+) of each unit", r"\1 each"),
        (r"one with (\d+)% of the judgements", r"one with \1%"),
        (r"units that suit systems by (\S+)", r"preferences \1"),
        (r"(\d+) arrivals of ", r"\1 arrivals, "),
        (r"judge model right in (\S+) of people", r"model \1"),
    )
)
# The number of units in a population's name, or of each of its test sets.
SIZE = re.compile(r"(.*?)(?:, ((?:\d+, )*\d+)| (\d+ of \d+)) units(.*)")


def main(arguments: list[str] | None = None) -> int:
    called = argparse.ArgumentParser(
        prog="python -m benchmarks.simulation", description=__doc__
    )
    called.add_argument("--only", default="", metavar="TEXT", help="such populations")
    called.add_argument("--scale", type=float, default=1.0, help="of the trials")
    called.add_argument("--write", action="store_true")
    options = called.parse_args(arguments)
    findings = []
    for group in POPULATIONS:
        for finding in group(options.scale, options.only):
            print(row(finding), flush=True)
            findings.append(finding)
    if options.write:
        cells = table(findings)
        if options.only:
            cells = renewed(read_cells(LINES), cells)
        write_cells(LINES, cells)
        put(PAGE, summary(cells), MARKS)
    fine = (finding.passed or finding.safe or finding.beyond for finding in findings)
    return int(not all(fine))


def planned() -> Cells:
    """The table without a number in it: what all populations would be told of."""
    return table([finding for group in POPULATIONS for finding in group(0, "")])


def numbers_of_units(cells: Cells) -> dict[str, dict[str, list[str]]]:
    """Numbers of units, in order, by claim and population of a table."""
    return {
        claim: {kind: list(sized(line[SHARES_AT])) for kind, line in own.items()}
        for claim, own in cells.items()
    }


def sized(cell: str) -> dict[str, str]:
    """The text of a cell by numbers of units: "30: .02; 100: .04". The number of a
    population without one is empty."""
    parts = (part.rpartition(": ") for part in cell.split("; ") if part)
    return {size: text for size, _colon, text in parts}


def renewed(old: Cells, new: Cells) -> Cells:
    """Lines of `new` in the place of those of their claims and populations; what `old`
    lacks comes last of its claim."""
    added = {claim: own for claim, own in new.items() if claim not in old}
    return {claim: own | new.get(claim, {}) for claim, own in old.items()} | added


def read_cells(file: Path) -> Cells:
    cells: Cells = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for claim, *own in list(csv.reader(lines))[1:]:
            cells.setdefault(claim, {})[own[0]] = own
    return cells


def write_cells(file: Path, cells: Cells) -> None:
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(("claim", *CELLS))
        for claim, own in cells.items():
            writer.writerows((claim, *line) for line in own.values())


def summary(cells: Cells) -> str:
    """A line for each claim that promises something: of how many populations, the least
    and the greatest share where it is kept, and the usual target. Below stands where it
    is not kept."""
    parts = [f"| {' | '.join(SUMMARY)} |", "|---|--:|---|---|"]
    breaches = []
    for claim, own in cells.items():
        lines = list(own.values())
        if {line[TARGET_AT] for line in lines} == {NOTHING}:
            continue
        number = f"{sum(len(sized(line[SHARES_AT])) for line in lines)}"
        target = Counter(line[TARGET_AT] for line in lines).most_common(1)[0][0]
        parts.append(f"| {' | '.join((claim, number, span(lines), target))} |")
        if told := [f"- {told}" for told in map(broken, lines) if told]:
            breaches += ["", f"Not kept, of *{claim}*:", "", *told]
    return "\n".join([*parts, *breaches])


def span(lines: Sequence[Sequence[str]]) -> str:
    """The least and the greatest of the shares that are as promised: ".01-.05"; of two
    claims in one line both: ".01-.05/.001-.002"."""
    shares = [
        share.split("/")
        for line in lines
        for size, share in sized(line[SHARES_AT]).items()
        if size not in sized(line[BREACH_AT])
    ]
    ends = (sorted(of_claim, key=float) for of_claim in zip(*shares, strict=True))
    return "/".join("-".join(dict.fromkeys((of[0], of[-1]))) for of in ends)


def broken(line: Sequence[str]) -> str:
    """The population of a line, with each size where the claim is not kept, its share
    and why; empty where it is kept."""
    shares = sized(line[SHARES_AT])
    breaches = (
        f"{size}{':' * bool(size)} {shares[size]}, {why}".strip()
        for size, why in sized(line[BREACH_AT]).items()
    )
    return line[BREACH_AT] and f"{line[0]}, {', '.join(breaches)}"


def row(finding: Finding) -> str:
    cells = (
        finding.claim,
        finding.population,
        f"{finding.share:.4f}",
        f"{finding.trials}",
        finding.target,
        kept(finding),
    )
    return f"| {' | '.join(cells)} |"


def kept(finding: Finding) -> str:
    if not finding.promised:
        return NOTHING
    if finding.passed:
        return "yes"
    if finding.beyond:
        return f"what was not drawn{', and it says so' * finding.told}"
    return "too wide" if finding.safe else "**no**"


def table(findings: list[Finding]) -> Cells:
    """A line of each claim for each kind of population."""
    cells = {
        claim: {
            kind: line(kind, alike)
            for kind, alike in grouped(
                of_claim, lambda finding: kind_and_size(finding)[0]
            )
        }
        for claim, of_claim in grouped(findings, lambda finding: finding.claim)
    }
    far, near = cells.pop(FAR_APART, {}), cells.pop(APART, {})
    both = {kind: together(own, far[kind]) for kind, own in near.items()}
    return ({f"{APART}/0.001": both} if both else {}) | cells


def together(near: Sequence[str], far: Sequence[str]) -> list[str]:
    """The cells of two claims on the same systems as those of one line: "30: .041 /
    .0003". The error is that of the first."""
    pairs = zip(near[1].split("; "), far[1].split("; "), strict=True)
    claims = "; ".join(f"{one}/{other.split(': ')[-1]}" for one, other in pairs)
    broken = dict.fromkeys(filter(None, (near[-1], far[-1])))
    return [near[0], claims, *near[2:4], f"{near[4]}/{far[4]}", "; ".join(broken)]


def grouped(
    findings: list[Finding], key: Callable[[Finding], str]
) -> Iterator[tuple[str, list[Finding]]]:
    """Findings of one key together, in the order of the first of each."""
    by_key: dict[str, list[Finding]] = {}
    for finding in findings:
        by_key.setdefault(key(finding), []).append(finding)
    yield from by_key.items()


def kind_and_size(finding: Finding) -> tuple[str, str]:
    """The population without the number of its units, and that number."""
    named = SIZE.fullmatch(finding.population)
    kind, size = finding.population, ""
    if named is not None:
        kind, size = named[1] + named[4], named[2] or named[3]
    for long, brief in SHORTER:
        kind = long.sub(brief, kind)
    return kind, size


def line(kind: str, findings: list[Finding]) -> list[str]:
    """The cells of what was found on populations that differ in their numbers of units
    alone."""
    shares, targets, broken = [], [], []
    for finding in findings:
        size = kind_and_size(finding)[1]
        named = f"{size}: " if size else ""
        shares.append(named + short(finding.share, 4 if finding.most < 0.01 else 3))
        ends = [short(end, 3).rstrip("0") for end in (finding.least, finding.most)]
        target = f"{ends[0]}-{ends[1]}"
        if not finding.promised:
            target = NOTHING
        elif not finding.least:
            target = f"≤{ends[1]}"
        elif finding.most == 1:
            target = f"≥{ends[0]}"
        targets.append(target)
        if kept(finding) not in ("yes", NOTHING):
            broken.append(named + kept(finding))
    wanted = ", ".join(dict.fromkeys(targets))
    trials = dict.fromkeys(f"{finding.trials:,}" for finding in findings)
    error = short(max(finding.spread for finding in findings), 3)
    about = "; ".join(trials), error
    return [kind, "; ".join(shares), *about, wanted, "; ".join(broken)]


def short(share: float, digits: int) -> str:
    """A share without the 0 before its point."""
    text = f"{share:.{digits}f}"
    return text[1:] if text.startswith("0") else text


if __name__ == "__main__":
    sys.exit(main())
