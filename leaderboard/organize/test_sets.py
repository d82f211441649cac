"""Test sets: listed, added, changed and removed in the browser."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django import forms
from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.organize import gold_trial
from leaderboard.organize.applying import apply
from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.gold_trial import Given
from leaderboard.organize.obstacles import Kept
from leaderboard.organize.seen import ShowsValues
from leaderboard.submissions.checking import source_of
from leaderboard.tasks import blobs
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.bundle.schema import PhasePlan, TaskPlan, TestSetPlan
from leaderboard.tasks.models import GoldFile, Task, TestSet
from leaderboard.tasks.policy import Power
from leaderboard.teams.models import User
from scoring.errors import Problem, SetupError
from scoring.formats.bundle import as_one_file


class TestSetForm(forms.Form):
    """Adds a test set; `known` are the names that are taken."""

    title = forms.CharField(max_length=120, label=gettext_lazy("Title"))
    name = forms.SlugField(
        max_length=60,
        label=gettext_lazy("Name"),
        help_text=gettext_lazy(
            "For addresses and files: small letters, digits and hyphens."
        ),
    )
    gold = forms.FileField(
        label=gettext_lazy("Gold"),
        help_text=gettext_lazy(
            "The answers: one file, or a zip of several. Never published."
        ),
    )
    blind = forms.FileField(
        required=False,
        label=gettext_lazy("Blind file"),
        help_text=gettext_lazy(
            "What participants get. Made from the gold if you give none."
        ),
    )
    position = forms.IntegerField(
        min_value=0,
        max_value=1000,
        label=gettext_lazy("Place"),
        help_text=gettext_lazy("The order; it also fixes the draws of the intervals."),
    )

    def __init__(self, known: dict[str, int], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known = known
        self.initial.setdefault("position", max(known.values(), default=-1) + 1)

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if name in self.known:
            raise forms.ValidationError(
                gettext_lazy("There is a test set of this name.")
            )
        return name

    def clean_position(self) -> int:
        place = int(self.cleaned_data["position"])
        if place in self.known.values():
            raise forms.ValidationError(
                gettext_lazy("Another test set has this place.")
            )
        return place

    def given(self) -> Given:
        found = self.cleaned_data
        blind = found["blind"]
        return Given(
            found["name"],
            found["title"],
            found["position"],
            source_of(found["gold"], found["name"]),
            source_of(blind, found["name"]) if blind else None,
        )


class ChangeTestSetForm(ShowsValues, TestSetForm):
    """Changes a test set; its name stays, and files that are not given.

    Once files were sent for it (`kept`), its blind file and its place stay too.
    """

    field_order = ("title", "gold", "blind", "position")

    def __init__(
        self, plan: TestSetPlan, known: dict[str, int], *args: Any, **kwargs: Any
    ) -> None:
        kept = kwargs.pop("kept", False)
        others = {name: place for name, place in known.items() if name != plan.name}
        super().__init__(others, *args, **kwargs)
        self.plan = plan
        del self.fields["name"]
        self.fields["gold"].required = False
        now = {"gold": plan.gold.name, "blind": plan.blind.name}
        for name, file in now.items():
            self.fields[name].help_text = (
                gettext_lazy("Now: %s. A new file replaces it.") % file
            )
        if kept:
            del self.fields["blind"]
            self.fields["position"].disabled = True
        self.initial.update(title=plan.title, position=plan.position)
        self.shows([plan.title, plan.position, plan.gold.sha256, plan.blind.sha256])

    def given(self) -> Given | None:
        """What to try; None where only title or place change."""
        found = self.cleaned_data
        gold, blind = found["gold"], found.get("blind")
        if not gold and not blind:
            return None
        name = self.plan.name
        return Given(
            name,
            found["title"],
            found["position"],
            source_of(gold, name) if gold else self.plan.gold,
            source_of(blind, name) if blind else None,
        )


def places(test_sets: Any) -> dict[str, int]:
    found: list[TestSet] = list(test_sets)
    return {test_set.name: test_set.position for test_set in found}


@dataclass(frozen=True)
class TestSetLine:
    """One test set of the list; `kept` says that files were sent for it."""

    test_set: TestSet
    gold: GoldFile
    phases: Sequence[str]
    kept: bool


def lines(task: Task) -> list[TestSetLine]:
    kept = Kept.of(task)
    files = GoldFile.objects.filter(revision=task.gold_revisions.live())
    found = files.select_related("test_set").order_by("test_set__position")
    return [
        TestSetLine(
            file.test_set,
            file,
            [phase.title for phase in file.test_set.phases.all()],
            file.test_set.name in kept.test_sets,
        )
        for file in found.prefetch_related("test_set__phases")
    ]


def add_test_set(task: Task, given: Given, user: User) -> None:
    """Raises SetupError with what is wrong with the gold."""
    plan = whole_plan(task)
    unit, new = gold_trial.tried(plan, given)
    ordered = sorted((*plan.test_sets, new), key=lambda one: one.position)
    new_plan = plan.with_unit(unit).changed(test_sets=tuple(ordered))
    apply(task, new_plan, user, plan)


@dataclass
class TestSetChange:
    """One test set changed into what the form says."""

    task: Task
    plan: TaskPlan
    old: TestSetPlan
    user: User
    said: str = field(init=False, default="")

    def make(self, form: ChangeTestSetForm) -> None:
        """Raises SetupError with what stands against it."""
        found = form.cleaned_data
        new = self.old.changed(title=found["title"], position=found["position"])
        kept = self.old.name in Kept.of(self.task).test_sets
        if given := form.given():
            if given.blind is None and (kept or not self._made_blind()):
                given = replace(given, blind=self.old.blind)
            _unit, new = gold_trial.tried(self.plan, given)
        apply(self.task, replaced(self.plan, new), self.user, self.plan)
        draft = kept and new.gold != self.old.gold
        self.said = (
            _("Saved. The new gold is a draft revision: preview it, then make it live.")
            if draft
            else _("Saved.")
        )

    def _made_blind(self) -> bool:
        """Whether the blind file is the one that is made from the gold."""
        scoring = self.plan.scoring
        made = as_one_file(scoring.scorer.blind(self.old.gold, scoring.parsed))
        return blobs.digest_of(made.single()) == self.old.blind.sha256


def replaced(plan: TaskPlan, new: TestSetPlan) -> TaskPlan:
    found = [new if one.name == new.name else one for one in plan.test_sets]
    ordered = sorted(found, key=lambda one: one.position)
    return plan.changed(test_sets=tuple(ordered))


def remove_test_set(task: Task, name: str, user: User) -> None:
    """Raises SetupError when files were sent for it, or a phase has no other."""
    plan = whole_plan(task)
    left = tuple(one for one in plan.test_sets if one.name != name)
    phases = tuple(_without(phase, name) for phase in plan.phases)
    apply(task, plan.changed(test_sets=left, phases=phases), user, plan)


def _without(phase: PhasePlan, name: str) -> PhasePlan:
    left = tuple(one for one in phase.test_sets if one != name)
    if not left and phase.test_sets:
        message = _("“{phase}” scores on this test set alone").format(phase=phase.title)
        hint = _("Change or remove that phase first.")
        raise SetupError(Problem("phase", message, hint=hint))
    return phase.changed(test_sets=left)


def tried(plan: TaskPlan) -> TaskPlan:
    """The plan with all gold tried under its options, units counted anew.

    Raises SetupError where the gold does not fit them.
    """
    found = []
    for one in plan.test_sets:
        given = Given(one.name, one.title, one.position, one.gold, one.blind)
        unit, new = gold_trial.tried(plan, given)
        plan = plan.with_unit(unit)
        found.append(new)
    return plan.changed(test_sets=tuple(found))


Problems = list[Problem]


def attempt(problems: Problems, change: Callable[[], object]) -> bool:
    """Do it; what stands against it is added to `problems`."""
    try:
        change()
    except SetupError as error:
        problems.extend(error.problems)
    return not problems


def status_of(problems: Problems, *forms: BaseForm) -> int:
    return 422 if problems or any(form.errors for form in forms) else 200


@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    """The test sets, and the form for one more."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    known = places(task.test_sets.all())
    form = TestSetForm(known, request.POST or None, request.FILES or None)
    problems: Problems = []
    if request.method == "POST" and form.is_valid():
        given = form.given()
        if attempt(problems, lambda: add_test_set(task, given, request.user)):
            messages.success(request, _("The test set was added: its gold is sound."))
            return redirect("organize-test-sets", slug)
    context = {
        "task": task,
        "form": form,
        "lines": lines(task),
        "problems": problems,
    }
    status = status_of(problems, form)
    return render(request, "organize/test_sets.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def one(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    test_set = get_object_or_404(TestSet, task=task, name=name)
    plan = whole_plan(task)
    old = next(found for found in plan.test_sets if found.name == name)
    known = places(task.test_sets.all())
    kept = name in Kept.of(task).test_sets
    data, files = request.POST or None, request.FILES or None
    form = ChangeTestSetForm(old, known, data, files, kept=kept)
    problems: Problems = []
    if request.method == "POST" and form.is_valid():
        change = TestSetChange(task, plan, old, request.user)
        if attempt(problems, lambda: change.make(form)):
            messages.success(request, change.said)
            return redirect("organize-test-sets", slug)
    context = {
        "task": task,
        "test_set": test_set,
        "form": form,
        "kept": kept,
        "problems": problems,
    }
    status = status_of(problems, form)
    return render(request, "organize/test_set.html", context, status=status)


@require_POST
def remove(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    test_set = get_object_or_404(TestSet, task=task, name=name)
    problems: Problems = []
    if attempt(problems, lambda: remove_test_set(task, name, request.user)):
        messages.success(request, _("%s was removed.") % test_set.title)
        return redirect("organize-test-sets", slug)
    return _refused(request, task, problems)


def _refused(request: HttpRequest, task: Task, problems: Problems) -> HttpResponse:
    form = TestSetForm(places(task.test_sets.all()))
    context = {
        "task": task,
        "form": form,
        "lines": lines(task),
        "problems": problems,
    }
    return render(request, "organize/test_sets.html", context, status=422)
