"""Mail of accounts: where its links lead."""

from collections.abc import Callable
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as current
from allauth.mfa.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from leaderboard.teams.models import User

# Where it is set up, and what must work before it is.
LEFT_ALONE = ("/accounts/", "/static/", "/language/", "/healthz", "/readyz", "/metrics")
TOKENS = "/accounts/tokens/"  # a token works without a second factor


class AccountMail(DefaultAccountAdapter):
    """allauth's own, but for links: they lead to the site's address.

    allauth takes the host from the request. Whoever asks for somebody else's new
    password chooses that host among those that are served, and its port freely.
    """

    def send_mail(self, template_prefix: str, email: str, context: Any) -> None:
        if not settings.LOCAL and current.request is not None:
            asked = current.request.build_absolute_uri("/").rstrip("/")
            context = {name: _led_home(value, asked) for name, value in context.items()}
            context["current_site"] = MailSite()
        super().send_mail(template_prefix, email, context)


class MailSite:
    """The site as templates of mail name it."""

    @property
    def domain(self) -> str:
        return str(settings.SITE_URL).partition("://")[2]

    name = domain


def _led_home(value: Any, asked: str) -> Any:
    if isinstance(value, str) and value.startswith(f"{asked}/"):
        return settings.SITE_URL + value.removeprefix(asked)
    return value


def needed_by(user: User) -> bool:
    """Whether the person must set one up first: an organizer or administrator."""
    if settings.TWO_FACTOR != "organizers":
        return False
    powerful = user.is_staff or user.is_superuser or user.organized_tasks.exists()
    return powerful and not get_adapter().is_mfa_enabled(user)


class AskForTwoFactor:
    """Leads organizers who have no second factor to where they set one up.

    Whoever has one was asked for it at the door.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if self._stands_in_the_way(request):
            return _asked(request)
        return self.get_response(request)

    def _stands_in_the_way(self, request: HttpRequest) -> bool:
        path = request.path
        alone = path.startswith(LEFT_ALONE) and not path.startswith(TOKENS)
        if settings.TWO_FACTOR == "off" or alone:
            return False
        return request.user.is_authenticated and needed_by(request.user)


def _asked(request: HttpRequest) -> HttpResponse:
    words = _("Organizers need a second factor here: set one up to go on.")
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": words}, status=403)
    messages.warning(request, words)
    return redirect("mfa_activate_totp")
