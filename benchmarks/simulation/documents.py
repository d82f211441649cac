"""Boards whose units are sentences of documents, in which systems do well or badly by
themselves: what a sentence tells of two systems its neighbours tell, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.simulation.claims import APART, FAR_APART, Finding, _trials, stream
from benchmarks.simulation.populations import ACCURACY, EQUAL, Rng, System, counts_of
from scoring.counts import Counts
from scoring.statistics.exchange import Pairs, all_pairs
from scoring.statistics.groups import by_group, grouping_to_exchange
from scoring.statistics.ranks import standings

GROUPS = ("document",)
SYSTEMS = (3, 10)
SHARED = 0.1  # sd of how hard a document is for all
SENTENCES = 25.0  # of a document, about
# A lead that boards of three or ten find about half the time, by documents and own sd.
GAPS = {20: 0.015, 40: 0.011, 60: 0.009}
LEAST_POWER = 0.9  # of what tests of sentences find where these are independent


@dataclass(frozen=True)
class Documents:
    """A test set of so many documents; systems of one skill differ by `own` in each.
    Of `answers` sentences are right or wrong, else each of their words is; numbers of
    sentences vary by e to the `sizes`."""

    documents: int
    own: float
    sizes: float = 0.8
    answers: bool = False
    longer_harder: bool = False
    runs: int = 1  # of a system, whose skills differ by `apart`
    apart: float = 0.0

    @property
    def name(self) -> str:
        if self.runs > 1:
            entries = f"entries of {self.runs} runs that differ by {self.apart:g}"
            own = f"documents' own effects {self.own:g}"
            return f"{entries}, {own}, {self.documents} units"
        kind = "sentences right or wrong" if self.answers else "sentences"
        kind += " of very unequal documents" if self.sizes > 1 else " of documents"
        kind += ", longer ones harder" if self.longer_harder else ""
        return (
            f"{kind} with effects of their own ({self.own:g}), {self.documents} units"
        )

    def draw(self, rng: Rng, skills: Sequence[float]) -> list[System]:
        """Rows of systems, one for each skill."""
        mean = np.log(SENTENCES) - self.sizes**2 / 2
        drawn = np.exp(rng.normal(mean, self.sizes, self.documents))
        many = np.maximum(1, np.round(drawn)).astype(np.int64)
        of = np.repeat(np.arange(self.documents), many)
        size = len(of)
        words = np.ones(size, np.int64) if self.answers else rng.integers(5, 36, size)
        hard = rng.normal(0, SHARED, self.documents)[of]
        if self.longer_harder:
            hard -= 0.05 * np.log(many / SENTENCES)[of]
        hard += rng.normal(0, 0.08, size)
        labels = tuple(f"d{k:03}" for k in of)
        rows: list[System] = []
        for skill in skills:
            own = rng.normal(0, self.own, self.documents)[of]
            skills_of_runs = [skill] * self.runs
            if self.runs > 1:
                skills_of_runs = rng.normal(skill, self.apart, self.runs).tolist()
            outputs = []
            for run in skills_of_runs:
                right = rng.binomial(words, np.clip(run + hard + own, 0, 1))
                counts = counts_of({"right": right * 1.0, "wanted": words * 1.0})
                outputs.append(replace(counts, groups={"document": labels}))
            rows.append([Counts.of_runs(outputs) if self.runs > 1 else outputs[0]])
        return rows


KINDS = (
    *(Documents(n, own) for own in (0.0, 0.01, 0.02, 0.05) for n in (20, 40, 60)),
    *(Documents(n, own, answers=True) for own in (0.05, 0.1) for n in (20, 40)),
    *(Documents(n, 0.03, sizes=1.2, longer_harder=True) for n in (20, 40)),
)
OF_RUNS = tuple(Documents(40, 0.05, runs=3, apart=x) for x in (0.01, 0.03))
# Below what any rule sees in so few documents.
UNSEEN = 0.01


def tested(rows: Sequence[System]) -> Pairs:
    """The pairs as a board tests them."""
    group = grouping_to_exchange(rows, ACCURACY, GROUPS)
    return all_pairs(by_group(rows, ACCURACY, group), ACCURACY)


def equals_of_runs(kind: Documents, trials: int) -> Iterator[Finding]:
    """Two equals of several runs each, and how often they are told apart."""
    rng, small, tiny = stream(kind.name), 0, 0
    for _ in range(trials):
        p_value = tested(kind.draw(rng, [EQUAL] * 2)).p_value[0]
        small, tiny = small + (p_value < 0.05), tiny + (p_value < 0.001)
    # Three runs tell of their own spread as little as three units would.
    few = kind.apart > 0.02
    yield Finding(APART, kind.name, small / trials, trials, most=0.06, beyond=few)
    yield Finding(FAR_APART, kind.name, tiny / trials, trials, most=0.002, beyond=few)


def wrong_boards(kind: Documents, systems: int, trials: int) -> Iterator[Finding]:
    """Boards of equals on which any two differ, and on which one is said to lead."""
    rng, wrong, leads = stream(f"{kind.name}, {systems}"), 0, 0
    for _ in range(trials):
        pairs = tested(kind.draw(rng, [EQUAL] * systems))
        wrong += bool((pairs.adjusted < 0.05).any())
        leads += any(
            standing.others and standing.low == standing.high == 1
            for standing in standings(pairs, True)
        )
    most = 1.0 if kind.own == UNSEEN else 0.06
    claim = f"any two of {systems} equal systems differ, by documents where alike"
    yield Finding(claim, kind.name, wrong / trials, trials, most=most)
    claim = f"one of {systems} equal systems is said to be better than all others"
    most = 1.0 if kind.own == UNSEEN else 0.02
    yield Finding(claim, kind.name, leads / trials, trials, most=most)


def kept_power(documents: int, systems: int, trials: int) -> Finding:
    """Of the differences that a test of sentences finds where only difficulty is shared
    those that the board finds."""
    kind = Documents(documents, 0.0)
    name = f"sentences of documents that are hard for all, {documents} units"
    rng, count, possible = stream(f"{name}, {systems}"), 0, 0
    skills = [EQUAL + GAPS[documents], *[EQUAL] * (systems - 1)]
    for _ in range(trials):
        rows = kind.draw(rng, skills)
        first = slice(0, systems - 1)
        count += int((tested(rows).adjusted[first] < 0.05).sum())
        possible += int((all_pairs(rows, ACCURACY).adjusted[first] < 0.05).sum())
    claim = (
        f"differences on a board of {systems} found as if sentences were independent"
    )
    return Finding(claim, name, count / max(possible, 1), trials, least=LEAST_POWER)


def boards_of_documents(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of boards whose units are sentences of documents."""
    for kind in OF_RUNS:
        if only in kind.name:
            yield from equals_of_runs(kind, _trials(2000, scale))
    for kind in KINDS:
        for systems in SYSTEMS:
            if only in kind.name:
                yield from wrong_boards(kind, systems, _trials(200, scale))
    for documents in GAPS:
        for systems in SYSTEMS:
            if only in "sentences of documents that are hard for all":
                yield kept_power(documents, systems, _trials(200, scale))
