"""Values of units that were counted elsewhere: by judges, or a metric of one's own.

A table has a line for each unit, or, with a column `judge`, for each unit and judge:
`id`, and the columns that the task's measures are made of. An empty cell is no value.
A unit's value is the mean of its judges' values.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np

from scoring.counts import (
    ELSEWHERE,
    GIVEN,
    Counts,
    Flags,
    Floats,
    Integers,
    JudgeCells,
)
from scoring.errors import Findings, Problem, Refused, UsageError
from scoring.formats import records
from scoring.formats.records import Records, some_names
from scoring.measures import Measure
from scoring.messages import Messages, _
from scoring.scorer import Scorer
from scoring.source import Source, brief, list_names
from scoring.statistics.agreement import alpha
from scoring.vocabulary import (
    LARGEST,
    DeclaredMeasure,
    columns_of,
    count_units,
    declared_measures,
    limits_of,
    models_of,
    outside_limits,
)

MESSAGES = Messages(
    of=_("%(whose)s: %(problem)s"),
    repeated_unit=_("unit '%(unit)s' was judged in line %(line)s already."),
    repeated_vote=_(
        "unit '%(unit)s' was judged by judge '%(judge)s' in line %(line)s already."
    ),
    no_values=_("the table gives no unit any value."),
    missing_unit=_("%(count)s of %(all)s units has no line: %(units)s."),
    missing_units=_("%(count)s of %(all)s units have no line: %(units)s."),
    no_columns=_("measure '%(measure)s' says of no columns how it is computed"),
    write_formula=_("Write a formula, as in: %(measure)s = mean(%(measure)s)"),
    other_meaning=_("measure '%(measure)s': a column '%(column)s' has another meaning"),
    name_otherwise=_("Name it otherwise."),
    beside_program=_("judgements cannot stand beside a scoring program"),
    other_scorer=_("Take the scorer 'table', or one that counts by itself."),
    own_measure=_("the scorer has a measure '%(measure)s' of its own"),
    no_column=_("no column '%(column)s' found; there are: %(columns)s."),
    expected_columns=_("Expected: %(columns)s, and %(judge)s where there are several."),
    unused_column=_("no measure of the task uses a column '%(column)s'."),
    used_columns=_("They use: %(columns)s. Leave other columns out."),
    unknown_unit=_("there is no unit '%(unit)s'."),
    judge_units=_("Judge the units of the list that comes with the files."),
    judge=_("expected a name or number of the judge."),
    judge_column=_("Add a column '%(column)s' if several judged it."),
    no_number=_("'%(column)s': expected a number, found '%(text)s'."),
    write_numbers=_("Write numbers as 0.75 or 4, and leave a cell without any empty."),
    too_large=_("'%(column)s': %(text)s is too large to be summed exactly."),
    scale_values=_("Scale the values."),
    as_declared=_("The task declares that for its measures."),
    give_each_unit=_(
        "Give every unit a line; leave cells empty where there is no value."
    ),
)

Found = TypeVar("Found")
# The least and the largest value of a unit, by column
Limits = Mapping[str, tuple[float, float]]
NO_LIMITS: Limits = {}
ID, JUDGE = "id", "judge"
# Columns that say whose values a line holds.
SUBMISSION, TEST_SET, RUN = "submission", "test_set", "run"
PLACES = (SUBMISSION, TEST_SET, RUN)
RESERVED = (ID, JUDGE, *PLACES)
LONGEST_JUDGE = 80
SHOWN_UNITS = 5


@dataclass(frozen=True)
class Units:
    """Names of units (n,) and each one's label by grouping."""

    names: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Judgements:
    """Rows (r,) of a table: the unit of each, its judge, and values, nan for none.

    What stands in the columns `models` nobody judged who could be another person.
    """

    units: tuple[str, ...]
    unit_of: Integers
    judges: Sequence[str]
    values: Mapping[str, Floats]
    models: Collection[str] = ()

    def means(self) -> dict[str, Floats]:
        """The mean of each unit's values (n,) by column, nan without any. The order of
        the rows changes nothing: numbers are added in the order of their size."""
        return {name: self._mean(values) for name, values in self.values.items()}

    def _mean(self, values: Floats) -> Floats:
        order = np.lexsort((values, self.unit_of))
        order = order[~np.isnan(values[order])]
        unit_of, n = self.unit_of[order], len(self.units)
        sums = np.bincount(unit_of, weights=values[order], minlength=n)
        sizes = np.bincount(unit_of, minlength=n)
        means = np.full(n, np.nan)
        np.divide(sums, sizes, out=means, where=sizes > 0)
        return means

    def cells(self, prefix: str = "") -> JudgeCells | None:
        """Cells of each judge beside what is counted of these units, under columns with
        a prefix; None where fewer than two judged. Without a judge the values of models
        stay as they are, so no cell has a part of them."""
        judged = np.flatnonzero(self.by_people())
        names = sorted({self.judges[row] for row in judged.tolist()})
        if len(names) < 2:
            return None
        place = {name: i for i, name in enumerate(names)}
        judge_of = np.array(
            [place[self.judges[row]] for row in judged.tolist()], dtype=np.int64
        )
        order = np.lexsort((judge_of, self.unit_of[judged]))
        rows, columns = judged[order], {}
        unit_of = self.unit_of[rows]
        for name, values in self.values.items():
            given = ~np.isnan(values[rows])
            if name in self.models:
                given[:] = False
            sizes = np.bincount(unit_of[given], minlength=len(self.units))
            shares = np.where(given, 1 / np.maximum(sizes[unit_of], 1), 0.0)
            columns[prefix + name] = np.where(given, values[rows], 0.0) * shares
            columns[prefix + GIVEN + name] = shares
        return JudgeCells(
            tuple(_digest(name) for name in names),
            unit_of,
            judge_of[order],
            np.zeros_like(unit_of),
            tuple(columns),
            np.stack([*columns.values()], axis=1),
        )

    def by_people(self) -> Flags:
        """Flags of the rows (r,) that people have to do with: of all but those in
        which models alone have a value."""
        by_model = np.zeros(len(self.judges), dtype=np.bool_)
        by_others = np.zeros(len(self.judges), dtype=np.bool_)
        for name, values in self.values.items():
            flags = by_model if name in self.models else by_others
            flags |= ~np.isnan(values)
        return by_others | ~by_model

    def judged_units(self) -> dict[str, int]:
        """How many units have a value, by column."""
        return {name: int((~np.isnan(m)).sum()) for name, m in self.means().items()}

    def agreement(self) -> dict[str, float | None]:
        """Krippendorff's alpha of the judges by column, None where there is none."""
        return {name: alpha(self.unit_of, v) for name, v in self.values.items()}


def _digest(name: str) -> str:
    """A name for a judge in counts, where people's names have no place."""
    return sha256(name.encode()).hexdigest()[:16]


def measures_of(lines: Iterable[str]) -> tuple[DeclaredMeasure, ...]:
    """The measures that lines declare. Raises UsageError, also for one that no column
    of a table could give."""
    measures = declared_measures(lines, of_judgements=True)
    problems = []
    for measure in measures:
        if measure.of_file:
            message = MESSAGES("no_columns", measure=measure.name)
            hint = MESSAGES("write_formula", measure=measure.name)
            problems.append(Problem("measure", message, hint=hint))
        for word in filter(
            None, ("optional" * measure.optional, "key" * bool(measure.key))
        ):
            message = f"measure '{measure.name}': '{word}' is for scoring programs"
            problems.append(Problem("measure", message, hint="Leave it out."))
        for name in sorted({*measure.columns} & {*RESERVED}):
            message = MESSAGES("other_meaning", measure=measure.name, column=name)
            problems.append(
                Problem("measure", message, hint=MESSAGES("name_otherwise"))
            )
    if problems:
        raise UsageError(problems)
    return measures


def with_judgements(scorer: Scorer, lines: Sequence[str]) -> Scorer:
    """The scorer with measures of judgements beside its own.

    Raises UsageError for a line that cannot be read, or with a measure's name.
    """
    if not lines:
        return scorer
    if scorer.runs_program:
        message = MESSAGES("beside_program")
        hint = MESSAGES("other_scorer")
        raise UsageError(Problem("measure", message, hint=hint))
    added = [_apart(declared.measure) for declared in measures_of(lines)]
    own = {measure.name for measure in scorer.measures(())}
    if taken := [measure.name for measure in added if measure.name in own]:
        message = MESSAGES("own_measure", measure=taken[0])
        raise UsageError(Problem("measure", message, hint=MESSAGES("name_otherwise")))
    return replace(scorer, fixed_measures=(*scorer.fixed_measures, *added))


def _apart(measure: Measure) -> Measure:
    """The measure on columns of judgements, which no column of a scorer is called.

    Without any value it is n/a: a system that nobody judged has no sum of 0.
    """
    given = GIVEN + measure.columns[0]
    columns = (*measure.columns, given)

    def score(*values: Floats) -> Floats:
        return np.where(values[-1] > 0, measure.score(*values[:-1]), np.nan)

    return replace(
        measure,
        columns=tuple(ELSEWHERE + c for c in columns),
        score=score,
        share=_without_last(measure.share),
        sizes=_without_last(measure.sizes),
        reach=_without_last(measure.reach),
    )


def _without_last(of: Callable[..., Found] | None) -> Callable[..., Found] | None:
    """The same function for columns with one more, which it has no use for."""
    return None if of is None else lambda *values: of(*values[:-1])


def with_table(counts: Counts, source: Source, lines: Sequence[str]) -> Counts:
    """Counts with the columns of a table beside them. Raises Refused.

    Units that the table leaves out have no value.
    """
    units = Units(counts.units)
    measures = measures_of(lines)
    judged = read(
        source,
        units,
        columns_of(measures),
        models=models_of(measures),
        limits=limits_of(measures),
        complete=False,
    )
    more = count_units(counts.units, judged.means())
    names = tuple(ELSEWHERE + name for name in more.columns)
    table = np.hstack([counts.table, more.table])
    columns = (*counts.columns, *names)
    return replace(counts, columns=columns, table=table, judged=judged.cells(ELSEWHERE))


def read(
    source: Source,
    units: Units,
    columns: Sequence[str],
    *,
    models: Collection[str] = (),
    limits: Limits = NO_LIMITS,
    complete: bool = True,
) -> Judgements:
    """The judgements of one system. Raises Refused with every line that is wrong, also
    for a value outside of the `limits` of its column; units without a line are wrong
    where the table has to be `complete`."""
    findings = Findings(source.name)
    table = in_own_names(records.read(source, findings, Refused), columns)
    check_columns(table, columns, findings, ())
    findings.raise_if_any(Refused)
    rows = np.arange(len(table))
    judgements = judgements_of_rows(
        table,
        rows,
        units,
        columns,
        findings,
        models=models,
        limits=limits,
        complete=complete,
    )
    findings.raise_if_any(Refused)
    return judgements


def in_own_names(table: Records, columns: Sequence[str]) -> Records:
    """The table with the names of columns that are written in other capitals."""
    wanted = {name.lower(): name for name in (*PLACES, JUDGE, ID, *columns)}
    names = [wanted.get(name.lower(), name) for name in table.columns]
    if names == [*table.columns] or len({*names}) < len(names):
        return table
    cells = zip(names, table.columns.values(), strict=True)
    return replace(table, columns=dict(cells))


def check_columns(
    table: Records, columns: Sequence[str], findings: Findings, places: Sequence[str]
) -> None:
    """Note columns that are missing, or that nothing is made of but `places`."""
    line = None if table.kind == "jsonl" else 1
    expected = (ID, *columns)
    there = some_names(list(table.columns))
    for name in expected:
        if name not in table.columns:
            message = MESSAGES("no_column", column=name, columns=there)
            hint = MESSAGES(
                "expected_columns", columns=", ".join(expected), judge=JUDGE
            )
            findings.add("header", message, line=line, hint=hint)
    for name in table.columns:
        if name not in (*expected, JUDGE, *places):
            message = MESSAGES("unused_column", column=brief(name, 40))
            hint = MESSAGES("used_columns", columns=", ".join(columns))
            findings.add("header", message, line=line, hint=hint)


def judgements_of_rows(
    table: Records,
    rows: Integers,
    units: Units,
    columns: Sequence[str],
    findings: Findings,
    *,
    models: Collection[str],
    limits: Limits,
    complete: bool,
    whose: str = "",
) -> Judgements:
    """The judgements in some rows of a table whose columns are right; `whose` they are
    is said of what no line shows."""
    places = {name: i for i, name in enumerate(units.names)}
    lines = table.lines
    ids, judges = table.columns[ID], table.columns.get(JUDGE)
    unit_of = np.zeros(len(rows), dtype=np.int64)
    is_known = np.ones(len(rows), dtype=bool)
    names = ["" if judges is None else text_in(judges[row]) for row in rows.tolist()]
    values = {
        name: _numbers(table, name, rows, len(units.names), limits, findings)
        for name in columns
    }
    judgements = Judgements(units.names, unit_of, names, values, models)
    by_people = judgements.by_people()
    seen: dict[tuple[str, str], int] = {}
    for i, row in enumerate(rows.tolist()):
        line = int(lines[row])
        unit, judge = text_in(ids[row]), names[i]
        unit_of[i] = places.get(unit, 0)
        is_known[i] = unit in places
        if not is_known[i]:
            message = MESSAGES("unknown_unit", unit=brief(unit))
            hint = MESSAGES("judge_units")
            findings.add("unknown_unit", message, line=line, hint=hint)
        elif judges is not None and not _names_judge(judge, or_nobody=not by_people[i]):
            message = MESSAGES("judge")
            findings.add("judge", message, line=line, unit=brief(unit))
        elif (before := seen.setdefault((unit, judge), line)) != line:
            about: dict[str, Any] = {"unit": brief(unit), "line": before}
            message = MESSAGES("repeated_unit", **about)
            hint = MESSAGES("judge_column", column=JUDGE)
            if judge:
                message = MESSAGES("repeated_vote", judge=brief(judge), **about)
                hint = ""
            more = {"unit": brief(unit), "hint": hint}
            findings.add("repeated_unit", message, line=line, **more)
    if complete:
        _note_missing(judgements.units, unit_of[is_known], findings, whose)
    if not any((~np.isnan(column)).any() for column in values.values()):
        findings.add("no_values", _of(whose, MESSAGES("no_values")))
    return judgements


def _names_judge(text: str, *, or_nobody: bool) -> bool:
    """Whether that can stand for a judge. Where only a model said something, nobody
    has to."""
    if not text:
        return or_nobody
    return len(text) <= LONGEST_JUDGE and text.isprintable()


def _numbers(
    table: Records,
    name: str,
    rows: Integers,
    units: int,
    limits: Limits,
    findings: Findings,
) -> Floats:
    values = np.full(len(rows), np.nan)
    most = LARGEST / max(1, units)
    cells = table.columns[name]
    for i, row in enumerate(rows.tolist()):
        text = text_in(cells[row])
        if not text:
            continue
        line = int(table.lines[row])
        try:
            number = float(text)
        except ValueError:
            number = np.nan
        if not np.isfinite(number) or not text.isascii() or "_" in text:
            message = MESSAGES("no_number", column=name, text=brief(text, 40))
            hint = MESSAGES("write_numbers")
            findings.add("number", message, line=line, hint=hint)
        elif abs(number) >= most:
            message = MESSAGES("too_large", column=name, text=brief(text, 40))
            findings.add("number", message, line=line, hint=MESSAGES("scale_values"))
        elif name in limits and (message := outside_limits(name, number, limits[name])):
            findings.add("number", message, line=line, hint=MESSAGES("as_declared"))
        else:
            values[i] = number
    return values


def _of(whose: str, message: str) -> str:
    return MESSAGES("of", whose=whose, problem=message) if whose else message


def _note_missing(
    units: Sequence[str], judged: Integers, findings: Findings, whose: str
) -> None:
    lines = np.bincount(judged, minlength=len(units))
    lacking = [units[i] for i in np.flatnonzero(lines == 0).tolist()]
    if lacking:
        message = MESSAGES(
            "missing_unit" if len(lacking) == 1 else "missing_units",
            count=len(lacking),
            all=len(units),
            units=list_names(lacking, SHOWN_UNITS),
        )
        hint = MESSAGES("give_each_unit")
        findings.add("missing_unit", _of(whose, message), hint=hint)


def text_in(cell: Any) -> str:
    """The cell as text; of JSON what is neither text nor number is none."""
    return cell.strip() if isinstance(cell, str) else ""
