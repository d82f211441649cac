"""Times of a phase in its own zone; a script adds the reader's where that differs."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

register = template.Library()

ELEMENT = (
    '<time datetime="{}" data-clock="own" data-wall="{}" data-yours="{}">{}</time>'
)


@register.filter
def for_phase(moment: datetime, phase: Any) -> SafeString:
    """ "2 Jun 2026, 14:00 CEST (Europe/Berlin)", as an element."""
    return in_zone(moment, phase.zone)


def in_zone(moment: datetime, zone: ZoneInfo) -> SafeString:
    there = moment.astimezone(zone)
    wall = f"{there:%Y-%m-%dT%H:%M}"
    yours = gettext("your clock:")
    stamp = moment.isoformat(timespec="seconds")
    return format_html(ELEMENT, stamp, wall, yours, written(moment, zone))


def written(moment: datetime, zone: ZoneInfo) -> str:
    """The same as plain text, for messages and notices."""
    there = moment.astimezone(zone)
    form = gettext("j M Y, H:i")
    text = f"{date_format(there, form)} {there.tzname()}"
    return text if zone.key == "UTC" else f"{text} ({zone.key})"
