"""A board's address as a value, checked against what there is to choose."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from math import isfinite
from operator import attrgetter
from typing import Any, TypeVar, cast
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AnonymousUser
from django.contrib.contenttypes.models import ContentType
from django.http import Http404, HttpRequest, QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _

from leaderboard.boards.board_rows import PER_PAGE, BoardFacts, BoardSummary
from leaderboard.tasks import policy
from leaderboard.tasks.access import test_sets_of
from leaderboard.tasks.models import (
    AnyQuestion,
    Change,
    Fact,
    GoldRevision,
    NamedBoard,
    Phase,
    Task,
    TestSet,
)
from leaderboard.tasks.policy import Disclosure, Part, Power, can
from leaderboard.web.access import or_404
from leaderboard.web.cache import digest
from scoring import VERSION
from scoring.measures import Measure
from scoring.picks import likely

LEVELS = (0.9, 0.95, 0.99)
LEAST, MOST = "min", "max"
YES_NO = {"yes": True, "no": False}
FACT = "fact."
LONGEST_MOMENT = 40
# Choices that move a rank, beside the measures.
CHOICES = ("measure", "test_set", "everything", "slice", "part", "board", "level")

# What is stored in another form is not read, and made anew.
FORM = PER_PAGE, [p.name for kind in (BoardFacts, BoardSummary) for p in fields(kind)]

Option = TypeVar("Option")
Default = TypeVar("Default")


MOST_TOLD, LONGEST_TOLD = 30, 60


class UnknownChoice(Http404):
    """A measure, test set, slice or part that this board does not have. What programs
    are told of it is its argument."""

    @classmethod
    def of(cls, name: str, known: Iterable[str]) -> "UnknownChoice":
        """The error for a name that is none of the known ones."""
        names = list(known)
        more = ", …" if len(names) > MOST_TOLD else ""
        about = {"name": name[:LONGEST_TOLD], "known": ", ".join(names[:MOST_TOLD])}
        if not names:
            return cls(_("There is no “%(name)s” here.") % about)
        if near := likely(name, names):
            sentence = _("There is no “%(name)s” here; did you mean “%(near)s”?")
            return cls(sentence % {**about, "near": near})
        sentence = _("There is no “%(name)s” here; expected one of %(known)s.")
        return cls(sentence % {**about, "known": about["known"] + more})


@dataclass(frozen=True)
class BoardQuery:
    """A phase's board and what a reader chose of it, as its address says it.

    `revision` is a gold revision other than the one that the phase shows. `slice` is
    "group:label", as in "genre:letter"; `part` is public, private or all where units
    are split. `board` names one of the task's boards. `facts` are filters by fact
    sheet, name or name.min and the value; `columns` the questions shown, None for
    all, and `measures` the measures, none for all. `search` is part of a name, `level`
    per cent as in "95", `at` a day or a time, `page` a number from 1, or "all".
    `expected`: with a column of what is expected on new data.
    """

    phase: Phase = field(repr=False)
    revision: GoldRevision | None = None
    measure: str = ""
    test_set: str = ""
    everything: bool = False
    slice: str = ""
    part: str = ""
    board: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] | None = None
    measures: tuple[str, ...] = ()
    search: str = ""
    level: str = ""
    at: str = ""
    page: str = ""
    expected: bool = False

    @classmethod
    def of(
        cls, address: QueryDict, phase: Phase, revision: GoldRevision | None = None
    ) -> "BoardQuery":
        """The choices in an address; empty fields of a form ask for nothing.

        `?columns=` says that no more questions than those of `?column=` are columns.
        """
        facts = (
            (key.removeprefix(FACT), value.strip())
            for key, value in cast(Mapping[str, str], address).items()
            if key.startswith(FACT) and value.strip()
        )
        narrowed = "columns" in address or "column" in address
        names = ("measure", "test_set", "slice", "part", "board", "level", "at", "page")
        return cls(
            phase,
            revision,
            everything=address.get("entries") == "all",
            expected=address.get("expected") == "1",
            facts=tuple(facts),
            columns=tuple(address.getlist("column")) if narrowed else None,
            measures=tuple(address.getlist("show")),
            search=address.get("q", "").strip(),
            **{name: address.get(name, "") for name in names},
        )

    def cache_parts(self, disclosure: Disclosure) -> tuple[object, ...]:
        """Everything beside its choices and version that the board depends on."""
        return (
            self.phase.pk,
            self.phase.gold_revision_id,
            self.revision and self.revision.pk,
            self.phase.state(),
            self.phase.has_ended(),
            sorted(asdict(disclosure).items()),
        )


def query_or_404(request: HttpRequest, phase: Phase) -> BoardQuery:
    """The board that an address asks for, perhaps under another gold revision.

    A revision that was live once stays readable for everybody who sees the board;
    drafts are for organizers.
    """
    number = request.GET.get("revision", "")
    revision = None
    if number and number != str(phase.gold_revision.number):
        revision = _revision_or_404(phase, number)
        if revision.live_at is None and not can(request.user, phase.task, Power.SEE):
            raise Http404
    return BoardQuery.of(request.GET, phase, revision)


def _revision_or_404(phase: Phase, number: str) -> GoldRevision:
    if not number.isdecimal() or len(number) > 9:
        raise Http404
    revisions = GoldRevision.objects.filter(task=phase.task_id, number=int(number))
    revision: GoldRevision = or_404(revisions.first())
    return revision


def earlier_revisions(phase: Phase) -> list[GoldRevision]:
    """Revisions that were live before, newest first.

    No query for the many tasks whose gold was never corrected.
    """
    if phase.gold_revision.number == 1 and not phase.gold_revision.public_note:
        return []
    revisions = GoldRevision.objects.filter(task=phase.task_id, live_at__isnull=False)
    return list(revisions.exclude(pk=phase.gold_revision_id).order_by("-number"))


def moment_of(text: str, zone: ZoneInfo) -> datetime | None:
    """The end of a day in the phase's zone, or a time; None for now and later.

    Raises UnknownChoice for what is no date.
    """
    if not text:
        return None
    moment = _parsed_moment(text[:LONGEST_MOMENT], zone)
    return None if moment >= timezone.now() else moment


def _parsed_moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        day = parse_date(text)
        if day is not None:
            end = datetime.combine(day, time.min, zone) + timedelta(days=1)
            return (end - timedelta(microseconds=1)).astimezone(UTC)
        # A plus sign that nobody escaped has become a space.
        moment = parse_datetime(text.replace(" ", "+") if "T" in text else text)
        if moment is None:
            raise ValueError
        aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        sentence = _("“%(text)s” is no day or time; expected one as 2026-05-01.")
        raise UnknownChoice(sentence % {"text": text[:LONGEST_TOLD]}) from None


def revision_at(phase: Phase, moment: datetime) -> GoldRevision | None:
    """The gold revision that a phase showed then; None for the one it shows now.

    From the history of changes: what the next change replaced was in force. At most
    three queries. What was withdrawn or disqualified since is left out of a board of
    then, and names and fact sheets are today's: history is no way around a decision.
    """
    changes = Change.objects.filter(
        task_pk=phase.task_id,
        content_type=ContentType.objects.get_for_model(Phase),
        object_id=phase.pk,
        action=Change.Action.UPDATE,
        timestamp__gt=moment,
        changes__has_key="gold_revision",
    ).order_by("timestamp", "pk")
    change = changes.values_list("changes", flat=True).first()
    if change is None or int(change["gold_revision"][0]) == phase.gold_revision_id:
        return None
    replaced = int(change["gold_revision"][0])
    return GoldRevision.objects.get(pk=replaced, task=phase.task_id)


def chosen(
    options: Iterable[Option],
    name: str,
    default: Default,
    name_of: Callable[[Option], str] = attrgetter("name"),
) -> Option | Default:
    """The option of that name, where one is named at all.

    Raises UnknownChoice where there is none of that name.
    """
    if not name:
        return default
    by_name = {name_of(option): option for option in options}
    if name not in by_name:
        raise UnknownChoice.of(name, by_name)
    return by_name[name]


def chosen_measures(
    measures: Sequence[Measure], names: Sequence[str], ranks: Measure
) -> tuple[Measure, ...]:
    """The measures named and always the one that ranks; all where none is named.

    Names of other boards' measures are let pass: the address may have come from there.
    """
    if not {measure.name for measure in measures} & set(names):
        return tuple(measures)
    return tuple(m for m in measures if m.name in names or m == ranks)


def levels_of(task: Task, disclosure: Disclosure) -> tuple[float, ...]:
    """Confidence levels to choose from.

    None where details are withheld: another level is another look at the gold.
    """
    if not (disclosure.board and disclosure.details):
        return ()
    return tuple(sorted({*LEVELS, task.level}))


def level_name(level: float) -> str:
    """The level as in an address, "95"."""
    return f"{level * 100:g}"


@dataclass(frozen=True)
class CustomBoard:
    """A view of a phase's board as a `NamedBoard` describes it, headline first.

    `chooses`: it names its test sets.
    """

    name: str
    title: str
    measures: tuple[Measure, ...]
    test_sets: tuple[TestSet, ...]
    chooses: bool

    @classmethod
    def of(
        cls, task: Task, board: NamedBoard, test_sets: Sequence[TestSet]
    ) -> "CustomBoard":
        """The view of a board; no measures where its headline is of another scorer."""
        names = board.measures or [measure.name for measure in task.measures]
        measures = []
        for name in dict.fromkeys([board.headline, *names]):
            try:
                measures.append(task.scorer.measure(name))
            except KeyError:
                if name == board.headline:
                    break
        wanted = board.test_sets or [t.name for t in test_sets]
        chosen = tuple(t for t in test_sets if t.name in wanted)
        chooses = bool(board.test_sets)
        return cls(board.name, board.title, tuple(measures), chosen, chooses)


@dataclass(frozen=True)
class Ranking:
    """The test sets that rank on a board, all of its own or one of them.

    `named` is the one of `boards`, the task's, that was asked for. `averages`: without
    a choice of a test set it shows the mean. Where test sets are entered one by one
    that is so only on a board that names several.
    """

    boards: "tuple[CustomBoard, ...]"
    named: "CustomBoard | None"
    of_phase: tuple[TestSet, ...]
    test_sets: tuple[TestSet, ...]
    test_set: TestSet | None
    averages: bool

    @classmethod
    def of(cls, query: BoardQuery) -> "Ranking":
        """Raises UnknownChoice for a board or test set that there is not."""
        of_phase = tuple(test_sets_of(query.phase))
        boards = custom_boards(query.phase, of_phase)
        named = chosen(boards, query.board, None)
        test_sets = named.test_sets if named else of_phase
        separate = query.phase.separate_test_sets and len(of_phase) > 1
        averages = not separate or (named is not None and named.chooses)
        default = None if averages else test_sets[0]
        test_set = chosen(test_sets, query.test_set, default)
        return cls(boards, named, of_phase, test_sets, test_set, averages)

    @property
    def chosen_test_sets(self) -> tuple[TestSet, ...]:
        return self.test_sets if self.test_set is None else (self.test_set,)


@dataclass(frozen=True)
class BoardRequest:
    """A query, resolved as far as that needs no entries. `moment` is an earlier one
    than now, `revision` None for the phase's own. Large boards are tested only
    `by_worker`."""

    query: BoardQuery
    disclosure: Disclosure
    ranking: Ranking
    revision: GoldRevision | None
    revision_id: int
    moment: datetime | None
    part: Part
    by_worker: bool = False

    @classmethod
    def of(
        cls, query: BoardQuery, disclosure: Disclosure | None, by_worker: bool = False
    ) -> "BoardRequest":
        """Raises UnknownChoice for a board, test set, part or date that there is not,
        and for entries that are not shown."""
        disclosure = disclosure or policy.disclosure(AnonymousUser(), query.phase)
        if query.everything and not disclosure.everything:
            raise UnknownChoice
        phase, revision = query.phase, query.revision
        moment = moment_of(query.at, phase.zone) if query.at else None
        if moment is not None:
            # Never later than the reader may see.
            known = disclosure.as_of
            until = moment if known is None else min(moment, known)
            disclosure = replace(disclosure, as_of=until)
            revision = revision or revision_at(phase, moment)
        parts = disclosure.parts or (Part.ALL,)
        part = chosen(parts, query.part, parts[0], str)
        gold = revision.pk if revision else phase.gold_revision_id
        ranking = Ranking.of(query)
        return cls(query, disclosure, ranking, revision, gold, moment, part, by_worker)

    @property
    def is_stored(self) -> bool:
        """Whether its rows are stored. What is scored for a revision in preparation
        makes no other version of the board."""
        revision = self.revision
        drafted = revision and (revision.preparing or revision.live_at is None)
        return self.disclosure.board and not drafted

    @property
    def choices(self) -> dict[str, Any]:
        """The choices that move a rank, as plain values: those of its query that are
        no defaults."""
        values = {name: getattr(self.query, name) for name in CHOICES}
        values["measures"] = list(self.query.measures)
        values["at"] = self.query.at if self.moment else ""
        if self.query.revision:
            values["revision"] = self.query.revision.pk
        return {name: value for name, value in values.items() if value}

    @cached_property
    def key(self) -> str:
        """The stored board's key: a digest of what ranks depend on beside the
        version."""
        phase, query, ranking = self.query.phase, self.query, self.ranking
        task = phase.task
        # Lines and names are of a reader; neither moves a rank.
        seen = replace(self.disclosure, lines=(), names=False, organizer=False)
        sets = [(test_set.pk, test_set.weight) for test_set in ranking.test_sets]
        plan = task.resamples, task.seed, task.level, task.scorer_name
        split = phase.salt, phase.private_share, phase.lasting_differences
        chosen = attrgetter(*CHOICES, "measures")(query)
        engine = VERSION, task.scorer.package
        # By name: functions are others in each process.
        names = [m.name for m in task.headline_first]
        boards = [
            (b.name, [m.name for m in b.measures], [t.pk for t in b.test_sets])
            for b in ranking.boards
        ]
        return digest(
            (
                *("rows", FORM, phase.pk, self.revision_id, *engine, seen, chosen),
                *(sets, plan, split, names, boards),
            )
        )


def rankings(phase: Phase, **choices: Any) -> Iterator[BoardQuery]:
    """The main board, or those of the test sets where they are entered one by one."""
    names = []
    if phase.separate_test_sets:
        names = [test_set.name for test_set in phase.test_sets.all()]
    for name in names or [""]:
        yield BoardQuery(phase, test_set=name, **choices)


def custom_boards(
    phase: Phase, test_sets: Sequence[TestSet]
) -> tuple[CustomBoard, ...]:
    """Boards of the task that show one of the phase's test sets or more."""
    if not (named := phase.task.boards()):
        return ()
    boards = [CustomBoard.of(phase.task, board, test_sets) for board in named]
    return tuple([b for b in boards if b.test_sets and b.measures])


@dataclass(frozen=True)
class Filter:
    """A condition on the answer to one question, as the address says it.

    `end` is "min" or "max" for one end of a range of numbers, both included, or "".
    """

    question: AnyQuestion
    wanted: str
    end: str = ""

    def keeps(self, facts: Mapping[str, Fact]) -> bool:
        answer, kind = facts.get(self.question.name), self.question.kind
        if kind == "link":
            return (answer is not None) == YES_NO[self.wanted]
        if answer is None:
            return False
        if kind == "number":
            return self._in_range(float(answer))
        if kind == "yes_no":
            return answer == YES_NO[self.wanted]
        if kind == "choice":
            return answer == self.wanted
        return self.wanted.casefold() in str(answer).casefold()

    def _in_range(self, number: float) -> bool:
        wanted = float(self.wanted)
        if self.end == LEAST:
            return number >= wanted
        return number <= wanted if self.end == MOST else number == wanted

    @property
    def key(self) -> str:
        """The name as in an address, without the "fact." before it."""
        return f"{self.question.name}.{self.end}" if self.end else self.question.name


def chosen_filters(
    questions: Sequence[AnyQuestion], pairs: Sequence[tuple[str, str]]
) -> tuple[Filter, ...]:
    """Filters that `fact.<name>=`, `fact.<name>.min=` and `fact.<name>.max=` ask for.

    Raises UnknownChoice for another question, or a value that its kind cannot have.
    """
    by_name = {question.name: question for question in questions}
    filters = []
    for key, wanted in pairs:
        name, _dot, end = key.partition(".")
        if name not in by_name:
            raise UnknownChoice.of(name, by_name)
        if not _fits(by_name[name], wanted, end):
            sentence = _("“%(text)s” is no answer to the question “%(name)s”.")
            about = {"text": wanted[:LONGEST_TOLD], "name": name}
            raise UnknownChoice(sentence % about)
        filters.append(Filter(by_name[name], wanted, end))
    return tuple(filters)


def _fits(question: AnyQuestion, wanted: str, end: str) -> bool:
    if question.kind == "number":
        try:
            return end in ("", LEAST, MOST) and isfinite(float(wanted))
        except ValueError:
            return False
    if end:
        return False
    # A choice that is not offered any more may stand in older answers.
    return wanted in YES_NO if question.kind in ("yes_no", "link") else True


def chosen_columns(
    questions: Sequence[AnyQuestion], names: Sequence[str] | None
) -> tuple[AnyQuestion, ...]:
    """The questions asked for, in the order of the sheet; None asks for all."""
    if names is None:
        return tuple(questions)
    known = [question.name for question in questions]
    for name in set(names).difference(known):
        raise UnknownChoice.of(name, known)
    return tuple(question for question in questions if question.name in names)
