"""A board as one reader sees it: the choices made, its ranked rows, and their rule."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from math import ceil
from secrets import token_hex

from django.utils.translation import gettext as _

from leaderboard.boards.board_rows import (
    NO_ROWS,
    NO_SOURCE,
    BoardFacts,
    BoardRows,
    RowSource,
    lead_sentence,
    of_submissions,
    ranked_of,
)
from leaderboard.boards.query import (
    BoardQuery,
    BoardRequest,
    CustomBoard,
    Filter,
    chosen,
    chosen_columns,
    chosen_filters,
    chosen_measures,
    level_name,
    levels_of,
)
from leaderboard.boards.rows import Row
from leaderboard.results.board_sample import (
    BoardSample,
    Slice,
    Split,
    Tests,
    tests_of,
)
from leaderboard.results.scores import NO_UNITS, Scores, printed, scores_for
from leaderboard.results.stored_counts import Scored, sent_test_sets
from leaderboard.tasks.models import AnyQuestion, GoldRevision, Phase, TestSet
from leaderboard.tasks.policy import CountingRule, Disclosure, Part
from leaderboard.web.cache import digest
from leaderboard.web.known import values_of_row
from leaderboard.web.templatetags.formats import (
    compared_in_words,
    share,
    unit_word,
)
from scoring.measures import Measure
from scoring.statistics.bootstrap import failures_of
from scoring.statistics.comparison import counts_of
from scoring.statistics.groups import LEAST
from scoring.statistics.unseen import UNSEEN

KEY = re.compile(r"[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}", re.ASCII)  # of a row
COUNTERS = "board_version", "oldest_board_version"  # of a phase; no page prints them


@dataclass(frozen=True)
class Board:
    """A phase's ranking as one reader sees it. `measures` are the columns.

    `disclosure` says what the reader may see; without a board there are no rows.
    `revision` is the gold revision where it is not the phase's own. `named` is the one
    of the task's `boards` that was chosen, `offered` are all measures that columns can
    be chosen from. Of the rows that there are (`in_all`) those are left that fit the
    `filters` by fact sheet and the `search`. `levels` and `slices` are those to choose
    from, none on a board of very many systems. `averages`: its mean over test sets can
    be asked for. `at`: as it stood then. `source` is where the `rows` come from.
    `beside_teams`: entries stand beside the board of teams, of which the tests are.
    """

    query: BoardQuery
    disclosure: Disclosure
    measures: tuple[Measure, ...]
    measure: Measure
    test_sets: tuple[TestSet, ...]
    level: float
    revision: GoldRevision | None = None
    at: datetime | None = None
    test_set: TestSet | None = None
    part: Part = Part.ALL
    slice: Slice | None = None
    slices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    named: CustomBoard | None = None
    boards: tuple[CustomBoard, ...] = ()
    offered: tuple[Measure, ...] = ()
    levels: tuple[float, ...] = ()
    some_test_sets: bool = False
    averages: bool = True
    questions: Sequence[AnyQuestion] = ()
    columns: Sequence[AnyQuestion] = ()
    filters: tuple[Filter, ...] = ()
    rows: BoardRows = NO_ROWS
    in_all: int = 0
    source: RowSource = NO_SOURCE
    beside_teams: bool = False

    @property
    def phase(self) -> Phase:
        return self.query.phase

    @property
    def version(self) -> int:
        """The phase's `board_version` that the rows are of."""
        version = self.source.version
        return self.phase.board_version if version is None else version

    @property
    def newer_wait(self) -> bool:
        """Whether newer results are still to be added."""
        return self.version < self.phase.board_version

    @property
    def gold_revision(self) -> GoldRevision:
        return self.revision or self.phase.gold_revision

    @property
    def revision_id(self) -> int:
        return self.revision.pk if self.revision else self.phase.gold_revision_id

    @property
    def best_of_several(self) -> bool:
        """Whether a row is the best of the attempts of its team."""
        disclosure = self.disclosure
        best = disclosure.counts == CountingRule.BEST or not disclosure.everything
        return best and not self.query.everything

    @property
    def family(self) -> tuple[Scored, ...]:
        """The systems of the teams' board, which say by what pairs are compared."""
        return self.source.family

    @property
    def together(self) -> tuple[Scored, ...]:
        """The systems whose pairs are tested together."""
        return self.family if self.beside_teams else self.source.ranked_systems

    def best_of(self, submissions: Collection[str]) -> tuple[int, Row] | None:
        """The first ranked row of these submissions, and its place."""
        wanted = ranked_of(submissions)
        pairs = self.rows.pairs(wanted, 1) if submissions else ()
        return next(iter(pairs), None)

    def rows_of(self, submissions: Iterable[str]) -> list[Row]:
        """The rows of these submissions; a text that is no key of one has none."""
        keys = [key for key in submissions if KEY.fullmatch(key)]
        return self.rows.where(of_submissions(keys)) if keys else []

    @cached_property
    def tests(self) -> Tests:
        """The tests of all pairs that ranges and lines come from, in the measure that
        ranks."""
        known = None if self.beside_teams else self.source.tested
        return known or tests_of(self.sample_of(self.together), self.measure)

    @property
    def resolution(self) -> float | None:
        """The true difference between two typical systems that a board of so many finds
        in four of five cases."""
        return self.source.facts.resolution

    @property
    def compared_by(self) -> str:
        """The grouping whose groups take the place of units in tests, empty where
        single units are exchanged."""
        return self.source.facts.compared_by

    @property
    def power_note(self) -> str:
        """The same in a sentence; empty where it is not known."""
        smallest = self.source.facts.resolution
        if smallest is None:
            return ""
        if self.measure.percent:
            values = {"points": printed(ceil(smallest * 1e4 - 1e-6) / 100, 2)}
            return (
                _(
                    "A true difference of %(points)s points would be found in four of "
                    "five cases."
                )
                % values
            )
        decimals = self.measure.decimals
        decimals = 3 if decimals is None else decimals
        up = ceil(smallest * 10**decimals - 1e-6) / 10**decimals
        values = {"difference": printed(up, decimals)}
        return (
            _(
                "A true difference of %(difference)s would be found in four of five "
                "cases."
            )
            % values
        )

    @property
    def chosen_test_sets(self) -> tuple[TestSet, ...]:
        return self.test_sets if self.test_set is None else (self.test_set,)

    @property
    def several_test_sets(self) -> bool:
        return len(self.test_sets) > 1

    @property
    def several_of_phase(self) -> bool:
        """Whether the phase has several, of which the board may show one alone."""
        return self.several_test_sets or self.some_test_sets

    @property
    def spans_test_sets(self) -> bool:
        """Whether there are enough to say how one system does over them."""
        enough = self.averages and len(self.test_sets) >= LEAST
        return self.disclosure.details and enough

    @property
    def split(self) -> Split | None:
        return Split.of(self.phase, self.part)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts of the units to choose from, none where there is no choice."""
        return self.disclosure.parts if len(self.disclosure.parts) > 1 else ()

    @property
    def narrowed(self) -> bool:
        """Whether a filter or a search leaves rows out."""
        return bool(self.filters or self.query.search)

    def sample_of(
        self,
        evaluations: Sequence[Scored],
        test_sets: Sequence[TestSet] | None = None,
    ) -> BoardSample:
        """Systems on the units that this board shows, by default all that it does."""
        chosen = self.chosen_test_sets if test_sets is None else tuple(test_sets)
        return BoardSample(
            self.phase,
            chosen,
            tuple(evaluations),
            self.slice,
            self.split,
            some_test_sets=self.some_test_sets and len(chosen) > 1,
            level=self.level,
            revision=self.revision.pk if self.revision else None,
            family=lambda: self.family,
        )

    def scores_by_test_set(self, row: Row) -> dict[TestSet, Scores]:
        """The scores of a row on each of the test sets that was sent."""
        sent = sent_test_sets([row.evaluation])[row.evaluation.pk]
        scores = {}
        for test_set in self.test_sets:
            if test_set.pk in sent:
                sample = self.sample_of([row.evaluation], [test_set])
                (scores[test_set],) = scores_for(sample, self.measures)
        return scores

    @cached_property
    def parts_key(self) -> str:
        """The key of the parts of a page around the rows, which are printed once: a
        digest of all that they print of the board, but for the address and the time.
        Rows that are not stored have another at each look."""
        stored = self.source.pk
        if self.in_all and stored is None:
            return token_hex()
        task = self.phase.task
        described = task, self.phase, *self.test_sets, *self.questions
        values_of = partial(values_of_row, but=COUNTERS)
        first = self.rows[:1] if self.narrowed else ()
        return digest(
            (
                *(stored, self.query, self.at, self.disclosure, self.averages),
                [measure.name for measure in self.offered],
                *(len(self.rows), [row.submission for row in first]),
                *map(values_of, described),
            )
        )

    @cached_property
    def rule(self) -> str:
        """The rule by which ranks come about, printed above the table."""
        values = {
            "measure": self.measure.title,
            "which": self._which(),
            "share": share(self.level),
        }
        if self.measure.higher_is_better:
            first = _("Ranked by %(measure)s, highest first, %(which)s.") % values
        else:
            first = _("Ranked by %(measure)s, lowest first, %(which)s.") % values
        equal = _(
            "Equal scores share a rank; baselines are not ranked; n/a comes last."
        )
        how = compared_in_words(self.source.facts.compared_by)
        doubt = " ".join(filter(None, [self._doubt() % values, how]))
        if self.rows.summary.unranked:
            unranked = _("Teams in which organizers of the task are have no rank.")
            equal = f"{equal} {unranked}"
        rule = f"{first}{self._over()} {equal} {doubt}"
        if not self.rows.summary.some_incomplete:
            return rule
        beside = _(
            "Incomplete systems are not tested: ranges are among the complete ones, "
            "and lines say nothing of them."
        )
        return f"{rule} {beside}"

    @property
    def lead(self) -> str:
        """A sentence on who leads and how sure that is; empty where rows are left
        out."""
        if self.narrowed or self.query.everything:
            return ""
        return lead_sentence(self.rows)

    @property
    def lead_notes(self) -> list[str]:
        """Sentences on what the lead sentence, ranges and lines are made from."""
        how = compared_in_words(self.source.facts.compared_by)
        return list(filter(None, [how, self.one_run_note]))

    @property
    def one_run_note(self) -> str:
        """That nobody knows how runs differ, where every system has one."""
        if self.measure.of_file or not self.rows or self.rows.summary.several_runs:
            return ""
        return _(
            "Every system here has one run: intervals and tests do not contain how "
            "much runs of one system differ."
        )

    @property
    def unit_note(self) -> str:
        """A note on the resampled unit, and what intervals do not contain: that units
        behave alike, and what they may not have shown."""
        if self.measure.of_file:
            return ""
        unit = self.phase.task.unit or self.phase.task.scorer.units[0]
        sentences = [_("Resampled unit: %(unit)s.") % {"unit": unit_word(unit)}]
        if unit == "unit":
            sentences = [_("Resampled are the units of the answer key, by their ids.")]
        if within := self.source.facts.alike_within:
            alike = _(
                "Intervals of scores take units inside one %(group)s as independent, "
                "though they seem to behave alike: they may be too narrow."
            )
            sentences.append(alike % {"group": unit_word(within)})
        if self.rows:
            sentences += self._failures()
        return " ".join(sentences)

    def _failures(self) -> list[str]:
        """A sentence on failures that units may not have shown, where so many would
        take the first score out of its interval."""
        if self.measure.sizes is None:
            return []
        score = self.rows[0].sorted_by
        numbers = score.numbers
        sample = self.sample_of([self.rows[0].evaluation])
        more = failures_of(counts_of(sample.strata[0]), self.measure)
        if numbers.value is None or numbers.high is None:
            return []
        if numbers.value + more <= numbers.high:
            return []
        moved = printed(more * (100 if self.measure.percent else 1), score.decimals[0])
        sentence = _(
            "Rare failures may not have shown: %(n)s of them, each in a unit as large "
            "as the largest here, would move %(measure)s by %(moved)s, out of its "
            "interval."
        )
        return [
            sentence % {"n": UNSEEN, "measure": score.measure.title, "moved": moved}
        ]

    @property
    def weights(self) -> str:
        """Test sets with their weights in the mean, where these are not equal."""
        return TestSet.weights_in_words(self.test_sets)

    def _over(self) -> str:
        """Words for the board's test sets, where the phase has others too."""
        if self.phase.separate_test_sets and self.several_of_phase:
            titles = ", ".join(test_set.title for test_set in self.chosen_test_sets)
            return " " + _("Only systems entered for %(test_sets)s stand here.") % {
                "test_sets": titles
            }
        weighed = self.weights
        if weighed and self.test_set is None:
            return " " + _("Scores are the weighted mean of %(test_sets)s.") % {
                "test_sets": weighed
            }
        if not self.some_test_sets or self.test_set is not None:
            return ""
        titles = ", ".join(test_set.title for test_set in self.test_sets)
        return " " + _("Scored on %(test_sets)s.") % {"test_sets": titles}

    def _which(self) -> str:
        if self.query.everything:
            return _("every entry")
        if not self.disclosure.everything:
            return _("the best published entry of each team")
        return {
            CountingRule.BEST: _("the best entry of each team"),
            CountingRule.LAST: _("the last entry of each team"),
            CountingRule.CHOSEN: _("the entry that each team chose, else its last"),
        }[CountingRule(self.disclosure.counts)]

    def _doubt(self) -> str:
        if self.measure.of_file:
            return str(NO_UNITS)
        if self.rows.summary.untested and self.measure.tested_from:
            return _(
                "Systems are not tested against each other: there are too few units "
                "for a test of this measure, or too many systems. Ranks have no "
                "ranges, and no lines separate groups."
            )
        if self.rows.summary.untested:
            return _(
                "So many systems are not tested against each other: ranks have no "
                "ranges, and no lines separate groups."
            )
        if self.phase.lasting_differences:
            return _(
                "A range such as 2–4 beside a rank is its %(share)s confidence range, "
                "for all systems at once and however often one looks. Lines separate "
                "groups: every system above a line is significantly better than every "
                "one below it (all pairs tested, the error rate spent over arrivals: "
                "no difference once shown is taken back by later systems)."
            )
        return _(
            "A range such as 2–4 beside a rank is its %(share)s confidence range, for "
            "all systems at once. Lines separate groups: every system above a line is "
            "significantly better than every one below it (all pairs tested, "
            "Holm-corrected)."
        )


def board_without_rows(asked: BoardRequest, facts: BoardFacts) -> Board:
    """The board with its choices checked and made, still without rows. Of very many
    entries there are no levels to choose, which take minutes for ten thousand."""
    query, ranking, disclosure = asked.query, asked.ranking, asked.disclosure
    phase = query.phase
    levels = () if facts.many else levels_of(phase.task, disclosure)
    named, test_sets = ranking.named, ranking.test_sets
    offered = named.measures if named else tuple(phase.task.headline_first)
    part = asked.part
    questions = phase.public_questions()
    measure = chosen(offered, query.measure, offered[0])
    groups = facts.slices.items()
    slices = (Slice(group, label) for group, labels in groups for label in labels)
    return Board(
        query,
        disclosure,
        chosen_measures(offered, query.measures, measure)
        if query.measures
        else tuple(offered),
        measure,
        test_sets,
        chosen(levels, query.level, phase.task.level, level_name),
        asked.revision,
        asked.moment,
        test_set=ranking.test_set,
        part=part,
        slice=chosen(slices, query.slice, None, str),
        slices=facts.slices,
        named=named,
        boards=ranking.boards,
        offered=offered,
        levels=levels,
        some_test_sets=len(test_sets) < len(ranking.of_phase),
        averages=ranking.averages,
        questions=questions,
        columns=chosen_columns(questions, query.columns),
        filters=chosen_filters(questions, query.facts) if query.facts else (),
    )
