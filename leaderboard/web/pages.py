"""Pages that only say something: about, privacy, accessibility."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.web.access import ANYBODY, access


@require_safe
@access(ANYBODY)
def about(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/about.html")


@require_safe
@access(ANYBODY)
def privacy(request: HttpRequest) -> HttpResponse:
    context = {"keep_days": settings.KEEP_DAYS}
    return render(request, "pages/privacy.html", context)


@require_safe
@access(ANYBODY)
def accessibility(request: HttpRequest) -> HttpResponse:
    return render(request, "pages/accessibility.html")
