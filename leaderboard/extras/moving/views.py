"""Pages of organizers who come from another site: the report on its bundle, until they
are done with it, and the import of past submissions, a zip with a list."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.extension import sandbox
from leaderboard.extension.access import EDIT, access
from leaderboard.extension.forms import FormPage, Refusal, UploadField, form_page
from leaderboard.extension.models import Phase, Task
from leaderboard.extras.moving.models import ImportReport
from leaderboard.extras.moving.past_submissions import ImportResult, import_list
from leaderboard.extras.moving.report import list_remarks, remarks_of
from scoring.errors import Problem, Refused, SetupError
from scoring.sandbox.codec import Request
from scoring.sandbox.fork import JobFailed

LIST = "list.csv"
# What can be checked while somebody waits for the page.
MOST = 200


class PastForm(forms.Form):
    phase = forms.ModelChoiceField(
        Phase.objects.none(), label=gettext_lazy("Phase"), empty_label=None
    )
    archive = UploadField(
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


class PastSubmissionsPage(FormPage):
    """Checks a list with its files, and brings its submissions along, all or none."""

    mark = EDIT
    form_class = PastForm
    template_name = "moving/past_submissions.html"
    title = gettext_lazy("Past submissions")
    lead = gettext_lazy(
        "What was sent to another site can be imported, with its times. It is "
        "scored like everything else and marked on the board."
    )
    button = gettext_lazy("Send the list")
    marks_optional = True
    imported: ImportResult | None = None

    def save(self, form: PastForm) -> HttpResponse:
        files = _files(form.cleaned_data["archive"].read())
        phase, apply = form.cleaned_data["phase"], form.cleaned_data["apply"]
        user, listed = self.request.user, files.pop(LIST)
        imported = import_list(
            phase, user, LIST, listed, files.get, apply=apply, most=MOST
        )
        if apply:
            messages.success(self.request, _count_sentence(len(imported.new)))
        self.imported = imported
        return self.show(form)


def _count_sentence(number: int) -> str:
    words = ngettext(
        "%(n)d submission was imported and waits for a worker.",
        "%(n)d submissions were imported and wait for a worker.",
        number,
    )
    return words % {"n": number}


def _files(data: bytes) -> dict[str, bytes]:
    """The files of a zip, by their path from the list.

    Raises SetupError for a zip that cannot be read or has no list, Refusal, QueueFull.
    """
    request = Request({"name": "list.zip"}, [data])
    try:
        answer, files = sandbox.run("uploads.members", request)
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


@form_page
@access(EDIT)
def report(request: HttpRequest, task: Task) -> HttpResponse:
    """Show what was taken and what was not; a button puts the list away."""
    report = get_object_or_404(ImportReport, task=task)
    if request.method == "POST":
        report.delete()
        messages.success(request, _("The report is put away."))
        return redirect("organize", task.slug)
    remarks = remarks_of(report.remarks)
    context = {
        "task": task,
        "report": report,
        "taken": list_remarks(remarks, taken=True),
        "left": list_remarks(remarks, taken=False),
    }
    return render(request, "moving/import_report.html", context)
