"""The private part: one cut for all, fair to documents, without a pattern."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.results.board_sample import Split, private_units
from leaderboard.tasks.models import TestSet
from leaderboard.tasks.phase_rules import private_size
from leaderboard.tasks.policy import Part
from scoring import Counts

NORTH, SOUTH = TestSet(name="north"), TestSet(name="south")
names = st.lists(
    st.text("abcdefg0123", min_size=1), min_size=2, max_size=60, unique=True
)
shares = st.floats(0.1, 0.9)


def counts(units: tuple[str, ...], documents: tuple[str, ...] = ()) -> Counts:
    groups = {"document": documents} if documents else {}
    return Counts(units, ("n",), np.arange(len(units), dtype=float)[:, None], groups)


def both(split: Split, one: Counts, test_set: TestSet = NORTH) -> list[Counts]:
    parts = (Part.PUBLIC, Part.PRIVATE)
    return [replace(split, part=part).cut(test_set, [one])[0] for part in parts]


@given(names, shares)
def test_the_parts_are_disjoint_and_leave_nothing_out(
    units: list[str], share: float
) -> None:
    public, private = both(Split(Part.PUBLIC, "salt", share), counts(tuple(units)))
    assert not set(public.units) & set(private.units)
    assert sorted(public.units + private.units) == sorted(units)
    assert len(private.units) == private_size(len(units), share)
    assert len(public.units) and len(private.units)


@given(names, shares, st.randoms())
def test_the_cut_does_not_depend_on_the_order_of_units(
    units: list[str], share: float, random: object
) -> None:
    shuffled = list(units)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    split = Split(Part.PRIVATE, "salt", share)
    first, second = split.cut(NORTH, [counts(tuple(u)) for u in (units, shuffled)])
    assert set(first.units) == set(second.units)


def test_all_systems_are_cut_alike_and_who_sent_nothing_stays_without() -> None:
    units = tuple(f"s{i}" for i in range(40))
    twice = counts(units)
    split = Split(Part.PUBLIC, "salt", 0.5)
    first, nothing, second = split.cut(NORTH, [twice, None, twice])
    assert nothing is None
    assert first.units == second.units


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8), shares)
def test_every_document_gives_its_share(sizes: list[int], share: float) -> None:
    documents = tuple(f"d{i}" for i, size in enumerate(sizes) for _ in range(size))
    units = tuple(f"s{i}" for i in range(len(documents)))
    chosen = private_units("salt", share, units, documents)
    fair = private_size(len(units), share) / len(units)
    for i, size in enumerate(sizes):
        taken = sum(documents[unit] == f"d{i}" for unit in chosen)
        assert abs(taken - size * fair) <= 1 + 1e-9


def test_another_salt_or_test_set_cuts_otherwise() -> None:
    units = tuple(f"s{i}" for i in range(60))
    split = Split(Part.PRIVATE, "salt", 0.5)
    (here,) = split.cut(NORTH, [counts(units)])
    (there,) = split.cut(SOUTH, [counts(units)])
    (other,) = replace(split, key="pepper").cut(NORTH, [counts(units)])
    assert here.units not in (there.units, other.units)


def test_mending_one_document_moves_no_more_than_one_unit_of_another() -> None:
    documents = ("a",) * 20 + ("b",) * 20 + ("c",) * 20
    units = tuple(f"s{i}" for i in range(60))
    before = {units[i] for i in private_units("salt", 0.5, units, documents)}
    shorter, their = units[:19] + units[20:], documents[:19] + documents[20:]
    after = {shorter[i] for i in private_units("salt", 0.5, shorter, their)}
    for document in ("b", "c"):
        own = {u for u, d in zip(units, documents, strict=True) if d == document}
        assert len((before ^ after) & own) <= 1


def test_half_of_many_units_is_private_without_a_pattern() -> None:
    """A run of heads and tails: neither neighbours alike nor alternating."""
    units = tuple(f"s{i:04}" for i in range(2000))
    mask = np.zeros(2000, dtype=bool)
    mask[private_units("salt", 0.5, units, ())] = True
    changes = int((mask[1:] != mask[:-1]).sum())
    assert mask.sum() == 1000
    assert changes == pytest.approx(1000, abs=5 * np.sqrt(500))


def test_one_unit_cannot_be_split() -> None:
    public, private = both(Split(Part.PUBLIC, "salt", 0.5), counts(("only",)))
    assert (public.units, private.units) == (("only",), ())


def test_a_part_knows_its_size() -> None:
    assert Split(Part.PRIVATE, "salt", 0.7).size(10) == 7
    assert Split(Part.PUBLIC, "salt", 0.7).size(10) == 3
