"""The next edition of a task: a draft with its gold, rules and organizers."""

from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organize.bundle import import_plan
from leaderboard.organize.forms import FormPage
from leaderboard.organize.task import NewTaskForm
from leaderboard.tasks.access import EDIT
from leaderboard.tasks.bundle.dump import plan_of
from leaderboard.tasks.bundle.schema import PhasePlan, TestSetPlan
from leaderboard.tasks.models import Organizer, Task
from leaderboard.teams.creators import may_create_tasks
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.forms import posted_data
from scoring.source import Source

# What a copy has to say anew: it cites the paper of the edition before.
LAST_YEARS = {"paper": "", "doi": "", "baselines": ()}


class NextEditionForm(NewTaskForm):
    """A form for title and address of the copy."""

    class Meta(NewTaskForm.Meta):
        fields = ("title", "slug")


def next_edition(task: Task, slug: str, title: str, organizer: User) -> Task:
    """A draft with the gold, rules and organizers of a task. Nothing that was sent goes
    along, nor what belongs to its time: ends, salts, pauses, the canary string.

    Raises SetupError where the slug is taken, Refusal, and OverQuota.
    """
    if not may_create_tasks(organizer):
        sentence = _(
            "You may not create tasks here yet: ask for it on the page of new ones."
        )
        raise Refusal(sentence, code="may_not_create")
    plan = plan_of(task)
    plan = plan.with_values(
        slug=slug,
        title=title,
        test_sets=tuple(map(_test_set, plan.test_sets)),
        phases=tuple(map(_phase, plan.phases)),
        **LAST_YEARS,
    )
    with transaction.atomic():
        draft = import_plan(plan, organizer)
        others = Organizer.objects.filter(task=task).exclude(user=organizer)
        for person in others.order_by("pk"):
            Organizer.objects.create(task=draft, user=person.user, role=person.role)
    return draft


def _phase(plan: PhasePlan) -> PhasePlan:
    """A phase without an end, which opens on the same day of a year to come."""
    none = dict.fromkeys(("closes", "reveal_at", "freeze_from"))
    return plan.with_values(
        **none, opens=_ahead(plan.opens), salt="", paused=False, paused_note=""
    )


def _ahead(moment: datetime) -> datetime:
    """The same day of the first year in which it is still to come."""
    now, year = timezone.now(), moment.year
    while True:
        year += 1
        try:
            ahead = moment.replace(year=year)
        except ValueError:  # there is no 29 February
            ahead = (moment - timedelta(days=1)).replace(year=year)
        if ahead > now:
            return ahead


def _test_set(plan: TestSetPlan) -> TestSetPlan:
    """A test set whose blind file is not called as its gold is."""
    suffix = PurePosixPath(plan.blind.name).suffix
    blind = Source.of_bytes(f"{plan.name}{suffix}", plan.blind.single())
    return plan.with_values(blind=blind)


class NextEditionPage(FormPage):
    """Asks what the copy is called, and says what it holds."""

    mark = EDIT
    form_class = NextEditionForm
    of_row = False
    title = gettext_lazy("Copy as next edition")
    lead = gettext_lazy(
        "Makes a draft with the gold, scorer, texts, rules, boards, questions and "
        "organizers of this task. Teams, submissions and baselines stay here. Phases "
        "get new secrets and no ends, and open a year later: set their dates, and "
        "replace the gold, before you publish it."
    )
    button = gettext_lazy("Make the draft")
    above = ("organize-bundle", gettext_lazy("Bundle"))

    def get_form(self) -> Any:
        return NextEditionForm(
            *posted_data(self.request), initial={"title": self.task.title}
        )

    def save(self, form: NextEditionForm) -> HttpResponse:
        wanted = form.cleaned_data
        user: Any = self.request.user
        draft = next_edition(self.task, wanted["slug"], wanted["title"], user)
        messages.success(
            self.request,
            _("The draft is there. Set the dates of its phases, and replace the gold."),
        )
        return redirect("organize-phases", draft.slug)
