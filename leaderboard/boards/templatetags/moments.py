"""Times: printed in UTC, with what a script needs to show them in the reader's zone."""

from datetime import UTC, datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

SECOND, MINUTE, DAY = "j M Y, H:i:s", "j M Y, H:i", "j M Y"


@register.filter
def minute(moment: datetime) -> SafeString:
    """ "2 Jun 2026, 12:00 UTC", as an element."""
    text = f"{date_format(moment.astimezone(UTC), MINUTE)} UTC"
    return _element(moment, "minute", text)


@register.filter
def second(moment: datetime) -> SafeString:
    """ "2 Jun 2026, 12:00:07 UTC", as an element."""
    text = f"{date_format(moment.astimezone(UTC), SECOND)} UTC"
    return _element(moment, "second", text)


@register.filter
def day(moment: datetime) -> SafeString:
    """ "2 Jun 2026", as an element that knows the whole time."""
    return _element(moment, "day", date_format(moment.astimezone(UTC), DAY))


def _element(moment: datetime, kind: str, text: str) -> SafeString:
    template = '<time datetime="{}" data-clock="{}">{}</time>'
    utc = moment.astimezone(UTC).isoformat(timespec="seconds")
    return format_html(template, utc, kind, text)
