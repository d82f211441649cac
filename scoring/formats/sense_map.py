"""Sense maps: which senses lie under which (seed 001; SCORING.md, `senseval`)."""

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.errors import Findings, SetupError
from scoring.formats.sense_lines import rows
from scoring.formats.senseval import shown
from scoring.formats.text import text_of
from scoring.source import Source

ALWAYS_KNOWN = frozenset(("U", "P", "TYPO"))
MOST_DIGITS = 9

Chain = dict[str, float]


@dataclass(frozen=True)
class SenseMap:
    """`chains` gives each sense its ancestors, nearest first.

    The value of an ancestor is what it earns when it is guessed for the sense: one by
    the product of the branching factors up to it.
    """

    chains: Mapping[str, Chain]
    known: frozenset[str]

    def coarse(self, sense: str) -> str:
        """The topmost ancestor, the sense itself where it has none."""
        return next(reversed(self.chains.get(sense) or (sense,)))


def read(source: Source) -> SenseMap:
    """Read lines of `sense [branching parent branching grandparent ...]`.

    Raises SetupError with the line for a sense that comes twice, a parent without its
    branching factor or the other way round, a factor that is no whole number above
    0, and a sense that is its own ancestor.
    """
    findings = Findings(source.name)
    chains: dict[str, Chain] = {}
    lines: dict[str, int] = {}
    for line, fields in rows(text_of(source, SetupError), findings):
        sense = fields[0]
        if sense in chains:
            message = f"sense '{shown(sense)}' has a line already."
            findings.add("duplicate", message, line=line)
            continue
        chains[sense] = _chain(fields, line, findings)
        lines[sense] = line
    _refuse_circles(chains, lines, findings)
    findings.raise_if_any(SetupError)
    named = {ancestor for chain in chains.values() for ancestor in chain}
    return SenseMap(chains, ALWAYS_KNOWN | chains.keys() | named)


def _chain(fields: list[str], line: int, findings: Findings) -> Chain:
    chain: Chain = {}
    branches = 1
    if len(fields) % 2 == 0:
        message = "expected a sense, then pairs of branching factor and parent."
        findings.add("fields", message, line=line)
        return chain
    for factor, parent in zip(fields[1::2], fields[2::2], strict=True):
        number = _branching(factor)
        if not number or parent in chain:
            message = (
                f"'{shown(factor)} {shown(parent)}' is no branching factor with a new "
                "parent; expected a whole number above 0 and a sense."
            )
            findings.add("branching", message, line=line)
            break
        branches *= number
        chain[parent] = 1 / branches
    return chain


def _branching(text: str) -> int:
    fine = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    return int(text) if fine else 0


def _refuse_circles(
    chains: Mapping[str, Chain], lines: Mapping[str, int], findings: Findings
) -> None:
    for sense, chain in chains.items():
        if any(
            ancestor == sense or sense in chains.get(ancestor, ()) for ancestor in chain
        ):
            message = f"sense '{shown(sense)}' is its own ancestor."
            findings.add("circle", message, line=lines[sense])
