"""Sources of the uncertainty of a system's scores, on its page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.extension.boards import Board, Row, sources
from leaderboard.extension.scores import Score, printed
from scoring.statistics.variance_components import SOURCES, Sources


@dataclass(frozen=True)
class SourcePart:
    """One source of the uncertainty of a score: the share of the variance, as text, and
    where it stands in a bar of 100 %. `css` names its colour."""

    css: str
    title: str
    share: str
    start: str
    width: str


@dataclass(frozen=True)
class UncertaintyLine:
    """The standard error of a score, and what it is made of; a part is None where there
    is no telling it from others."""

    score: Score
    error: str
    parts: Sequence[SourcePart | None]

    @property
    def measured_parts(self) -> list[SourcePart]:
        return [part for part in self.parts if part is not None]


@dataclass(frozen=True)
class Uncertainty:
    """Lines of the measures that runs, prompts or judges bear on, with how many there
    are."""

    heads: Sequence[str]
    lines: Sequence[UncertaintyLine]
    runs: int
    prompts: int
    judges: int


def uncertainty(board: Board, row: Row) -> Uncertainty | None:
    """The sources of a row's uncertainty; None where nothing but units is known to
    vary."""
    (by_name,) = sources(board, [row])
    if not by_name:
        return None
    prompts = any(source.prompts is not None for source in by_name.values())
    # Most entries name no prompt, and need no column of dashes.
    names = [name for name in SOURCES if prompts or name != "prompts"]
    titles = _titles()
    lines = [
        _line(row.by_measure[name], source, names) for name, source in by_name.items()
    ]
    every = by_name.values()
    most = (
        max(getattr(source, f"of_{name}") for source in every)
        for name in ("runs", "prompts", "judges")
    )
    return Uncertainty([titles[name] for name in names], lines, *most)


def _titles() -> dict[str, str]:
    titles = (_("Units"), _("Runs"), _("Prompts"), _("Judges"), _("What is left"))
    return dict(zip(SOURCES, titles, strict=True))


def _line(score: Score, sources: Sources, names: Sequence[str]) -> UncertaintyLine:
    factor = 100 if score.measure.percent else 1
    return UncertaintyLine(
        score,
        printed(sources.error * factor, score.decimals[1]),
        list(_parts(sources, names)),
    )


def _parts(sources: Sources, names: Sequence[str]) -> Iterator[SourcePart | None]:
    titles, whole, start = _titles(), sources.whole, 0.0
    for name in names:
        variance = sources.parts[name]
        if variance is None:
            yield None
            continue
        share = 100 * variance / whole if whole else 0.0
        title, places = titles[name], (f"{start:.2f}%", f"{share:.2f}%")
        yield SourcePart(name, title, f"{share:.0f}%", *places)
        start += share
