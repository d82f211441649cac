"""Addresses that depend on the request."""

from django import template
from django.template import Context

from leaderboard.web import access

register = template.Library()


@register.simple_tag(takes_context=True)
def page_to_return_to(context: Context) -> str:
    """The page to come back to after signing in."""
    return access.page_to_return_to(context["request"])
