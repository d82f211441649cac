"""Columns of every item, and what stands beside the scores: details, inspection."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, islice

import numpy as np

from scoring.answered import ONE_IN, SHIFTED, Answered, few_but
from scoring.counts import Counts, Flags, Floats, fixed_point
from scoring.errors import Problem
from scoring.inspection import Inspection, ItemTable, Picture, kinds_at
from scoring.messages import Messages, _
from scoring.oddities import (
    LEAST_ALIKE,
    LEAST_EQUAL,
    LEAST_FEW,
    begin_anew,
    fit_the_next,
)
from scoring.options import Options
from scoring.scorer import DetailRows, Details
from scoring.scorers.numbers.counts import ranks
from scoring.scorers.probabilities import figures
from scoring.scorers.probabilities.contrast import contrast, soft_contrast
from scoring.scorers.probabilities.curves import HELD, ITEMS, RANK
from scoring.scorers.probabilities.values import Distributions
from scoring.source import brief

MESSAGES = Messages(
    in_rows=_("%(count)s of %(all)s answers are those of the item before."),
    even=_("%(count)s of %(all)s items have one share for all classes."),
    last=_("the last %(count)s of %(all)s answers are the same: '%(answer)s'."),
    sorted=_(
        "the shares of '%(label)s' rise or fall from each item to the next: were they "
        "sorted?"
    ),
    fall=_("the shares of each item fall from the first class to the last."),
    rise=_("the shares of each item rise from the first class to the last."),
    by_class=_("Give each class its own share, in the column of its name."),
    certain=_(
        "every share is 0 or 1: an answer that is wrong costs as much in log loss as "
        "any can."
    ),
)

# Shares that are no larger are taken for this, whose logarithm is finite.
LEAST = float(np.finfo(np.float64).eps)
DIGITS = 12
# Shares that differ by less are alike, and so many classes of them are shown.
EVEN, SHOWN = 0.003, 9
# A share is far off from here on.
FAR = 0.5


def count(gold: Distributions, system: Distributions, _options: Options) -> Counts:
    """One row per item."""
    size = len(gold)
    off = system.table - gold.table
    squares = (off * off).sum(axis=1)
    right = _right(gold, system)
    answered = _has_one_best_class(gold, system)
    columns: dict[str, Floats] = {
        ITEMS: np.ones(size),
        **fixed_point(figures.LOSS, _losses(gold, system)),
        **fixed_point(figures.SQUARES, squares / 2 if off.shape[1] == 2 else squares),
        **fixed_point(figures.MANHATTAN, np.abs(off).sum(axis=1)),
        **fixed_point(figures.EUCLID, np.sqrt(squares)),
        **fixed_point(figures.RIGHT, right),
        figures.ANSWERED_RIGHT: (answered & (right == 1)).astype(np.float64),
        figures.UNANSWERED: (~answered).astype(np.float64),
        **_gaps(gold, system),
        **_contrasts(gold, system),
        **_ranks_by_class(gold, system),
    }
    return Counts.of_rows(gold.answers.ids, columns, gold.answers.groups)


def _losses(gold: Distributions, system: Distributions) -> Floats:
    given = np.clip(system.table, LEAST, 1 - LEAST)
    losses = -(gold.table * np.log(given)).sum(axis=1)
    return np.asarray(np.round(losses, DIGITS))


def _right(gold: Distributions, system: Distributions) -> Floats:
    """The share of gold's classes among those that a system gives most."""
    both = (gold.top & system.top).sum(axis=1)
    return np.asarray(both / system.top.sum(axis=1))


# Shares that differ by so much on average, the wrong way, of so many items.
TURNED, LEAST_ITEMS, MOST_SWAPPED = -0.2, 10, 20


def _has_one_best_class(gold: Distributions, system: Distributions) -> Flags:
    """Items that have one class above the others, or just as gold has none."""
    single = system.top.sum(axis=1) == 1
    return np.asarray(single | (system.top == gold.top).all(axis=1))


def _gaps(gold: Distributions, system: Distributions) -> dict[str, Floats]:
    """The share of gold less that of the system, of the class that the system gives
    most, in the range of the system's."""
    size = len(gold)
    first = system.top.argmax(axis=1)
    given = system.table[np.arange(size), first]
    gap = gold.table[np.arange(size), first] - given
    place = np.maximum(np.ceil(given * figures.RANGES).astype(np.int64) - 1, 0)
    columns: dict[str, Floats] = {}
    for number, name in enumerate(figures.GAPS):
        columns |= fixed_point(name, np.where(place == number, gap, 0.0))
    return columns


def _contrasts(gold: Distributions, system: Distributions) -> dict[str, Floats]:
    """Information contrast of classes and of shares, and that of the gold itself."""
    columns: dict[str, Floats] = {}
    hard = contrast(gold.top, system.top)
    soft = soft_contrast(gold.table, system.table)
    for names, values in ((figures.ICM, hard), (figures.ICM_SOFT, soft)):
        for name, own in zip(names, values, strict=True):
            # Libraries differ in the last bits of logarithms.
            columns |= fixed_point(name, np.round(own, DIGITS))
    return columns


def _ranks_by_class(gold: Distributions, system: Distributions) -> dict[str, Floats]:
    """Ranks of what the system gives each class, and the items that have it; an
    item for which gold has no single class counts for none."""
    single = gold.top.sum(axis=1) == 1
    columns = {}
    for place, name in enumerate(gold.classes):
        columns[f"{RANK[:-1]}{name}]"] = ranks(system.table[:, place])
        held = gold.top[:, place] & single
        columns[f"{HELD[:-1]}{name}]"] = held.astype(np.float64)
    return columns


def count_answers(
    _asked: Distributions, system: Distributions, _options: Options
) -> Answered:
    """How the items are answered."""
    size, table = len(system), system.table
    same = bool(size) and bool((table == table[0]).all())
    rows = Counter(map(tuple, table.tolist()))
    [(row, times)] = rows.most_common(1) or [((), 0)]
    shares = _shares_of(row)
    if same or not few_but(times, size):
        again = None if same or not size else begin_anew([*map(tuple, table.tolist())])
        odd = again if again and again[0] == "again" else None
        return Answered(size, size, single=shares if same else None, odd=odd)
    return Answered(size, size, most=(shares, times))


def _shares_of(row: Iterable[float]) -> str:
    return ", ".join(f"{share:g}" for share in islice(row, SHOWN))


def notes(system: Distributions, _options: Options) -> list[Problem]:
    """Remarks on shares that are labels, or say nothing."""
    size, table, file = len(system), system.table, system.answers.name
    even = int((np.ptp(table, axis=1) < EVEN).sum())
    problems = []
    if size and bool(((table == 0) | (table == 1)).all()):
        problems.append(Problem("certain", MESSAGES("certain"), file))
    elif ONE_IN * even >= size and even < size and even >= LEAST_EQUAL:
        message = MESSAGES("even", count=even, all=size)
        problems.append(Problem("even", message, file))
    same = int((table[1:] == table[:-1]).all(axis=1).sum())
    times = Counter(map(tuple, table.tolist()))
    if 2 * same > size >= 2 * max(times.values()) and len(times) >= LEAST_FEW:
        message = MESSAGES("in_rows", count=same, all=size)
        problems.append(Problem("some_equal", message, file))
    return [*problems, *_odd_places(system)]


def _odd_places(system: Distributions) -> Iterator[Problem]:
    """Remarks on items that end with one answer for many, and on shares that are
    sorted, by items or by classes."""
    size, table, file = len(system), system.table, system.answers.name
    steps = np.diff(table, axis=0)
    moves = np.flatnonzero(steps.any(axis=1))
    if not len(moves) or size < LEAST_ALIKE:
        return
    last = size - 1 - int(moves[-1])
    many = last >= max(LEAST_FEW, size / 4) and not few_but(last, size)
    differ = many and 2 * len(np.unique(table[:-last], axis=0)) > size - last
    if differ and np.ptp(table[-1]) >= EVEN:
        about = {"count": last, "all": size, "answer": _shares_of(table[-1].tolist())}
        yield Problem("some_equal", MESSAGES("last", **about), file)
    for label, own in zip(system.classes, steps.T, strict=True):
        one_way = (own >= 0).all() or (own <= 0).all()
        if one_way and 2 * np.count_nonzero(own) >= size:
            message = MESSAGES("sorted", label=brief(label, 40))
            yield Problem("sorted", message, file)
            break
    across = np.diff(table, axis=1)
    if across.shape[1] > 1 and 2 * len(moves) >= size:
        for name, own in (("rise", across), ("fall", -across)):
            if (own >= 0).all():
                hint = MESSAGES("by_class")
                yield Problem("sorted", MESSAGES(name), file, hint=hint)


def remarks(gold: Distributions, system: Distributions, _options: Options) -> list[str]:
    """Answers that count as none, and columns that may be swapped."""
    swapped: list[str] = []
    if _are_swapped(gold, system):
        swapped.append(
            "most items get the class that the gold has not: are the columns swapped?"
        )
    sides = (side.table.argmax(axis=1).astype(str).tolist() for side in (system, gold))
    if not swapped and system.table.shape[1] > 2:
        swapped += [SHIFTED] * fit_the_next(*sides)
    unanswered = int((~_has_one_best_class(gold, system)).sum())
    if not unanswered:
        return swapped
    items = "item has" if unanswered == 1 else "items have"
    others = f"{unanswered} {items} no class above the others: unanswered for C@1"
    return [*swapped, others]


def _are_swapped(gold: Distributions, system: Distributions) -> bool:
    """Whether items of each of two classes get the other one of both."""
    best = gold.top.argmax(axis=1)
    for pair in combinations(range(min(len(gold.classes), MOST_SWAPPED)), 2):
        rows = np.flatnonzero(np.isin(best, pair))
        given = system.table[rows, best[rows]]
        other = system.table[rows, sum(pair) - best[rows]]
        if len(rows) >= LEAST_ITEMS and float((given - other).mean()) < TURNED:
            return True
    return False


def gold_remarks(gold: Distributions, _options: Options) -> list[str]:
    """Remarks on what soft labels leave out."""
    split = int((gold.top.sum(axis=1) > 1).sum())
    if not split:
        return []
    items = "item has" if split == 1 else "items have"
    return [f"{split} {items} no class above the others: held by none in AUC and AP"]


def details(gold: Distributions, system: Distributions, _options: Options) -> Details:
    """One row per item, in the order of the gold."""
    names = [f"{side}[{name}]" for side in ("gold", "system") for name in gold.classes]

    def rows() -> DetailRows:
        losses = _losses(gold, system).tolist()
        tables = gold.table.tolist(), system.table.tolist(), losses
        for name, one, other, loss in zip(gold.answers.ids, *tables, strict=True):
            yield name, *one, *other, loss

    return Details(("id", *names, "loss"), rows())


def inspect(
    gold: Distributions, system: Distributions, _options: Options
) -> Inspection:
    """One item per unit: its shares, class by class, and what was asked."""
    unlike = np.abs(system.table - gold.table).max(axis=1)
    wrong: dict[str, Flags] = {
        "wrong": _right(gold, system) < 1,
        "far_off": unlike >= FAR,
    }
    inputs = gold.answers.inputs

    def picture(unit: int) -> Picture:
        sides = gold.table[unit].tolist(), system.table[unit].tolist()
        shares = zip(gold.classes, *sides, strict=True)
        cells = tuple(
            (name, one, other, *gold.answers.inputs_of(unit))
            for name, one, other in shares
        )
        columns = ("class", "gold_value", "system_value", *inputs)
        return Picture(ItemTable(columns, cells, (kinds_at(wrong, unit),) * len(cells)))

    return Inspection.of_items(wrong, picture)
