"""The page on the overlap of a task's gold with texts, for those who may change it.

What it says of units follows from the gold, so nobody else sees it, in no state of the
task; texts of the gold themselves stand nowhere on it.
"""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from leaderboard.extras.contamination.canary import canary_of
from leaderboard.extras.contamination.models import OverlapReport
from leaderboard.extras.contamination.reports import OverlapForm, table
from leaderboard.organize.forms import FormPage
from leaderboard.tasks.access import EDIT, row_of
from leaderboard.web.access import access
from scoring.report import csv_text

SHOWN = 50
REPORTS = OverlapReport.objects.select_related("task", "test_set", "by")
EDIT_REPORT = row_of(EDIT, REPORTS, "report", "pk")


class OverlapPage(FormPage):
    """A form for texts, the canary string, and the reports; `?report=` names one."""

    mark = EDIT
    template_name = "contamination/overlap.html"
    title = gettext_lazy("Overlap with other texts")
    button = gettext_lazy("Compare")
    saved = gettext_lazy("Compared.")

    form_class = OverlapForm
    cuts_files = True

    def save(self, form: Any) -> None:
        form.report(self.request.user)

    def context(self, form: Any) -> dict[str, Any]:
        reports = list(REPORTS.filter(task=self.task))
        named = self.request.GET.get("report")
        chosen = [one for one in reports if named in (None, str(one.pk))]
        if named is not None and not chosen:
            raise Http404
        report = chosen[0] if chosen else None
        return {
            "canary": canary_of(self.task),
            "reports": reports,
            "report": report,
            "lines": [_printed(one) for one in report.lines[:SHOWN]] if report else [],
        }


def _printed(line: Mapping[str, Any]) -> dict[str, Any]:
    """The line of a unit with its shares in per cents."""
    shares = {
        name: f"{100 * value:.3g}%"
        for name in ("near_share", "share", "twin_share")
        if (value := line[name]) is not None
    }
    return {**line, **shares}


@require_safe
@access(EDIT_REPORT)
def units(request: HttpRequest, report: OverlapReport) -> HttpResponse:
    """The units of a report as CSV."""
    answer = HttpResponse(csv_text(table(report)), content_type="text/csv")
    name = f"{report.task.slug}-{report.test_set.name}-overlap.csv"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["Cache-Control"] = "private, no-store"
    return answer
