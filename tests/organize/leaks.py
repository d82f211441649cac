"""Attackers who never look at the data, and what exact scores tell them.

The table of docs/organizers/disclosure.md is `table()`, and a slow test compares them:
500 labels that are coin flips, 200 attempts, and the accuracy of what would be sent in
the end.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

N, TRIES, RUNS = 500, 200, 20
ABSENT = -1  # no answer, or one that is wrong for sure
Answers = NDArray[np.int64]


class Site:
    """Balanced labels; `told` is the score that a team reads, as a share."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.labels = self.random.permutation(np.arange(N) % 2)
        self.tries = 0

    def told(self, answers: Answers) -> float:
        self.tries += 1
        return float((answers == self.labels).mean())

    @property
    def attempts_left(self) -> int:
        return TRIES - self.tries

    def accuracy(self, answers: Answers) -> float:
        """The accuracy of these answers, with guesses for what is absent."""
        right = np.where(answers == ABSENT, 0.5, answers == self.labels)
        return float(right.mean())


# --- Attackers: each returns the answers that it ends with. ---


def votes(site: Site) -> Answers:
    """Random answers; the majority of those that the site liked (Hardt 2015)."""
    found = np.zeros(N)
    while site.attempts_left:
        answers = site.random.integers(0, 2, N)
        found += (2 * answers - 1) * (site.told(answers) > 0.5)
    return (found > 0).astype(np.int64)


def flips(site: Site, block: int = 12) -> Answers:
    """Flip a block of the best answers so far, keep it when the site says more."""
    best = site.random.integers(0, 2, N)
    told = site.told(best)
    while site.attempts_left:
        answers = best.copy()
        answers[site.random.choice(N, block, replace=False)] ^= 1
        now = site.told(answers)
        if now > told:
            best, told = answers, now
    return best


def growing(site: Site, block: int) -> Answers:
    """Answer block after block of an empty file, each until the site says more."""
    best = np.full(N, ABSENT)
    told = site.told(best)
    order = site.random.permutation(N)
    for start in range(0, N, block):
        here = order[start : start + block]
        now = told
        while site.attempts_left and now <= told:
            answers = best.copy()
            answers[here] = site.random.integers(0, 2, len(here))
            now = site.told(answers)
        if now > told:
            best, told = answers, now
    return best


def likeliest_block(needed: int) -> int:
    """The smallest block with which the whole file is likely to be answered in time.

    A block is taken when `needed` of its answers are right.
    """
    for block in range(needed, N):
        ways = sum(math.comb(block, k) for k in range(needed, block + 1))
        if N / block <= (TRIES - 1) * ways / 2**block:
            return block
    return N


def weighing(site: Site) -> Answers:
    """Every label from a third as many exact scores (Cantor and Mills 1966).

    A row of the matrix says of which units 1 is answered (1), of which 0 (-1).
    """
    matrix = detecting(N)
    sums = []
    for row in matrix[:, :N]:
        answers = np.where(row == 0, ABSENT, (row + 1) // 2)
        right = round(site.told(answers) * N)
        sums.append(right - int((row < 0).sum()))
    return detected(np.array(sums), matrix.shape[1])[:N]


def detecting(columns: int) -> Answers:
    """Rows of -1, 0 and 1 whose products with a vector of 0 and 1 determine it."""
    found = np.ones((1, 1), dtype=np.int64)
    while found.shape[1] < columns:
        size = len(found)
        one, none = np.eye(size, dtype=np.int64), np.zeros((size, size), np.int64)
        found = np.block([[found, found, one], [found, -found, none]])
    return found


def detected(sums: Answers, columns: int) -> Answers:
    """The vector from its products: the parity of both halves' sum is the last part."""
    if len(sums) == 1:
        return sums
    half = len(sums) // 2
    upper, lower = sums[:half], sums[half:]
    last = (upper + lower) % 2
    part = (columns - half) // 2
    first = detected((upper + lower - last) // 2, part)
    second = detected((upper - last - lower) // 2, part)
    return np.concatenate([first, second, last])


# --- The table ---

Attack = Callable[[Site], Answers]
BLOCKS = (2, 6, 12, 40)


def gain(attack: Attack, runs: int = RUNS) -> float:
    """The accuracy after the attack, a mean over runs."""
    return float(np.mean([_after(attack, Site(seed)) for seed in range(runs)]))


def _after(attack: Attack, site: Site) -> float:
    answers = attack(site)
    assert site.tries <= TRIES
    return site.accuracy(answers)


def best_flips() -> float:
    return max(gain(lambda site, b=b: flips(site, b)) for b in BLOCKS)


def best_growing() -> float:
    """Over blocks around the one that is likely to do: one right answer is seen."""
    block = likeliest_block(1)
    tried = range(max(1, block - 2), block + 4)
    return max(gain(lambda site, b=b: growing(site, b)) for b in tried)


def certain() -> tuple[int, int]:
    """Labels that are known for certain in the end, at least; and the attempts."""
    known = []
    for seed in range(RUNS):
        site = Site(seed)
        answers = weighing(site)
        told = answers != ABSENT
        assert (answers[told] == site.labels[told]).all()
        known.append((int(told.sum()), site.tries))
    return min(known)


def table() -> list[str]:
    """Lines of Markdown."""
    numbers = " | ".join(
        f"{n:.2f}" for n in (gain(votes), best_flips(), best_growing())
    )
    labels, attempts = certain()
    return [
        "| votes | flips of blocks | an empty file filled | certain |",
        "|--:|--:|--:|---|",
        f"| {numbers} | {labels} labels with {attempts} attempts |",
    ]
