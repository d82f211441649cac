"""The board under an older gold revision, or one that is being prepared."""

from django.http import Http404, HttpRequest

from leaderboard.tasks import access
from leaderboard.tasks.models import GoldRevision, Phase
from leaderboard.tasks.policy import Power, can


def phase_or_404(request: HttpRequest, slug: str, name: str) -> Phase:
    """The phase, under the revision that `?revision=` asks for; it must not be saved.

    What was live once stays readable for everybody who sees the board; drafts are for
    organizers. `live_revision` is what the phase shows otherwise, None if it is that;
    `earlier` are the others that were live.
    """
    phase = access.phase_or_404(slug, name, request.user)
    asked = request.GET.get("revision", "")
    phase.live_revision = None  # type: ignore[attr-defined]
    phase.earlier = _earlier(phase)  # type: ignore[attr-defined]
    if not asked or asked == str(phase.gold_revision.number):
        return phase
    found = _revision(phase, asked)
    if found.live_at is None and not can(request.user, phase.task, Power.SEE):
        raise Http404
    phase.live_revision = phase.gold_revision  # type: ignore[attr-defined]
    phase.gold_revision = found
    return phase


def _earlier(phase: Phase) -> list[GoldRevision]:
    """No query for the many tasks whose gold was never corrected."""
    revisions = GoldRevision.objects.filter(task=phase.task_id, live_at__isnull=False)
    others = revisions.exclude(pk=phase.gold_revision_id).order_by("-number")
    never = phase.gold_revision.number == 1 and not phase.gold_revision.public_note
    return [] if never else list(others)


def _revision(phase: Phase, asked: str) -> GoldRevision:
    if not asked.isdecimal() or len(asked) > 9:
        raise Http404
    revisions = GoldRevision.objects.filter(task=phase.task_id, number=int(asked))
    found: GoldRevision | None = revisions.first()
    if found is None:
        raise Http404
    return found
