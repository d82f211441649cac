"""Set-up check: what participants will see, and warnings, before there are any."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.organize.baselines import sent_baselines, whole_plan
from leaderboard.organize.checked_test_sets import TestSetCheck, checked_test_sets
from leaderboard.organize.checklist import Remark, Weight, remarks
from leaderboard.tasks import policy
from leaderboard.tasks.access import EDIT, task_locked
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.tasks.models import Change, Phase, Task
from leaderboard.web.access import access
from leaderboard.web.forms import form_page
from scoring import VERSION

CACHED_SECONDS = 7 * 24 * 3600
CHANGED = gettext_lazy("The task was changed while it was checked: check it again.")


@dataclass(frozen=True)
class SetupCheck:
    """The whole check, with the checklist.

    `phases` are pairs of a phase and what the public does not see of it.
    """

    test_sets: Sequence[TestSetCheck]
    phases: Sequence[tuple[Phase, Sequence[str]]]
    remarks: Sequence[Remark]

    @classmethod
    def of(cls, task: Task, test_sets: Sequence[TestSetCheck]) -> "SetupCheck":
        rows = task.phases.select_related("task", "gold_revision")
        phases = list(policy.with_neighbours(rows))
        public = [policy.disclosure(AnonymousUser(), phase).lines for phase in phases]
        listed = remarks(task, test_sets)
        return cls(test_sets, list(zip(phases, public, strict=True)), listed)

    @property
    def has_passed(self) -> bool:
        return not self.blocking

    @property
    def blocking(self) -> list[str]:
        """The findings that prevent publishing."""
        return self._of(Weight.BLOCKS)

    @property
    def few(self) -> list[str]:
        """The findings that somebody must acknowledge before publishing."""
        return self._of(Weight.TICK)

    @property
    def warnings(self) -> list[str]:
        return self._of(Weight.WARNING)

    def _of(self, weight: Weight) -> list[str]:
        return [remark.text for remark in self.remarks if remark.weight == weight]


def check_setup(task: Task) -> SetupCheck:
    """Score gold, a copy with mistakes and the baselines on every test set."""
    key = _key(task)
    test_sets = checked_test_sets(task)
    cache.set(key, [test_set.row() for test_set in test_sets], CACHED_SECONDS)
    return SetupCheck.of(task, test_sets)


def last_check(task: Task) -> SetupCheck | None:
    """The newest check of the task as it is now, if there was one in the last days."""
    rows = cache.get(_key(task))
    try:
        test_sets = [TestSetCheck.of_row(row, task) for row in rows or ()]
    except (KeyError, TypeError, ValueError):  # of another version of the site
        return None
    return None if rows is None else SetupCheck.of(task, test_sets)


def _key(task: Task) -> str:
    """A name that changes with whatever the check is about."""
    change = Change.objects.filter(task_pk=task.pk).values_list("pk", flat=True).first()
    baselines = sent_baselines(task).aggregate(n=Count("pk"), last=Max("accepted_at"))
    last = baselines["last"].isoformat() if baselines["last"] else ""
    parts = (task.pk, change, baselines["n"], last, VERSION, get_language())
    return "setup-check:" + ":".join(map(str, parts))


@form_page
@access(EDIT)
def check(request: HttpRequest, task: Task) -> HttpResponse:
    """Explains the check and shows the last one; by POST it is done."""
    check = (check_setup if request.method == "POST" else last_check)(task)
    return _page(request, task, check)


class NotPublished(Exception):
    """A draft stays one: for what the check found, or as it was changed meanwhile."""

    def __init__(self, check: SetupCheck | None) -> None:
        self.check = check
        super().__init__(str(CHANGED))


def publish_checked(task: Task, *, few_units: bool) -> SetupCheck:
    """Check a draft and publish it; `few_units` says that few units are meant.

    Raises NotPublished. Page and API publish by this.
    """
    checked = _checked_plan(task)
    check = check_setup(task)
    if not check.has_passed or (check.few and not few_units):
        raise NotPublished(check)
    with task_locked(task) as now:
        if _checked_plan(now) != checked:
            raise NotPublished(None)
        Task.objects.filter(pk=now.pk).update(draft=False)
    return check


@require_POST
@access(EDIT)
def publish(request: HttpRequest, task: Task) -> HttpResponse:
    """A draft that passes the check becomes a task that everybody sees."""
    if not task.draft:
        return redirect("organize", task.slug)
    try:
        publish_checked(task, few_units=bool(request.POST.get("few_units")))
    except NotPublished as refusal:
        if refusal.check is None:
            messages.error(request, str(refusal))
        elif refusal.check.has_passed:
            messages.error(request, _("Not published: tick that you mean it."))
        return _page(request, task, refusal.check, 422 if refusal.check else 409)
    messages.success(request, _("The task is published."))
    return redirect("organize", task.slug)


def _checked_plan(task: Task) -> TaskPlan:
    """The plan that the check is about, without numbers of units: they follow from it,
    and the check itself may be the first to tell."""
    plan = whole_plan(task)
    return plan.with_values(
        test_sets=tuple(t.with_values(units=0) for t in plan.test_sets)
    )


def _page(
    request: HttpRequest, task: Task, check: SetupCheck | None, status: int = 200
) -> HttpResponse:
    listed = remarks(task, None) if check is None else check.remarks
    context = {"task": task, "found": check, "remarks": listed}
    return render(request, "organize/check.html", context, status=status)
