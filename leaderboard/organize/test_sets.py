"""Adding, changing and removing test sets in the browser."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from leaderboard.organize import gold_trial
from leaderboard.organize.applying import apply
from leaderboard.organize.bundles import whole_plan
from leaderboard.organize.gold_trial import Given
from leaderboard.organize.obstacles import Kept
from leaderboard.organize.test_set_forms import ChangeTestSetForm
from leaderboard.tasks import blobs
from leaderboard.tasks.current import gold_in_force
from leaderboard.tasks.models import GoldFile, Task, TestSet
from leaderboard.tasks.plans import PhasePlan, TaskPlan, TestSetPlan
from leaderboard.teams.models import User
from scoring.errors import Problem, SetupError
from scoring.formats.bundle import as_one_file


@dataclass(frozen=True)
class Line:
    """One test set of the list; `kept` says that files were sent for it."""

    test_set: TestSet
    gold: GoldFile
    phases: Sequence[str]
    kept: bool


def lines(task: Task) -> list[Line]:
    kept = Kept.of(task)
    files = GoldFile.objects.filter(revision=gold_in_force(task))
    found = files.select_related("test_set").order_by("test_set__position")
    return [
        Line(
            file.test_set,
            file,
            [phase.title for phase in file.test_set.phases.all()],
            file.test_set.name in kept.test_sets,
        )
        for file in found.prefetch_related("test_set__phases")
    ]


def add(task: Task, given: Given, user: User) -> None:
    """Raises SetupError with what is wrong with the gold."""
    plan = whole_plan(task)
    unit, new = gold_trial.tried(plan, given)
    ordered = sorted((*plan.test_sets, new), key=lambda one: one.position)
    apply(task, replace(plan, test_sets=tuple(ordered), unit=unit), user, plan)


@dataclass
class Change:
    """One test set changed into what the form says."""

    task: Task
    plan: TaskPlan
    old: TestSetPlan
    user: User
    said: str = field(init=False, default="")

    def make(self, form: ChangeTestSetForm) -> None:
        """Raises SetupError with what stands against it."""
        found = form.cleaned_data
        new = replace(self.old, title=found["title"], position=found["position"])
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
        options = self.plan.options
        made = as_one_file(self.plan.scorer.blind(self.old.gold, options))
        return blobs.digest_of(made.single()) == self.old.blind.sha256


def replaced(plan: TaskPlan, new: TestSetPlan) -> TaskPlan:
    found = [new if one.name == new.name else one for one in plan.test_sets]
    ordered = sorted(found, key=lambda one: one.position)
    return replace(plan, test_sets=tuple(ordered))


def remove(task: Task, name: str, user: User) -> None:
    """Raises SetupError when files were sent for it, or a phase has no other."""
    plan = whole_plan(task)
    left = tuple(one for one in plan.test_sets if one.name != name)
    phases = tuple(_without(phase, name) for phase in plan.phases)
    apply(task, replace(plan, test_sets=left, phases=phases), user, plan)


def _without(phase: PhasePlan, name: str) -> PhasePlan:
    left = tuple(one for one in phase.test_sets if one != name)
    if not left and phase.test_sets:
        message = _("“{phase}” scores on this test set alone").format(phase=phase.title)
        hint = _("Change or remove that phase first.")
        raise SetupError(Problem("phase", message, hint=hint))
    return replace(phase, test_sets=left)


def tried(plan: TaskPlan) -> TaskPlan:
    """The plan with all gold tried under its options, units counted anew.

    Raises SetupError where the gold does not fit them.
    """
    found = []
    for one in plan.test_sets:
        given = Given(one.name, one.title, one.position, one.gold, one.blind)
        unit, new = gold_trial.tried(plan, given)
        plan = replace(plan, unit=unit)
        found.append(new)
    return replace(plan, test_sets=tuple(found))
