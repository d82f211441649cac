"""Laws that hold for every registered scorer, on the examples beside them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from scoring import Job, Plan, Refused, Source, check, evaluate
from scoring.counts import Counts, Floats
from scoring.engine import count, read_pair, summarise
from scoring.measures import Measure
from scoring.options import Options
from scoring.report import as_json, details_csv
from scoring.scorer import Scorer
from scoring.statistics.runs import value_of
from scoring.statistics.weighing import Rows, slopes_of, weigh
from tests.scoring.examples import Example, all_examples, counting_scorers

PLAN = Plan(resamples=60, seed=7)
WHOLE = 2.0**53


@dataclass(frozen=True)
class Case:
    """One example of one scorer."""

    scorer: Scorer
    example: Example

    @property
    def options(self) -> Options:
        return self.example.parsed(self.scorer)

    def counts(self, system: Source) -> Counts:
        options = self.options
        pair = read_pair(self.scorer, self.example.gold, system, options)
        return count(self.scorer, pair, options)

    def report(self, counts: Counts) -> str:
        return as_json(summarise(self.scorer, counts, self.options, "", PLAN))

    def measures(self, counts: Counts) -> tuple[Measure, ...]:
        return self.scorer.measures(counts.columns)

    @property
    def perfect(self) -> Source:
        return self.scorer.perfect(self.example.gold, self.options)

    @property
    def blind(self) -> Source:
        return self.scorer.blind(self.example.gold, self.options)


@cache
def cases() -> dict[str, Case]:
    return {
        f"{name}-{number}": Case(scorer, example)
        for name, scorer in counting_scorers().items()
        for number, example in enumerate(all_examples().get(name, ()), 1)
    }


@pytest.fixture(params=cases())
def case(request: pytest.FixtureRequest) -> Case:
    return cases()[request.param]


def test_every_scorer_has_examples() -> None:
    examples = all_examples()
    assert [name for name in counting_scorers() if not examples.get(name)] == []


def test_every_example_has_a_scorer_and_systems() -> None:
    for name, examples in all_examples().items():
        assert name in counting_scorers()
        assert all(example.systems for example in examples)


def test_nothing_beats_the_gold_itself(case: Case) -> None:
    best = case.counts(case.perfect)
    for system in case.example.systems:
        counts = case.counts(system)
        for measure in case.measures(counts):
            ours, ideal = value_of(counts, measure), value_of(best, measure)
            if np.isnan(ours) or np.isnan(ideal):
                continue
            if measure.higher_is_better:
                assert ours <= ideal, measure.name
            else:
                assert ours >= ideal, measure.name


def test_the_order_of_units_changes_no_byte(case: Case) -> None:
    for system in case.example.systems:
        counts = case.counts(system)
        order = np.random.default_rng(1).permutation(len(counts.units))
        assert case.report(counts.where(order)) == case.report(counts)


def test_the_same_input_gives_the_same_bytes(case: Case) -> None:
    job = Job(case.scorer, case.options, "", PLAN)
    for system in case.example.systems:
        first = as_json(evaluate(job, case.example.gold, system))
        assert as_json(evaluate(job, case.example.gold, system)) == first
        pair = read_pair(case.scorer, case.example.gold, system, case.options)
        details = [
            details_csv(case.scorer.details(*pair, case.options)) for _ in range(2)
        ]
        assert details[0] == details[1]


def test_counts_are_whole_and_small_enough_to_be_exact(case: Case) -> None:
    for system in (case.perfect, *case.example.systems):
        table = case.counts(system).table
        assert np.array_equal(table, np.rint(table))
        assert np.abs(table).sum(axis=0).max(initial=0) < WHOLE


def test_units_are_named_once_and_every_group_labels_each(case: Case) -> None:
    for system in case.example.systems:
        counts = case.counts(system)
        assert len(set(counts.units)) == len(counts.units) > 0
        for labels in counts.groups.values():
            assert len(labels) == len(counts.units)


def test_units_are_the_gold_files(case: Case) -> None:
    """All systems of a test set share their units, so that they share the draws."""
    expected = sorted(case.counts(case.perfect).units)
    for system in case.example.systems:
        assert sorted(case.counts(system).units) == expected


def test_all_resamples_at_once_equal_one_by_one(case: Case) -> None:
    for system in case.example.systems:
        counts = case.counts(system)
        rows = np.stack([counts.table, counts.table[::-1]])
        for measure in case.measures(counts):
            together = measure.of(rows, counts.columns)
            alone = [[measure.of(r, counts.columns) for r in half] for half in rows]
            assert np.array_equal(together, np.array(alone), equal_nan=True)


def weighed(case: Case) -> Iterator[tuple[Measure, Floats]]:
    """Measures that are no function of sums, with the rows of each system."""
    for system in case.example.systems:
        counts = case.counts(system)
        for measure in case.measures(counts):
            if measure.weighted is not None:
                yield measure, Rows.of([counts], measure).tables[0]


def test_weights_of_rows_at_once_equal_one_by_one_and_copies_of_rows(
    case: Case,
) -> None:
    for measure, table in weighed(case):
        weights = np.random.default_rng(1).integers(0, 3, (5, len(table)))
        weights[0] = 1
        together = weigh(measure, weights.astype(np.float64), table)
        for row, value in zip(weights, together.tolist(), strict=True):
            alone = weigh(measure, row[None].astype(np.float64), table)
            copies = np.repeat(table, row, axis=0)
            each = weigh(measure, np.ones((1, len(copies))), copies)
            found = np.array([alone[0], each[0]])
            assert np.array_equal(found, [value, value], equal_nan=True), measure.name


def test_slopes_are_those_of_small_steps(case: Case) -> None:
    for measure, table in weighed(case):
        if measure.slopes is not None:
            weights = np.random.default_rng(1).integers(1, 3, len(table)) / 2
            found = slopes_of(measure, weights, table)
            expected = slopes_of(replace(measure, slopes=None), weights, table)
            assert np.allclose(found, expected, atol=1e-6, equal_nan=True)


def test_nothing_is_infinite(case: Case) -> None:
    for system in (case.perfect, *case.example.systems):
        counts = case.counts(system)
        nothing = np.zeros(len(counts.columns))
        for measure in case.measures(counts):
            for totals in (counts.totals, counts.table, nothing):
                assert not np.isinf(measure.of(totals, counts.columns)).any()
            single = measure.over(counts.columns)
            rows = Rows.of([counts], single)
            for weight in (0.0, 1.0):
                weights = np.full((1, len(counts.units)), weight)
                assert not np.isinf(rows.weighed(single, [weights])).any()
        assert "Infinity" not in case.report(counts)


def test_no_units_give_a_report_without_any_interval(case: Case) -> None:
    counts = case.counts(case.example.systems[0])
    nothing = counts.where(np.zeros(len(counts.units), dtype=np.bool_))
    found = json.loads(case.report(nothing))
    assert found["units"] == 0
    assert "0 units bear on" in found["remarks"][0]
    for estimate in found["measures"].values():
        assert estimate["value"] is None or estimate["variance"] in (0, None)
        assert estimate["low"] is estimate["high"] is None


def test_stored_counts_give_the_same_report(case: Case) -> None:
    for system in case.example.systems:
        counts = case.counts(system)
        assert case.report(Counts.load(counts.save())) == case.report(counts)


def test_coarser_units_keep_every_value(case: Case) -> None:
    counts = case.counts(case.example.systems[0])
    for unit in case.scorer.units[1:]:
        if unit not in counts.groups:
            continue
        coarse = counts.by(unit, keep_rows=True)
        assert coarse.totals.tolist() == counts.totals.tolist()
        for measure in case.measures(counts):
            values = value_of(coarse, measure), value_of(counts, measure)
            assert values[0] == values[1] or np.isnan(values).all()


def test_an_empty_file_is_refused_or_scored(case: Case) -> None:
    """Never a traceback; where it is scored, nothing in it was right."""
    empty = Source.of_bytes("empty", b"")
    try:
        counts = case.counts(empty)
    except Refused as refusal:
        assert refusal.problems[0].file == "empty"
    else:
        headline = case.scorer.measure(case.scorer.headline, counts.columns)
        value = value_of(counts, headline)
        assert np.isnan(value) or value == 0


def test_the_check_against_the_blind_file_accepts_what_is_scored(case: Case) -> None:
    for system in case.example.systems:
        assert list(check(case.scorer, case.blind, system, case.options)) == []


def mangled(data: bytes) -> list[bytes]:
    """Broken copies: lines lost, doubled, cut short, swapped, made of junk."""
    lines = data.split(b"\n")
    found = [data[: len(data) // 2], data + data, b"junk \xff", data.upper()]
    for i in range(0, len(lines), max(1, len(lines) // 12)):
        rest = lines[:i], lines[i + 1 :]
        for instead in (
            [],
            [lines[i]] * 2,
            [lines[i][: len(lines[i]) // 2]],
            [b"?\t?"],
        ):
            found.append(b"\n".join([*rest[0], *instead, *rest[1]]))
    return found


def problems(case: Case, system: Source, against: Any) -> list[Any]:
    try:
        case.scorer.read_system(system, case.options, against)
    except Refused as refusal:
        return list(refusal.problems)
    return []


def test_a_refusal_says_nothing_that_the_blind_file_does_not_show(case: Case) -> None:
    """Against gold the words of the blind file or fewer: no answer can be in them.

    Fewer where the blind file asks for more than the gold has answers for.
    """
    gold = case.scorer.read_gold(case.example.gold, case.options)
    blind = case.scorer.read_blind(case.blind, case.options)
    for system in case.example.systems:
        for name, data in system.files.items():
            for broken in mangled(data):
                source = Source(system.name, {**system.files, name: broken})
                found = problems(case, source, gold)
                shown = problems(case, source, blind)
                assert [one for one in found if one not in shown] == []


def test_what_can_be_read_can_be_counted(case: Case) -> None:
    gold = case.scorer.read_gold(case.example.gold, case.options)
    for system in case.example.systems:
        for name, data in system.files.items():
            for broken in mangled(data):
                source = Source(system.name, {**system.files, name: broken})
                if problems(case, source, gold):
                    continue
                read = case.scorer.read_system(source, case.options, gold)
                counts = case.scorer.count(gold, read, case.options)
                assert counts.columns
