"""Texts as whole numbers: each distinct one is held, and looked at, once."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from scoring.counts import Flags, Floats, Integers

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Coded:
    """Column of texts: `codes` (n,) are places in `values`, the distinct ones."""

    codes: Integers
    values: list[str]

    def mapped(self, function: Callable[[str], float]) -> Floats:
        """`function` of every text, called once per distinct one."""
        numbers = [float(function(value)) for value in self.values]
        return np.array(numbers, dtype=np.float64)[self.codes]

    def flags(self, predicate: Callable[[str], bool]) -> Flags:
        flags = [bool(predicate(value)) for value in self.values]
        return np.array(flags, dtype=np.bool_)[self.codes]

    def texts(self) -> list[str]:
        texts: list[str] = np.array(self.values, dtype=object)[self.codes].tolist()
        return texts


def of_texts(texts: Sequence[str]) -> Coded:
    values = list(dict.fromkeys(texts))
    places = {value: place for place, value in enumerate(values)}
    codes = map(places.__getitem__, texts)
    return Coded(np.fromiter(codes, dtype=np.int64, count=len(texts)), values)


def merge_codes(parts: Sequence[Coded]) -> Coded:
    """Parts in a row, their values brought together."""
    if len(parts) == 1:
        return parts[0]
    places: dict[str, int] = {}
    codes = [places_of(part, places, str)[part.codes] for part in parts]
    whole = np.concatenate(codes) if codes else np.zeros(0, dtype=np.int64)
    return Coded(whole, list(places))


def shared_codes(
    first: Coded, second: Coded, key: Callable[[str], Hashable] = str
) -> tuple[Integers, Integers]:
    """Numbers for both sides, the same where `key` of the texts is the same."""
    places: dict[Hashable, int] = {}
    left, right = places_of(first, places, key), places_of(second, places, key)
    return left[first.codes], right[second.codes]


def places_of(
    coded: Coded, known: dict[Key, int], key: Callable[[str], Key]
) -> Integers:
    """Numbers of the values of one side; what `known` lacks is added to it."""
    places = [known.setdefault(key(value), len(known)) for value in coded.values]
    return np.array(places, dtype=np.int64)


def by_value(codes: Integers) -> Iterator[tuple[int, Integers]]:
    """Each code (n,) with the places that have it, in the order of the first ones."""
    if not len(codes):
        return
    order = np.argsort(codes, kind="stable")
    values, starts = np.unique(codes[order], return_index=True)
    parts = np.split(order, starts[1:])
    for place in np.argsort([part[0] for part in parts]):
        yield int(values[place]), parts[place]
