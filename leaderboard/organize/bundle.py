"""Whole bundles in and out, baselines included, and the page of the bundle."""

from dataclasses import dataclass
from io import BytesIO

from django.contrib import messages
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.organize.baselines import send_baselines, whole_plan
from leaderboard.organize.bundle_change import SentParts, apply, blockers, changed_gold
from leaderboard.organize.forms import refusals_in
from leaderboard.submissions.uploads import arrived_at
from leaderboard.tasks import blobs
from leaderboard.tasks.access import EDIT
from leaderboard.tasks.bundle.create import create, uploaded
from leaderboard.tasks.bundle.diff import FieldChange, changes, settled
from leaderboard.tasks.bundle.dump import exported
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.tasks.forms import BundleForm
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from leaderboard.web.access import access
from leaderboard.web.attachment import attachment
from leaderboard.web.forms import form_page, form_response, posted
from scoring.errors import Problem, SetupError
from scoring.source import Source


def import_bundle(
    source: Source, organizer: User | None, publish: bool = False
) -> Task:
    """Create a task out of the bundle, as `import_plan` does."""
    return import_plan(load(source), organizer, publish)


def import_plan(plan: TaskPlan, organizer: User | None, publish: bool = False) -> Task:
    """Create a draft and send its baselines, all or nothing.

    With `publish` a plan that says `draft: false` is a public task at once. Raises
    SetupError when the slug is taken, or there are baselines and nobody to send them.
    """
    if not publish:
        plan = plan.changed(draft=True)
    if plan.baselines and organizer is None:
        message = "'baselines': an organizer has to be named, who sends them"
        raise SetupError(Problem("baselines", message, "task.yaml"))
    with transaction.atomic():
        task = create(plan, organizer)
        if organizer is not None:
            send_baselines(task, plan, organizer)
    return task


def note_on_draft(plan: TaskPlan) -> str:
    """That what was uploaded is a draft, whatever its bundle says."""
    if plan.draft is False:
        return _(
            "The task is there as a draft that only its organizers see: 'draft: false' "
            "in a bundle does not publish it. Check it, then publish."
        )
    return _(
        "The task is there as a draft that only its organizers see. Check it, then "
        "publish."
    )


def export_bundle(task: Task) -> Source:
    """The task as a zip; the same task gives the same bytes."""
    return exported(whole_plan(task))


SALT = "changed bundle"
PATIENCE = 24 * 3600  # seconds between looking and confirming


@require_safe
@access(EDIT)
def download(request: HttpRequest, task: Task) -> HttpResponse:
    bundle = export_bundle(task)
    answer = attachment(bundle.name, bundle.single(), "application/zip")
    answer["Cache-Control"] = "private, no-store"
    return answer


@dataclass(frozen=True)
class Preview:
    """What would change; `token` confirms just this."""

    changes: list[FieldChange]
    drafts: list[str]
    token: str


@form_page
@access(EDIT)
def changed(request: HttpRequest, task: Task) -> HttpResponse:
    """Take a changed bundle, show what it would change, and do so when confirmed."""
    confirms = "token" in request.POST
    form = BundleForm() if confirms else BundleForm(*posted(request))
    preview = None
    with refusals_in(form):
        if confirms:
            seen, data = _confirmed(request.POST["token"], task)
            if seen == export_bundle(task).sha256:
                before, after = _plans(task, data)
                apply(task, after, request.user, before, arrived_at(request))
                messages.success(request, _("The bundle was applied."))
                return redirect("organize-bundle", task.slug)
            messages.warning(request, _("The task was changed meanwhile: look again."))
            preview = _preview(task, data)
        elif form.is_valid():
            preview = _preview(task, form.cleaned_data["bundle"].read())
    context = {"task": task, "form": form, "preview": preview}
    return form_response(request, "organize/bundle.html", context)


def _preview(task: Task, data: bytes) -> Preview:
    """The preview of an uploaded zip. Raises SetupError."""
    before, after = _plans(task, data)
    kept = SentParts.of(task)
    if problems := blockers(kept, before, after):
        raise SetupError(problems)
    named = {"bundle": blobs.keep(data), "seen": exported(before).sha256}
    token = signing.dumps({"task": task.pk, **named}, salt=SALT)
    corrected = changed_gold(before, after)
    drafts = [plan.title for name, plan in corrected.items() if name in kept.test_sets]
    return Preview(changes(before, after), drafts, token)


def _plans(task: Task, data: bytes) -> tuple[TaskPlan, TaskPlan]:
    before = whole_plan(task)
    return before, settled(before, load(uploaded("bundle.zip", BytesIO(data))))


def _confirmed(text: str, task: Task) -> tuple[str, bytes]:
    """Hash of the task that was looked at, and the bundle. Raises SetupError."""
    try:
        token = signing.loads(text, salt=SALT, max_age=PATIENCE)
        data = blobs.read(token["bundle"])
    except (signing.BadSignature, FileNotFoundError):
        hint = _("Upload the bundle again.")
        problem = Problem("old", _("this page is too old"), hint=hint)
        raise SetupError(problem) from None
    return token["seen"] if token["task"] == task.pk else "", data
