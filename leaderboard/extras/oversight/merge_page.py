"""The page on which organizers choose two teams, are asked, and merge them."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extension.access import PEOPLE
from leaderboard.extension.forms import FormPage
from leaderboard.extension.models import Participation, Submission, Task
from leaderboard.extension.participation import tell_team
from leaderboard.extras.oversight import team_merger


class TeamsForm(forms.Form):
    """Two active teams of the task.

    The one that baselines stand under is no choice: nobody is in it.
    """

    stays = forms.ModelChoiceField(
        Participation.objects.none(), label=gettext_lazy("Team that stays")
    )
    leaves = forms.ModelChoiceField(
        Participation.objects.none(), label=gettext_lazy("Team that goes into it")
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        active = (
            Participation.objects.filter(task=task, status=Participation.Status.ACTIVE)
            .exclude(submissions__baseline=True)
            .select_related("team")
            .order_by("team__name")
        )
        for name in ("stays", "leaves"):
            field: Any = self.fields[name]
            field.queryset = active
            field.label_from_instance = lambda entry: str(entry.team)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("stays") and cleaned.get("stays") == cleaned.get("leaves"):
            self.add_error("leaves", _("Choose two different teams."))
        return cleaned


class MergeForm(TeamsForm):
    """The answer to the question whether these two are merged, with a reason."""

    why = forms.CharField(
        max_length=Participation._meta.get_field("reason").max_length,
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Each team is shown it, by mail too."),
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(task, *args, **kwargs)
        for name in ("stays", "leaves"):
            self.fields[name].widget = forms.HiddenInput()


@dataclass(frozen=True)
class MergeQuestion:
    """The effects of merging two teams: the number of members and submissions that
    move, and whether the attempts allow it."""

    stays: Participation
    leaves: Participation
    members: int
    submissions: int
    allowances: list[team_merger.JointAllowance]

    @classmethod
    def about(cls, stays: Participation, leaves: Participation) -> "MergeQuestion":
        return cls(
            stays,
            leaves,
            leaves.participants.filter(left_at=None).count(),
            Submission.objects.filter(participation=leaves).count(),
            team_merger.allowances(stays, leaves, timezone.now()),
        )

    @property
    def fits(self) -> bool:
        return all(allowance.fits for allowance in self.allowances)


class MergePage(FormPage):
    """A GET with both teams asks whether they are to be merged; a POST merges them."""

    mark = PEOPLE
    template_name = "oversight/merge.html"
    above = ("organize-people", gettext_lazy("All teams"))
    title = gettext_lazy("Merge two teams")
    style = "people.css"
    done = "organize-people"
    rule = team_merger.RULE

    def get_form(self) -> TeamsForm:
        if self.request.method == "POST":
            return MergeForm(self.task, self.request.POST)
        chosen = self.request.GET if "stays" in self.request.GET else None
        return TeamsForm(self.task, chosen)

    def save(self, form: MergeForm) -> str:
        stays, leaves = form.cleaned_data["stays"], form.cleaned_data["leaves"]
        why = form.cleaned_data["why"]
        words = {"stays": stays.team, "leaves": leaves.team, "task": self.task}
        text = _(
            "%(leaves)s is part of %(stays)s in %(task)s now: you share submissions, "
            "scores and attempts."
        )
        with transaction.atomic():
            team_merger.merge(stays, leaves, self.request.user, why)
            subject = _("Two teams are one")
            tell_team(stays, subject, text % words, why, self.request.user)
        return _("%(leaves)s is part of %(stays)s now.") % words

    def context(self, form: TeamsForm) -> dict[str, Any]:
        """The question about the two teams that were chosen; without, their choice."""
        asks = isinstance(form, MergeForm)
        if not form.is_bound or form.errors.keys() & {"stays", "leaves"}:
            return {"form": TeamsForm(self.task, form.data)} if asks else {}
        stays, leaves = form.cleaned_data["stays"], form.cleaned_data["leaves"]
        if not asks:
            chosen = {"stays": stays.pk, "leaves": leaves.pk}
            form = MergeForm(self.task, initial=chosen)
        return {"form": form, "question": MergeQuestion.about(stays, leaves)}
