"""Set-up check: what participants will see, and warnings, before there are any."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from leaderboard.organize.program import tried
from leaderboard.organize.test_sets import request_for, sandbox_answer
from leaderboard.sandbox.fork import JobFailed
from leaderboard.sandbox.jobs import setup_check as job
from leaderboard.submissions.scores import NO_UNITS, Score
from leaderboard.tasks import phase_rules, policy
from leaderboard.tasks.access import EDIT, task_locked
from leaderboard.tasks.bundle.dump import plan_of
from leaderboard.tasks.bundle.schema import TaskPlan, TestSetPlan
from leaderboard.tasks.models import GoldFile, Phase, Task
from leaderboard.tasks.program_rights import NOT_ALLOWED, may_have_program
from leaderboard.web.access import access
from leaderboard.web.forms import form_page
from leaderboard.web.templatetags.formatting import unit_word
from scoring.errors import Problem, Refused, SetupError
from scoring.measures import Measure
from scoring.source import Source
from scoring.statistics.bootstrap import Numbers

FEW_UNITS = 100
FEW_ON_A_STEP = 5


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
    """The whole check, with sentences about it.

    `phases` are pairs of a phase and what the public does not see of it. `blocking`
    are what stands against publishing; `few` is what has to be known, and said to be,
    before.
    """

    test_sets: Sequence[TestSetCheck]
    phases: Sequence[tuple[Phase, Sequence[str]]]
    warnings: Sequence[str]
    blocking: Sequence[str] = ()
    few: Sequence[str] = ()

    @property
    def passed(self) -> bool:
        return not self.blocking


def check_setup(task: Task) -> SetupCheck:
    """Score gold, a copy with mistakes and the baselines on every test set."""
    plan = plan_of(task)
    sent = _baseline_files(task)
    test_sets = [
        _checked(task, plan, one, sent.get(one.name, {})) for one in plan.test_sets
    ]
    phases = list(
        task.phases.select_related("task", "gold_revision").prefetch_related(
            "test_sets"
        )
    )
    public = [policy.disclosure(AnonymousUser(), phase).lines for phase in phases]
    sound = [one for one in test_sets if not one.problems]
    units = {one.title: one.units for one in sound}
    return SetupCheck(
        test_sets,
        list(zip(phases, public, strict=True)),
        [
            *_warnings_of_test_sets(task, sound),
            *_warnings_of_phases(task, phases, public, units),
            *_shared(phases),
        ],
        [*_blocking(test_sets, phases, units)],
        [*_few(task, sound)],
    )


def _units_of(phase: Phase, units: Mapping[str, int]) -> dict[str, int]:
    """Units of the test sets of a phase, by title."""
    titles = [test_set.title for test_set in phase.test_sets.all()]
    return {title: units[title] for title in titles if title in units}


def _blocking(
    test_sets: Sequence[TestSetCheck], phases: Sequence[Phase], units: Mapping[str, int]
) -> Iterator[str]:
    if not test_sets:
        yield _("There is no test set.")
    if not phases:
        yield _("There is no phase.")
    for one in test_sets:
        if one.problems:
            yield _("“{title}” cannot be scored.").format(title=one.title)
    for phase in phases:
        yield from phase_rules.too_few(phase, _units_of(phase, units))


def _few(task: Task, test_sets: Sequence[TestSetCheck]) -> Iterator[str]:
    """Test sets whose headline so few units bear on that it proves next to nothing."""
    sentence = _(
        "Only {n} units of “{title}” bear on {measure}: with fewer than {least} there "
        "is hardly an interval, and no two systems can be told apart."
    )
    if task.headline_measure.of_file:
        yield str(NO_UNITS)
        return
    measure, least = task.headline_measure.title, settings.LEAST_HEADLINE_UNITS
    for one in test_sets:
        if one.informative < least:
            yield sentence.format(
                n=one.informative, title=one.title, measure=measure, least=least
            )


def _warnings_of_test_sets(
    task: Task, test_sets: Sequence[TestSetCheck]
) -> Iterator[str]:
    small = _(
        "“{title}” has few units ({unit}): {n}. Below {least}, intervals are rough and "
        "only large differences show."
    )
    alike = _(
        "“{title}”: units inside one {group} answer alike (design effect {effect}); "
        "intervals by {unit} are {times} times too narrow. Take “{name}” as the "
        "resampled unit."
    )
    empty = _("An empty file gets a score on “{title}”.")
    for one in test_sets:
        if one.units < FEW_UNITS and not task.headline_measure.of_file:
            about = {"title": one.title, "n": one.units}
            yield small.format(unit=task.unit, least=FEW_UNITS, **about)
        if one.design is not None:
            group, effect = one.design
            yield alike.format(
                title=one.title,
                group=unit_word(group),
                name=unit_word(group),
                effect=f"{effect:.1f}",
                unit=unit_word(task.unit),
                times=f"{effect**0.5:.1f}",
            )
        if one.empty is not None and one.empty.value:
            yield empty.format(title=one.title)


def _warnings_of_phases(
    task: Task,
    phases: Sequence[Phase],
    public: Sequence[Sequence[str]],
    units: Mapping[str, int],
) -> Iterator[str]:
    # A measure of few units tells more of each than the whole does.
    boards = [name for board in task.boards() for name in board.measures]
    named = [*(measure.name for measure in task.measures), *boards]
    tags = dict.fromkeys(name for name in named if name.endswith("]"))
    tagged = _(
        "“{phase}” withholds scores and yet shows {measures}: a measure over few "
        "units tells more about the gold than the whole does."
    )
    fine = _(
        "The grid of “{phase}” hides little: one step is worth {n} of its {total} "
        "units. Take {least} points or more."
    )
    for phase, withheld in zip(phases, public, strict=True):
        if tags and withheld:
            yield tagged.format(phase=phase.title, measures=", ".join(tags))
        sizes = _units_of(phase, units)
        total = sum(sizes.values())
        on_a_step = total * (phase.step or 0) / 100
        if phase.publication == Phase.Publication.GRID and on_a_step < FEW_ON_A_STEP:
            least = f"{100 * FEW_ON_A_STEP / max(total, 1):.2g}"
            about = {"n": f"{on_a_step:.1f}", "total": total, "least": least}
            yield fine.format(phase=phase.title, **about)
        yield from phase_rules.rough(phase, sizes)


def _shared(phases: Sequence[Phase]) -> Iterator[str]:
    """Phases that tell of a test set what another withholds."""
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
    for phase, other in permutations(phases, 2):
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


def _baseline_files(task: Task) -> dict[str, dict[str, Source]]:
    """By test set and system; the newest file of a system stands."""
    files: dict[str, dict[str, Source]] = {}
    for sent in baselines.sent_baselines(task).prefetch_related("files__test_set"):
        for file in sent.files.all():
            files.setdefault(file.test_set.name, {})[sent.system] = file.source()
    return files


def _checked(
    task: Task, plan: TaskPlan, test_set: TestSetPlan, sent: Mapping[str, Source]
) -> TestSetCheck:
    blind = test_set.blind
    about = (test_set.title, blind.name, len(blind.single()))
    if task.scorer.runs_program:
        return _program_checked(task, about, test_set.gold, sent)
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
    return _read(task, about, values)


def _program_checked(
    task: Task, about: tuple[str, str, int], gold: Source, sent: Mapping[str, Source]
) -> TestSetCheck:
    """The program run on the baselines, or on the gold where there are none."""
    rows, units, seconds, problems = [], 0, 0.0, []
    named = {
        _("Baseline {name}").format(name=name): file for name, file in sent.items()
    }
    for title, file in (named or {_("The gold itself"): gold}).items():
        try:
            trial = tried(task, gold, file)
        except JobFailed:
            message = _("trying the file failed on our side; the operators can see why")
            problems.append(Problem("check_failed", message))
            continue
        except Refused as refusal:
            problems += refusal.problems
            continue
        problems += [*trial.problems, *trial.refused]
        if trial.fine:
            rows.append(CheckedSystem(title, trial.scores, None, ""))
            units, seconds = trial.units, trial.seconds
    if problems and not named:
        hint = _("Send a baseline first: the check then runs the program on it.")
        problems.append(Problem("program_example", hint))
    if not may_have_program(task):
        problems.append(Problem("program_rights", str(NOT_ALLOWED)))
    if problems:
        return TestSetCheck(*about, problems=problems)
    files = GoldFile.objects.filter(revision=task.gold_revisions.live(), units=0)
    files.filter(test_set__task=task, test_set__title=about[0]).update(units=units)
    refusal = [Problem("empty_file", "the file is empty")]
    return TestSetCheck(
        *about,
        rows=rows,
        units=units,
        seconds=seconds,
        informative=units,
        refusal=refusal,
    )


def _read(task: Task, about: tuple[str, str, int], values: Any) -> TestSetCheck:
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
    numbers = row["measures"]
    # Nobody has judged yet: such measures are n/a.
    scores = [Score.of(m, Numbers.of(numbers[m.name] or {})) for m in measures]
    name = row["name"].removeprefix("baseline ")
    title = named.get(row["name"]) or _("Baseline {name}").format(name=name)
    return CheckedSystem(title, scores, row["rank"], row["range"])


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
    checked = _checked_plan(task)
    check = check_setup(task)
    if not check.passed or (check.few and not request.POST.get("few_units")):
        return _page(request, task, check, 422)
    with task_locked(task) as now:
        unchanged = _checked_plan(now) == checked
        if unchanged:
            Task.objects.filter(pk=now.pk).update(draft=False)
    if not unchanged:
        sentence = _("The task was changed while it was checked: check it again.")
        messages.error(request, sentence)
        return _page(request, task, None, 409)
    messages.success(request, _("The task is published."))
    return redirect("organize", task.slug)


def _checked_plan(task: Task) -> TaskPlan:
    """All that the check is about. How many units there are follows from it, and the
    check itself may be the first to tell."""
    plan = whole_plan(task)
    return plan.changed(test_sets=tuple(t.changed(units=0) for t in plan.test_sets))


def _page(
    request: HttpRequest, task: Task, check: SetupCheck | None, status: int = 200
) -> HttpResponse:
    context = {"task": task, "found": check}
    return render(request, "organize/check.html", context, status=status)
