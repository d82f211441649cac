"""The starting kit of a phase, with the baselines that the public board shows."""

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import content_disposition_header, quote_etag
from django.views.decorators.http import require_safe

from leaderboard.boards.board import board
from leaderboard.boards.query import BoardQuery
from leaderboard.sandbox.fork import JobFailed
from leaderboard.submissions.kit import Baseline, kit_of
from leaderboard.submissions.templatetags.scores import value
from leaderboard.tasks import policy
from leaderboard.tasks.access import phase_or_404
from leaderboard.tasks.models import Phase

SORRY = "the kit could not be made; the operators can see why\n"


@require_safe
def kit(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """A zip for whoever may have the blind files; the same bytes until it changes."""
    found = phase_or_404(slug, phase, request.user)
    if not policy.sees_blind_files(request.user, found):
        raise Http404
    try:
        made = kit_of(found, request.build_absolute_uri("/"), baselines(found))
    except JobFailed:
        return HttpResponse(SORRY, status=503, content_type="text/plain")
    answer = HttpResponse(made.data, content_type="application/zip")
    answer["Content-Disposition"] = content_disposition_header(True, made.name)
    answer["X-Content-Type-Options"] = "nosniff"
    answer["ETag"] = quote_etag(made.digest)
    patch_vary_headers(answer, ["Accept-Language"])
    kept = get_conditional_response(request, etag=answer["ETag"], response=answer)
    return kept or answer


def baselines(phase: Phase) -> list[Baseline]:
    """Systems of the organizers with the scores that anybody may see, best first."""
    shown = policy.disclosure(AnonymousUser(), phase)
    has_any = phase.submissions.filter(baseline=True).exists()
    if not (shown.board and has_any):
        return []
    rows = board(phase, BoardQuery(), shown).rows
    return [Baseline(row.system, value(row.sorted_by)) for row in rows if row.baseline]
