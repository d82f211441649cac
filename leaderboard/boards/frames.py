"""A board as one reader sees it: the choices made, its rows, and how ranks come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from math import ceil

from django.utils.translation import gettext as _

from leaderboard.boards.facts import Filter
from leaderboard.boards.levels import Recounted, levels_of
from leaderboard.boards.named import Named
from leaderboard.boards.ordering import Row
from leaderboard.boards.templatetags.units import unit_word
from leaderboard.submissions.board_sample import (
    Field,
    Slice,
    Split,
    Tests,
    alike_within,
    tests_of,
)
from leaderboard.submissions.counts_cache import Scored
from leaderboard.tasks.facts import Question
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.policy import Counts, Disclosure, Part
from scoring.measures import Measure

MOST_LOOKED_AT = 5  # rows, for whether units answer alike


@dataclass(frozen=True)
class Board:
    """A phase's ranking as one reader sees it. `measures` are the columns.

    `shown` says what the reader may see; without a board there are no rows. `named`
    is the one of the task's `boards` that was chosen, `offered` are all measures that
    columns can be chosen from. Of the rows that there are (`in_all`) those are left
    that fit the `filters` by fact sheet and the `search`. `at`: as it stood then. The
    level of its intervals is the phase's task's, `recounted` where a reader chose
    another one than was stored. `family` are the systems whose pairs are tested
    together: the ranked ones with one entry for each team, whatever is shown of them.
    """

    phase: Phase
    shown: Disclosure
    measures: tuple[Measure, ...]
    measure: Measure
    test_sets: tuple[TestSet, ...]
    test_set: TestSet | None
    everything: bool
    part: Part = Part.ALL
    slice: Slice | None = None
    slices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    named: Named | None = None
    boards: tuple[Named, ...] = ()
    offered: tuple[Measure, ...] = ()
    questions: tuple[Question, ...] = ()
    columns: tuple[Question, ...] = ()
    filters: tuple[Filter, ...] = ()
    search: str = ""
    at: datetime | None = None
    recounted: bool = False
    in_all: int = 0
    some_test_sets: bool = False
    rows: tuple[Row, ...] = ()
    family: tuple[Scored, ...] = ()

    @cached_property
    def tests(self) -> Tests:
        """Of the pairs of the family, in the measure that ranks."""
        return tests_of(self.field_of(self.family), self.measure)

    @property
    def resolution(self) -> float | None:
        """The smallest difference that is resolved here; not where scores are rounded.

        Of rounded scores it would tell what the rounding hides.
        """
        told = self.shown.board and self.shown.exact and self.family
        return self.tests.resolution if told else None

    @property
    def resolves(self) -> str:
        """The same in a sentence; empty where it is not known."""
        found = self.resolution
        return "" if found is None else resolved(found, self.measure.percent)

    @property
    def chosen_test_sets(self) -> tuple[TestSet, ...]:
        return self.test_sets if self.test_set is None else (self.test_set,)

    @property
    def several_test_sets(self) -> bool:
        return len(self.test_sets) > 1

    @property
    def split(self) -> Split | None:
        return Split.of(self.phase, self.part)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts of the units to choose from, none where there is no choice."""
        return self.shown.parts if len(self.shown.parts) > 1 else ()

    @property
    def level(self) -> float:
        """Of intervals and rank ranges, as in 0.95."""
        return float(self.phase.task.level)

    @property
    def levels(self) -> tuple[float, ...]:
        """Levels to choose from, none where there is no choice."""
        return levels_of(self.phase.task, self.shown)

    @property
    def narrowed(self) -> bool:
        """Whether a filter or a search leaves rows out."""
        return bool(self.filters or self.search)

    def field_of(
        self,
        evaluations: Sequence[Scored],
        test_sets: Sequence[TestSet] | None = None,
    ) -> Field:
        """Systems on the units that this board shows, by default all that it does."""
        chosen = self.chosen_test_sets if test_sets is None else tuple(test_sets)
        systems = tuple(evaluations)
        some = self.some_test_sets and len(chosen) > 1
        kind = Recounted if self.recounted else Field
        return kind(self.phase, chosen, systems, self.slice, self.split, some)

    @property
    def rule(self) -> str:
        """How ranks come about, printed above the table."""
        told = {
            "measure": self.measure.title,
            "which": self._which(),
            "share": f"{self.level * 100:g}%",
        }
        if self.measure.higher_is_better:
            first = _("Ranked by %(measure)s, highest first, %(which)s.") % told
        else:
            first = _("Ranked by %(measure)s, lowest first, %(which)s.") % told
        equal = _(
            "Equal scores share a rank; baselines are not ranked; n/a comes last."
        )
        return (
            f"{first}{self._over()} {equal}{self._organizers()} {self._doubt() % told}"
        )

    @property
    def unit_note(self) -> str:
        """What is resampled, and whether such units are independent."""
        unit = self.phase.task.unit or self.phase.task.scorer.units[0]
        said = _("Resampled unit: %(unit)s.") % {"unit": unit_word(unit)}
        if not (self.rows and self.shown.exact):
            return said
        first = [row.evaluation for row in self.rows[:MOST_LOOKED_AT]]
        group = alike_within(self.field_of(first), self.measure)
        if not group:
            return said
        return f"{said} " + _(
            "Units inside one %(group)s are treated as independent, though they answer "
            "alike: intervals are too narrow."
        ) % {"group": unit_word(group)}

    def _organizers(self) -> str:
        """That teams of organizers are not ranked, where there is one."""
        if not any(row.organizers and not row.competes for row in self.rows):
            return ""
        return " " + _("Teams in which organizers of the task are have no rank.")

    def _over(self) -> str:
        """Which test sets, where the phase has others too."""
        if not self.some_test_sets or self.test_set is not None:
            return ""
        titles = ", ".join(test_set.title for test_set in self.test_sets)
        return " " + _("Scored on %(test_sets)s.") % {"test_sets": titles}

    def _which(self) -> str:
        if self.everything:
            return _("every entry")
        if not self.shown.everything:
            return _("the best published entry of each team")
        return {
            Counts.BEST: _("the best entry of each team"),
            Counts.LAST: _("the last entry of each team"),
            Counts.CHOSEN: _("the entry that each team chose, else its last"),
        }[Counts(self.shown.counts)]

    def _doubt(self) -> str:
        if not self.shown.exact:
            return _(
                "Scores are rounded, and their %(share)s intervals outward. Two "
                "systems differ significantly where their intervals, widened for the "
                "number of systems, do not overlap: a range such as 2-4 holds the "
                "ranks that this leaves possible."
            )
        return _(
            "A range such as 2-4 holds the ranks that the tests leave possible, with "
            "%(share)s confidence for all systems at once. A line stands where every "
            "system above is significantly better than every one below (all pairs "
            "tested, Holm)."
        )


def resolved(difference: float, percent: bool) -> str:
    """The smallest difference that is resolved, rounded up, as a sentence."""
    if percent:
        told = {"points": f"{ceil(difference * 1e4 - 1e-6) / 100:.2f}"}
        return _("Differences below %(points)s points are not resolved here.") % told
    told = {"difference": f"{ceil(difference * 1e3 - 1e-6) / 1000:.3f}"}
    return _("Differences below %(difference)s are not resolved here.") % told
