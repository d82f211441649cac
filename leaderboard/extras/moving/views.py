"""Past submissions brought along from another site by organizers: a zip with a list."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.extras.moving.past_submissions import Brought, bring
from leaderboard.organize.forms import refusals_in
from leaderboard.sandbox import client
from leaderboard.sandbox.codec import Request
from leaderboard.sandbox.fork import JobFailed
from leaderboard.tasks.access import EDIT
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access
from leaderboard.web.forms import form_page, form_response, posted
from scoring.errors import Problem, Refused, SetupError

LIST = "list.csv"
# What can be checked while somebody waits for the page.
MOST = 200


class PastForm(forms.Form):
    phase = forms.ModelChoiceField(
        Phase.objects.none(), label=gettext_lazy("Phase"), empty_label=None
    )
    archive = forms.FileField(
        label=gettext_lazy("List and files"),
        help_text=gettext_lazy("A zip with list.csv and the files that it names."),
    )
    apply = forms.BooleanField(
        required=False,
        label=gettext_lazy("Bring them along; without this the list is only checked"),
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["phase"]
        field.queryset = task.phases.all()
        field.label_from_instance = lambda phase: phase.title


@form_page
@access(EDIT)
def past_submissions(request: HttpRequest, task: Task) -> HttpResponse:
    """Check a list with its files, and bring its submissions along, all or none."""
    form = PastForm(task, *posted(request))
    brought: Brought | None = None
    if form.is_valid():
        with refusals_in(form):
            files = _files(form.cleaned_data["archive"].read())
            brought = bring(
                form.cleaned_data["phase"],
                request.user,  # type: ignore[arg-type]
                LIST,
                files.pop(LIST),
                files.get,
                apply=form.cleaned_data["apply"],
                most=MOST,
            )
            if form.cleaned_data["apply"]:
                messages.success(request, _said(len(brought.new)))
    context = {"task": task, "form": form, "brought": brought}
    return form_response(request, "moving/past_submissions.html", context)


def _said(number: int) -> str:
    words = ngettext(
        "%(n)d submission was brought along and waits for a worker.",
        "%(n)d submissions were brought along and wait for a worker.",
        number,
    )
    return words % {"n": number}


def _files(data: bytes) -> dict[str, bytes]:
    """The files of a zip, by their path from the list.

    Raises SetupError for a zip that cannot be read or has no list, Refusal, QueueFull.
    """
    request = Request({"name": "list.zip"}, [data])
    try:
        answer, files = client.run("members", request)
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    except JobFailed:
        sentence = _("Reading the zip failed on our side; the operators can see why.")
        raise Refusal(sentence) from None
    members = dict(zip(answer["names"], files, strict=True))
    if LIST not in members:
        message = f"there is no {LIST} at the top of the zip"
        hint = "It names the files by their paths from there."
        raise SetupError(Problem("list", message, hint=hint))
    return members
