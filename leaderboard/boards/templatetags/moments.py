"""Times: printed in UTC, with what a script needs to show them in the reader's zone."""

from datetime import UTC, datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop

register = template.Library()

# Django's letters for dates, to be put in the order of the language
SECOND = gettext_noop("j M Y, H:i:s")
MINUTE = gettext_noop("j M Y, H:i")
DAY = gettext_noop("j M Y")


@register.filter
def minute(moment: datetime) -> SafeString:
    """ "2 Jun 2026, 12:00 UTC", as an element."""
    text = f"{date_format(moment.astimezone(UTC), gettext(MINUTE))} UTC"
    return _element(moment, "minute", text)


@register.filter
def second(moment: datetime) -> SafeString:
    """ "2 Jun 2026, 12:00:07 UTC", as an element."""
    text = f"{date_format(moment.astimezone(UTC), gettext(SECOND))} UTC"
    return _element(moment, "second", text)


@register.filter
def day(moment: datetime) -> SafeString:
    """ "2 Jun 2026", as an element that knows the whole time."""
    text = date_format(moment.astimezone(UTC), gettext(DAY))
    return _element(moment, "day", text)


def _element(moment: datetime, kind: str, text: str) -> SafeString:
    template = '<time datetime="{}" data-clock="{}">{}</time>'
    utc = moment.astimezone(UTC).isoformat(timespec="seconds")
    return format_html(template, utc, kind, text)
