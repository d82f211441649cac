"""The score of one system: measures by name, as text, table, frame and picture."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from plumbline.library.displays import Axes, DataFrame, forest, frame, html_table
from scoring import report
from scoring.engine import Result
from scoring.measure_names import nearest, resolve_name
from scoring.scorer import Scorer, Tables
from scoring.statistics.intervals import Estimate


class Score(Mapping[str, Estimate]):
    """Measures of one system by name, each with `value` and `interval`.

    `runs` are the scores of the single runs, where it is one of several. `str()` and
    `as_text()` print what the command line does, byte by byte.
    """

    def __init__(
        self, result: Result, scorer: Scorer, runs: "tuple[Score, ...]" = ()
    ) -> None:
        self.result, self.runs = result, runs
        # No part of the scorer itself, which cannot be pickled.
        self._headline = scorer.headline
        self._percent = {
            measure.name: measure.percent
            for measure in scorer.measures(tuple(result.counts))
        }

    def __getitem__(self, name: str) -> Estimate:
        """A measure by its name, or by that of another library, as `f1_macro`."""
        return self.result.measures[own_name(name, self.result.measures)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.result.measures)

    def __len__(self) -> int:
        return len(self.result.measures)

    @property
    def headline(self) -> str:
        """The measure that a board of this scorer ranks by."""
        return self._headline

    @property
    def unit(self) -> str:
        """The unit that was resampled, as sentence or document."""
        return self.result.unit

    @property
    def units(self) -> int:
        return self.result.units

    @property
    def signature(self) -> str:
        """Scorer, options, unit, plan and versions: what a paper should name."""
        return self.result.signature

    @property
    def signatures(self) -> list[str]:
        """Signatures of libraries that figures come from, as sacreBLEU's."""
        return self.result.signatures

    @property
    def remarks(self) -> list[str]:
        return self.result.remarks

    @property
    def counts(self) -> dict[str, float]:
        return self.result.counts

    @property
    def tables(self) -> Tables:
        """Further figures of the scorer, as those of each pair of a confusion."""
        return self.result.tables

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as `plumbline-scoring score --format json` prints them."""
        return report.result_object(self.result)

    def to_frame(self) -> DataFrame:
        """A row for each measure (pandas)."""
        rows = [estimate.as_dict() for estimate in self.values()]
        return frame(rows, list(self), "measure")

    def as_text(self, layout: str = "text") -> str:
        """The result as the command line prints it: text, json, csv or latex."""
        return report.FORMATS[layout](self.result)

    def plot(self, measures: Sequence[str] = (), axes: Axes | None = None) -> Axes:
        """A forest of measures with their intervals (matplotlib): those named, or all
        that have the scale of the headline."""
        main = self._percent[self.headline]
        chosen = [own_name(name, self) for name in measures] or [
            name for name in self if self._percent.get(name) == main
        ]
        rows = [(name, self[name].value, *_ends(self[name])) for name in chosen]
        return forest(rows, axes)

    def __str__(self) -> str:
        return self.as_text()

    def __repr__(self) -> str:
        main = self.get(self.headline)
        main_score = f"{self.headline} {report.score_text(main.value)}" if main else ""
        if main and main.interval:
            low, high = main.interval
            main_score += f" [{low:.6f}, {high:.6f}]"
        return (
            f"<Score of {self.result.scorer}: {main_score}; {self.units} {self.unit}s>"
        )

    def _repr_html_(self) -> str:
        head = ("measure", "value", "low", "high", "units")
        text = report.score_text
        rows = [
            (
                name,
                text(measure.value),
                text(measure.low),
                text(measure.high),
                measure.informative_units,
            )
            for name, measure in self.items()
        ]
        notes = [f"{self.units} units ({self.unit})", self.signature]
        return html_table(head, rows, [*notes, *self.signatures, *self.remarks])


def own_name(name: str, names: Collection[str]) -> str:
    """The known name that a name stands for. Raises KeyError with the nearest one."""
    if own := resolve_name(str(name), names):
        return own
    near = nearest(str(name), list(names))
    suggestion = f" Did you mean '{near}'?" if near else ""
    raise KeyError(f"no measure '{name}'; there are: {', '.join(names)}.{suggestion}")


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    return estimate.low, estimate.high
