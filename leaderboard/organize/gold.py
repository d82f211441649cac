"""Gold revisions: the list, a correction, its progress, what it changes."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from leaderboard.organize import gold_preview
from leaderboard.organize.forms import FormPage, refusals_in
from leaderboard.submissions import admin_actions, dispatch
from leaderboard.submissions.forms import FilePerTestSet
from leaderboard.submissions.gold import publish, rescore
from leaderboard.submissions.gold.check import propose
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks import blobs
from leaderboard.tasks.access import EDIT, row_of
from leaderboard.tasks.models import GoldFile, GoldRevision, Task
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access
from leaderboard.web.attachment import attachment
from leaderboard.web.forms import posted_data
from scoring.sandbox.fork import JobFailed

REASONS: dict[str, Promise] = {
    EvaluationState.FAILED_SYSTEM: gettext_lazy(
        "Scoring failed on our side, every attempt."
    ),
    EvaluationState.TIMEOUT: gettext_lazy(
        "Scoring took longer than the published limit."
    ),
    EvaluationState.CANCELLED: gettext_lazy("An operator cancelled it."),
    EvaluationState.INVALID: gettext_lazy("The file does not fit this gold."),
}
LONGEST_NOTE = 1000
PER_PAGE = 100  # lines of a preview
REVISIONS = GoldRevision.objects.select_related("task", "created_by")
EDIT_REVISION = row_of(EDIT, REVISIONS, "revision", "number")


@dataclass(frozen=True)
class ListedRevision:
    revision: GoldRevision
    state: GoldRevision.State
    corrected: Sequence[str]


def list_revisions(task: Task) -> list[ListedRevision]:
    """The newest first, in a constant number of queries."""
    live = task.gold_revisions.live()
    revisions = task.gold_revisions.select_related("created_by").order_by("-number")
    files = GoldFile.objects.filter(revision__task=task).select_related("test_set")
    corrected: dict[int, list[str]] = {}
    for file in files.order_by("test_set__position"):
        if file.changes:
            corrected.setdefault(file.revision_id, []).append(file.test_set.title)
    return [
        ListedRevision(row, row.state_beside(live), corrected.get(row.pk, ()))
        for row in revisions
    ]


def failures(revision: GoldRevision) -> list[Evaluation]:
    """Submissions that would leave the board, each with `name` and `reason`.

    Nothing where the revision is not being prepared.
    """
    if not revision.preparing:
        return []
    failed: list[Any] = list(publish.failures(revision))
    for evaluation in failed:
        submission, problems = evaluation.submission, evaluation.problems
        evaluation.name = f"{submission.participation.team}: {submission.system}"
        why = problems[0]["message"] if problems else ""
        evaluation.reason = why or REASONS[evaluation.state]
    return failed


def engines(revision: GoldRevision) -> Sequence[str]:
    """Engine versions behind what is compared; one, unless the program was renewed."""
    current = revision.task.phases.values("gold_revision")
    both = Evaluation.objects.filter(
        submission__in=rescore.to_score(revision.task), state=EvaluationState.SCORED
    )
    mine = both.filter(gold_revision=revision).values_list("engine", flat=True)
    theirs = both.filter(gold_revision__in=current).values_list("engine", flat=True)
    return sorted({*mine.distinct().order_by(), *theirs.distinct().order_by()})


class GoldForm(FilePerTestSet):
    """Corrected gold for one or several test sets; the others are taken over."""

    note = forms.CharField(
        label=gettext_lazy("Internal note"),
        help_text=gettext_lazy("For organizers only: what was wrong, who found it."),
        max_length=LONGEST_NOTE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    public_note = forms.CharField(
        label=gettext_lazy("Public note"),
        help_text=gettext_lazy(
            "Everybody reads it once the revision is live; you may change it until "
            "then. It must not tell what is in the gold."
        ),
        max_length=LONGEST_NOTE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ask_files(task.test_sets.all())

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not self.files_by_test_set():
            first = next(iter(self.parts[0]), None)
            self.add_error(
                first, gettext_lazy("Choose a corrected file for a test set.")
            )
        return cleaned


class LiveForm(forms.Form):
    """The last words before a revision is live, and the failures that are accepted."""

    public_note = forms.CharField(
        label=gettext_lazy("Public note"),
        help_text=gettext_lazy("What changed and why, for the public log. Required."),
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    accepted = forms.MultipleChoiceField(
        label=gettext_lazy("Systems that leave the board"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, failing: Mapping[str, str], *args: Any, **kwargs: Any) -> None:
        """`failing`: names by id of submission."""
        super().__init__(*args, **kwargs)
        self.failing = failing
        self.fields["accepted"].choices = list(failing.items())  # type: ignore[attr-defined]

    def clean_accepted(self) -> list[str]:
        accepted: list[str] = self.cleaned_data["accepted"]
        left = [name for pk, name in self.failing.items() if pk not in accepted]
        if left:
            sentence = gettext_lazy(
                "Confirm each of them by its name, or score it again: %(names)s"
            )
            raise forms.ValidationError(sentence % {"names": ", ".join(left)})
        return accepted


@require_safe
@access(EDIT)
def revisions(request: HttpRequest, task: Task) -> HttpResponse:
    context = {"task": task, "revisions": list_revisions(task)}
    return render(request, "organize/gold.html", context)


class NewGoldPage(FormPage):
    """Corrected gold: checked while the request waits, scored afterwards."""

    mark = EDIT
    form_class = GoldForm
    template_name = "organize/gold_new.html"
    title = gettext_lazy("Corrected gold")
    heading = gettext_lazy("Upload corrected gold")
    button = gettext_lazy("Check and prepare")
    width = ""

    def save(self, form: GoldForm) -> HttpResponse:
        notes = {name: form.cleaned_data[name] for name in ("note", "public_note")}
        files = form.files_by_test_set()
        try:
            revision = propose(self.task, files, self.request.user, **notes)
        except JobFailed:
            sentence = _("The check failed on our side; the operators can see why.")
            raise Refusal(sentence) from None
        dispatch.hint_after_commit()
        return redirect("organize-gold-revision", self.task.slug, revision.number)

    def context(self, form: GoldForm) -> dict[str, Any]:
        revisions = self.task.gold_revisions
        preparing = revisions.filter(preparing=True).first()
        return {"live": revisions.live(), "preparing": preparing}


class RevisionPage(FormPage):
    """One revision; `?part=progress` is the part that a browser asks for again."""

    mark = EDIT_REVISION
    methods: tuple[str, ...] = ("GET", "HEAD")
    template_name = "organize/gold_revision.html"
    revision: GoldRevision

    def get(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        if request.GET.get("part") != "progress":
            return super().get(request)
        context = _progress(self.revision)
        answer = render(request, "organize/_gold_progress.html", context)
        if (
            context["progress"].complete
            or context["state"] != GoldRevision.State.PREPARING
        ):
            # The rest of the page changes too: what can be done now stands there.
            answer["HX-Refresh"] = "true"
        return answer

    def get_form(self) -> LiveForm:
        failed: Iterable[Any] = failures(self.revision)
        failing = {str(f.submission_id): f.name for f in failed}
        initial = {"public_note": self.revision.public_note}
        return LiveForm(failing, *posted_data(self.request), initial=initial)

    def context(self, form: LiveForm) -> dict[str, Any]:
        about = {"files": _files(self.revision), "phases": self.task.phases.all()}
        return _progress(self.revision) | about


class LivePage(RevisionPage):
    """Switches all boards of the task to the revision."""

    methods = ("POST",)
    done = "organize-gold"

    def save(self, form: LiveForm) -> str:
        revision, by = self.revision, self.request.user
        summary = gold_preview.in_public(revision) if revision.preparing else ""
        publish.make_live(revision, by, **form.cleaned_data, summary=summary)
        return _("Gold revision %(number)d is live.") % {"number": revision.number}


def _progress(revision: GoldRevision) -> dict[str, Any]:
    return {
        "task": revision.task,
        "revision": revision,
        "state": revision.state,
        "progress": publish.progress_of(revision),
        "failures": failures(revision),
    }


def _files(revision: GoldRevision) -> QuerySet[GoldFile]:
    files = revision.files.select_related("test_set")
    return files.order_by("test_set__position")


@require_safe
@access(EDIT_REVISION)
def preview(request: HttpRequest, revision: GoldRevision) -> HttpResponse:
    """The changes that a revision makes; `phase`, `measure` and `entries=all` choose
    the table."""
    everything = request.GET.get("entries") == "all"
    sheets = gold_preview.sheets(revision, request.user, everything)
    chosen = [
        sheet
        for sheet in sheets
        if request.GET.get("phase", sheet.phase.name) == sheet.phase.name
        and request.GET.get("measure", sheet.measure.name) == sheet.measure.name
        and request.GET.get("test_set", sheet.test_set) == sheet.test_set
    ]
    if sheets and not chosen:
        raise Http404
    lines = chosen[0].lines if chosen else ()
    context = _progress(revision) | {
        "sheets": sheets,
        "everything": everything,
        "chosen": chosen[0] if chosen else None,
        "page": Paginator(lines, PER_PAGE).get_page(request.GET.get("page")),
        "files": _files(revision),
        "engines": engines(revision),
    }
    return render(request, "organize/gold_preview.html", context)


@require_POST
@access(EDIT_REVISION)
def discard(request: HttpRequest, revision: GoldRevision) -> HttpResponse:
    with refusals_in(request):
        rescore.discard(revision)
    return redirect("organize-gold", revision.task.slug)


@require_POST
@access(EDIT_REVISION)
def prepare(request: HttpRequest, revision: GoldRevision) -> HttpResponse:
    """Begin the way back to an older revision."""
    with refusals_in(request):
        rescore.prepare_again(revision)
    dispatch.hint_after_commit()
    return redirect("organize-gold-revision", revision.task.slug, revision.number)


@require_POST
@access(EDIT_REVISION)
def retry(request: HttpRequest, revision: GoldRevision) -> HttpResponse:
    """Give what failed by our fault new attempts."""
    failed = publish.failures(revision)
    for failure in failed.filter(state=EvaluationState.FAILED_SYSTEM):
        with suppress(Refusal):  # somebody else was first
            admin_actions.retry(failure, request.user)  # type: ignore[arg-type]
    return redirect("organize-gold-revision", revision.task.slug, revision.number)


@require_safe
@access(EDIT_REVISION)
def gold_file(request: HttpRequest, revision: GoldRevision, name: str) -> HttpResponse:
    """The gold itself, for those who may take it away."""
    file = get_object_or_404(GoldFile, revision=revision, test_set__name=name)
    return attachment(file.name, blobs.read(file.sha256), secret=True)
