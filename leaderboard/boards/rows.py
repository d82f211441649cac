"""Rows of a board: the big reads as plain values, a row made from each, and its JSON.

A board has a row for each of its systems and shows few of them, so that nearly all of
a row is worked out when it is asked for.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache, cached_property, lru_cache
from itertools import starmap
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote_plus
from uuid import UUID

from django.db.models import BigAutoField, QuerySet
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _
from rest_framework.fields import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    Field,
    IntegerField,
    ListField,
    UUIDField,
)

from leaderboard.results.scores import Score, Scores, newest, sent_for
from leaderboard.results.status import INCOMPLETE, Badge
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
    SystemDescription,
)
from leaderboard.tasks.models import AnyQuestion, Fact, Participation, Phase, TestSet
from leaderboard.tasks.policy import Disclosure, name_of
from leaderboard.web.statements import Statement
from leaderboard.web.texts import with_dashes
from scoring.measures import Measure
from scoring.statistics.ranks import SystemRank

if TYPE_CHECKING:
    from leaderboard.boards.board import Board

OF_EVALUATION = ("pk", "submission_id", "gold_revision_id", "engine", "complete")

OF_TEAM = {"ranks_anyway": "submission__participation__ranks_anyway"}
NOT_RANKED = SystemRank()
_verdict = attrgetter(*(field.name for field in fields(SystemRank)))


class ScoredEntry(NamedTuple):
    """A scored submission as far as a row of a board is made of it.

    A board of thousands is read to show a hundred. Objects of the models would take
    several times as long, and the memory.
    """

    pk: int
    submission_id: UUID
    gold_revision_id: int
    engine: str
    complete: bool
    participation_id: int
    system: str
    baseline: bool
    picked: bool
    received_at: datetime
    admitted_at: datetime | None
    brought_at: datetime | None = None
    by_organizers: bool = False
    ranks_anyway: bool = False
    runs: int = 1
    facts: Mapping[str, Any] = {}  # the last: it is not read where nobody asks for it

    @property
    def competes(self) -> bool:
        """Whether it may have a rank: no baseline, and no organizers' team."""
        return not self.baseline and (self.ranks_anyway or not self.by_organizers)

    @property
    def stands_for(self) -> object:
        """One row each is left of these: a team, or a baseline by itself."""
        return self.submission_id if self.baseline else self.participation_id

    @property
    def last(self) -> tuple[datetime, int]:
        """Greater for what came later."""
        return self.received_at, self.pk


class TeamName(NamedTuple):
    name: str


class BoardParticipant(NamedTuple):
    """A participation in a task, as far as boards name it."""

    pk: int
    merged_into_id: int | None
    anonymous: bool
    alias: int | None
    team: TeamName


OF_PARTICIPANT = (*BoardParticipant._fields[:-1], "team__name")


def scored(
    phase: Phase, revision: int, withdrawn: bool = False, team: int | None = None
) -> list[ScoredEntry]:
    """Scored entries of a phase, or of one team, under one gold revision, in order of
    receipt.

    Of each submission the evaluation that was made last. `withdrawn` asks also for
    what may not stand on the board any more. One query.
    """
    # Decoding the answers of a thousand fact sheets takes longer than ranking them.
    ask = _scored_rows(withdrawn, team is not None, bool(phase.public_questions()))
    rows = ask(phase=phase.pk, revision=revision, team=team)
    return newest(starmap(ScoredEntry, rows))


@cache
def _scored_rows(withdrawn: bool, of_one_team: bool, facts: bool) -> Statement:
    """The statement of `scored`, with or without answers to the fact sheet."""
    wanted = ScoredEntry._fields if facts else ScoredEntry._fields[:-1]

    def evaluations(phase: int, revision: int, team: int) -> QuerySet:
        sent = Submission.objects.filter(phase=phase)
        if of_one_team:
            sent = sent.filter(participation=team)
        standing = sent.filter(late=False) if withdrawn else sent.counted()
        rows = Evaluation.objects.filter(
            gold_revision=revision,
            state=EvaluationState.SCORED,
            submission__in=standing,
        ).order_by("submission__received_at", "pk")
        return rows.values_list(*map(column_of_entry, wanted))

    names = ("phase", "revision", "team")
    return Statement(evaluations, {name: BigAutoField() for name in names})


def column_of_entry(name: str) -> str:
    """The column of an evaluation with what an entry has under that name."""
    usual = name if name in OF_EVALUATION else f"submission__{name}"
    return OF_TEAM.get(name, usual)


def participants_of(
    phase: Phase, pks: Collection[int] | None = None
) -> dict[int, BoardParticipant]:
    """Participations in the task by id, all or some. One query: a team has many
    submissions."""
    entries = Participation.objects.filter(task=phase.task_id)
    if pks is not None:
        entries = entries.filter(pk__in=pks)
    rows: Iterable[Any] = entries.values_list(*OF_PARTICIPANT)
    return {row[0]: participant_of(row) for row in rows}


def has_name(part: str, team: str, system: str) -> bool:
    """Whether that is part of the name of a team or of its system."""
    return part.casefold() in f"{team}\n{system}".casefold()


def participant_of(values: Sequence[Any]) -> BoardParticipant:
    """The participant that the columns OF_PARTICIPANT describe."""
    *known, name = values
    return BoardParticipant._make([*known, TeamName(name)])


def counted_submissions(phase: Phase) -> set[UUID]:
    """Submissions of a phase that may stand on its board."""
    counted = Submission.objects.filter(phase=phase).counted()
    return set(counted.values_list("pk", flat=True))


def descriptions(
    phase: Phase, systems: Collection[UUID] | None = None
) -> dict[UUID, SystemDescription]:
    """The newest description of each system of a phase, or of some `systems`; none
    before its end."""
    if not phase.has_ended():
        return {}
    sent = Submission.objects.filter(phase=phase).counted()
    if systems is not None:
        sent = sent.filter(pk__in=systems)
    described = SystemDescription.objects.filter(submission__in=sent).defer("text")
    return {d.submission_id: d for d in described.order_by("at", "pk")}


@dataclass(frozen=True)
class RowContext:
    """The data that all rows of a board share, read at once.

    `measures` are the columns, and rows are sorted by the one named `sorted_by`;
    `closes` is the end of the phase, `later` those of teams that were given longer;
    `entries` says how many each team has sent; `complete` are evaluations with a file
    for each test set shown.
    """

    measures: Sequence[Measure]
    sorted_by: str
    closes: datetime | None
    later: Mapping[int, datetime]
    questions: Sequence[AnyQuestion]
    disclosure: Disclosure
    teams: Mapping[int, BoardParticipant]
    entries: Mapping[int, int]
    descriptions: Mapping[UUID, SystemDescription]
    complete: Collection[int]


def entries_sent(
    phase: Phase, as_of: datetime | None, test_sets: Sequence[TestSet]
) -> QuerySet[Submission]:
    """Submissions that count as entries of their teams on a board, withdrawn ones too;
    where test sets are entered one by one those with a file for each."""
    sent = Submission.objects.filter(phase=phase, late=False).order_by()
    if as_of is not None:
        sent = sent.filter(received_at__lte=as_of)
    for test_set in test_sets:
        sent = sent.filter(files__test_set=test_set)
    return sent


def row_context(
    board: "Board",
    complete: Collection[int],
    teams: Mapping[int, BoardParticipant],
    entries: Mapping[int, int],
    systems: Collection[UUID] | None = None,
) -> RowContext:
    """The data that rows share, of a few `systems` or of all; `entries` is how many
    each team has sent."""
    phase, disclosure = board.phase, board.disclosure
    later: dict[int, datetime] = {}
    if phase.extended_until is not None:  # some team was given longer
        later = dict(phase.extensions.values_list("participation", "until"))
    return RowContext(
        board.measures,
        board.measure.name,
        phase.closes,
        later,
        board.questions,
        disclosure,
        teams,
        entries,
        descriptions(phase, systems) if entries and disclosure.everything else {},
        complete,
    )


class RankChange(NamedTuple):
    """Places that a team has gone up since last week, down below 0; None: it is new."""

    places: int | None

    @property
    def mark(self) -> str:
        if self.places is None:
            return _("new")
        return f"{'▲' if self.places > 0 else '▼'}{abs(self.places)}"

    @property
    def in_words(self) -> str:
        if self.places is None:
            return _("new since last week")
        if self.places > 0:
            return _("up %(places)d since last week") % {"places": self.places}
        return _("down %(places)d since last week") % {"places": -self.places}

    @property
    def css(self) -> str:
        if self.places is None:
            return "new"
        return "up" if self.places > 0 else "down"


@dataclass(frozen=True)
class Row:
    """One line. `rank` is None for what does not compete and n/a, and of every row
    before its place is known.

    `change` is that of its rank since last week; None where there is none to tell.
    """

    evaluation: ScoredEntry
    by_measure: Scores
    context: RowContext
    rank: int | None = None
    standing: SystemRank = NOT_RANKED
    change: RankChange | None = None

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        """Scores in the order of the columns."""
        return tuple(self.by_measure[m.name] for m in self.context.measures)

    @cached_property
    def value(self) -> float | None:
        """The value in the measure it is sorted by, as shown."""
        return self.by_measure.value(self.context.sorted_by)

    @cached_property
    def sorted_by(self) -> Score:
        return self.by_measure[self.context.sorted_by]

    @property
    def team(self) -> str:
        teams, disclosure = self.context.teams, self.context.disclosure
        return name_of(teams[self.evaluation.participation_id], disclosure)

    def has_name(self, part: str) -> bool:
        """Whether that is part of the name of its team or system."""
        return has_name(part, self.team, self.system)

    @property
    def team_page(self) -> str:
        """The address of its team's results; empty for a baseline, or a hidden name.

        Organizers get none: they read names that the page of a team must not know.
        """
        team = self.team
        hidden = team != self.entry.team.name
        if hidden or self.evaluation.baseline or self.context.disclosure.organizer:
            return ""
        return f"{reverse('team-results')}?team={quote_plus(team)}"

    @property
    def entry(self) -> BoardParticipant:
        return self.context.teams[self.evaluation.participation_id]

    @property
    def system(self) -> str:
        return self.evaluation.system

    @cached_property
    def submission(self) -> str:
        return str(self.evaluation.submission_id)

    @property
    def received_at(self) -> datetime:
        return self.evaluation.received_at

    @property
    def runs(self) -> int:
        """The number of runs of the system that its scores are means of."""
        return self.evaluation.runs

    @property
    def entries(self) -> int:
        """The number of entries that its team has sent."""
        return self.context.entries.get(self.evaluation.participation_id, 0)

    @property
    def baseline(self) -> bool:
        return self.evaluation.baseline

    @property
    def organizers(self) -> bool:
        """Somebody of its team organizes the task, or did when it came."""
        return self.evaluation.by_organizers

    @property
    def brought(self) -> bool:
        """It was sent to another site and brought along by the organizers."""
        return self.evaluation.brought_at is not None

    @property
    def competes(self) -> bool:
        return self.evaluation.competes

    @property
    def complete(self) -> bool:
        return self.evaluation.pk in self.context.complete

    @property
    def came_after(self) -> bool:
        """It came after the end as it is now. Baselines may come at any time."""
        closes, entry = self.context.closes, self.evaluation
        if closes is None or entry.baseline:
            return False
        later = self.context.later.get(entry.participation_id, closes)
        return entry.received_at >= max(closes, later)

    @cached_property
    def facts(self) -> dict[str, Fact]:
        """The answers that all may see; of a task that asks nothing none are read."""
        facts, questions = self.evaluation.facts, self.context.questions
        return {q.name: facts[q.name] for q in questions if q.name in facts}

    @property
    def description(self) -> SystemDescription | None:
        return self.context.descriptions.get(self.evaluation.submission_id)

    @property
    def rank_range(self) -> str:
        """The 95 % range of the rank, "2–5"; empty where it is not known."""
        return with_dashes(self.standing.range)

    @property
    def in_words(self) -> str:
        """A sentence that says how sure the rank is; empty for n/a."""
        _start, measure = self.by_measure.columns[self.context.sorted_by]
        tests = measure.of_file, measure.stepwise, measure.tested_from > 0
        return _in_words(get_language(), self.standing, *tests)

    def content(self) -> tuple[Hashable, ...]:
        """All of it that pages print: two rows with the same content look the same on
        boards of the same choices."""
        entry, context = self.evaluation, self.context
        described = context.descriptions.get(entry.submission_id)
        return (
            *(str(entry.submission_id), *entry[4:-1]),
            *(self.by_measure.numbers.tobytes(), *_verdict(self.standing)),
            *(self.rank, self.change, *context.teams[entry.participation_id]),
            context.entries.get(entry.participation_id, 0),
            entry.pk in context.complete,
            repr(self.facts) if context.questions else "",
            *(description_json(described).values() if described else ()),
        )

    @property
    def ranked(self) -> bool:
        return self.rank is not None

    @property
    def may_rank(self) -> bool:
        return self.evaluation.competes and self.value is not None


def _why_untested(of_file: bool, stepwise: bool, few_untested: bool) -> str:
    if of_file:
        return _("not compared with other systems: no values per unit are known")
    if stepwise:
        return _("not compared with other systems: no test fits this measure")
    if few_untested:
        return _(
            "not compared with other systems: too few units for a test of this "
            "measure, or too many systems"
        )
    return _("not compared with other systems: it would take too long")


# Every look at a board prints a hundred of these sentences, nearly always the same.
@lru_cache(maxsize=5_000)
def _in_words(
    _language: str | None,
    standing: SystemRank,
    of_file: bool,
    stepwise: bool,
    few_untested: bool,
) -> str:
    """How sure a rank is, by a measure of that kind (`Measure`)."""
    if standing.rank is None:
        return ""
    if not standing.complete:
        sentence = _("incomplete: not compared with other systems")
    elif not standing.others and standing.untested:
        sentence = _("the only complete system")
    elif not standing.others:
        sentence = _("the only ranked system")
    elif of_file or standing.low is None:
        sentence = _why_untested(of_file, stepwise, few_untested)
    elif not standing.level and standing.untested:
        sentence = _("significantly different from every other complete system")
    elif not standing.level:
        sentence = _("significantly different from every other system")
    elif standing.level == standing.others and standing.untested:
        sentence = _("not significantly different from any other complete system")
    elif standing.level == standing.others:
        sentence = _("not significantly different from any other system")
    elif standing.level_with == str(standing.rank):
        sentence = ngettext(
            "not significantly different from the other system of this rank",
            "not significantly different from the other systems of this rank",
            standing.level,
        )
    else:
        sentence = ngettext(
            "not significantly different from rank %(ranks)s",
            "not significantly different from ranks %(ranks)s",
            1 if standing.level_with.isdigit() else 2,
        )
        sentence %= {"ranks": _in_short(standing.level_with)}
    return with_few_decide(sentence, standing)


def with_few_decide(sentence: str, standing: SystemRank) -> str:
    """The sentence, with the ranks from which a few units alone make the difference."""
    few = standing.few_decide
    if not few:
        return sentence
    remark = ngettext(
        "%(sentence)s; a few units decide against rank %(ranks)s",
        "%(sentence)s; a few units decide against ranks %(ranks)s",
        1 if few.isdigit() else 2,
    )
    return remark % {"sentence": sentence, "ranks": _in_short(few)}


def _in_short(ranks: str) -> str:
    """Ranks in short as a sentence has them: "1, 3 and 6–8"."""
    first, _comma, last = with_dashes(ranks).rpartition(", ")
    if not first:
        return last
    return _("%(ranks)s and %(last)s") % {"ranks": first, "last": last}


def complete_evaluations(
    evaluations: Sequence[ScoredEntry], test_sets: Sequence[TestSet], some: bool
) -> set[int]:
    """Evaluations with a file for each of the test sets; `some`: the phase has more.

    At most one query.
    """
    if not some:
        return {e.pk for e in evaluations if e.complete}
    return {e.pk for e in sent_for(evaluations, test_sets)}


class RowMember(NamedTuple):
    """One member of a row in JSON, as the API describes it. `csv`: it is a column of
    the export."""

    name: str
    type: Field
    csv: bool = False


# All that a board says of a system beside its scores, which go by measure: each is a
# value of `row_values`. Pages, snapshots, archives and tables on other sites print them
# in `templates/boards/_rows.jinja`.
MEMBERS = (
    RowMember("rank", IntegerField(allow_null=True)),
    RowMember("rank_range", ListField(child=IntegerField(allow_null=True))),
    RowMember("cluster", IntegerField(allow_null=True)),
    RowMember("in_words", CharField()),
    RowMember(
        "few_units_decide",
        CharField(
            help_text="ranks of the systems from which it differs significantly, but "
            "by a few units"
        ),
        csv=True,
    ),
    RowMember("team", CharField(), csv=True),
    RowMember("system", CharField(), csv=True),
    RowMember("submission", UUIDField(), csv=True),
    RowMember("received_at", DateTimeField(), csv=True),
    RowMember("entries", IntegerField(), csv=True),
    RowMember("baseline", BooleanField(), csv=True),
    RowMember("complete", BooleanField(), csv=True),
    RowMember(
        "late_admitted",
        BooleanField(help_text="it came after the end, and an organizer admitted it"),
        csv=True,
    ),
    RowMember(
        "after_end",
        BooleanField(
            help_text="it came after the phase's present end and was not admitted"
        ),
        csv=True,
    ),
    RowMember(
        "organizers",
        BooleanField(help_text="somebody of the team has, or had, a role in the task"),
        csv=True,
    ),
    RowMember(
        "brought",
        BooleanField(
            help_text="it was submitted on another site and imported from there"
        ),
        csv=True,
    ),
    RowMember(
        "runs",
        IntegerField(help_text="number of runs of the system; scores are their means"),
    ),
    RowMember("facts", DictField()),
    RowMember("description", DictField(allow_null=True)),
)


def row_values(row: Row) -> dict[str, Any]:
    """A row as plain values, without its scores; pages print a hundred at once."""
    entry, context, standing = row.evaluation, row.context, row.standing
    late, described = row.came_after, context.descriptions.get(entry.submission_id)
    return {
        "rank": row.rank,
        "rank_range": [standing.low, standing.high],
        "cluster": standing.cluster,
        "in_words": row.in_words,
        "few_units_decide": standing.few_decide,
        "team": row.team,
        "system": entry.system,
        "submission": row.submission,
        "received_at": entry.received_at,
        "entries": context.entries.get(entry.participation_id, 0),
        "baseline": entry.baseline,
        "complete": entry.pk in context.complete,
        "late_admitted": late and entry.admitted_at is not None,
        "after_end": late and entry.admitted_at is None,
        "organizers": entry.by_organizers,
        "brought": entry.brought_at is not None,
        "runs": entry.runs,
        "facts": row.facts,
        "description": None if described is None else description_json(described),
    }


BADGES = {
    "baseline": Badge(gettext_lazy("Baseline")),
    "organizers": Badge(gettext_lazy("Organizers' team")),
    "brought": Badge(gettext_lazy("Imported"), mark="↪"),
    "incomplete": INCOMPLETE,
    "late_admitted": Badge(gettext_lazy("Late, admitted"), "badge-late"),
    "after_end": Badge(gettext_lazy("After the end"), "badge-late"),
}


def badges_of(values: Mapping[str, Any]) -> list[Badge]:
    """The badges of a row in JSON; what was frozen before there was one is without."""
    flags = {**values, "incomplete": not values["complete"]}
    return [BADGES[name] for name in BADGES if flags.get(name)]


def row_json(row: Row) -> dict[str, Any]:
    scores = {score.measure.name: dict(score.exact) for score in row.scores}
    return row_values(row) | {"scores": scores}


def description_json(description: SystemDescription) -> dict[str, Any]:
    return {
        "title": description.title,
        "link": description.link,
        "page": reverse("system", args=[description.submission_id]),
        "sha256": description.sha256,
    }
