"""Pages of frozen boards: the list of a phase, one as a page, and its bytes."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards import snapshots
from leaderboard.boards.rows import descriptions
from leaderboard.boards.snapshots import pages
from leaderboard.tasks import policy
from leaderboard.tasks.access import phase_or_404


@require_safe
def listing(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found = phase_or_404(slug, phase, request.user)
    context = {
        "task": found.task,
        "phase": found,
        "snapshots": snapshots.of_phase(found),
    }
    return render(request, "boards/snapshots.html", context)


@require_safe
def one(request: HttpRequest, slug: str, phase: str, start: str) -> HttpResponse:
    """The frozen rows; beside them what teams told about their systems since."""
    found = phase_or_404(slug, phase, request.user)
    snapshot = snapshots.snapshot_or_404(found, start)
    shown = policy.disclosure(request.user, found)
    told = descriptions(found) if shown.everything else {}
    newest = snapshots.newest_final(found)
    context = {
        "task": found.task,
        "phase": found,
        "snapshot": snapshot,
        "boards": pages(snapshot.data, told),
        "replaced_by": newest if snapshot.final and newest != snapshot else None,
    }
    return render(request, "boards/snapshot.html", context)


@require_safe
def rows(request: HttpRequest, slug: str, phase: str, start: str) -> HttpResponse:
    """The canonical JSON: the SHA-256 of these bytes is the snapshot's hash."""
    found = phase_or_404(slug, phase, request.user)
    snapshot = snapshots.snapshot_or_404(found, start)
    return HttpResponse(
        snapshots.canonical(snapshot.data), content_type="application/json"
    )
