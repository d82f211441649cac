"""The report on a bundle of another site, until the organizers are done with it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from leaderboard.extension.access import EDIT, access
from leaderboard.extension.forms import form_page
from leaderboard.extension.models import Task
from leaderboard.extras.moving.models import ImportReport
from leaderboard.extras.moving.report import list_remarks, remarks_of


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
