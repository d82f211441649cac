"""SARI of simplified texts (Xu and others 2016): what they add, keep and delete.

Sums over texts as easse has them: added n-grams count once a text; kept and deleted
ones as often as they stand there, those of references each for its share.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from scoring.counts import Floats
from scoring.libraries import import_library
from scoring.measures import Measure, ratio_or_zero
from scoring.messages import _

ORDERS = 4
OPERATIONS = ("add", "keep", "delete")
SIDES = ("shared", "system", "gold")
TEXTS = "simplified[texts]"
Grams = Counter[tuple[str, ...]]


def columns_of(operation: str) -> tuple[str, ...]:
    """Names of the columns of all orders: what is shared, and what each side has."""
    return tuple(f"{operation}_{side}[]" for side in SIDES)


def words(text: str) -> list[str]:
    """Words as easse takes them, in lower case."""
    return tokens(text.lower())


def tokens(text: str) -> list[str]:
    """Words by the tokenizer 13a of sacreBLEU."""
    tokenizers = import_library("texts", "sacrebleu.tokenizers.tokenizer_13a")
    split: list[str] = tokenizers.Tokenizer13a()(text).split()
    return split


def counts(
    sources: Sequence[str],
    system: Sequence[str],
    references: Sequence[Sequence[str | None]],
) -> dict[str, Floats]:
    """Columns (texts,) of what is added, kept and deleted, by order."""
    rows = [
        [*_of_text(words(source), words(text), _there(others))]
        for source, text, *others in zip(sources, system, *references, strict=True)
    ]
    table = np.array(rows, dtype=np.float64).reshape(len(rows), ORDERS, -1)
    sides = [name for operation in OPERATIONS for name in columns_of(operation)]
    columns = {
        f"{name[:-1]}{order + 1}]": table[:, order, place]
        for place, name in enumerate(sides)
        for order in range(ORDERS)
    }
    return {TEXTS: np.ones(len(rows)), **columns}


def _there(references: Sequence[str | None]) -> list[list[str]]:
    return [words(text) for text in references if text is not None]


def _of_text(
    source: list[str], system: list[str], references: list[list[str]]
) -> Iterator[int]:
    """Sums by order and operation: what is shared, the system's and the gold's."""
    for order in range(1, ORDERS + 1):
        before, after = _grams(source, order), _grams(system, order)
        wanted = sum((_grams(other, order) for other in references), Counter())
        # As often as if each reference had been compared by itself.
        before, after = (_times(side, len(references)) for side in (before, after))
        mine, theirs = after.keys() - before.keys(), wanted.keys() - before.keys()
        yield from (len(mine & theirs), len(mine), len(theirs))
        for own, other in (
            (before & after, before & wanted),
            (before - after, before - wanted),
        ):
            yield from ((own & other).total(), own.total(), other.total())


def _grams(text: list[str], order: int) -> Grams:
    return Counter(zip(*(text[start:] for start in range(order)), strict=False))


def _times(grams: Grams, number: int) -> Grams:
    return Counter({gram: number * size for gram, size in grams.items()})


def _mean_f1(shared: Floats, system: Floats, gold: Floats) -> Floats:
    """Mean over orders of F1, 0 where a side has nothing; (..., orders) each."""
    both = ratio_or_zero(2 * shared, system + gold)
    return np.asarray(both.sum(axis=-1) / ORDERS)


def _sari(texts: Floats, *sides: Floats) -> Floats:
    operations = [sides[place : place + 3] for place in range(0, len(sides), 3)]
    values = [_mean_f1(*operation) for operation in operations]
    return np.where(np.asarray(texts) > 0, sum(values) / len(values), np.nan)


FORMULAS = (
    _("F1 of n-grams that are added, mean over 1 to 4 words (option sari)"),
    _("F1 of n-grams that are kept, mean over 1 to 4 words (option sari)"),
    _("F1 of n-grams that are deleted, mean over 1 to 4 words (option sari)"),
)


def _measure(name: str, title: str, operations: Sequence[str], formula: str) -> Measure:
    columns = [name for operation in operations for name in columns_of(operation)]
    return Measure(name, title, (TEXTS, *columns), _sari, formula, bounds=(0.0, 1.0))


MEASURES = (
    _measure(
        "sari",
        "SARI",
        OPERATIONS,
        _(
            "mean of sari_add, sari_keep and sari_delete, as easse has them "
            "(option sari)"
        ),
    ),
    *(
        _measure(f"sari_{operation}", f"SARI {operation}", (operation,), formula)
        for operation, formula in zip(OPERATIONS, FORMULAS, strict=True)
    ),
)
