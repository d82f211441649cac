"""Identity providers in templates: buttons, and who somebody is there."""

from allauth.socialaccount.models import SocialAccount
from django import template
from django.conf import settings

from leaderboard.teams.identity_providers import IdentityProvider

register = template.Library()


@register.simple_tag
def identity_providers() -> tuple[IdentityProvider, ...]:
    providers: tuple[IdentityProvider, ...] = settings.IDENTITY_PROVIDERS
    return providers


@register.filter
def provider_name(account: SocialAccount) -> str:
    """The name of an account's provider; the id of one that is no longer offered."""
    names = {provider.id: provider.name for provider in settings.IDENTITY_PROVIDERS}
    return names.get(account.provider, account.provider)
