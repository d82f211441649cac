"""Judgements of a task: what waits, its files, and tables that organizers upload."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from leaderboard.extension.access import EDIT, access
from leaderboard.extension.blobs import source_of
from leaderboard.extension.exports import attachment
from leaderboard.extension.forms import FormPage, Refusal, UploadField
from leaderboard.extension.models import Phase, Submission, Task, User
from leaderboard.extension.submissions import OUR_FAULT
from leaderboard.extras.judgements import human_sample, judgements
from scoring import Refused
from scoring.sandbox.fork import JobFailed
from scoring.statistics.ppi import LEAST_JUDGED

NOT_TAKEN = gettext_lazy("This task takes no judgements.")


class TableForm(forms.Form):
    """A table of judgements, and the submission it is about if it does not say so."""

    table = UploadField(
        label=gettext_lazy("Table"),
        help_text=gettext_lazy("CSV, TSV or JSON Lines."),
        allow_empty_file=True,
    )
    submission = forms.ModelChoiceField(
        Submission.objects.none(),
        required=False,
        label=gettext_lazy("It is about"),
        empty_label=gettext_lazy("the submissions that its column names"),
    )

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.phase = phase
        field: Any = self.fields["submission"]
        if phase.task.takes_judgements:
            field.queryset = judgements.to_judge(phase)
        field.label_from_instance = _name_of

    def take(self, by: User) -> judgements.Taken:
        """Raises what `ready` does."""
        return self.ready(by)()

    def ready(self, by: User) -> Callable[[], judgements.Taken]:
        """Raises Refused, Refusal, QueueFull, and blobs.NoRoom."""
        if not self.phase.task.takes_judgements:
            raise Refusal(str(NOT_TAKEN), code="no_judgements")
        table = source_of(self.cleaned_data["table"], "table.csv")
        chosen = self.cleaned_data["submission"]
        try:
            return judgements.ready(self.phase, by, table, chosen)
        except JobFailed:
            raise Refused([OUR_FAULT]) from None


def _name_of(submission: Submission) -> str:
    return f"{submission.system}, {submission.participation.team} ({submission.pk})"


@require_safe
@access(EDIT)
def overview(request: HttpRequest, task: Task) -> HttpResponse:
    """The phases, with how many submissions wait in each."""
    takes = task.takes_judgements
    phases = list(task.phases.all())
    if takes and len(phases) == 1:
        return redirect("organize-judgements-phase", task.slug, phases[0].name)
    context = {
        "task": task,
        "takes": takes,
        "phases": [(phase, judgements.waiting_in(phase)) for phase in phases if takes],
    }
    return render(request, "judgements/phases.html", context)


class JudgementsPage(FormPage):
    """Submissions of a phase that wait or were judged, and the form for a table."""

    mark = EDIT.of_phase
    form_class = TableForm
    template_name = "judgements/phase.html"
    title = gettext_lazy("Judgements")
    button = gettext_lazy("Check and take in")
    style = "phases.css"
    marks_optional = True

    def save(self, form: TableForm) -> str:
        try:
            return in_words(form.take(self.request.user))
        except Refusal as refusal:
            raise forms.ValidationError(refusal.sentence) from None

    def context(self, form: TableForm) -> dict[str, Any]:
        takes = self.task.takes_judgements
        rows = judgements.judged_submissions(self.phase) if takes else []
        return {
            "takes": takes,
            "rows": rows,
            "waiting": sum(row.waiting for row in rows),
            "columns": judgements.columns(self.task) if takes else (),
            "lines": judgements.lines(self.task) if takes else (),
            "alone": self.task.scorer.counted_elsewhere,
            "agree": any(row.agreement for row in rows),
            "corrected": human_sample.corrected_columns(self.task) if takes else (),
            "least_judged": LEAST_JUDGED,
        }


def in_words(taken: judgements.Taken) -> str:
    """A sentence on what was taken in."""
    n = len(taken.submissions)
    text = ngettext(
        "Judgements of %(n)d submission were taken in; it is scored now.",
        "Judgements of %(n)d submissions were taken in; they are scored now.",
        n,
    ) % {"n": n}
    if taken.partly:
        more = ngettext(
            "%(n)d still waits for judgements of its other files.",
            "%(n)d still wait for judgements of their other files.",
            taken.partly,
        )
        text += " " + more % {"n": taken.partly}
    return text


@require_safe
@access(EDIT.of_phase)
def files(request: HttpRequest, phase: Phase) -> StreamingHttpResponse:
    """A zip of the files that wait, or of all of them."""
    return packed_answer(phase, everything=request.GET.get("which") == "all")


def packed_answer(phase: Phase, *, everything: bool) -> StreamingHttpResponse:
    """The zip as an answer that no cache keeps."""
    answer = StreamingHttpResponse(
        judgements.pack_files(phase, everything=everything),
        content_type="application/zip",
    )
    name = f"{phase.task.slug}-{phase.name}-to-judge.zip"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["Cache-Control"] = "private, no-store"
    return answer


@require_safe
@access(EDIT.of_phase)
def sample(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The list of units in the order in which people judge them."""
    text = judgements.sample_csv(phase) if phase.task.takes_judgements else ""
    name = f"{phase.task.slug}-{phase.name}-sample.csv"
    return attachment(name, text, "text/csv", secret=True)
