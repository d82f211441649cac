"""Mail of accounts: where its links lead."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as current
from django.conf import settings


class AccountMail(DefaultAccountAdapter):
    """allauth's own, but for links: they lead to the site's address.

    allauth takes the host from the request. Whoever asks for somebody else's new
    password chooses that host among those that are served, and its port freely.
    """

    def send_mail(self, template_prefix: str, email: str, context: Any) -> None:
        if not settings.LOCAL and current.request is not None:
            asked = current.request.build_absolute_uri("/").rstrip("/")
            context = {name: _led_home(value, asked) for name, value in context.items()}
            context["current_site"] = Site()
        super().send_mail(template_prefix, email, context)


class Site:
    """The site as templates of mail name it."""

    @property
    def domain(self) -> str:
        return str(settings.SITE_URL).partition("://")[2]

    name = domain


def _led_home(value: Any, asked: str) -> Any:
    if isinstance(value, str) and value.startswith(f"{asked}/"):
        return settings.SITE_URL + value.removeprefix(asked)
    return value
