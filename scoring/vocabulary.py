"""Measures that a task declares itself: a name and a formula out of a closed list.

One line declares one measure, as in "wer = ratio(errors, words); lower; percent". The
formulas are functions of sums over units, or of units and their weights, so a declared
measure gets intervals, tests and ranks like any other. A line without a formula
declares a value that somebody gives for a whole file: it has neither.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from scoring.counts import (
    GIVEN,
    Counts,
    Flags,
    Floats,
    exact_point,
    fixed_point,
)
from scoring.errors import Problem, UsageError
from scoring.measures import (
    Measure,
    f1_or_zero,
    no_function_of_sums,
    ratio,
    simple_share,
)
from scoring.messages import Messages, _
from scoring.statistics import ppi
from scoring.statistics.correlations import (
    kendall,
    kendall_slopes,
    spearman,
    spearman_slopes,
)

MESSAGES = Messages(
    twice=_("'%(name)s' is declared twice"),
    key_twice=_("'%(key)s' is the key of two measures"),
    measure=_("measure '%(line)s': %(reason)s"),
    example=_("A line is written as in: %(example)s"),
    name=_("expected a name of letters and digits, not '%(name)s'"),
    formula=_("expected a formula with its columns, not '%(formula)s'"),
    unknown_formula=_("there is no '%(name)s'; there are: %(names)s"),
    columns=_("%(formula)s takes names of columns, this many: %(count)s"),
    words=_(
        "'%(word)s' is none of: lower, higher, percent, optional, decimals "
        "0 to %(most)s, most or least and a number, title and some words, key and "
        "a program's name for it"
    ),
    worst=_(
        "'%(word)s' is the worst value of a unit: 'most' goes with 'lower', "
        "'least' without it, both with %(formulas)s"
    ),
    outside=_(
        "'%(column)s' is %(value)s; a unit has %(least)s at the least and %(most)s at "
        "the most."
    ),
    above_most=_("'%(column)s' is %(value)s; a unit has %(most)s at the most."),
    below_least=_("'%(column)s' is %(value)s; a unit has %(least)s at the least."),
)

NAME = re.compile(r"[A-Za-z][\w.@+-]{0,59}", re.ASCII)
LINE = re.compile(r"([^=;]*)(?:=([^;]*))?(?:;(.*))?", re.DOTALL)
CALL = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*", re.ASCII)
WORST_VALUES = "most", "least"
WORST = re.compile(r"-?\d{1,7}(?:\.\d{1,9})?", re.ASCII)
LONGEST_TITLE, LONGEST_KEY = 80, 120
MOST_DECIMALS = 6
# Sums of fixed-point numbers are exact below 2**53 steps of 2**-26.
LARGEST = 2.0**26
ROUNDING = 1e-9  # a mean of ones may be 1.0000000000000002
WHOLE = "whole:"  # before the name of a value for a whole file
EXAMPLE = "accuracy = mean(correct); percent"


Weighed = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class Formula:
    """A function of sums of columns. `help` explains it in one line.

    With `over_given` its last argument is the number of units that have a value in the
    first column, which nobody has to write. A formula that is no function of sums has
    `weighted` and `slopes` (`scoring.measures`), over the units with a value in every
    column. `of_judgements`: only in tables of judgements, where a site can see to it
    that people judged a random sample. `limits` are the least and the largest value of
    a unit.
    """

    columns: int
    score: Callable[..., Floats]
    help: str
    over_given: bool = False
    weighted: Weighed | None = None
    slopes: Weighed | None = None
    reach: Callable[..., Floats] | None = None
    bounds: tuple[float, float] | None = None
    of_judgements: bool = False
    sizes: Callable[..., Floats] | None = None
    share: Callable[..., tuple[Floats, Floats]] | None = None
    unseen: Callable[[Floats], float] | None = None
    limits: tuple[float, float] | None = None


def _second(_errors: Floats, sizes: Floats) -> Floats:
    """The sum that errors are divided by."""
    return sizes


def _total(values: Floats) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _size(values: Floats, *_: Floats) -> Floats:
    """How far a sum could move: it could be nothing, or twice as much."""
    return np.where(values == 0, 1.0, np.abs(values))


def _root_mean(values: Floats, units: Floats) -> Floats:
    mean = ratio(values, units)
    return np.sqrt(np.where(mean < 0, np.nan, mean))


def _both(table: Floats) -> Flags:
    """Flags of the units with a value in both columns, of which two more tell."""
    return np.asarray((table[:, 2:] > 0).all(axis=1))


def _pair_formula(name: str, help_: str, weighted: Weighed, slopes: Weighed) -> Formula:
    def value(weights: Floats, table: Floats) -> Floats:
        both = _both(table)
        return weighted(weights[:, both], table[both])

    def derivative(weights: Floats, table: Floats) -> Floats:
        both, moved = _both(table), np.zeros(len(table))
        moved[both] = slopes(weights[both], table[both])
        return moved

    help_ = f"{name} of two columns, {help_}"
    return Formula(
        2,
        no_function_of_sums,
        help_,
        weighted=value,
        slopes=derivative,
        bounds=(-1.0, 1.0),
    )


def _values_of_both(
    weights: Floats, table: Floats
) -> tuple[Flags, Floats, Floats, Floats, Flags]:
    """Flags of the units that a model judged; of those the weights, what it says, what
    people say, and flags of those that they judged."""
    judged = table[:, 2] > 0
    judge, human, _known, given = table[judged].T[:4]
    return judged, weights[..., judged], judge, human, given > 0


def _corrected_mean(weights: Floats, table: Floats) -> Floats:
    return ppi.corrected_means(*_values_of_both(weights, table)[1:])


def _corrected_slopes(weights: Floats, table: Floats) -> Floats:
    judged, weights, judge, human, given = _values_of_both(weights, table)
    moved = np.zeros(len(table))
    moved[judged] = ppi.slopes(weights, judge, human, given)
    return moved


def _corrected_unseen(table: Floats) -> float:
    return ppi.unseen_errors(*_values_of_both(np.ones(len(table)), table)[2:])


def _gain(weights: Floats, table: Floats) -> Floats:
    return ppi.gains(*_values_of_both(weights, table)[1:])


FORMULAS: Mapping[str, Formula] = {
    "mean": Formula(
        1, ratio, "mean over the units that have a value", True, sizes=_second
    ),
    "sum": Formula(1, _total, "sum over the units", reach=_size),
    "ratio": Formula(
        2, ratio, "sum of the first column over sum of the second", sizes=_second
    ),
    "f1": Formula(
        3,
        f1_or_zero,
        "F1 of the columns correct, of the system, of the gold",
        bounds=(0.0, 1.0),
    ),
    "root_mean": Formula(
        1, _root_mean, "square root of the mean, as of squared errors", True
    ),
    "share": Formula(
        1,
        ratio,
        "mean of values from 0 to 1, as right or wrong: its interval stays there",
        True,
        share=simple_share,
        limits=(0.0, 1.0),
    ),
    "probability": Formula(
        1,
        ratio,
        "mean of estimates of a probability, which may each lie outside 0 to 1: its "
        "interval does not",
        True,
        bounds=(0.0, 1.0),
        of_judgements=True,
        sizes=_second,
    ),
    "spearman": _pair_formula(
        "Spearman's rho", "the correlation of their ranks", spearman, spearman_slopes
    ),
    "kendall": _pair_formula(
        "Kendall's tau-b", "of pairs in one order", kendall, kendall_slopes
    ),
    "corrected": Formula(
        2,
        no_function_of_sums,
        "mean of a judge model's column, corrected by that of people",
        weighted=_corrected_mean,
        slopes=_corrected_slopes,
        of_judgements=True,
        unseen=_corrected_unseen,
    ),
    "gain": Formula(
        2,
        no_function_of_sums,
        "how many times as many judgements of people a corrected mean is worth",
        weighted=_gain,
        of_judgements=True,
    ),
}
CORRECTED = "corrected"


@dataclass(frozen=True)
class DeclaredMeasure:
    """One line of a declaration. Without a `formula` it is a value of a whole file.

    A program writes it under its `key`, if that differs from its name, and may leave
    it out if it is `optional`. `worst` is the worst value that a unit can have: the
    most of what is better the lower it is, else the least.
    """

    name: str
    title: str
    formula: str = ""
    columns: tuple[str, ...] = ()
    higher_is_better: bool = True
    percent: bool = False
    decimals: int | None = None
    optional: bool = False
    key: str = ""
    worst: float | None = None

    @property
    def written_name(self) -> str:
        """The name under which a program writes it."""
        return self.key or self.name

    @property
    def of_file(self) -> bool:
        return not self.formula

    @property
    def limits(self) -> tuple[float, float] | None:
        """The least and the largest value that a unit can have, None without such: of a
        formula, or declared as the worst value of a mean."""
        if self.of_file:
            return None
        if self.formula == "mean" and self.worst is not None:
            return (self.worst, inf) if self.higher_is_better else (-inf, self.worst)
        return FORMULAS[self.formula].limits

    @property
    def with_companions(self) -> "tuple[DeclaredMeasure, ...]":
        """The measure and, of a corrected mean, what has to be read beside it: the mean
        of the people alone, and what the model is worth."""
        if self.formula != CORRECTED:
            return (self,)
        people = replace(
            self,
            name=f"{self.name}_people",
            title=f"{self.title}, people alone",
            formula="mean",
            columns=self.columns[1:],
            key="",
        )
        gain = DeclaredMeasure(
            f"{self.name}_gain",
            f"{self.title}, gain in judgements",
            "gain",
            self.columns,
            decimals=1,
        )
        return self, people, gain

    @property
    def measure(self) -> Measure:
        weighted = slopes = reach = bounds = sizes = share = unseen = None
        if self.of_file:
            name = WHOLE + self.name
            columns: tuple[str, ...] = (name, GIVEN + name)
            score, text = ratio, _("given for the whole file")
        else:
            formula = FORMULAS[self.formula]
            counted_columns = self.columns[: 1 if formula.over_given else 0]
            if formula.weighted is not None:
                counted_columns = self.columns
                weighted, slopes = formula.weighted, formula.slopes
            columns = (*self.columns, *(GIVEN + name for name in counted_columns))
            reach, bounds, share = formula.reach, formula.bounds, formula.share
            # What is better the higher it is, has a lowest value, if none is declared.
            open_ended = not self.higher_is_better or self.worst is not None
            sizes = formula.sizes if open_ended else None
            unseen = formula.unseen
            score, text = formula.score, f"{self.formula}({', '.join(self.columns)})"
        return Measure(
            self.name,
            self.title,
            columns,
            score,
            text,
            higher_is_better=self.higher_is_better,
            percent=self.percent,
            of_file=self.of_file,
            decimals=self.decimals,
            weighted=weighted,
            slopes=slopes,
            reach=reach,
            bounds=bounds,
            sizes=sizes,
            share=share,
            worst=self.worst,
            unseen=unseen,
        )


def declared_measures(
    lines: Iterable[str], *, of_judgements: bool = False
) -> tuple[DeclaredMeasure, ...]:
    """The measures that lines declare, of judgements or of a program's values. Raises
    UsageError with every line's mistake."""
    measures: dict[str, DeclaredMeasure] = {}
    problems = []
    for line in filter(str.strip, lines):
        try:
            for measure in _parse_line(line, of_judgements).with_companions:
                if measure.name in measures:
                    raise ValueError(MESSAGES("twice", name=measure.name))
                if measure.written_name in {o.written_name for o in measures.values()}:
                    raise ValueError(MESSAGES("key_twice", key=measure.written_name))
                measures[measure.name] = measure
        except ValueError as error:
            message = MESSAGES("measure", line=line.strip()[:80], reason=error.args[0])
            hint = MESSAGES("example", example=EXAMPLE)
            problems.append(Problem("measure", message, hint=hint))
    if problems:
        raise UsageError(problems)
    return tuple(measures.values())


def _parse_line(line: str, of_judgements: bool) -> DeclaredMeasure:
    """Raises ValueError with what is wrong."""
    parts = LINE.fullmatch(line)
    assert parts is not None
    name, call, words = (part and part.strip() for part in parts.groups())
    if not NAME.fullmatch(name or ""):
        raise ValueError(MESSAGES("name", name=name))
    formula, columns = _formula(call, of_judgements) if call is not None else ("", ())
    about = _about([word.strip() for word in (words or "").split(";")])
    if worst := {key: about.pop(key) for key in WORST_VALUES if key in about}:
        about["worst"] = _worst(worst, formula, about.get("higher_is_better", True))
    return DeclaredMeasure(name, about.pop("title", name), formula, columns, **about)


def _worst(given: Mapping[str, float], formula: str, higher_is_better: bool) -> float:
    """The worst value of a unit, of the words `most` and `least` that are `given`."""
    fitting = [name for name, parts in FORMULAS.items() if parts.sizes is not None]
    if [*given] != ["least" if higher_is_better else "most"] or formula not in fitting:
        word, formulas = " and ".join(given), ", ".join(fitting)
        raise ValueError(MESSAGES("worst", word=word, formulas=formulas))
    (worst,) = given.values()
    return worst


def _formula(call: str, of_judgements: bool) -> tuple[str, tuple[str, ...]]:
    parts = CALL.fullmatch(call)
    if parts is None:
        raise ValueError(MESSAGES("formula", formula=call))
    name, columns = parts[1], tuple(column.strip() for column in parts[2].split(","))
    usable = [n for n, f in FORMULAS.items() if of_judgements or not f.of_judgements]
    if name not in usable:
        names = ", ".join(usable)
        raise ValueError(MESSAGES("unknown_formula", name=name, names=names))
    wanted = FORMULAS[name].columns
    if len(columns) != wanted or not all(map(NAME.fullmatch, columns)):
        raise ValueError(MESSAGES("columns", formula=name, count=wanted))
    return name, columns


def _about(words: Sequence[str]) -> dict[str, Any]:
    about: dict[str, Any] = {}
    for word in filter(None, words):
        key, _, value = word.partition(" ")
        value = value.strip()
        if word in ("lower", "higher"):
            about["higher_is_better"] = word == "higher"
        elif word in ("percent", "optional"):
            about[word] = True
        elif key == "decimals" and value.isdigit() and int(value) <= MOST_DECIMALS:
            about["decimals"] = int(value)
        elif key in WORST_VALUES and WORST.fullmatch(value):
            about[key] = float(value)
        elif key == "title" and 0 < len(value) <= LONGEST_TITLE and value.isprintable():
            about["title"] = value
        elif key == "key" and 0 < len(value) <= LONGEST_KEY and value.isprintable():
            about["key"] = value
        else:
            raise ValueError(MESSAGES("words", word=word[:80], most=MOST_DECIMALS))
    return about


def columns_of(measures: Iterable[DeclaredMeasure]) -> tuple[str, ...]:
    """The columns of units that measures are made of."""
    return tuple(
        dict.fromkeys(name for measure in measures for name in measure.columns)
    )


def limits_of(measures: Iterable[DeclaredMeasure]) -> dict[str, tuple[float, float]]:
    """The least and the largest value of a unit, by column, where there are such."""
    limits: dict[str, tuple[float, float]] = {}
    for measure in measures:
        if measure.limits is not None:
            low, high = measure.limits
            for name in measure.columns:
                lower, upper = limits.get(name, (-inf, inf))
                limits[name] = max(low, lower), min(high, upper)
    return limits


def outside_limits(column: str, number: float, limits: tuple[float, float]) -> str:
    """The sentence on a value that no unit can have; empty for one that it can."""
    low, high = limits
    if low - ROUNDING <= number <= high + ROUNDING:
        return ""
    about = {"column": column, "value": f"{number:.10g}"}
    if low == -inf:
        return MESSAGES("above_most", most=f"{high:g}", **about)
    if high == inf:
        return MESSAGES("below_least", least=f"{low:g}", **about)
    return MESSAGES("outside", least=f"{low:g}", most=f"{high:g}", **about)


def models_of(measures: Iterable[DeclaredMeasure]) -> frozenset[str]:
    """The columns in which judge models say what people correct."""
    return frozenset(
        measure.columns[0] for measure in measures if measure.formula == CORRECTED
    )


def count_units(
    units: tuple[str, ...],
    columns: Mapping[str, Floats],
    whole: Mapping[str, float | None] | None = None,
) -> Counts:
    """Counts of units (n,) with columns (n,) of numbers, nan where a unit has none.

    `whole` are values for the whole file, held by the unit that comes first by name.
    n times the largest magnitude must stay below `LARGEST`.
    """
    items: dict[str, Floats] = {}
    for name, values in columns.items():
        given = ~np.isnan(values)
        items |= fixed_point(name, np.where(given, values, 0.0))
        items[GIVEN + name] = given.astype(np.float64)
    first = min(range(len(units)), key=units.__getitem__, default=0)
    for name, value in (whole or {}).items():
        at_first = np.zeros((2, len(units)))
        if value is not None:
            at_first[:, first] = value, 1.0
        items |= exact_point(WHOLE + name, at_first[0])
        items[GIVEN + WHOLE + name] = at_first[1]
    return Counts.per_unit(units, np.arange(len(units)), items)
