"""A board's address as a value, checked against what there is to choose."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.contenttypes.models import ContentType
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from leaderboard.boards.rows import ScoredEntry
from leaderboard.submissions.board_sample import BoardSample, Slice, Split
from leaderboard.tasks import access
from leaderboard.tasks.models import Change, GoldRevision, Phase, Task, TestSet
from leaderboard.tasks.policy import Disclosure, Part, Power, can
from scoring.measures import Measure


class UnknownChoice(Exception):
    """A measure, test set, slice or part that this board does not have."""


@dataclass(frozen=True)
class BoardQuery:
    """What a reader chose: what ranks, one test set or all, every entry or one each.

    `slice` is "group:label", as in "genre:letter"; `part` is public, private or all
    where units are split. `board` names one of the task's boards. `facts` are filters
    by fact sheet, name or name.min and the value; `columns` the questions shown, None
    for all, and `measures` the measures, none for all. `search` is part of a name,
    `level` per cent as in "95", `at` a day or a time.
    """

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


def chosen_measure(measures: Sequence[Measure], name: str) -> Measure:
    found = [m for m in measures if m.name == name] if name else measures
    if not found:
        raise UnknownChoice(name)
    return found[0]


def chosen_measures(
    measures: Sequence[Measure], names: Sequence[str], ranks: Measure
) -> tuple[Measure, ...]:
    """Those asked for in their order, and always the one that ranks; none asks for all.

    Names of other boards' measures are let pass: the address may have come from there.
    """
    if not {measure.name for measure in measures} & set(names):
        return tuple(measures)
    return tuple(m for m in measures if m.name in names or m == ranks)


def chosen_test_set(test_sets: Sequence[TestSet], name: str) -> TestSet | None:
    found = [t for t in test_sets if t.name == name] if name else [None]
    if not found:
        raise UnknownChoice(name)
    return found[0]


def chosen_part(shown: Disclosure, name: str) -> Part:
    """The part asked for, else the one that the disclosure puts first."""
    parts = shown.parts or (Part.ALL,)
    found = [part for part in parts if part == name] if name else parts
    if not found:
        raise UnknownChoice(name)
    return found[0]


def offered_slices(
    phase: Phase,
    evaluations: Sequence[ScoredEntry],
    split: Split | None,
    shown: Disclosure,
) -> Mapping[str, Sequence[str]]:
    """What can be chosen: groupings come from the gold, the fullest entry has all."""
    if not shown.details:
        return {}
    fullest = [max(evaluations, key=lambda e: e.complete)] if evaluations else []
    test_sets = tuple(phase.test_sets.all())
    field = BoardSample(phase, test_sets, tuple(fullest), split=split)
    return field.slices(shown)


def chosen_slice(slices: Mapping[str, Sequence[str]], name: str) -> Slice | None:
    if not name:
        return None
    group, _, label = name.partition(":")
    if label not in slices.get(group, ()):
        raise UnknownChoice(name)
    return Slice(group, label)


LEVELS = (0.9, 0.95, 0.99)


class Recounted(BoardSample):
    """A field whose numbers come from the counts, since stored ones do not fit."""

    @property
    def whole(self) -> bool:
        return False


def levels_of(task: Task, shown: Disclosure) -> tuple[float, ...]:
    """None where details are withheld: another level is another look at the gold."""
    if not (shown.board and shown.exact and shown.details):
        return ()
    return tuple(sorted({*LEVELS, task.level}))


def chosen_level(phase: Phase, shown: Disclosure, text: str) -> float | None:
    """The level that `?level=95` asks for; None for the task's own.

    Raises UnknownChoice for one that is not offered.
    """
    known = {name_of(level): level for level in levels_of(phase.task, shown)}
    if text and text not in known:
        raise UnknownChoice(text)
    level = known.get(text)
    return None if level == phase.task.level else level


def name_of(level: float) -> str:
    """As in an address, "95"."""
    return f"{level * 100:g}"


def at_level(phase: Phase, level: float) -> Phase:
    """The phase as if its task had that level; it must not be saved."""
    same = copy(phase)
    same.task = copy(phase.task)
    same.task.level = level
    return same


@dataclass(frozen=True)
class CustomBoard:
    """A view of a phase's board as `Task.boards` describes it, headline first."""

    name: str
    title: str
    measures: tuple[Measure, ...]
    test_sets: tuple[TestSet, ...]


def named_boards(phase: Phase, test_sets: Sequence[TestSet]) -> tuple[CustomBoard, ...]:
    """Those that show something in this phase: one of its test sets or more."""
    found = (_named(phase.task, table, test_sets) for table in phase.task.boards)
    return tuple(one for one in found if one.test_sets and one.measures)


def _named(
    task: Task, table: Mapping[str, Any], test_sets: Sequence[TestSet]
) -> CustomBoard:
    wanted = table.get("test_sets") or [t.name for t in test_sets]
    names = table.get("measures") or [measure.name for measure in task.measures]
    measures = _offered_measures(task, dict.fromkeys([table["headline"], *names]))
    if not measures or measures[0].name != table["headline"]:
        measures = ()  # the headline is of another scorer
    chosen = tuple(t for t in test_sets if t.name in wanted)
    return CustomBoard(table["name"], table["title"], measures, chosen)


def _offered_measures(task: Task, names: Mapping[str, None]) -> tuple[Measure, ...]:
    found = []
    for name in names:
        try:
            found.append(task.scorer.measure(name))
        except KeyError:
            continue
    return tuple(found)


def chosen_board(found: Sequence[CustomBoard], name: str) -> CustomBoard | None:
    """None for the board that has no name."""
    if not name:
        return None
    chosen = next((one for one in found if one.name == name), None)
    if chosen is None:
        raise UnknownChoice(name)
    return chosen


REVISION = "gold_revision"
LONGEST = 40


def moment_of(text: str, zone: ZoneInfo) -> datetime | None:
    """The end of a day in the phase's zone, or a time; None for now and later.

    Raises UnknownChoice for what is no date.
    """
    if not text:
        return None
    found = _read(text[:LONGEST], zone)
    return None if found >= timezone.now() else found


def _read(text: str, zone: ZoneInfo) -> datetime:
    try:
        day = parse_date(text)
        if day is not None:
            last = datetime.combine(day, time.min, zone) + timedelta(days=1)
            return (last - timedelta(microseconds=1)).astimezone(UTC)
        # A plus sign that nobody escaped has become a space.
        moment = parse_datetime(text.replace(" ", "+") if "T" in text else text)
        if moment is None:
            raise UnknownChoice(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        raise UnknownChoice(text) from None


def under(phase: Phase, moment: datetime) -> Phase:
    """The phase under the gold revision that it showed then; it must not be saved.

    A revision that was asked for by its number stays. From the history of changes:
    what the next change replaced was in force. At most three queries.
    """
    if getattr(phase, "live_revision", None) is not None:
        return phase
    then = _replaced_after(phase, moment)
    if then is None or then == phase.gold_revision_id:
        return phase
    same = copy(phase)
    same.gold_revision = GoldRevision.objects.get(pk=then, task=phase.task_id)
    return same


def _replaced_after(phase: Phase, moment: datetime) -> int | None:
    changes = Change.objects.filter(
        task_pk=phase.task_id,
        content_type=ContentType.objects.get_for_model(Phase),
        object_id=phase.pk,
        action=Change.Action.UPDATE,
        timestamp__gt=moment,
        changes__has_key=REVISION,
    )
    found = changes.order_by("timestamp", "pk").values_list("changes", flat=True)
    changed = found.first()
    return None if changed is None else int(changed[REVISION][0])


def phase_or_404(request: HttpRequest, slug: str, name: str) -> Phase:
    """The phase, under the revision that `?revision=` asks for; it must not be saved.

    What was live once stays readable for everybody who sees the board; drafts are for
    organizers. `live_revision` is what the phase shows otherwise, None if it is that;
    `earlier` are the others that were live.
    """
    phase = access.phase_or_404(slug, name, request.user)
    asked = request.GET.get("revision", "")
    phase.live_revision = None  # type: ignore[attr-defined]
    phase.earlier = _earlier(phase)  # type: ignore[attr-defined]
    if not asked or asked == str(phase.gold_revision.number):
        return phase
    found = _revision(phase, asked)
    if found.live_at is None and not can(request.user, phase.task, Power.SEE):
        raise Http404
    phase.live_revision = phase.gold_revision  # type: ignore[attr-defined]
    phase.gold_revision = found
    return phase


def _earlier(phase: Phase) -> list[GoldRevision]:
    """No query for the many tasks whose gold was never corrected."""
    revisions = GoldRevision.objects.filter(task=phase.task_id, live_at__isnull=False)
    others = revisions.exclude(pk=phase.gold_revision_id).order_by("-number")
    never = phase.gold_revision.number == 1 and not phase.gold_revision.public_note
    return [] if never else list(others)


def _revision(phase: Phase, asked: str) -> GoldRevision:
    if not asked.isdecimal() or len(asked) > 9:
        raise Http404
    revisions = GoldRevision.objects.filter(task=phase.task_id, number=int(asked))
    found: GoldRevision | None = revisions.first()
    if found is None:
        raise Http404
    return found
