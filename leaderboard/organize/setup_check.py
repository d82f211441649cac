"""Set-up check: what participants will see, before there are any."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
from leaderboard.organize.gold_trial import answer, request_for
from leaderboard.organize.setup_warnings import (
    PhaseShown,
    alike_warnings,
    setup_warnings,
)
from leaderboard.sandbox.jobs import setup_check as job
from leaderboard.submissions.scores import Score
from leaderboard.tasks import phase_rules, policy
from leaderboard.tasks.access import organized_task_or_404, task_locked
from leaderboard.tasks.bundle.dump import plan_of
from leaderboard.tasks.bundle.schema import TaskPlan, TestSetPlan
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.policy import Power
from scoring.errors import Problem, SetupError
from scoring.measures import Measure
from scoring.source import Source


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
    said = _("An empty file gets a score on “{title}”.")
    warnings += [said.format(title=title) for title in scored]
    blocking = [*_blocking(done, phases)]
    for phase in phases:
        here = {one.title for one in phase.test_sets.all()}
        sizes = {title: n for title, n in units.items() if title in here}
        blocking += phase_rules.too_few(phase, sizes)
        warnings += phase_rules.rough(phase, sizes)
    return SetupCheck(done, shown, warnings, blocking, [*_few(task, done)])


def _few(task: Task, done: Sequence[TestSetCheck]) -> Iterator[str]:
    """Test sets whose headline so few units bear on that it proves next to nothing."""
    said = _(
        "Only {n} units of “{title}” bear on {measure}: with fewer than {least} there "
        "is hardly an interval, and no two systems can be told apart."
    )
    least = settings.LEAST_HEADLINE_UNITS
    for one in done:
        if not one.problems and one.informative < least:
            measure = task.headline_measure.title
            yield said.format(
                n=one.informative, title=one.title, measure=measure, least=least
            )


def _public_lines(phase: Phase, task: Task) -> Sequence[str]:
    phase.task = task
    return policy.disclosure(AnonymousUser(), phase).lines


def _baseline_files(task: Task) -> dict[str, dict[str, Source]]:
    """By test set and system; the newest file of a system stands."""
    found: dict[str, dict[str, Source]] = {}
    for sent in baselines.sent_baselines(task):
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
        values, _files = answer("setup", request, test_set.gold.name)
    except SetupError as error:
        return TestSetCheck(*about, problems=error.problems)
    return _shown(task, about, values)


def _shown(task: Task, about: tuple[str, str, int], answer: Any) -> TestSetCheck:
    measure = task.headline_measure
    empty, apart = answer["empty"], answer["separation"]
    return TestSetCheck(
        *about,
        rows=[_row(task.measures, row) for row in answer["rows"]],
        units=answer["units"],
        seconds=answer["seconds"],
        refusal=[Problem(**one) for one in empty.get("problems", ())],
        empty=None if "problems" in empty else Score.of(measure, empty),
        separation=apart and apart["smallest"] * (100 if measure.percent else 1),
        power=round(100 * apart["power"]) if apart else 80,
        systems=apart["systems"] if apart else 2,
        informative=answer["informative"],
        design=answer["design"] and (answer["design"][0], answer["design"][1]),
    )


def _row(measures: Sequence[Measure], row: Mapping[str, Any]) -> CheckedSystem:
    named = {
        job.GOLD: _("The gold itself"),
        job.NOISY: _("A copy with one answer in ten wrong"),
    }
    found = row["measures"]
    scores = [Score.of(one, found[one.name]) for one in measures]
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
def check(request: HttpRequest, slug: str) -> HttpResponse:
    """Explains the check; by POST it is done and shown."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    check = check_setup(task) if request.method == "POST" else None
    return _page(request, task, check)


@require_POST
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """A draft that passes the check becomes a task that everybody sees."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    if not task.draft:
        return redirect("organize", slug)
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
    return redirect("organize", slug)


def _page(
    request: HttpRequest, task: Task, check: SetupCheck | None, status: int = 200
) -> HttpResponse:
    context = {"task": task, "found": check}
    return render(request, "organize/check.html", context, status=status)
