"""Comparisons of systems: pairs by measure, as text, table, frame and picture."""

from collections.abc import Iterable, Sequence
from typing import Any, overload

from plumbline.library.displays import Axes, DataFrame, forest, frame, html_table
from plumbline.library.scores import own_name
from scoring import report
from scoring.statistics.comparison import Comparison


class Comparisons(Sequence[Comparison]):
    """Pairs of systems, measure by measure, in the order of the command line.

    `compared["f1"]` is the pair of two systems, `compared["f1", "a", "b"]` that of two
    among several, a against b.
    """

    def __init__(self, pairs: Sequence[Comparison], measures: Iterable[str]) -> None:
        self.pairs, self.measures = list(pairs), list(measures)

    def __len__(self) -> int:
        return len(self.pairs)

    @overload
    def __getitem__(self, place: int | str | tuple[str, str, str]) -> Comparison: ...
    @overload
    def __getitem__(self, place: slice) -> list[Comparison]: ...
    def __getitem__(
        self, place: int | slice | str | tuple[str, str, str]
    ) -> Comparison | list[Comparison]:
        if isinstance(place, int | slice):
            return self.pairs[place]
        name, *two = [place] if isinstance(place, str) else place
        own = self.of(name)
        if not two and len(own) == 1:
            return own[0]
        for pair in own:
            if two == [pair.first, pair.second]:
                return pair
            if two == [pair.second, pair.first]:
                return pair.reversed
        pairs = ", ".join(
            f"('{comparison.first}', '{comparison.second}')" for comparison in own
        )
        raise KeyError(f"name a measure and two systems; there are: {pairs}")

    def of(self, measure: str) -> list[Comparison]:
        """All pairs in one measure. Raises KeyError for one that was not compared."""
        own = own_name(measure, self.measures)
        return [pair for pair in self.pairs if pair.measure == own]

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain values, as `plumbline-scoring compare --format json` prints them."""
        named = {"schema": report.schema("comparison")}
        return [named | pair.as_dict() for pair in self.pairs]

    def to_frame(self) -> DataFrame:
        """A row for each pair and measure (pandas)."""
        return frame([pair.as_dict() for pair in self.pairs])

    def as_text(self, layout: str = "text") -> str:
        """The comparisons as the command line prints them: text or json."""
        layouts = {"text": report.comparisons_text, "json": report.comparisons_json}
        return layouts[layout](self.pairs)

    def plot(self, measure: str = "", axes: Axes | None = None) -> Axes:
        """A forest of the differences in one measure, the first where none is named
        (matplotlib)."""
        rows = [
            (f"{pair.first} - {pair.second}", pair.difference, pair.low, pair.high)
            for pair in self.of(measure or self.measures[0])
        ]
        return forest(rows, axes, zero=True)

    def __str__(self) -> str:
        return self.as_text()

    def __repr__(self) -> str:
        systems = {name for pair in self.pairs for name in (pair.first, pair.second)}
        return f"<Comparisons of {len(systems)} systems: {', '.join(self.measures)}>"

    def _repr_html_(self) -> str:
        head = (
            "first",
            "second",
            "measure",
            "difference",
            "low",
            "high",
            "p",
            "adjusted",
        )
        text, chance = report.score_text, report.p_value_text
        rows = [
            (
                *(pair.first, pair.second, pair.measure),
                *(text(pair.difference), text(pair.low), text(pair.high)),
                *(chance(pair.p_value), chance(pair.adjusted)),
            )
            for pair in self.pairs
        ]
        return html_table(head, rows, ["adjusted: Holm, over the pairs of a measure"])
