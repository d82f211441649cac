"""Rules that were tried and are not part of the engine, on populations of their own."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.simulation.claims import Finding, _trials, stream
from benchmarks.simulation.documents import OF_RUNS, Documents
from benchmarks.simulation.populations import ACCURACY, EQUAL, Rng, counts_of
from scoring.counts import Flags, Floats, Integers
from scoring.statistics.exchange import Exchange, all_pairs, tables_of
from scoring.statistics.groups import by_group, grouping_to_exchange
from scoring.statistics.intervals import normal, t_quantile
from scoring.statistics.ranks import standings
from scoring.statistics.sign_flips import tails_of

ALPHA = 0.05
SIGNS = 999  # draws of signs
RANKED, ITEMS = 10, 200  # systems on a board, and its units
HELD = "ranges of one system alone, left out, hold its true rank"
WIDER = "ranks in ranges of one system alone, of those in joint ranges"


@dataclass(frozen=True)
class Answers:
    """Boards of answers that are right or wrong: systems `gap` apart that answer as one
    of them does, but for a share of units that is `own`."""

    kind: str
    own: float
    gap: float

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.gap:g} apart, {ITEMS} units"

    def draw(self, rng: Rng) -> tuple[Floats, Floats]:
        """Skills, and answers (systems, units)."""
        skills = EQUAL - self.gap * np.arange(RANKED)
        first = rng.random(ITEMS)
        anew = rng.random((RANKED, ITEMS)) < self.own
        drawn = np.where(anew, rng.random((RANKED, ITEMS)), first)
        return skills, (drawn < skills[:, None]) * 1.0


BOARDS = (
    Answers("clones", 0.05, 0.0),
    Answers("clones", 0.05, 0.01),
    Answers("independent systems", 1.0, 0.0),
    Answers("independent systems", 1.0, 0.02),
    Answers("independent systems", 1.0, 0.05),
)


def step_down(differences: Floats, signs: Floats) -> Flags:
    """Flags of the differences (pairs, units) that are not 0, all at once: each over
    its own norm, the largest of those that are left against its distribution under
    `signs` (draws, units)."""
    norms = np.sqrt((differences * differences).sum(axis=1))
    scaled = differences / np.where(norms > 0, norms, 1.0)[:, None]
    observed, drawn = np.abs(scaled.sum(axis=1)), np.abs(signs @ scaled.T)
    found = np.zeros(len(differences), dtype=np.bool_)
    for place in np.argsort(-observed).tolist():
        largest = drawn[:, ~found].max(axis=1)
        reached = np.count_nonzero(largest >= observed[place] - 1e-9)
        if (1 + reached) / (1 + len(signs)) >= ALPHA:
            break
        found[place] = True
    return found


def ranks_of_one(kind: Answers, trials: int) -> Iterator[Finding]:
    """The set of one system's rank, of the middle one, beside its range."""
    rng, held, own, joint = stream(kind.name), 0, 0, 0
    middle = RANKED // 2
    for _ in range(trials):
        skills, right = kind.draw(rng)
        others = np.delete(right, middle, axis=0)
        signs = rng.choice([-1.0, 1.0], (SIGNS, ITEMS))
        found = step_down(right[middle] - others, signs)
        ahead = others.sum(axis=1) > right[middle].sum()
        low = 1 + int((found & ahead).sum())
        high = RANKED - int((found & ~ahead).sum())
        best = 1 + int((skills > skills[middle]).sum())
        worst = RANKED - int((skills < skills[middle]).sum())
        held += low <= worst and high >= best
        own += high - low + 1
        rows = [[counts_of({"right": row, "wanted": np.ones(ITEMS)})] for row in right]
        place = standings(all_pairs(rows, ACCURACY), True)[middle]
        joint += (place.high or RANKED) - (place.low or 1) + 1
    yield Finding(HELD, kind.name, held / trials, trials)
    yield Finding(WIDER, kind.name, own / max(joint, 1), trials)


VOTED, PEOPLE, VOTES, OF_MODEL = 6, 30, 300, 3000
WRONG = (
    "votes corrected by a judge model, left out, tell any two of 6 equal systems apart"
)
NARROWER = "intervals by a judge model, as wide as those of people alone"


@dataclass(frozen=True)
class ModelVotes:
    """Votes of people on pairs, and of a model on ten times as many, which says what
    people say in a share `alike` and leans to the first system by `bias` elsewhere.
    People have a taste for each system of sd `taste`."""

    alike: float
    bias: float = 0.0
    taste: float = 0.0

    @property
    def name(self) -> str:
        bias = f", leans to one system by {self.bias:g}" if self.bias else ""
        taste = f", people with tastes of sd {self.taste:g}" if self.taste else ""
        return f"a model that votes as people do in {self.alike:g}{bias}{taste}"

    def draw(self, rng: Rng) -> tuple[Floats, Floats, Integers]:
        """Sums that each vote adds to each system, of people and of the model (votes,
        systems), and who voted; people's are the first of the model's."""
        every, person = np.arange(OF_MODEL), rng.integers(0, PEOPLE, OF_MODEL)
        first = rng.integers(0, VOTED, OF_MODEL)
        second = (first + rng.integers(1, VOTED, OF_MODEL)) % VOTED
        tastes = rng.normal(0, self.taste, (PEOPLE, VOTED))[person]
        gap = tastes[every, first] - tastes[every, second]
        people = np.where(rng.random(OF_MODEL) < 1 / (1 + np.exp(-gap)), 1.0, -1.0)
        lean = 0.5 + self.bias * ((first == 0) * 1.0 - (second == 0))
        own = np.where(rng.random(OF_MODEL) < lean, 1.0, -1.0)
        model = np.where(rng.random(OF_MODEL) < 2 * self.alike - 1, people, own)
        sides = np.zeros((OF_MODEL, VOTED))
        sides[every, first], sides[every, second] = 1.0, -1.0
        some = slice(VOTES)
        return people[some, None] * sides[some], model[:, None] * sides, person[some]


MODELS = (
    *(ModelVotes(alike, bias) for alike in (0.75, 0.9) for bias in (0.0, 0.4)),
    *(ModelVotes(alike, taste=0.6) for alike in (0.75, 0.9)),
)


def corrected(
    people: Floats, model: Floats, person: Integers
) -> tuple[float, float, float]:
    """The mean of what people say, corrected by the model (PPI++), its standard error
    with votes of a person taken together, and that of the people alone."""
    size, beside = len(people), model[len(people) :]
    both = np.cov(people, model[:size])
    share = np.clip(both[0, 1] / (both[1, 1] * (1 + size / len(beside))), 0.0, 1.0)
    value = people.mean() - share * (model[:size].mean() - beside.mean())

    def variance(values: Floats) -> float:
        sums = np.bincount(person, values - values.mean(), PEOPLE)
        return float((sums * sums).sum()) / size**2 * PEOPLE / (PEOPLE - 1)

    of_model = share**2 * beside.var(ddof=1) / len(beside)
    whole = variance(people - share * model[:size]) + of_model
    return value, math.sqrt(whole), math.sqrt(variance(people))


def ranks_by_model(kind: ModelVotes, trials: int) -> Iterator[Finding]:
    """Equal systems, all pairs tested at once (Bonferroni)."""
    rng, wrong, widths = stream(kind.name), 0, [math.nan] * (not trials)
    pairs = [(i, j) for i in range(VOTED) for j in range(i)]
    limit = t_quantile(1 - ALPHA / 2 / len(pairs), PEOPLE - 1)
    for _ in range(trials):
        people, model, person = kind.draw(rng)
        found = [
            corrected(people[:, i] - people[:, j], model[:, i] - model[:, j], person)
            for i, j in pairs
        ]
        wrong += any(abs(value) > limit * error for value, error, _alone in found)
        widths += [error / alone for _value, error, alone in found]
    yield Finding(WRONG, kind.name, wrong / trials, trials)
    yield Finding(NARROWER, kind.name, float(np.mean(widths)), trials)


MIXED = "p averaged over how runs may vary, left out, tells equal systems apart at {}"
FOUND = "differences found at 0.001 by p averaged so, of those found now"
FURTHER = 0.06  # of differences that are found about half the time


def averaged(kind: Documents, rng: Rng, gap: float) -> tuple[float, float]:
    """The p-value of two systems now, and a mean of p-values: over what the variance of
    runs may be, as its chi-square distribution tells."""
    rows = kind.draw(rng, [EQUAL - 0.1 + gap, EQUAL - 0.1])
    group = grouping_to_exchange(rows, ACCURACY, ["document"])
    rows = by_group(rows, ACCURACY, group)
    exchange = Exchange(tables_of(rows, [ACCURACY]), ACCURACY)
    sums = exchange.pairs()
    (excess,), (squares,) = exchange.beside_units(sums)
    by_units = tails_of(exchange.terms_in_order(sums))
    degrees = 2 * (kind.runs - 1)
    whole = math.sqrt(squares * degrees)
    drawn = np.random.default_rng(0).chisquare(degrees, SIGNS) / degrees
    runs = np.maximum(whole / drawn - max(whole - excess, 0.0), 0.0)
    far = -normal().inv_cdf(max(by_units.p_value[0], 1e-300) / 2)
    shrunk = far * np.sqrt(sums.spread[0] ** 2 / (sums.spread[0] ** 2 + runs))
    mean = float(np.mean([math.erfc(z / math.sqrt(2)) for z in shrunk]))
    return float(all_pairs(rows, ACCURACY).p_value[0]), mean


def runs_of_documents(kind: Documents, trials: int) -> Iterator[Finding]:
    """Two entries of several runs, equal and apart."""
    rng = stream(f"{kind.name}, averaged")
    equal = [averaged(kind, rng, 0.0)[1] for _ in range(trials)]
    apart = [averaged(kind, rng, FURTHER) for _ in range(trials)]
    now, then = (sum(p[i] < 0.001 for p in apart) for i in range(2))
    for level in (0.05, 0.001):
        share = sum(p < level for p in equal) / trials
        yield Finding(MIXED.format(level), kind.name, share, trials)
    yield Finding(FOUND, kind.name, then / max(now, 1), trials)


def left_out(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Findings on the rules that were tried and left out."""
    for board in BOARDS:
        if only in f"left out: {board.name}":
            yield from ranks_of_one(board, _trials(400, scale))
    for votes in MODELS:
        if only in f"left out: {votes.name}":
            yield from ranks_by_model(votes, _trials(1000, scale))
    for kind in OF_RUNS:
        if only in f"left out: {kind.name}":
            yield from runs_of_documents(kind, _trials(1000, scale))
