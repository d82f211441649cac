"""Laws that hold for every scorer, on a gold file and systems scored against it.

A law is a function of a case that yields what breaks it, in words; nothing for a
scorer that keeps it. The tests of the engine run them on examples of every scorer, and
`python -m scoring laws` runs them for authors of scorers, without a test program.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np

from scoring.counts import Counts, Floats
from scoring.engine import (
    Job,
    Result,
    check,
    count,
    count_file,
    evaluate,
    examine,
    read_pair,
    summarise,
)
from scoring.errors import Problem, Refused, ScoringError, UsageError
from scoring.examples import spoil_some
from scoring.measures import Measure
from scoring.options import Options, Raw, parse
from scoring.report import as_json, details_csv
from scoring.scorer import Scorer
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from scoring.statistics.row_weights import Rows, slopes_of, weigh
from scoring.statistics.runs import value_of

PLAN = Plan(resamples=60, seed=7)
WHOLE = 2.0**53
SHARES = (0.3, 0.7)  # of wrong answers in copies of the gold
PLACES = 12  # of a file that is broken
SLACK = 1e-9
LEAST_NAME = 4  # letters of a label that is not a part of any word


@dataclass(frozen=True)
class Example:
    """A gold file, systems that can be scored against it, and raw option values.

    `options` is what `scoring.options.parse` takes: option name to given values.
    """

    gold: Source
    systems: Sequence[Source]
    options: Raw = field(default_factory=dict)

    def parse_options(self, scorer: Scorer) -> Options:
        """The options as the scorer's functions take them."""
        return parse(scorer.options, self.options)


def own_example(scorer: Scorer, raw: Raw | None = None) -> Example:
    """The example that the scorer shows on its page, and copies with mistakes where
    it can make some."""
    system = Source.of_bytes("example", scorer.example.encode())
    gold = Source.of_bytes("gold", scorer.example_gold.encode())
    if not scorer.example_gold:
        gold = replace(system, name="gold")
    systems = [system]
    options = raw or {}
    if scorer.spoil is not None:
        parsed = parse(scorer.options, options)
        copies = [spoil_some(scorer, gold, parsed, share, 1) for share in SHARES]
        systems += [
            replace(copy, name=f"copy-{number}") for number, copy in enumerate(copies)
        ]
    return Example(gold, systems, options)


@dataclass(frozen=True)
class Case:
    """One example of one scorer."""

    scorer: Scorer
    example: Example

    @property
    def options(self) -> Options:
        return self.example.parse_options(self.scorer)

    @cached_property
    def _counts_by_source(self) -> dict[int, Counts]:
        """Counts by the identity of the source: most laws ask for them."""
        return {}

    def counts(self, system: Source) -> Counts:
        if id(system) not in self._counts_by_source:
            self._counts_by_source[id(system)] = self.counts_of(system)
        return self._counts_by_source[id(system)]

    def counts_of(self, system: Source) -> Counts:
        """Counts of a file that nobody asks for again. Raises Refused."""
        options = self.options
        pair = read_pair(self.scorer, self.example.gold, system, options)
        return count(self.scorer, pair, options)

    def systems(self) -> Iterator[tuple[str, Counts]]:
        """The name of each system, and its counts."""
        for system in self.example.systems:
            yield system.name, self.counts(system)

    def report(self, counts: Counts) -> str:
        return as_json(summarise(self.scorer, counts, self.options, "", PLAN))

    @cached_property
    def _results_by_source(self) -> dict[int, Result]:
        """Results by the identity of the source."""
        return {}

    def result(self, system: Source) -> Result:
        if id(system) not in self._results_by_source:
            counts = self.counts(system)
            summary = summarise(self.scorer, counts, self.options, "", PLAN)
            self._results_by_source[id(system)] = summary
        return self._results_by_source[id(system)]

    @cached_property
    def broken_files(self) -> list[tuple[Source, list[Problem]]]:
        """Broken copies of the systems, with what is refused of them against gold."""
        gold = self.scorer.read_gold(self.example.gold, self.options)
        return [(file, _problems(self, file, gold)) for file in _broken_files(self)]

    def measures(self, counts: Counts) -> tuple[Measure, ...]:
        return self.scorer.measures(counts.columns)

    @cached_property
    def perfect(self) -> Source:
        return self.scorer.perfect(self.example.gold, self.options)

    @cached_property
    def blind(self) -> Source:
        return self.scorer.blind(self.example.gold, self.options)


Law = Callable[[Case], Iterator[str]]
LAWS: list[Law] = []


def law(function: Law) -> Law:
    """Mark a function as a law; its name is how the law reads."""
    LAWS.append(function)
    return function


def broken(case: Case) -> dict[str, list[str]]:
    """The laws that a scorer breaks, by name, with what was found; empty if none."""
    differences_of = {law.__name__: findings(law, case) for law in LAWS}
    return {
        name: differences for name, differences in differences_of.items() if differences
    }


def findings(law: Law, case: Case) -> list[str]:
    """Findings against one law; an error of the scorer is one."""
    try:
        return list(law(case))
    except ScoringError as error:
        return [f"{type(error).__name__}: {error}"]
    except Exception as error:
        # Whatever goes wrong in an author's code is told of that law, and of the next.
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = ""
        if where is not None:
            file, line = where.tb_frame.f_code.co_filename, where.tb_lineno
            place = f" ({file}, line {line})"
        return [f"{type(error).__name__}: {error}{place}"]


def checkable(scorer: Scorer) -> None:
    """Raises UsageError for a scorer that does not count by itself."""
    if scorer.runs_program or scorer.counted_elsewhere:
        message = f"{scorer.name} counts nothing by itself: laws are about counting"
        raise UsageError(Problem("laws", message))


@law
def nothing_beats_the_gold_itself(case: Case) -> Iterator[str]:
    best = case.counts(case.perfect)
    for name, counts in case.systems():
        for measure in case.measures(counts):
            ours, ideal = value_of(counts, measure), value_of(best, measure)
            if np.isnan(ours) or np.isnan(ideal):
                continue
            if ours > ideal if measure.higher_is_better else ours < ideal:
                yield f"{measure.name} of {name} is {ours}, of the gold itself {ideal}"


@law
def the_order_of_units_changes_no_byte(case: Case) -> Iterator[str]:
    for system in case.example.systems:
        counts = case.counts(system)
        order = np.random.default_rng(1).permutation(len(counts.units))
        shuffled = case.report(counts.where(order))
        yield from _other_lines(system.name, as_json(case.result(system)), shuffled)


def _other_lines(name: str, first: str, second: str) -> Iterator[str]:
    """The first line in which two reports differ."""
    if first == second:
        return
    pairs = zip(first.splitlines(), second.splitlines(), strict=False)
    one, other = next(((a, b) for a, b in pairs if a != b), ("more", "fewer lines"))
    yield f"{name}: first {one.strip()}, then {other.strip()}"


@law
def the_same_input_gives_the_same_bytes(case: Case) -> Iterator[str]:
    job = Job(case.scorer, case.options, "", PLAN)
    for system in case.example.systems:
        first = as_json(evaluate(job, case.example.gold, system))
        again = as_json(evaluate(job, case.example.gold, system))
        yield from _other_lines(system.name, first, again)
        pair = read_pair(case.scorer, case.example.gold, system, case.options)
        first, again = (
            details_csv(case.scorer.details(*pair, case.options)) for _ in range(2)
        )
        yield from _other_lines(f"details of {system.name}", first, again)


@law
def counts_are_whole_and_small_enough_to_be_exact(case: Case) -> Iterator[str]:
    for system in (case.perfect, *case.example.systems):
        counts = case.counts(system)
        for column, values in zip(counts.columns, counts.table.T, strict=True):
            if odd := values[values != np.rint(values)].tolist():
                yield f"{system.name}: {column} holds {odd[0]}: see fixed_point"
            if np.abs(values).sum() >= WHOLE:
                yield f"{system.name}: {column} adds up to more than 2 ** 53"


@law
def units_are_named_once_and_every_group_labels_each(case: Case) -> Iterator[str]:
    for name, counts in case.systems():
        if not counts.units:
            yield f"{name} has no units"
        if len(set(counts.units)) < len(counts.units):
            yield f"{name}: two units have one name"
        for group, labels in counts.groups.items():
            if len(labels) != len(counts.units):
                units = len(counts.units)
                yield f"{name}: {group} labels {len(labels)} of {units} units"


@law
def units_are_the_gold_files(case: Case) -> Iterator[str]:
    """All systems of a test set share their units, so that they share the draws."""
    expected = sorted(case.counts(case.perfect).units)
    for name, counts in case.systems():
        if sorted(counts.units) != expected:
            more, fewer = set(counts.units), set(expected)
            odd = sorted(more ^ fewer)[:3]
            yield f"{name} has other units than the gold: {', '.join(odd)}"


@law
def slices_are_the_gold_files(case: Case) -> Iterator[str]:
    """Every system has the same units in the slice of a label, and no infinite value
    there."""
    expected = _labels(case.counts(case.perfect))
    for name, counts in case.systems():
        labels = _labels(counts)
        if labels != expected:
            groups = ", ".join(sorted({group for group, _ in labels ^ expected}))
            yield f"{name} has other slices than the gold: {groups}"
        for of in counts.groups.values():
            for label in dict.fromkeys(of):
                part = counts.where(np.array(of) == label)
                for measure in case.measures(counts):
                    if np.isinf(value_of(part, measure)):
                        yield f"{measure.name} of {name} is infinite in {label}"


def _labels(counts: Counts) -> set[tuple[str, tuple[str, str]]]:
    """Each unit with its label, by grouping."""
    return {
        (group, of)
        for group, labels in counts.groups.items()
        for of in zip(counts.units, labels, strict=True)
    }


@law
def all_resamples_at_once_equal_one_by_one(case: Case) -> Iterator[str]:
    for name, counts in case.systems():
        rows = np.stack([counts.table, counts.table[::-1]])
        for measure in case.measures(counts):
            together = measure.of(rows, counts.columns)
            alone = [[measure.of(r, counts.columns) for r in half] for half in rows]
            if not np.array_equal(together, np.array(alone), equal_nan=True):
                yield f"{measure.name} of {name} depends on what is computed beside it"


def _weighted_measures(case: Case) -> Iterator[tuple[Measure, Floats]]:
    """Measures that are no function of sums, with the rows of each system."""
    for _name, counts in case.systems():
        for measure in case.measures(counts):
            if measure.weighted is not None:
                yield measure, Rows.of([counts], measure).tables[0]


@law
def weights_of_rows_at_once_equal_one_by_one_and_copies_of_rows(
    case: Case,
) -> Iterator[str]:
    for measure, table in _weighted_measures(case):
        weights = np.random.default_rng(1).integers(0, 3, (5, len(table)))
        weights[0] = 1
        together = weigh(measure, weights.astype(np.float64), table)
        for row, value in zip(weights, together.tolist(), strict=True):
            alone = weigh(measure, row[None].astype(np.float64), table)
            copies = np.repeat(table, row, axis=0)
            each = weigh(measure, np.ones((1, len(copies))), copies)
            pair = np.array([alone[0], each[0]])
            if not np.array_equal(pair, [value, value], equal_nan=True):
                yield (
                    f"{measure.name} is {value} among other weights, {pair[0]} alone, "
                    f"{pair[1]} of copies of the rows"
                )


@law
def slopes_are_those_of_small_steps(case: Case) -> Iterator[str]:
    for measure, table in _weighted_measures(case):
        if measure.slopes is not None:
            weights = np.random.default_rng(1).integers(1, 3, len(table)) / 2
            slopes = slopes_of(measure, weights, table)
            expected = slopes_of(replace(measure, slopes=None), weights, table)
            if not np.allclose(slopes, expected, atol=1e-6, equal_nan=True):
                yield f"{measure.name}: {slopes[:3]}, by small steps {expected[:3]}"


@law
def nothing_is_infinite(case: Case) -> Iterator[str]:
    for system in (case.perfect, *case.example.systems):
        counts = case.counts(system)
        nothing = np.zeros(len(counts.columns))
        for measure in case.measures(counts):
            values = [
                np.asarray(measure.of(totals, counts.columns)).ravel()
                for totals in (counts.totals, counts.table, nothing)
            ]
            single = measure.over(counts.columns)
            rows = Rows.of([counts], single)
            for weight in (0.0, 1.0):
                weights = np.full((1, len(counts.units)), weight)
                values.append(np.asarray(rows.weigh_blocks(single, [weights])).ravel())
            if np.isinf(np.concatenate(values)).any():
                yield f"{measure.name} of {system.name} is infinite: make it nan"
        if "Infinity" in as_json(case.result(system)):
            yield f"the report of {system.name} has an infinite number"


@law
def no_units_give_a_report_without_any_interval(case: Case) -> Iterator[str]:
    counts = case.counts(case.example.systems[0])
    nothing = counts.where(np.zeros(len(counts.units), dtype=np.bool_))
    report = json.loads(case.report(nothing))
    if report["units"] != 0 or "0 units bear on" not in " ".join(report["remarks"][:1]):
        yield f"{report['units']} units, remarked: {report['remarks']}"
    for name, estimate in report["measures"].items():
        if estimate["value"] is not None and estimate["variance"] not in (0, None):
            yield f"{name} has the variance {estimate['variance']}"
        if not (estimate["low"] is estimate["high"] is None):
            yield f"{name} has an interval: {estimate['low']} to {estimate['high']}"


@law
def no_interval_has_no_width(case: Case) -> Iterator[str]:
    """Not even where all is right, or all wrong: other units may differ."""
    for system in (case.perfect, *case.example.systems):
        for name, one in case.result(system).measures.items():
            if one.low is not None and one.low == one.high:
                yield f"{name} of {system.name} is {one.value} [{one.low}, {one.high}]"


@law
def stored_counts_give_the_same_report(case: Case) -> Iterator[str]:
    for system in case.example.systems:
        stored = case.report(Counts.load(case.counts(system).save()))
        yield from _other_lines(system.name, as_json(case.result(system)), stored)


@law
def coarser_units_keep_every_value(case: Case) -> Iterator[str]:
    counts = case.counts(case.example.systems[0])
    for unit in case.scorer.units[1:]:
        if unit not in counts.groups:
            continue
        coarse = counts.by(unit, keep_rows=True)
        if coarse.totals.tolist() != counts.totals.tolist():
            yield f"by {unit} the counts add up to something else"
        for measure in case.measures(counts):
            values = value_of(coarse, measure), value_of(counts, measure)
            if values[0] != values[1] and not np.isnan(values).all():
                yield f"{measure.name} is {values[1]}, by {unit} {values[0]}"


@law
def an_empty_file_is_refused_or_scored(case: Case) -> Iterator[str]:
    """Never a traceback; where it is scored, nothing in it was right."""
    empty = Source.of_bytes("empty", b"")
    try:
        pair = read_pair(case.scorer, case.example.gold, empty, case.options)
        counts = count(case.scorer, pair, case.options)
    except Refused as refusal:
        if refusal.problems[0].file != "empty":
            yield f"the refusal names the file '{refusal.problems[0].file}'"
        return
    headline = case.scorer.measure(case.scorer.headline, counts.columns)
    value = value_of(counts, headline)
    if not (np.isnan(value) or value == 0):
        yield f"{headline.name} of an empty file is {value}"


@law
def the_check_against_the_blind_file_accepts_what_is_scored(
    case: Case,
) -> Iterator[str]:
    for system in case.example.systems:
        for problem in check(case.scorer, case.blind, system, case.options):
            yield f"{system.name}: {problem.message}"


@law
def an_answer_that_says_nothing_is_never_silent(case: Case) -> Iterator[str]:
    """The blind file itself, and an empty one, are refused or asked about; beside a
    score of an empty file it is told that nothing was in it."""
    for source in (replace(case.blind, name="blind"), Source.of_bytes("empty", b"")):
        verdict = examine(case.scorer, case.blind, source, case.options)
        if not (verdict.problems or verdict.doubts):
            yield f"the {source.name} file is accepted, and nobody is asked"
        remarks: list[str] = []
        job = Job(case.scorer, case.options)
        gold = case.scorer.read_gold(case.example.gold, case.options)
        try:
            count_file(job, gold, source, remarks)
        except Refused:
            continue
        if source.name == "empty" and not remarks:
            yield "an empty file is scored without a remark"


@law
def remarks_for_teams_name_no_label_of_the_gold_alone(case: Case) -> Iterator[str]:
    scorer, options = case.scorer, case.options
    gold = scorer.read_gold(case.example.gold, options)
    for system in case.example.systems:
        remarks: list[str] = []
        count_file(Job(scorer, options), gold, system, remarks)
        text = " ".join(remarks)
        read = scorer.read_system(system, options, gold)
        theirs = scorer.labels(read, options)
        for kind, labels in scorer.labels(gold, options).items():
            for label in {*labels} - {*theirs.get(kind, ())}:
                if len(label) >= LEAST_NAME and label in text:
                    yield f"{system.name}: '{label}' stands in '{text}'"


def _broken_copies(data: bytes) -> Iterator[bytes]:
    """Broken copies: lines lost, doubled, cut short, swapped, made of junk."""
    lines = data.split(b"\n")
    yield from (data[: len(data) // 2], data + data, b"junk \xff", data.upper())
    for i in range(0, len(lines), max(1, len(lines) // PLACES)):
        before, after = lines[:i], lines[i + 1 :]
        half = lines[i][: len(lines[i]) // 2]
        for instead in ([], [lines[i]] * 2, [half], [b"?\t?"]):
            yield b"\n".join([*before, *instead, *after])


def _broken_files(case: Case) -> Iterator[Source]:
    for system in case.example.systems:
        for name, data in system.files.items():
            for copy in _broken_copies(data):
                yield Source(system.name, {**system.files, name: copy})


@law
def repeating_an_answer_raises_no_score(case: Case) -> Iterator[str]:
    """Nobody wins by format: lines, members of lists and parts of cells are written
    twice, or with alternatives beside them. A file that is then refused is fine,
    too."""
    for system in case.example.systems:
        before = case.counts(system)
        for name, data in system.files.items():
            for copy in _copies_with_repeats(data):
                twice = Source(system.name, {**system.files, name: copy})
                try:
                    after = case.counts_of(twice)
                except Refused:
                    continue
                yield from _scores_that_rose(case, system.name, (before,), after)


@law
def two_answers_are_no_better_than_the_better_one(case: Case) -> Iterator[str]:
    """Nobody wins by offering all that two systems say, line for line: such a file is
    refused, or scores no higher than the better of the two."""
    alone = [system for system in case.example.systems if len(system.files) == 1]
    for system, other in permutations(alone, 2):
        for copy in _copies_with_lines_of(system.single(), other.single()):
            try:
                after = case.counts_of(Source.of_bytes(system.name, copy))
            except Refused:
                continue
            before = case.counts(system), case.counts(other)
            yield from _scores_that_rose(case, system.name, before, after)


def _copies_with_lines_of(data: bytes, other: bytes) -> Iterator[bytes]:
    """Copies with the other file's lines behind all of its own, and each behind its
    own. Files of another number of lines answer other units, or in another form."""
    own, more = (file.splitlines(keepends=True) for file in (data, other))
    if len(own) != len(more) or own == more:
        return
    header = own[:1] if own[0] == more[0] else []
    start = len(header)
    yield b"".join([*own, *more[start:]])
    pairs = zip(own[start:], more[start:], strict=True)
    yield b"".join([*header, *(line for pair in pairs for line in pair)])


def _copies_with_repeats(data: bytes) -> Iterator[bytes]:
    """Copies of a file in which lines, parts of a cell, dependencies of a word, members
    of a list or the edits of a sentence (as another annotator's) stand twice, or
    beside others that nobody asked for."""
    first, *lines = data.splitlines(keepends=True) or [b""]
    yield b"".join([first, *(line * 2 for line in lines)])
    yield data + b"".join(lines)
    for between in (rb"\g<0>|\g<0>", rb"\g<0>;\g<0>", rb"\g<0>|zz", rb"\g<0>;zz"):
        yield re.sub(rb"(?<=[\t,])[^\s,|;]+(?=[\t\n])", between, data)
    for among in (rb"\g<0>|\g<0>", rb"\g<0>|\g<0>:x|\g<0>:y"):
        yield re.sub(rb"(?<=[\t|])\d+:[^\s|]+", among, data)
    if data.startswith(b"{"):
        yield LISTS.sub(rb"[\1, \1]", data)
        yield LISTS.sub(_with_others, data)
    yield re.sub(rb"(?m)^(A .*\|\|\|)\d+$", rb"\g<0>\n\g<1>9", data)
    yield re.sub(rb"(?m)^(A (?:[^|\n]*\|\|\|){2})(.*)$", rb"\g<0>\n\1zz\2", data)


LISTS = re.compile(rb"\[([^\[\]]+)\]")


def _with_others(match: re.Match[bytes]) -> bytes:
    """The members of a list, and each with other words."""
    others = re.sub(rb'"(?!\s*:)(?=\s*[,}\]]|$)', b'zz"', match[1])
    return b"[" + match[1] + b", " + others + b"]"


def _scores_that_rose(
    case: Case, name: str, before: Sequence[Counts], after: Counts
) -> Iterator[str]:
    """Measures that are better than in each of the files before."""
    for measure in case.measures(before[0]):
        counts = (*before, after)
        if not all(set(measure.columns) <= set(table.columns) for table in counts):
            continue
        sign = 1 if measure.higher_is_better else -1
        *were, now = (sign * value_of(table, measure) for table in counts)
        if now > max(were) + SLACK:
            values = f"{sign * max(were)}, with repeats {sign * now}"
            yield f"{measure.name} of {name} is {values}"


def _problems(case: Case, system: Source, against: Any) -> list[Problem]:
    try:
        case.scorer.read_system(system, case.options, against)
    except Refused as refusal:
        return list(refusal.problems)
    return []


@law
def a_refusal_says_nothing_that_the_blind_file_does_not_show(
    case: Case,
) -> Iterator[str]:
    """Against gold the words of the blind file or fewer: no answer can be in them.

    Fewer where the blind file asks for more than the gold has answers for.
    """
    blind = case.scorer.read_blind(case.blind, case.options)
    for source, problems in case.broken_files:
        blind_problems = _problems(case, source, blind)
        for problem in problems:
            if problem not in blind_problems:
                yield f"only against gold: {problem.message}"


@law
def what_can_be_read_can_be_counted(case: Case) -> Iterator[str]:
    gold = case.scorer.read_gold(case.example.gold, case.options)
    for source, problems in case.broken_files:
        if problems:
            continue
        read = case.scorer.read_system(source, case.options, gold)
        if not case.scorer.count(gold, read, case.options).columns:
            yield f"a broken copy of {source.name} is read, and has no counts"
