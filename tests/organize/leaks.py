"""Attackers who never look at the data, and what each publication tells them.

The table of docs/organizers/disclosure.md is `table()`, and a slow test compares them:
500 labels that are coin flips, 200 attempts, and the accuracy of what would be sent in
the end. Scores are rounded, and improvements accepted, by the product's own code.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from leaderboard.results.board_sample import spread_of
from leaderboard.results.scores import FINEST, Candidate, Grid, Ladder, eta, share_error

N, TRIES, RUNS, RESAMPLES = 500, 200, 20, 100
ABSENT = -1  # no answer, or one that is wrong for sure
ERROR = share_error([N])
Answers = NDArray[np.int64]


class Site:
    """Balanced labels; `told` is the score that a team reads, as a share."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.labels = self.random.permutation(np.arange(N) % 2)
        self.tries = 0

    def told(self, answers: Answers) -> float:
        self.tries += 1
        return self.shown(answers == self.labels)

    def shown(self, right: NDArray[np.bool_]) -> float:
        return float(right.mean())

    @property
    def attempts_left(self) -> int:
        return TRIES - self.tries

    def accuracy(self, answers: Answers) -> float:
        """The accuracy of these answers, with guesses for what is absent."""
        right = np.where(answers == ABSENT, 0.5, answers == self.labels)
        return float(right.mean())


class GridSite(Site):
    grid = Grid.at_least(max(FINEST, ERROR / 2))

    def shown(self, right: NDArray[np.bool_]) -> float:
        return self.grid.nearest(float(right.mean()))


class LadderSite(Site):
    def __init__(self, seed: int, steps: float, largest: float = ERROR) -> None:
        super().__init__(seed)
        draws = self.random.multinomial(N, np.full(N, 1 / N), size=RESAMPLES)
        self.draws = draws / N
        self.steps, self.largest = steps, largest
        self.ladder = Ladder(higher_is_better=True)
        self.published = 0.0

    def shown(self, right: NDArray[np.bool_]) -> float:
        value, resampled = float(right.mean()), self.draws @ right
        grid = eta(float(spread_of(resampled)), self.steps, self.largest)
        if self.ladder.offer(Candidate(value, grid.size, resampled)):
            self.published = grid.nearest(value)
        return self.published


# --- Attackers: each returns the answers that it ends with. ---


def votes(site: Site) -> Answers:
    """Random answers; the majority of those that the site liked (Hardt 2015)."""
    found = np.zeros(N)
    before = site.told(site.random.integers(0, 2, N))
    while site.attempts_left:
        answers = site.random.integers(0, 2, N)
        told = site.told(answers)
        liked = told > before if isinstance(site, LadderSite) else told > 0.5
        found += (2 * answers - 1) * liked
        before = told
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


def one_by_one(site: GridSite) -> Answers:
    """Stand right below an edge of the grid: one answer more, and the score tells it.

    Every answer that is given in the end is known for certain.
    """
    known = np.full(N, ABSENT)
    low, high = 0, 2
    base = site.told(np.full(N, ABSENT))
    while site.told(_ones(high)) == base:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if site.told(_ones(middle)) == base:
            low = middle
        else:
            high = middle
    known[low] = 1
    for unit in range(high, N):
        if not site.attempts_left:
            break
        answers = _ones(low)
        answers[unit] = 1
        known[unit] = int(site.told(answers) > base)
    return known


def _ones(size: int) -> Answers:
    answers = np.full(N, ABSENT)
    answers[:size] = 1
    return answers


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
SITES: dict[str, Callable[[int], Site]] = {
    "exact": Site,
    f"grid of {GridSite.grid.size * 100:g} points": GridSite,
    "ladder, 1 step": lambda seed: LadderSite(seed, 1),
    "ladder, 2 steps": lambda seed: LadderSite(seed, 2),
}
BLOCKS = (2, 6, 12, 40)


def gain(attack: Attack, site: Callable[[int], Site], runs: int = RUNS) -> float:
    """The accuracy after the attack, a mean over runs."""
    return float(np.mean([_after(attack, site(seed)) for seed in range(runs)]))


def _after(attack: Attack, site: Site) -> float:
    answers = attack(site)
    assert site.tries <= TRIES
    return site.accuracy(answers)


def best_flips(site: Callable[[int], Site], runs: int = RUNS) -> float:
    return max(gain(lambda s, b=b: flips(s, b), site, runs) for b in BLOCKS)


def best_growing(site: Callable[[int], Site], runs: int = RUNS) -> float:
    """Over blocks around the one that is likely to do: the attacker knows the step."""
    example = site(0)
    needed = 1
    if isinstance(example, GridSite):
        needed = math.ceil(example.grid.size * N)
    if isinstance(example, LadderSite):
        needed = math.floor(eta(None, example.steps, example.largest).size * N) + 1
    block = likeliest_block(needed)
    tried: Sequence[int] = range(max(needed, block - 2), block + 4)
    return max(gain(lambda s, b=b: growing(s, b), site, runs) for b in tried)


def certain(site: Callable[[int], Site]) -> tuple[int, int]:
    """Labels that are known for certain in the end, at least; and the attempts."""
    example = site(0)
    if isinstance(example, LadderSite):
        return 0, TRIES
    attack: Callable[..., Answers] = weighing
    if isinstance(example, GridSite):
        attack = one_by_one
    found = []
    for seed in range(RUNS):
        one = site(seed)
        answers = attack(one)
        told = answers != ABSENT
        assert (answers[told] == one.labels[told]).all()
        found.append((int(told.sum()), one.tries))
    return min(found)


def table() -> list[str]:
    """Lines of Markdown."""
    lines = [
        "| publication | votes | flips of blocks | an empty file filled | certain |",
        "|---|--:|--:|--:|---|",
    ]
    for name, site in SITES.items():
        numbers = (gain(votes, site), best_flips(site), best_growing(site))
        known, attempts = certain(site)
        told = f"{known} labels with {attempts} attempts" if known else "none"
        cells = " | ".join(f"{number:.2f}" for number in numbers)
        lines.append(f"| {name} | {cells} | {told} |")
    return lines
