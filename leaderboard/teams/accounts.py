"""Accounts: where links of their mail lead, second factors, signing in elsewhere."""

import json
import logging
from collections.abc import Callable
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as current
from allauth.mfa.adapter import get_adapter
from allauth.socialaccount.adapter import (
    DefaultSocialAccountAdapter,
    _build_apps_from_settings,
)
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import MiddlewareNotUsed
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from requests import RequestException

from leaderboard.mail import outbox, seal
from leaderboard.mail.models import Mail
from leaderboard.teams.identity_providers import GITHUB
from leaderboard.teams.models import NAME_LENGTH, User

ACCOUNT = "account"  # the kind of its mail
log = logging.getLogger(__name__)
# Pages where a second factor is set up, and what must work before it is.
NO_FACTOR_ASKED = (
    "/accounts/",
    "/static/",
    "/language/",
    "/healthz",
    "/readyz",
    "/metrics",
)
AT_GITHUB = f"/accounts/{GITHUB}/"
ELSEWHERE = ("/accounts/3rdparty/", "/accounts/social/", "/accounts/oidc/", AT_GITHUB)
# A provider that is away, one that refuses, and one that leaves something out.
BAD_ANSWER = (RequestException, OAuth2Error, KeyError, ValueError)
TOKENS = "/accounts/tokens/"  # a token works without a second factor


class AccountMail(DefaultAccountAdapter):
    """allauth's own, but that mail goes to the outbox and links to the site's address.

    Its text holds a link or a code that works, so it is sealed until it is sent.
    allauth takes the host from the request. Whoever asks for somebody else's new
    password chooses that host among those that are served, and its port freely.
    """

    def send_mail(self, template_prefix: str, email: str, context: Any) -> None:
        if not settings.LOCAL and current.request is not None:
            address = current.request.build_absolute_uri("/").rstrip("/")
            context = {
                name: _at_site_address(value, address)
                for name, value in context.items()
            }
        context = {"email": email, "current_site": MailSite(), **context}
        message = self.render_mail(template_prefix, email, context)
        text = json.dumps({"subject": message.subject, "body": message.body})
        outbox.order(Mail(kind=ACCOUNT, address=email, sealed=seal.seal_text(text)))


class MailSite:
    """The site as templates of mail name it."""

    @property
    def domain(self) -> str:
        return str(settings.SITE_URL).partition("://")[2]

    name = domain


def _at_site_address(value: Any, address: str) -> Any:
    """A link below the address that was asked, as one below the site's own."""
    if isinstance(value, str) and value.startswith(f"{address}/"):
        return settings.SITE_URL + value.removeprefix(address)
    return value


def needs_second_factor(user: User) -> bool:
    """Whether the person must set up a second factor first, as an organizer or
    administrator without one."""
    if settings.TWO_FACTOR != "organizers":
        return False
    powerful = user.is_staff or user.is_superuser or user.organized_tasks.exists()
    return powerful and not get_adapter().is_mfa_enabled(user)


class AskForTwoFactor:
    """Leads organizers who have no second factor to where they set one up.

    Whoever has one was asked for it when signing in.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if settings.TWO_FACTOR == "off":
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path, user = request.path, request.user
        alone = path.startswith(NO_FACTOR_ASKED) and not path.startswith(TOKENS)
        if not alone and user.is_authenticated and needs_second_factor(user):
            return _ask_for_second_factor(request)
        return self.get_response(request)


def _ask_for_second_factor(request: HttpRequest) -> HttpResponse:
    words = _("Organizers need a second factor here: set one up to go on.")
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": words}, status=403)
    messages.warning(request, words)
    return redirect("mfa_activate_totp")


class IdentityAdapter(DefaultSocialAccountAdapter):
    """allauth's own, but it takes no provider's word and keeps little of what it says.

    Of a person it keeps the provider and their number or iD there. Name and address are
    suggestions for the form of signing up; the address is confirmed by mail like any.
    """

    def list_apps(
        self, request: HttpRequest, provider: Any = None, client_id: Any = None
    ) -> list[SocialApp]:
        """The apps of the environment; none are looked for in the database."""
        rows = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for apps in rows.values() for app in apps]

    def populate_user(
        self, request: HttpRequest, sociallogin: SocialLogin, data: Any
    ) -> User:
        user: User = super().populate_user(request, sociallogin, data)
        addresses = [address.email for address in sociallogin.email_addresses]
        user.email = user.email or next(iter(addresses), "")
        user.name = " ".join(str(data.get("name") or "").split())[:NAME_LENGTH]
        sociallogin.email_addresses = []
        sociallogin.account.extra_data = {}
        return user

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, Any]:
        user = sociallogin.user
        return {"name": user.name, "email": user.email}


class SignInElsewhere:
    """Pages of signing in with an identity provider: not found where there is none, and
    an answer in words where one cannot be reached or does not say what it should."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(ELSEWHERE) and not _is_offered(request.path):
            raise Http404
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponse | None:
        ours = request.path.startswith(ELSEWHERE)
        if not (ours and isinstance(exception, BAD_ANSWER)):
            return None
        # Without what was said, in which a code or a token could stand.
        log.warning("an identity provider failed: %s", type(exception).__name__)
        return render(request, "socialaccount/authentication_error.html", status=503)


def _is_offered(path: str) -> bool:
    offered = {provider.id for provider in settings.IDENTITY_PROVIDERS}
    return GITHUB in offered if path.startswith(AT_GITHUB) else bool(offered)
