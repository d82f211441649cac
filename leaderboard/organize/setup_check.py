"""Set-up check: what participants will see, and warnings, before there are any."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.organize import baselines
from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.forms import form_page
from leaderboard.organize.test_sets import request_for, sandbox_answer
from leaderboard.sandbox.jobs import setup_check as job
from leaderboard.submissions.scores import Score
from leaderboard.tasks import phase_rules, policy
from leaderboard.tasks.access import EDIT, task_locked
from leaderboard.tasks.bundle.dump import plan_of
from leaderboard.tasks.bundle.schema import TaskPlan, TestSetPlan
from leaderboard.tasks.models import Phase, Task
from leaderboard.web.access import access
from leaderboard.web.templatetags.formatting import unit_word
from scoring.errors import Problem, SetupError
from scoring.measures import Measure
from scoring.source import Source
from scoring.statistics.bootstrap import Numbers

FEW_UNITS = 100
FEW_ON_A_STEP = 5


@dataclass(frozen=True)
class PhaseShown:
    """What the public does not see of a phase, in sentences; none if nothing."""

    phase: Phase
    lines: Sequence[str]


def setup_warnings(
    task: Task, units: Mapping[str, int], phases: Sequence[PhaseShown]
) -> list[str]:
    """Sentences; `units` are those of each test set, by its title."""
    found = [*_few_units(task, units)]
    for shown in phases:
        found += _tags(task, shown)
        found += _grid(shown.phase, units)
    return [*found, *_shared(phases)]


def _few_units(task: Task, units: Mapping[str, int]) -> Iterator[str]:
    sentence = _(
        "“{title}” has few units ({unit}): {n}. Below {least}, intervals are rough and "
        "only large differences show."
    )
    for title, n in units.items():
        if n < FEW_UNITS:
            yield sentence.format(title=title, n=n, unit=task.unit, least=FEW_UNITS)


def alike_warnings(
    task: Task, designs: Mapping[str, tuple[str, float] | None]
) -> Iterator[str]:
    """By title of test set: the grouping whose units answer alike, and how much."""
    sentence = _(
        "“{title}”: units inside one {group} answer alike (design effect {effect}); "
        "intervals by {unit} are {times} times too narrow. Take “{name}” as the "
        "resampled unit."
    )
    for title, found in designs.items():
        if found is not None:
            group, effect = found
            yield sentence.format(
                title=title,
                group=unit_word(group),
                name=unit_word(group),
                effect=f"{effect:.1f}",
                unit=unit_word(task.unit),
                times=f"{effect**0.5:.1f}",
            )


def _tags(task: Task, shown: PhaseShown) -> Iterator[str]:
    """A measure of few units tells more of each than the whole does."""
    named = [one.name for one in task.measures]
    named += [name for board in task.boards() for name in board.measures]
    tags = dict.fromkeys(name for name in named if name.endswith("]"))
    if tags and shown.lines:
        sentence = _(
            "“{phase}” withholds scores and yet shows {measures}: a measure over few "
            "units tells more about the gold than the whole does."
        )
        yield sentence.format(phase=shown.phase.title, measures=", ".join(tags))


def _grid(phase: Phase, units: Mapping[str, int]) -> Iterator[str]:
    total = sum(units.get(one.title, 0) for one in phase.test_sets.all())
    on_a_step = total * (phase.step or 0) / 100
    if phase.publication != Phase.Publication.GRID or on_a_step >= FEW_ON_A_STEP:
        return
    sentence = _(
        "The grid of “{phase}” hides little: one step is worth {n} of its {total} "
        "units. Take {least} points or more."
    )
    least = 100 * FEW_ON_A_STEP / max(total, 1)
    yield sentence.format(
        phase=phase.title, n=f"{on_a_step:.1f}", total=total, least=f"{least:.2g}"
    )


def _shared(phases: Sequence[PhaseShown]) -> Iterator[str]:
    """What one phase tells of a test set, another cannot withhold."""
    sentence = _(
        "“{test_set}” is in “{withholding}”, which withholds scores, and in "
        "“{telling}”, which shows them: whoever sends the same file to both reads "
        "there what is withheld."
    )
    of_parts = _(
        "“{test_set}” has a private part in “{withholding}”, and “{telling}” shows "
        "scores over other units of it before that part decides: whoever sends the "
        "same file to both can subtract. Take the test set out of one of the two, or "
        "let “{telling}” show nothing until “{withholding}” is revealed."
    )
    every = [shown.phase for shown in phases]
    for phase, other in permutations(every, 2):
        if _subtracts(phase, other):
            text = of_parts
        elif policy.withholds_scores(phase) and not policy.withholds_scores(other):
            text = sentence
        else:
            continue
        here = set(phase.test_sets.all())
        for test_set in other.test_sets.all():
            if test_set in here:
                yield text.format(
                    test_set=test_set.title,
                    withholding=phase.title,
                    telling=other.title,
                )


def _subtracts(phase: Phase, other: Phase) -> bool:
    """Whether another phase scores, in time, more than the public part of this one.

    With the same salt and share both have the same public part, until one is revealed.
    """
    if phase.private_share is None or other.who == Phase.Who.ORGANIZERS:
        return False
    same = (phase.salt, phase.private_share) == (other.salt, other.private_share)
    blind = other.policy == Phase.Policy.BLIND
    shows = policy.reveal_of(other) if same or blind else other.opens
    decides = policy.reveal_of(phase)
    return shows is not None and (decides is None or shows < decides)


@dataclass(frozen=True)
class CheckedSystem:
    """A system of the check; `baseline` is one that was really sent."""

    title: str
    scores: list[Score]
    rank: int | None
    rank_range: str


@dataclass(frozen=True)
class TestSetCheck:
    """One test set. With `problems` nothing else is known of it."""

    title: str
    blind_name: str
    blind_bytes: int
    problems: Sequence[Problem] = ()
    rows: Sequence[CheckedSystem] = ()
    units: int = 0
    seconds: float = 0.0
    refusal: Sequence[Problem] = ()
    empty: Score | None = None
    separation: float | None = None
    power: int = 80
    systems: int = 2
    design: tuple[str, float] | None = None
    informative: int = 0


@dataclass(frozen=True)
class SetupCheck:
    """The whole check. `blocking` are what stands against publishing; `few` is what
    has to be known, and said to be, before."""

    test_sets: Sequence[TestSetCheck]
    phases: Sequence[PhaseShown]
    warnings: Sequence[str]
    blocking: Sequence[str] = field(default=())
    few: Sequence[str] = field(default=())

    @property
    def passed(self) -> bool:
        return not self.blocking


def check_setup(task: Task) -> SetupCheck:
    """Score gold, a copy with mistakes and the baselines on every test set."""
    plan = plan_of(task)
    sent = _baseline_files(task)
    done = [
        _rehearsed(task, plan, one, sent.get(one.name, {})) for one in plan.test_sets
    ]
    phases = list(task.phases.prefetch_related("test_sets"))
    shown = [PhaseShown(one, _public_lines(one, task)) for one in phases]
    units = {one.title: one.units for one in done if not one.problems}
    warnings = setup_warnings(task, units, shown)
    warnings += [*alike_warnings(task, {one.title: one.design for one in done})]
    scored = [one.title for one in done if one.empty is not None and one.empty.value]
    sentence = _("An empty file gets a score on “{title}”.")
    warnings += [sentence.format(title=title) for title in scored]
    blocking = [*_blocking(done, phases)]
    for phase in phases:
        here = {one.title for one in phase.test_sets.all()}
        sizes = {title: n for title, n in units.items() if title in here}
        blocking += phase_rules.too_few(phase, sizes)
        warnings += phase_rules.rough(phase, sizes)
    return SetupCheck(done, shown, warnings, blocking, [*_few(task, done)])


def _few(task: Task, done: Sequence[TestSetCheck]) -> Iterator[str]:
    """Test sets whose headline so few units bear on that it proves next to nothing."""
    sentence = _(
        "Only {n} units of “{title}” bear on {measure}: with fewer than {least} there "
        "is hardly an interval, and no two systems can be told apart."
    )
    least = settings.LEAST_HEADLINE_UNITS
    for one in done:
        if not one.problems and one.informative < least:
            measure = task.headline_measure.title
            yield sentence.format(
                n=one.informative, title=one.title, measure=measure, least=least
            )


def _public_lines(phase: Phase, task: Task) -> Sequence[str]:
    phase.task = task
    return policy.disclosure(AnonymousUser(), phase).lines


def _baseline_files(task: Task) -> dict[str, dict[str, Source]]:
    """By test set and system; the newest file of a system stands."""
    found: dict[str, dict[str, Source]] = {}
    for sent in baselines.sent_baselines(task).prefetch_related("files__test_set"):
        for file in sent.files.all():
            found.setdefault(file.test_set.name, {})[sent.system] = file.source()
    return found


def _rehearsed(
    task: Task, plan: TaskPlan, test_set: TestSetPlan, sent: Mapping[str, Source]
) -> TestSetCheck:
    blind = test_set.blind
    about = (test_set.title, blind.name, len(blind.single()))
    drawn = task.plan(test_set.position)
    request = request_for(
        plan,
        names=[f"baseline {name}" for name in sent],
        headline=task.headline,
        measures=[measure.name for measure in task.measures],
        plan={
            "resamples": drawn.resamples,
            "seed": drawn.seed,
            "level": drawn.level,
        },
    )
    request.add(blind, test_set.gold)
    for source in sent.values():
        request.add(test_set.gold, source)
    try:
        values, _files = sandbox_answer("setup", request, test_set.gold.name)
    except SetupError as error:
        return TestSetCheck(*about, problems=error.problems)
    return _shown(task, about, values)


def _shown(task: Task, about: tuple[str, str, int], values: Any) -> TestSetCheck:
    measure = task.headline_measure
    empty, apart = values["empty"], values["separation"]
    return TestSetCheck(
        *about,
        rows=[_row(task.measures, row) for row in values["rows"]],
        units=values["units"],
        seconds=values["seconds"],
        refusal=[Problem(**one) for one in empty.get("problems", ())],
        empty=None if "problems" in empty else Score.of(measure, Numbers.of(empty)),
        separation=apart and apart["smallest"] * (100 if measure.percent else 1),
        power=round(100 * apart["power"]) if apart else 80,
        systems=apart["systems"] if apart else 2,
        informative=values["informative"],
        design=values["design"] and (values["design"][0], values["design"][1]),
    )


def _row(measures: Sequence[Measure], row: Mapping[str, Any]) -> CheckedSystem:
    named = {
        job.GOLD: _("The gold itself"),
        job.NOISY: _("A copy with one answer in ten wrong"),
    }
    found = row["measures"]
    scores = [Score.of(one, Numbers.of(found[one.name])) for one in measures]
    name = row["name"].removeprefix("baseline ")
    title = named.get(row["name"]) or _("Baseline {name}").format(name=name)
    return CheckedSystem(title, scores, row["rank"], row["range"])


def _blocking(done: Sequence[TestSetCheck], phases: Sequence[Phase]) -> Iterator[str]:
    if not done:
        yield _("There is no test set.")
    if not phases:
        yield _("There is no phase.")
    for one in done:
        if one.problems:
            yield _("“{title}” cannot be scored.").format(title=one.title)


@form_page
@access(EDIT)
def check(request: HttpRequest, task: Task) -> HttpResponse:
    """Explains the check; by POST it is done and shown."""
    check = check_setup(task) if request.method == "POST" else None
    return _page(request, task, check)


@require_POST
@access(EDIT)
def publish(request: HttpRequest, task: Task) -> HttpResponse:
    """A draft that passes the check becomes a task that everybody sees."""
    if not task.draft:
        return redirect("organize", task.slug)
    checked = whole_plan(task)
    check = check_setup(task)
    if not check.passed or (check.few and not request.POST.get("few_units")):
        return _page(request, task, check, 422)
    with task_locked(task) as now:
        unchanged = whole_plan(now) == checked
        if unchanged:
            Task.objects.filter(pk=now.pk).update(draft=False)
    if not unchanged:
        sentence = _("The task was changed while it was checked: check it again.")
        messages.error(request, sentence)
        return _page(request, task, None, 409)
    messages.success(request, _("The task is published."))
    return redirect("organize", task.slug)


def _page(
    request: HttpRequest, task: Task, check: SetupCheck | None, status: int = 200
) -> HttpResponse:
    context = {"task": task, "found": check}
    return render(request, "organize/check.html", context, status=status)
