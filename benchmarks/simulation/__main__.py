"""`python -m benchmarks.simulation [--only TEXT] [--scale X] [--write]`: the table of
claims, or the lines of those populations whose names hold TEXT.

With --write it goes into docs/evidence/statistics.md. The exit code is 1 where one is
not kept, but for intervals that are wider than they have to be, and for populations
whose rare failures no interval could know of.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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
COLUMNS = ("population", "found, by units", "target")
# Places in what `line` makes.
TRIALS_AT, ERROR_AT, TARGET_AT = 2, 3, 4
TRIALS, NOT_KEPT = "trials, ±", "not kept, "
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
        page = DOCS / "evidence" / "statistics.md"
        rows = table(findings)
        put(page, replaced(page, rows) if options.only else rows, MARKS)
    fine = (finding.passed or finding.safe or finding.beyond for finding in findings)
    return int(not all(fine))


def planned() -> str:
    """The table without a number in it: what all populations would be told of."""
    return table([finding for group in POPULATIONS for finding in group(0, "")])


def names_of(lines: str) -> dict[str, dict[str, list[str]]]:
    """By claim and population of a table the numbers of units, in order."""
    return {
        claim: {
            kind: [
                part.partition(": ")[0] for part in cells[1].split("; ") if ": " in part
            ]
            for kind, cells in of_claim.items()
        }
        for claim, of_claim in cells_of(lines).items()
    }


def replaced(page: Path, lines: str) -> str:
    """The table of the page with these lines in the place of those of their claims and
    populations; new ones come last of their claim."""
    text = page.read_text("utf-8")
    known = cells_of(table_in(text))
    for claim, of_claim in cells_of(lines).items():
        known.setdefault(claim, {}).update(of_claim)
    return written({claim: list(own.values()) for claim, own in known.items()})


def table_in(text: str) -> str:
    """The table between the marks of a page."""
    return text.partition(MARKS[0])[2].partition(MARKS[1])[0].strip()


def cells_of(lines: str) -> dict[str, dict[str, list[str]]]:
    """The cells of a table by claim and population, as `line` makes them."""
    known: dict[str, dict[str, list[str]]] = {}
    head: list[str] = []
    for told in lines.splitlines()[2:]:
        cells = (cell.strip() for cell in told.strip("|").split("|"))
        kind, share, target = (*cells, "", "")[:3]
        if kind.startswith("**"):
            trials, _sign, error = share.partition(f" {TRIALS} ")
            head = [kind[2:-2], trials, error, target]
            continue
        shares, _bracket, other = share.partition(" (")
        trials, _sign, error = other.rstrip(")").partition(" ± ")
        wanted, _comma, broken = target.partition(NOT_KEPT)
        known.setdefault(head[0], {})[kind] = [
            kind,
            shares,
            trials or head[1],
            error or head[2],
            wanted.rstrip("; ") or head[3],
            broken,
        ]
    return known


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


def table(findings: list[Finding]) -> str:
    """For each claim a line for each kind of population."""
    by_claim = {
        claim: {
            kind: line(kind, alike)
            for kind, alike in grouped(
                of_claim, lambda finding: kind_and_size(finding)[0]
            )
        }
        for claim, of_claim in grouped(findings, lambda finding: finding.claim)
    }
    far = by_claim.pop(FAR_APART, {})
    lines = {claim: list(of_claim.values()) for claim, of_claim in by_claim.items()}
    near = lines.pop(APART, [])
    both = [together(cells, far[cells[0]]) for cells in near]
    return written(({f"{APART}/0.001": both} if both else {}) | lines)


def written(by_claim: Mapping[str, list[list[str]]]) -> str:
    """The table of these cells, claims with a line of their own before theirs. That has
    the trials and the target that most of them have, and the largest error."""
    parts = [f"| {' | '.join(COLUMNS)} |", "|---|---|---|"]
    for claim, lines in by_claim.items():
        usual, target = (
            Counter(cells[place] for cells in lines).most_common(1)[0][0]
            for place in (TRIALS_AT, TARGET_AT)
        )
        alike = [cells for cells in lines if cells[TRIALS_AT] == usual]
        most = max((cells[ERROR_AT] for cells in alike), key=float)
        parts.append(f"| **{claim}** | {usual} {TRIALS} {most} | {target} |")
        for kind, shares, trials, error, wanted, broken in lines:
            if trials != usual:
                shares += f" ({trials} ± {error})"
            told = ["" if wanted == target else wanted, broken and NOT_KEPT + broken]
            last = "; ".join(filter(None, told))
            parts.append(f"| {kind} | {shares} |{last and f' {last} |'}")
    return "\n".join(parts)


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
