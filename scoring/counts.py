"""Counts: one row of additive whole numbers per unit, the only thing that is stored.

Every score, interval, comparison and slice is computed from this table. All cells are
whole numbers held in float64, so their sums are exact below 2**53 and do not depend on
the order of units, the number of threads or the machine.
"""

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Sent = TypeVar("Sent")

HIGH_STEP = 2.0**-26
LOW_STEP = 2.0**-52
LOW = "~low"
# Of values that must come back bit by bit; as small as sums of 64 runs stay exact.
LOWEST, LOWEST_STEP = "~lowest", 2.0**-100
PARTS = (LOW, LOWEST)
# Before the names of columns that were counted elsewhere (`scoring.elsewhere`).
ELSEWHERE = "elsewhere:"
# The end of a name that stands for the columns of all tags: "match[]".
ALL_TAGS = "[]"
# Before the name of a column: how many units have a value there.
GIVEN = "given:"
FINER = "finer:"
JUDGED = "judged:"
PACKING = 2
LABELS_KEPT = 32


def whole_systems(
    systems: Sequence[Sequence[Sent | None]],
) -> tuple[Integers, list[list[Sent]]]:
    """Places of the systems that sent every test set, and what they sent."""
    sent = [[own for own in system if own is not None] for system in systems]
    whole = [i for i, own in enumerate(sent) if len(own) == len(systems[i])]
    return np.array(whole, dtype=np.int64), [sent[i] for i in whole]


def fixed_point(name: str, values: Floats) -> dict[str, Floats]:
    """Split fractions into two whole-number columns whose sums are exact.

    `values` has any shape and magnitudes below 2**20. The pair keeps every bit down to
    2**-52; `pick` joins it again.
    """
    # Multiplying by a power of two is as exact as dividing by one, and faster.
    high = np.rint(values * (1 / HIGH_STEP))
    low = np.rint((values - high * HIGH_STEP) * (1 / LOW_STEP))
    return {name: high, name + LOW: low}


def exact_point(name: str, values: Floats) -> dict[str, Floats]:
    """`fixed_point` with a third column, so that `pick` gives back every bit of values
    from 2**-47 to 2**20."""
    parts = fixed_point(name, values)
    rest = values - (parts[name] * HIGH_STEP + parts[name + LOW] * LOW_STEP)
    return {**parts, name + LOWEST: np.rint(rest * (1 / LOWEST_STEP))}


def narrow(table: Floats | Integers) -> npt.NDArray[Any]:
    """The same whole numbers in the smallest type that holds them all."""
    ends = (int(table.min()), int(table.max())) if table.size else (0, 0)
    return table.astype(np.result_type(*map(np.min_scalar_type, ends)))


def is_of_all_tags(name: str) -> bool:
    """Whether a name stands for the columns of all tags; that of the tag "[" does not,
    `match[[]`."""
    return name.endswith(ALL_TAGS) and "[" not in name[: -len(ALL_TAGS)]


def columns_of_all_tags(columns: Iterable[str], name: str) -> list[str]:
    """The columns of all tags that `match[]` stands for, in one order everywhere."""
    return sorted(c for c in columns if c.endswith("]") and c.startswith(name[:-1]))


def _places_of_tags(columns: tuple[str, ...], name: str) -> slice | list[int]:
    """Places of the columns of all tags; a slice where they stand in a row, which
    copies nothing."""
    places = [columns.index(tag) for tag in columns_of_all_tags(columns, name)]
    if places and places == [*range(places[0], places[-1] + 1)]:
        return slice(places[0], places[-1] + 1)
    return places


def pick(totals: Floats, columns: tuple[str, ...], name: str) -> Floats:
    """Column `name` of `totals` (..., columns), fixed-point pairs joined. A column of
    one tag or cutoff, `match[PERSON]` or `p@50`, that the table lacks is 0: nobody used
    it, and so is one that nobody has counted elsewhere yet. `match[]` are those of all
    tags, shape (..., tags)."""
    if is_of_all_tags(name):
        return np.asarray(totals[..., _places_of_tags(columns, name)])
    if name not in columns and _may_be_missing(name):
        return np.zeros(totals.shape[:-1])
    whole = totals[..., columns.index(name)]
    if name + LOW not in columns:
        return np.asarray(whole)
    rest = totals[..., columns.index(name + LOW)]
    value = whole * HIGH_STEP + rest * LOW_STEP
    if name + LOWEST in columns:
        value = value + totals[..., columns.index(name + LOWEST)] * LOWEST_STEP
    return np.asarray(value)


def has_column(columns: Collection[str], name: str) -> bool:
    """Whether `pick` finds this column, or may take it for 0."""
    return is_of_all_tags(name) or name in columns or _may_be_missing(name)


def _may_be_missing(name: str) -> bool:
    return name.endswith("]") or "@" in name or name.startswith(ELSEWHERE)


@lru_cache(maxsize=LABELS_KEPT)
def _members(
    labels: tuple[str, ...],
) -> tuple[tuple[str, ...], Integers, Integers, Integers]:
    """The groups that labels of units (n,) name, in the order they come in; the group
    of each unit (n,), the units group by group (n,), and where there each begins."""
    names = tuple(dict.fromkeys(labels))
    place = {name: i for i, name in enumerate(names)}
    group_of = np.array([place[label] for label in labels], dtype=np.int64)
    order = np.argsort(group_of, kind="stable")
    starts = np.searchsorted(group_of[order], np.arange(len(names)))
    return names, group_of, order, starts


def prompts_unlike(prompts: Sequence[str], runs: int) -> str:
    """The fault of the prompts of so many runs; empty where nothing is, as where
    none are named."""
    if not prompts:
        return ""
    if len(prompts) != runs:
        return f"expected the prompt of each of {runs} runs, found {len(prompts)}"
    often = {name: prompts.count(name) for name in prompts}
    if len(set(often.values())) > 1:
        runs_by_prompt = ", ".join(f"'{name}' {n}" for name, n in often.items())
        return f"expected as many runs of each prompt, found: {runs_by_prompt}"
    return ""


@dataclass(frozen=True)
class Finer:
    """The rows that coarser units were summed from: `unit_of` names the unit of each.

    A measure that is no function of sums is computed from these rows; what is drawn,
    left out and swapped are the units, with all rows that they hold.
    """

    counts: "Counts"
    unit_of: tuple[str, ...]

    def of_units(self, units: Collection[str]) -> "Finer":
        """The finer rows of the named units only."""
        wanted = set(units)
        places = [i for i, unit in enumerate(self.unit_of) if unit in wanted]
        chosen = self.counts.where(np.array(places, dtype=np.int64))
        return Finer(chosen, tuple(self.unit_of[i] for i in places))


@dataclass(frozen=True)
class JudgeCells:
    """Each judge's part of each unit: rows (cells, columns) that add up to what the
    table has of these columns. `unit_of` and `judge_of` (cells,) are places in the
    units, and in `judges`, digests of their names; `run_of` is the run of each. They
    say how much judges vary; no value is computed from them, so they are rounded.
    """

    judges: tuple[str, ...]
    unit_of: Integers
    judge_of: Integers
    run_of: Integers
    columns: tuple[str, ...]
    table: Floats

    def of_run(self, run: int) -> "JudgeCells | None":
        """The cells of one run; None where it has fewer than two judges."""
        own = self.chosen(self.run_of == run)
        several = len(np.unique(own.judge_of)) > 1
        return replace(own, run_of=np.zeros_like(own.run_of)) if several else None

    def chosen(self, chosen: Flags) -> "JudgeCells":
        """Some of the cells (cells,), on the same units and of the same judges."""
        return replace(
            self,
            unit_of=self.unit_of[chosen],
            judge_of=self.judge_of[chosen],
            run_of=self.run_of[chosen],
            table=self.table[chosen],
        )

    def at(self, places: Integers) -> "JudgeCells":
        """These cells with their units at other places (units,), -1 for none."""
        moved = replace(self, unit_of=places[self.unit_of])
        return moved.chosen(moved.unit_of >= 0)

    @classmethod
    def together(cls, parts: Sequence["JudgeCells"]) -> "JudgeCells | None":
        """Cells of several runs on the same units; None of none."""
        if not parts:
            return None
        judges = tuple(sorted({name for part in parts for name in part.judges}))
        columns = tuple(dict.fromkeys(name for part in parts for name in part.columns))
        place = {name: i for i, name in enumerate(judges)}
        tables = []
        for part in parts:
            table = np.zeros((len(part.table), len(columns)))
            table[:, [columns.index(name) for name in part.columns]] = part.table
            tables.append(table)
        judge_of = [
            np.array([place[name] for name in part.judges], np.int64)[part.judge_of]
            for part in parts
        ]
        unit_of = np.concatenate([part.unit_of for part in parts])
        run_of = np.repeat(np.arange(len(parts)), [len(part.table) for part in parts])
        of_judges = judges, unit_of, np.concatenate(judge_of), run_of
        return cls(*of_judges, columns, np.concatenate(tables))

    def as_arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        return {
            JUDGED + "judges": np.array(self.judges, dtype=np.str_),
            JUDGED + "unit_of": self.unit_of,
            JUDGED + "judge_of": self.judge_of,
            JUDGED + "run_of": self.run_of,
            JUDGED + "columns": np.array(self.columns, dtype=np.str_),
            JUDGED + "table": self.table,
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> "JudgeCells | None":
        """Cells from stored arrays; None where nothing is stored of judges."""
        if JUDGED + "table" not in arrays:
            return None
        return cls(
            tuple(arrays[JUDGED + "judges"].tolist()),
            arrays[JUDGED + "unit_of"].astype(np.int64),
            arrays[JUDGED + "judge_of"].astype(np.int64),
            arrays[JUDGED + "run_of"].astype(np.int64),
            tuple(arrays[JUDGED + "columns"].tolist()),
            arrays[JUDGED + "table"].astype(np.float64),
        )


@dataclass(frozen=True)
class Counts:
    """Whole numbers of every unit: `table` is (units, columns).

    `groups` gives each unit's label per grouping.
    Unit names are what resampling orders by, so that the same units get the same draws
    in whatever order a file holds them.

    An entry of several runs of one system has the table of each, (runs, units,
    columns), in `runs`; `table` is then their sum (`scoring.statistics.runs`).
    Coarser units keep the rows that they were summed from in `finer`, where a measure
    needs those. `weight` is that of the test set in a mean over several, in which the
    mean weight is 1; it is given last, by `weighted`. `judged` has what judges add,
    where several people judged; of several runs it adds up to their sum. `prompts`
    names the prompt of each run, where an entry says so; every one has as many runs.
    """

    units: tuple[str, ...]
    columns: tuple[str, ...]
    table: Floats
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    runs: Floats | None = None
    finer: Finer | None = None
    weight: float = 1.0
    judged: JudgeCells | None = None
    prompts: tuple[str, ...] = ()

    @classmethod
    def of_runs(cls, runs: Sequence["Counts"], prompts: Sequence[str] = ()) -> "Counts":
        """One entry of several runs, or the only one as it is; `prompts` may name the
        prompt of each.

        A column that a run lacks counts 0 in it: a tag it never used. Raises ValueError
        when the runs' units differ, or the prompts do not fit them.
        """
        first = runs[0]
        if wrong := prompts_unlike(prompts, len(runs)):
            raise ValueError(wrong)
        if len(runs) == 1:
            return first
        if any(run.units != first.units for run in runs):
            raise ValueError("the runs were not counted on the same units")
        columns = tuple(dict.fromkeys(name for run in runs for name in run.columns))
        tables = np.zeros((len(runs), len(first.units), len(columns)))
        for table, run in zip(tables, runs, strict=True):
            table[:, [columns.index(name) for name in run.columns]] = run.table
        finer = None
        if first.finer is not None:
            rows = [run.finer.counts for run in runs if run.finer is not None]
            finer = Finer(cls.of_runs(rows), first.finer.unit_of)
        whole = tables.sum(axis=0)
        parts = [run.judged for run in runs if run.judged is not None]
        # Where a run says nothing of its judges, the cells are not what was summed.
        judged = JudgeCells.together(parts) if len(parts) == len(runs) else None
        of_first = first.units, columns, whole, first.groups, tables
        return cls(*of_first, finer, judged=judged, prompts=tuple(prompts))

    @property
    def size(self) -> int:
        """The number of runs, 1 without several."""
        return 1 if self.runs is None else len(self.runs)

    def under(self, prompts: Sequence[str]) -> "Counts":
        """These counts with the prompt of each run, if they fit the runs: some of a
        program's or of judges' may be missing."""
        if not prompts or prompts_unlike(prompts, self.size):
            return self
        return replace(self, prompts=tuple(prompts))

    def with_weight(self, weight: float) -> "Counts":
        """These counts at that weight in a mean over test sets."""
        return self if self.weight == weight else replace(self, weight=weight)

    def each_run(self) -> list["Counts"]:
        """The runs, each as counts by itself."""
        if self.runs is None:
            return [self]
        finer: list[Finer | None] = [None] * self.size
        if self.finer is not None:
            rows, unit_of = self.finer.counts.each_run(), self.finer.unit_of
            finer = [Finer(counts, unit_of) for counts in rows]
        judged = self.judged
        cells = [judged and judged.of_run(run) for run in range(self.size)]
        return [
            Counts(self.units, self.columns, table, self.groups, finer=rest, judged=own)
            for table, rest, own in zip(self.runs, finer, cells, strict=True)
        ]

    @classmethod
    def of_rows(
        cls,
        units: Iterable[str],
        columns: Mapping[str, npt.NDArray[np.generic]],
        groups: Mapping[str, tuple[str, ...]] | None = None,
    ) -> "Counts":
        """Counts of columns that hold a number for each unit, (units,) each."""
        table = np.stack(list(columns.values()), axis=1).astype(np.float64, copy=False)
        return cls(tuple(units), tuple(columns), table, dict(groups or {}))

    @classmethod
    def per_unit(
        cls,
        units: tuple[str, ...],
        unit_of: Integers,
        items: Mapping[str, npt.NDArray[np.generic]],
        groups: Mapping[str, tuple[str, ...]] | None = None,
    ) -> "Counts":
        """Sum item columns (each of shape (items,)) into their units."""
        rows = [
            np.bincount(unit_of, weights=column, minlength=len(units))
            for column in items.values()
        ]
        table = np.stack(rows, axis=1) if rows else np.zeros((len(units), 0))
        return cls(units, tuple(items), table.astype(np.float64), dict(groups or {}))

    def of_columns(self, names: Collection[str]) -> "Counts":
        """These counts with the columns of these names only, in their order here, and
        without the finer rows, which no sum needs."""
        places = [i for i, name in enumerate(self.columns) if name in names]
        columns = tuple(self.columns[i] for i in places)
        runs = None if self.runs is None else self.runs[..., places]
        table = self.table[:, places]
        return replace(self, columns=columns, table=table, runs=runs, finer=None)

    @cached_property
    def totals(self) -> Floats:
        """Column sums, shape (columns,)."""
        return np.asarray(self.table.sum(axis=0), dtype=np.float64)

    def total(self, name: str) -> float:
        return float(pick(self.totals, self.columns, name))

    def as_numbers(self) -> dict[str, float]:
        """Summed counts by name, fixed-point pairs joined."""
        names = [name for name in self.columns if not name.endswith(PARTS)]
        return {name: self.total(name) for name in names}

    def in_order(self) -> "Counts":
        """These rows sorted by unit name: the order that draws refer to."""
        order = sorted(range(len(self.units)), key=self.units.__getitem__)
        return self.where(np.array(order, dtype=np.int64))

    def where(self, chosen: npt.NDArray[np.bool_] | Integers) -> "Counts":
        """These counts with the chosen units only (a mask or indices over units)."""
        index = np.arange(len(self.units))[chosen]
        units = tuple(self.units[i] for i in index)
        groups = {name: tuple(of[i] for i in index) for name, of in self.groups.items()}
        return self.rows(index, units, groups)

    def rows(
        self,
        chosen: npt.NDArray[np.bool_] | Integers,
        units: tuple[str, ...],
        groups: Mapping[str, tuple[str, ...]],
    ) -> "Counts":
        """`where`, with names and labels of the chosen units known already."""
        runs = None if self.runs is None else self.runs[:, chosen]
        finer = judged = None
        index = np.arange(len(self.units))[chosen]
        if self.finer is not None:
            finer = self.finer.of_units([self.units[i] for i in index])
        if self.judged is not None:
            places = np.full(len(self.units), -1)
            places[index] = np.arange(len(index))
            judged = self.judged.at(places)
        of_these = units, self.columns, self.table[chosen], groups, runs, finer
        return Counts(*of_these, judged=judged, prompts=self.prompts)

    def by(self, group: str, keep_rows: bool = False) -> "Counts":
        """Coarser units: rows summed within each label of `group`. The rows are kept
        beside the sums where that is asked for, and for measures that are no function
        of sums it must be. Raises KeyError when the counts know no such grouping."""
        labels = self.groups[group]
        units, unit_of, order, starts = _members(labels)
        single = self.table[None] if self.runs is None else self.runs
        tables = np.zeros((self.size, len(units), len(self.columns)))
        if len(units):
            np.add.reduceat(single[:, order], starts, 1, np.float64, tables)
        runs = None if self.runs is None else tables
        finer = None
        if keep_rows:
            finer = Finer(replace(self, groups={}, judged=None), labels)
        whole = tables.sum(axis=0)
        judged = self.judged and self.judged.at(unit_of)
        of_these = units, self.columns, whole, {group: units}, runs, finer
        return Counts(*of_these, self.weight, judged, self.prompts)

    def save(self) -> bytes:
        """Compressed bytes that `load` reads back, in NumPy's npz format.

        `numpy.savez_compressed` packs as small as it can, which takes three times as
        long for an eighth less.
        """
        # Imported by those who store counts, which the command line does not.
        from zipfile import ZIP_DEFLATED, ZipFile

        buffer = io.BytesIO()
        with ZipFile(buffer, "w", ZIP_DEFLATED, compresslevel=PACKING) as archive:
            for name, array in self._arrays().items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)
        return buffer.getvalue()

    def _arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "table": narrow(self.table),
            "units": np.array(self.units, dtype=np.str_),
            "columns": np.array(self.columns, dtype=np.str_),
        }
        for name, labels in self.groups.items():
            arrays["group:" + name] = np.array(labels, dtype=np.str_)
        if self.runs is not None:
            arrays["runs"] = narrow(self.runs)
        if self.prompts:
            arrays["prompts"] = np.array(self.prompts, dtype=np.str_)
        if self.finer is not None:
            arrays[FINER + "unit_of"] = np.array(self.finer.unit_of, dtype=np.str_)
            rows = self.finer.counts._arrays().items()
            arrays |= {FINER + name: array for name, array in rows}
        return arrays if self.judged is None else arrays | self.judged.as_arrays()

    @classmethod
    def load(cls, data: bytes) -> "Counts":
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            return cls._of_arrays({name: stored[name] for name in stored.files})

    @classmethod
    def _of_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> "Counts":
        finer = None
        if FINER + "unit_of" in arrays:
            rows = {
                name.removeprefix(FINER): array
                for name, array in arrays.items()
                if name.startswith(FINER)
            }
            unit_of = tuple(rows.pop("unit_of").tolist())
            finer = Finer(cls._of_arrays(rows), unit_of)
        return cls(
            tuple(arrays["units"].tolist()),
            tuple(arrays["columns"].tolist()),
            arrays["table"].astype(np.float64),
            {
                name.removeprefix("group:"): tuple(array.tolist())
                for name, array in arrays.items()
                if name.startswith("group:")
            },
            arrays["runs"].astype(np.float64) if "runs" in arrays else None,
            finer,
            judged=JudgeCells.of_arrays(arrays),
            prompts=tuple(arrays["prompts"].tolist()) if "prompts" in arrays else (),
        )
