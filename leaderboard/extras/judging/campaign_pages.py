"""Organizers' pages of judging: set up, see how it goes, exclude, put on the board."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from leaderboard.extension.access import EDIT, access, lock_rows
from leaderboard.extension.forms import FormPage, Refusal, UploadField, refusals_in
from leaderboard.extension.models import Task
from leaderboard.extras.judgements.pages import in_words
from leaderboard.extras.judging import (
    assignment,
    models_of_people,
    results,
    setup,
    tallies,
)
from leaderboard.extras.judging.export import votes_file
from leaderboard.extras.judging.foreign_votes import MOST_BYTES, bring_in
from leaderboard.extras.judging.models import Campaign, Judge, JudgedUnit
from leaderboard.extras.judging.outlook import outlook
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.extras.judging.setup import CampaignForm
from scoring.errors import ScoringError
from scoring.sandbox.fork import JobFailed


def _of(task: Task, pk: int) -> Campaign:
    rows = Campaign.objects.select_related("phase__task", "test_set")
    return get_object_or_404(rows, pk=pk, phase__task=task)


@require_safe
@access(EDIT)
def campaigns(request: HttpRequest, task: Task) -> HttpResponse:
    """The campaigns of a task."""
    begun = JudgedUnit.objects.filter(campaign=OuterRef("pk"))
    rows = Campaign.objects.filter(phase__task=task).select_related("phase")
    rows = rows.annotate(begun=Exists(begun))
    return render(request, "judging/list.html", {"task": task, "campaigns": rows})


class NewCampaignPage(FormPage):
    """The form of a campaign."""

    mark = EDIT
    form_class = CampaignForm
    template_name = "judging/new.html"
    title = gettext_lazy("Let people judge")
    lead = gettext_lazy(
        "People see what was asked and what systems answered. A task without "
        "judgements so far gets measures of the votes; let a board of its own show "
        "them."
    )
    button = gettext_lazy("Make the page for judges")

    def save(self, form: CampaignForm) -> HttpResponse:
        campaign = form.make()
        sentence = _("People can judge now: send them the link.")
        messages.success(self.request, sentence)
        return redirect("organize-campaign", self.task.slug, campaign.pk)


class ExclusionForm(forms.Form):
    """The reason why a judge is left out."""

    why = forms.CharField(
        max_length=Judge._meta.get_field("excluded_why").max_length,
        label=gettext_lazy("Why"),
        error_messages={"required": gettext_lazy("Say why the judge is left out.")},
    )


@require_safe
@access(EDIT)
def campaign(request: HttpRequest, task: Task, pk: int) -> HttpResponse:
    """How a campaign goes, and who judges how."""
    campaign = _of(task, pk)
    votes = CampaignVotes(campaign)
    judges = list(assignment.judging_people(campaign.judges.all()))
    units = assignment.unit_count(campaign)
    systems = results.systems_of(campaign)
    standing = results.standing(campaign, votes, systems)
    context = {
        "task": task,
        "campaign": campaign,
        "address": request.build_absolute_uri(campaign.get_absolute_url()),
        "links": [
            request.build_absolute_uri(judge.get_absolute_url())
            for judge in judges
            if campaign.by_invitation and judge.invited
        ],
        "votes": len(votes.counted_rows),
        "left_out": votes.left_out,
        "by_models": votes.by_models,
        "own_teams": votes.own_teams,
        "judge_models": campaign.judge_models.select_related("user"),
        "excluded": sum(x.excluded_at is not None and not x.model for x in judges),
        "units": units,
        "wanted": units * campaign.per_unit if campaign.in_pairs else None,
        "agreement": votes.agreement().items(),
        "reports": votes.reports(judges),
        "unrated": standing.unrated,
        "outlook": outlook(votes, systems),
        "since": len(votes.counted_rows) - campaign.published_votes,
        "lines": results.lines_to_declare(campaign),
    }
    return render(request, "judging/campaign.html", context)


@require_POST
@access(EDIT)
def change(request: HttpRequest, task: Task, pk: int) -> HttpResponse:
    """Open, close, take in latecomers, put the votes on the board, delete."""
    campaign, action = _of(task, pk), request.POST.get("action", "")
    if action in ("start", "open") and not campaign.has_begun:
        with refusals_in(request):
            _value_or_message(request, lambda: setup.start(campaign))
    elif action in ("open", "close"):
        Campaign.objects.filter(pk=campaign.pk).update(open=action == "open")
    elif action == "invite":
        text = request.POST.get("people", "")
        number = int(text) if text.isascii() and text.isdecimal() else 0
        with refusals_in(request):
            assignment.invite(campaign, number)
    elif action in ("models", "no-models"):
        by = request.user if action == "models" else None
        models_of_people.let_in(campaign, request.POST.get("account", ""), by)
    elif action == "import":
        with refusals_in(request):
            _bring_in(request, campaign)
    elif action == "latecomers":
        with refusals_in(request):
            number = _value_or_message(request, lambda: setup.add_latecomers(campaign))
            if number is not None:
                sentence = _("Submissions that were added: %(n)s.") % {"n": number}
                messages.success(request, sentence)
    elif action == "publish":
        with refusals_in(request):
            user: Any = request.user
            taken = _value_or_message(request, lambda: results.publish(campaign, user))
            if taken is not None:
                messages.success(request, in_words(taken))
    return redirect("organize-campaign", task.slug, campaign.pk)


class VotesForm(forms.Form):
    """A file of votes that another program took."""

    votes = UploadField(
        label=gettext_lazy(
            "A file of Appraise, of Pearmut, or of an arena (model_a, model_b, winner)"
        ),
        allow_empty_file=True,
    )


def _bring_in(request: HttpRequest, campaign: Campaign) -> None:
    """Take in votes of an uploaded file, and say how many. Raises Refusal."""
    form, most = VotesForm(request.POST, request.FILES), MOST_BYTES
    if not form.is_valid() or form.cleaned_data["votes"].size > most:
        most = min(most, settings.UPLOAD_BYTES)
        sentence = _("Choose a file of at most %(n)s MiB.") % {"n": most >> 20}
        raise Refusal(sentence, code="no_file")
    taken = bring_in(campaign, form.cleaned_data["votes"].read())
    sentence = _(
        "Votes taken in: %(new)s. There already: %(known)s. Left out: %(left)s."
    )
    numbers = {"new": taken.new, "known": taken.repeated, "left": taken.left_out}
    messages.success(request, sentence % numbers)


def _value_or_message(request: HttpRequest, act: Any) -> Any:
    """The value of a call; None and a message where files are wrong or a job failed."""
    try:
        return act()
    except ScoringError as error:
        messages.error(request, error.problems[0].message)
    except JobFailed:
        messages.error(request, _("That failed on our side; operators can see why."))
    return None


@require_POST
@access(EDIT)
def exclude(request: HttpRequest, task: Task, pk: int, number: int) -> HttpResponse:
    """Leave a judge out, with a reason, or count them again."""
    campaign = _of(task, pk)
    judge = get_object_or_404(Judge, campaign=campaign, number=number)
    rows = Judge.objects.filter(pk=judge.pk)
    form = ExclusionForm(request.POST)
    if request.POST.get("action") == "include":
        counts: Any = {"excluded_at": None, "excluded_by": None, "excluded_why": ""}
        _set(campaign, rows, counts)
        messages.success(request, _("Judge %(n)s counts again.") % {"n": number})
    elif form.is_valid():
        why, user = form.cleaned_data["why"], request.user
        values = {"excluded_at": timezone.now(), "excluded_by": user}
        _set(campaign, rows, values | {"excluded_why": why})
        sentence = _("Judge %(n)s is left out. Put the votes on the board again.")
        messages.success(request, sentence % {"n": number})
    else:
        messages.error(request, str(form.errors["why"][0]))
    return redirect("organize-campaign", task.slug, campaign.pk)


def _set(campaign: Campaign, judges: Any, values: Mapping[str, Any]) -> None:
    """Leave a judge out, or count them again; their assignments are others' to make, or
    not.

    The judge is locked before the campaign, as by who votes.
    """
    with transaction.atomic():
        judges.update(**values)
        lock_rows(Campaign.objects.filter(pk=campaign.pk)).get()
        tallies.recount(campaign)


@require_safe
@access(EDIT)
def votes(request: HttpRequest, task: Task, pk: int, ending: str) -> HttpResponse:
    """Every vote, as CSV or JSON Lines. Judges are numbers."""
    campaign = _of(task, pk)
    return votes_file(campaign, ending)
