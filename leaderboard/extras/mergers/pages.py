"""Pages of mergers: a team proposes one or answers, organizers carry it out."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extras.mergers import proposals, team_merger
from leaderboard.organize.forms import FormPage, refusals_in, refusals_told
from leaderboard.organize.people import REASON_LENGTH
from leaderboard.tasks.access import PEOPLE, TASK, task_locked
from leaderboard.tasks.models import Merger, Participation, Task
from leaderboard.tasks.participation import leads, participation_of
from leaderboard.teams.models import NAME_LENGTH
from leaderboard.web.access import access
from leaderboard.web.forms import form_page, form_response, posted, posted_key


class ProposalForm(forms.Form):
    """Which team to merge with, and which of the two entries stays."""

    WHICH = (
        ("ours", gettext_lazy("Keep our team name")),
        ("theirs", gettext_lazy("Keep their team name")),
    )

    team = forms.CharField(
        max_length=NAME_LENGTH,
        label=gettext_lazy("Name of the other team"),
        help_text=gettext_lazy(
            "As it stands on the board. A leader of it is asked to agree."
        ),
    )
    which = forms.ChoiceField(
        choices=WHICH, label=gettext_lazy("Name on the board afterwards")
    )


@dataclass(frozen=True)
class Proposals:
    """Mergers that a team has a part in, and the form for one more."""

    entry: Participation
    mergers: list[Merger]
    leads: bool
    form: ProposalForm

    @property
    def asks(self) -> bool:
        """Whether the reader may propose one."""
        return self.leads and self.entry.status == Participation.Status.ACTIVE


def proposals_of(
    entry: Participation, user: Any, form: ProposalForm | None = None
) -> Proposals | None:
    """The part of the page of a team; none where it is out and nobody asked it."""
    agreed = proposals.agreed_by(entry)
    mergers = list(proposals.open_mergers(entry).annotate(own_side_agreed=agreed))
    if entry.status != Participation.Status.ACTIVE and not mergers:
        return None
    form = form or ProposalForm(auto_id="propose_%s")
    return Proposals(entry, mergers, leads(user, entry), form)


@form_page
@access(TASK.signed_in)
def merge_with(request: HttpRequest, task: Task) -> HttpResponse:
    """The same part as a page: a proposal that is refused stands here again."""
    entry = participation_of(request.user, task)
    if entry is None:
        return redirect("join", task.slug)
    action, user = request.POST.get("action", ""), request.user
    if action in ("agree", "decline"):
        _answer(request, entry, action)
        return redirect("my-team", task.slug)
    form = ProposalForm(posted(request)[0], auto_id="propose_%s")
    if form.is_valid():
        with refusals_in(form):
            ours = form.cleaned_data["which"] == "ours"
            proposals.propose(entry, form.cleaned_data["team"], user, stays=ours)
            messages.success(request, _("The other team is asked to agree."))
            return redirect("my-team", task.slug)
    rows = proposals_of(entry, user, form)
    context = {"task": task, "entry": entry, "rows": rows, "form": form}
    return form_response(request, "mergers/merge_with.html", context)


def _answer(request: HttpRequest, entry: Participation, action: str) -> None:
    """Say yes or no to a proposal, as a leader of one of its teams."""
    pk = posted_key(request, "merger")
    merger = get_object_or_404(proposals.open_mergers(entry), pk=pk)
    user: Any = request.user
    with refusals_told(request):
        if action == "agree":
            proposals.agree(merger, entry, user)
            messages.success(request, _("You agreed."))
        else:
            proposals.decline(merger, entry, user)
            messages.success(request, _("You declined."))


class MergeForm(forms.Form):
    """Two active teams of the task, and why when they have not agreed.

    The one that baselines stand under is no choice: nobody is in it.
    """

    stays = forms.ModelChoiceField(
        Participation.objects.none(), label=gettext_lazy("Team that stays")
    )
    leaves = forms.ModelChoiceField(
        Participation.objects.none(), label=gettext_lazy("Team that goes into it")
    )
    why = forms.CharField(
        max_length=REASON_LENGTH,
        required=False,
        label=gettext_lazy("Why, if not both teams have agreed"),
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


class MergePage(FormPage):
    """A GET with both teams shows what each allowance says; a POST merges them."""

    mark = PEOPLE
    template_name = "mergers/merge.html"
    above = ("organize-people", gettext_lazy("All teams"))
    title = gettext_lazy("Merge two teams")
    style = "people.css"
    done = "organize-people"
    rule = team_merger.RULE

    def get_form(self) -> MergeForm:
        chosen = self.request.GET if "stays" in self.request.GET else None
        sent = self.request.method == "POST"
        return MergeForm(self.task, self.request.POST if sent else chosen)

    def post(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        if "show" in request.POST:
            asked = {key: request.POST.get(key, "") for key in ("stays", "leaves")}
            return redirect(f"{request.path}?{urlencode(asked)}")
        return super().post(request)

    def save(self, form: MergeForm) -> str:
        both = {name: form.cleaned_data[name] for name in ("stays", "leaves")}
        with task_locked(self.task):
            merger, _made = self._open_mergers().get_or_create(task=self.task, **both)
            team_merger.merge(merger, self.request.user, form.cleaned_data["why"])
        teams = {name: entry.team for name, entry in both.items()}
        return _("%(leaves)s is part of %(stays)s now.") % teams

    def _open_mergers(self) -> QuerySet[Merger]:
        return Merger.objects.filter(task=self.task, done_at=None, declined_at=None)

    def context(self, form: MergeForm) -> dict[str, Any]:
        mergers = self._open_mergers()
        context = {
            "mergers": mergers.select_related("stays__team", "leaves__team"),
            "chosen": form.is_bound and not form.errors,
        }
        if form.is_bound and not form.errors.keys() & {"stays", "leaves"}:
            stays, leaves = form.cleaned_data["stays"], form.cleaned_data["leaves"]
            moment = timezone.now()
            context["allowances"] = team_merger.allowances(stays, leaves, moment)
            context["merger"] = mergers.filter(stays=stays, leaves=leaves).first()
        return context
