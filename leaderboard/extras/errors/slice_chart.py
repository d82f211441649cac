"""Chart of where the errors of a submission are: scores of slices on one axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from leaderboard.extension.scores import Axis, Bar, Score, footnotes
from scoring.measures import Measure
from scoring.statistics.bootstrap import Numbers

Plain = Mapping[str, Any]
MOST_UNFOLDED = 12  # slices of a grouping


@dataclass(frozen=True)
class SliceScore:
    """A score on one slice with its bar; `errors` is the number of wrong items and
    `share` how much that is of all, where they are known."""

    score: Score
    bar: Bar | None
    errors: int | None = None
    share: str = ""


@dataclass(frozen=True)
class SliceBar:
    """One slice of the submission and, where two are compared, of the other one.

    Its units are listed by choosing it, or lengths from `shortest` to `longest`.
    """

    label: str
    units: int
    slice: str | None
    shortest: int | None
    longest: int | None
    own: SliceScore
    other: SliceScore | None = None


@dataclass(frozen=True)
class SliceGroup:
    title: str
    lines: Sequence[SliceBar]

    @property
    def alone(self) -> list["SliceGroup"]:
        return [self]


@dataclass(frozen=True)
class SliceChart:
    """Slices by grouping, those of few slices first, and all units on top of them;
    `whole` is the place of their score on the axis.

    `left_out`: smaller slices than those shown can be chosen in the filter.
    """

    everything: SliceBar
    groups: Sequence[SliceGroup]
    scale: Sequence[str]
    whole: str
    with_errors: bool
    left_out: bool
    notes: Sequence[str] = field(default_factory=list)

    @property
    def short(self) -> list[SliceGroup]:
        return [group for group in self.groups if len(group.lines) <= MOST_UNFOLDED]

    @property
    def long(self) -> list[SliceGroup]:
        """Groupings that are folded, each by itself."""
        return [group for group in self.groups if len(group.lines) > MOST_UNFOLDED]


def slice_chart(
    systems: Sequence[Sequence[Plain]], measure: Measure
) -> SliceChart | None:
    """The chart of one submission's slices, or of two beside each other.

    They are those of `scoring.inspection.slices`. None where there is one slice alone.
    """
    own, others = systems[0], systems[1] if len(systems) > 1 else ()
    large = [part for part in own[1:] if part["large"]]
    if len(large) < 2:
        return None
    beside = {(part["group"], part["label"]): part for part in others}
    drawn = [own[0], *large]
    compared = [beside[key] for key in map(_key, drawn) if key in beside]
    scores = [_score(part, measure) for part in (*drawn, *compared)]
    axis = Axis.around(score.ends for score in scores)
    wrong = own[0]["errors"], others[0]["errors"] if others else None

    def line(part: Plain) -> SliceBar:
        other = beside.get(_key(part))
        return SliceBar(
            part["label"],
            part["units"],
            *choice(part),
            _slice_score(part, measure, axis, wrong[0]),
            _slice_score(other, measure, axis, wrong[1]) if other else None,
        )

    groups = [
        SliceGroup(group, [line(part) for part in parts])
        for group, parts in groupby(large, key=lambda part: str(part["group"]))
    ]
    groups.sort(key=lambda group: len(group.lines))
    everything = line(own[0])
    value = everything.own.score.value
    return SliceChart(
        everything,
        groups,
        axis.ends if axis else (),
        axis.at(value) if axis and value is not None else "",
        bool(wrong[0]),
        any(not part["large"] for part in own[1:]),
        footnotes(score.interval for score in scores),
    )


def groupings(systems: Sequence[Sequence[Plain]]) -> dict[str, list[str]]:
    """The labels that the filter offers, by grouping of the gold."""
    labels: dict[str, list[str]] = {}
    for part in systems[0][1:]:
        if part["lengths"] is None:
            labels.setdefault(part["group"], []).append(part["label"])
    return labels


def _key(part: Plain) -> tuple[str, str]:
    return part["group"], part["label"]


def choice(part: Plain) -> tuple[str | None, int | None, int | None]:
    """How the error browser's address lists a slice's units: its name, or the shortest
    and the longest."""
    if part["lengths"] is not None:
        shortest, longest = part["lengths"]
        return None, shortest, longest
    return f"{part['group']}:{part['label']}" if part["group"] else None, None, None


def _score(part: Plain, measure: Measure) -> Score:
    return Score(measure, Numbers.of(part))


def _slice_score(
    part: Plain, measure: Measure, axis: Axis | None, wrong: int | None
) -> SliceScore:
    score, errors = _score(part, measure), part["errors"]
    share = f"{round(100 * errors / wrong)}%" if wrong else ""
    return SliceScore(score, axis.bar(score.ends) if axis else None, errors, share)
