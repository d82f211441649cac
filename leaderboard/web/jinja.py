"""Jinja for the parts of pages that have hundreds of lines; all else is Django's."""

from typing import Any

from django.utils.translation import gettext, ngettext
from jinja2 import Environment

from leaderboard.web.templatetags.formats import day


def environment(**options: Any) -> Environment:
    """The environment of the templates that end in `.jinja`."""
    templates = Environment(extensions=["jinja2.ext.i18n"], **options)
    templates.install_gettext_callables(gettext, ngettext)  # type: ignore[attr-defined]
    templates.filters["day"] = day
    return templates
