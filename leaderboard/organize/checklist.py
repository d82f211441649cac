"""Checklist before publishing: what is unusual about a task, and where to fix it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from itertools import permutations

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.organize.checked_test_sets import TestSetCheck
from leaderboard.organize.test_sets import declares_labels
from leaderboard.results.scores import NO_UNITS
from leaderboard.tasks import phase_rules, policy
from leaderboard.tasks.models import Phase, Task, TestSet
from leaderboard.web.extras import OutsideCounts, joined
from leaderboard.web.templatetags.formats import figures, unit_word

FEW_UNITS = 100
# The best known attack on exact scores learns all labels of n units in 0.4 n attempts.
ATTEMPTS_PER_UNIT = 0.4
USUAL_PRIVATE = (0.3, 0.8)


class Weight(StrEnum):
    """How much a remark matters, the heaviest first."""

    BLOCKS = "blocks"
    TICK = "tick"
    WARNING = "warning"
    NOTE = "note"

    @property
    def title(self) -> Promise:  # type: ignore[override]
        return {
            "blocks": gettext_lazy("Stands against publishing"),
            "tick": gettext_lazy("Needs your tick"),
            "warning": gettext_lazy("Unusual"),
            "note": gettext_lazy("Worth a thought"),
        }[self.value]

    @property
    def badge(self) -> str:
        """The style of its badge."""
        badges = {"blocks": "invalid", "tick": "warning", "warning": "warning"}
        return badges.get(self.value, "upcoming")


@dataclass(frozen=True)
class Place:
    """The page, and the field on it, where something is fixed."""

    title: str
    address: str


@dataclass(frozen=True)
class Remark:
    """One sentence about a task, and where to change what it is about."""

    weight: Weight
    text: str
    place: Place

    def __str__(self) -> str:
        return self.text


Remarks = Iterator[Remark]


def remarks(task: Task, test_sets: Sequence[TestSetCheck] | None) -> list[Remark]:
    """Everything unusual about a task, the heaviest first.

    `test_sets` are those of the check; without it only what needs no scoring is said.
    """
    phases = list(
        task.phases.select_related("task", "gold_revision").prefetch_related(
            "test_sets"
        )
    )
    for phase in phases:
        phase.task = task
    lacking = [
        *_no_test_set(task),
        *_undeclared_labels(task),
        *_without_worst(task),
        *_taken_in_by_nobody(task),
        *(_test_set_remarks(task, test_sets) if test_sets is not None else ()),
        *_phase_remarks(task, phases, _units(task, test_sets)),
        *_remarks_on_shared_test_sets(phases),
        *_left_out(task, phases),
    ]
    weights = list(Weight)
    return sorted(lacking, key=lambda remark: weights.index(remark.weight))


def _undeclared_labels(task: Task) -> Remarks:
    if declares_labels(task) and task.test_sets.exists():
        text = _(
            "The task declares no labels: a file that writes one otherwise, as “Pos” "
            "for “pos”, counts as wrong. With the option “labels” it is refused before "
            "it uses an attempt, and told which one was meant."
        )
        place = _task_page(task, "organize-scoring", _("Scoring"), "option_labels")
        yield Remark(Weight.NOTE, text, place)


def _without_worst(task: Task) -> Remarks:
    """A remark on declared errors of which nobody said how bad a unit can be."""
    open_ended = [
        measure.name for measure in task.scorer.measures(()) if measure.open_ended
    ]
    if open_ended:
        text = _(
            "Nothing says how bad a unit can be in {measures}: a system that fails "
            "rarely and badly may look better than it is, and no mark says so. Write "
            "the worst value behind the measure, as “most 25”."
        ).format(measures=", ".join(open_ended))
        page = _task_page(task, "organize-scoring", _("Scoring"))
        yield Remark(Weight.WARNING, text, page)


def _units(task: Task, checked: Sequence[TestSetCheck] | None) -> dict[str, int]:
    """Units of test sets by name, as the check counted them, or as gold came in."""
    if checked is not None:
        return {check.name: check.units for check in checked if not check.problems}
    if (live := task.gold_revisions.live()) is None:
        return {}
    return dict(live.files.values_list("test_set__name", "units"))


def _task_page(task: Task, name: str, title: str, field: str = "") -> Place:
    anchor = f"#id_{field}" if field else ""
    return Place(title, reverse(name, args=[task.slug]) + anchor)


def _phase_form(phase: Phase, field: str) -> Place:
    address = reverse("organize-phase", args=[phase.task.slug, phase.name])
    title = _("Phase “{phase}”").format(phase=phase.title)
    return Place(title, f"{address}#id_{field}")


def _test_set_page(task: Task, name: str, title: str) -> Place:
    address = reverse("organize-test-set", args=[task.slug, name])
    return Place(_("Test set “{title}”").format(title=title), address)


def _no_test_set(task: Task) -> Remarks:
    if not task.test_sets.exists():
        page = _task_page(task, "organize-test-sets", _("Test sets"))
        yield Remark(Weight.BLOCKS, _("There is no test set."), page)


def _taken_in_by_nobody(task: Task) -> Remarks:
    """A step about values that are counted outside, where the site takes in none."""
    if task.takes_judgements and not list(joined(OutsideCounts)):
        page = _task_page(task, "organize-scoring", _("Scoring"))
        text = _("This site takes in nothing that is counted elsewhere.")
        alone = task.scorer.counted_elsewhere  # its submissions would wait for ever
        yield Remark(Weight.BLOCKS if alone else Weight.WARNING, text, page)


def _test_set_remarks(task: Task, test_sets: Sequence[TestSetCheck]) -> Remarks:
    scoring = _task_page(task, "organize-scoring", _("Scoring"))
    if task.headline_measure.of_file:
        yield Remark(Weight.TICK, str(NO_UNITS), scoring)
    for check in test_sets:
        place = _test_set_page(task, check.name, check.title)
        if check.problems:
            text = _("“{title}” cannot be scored.").format(title=check.title)
            yield Remark(Weight.BLOCKS, text, place)
            continue
        if not task.headline_measure.of_file:
            yield from _few(task, check, place)
        if check.design is not None:
            yield Remark(Weight.WARNING, _alike(task, check, *check.design), scoring)
        if check.empty is not None and check.empty.value:
            text = _("An empty file gets a score on “{title}”.").format(
                title=check.title
            )
            yield Remark(Weight.WARNING, text, scoring)


def _few(task: Task, check: TestSetCheck, place: Place) -> Remarks:
    """Remarks on a test set, or a headline that few units bear on."""
    measure, least = task.headline_measure.title, settings.LEAST_HEADLINE_UNITS
    if check.informative < least:
        text = _(
            "Units of “{title}” that bear on {measure}: only {n}. With fewer than "
            "{least} there is hardly an interval, and no two systems can be told apart."
        ).format(n=check.informative, title=check.title, measure=measure, least=least)
        yield Remark(Weight.TICK, text, place)
    if check.units >= FEW_UNITS:
        return
    if check.units == 1:
        text = _(
            "“{title}” is a single unit ({unit}): nothing has an interval there, and "
            "no test tells two systems apart. Take smaller units."
        )
    elif check.units < settings.LEAST_PART_UNITS:
        text = _(
            "“{title}” has few units ({unit}): {n}. Below {part} there can be no "
            "private part; below {least}, intervals are rough."
        )
    else:
        text = _(
            "“{title}” has few units ({unit}): {n}. Below {least}, intervals are rough "
            "and only large differences show."
        )
    text = text.format(
        title=check.title,
        unit=task.unit,
        n=check.units,
        part=settings.LEAST_PART_UNITS,
        least=FEW_UNITS,
    )
    yield Remark(Weight.WARNING, text, place)


def _alike(task: Task, check: TestSetCheck, group: str, effect: float) -> str:
    sentence = _(
        "“{title}”: units inside one {group} answer alike (design effect {effect}); "
        "intervals by {unit} are {times} times too narrow. Take “{name}” as the "
        "resampled unit."
    )
    return sentence.format(
        title=check.title,
        group=unit_word(group),
        name=unit_word(group),
        effect=figures(f"{effect:.1f}"),
        unit=unit_word(task.unit),
        times=figures(f"{effect**0.5:.1f}"),
    )


def _phase_remarks(
    task: Task, phases: Sequence[Phase], units: Mapping[str, int]
) -> Remarks:
    if not phases:
        page = _task_page(task, "organize-phases", _("Phases"))
        yield Remark(Weight.BLOCKS, _("There is no phase."), page)
    tags = _measures_of_tags(task)
    for phase in phases:
        of_phase = phase.test_sets.all()
        named = {
            test_set.title: units[test_set.name]
            for test_set in of_phase
            if test_set.name in units
        }
        part = _phase_form(phase, "private_share")
        for text in phase_rules.too_few(phase, named):
            yield Remark(Weight.BLOCKS, text, part)
        for text in phase_rules.rough(phase, named):
            yield Remark(Weight.WARNING, text, part)
        if tags and policy.withholds_scores(phase):
            text = _(
                "“{phase}” withholds scores and yet shows {measures}: a measure over "
                "few units tells more about the gold than the whole does."
            ).format(phase=phase.title, measures=", ".join(tags))
            page = _task_page(task, "organize-scoring", _("Scoring"))
            yield Remark(Weight.WARNING, text, page)
        yield from _times(phase)
        if not all(measure.of_file for measure in task.measures):  # no units are known
            yield from _probing(phase, min(named.values(), default=0))
        yield from _odd_share(phase)
        yield from _best_of_blind(phase)


def _best_of_blind(phase: Phase) -> Remarks:
    """A remark where the best of several counts, and no team can know which it is."""
    best = phase.counts == Phase.CountingRule.BEST
    if phase.policy == Phase.Policy.BLIND and best and attempts(phase) != 1:
        text = _(
            "“{phase}” is blind and counts the best entry of each team, which no team "
            "can choose: who sends more variants wins more by chance. Let the last one "
            "count, or the one that the team chose."
        ).format(phase=phase.title)
        yield Remark(Weight.NOTE, text, _phase_form(phase, "counts"))


def _measures_of_tags(task: Task) -> list[str]:
    # A measure of few units tells more of each than the whole does.
    boards = [name for board in task.boards() for name in board.measures]
    named = [*(measure.name for measure in task.measures), *boards]
    return list(dict.fromkeys(name for name in named if name.endswith("]")))


def _times(phase: Phase) -> Remarks:
    if phase.closes is None:
        text = _(
            "“{phase}” has no end: it can have no final ranking, and what is withheld "
            "stays so."
        )
        text = text.format(phase=phase.title)
        yield Remark(Weight.NOTE, text, _phase_form(phase, "closes"))
    elif phase.closes <= timezone.now():
        text = _("“{phase}” is over already: nobody can submit to it.")
        text = text.format(phase=phase.title)
        yield Remark(Weight.WARNING, text, _phase_form(phase, "closes"))
    elif (local := phase.closes.astimezone(phase.zone)).time() == time():
        last = date_format(local - timedelta(days=1), "j M Y")
        text = _("“{phase}” closes at the end of {day}, {zone}.")
        text = text.format(phase=phase.title, day=last, zone=phase.zone_title)
        yield Remark(Weight.NOTE, text, _phase_form(phase, "closes"))


def attempts(phase: Phase) -> int | None:
    """How many attempts a team has in all; None without a limit."""
    limits = [phase.total_limit]
    if phase.daily_limit is not None and phase.closes is not None:
        days = (phase.closes - phase.opens).days + 2  # two days may be cut
        limits.append(phase.daily_limit * days)
    return min((limit for limit in limits if limit is not None), default=None)


def _probing(phase: Phase, fewest: int) -> Remarks:
    """Remarks on scores with so many attempts that the gold can be learned."""
    hidden = phase.policy == Phase.Policy.BLIND or phase.private_share is not None
    many = attempts(phase)
    if hidden or phase.who == Phase.Who.ORGANIZERS or not fewest:
        return
    if many is not None and many < ATTEMPTS_PER_UNIT * fewest:
        return
    if many is None and phase.daily_limit:
        text = ngettext(
            "“{phase}” shows scores, allows {n} attempt a day and has no end: in time "
            "that is enough to learn the whole gold. Limit the attempts in all, or "
            "take a private part.",
            "“{phase}” shows scores, allows {n} attempts a day and has no end: in time "
            "that is enough to learn the whole gold. Limit the attempts in all, or "
            "take a private part.",
            phase.daily_limit,
        )
        many = phase.daily_limit
    elif many is None:
        text = _(
            "“{phase}” shows scores and lets a team send as often as it likes: that is "
            "enough to learn the whole gold. Limit the attempts, or take a private "
            "part."
        )
    else:
        text = ngettext(
            "“{phase}” shows scores for {n} attempt (units: {units}): that is enough "
            "to learn the whole gold. Limit the attempts, or take a private part.",
            "“{phase}” shows scores for {n} attempts (units: {units}): that is enough "
            "to learn the whole gold. Limit the attempts, or take a private part.",
            many,
        )
    text = text.format(phase=phase.title, n=many, units=fewest)
    yield Remark(Weight.NOTE, text, _phase_form(phase, "total_limit"))


def _odd_share(phase: Phase) -> Remarks:
    least, most = USUAL_PRIVATE
    share = phase.private_share
    if share is not None and not least <= share <= most:
        text = _(
            "“{phase}” keeps {share} of the units private; 50% to 70% is usual. With "
            "less, few units decide; with more, the public board tells teams little."
        ).format(phase=phase.title, share=f"{share:.0%}")
        yield Remark(Weight.WARNING, text, _phase_form(phase, "private_share"))


def _remarks_on_shared_test_sets(phases: Sequence[Phase]) -> Remarks:
    """Remarks on phases that tell of a test set what another withholds."""
    for phase, other in permutations(phases, 2):
        here = set(phase.test_sets.all())
        both = [test_set for test_set in other.test_sets.all() if test_set in here]
        sentence, field = _tells(phase, other)
        for test_set in both if sentence else ():
            text = sentence.format(
                test_set=test_set.title, withholding=phase.title, telling=other.title
            )
            yield Remark(Weight.WARNING, text, _phase_form(other, field))


def _tells(phase: Phase, other: Phase) -> tuple[str, str]:
    """Disclosures of another phase about shared test sets, and its form field."""
    if _subtracts(phase, other):
        return _(
            "“{test_set}” has a private part in “{withholding}”, and “{telling}” shows "
            "scores over other units of it before that part decides: whoever sends the "
            "same file to both can subtract. Take the test set out of one of the two, "
            "or let “{telling}” show nothing until “{withholding}” is revealed."
        ), "test_sets"
    if not policy.withholds_scores(phase):
        return "", ""
    if not policy.withholds_scores(other):
        return _(
            "“{test_set}” is in “{withholding}”, which withholds scores, and in "
            "“{telling}”, which shows them: whoever sends the same file to both reads "
            "there what is withheld."
        ), "policy"
    if _before(policy.reveal_of(other), policy.reveal_of(phase)):
        return _(
            "“{telling}” reveals everything about “{test_set}” while “{withholding}” "
            "still withholds scores on it. Single units wait for the later of the two, "
            "scores do not."
        ), "reveal_at"
    return "", ""


def _before(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and (other is None or one < other)


def _subtracts(phase: Phase, other: Phase) -> bool:
    """Whether another phase scores, in time, more than the public part of this one.

    With the same salt and share both have the same public part, until one is revealed.
    """
    if phase.private_share is None or other.who == Phase.Who.ORGANIZERS:
        return False
    same = (phase.salt, phase.private_share) == (other.salt, other.private_share)
    blind = other.policy == Phase.Policy.BLIND
    shows = policy.reveal_of(other) if same or blind else other.opens
    return _before(shows, policy.reveal_of(phase))


def _left_out(task: Task, phases: Sequence[Phase]) -> Remarks:
    """Remarks on what readers of a task look for and do not find."""
    about = _("Organizers and citation")
    empty = (
        (
            task.description,
            _("The data and the task are not described."),
            _task_page(task, "organize-edit", _("Description"), "description"),
        ),
        (
            task.contact or task.forum or task.website,
            _("There is no contact: participants do not know whom to ask."),
            _task_page(task, "organize-about", about, "contact"),
        ),
        (
            task.licence,
            _("The licence of the data is not stated."),
            _task_page(task, "organize-about", about, "licence"),
        ),
    )
    for value, text, place in empty:
        if not value:
            yield Remark(Weight.NOTE, text, place)
    used = TestSet.objects.filter(phases__in=phases).values("pk")
    for test_set in task.test_sets.exclude(pk__in=used) if phases else ():
        text = _("“{title}” is in no phase: nobody is scored on it.")
        page = _task_page(task, "organize-phases", _("Phases"))
        yield Remark(Weight.WARNING, text.format(title=test_set.title), page)
