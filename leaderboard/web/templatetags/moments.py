"""Times: printed in UTC, with what a script needs to show them in the reader's zone."""

from datetime import UTC, date, datetime
from functools import lru_cache
from html import escape

from django import template
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, gettext_noop

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
    text = _day(moment.astimezone(UTC).date(), get_language())
    return _element(moment, "day", text)


@lru_cache(maxsize=1000)
def _day(date: date, language: str) -> str:
    """Said once: of the hundreds of rows of a page many came on the same day."""
    return date_format(date, gettext(DAY))


def _element(moment: datetime, kind: str, text: str) -> SafeString:
    utc = moment.astimezone(UTC).isoformat(timespec="seconds")
    html = f'<time datetime="{utc}" data-clock="{kind}">{escape(text)}</time>'
    return SafeString(html)
