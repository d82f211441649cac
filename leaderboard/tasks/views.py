"""Pages of tasks: list, overview, joining, creating."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header

from leaderboard.tasks import access, blobs, overview, policy
from leaderboard.tasks.creation import create_task, unzipped
from leaderboard.tasks.forms import BundleForm, JoinForm
from leaderboard.tasks.joining import CannotJoin, join, participation_of
from leaderboard.tasks.markdown import rendered
from leaderboard.tasks.models import Task, TestSet
from scoring.errors import SetupError
from scoring.scorers import all_scorers


def home(request: HttpRequest) -> HttpResponse:
    groups = overview.tasks_by_state(timezone.now())
    return render(request, "home.html", {"groups": groups})


def task(request: HttpRequest, slug: str) -> HttpResponse:
    found = access.task_or_404(slug)
    context = {
        "task": found,
        "description": rendered(found.description),
        "phases": overview.phase_cards(found, request.user),
        "participation": participation_of(request.user, found),
        "organizes": found.is_organized_by(request.user),
    }
    return render(request, "tasks/overview.html", context)


@login_required
def join_task(request: HttpRequest, slug: str) -> HttpResponse:
    found = access.task_or_404(slug)
    form = JoinForm(request.user, request.POST or None)
    if request.method == "POST" and form.is_valid() and _joined(form, found):
        messages.success(request, f"You take part in {found.title}.")
        return redirect(found)
    entry = participation_of(request.user, found)
    context = {"task": found, "form": form, "participation": entry}
    return render(request, "tasks/join.html", context)


def _joined(form: JoinForm, found: Task) -> bool:
    try:
        with transaction.atomic():
            join(found, form.chosen_team())
    except CannotJoin as reason:
        form.add_error(None, str(reason))
    except ValidationError as error:
        form.add_error("name", error.messages)
    return form.is_valid()


@login_required
def new_task(request: HttpRequest) -> HttpResponse:
    form = BundleForm(request.POST or None, request.FILES or None)
    problems = ()
    if request.method == "POST" and form.is_valid():
        upload = form.cleaned_data["bundle"]
        try:
            created = create_task(unzipped(upload.name, upload.file), request.user)
            return redirect(created)
        except SetupError as error:
            problems = error.problems
    scorers = all_scorers().values()
    context = {"form": form, "problems": problems, "scorers": scorers}
    status = 422 if problems or form.errors else 200
    return render(request, "tasks/new.html", context, status=status)


def blind_file(request: HttpRequest, slug: str, phase: str, name: str) -> HttpResponse:
    """The published input of a test set, as an attachment."""
    found = access.phase_or_404(slug, phase)
    if not policy.sees_blind_files(request.user, found):
        raise Http404
    test_set = get_object_or_404(TestSet, phases=found, name=name)
    return _attachment(f"{test_set.name}.blind", test_set.blind_sha256)


def option_file(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """A file that the scorer's options name, so that scoring at home is the same."""
    found = access.task_or_404(slug)
    if not policy.sees_option_files(request.user, found):
        raise Http404
    files = {file["file"]: file["sha256"] for file in found.option_files}
    if name not in files:
        raise Http404
    return _attachment(name, files[name])


def _attachment(name: str, digest: str) -> HttpResponse:
    return HttpResponse(
        blobs.read(digest),
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": content_disposition_header(True, name),
            "X-Content-Type-Options": "nosniff",
        },
    )
