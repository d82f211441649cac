"""How pages print numbers, times, states of phases, units and shares.

Numbers have the decimal mark of the reader's language, and counts its separators of
thousands. What programs read is made in English, which leaves plain figures as they
are (`leaderboard/web/languages.py`).
Times are printed in UTC, or in the zone of their phase, with what a script needs to
show them in the reader's zone.
"""

import shlex
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.utils import timezone
from django.utils.formats import date_format, get_format, number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import TIME_STRINGS
from django.utils.translation import (
    get_language,
    gettext,
    gettext_lazy,
    gettext_noop,
    ngettext_lazy,
    pgettext_lazy,
)

from leaderboard.web.engine_texts import engine_text, mark_english
from leaderboard.web.time_zones import AOE, zone_title

register = template.Library()
register.filter("described", engine_text)


@register.filter
def described_here(text: str) -> str:
    """`described`, marked as English where a plug-in says it so."""
    return mark_english(text, str(engine_text(text)))


# From here on numbers have no decimals, and are printed by their power of ten
LARGE, HUGE = 1e7, 1e10
# Django's letters for dates, to be put in the order of the language
SECOND = gettext_noop("j M Y, H:i:s")
MINUTE = gettext_noop("j M Y, H:i")
DAY = gettext_noop("j M Y")
SOON = timedelta(days=3)
OWN_CLOCK = (
    '<time datetime="{}" data-clock="own" data-wall="{}" data-yours="{}">{}</time>'
)
STATES = {
    "open": gettext_lazy("Open"),
    "upcoming": gettext_lazy("Opens later"),
    "over": gettext_lazy("Closed"),
}
UNITS = {
    "sentence": pgettext_lazy("unit", "sentence"),
    "document": pgettext_lazy("unit", "document"),
    "instance": pgettext_lazy("unit", "instance"),
    "lexelt": pgettext_lazy("unit", "lexelt"),
    "unit": pgettext_lazy("unit", "unit"),
    "segment": pgettext_lazy("unit", "segment"),
    "session": pgettext_lazy("unit", "session"),
    "text": pgettext_lazy("unit", "text"),
    "topic": pgettext_lazy("unit", "topic"),
    "group": pgettext_lazy("unit", "group"),
    "item": pgettext_lazy("unit", "item"),
}

COUNTED = {
    "sentence": ngettext_lazy("%(n)d sentence", "%(n)d sentences", "n"),
    "document": ngettext_lazy("%(n)d document", "%(n)d documents", "n"),
    "instance": ngettext_lazy("%(n)d instance", "%(n)d instances", "n"),
    "lexelt": ngettext_lazy("%(n)d lexelt", "%(n)d lexelts", "n"),
    "unit": ngettext_lazy("%(n)d unit", "%(n)d units", "n"),
    "segment": ngettext_lazy("%(n)d segment", "%(n)d segments", "n"),
    "session": ngettext_lazy("%(n)d session", "%(n)d sessions", "n"),
    "text": ngettext_lazy("%(n)d text", "%(n)d texts", "n"),
    "topic": ngettext_lazy("%(n)d topic", "%(n)d topics", "n"),
    "group": ngettext_lazy("%(n)d group", "%(n)d groups", "n"),
    "item": ngettext_lazy("%(n)d item", "%(n)d items", "n"),
}


@register.filter
def figures(plain: str) -> str:
    """A number in plain figures, "81.25", with the reader's decimal mark and a minus
    that is no hyphen."""
    signed = f"\u2212{plain[1:]}" if plain.startswith("-") else plain
    return signed.replace(".", _decimal_mark(get_language()))


def decimal_figures(number: float, decimals: int) -> str:
    """A number with so many decimals; a large one with none, and a huge one by its
    power of ten: nobody reads more digits."""
    if abs(number) >= HUGE:
        return figures(f"{number:.4e}")
    return figures(f"{number:.{decimals if abs(number) < LARGE else 0}f}")


@lru_cache
def _decimal_mark(language: str | None) -> str:
    return str(get_format("DECIMAL_SEPARATOR", language))


@register.filter
def grouped(number: float) -> str:
    """A number as it is, its thousands apart: "1,400,000", "−1.400.000"."""
    plain = f"{number:.15g}"
    if "e" in plain:
        return figures(plain)
    apart = str(number_format(plain, force_grouping=True))
    return f"\u2212{apart[1:]}" if apart.startswith("-") else apart


def ends(low: str, high: str) -> str:
    """Two numbers as they were printed, as ends of an interval: "[81.2, 84.0]", or
    "[81,2; 84,0]" where a comma would stand in each."""
    return f"[{low}{';' if _decimal_mark(get_language()) == ',' else ','} {high}]"


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


@register.filter
def for_phase(moment: datetime, phase: Any) -> SafeString:
    """ "2 Jun 2026, 14:00 CEST (Europe/Berlin)", as an element."""
    return in_zone(moment, phase.zone)


@register.filter
def text_for_phase(moment: datetime, phase: Any) -> str:
    """ "2 Jun 2026, 14:00 CEST (Europe/Berlin)", where no script runs."""
    return written(moment, phase.zone)


def in_zone(moment: datetime, zone: ZoneInfo) -> SafeString:
    there = moment.astimezone(zone)
    wall = f"{there:%Y-%m-%dT%H:%M}"
    yours = gettext("your clock:")
    stamp = moment.isoformat(timespec="seconds")
    return format_html(OWN_CLOCK, stamp, wall, yours, written(moment, zone))


def written(moment: datetime, zone: ZoneInfo) -> str:
    """The same as plain text, for messages and notices."""
    there = moment.astimezone(zone)
    form = gettext("j M Y, H:i")
    text = date_format(there, form)
    if zone.key == AOE:
        return f"{text} {zone_title(AOE)}"
    text = f"{text} {there.tzname()}"
    return text if zone.key == "UTC" else f"{text} ({zone.key})"


def day_text(moment: datetime | date) -> str:
    """ "2 Jun 2026" as plain text, a moment as its zone has it."""
    return date_format(moment, gettext(DAY))


@register.filter
def left(moment: datetime) -> str:
    """Time until then, "18 days", "5 hours 12 minutes": below two days in two units.

    The countdowns of `static/countdown.js` say the same.
    """
    seconds = max(int((moment - timezone.now()).total_seconds()), 0)
    sizes = {"day": 86_400, "hour": 3600, "minute": 60}
    first = next((place for place, n in enumerate(sizes.values()) if seconds >= n), 2)
    names = list(sizes)[first : first + (1 if seconds >= 2 * sizes["day"] else 2)]
    words: list[str] = []
    for name in names:
        number, seconds = divmod(seconds, sizes[name])
        if number or not words:
            words.append(str(TIME_STRINGS[name] % {"num": number}))
    return " ".join(words)


@register.filter
def countdown(moment: datetime) -> SafeString:
    """Room for what `static/countdown.js` says, so that no line moves."""
    room = ' <span class="countdown to-come" aria-hidden="true">{}</span>'
    return format_html(room, left(moment))


@register.filter
def is_soon(moment: datetime) -> bool:
    return moment - timezone.now() < SOON


@register.filter
def units_in_words(number: int, name: str) -> str:
    """ "320 sentences"; "320 x verse" of a unit that we have no word for."""
    if name not in COUNTED:
        return f"{grouped(number)} × {name}"
    return str(COUNTED[name] % {"n": number}).replace(str(number), grouped(number))


@register.filter
def in_words(state: str) -> str:
    return str(STATES[state])


@register.simple_tag(takes_context=True)
def address_with(context: Mapping[str, Any], parameter: str, value: str) -> str:
    """The page's own address with another value of one parameter."""
    choices = context["request"].GET.copy()
    choices[parameter] = value
    return f"?{choices.urlencode()}"


@register.simple_tag
def check_command(task: Any, test_set: Any) -> str:
    """The command that checks a file of this test set at home, options included."""
    files = ["--gold", test_set.public_name, "--system", "YOUR_FILE"]
    words = ["python", "-m", "scoring", "check", task.scorer_name, *files]
    for name, values in task.declared_options.items():
        words += [word for v in values for word in ("-o", f"{name}={_option(v)}")]
    return shlex.join(words)


def _option(stored: Any) -> str:
    """An option's value; of a stored file its name."""
    return str(stored["file"]) if isinstance(stored, dict) else str(stored)


@register.filter
def unit_word(name: str) -> str:
    """The unit of a scorer; one that we have no word for by its name."""
    return str(UNITS.get(name, name))


@register.filter
def compared_in_words(group: str | None) -> str:
    """The sentence on a grouping whose groups take the place of units when systems are
    compared; empty without one."""
    if not group:
        return ""
    return gettext(
        "Systems are compared %(group)s by %(group)s: units inside one %(group)s are "
        "alike."
    ) % {"group": unit_word(group)}


@register.filter
def share(level: float) -> str:
    """The level of intervals, "95%"."""
    return figures(f"{level * 100:g}%")
