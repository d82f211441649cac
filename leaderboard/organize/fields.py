"""Form fields: times on the clock of a time zone, lines, long lists of choices."""

import re
from collections.abc import Collection, Iterable
from datetime import date, datetime
from math import inf
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.forms.utils import flatatt
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.tasks.phase_rules import YEARS, both, moment_of_day
from scoring.measures import Measure

# As browsers send it; older ones let people type it.
WRITTEN = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.0+)?)?")
# Codes of the ValidationErrors that a change of the clocks causes.
SKIPPED, TWICE = "skipped", "twice"
DAY = re.compile(r"\d{4}-\d\d-\d\d")
WHICH = "_which"


class RowsField(forms.ModelMultipleChoiceField):
    """Rows of few, chosen by their keys. These are compared before the database is
    asked, which no number could be too large for."""

    def clean(self, value: Collection[str] | None) -> QuerySet[Model]:
        keys = {str(row.pk) for row in self.queryset or ()}
        for key in value or ():
            if str(key) not in keys:
                code, params = "invalid_choice", {"value": key}
                raise ValidationError(self.error_messages[code], code, params)
        chosen: QuerySet[Model] = super().clean(value)
        return chosen


class DoiField(forms.CharField):
    """A DOI, also pasted as the link that leads to it."""

    LINK = re.compile(r"(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*", re.IGNORECASE)

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value))
        link = self.LINK.match(text)
        return text[link.end() :] if link else text


def read_time(text: str) -> datetime | date:
    """The naive time that a text of the form 2026-05-01T12:00 says, or the day of one
    without a time.

    Raises ValidationError for everything else; clocks of people know no 60th second.
    """
    day = DAY.fullmatch(text.strip())
    match = WRITTEN.fullmatch(f"{day[0]}T00:00" if day else text.strip())
    if match is None:
        raise ValidationError(
            _("Write date and time as in 2026-05-01 12:00, without a zone.")
        )
    numbers = [int(number or 0) for number in match.groups()]
    try:
        moment = datetime(*numbers)  # type: ignore[arg-type]
    except ValueError:
        raise ValidationError(_("There is no such date or time.")) from None
    if moment.year not in YEARS:
        raise ValidationError(_("Choose a year from 2000 to 2100."))
    return moment.date() if day else moment


def on_clock(local: datetime, zone: ZoneInfo, fold: int | None = None) -> datetime:
    """The moment at which clocks in that zone show `local` (naive), in UTC.

    Of a time that comes twice, `fold` says which: 0 the first, 1 the second. Raises
    ValidationError: SKIPPED, or TWICE when nobody said.
    """
    first, second = both(local, zone)
    if first.astimezone(zone).replace(tzinfo=None, fold=0) != local:
        raise ValidationError(_skipped_time_sentence(local, zone, second), SKIPPED)
    if first != second and fold is None:
        raise ValidationError(_twice(local, zone), TWICE)
    return second if fold else first


def _skipped_time_sentence(local: datetime, zone: ZoneInfo, before: datetime) -> str:
    # In a gap the later reading of the digits is the earlier moment.
    after = max(both(local, zone))
    sentence = _(
        "There is no %(time)s on %(day)s in %(zone)s: the clocks go forward over "
        "it. Choose for example %(before)s or %(after)s."
    )
    return sentence % {
        "time": f"{local:%H:%M}",
        "day": f"{local:%Y-%m-%d}",
        "zone": zone.key,
        "before": f"{before.astimezone(zone):%H:%M}",
        "after": f"{after.astimezone(zone):%H:%M}",
    }


def _twice(local: datetime, zone: ZoneInfo) -> str:
    first, second = (moment.astimezone(zone) for moment in both(local, zone))
    sentence = _(
        "%(time)s comes twice on %(day)s in %(zone)s, for the clocks go back: say "
        "below whether the first is meant (%(first)s) or the second "
        "(%(second)s)."
    )
    return sentence % {
        "time": f"{local:%H:%M}",
        "day": f"{local:%Y-%m-%d}",
        "zone": zone.key,
        "first": f"{first:%Z}",
        "second": f"{second:%Z}",
    }


class LocalTimeInput(forms.DateTimeInput):
    input_type = "datetime-local"

    def format_value(self, value: Any) -> str | None:
        if not isinstance(value, datetime):
            return super().format_value(value)
        return value.isoformat(timespec="seconds" if value.second else "minutes")

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        # Without it browsers refuse the seconds they were given.
        if isinstance(value, datetime) and value.second:
            attrs = {**(attrs or {}), "step": "1"}
        return super().get_context(name, value, attrs)


class LocalTimeField(forms.Field):
    """A naive time; the form knows the zone."""

    widget = LocalTimeInput

    def to_python(self, value: Any) -> datetime | None:
        if value in self.empty_values:
            return None
        return value if isinstance(value, datetime) else read_time(str(value))  # type: ignore[return-value]


class WhichField(forms.ChoiceField):
    """A choice between two equal clock times, asked only where there are two."""

    def __init__(self, label: str | Promise, **kwargs: Any) -> None:
        first, second = gettext_lazy("the first"), gettext_lazy("the second")
        choices = (("", "—"), ("0", first), ("1", second))
        super().__init__(required=False, label=label, choices=choices, **kwargs)  # type: ignore[arg-type]

    def clean(self, value: Any) -> int | None:
        chosen = super().clean(value)
        return int(chosen) if chosen else None


class ClockTimes:
    """A mixin for forms with times on the clock of a zone.

    Beside a time NAME stands the WhichField NAME_which, which is asked only where the
    time comes twice.
    """

    initial: Any
    errors: Any
    add_error: Any

    def show_clock(self, name: str, moment: datetime | None, zone: ZoneInfo) -> None:
        """Begin with a moment as clocks of the zone show it."""
        if moment is None:
            return
        there = moment.astimezone(zone)
        local = there.replace(tzinfo=None, microsecond=0, fold=0)
        self.initial[name] = local
        first, second = both(local, zone)
        if first < second:
            self.initial[name + WHICH] = str(there.fold)

    def read_clock(self, cleaned: dict[str, Any], name: str, zone: ZoneInfo) -> None:
        """Put the moment in the place of the time that was read, or say why not."""
        if cleaned.get(name) is None:
            return
        if not isinstance(cleaned[name], datetime):
            closes = cleaned.get("closes")
            cleaned[name] = moment_of_day(name, cleaned[name], zone, closes)
            return
        try:
            cleaned[name] = on_clock(cleaned[name], zone, cleaned.get(name + WHICH))
        except ValidationError as error:
            self.add_error(name, error)

    def asks_which(self, name: str) -> bool:
        errors = self.errors.as_data().get(name, ())
        twice = any(error.code == TWICE for error in errors)
        return twice or bool(self[name + WHICH].value())  # type: ignore[index]


class LinesField(forms.CharField):
    """A list of texts, one a line; empty lines and repetitions do not count."""

    def __init__(self, *, encoder: Any = None, decoder: Any = None, **kwargs: Any):
        super().__init__(**{"widget": forms.Textarea, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[str]:
        lines = (line.strip() for line in super().clean(value).splitlines())
        return list(dict.fromkeys(line for line in lines if line))


class LongSelect(forms.Select):
    """A select that prints what Django's own prints, without groups."""

    def render(
        self, name: str, value: Any, attrs: Any = None, renderer: Any = None
    ) -> SafeString:
        chosen = {str(part) for part in self.format_value(value)}
        selected = mark_safe(" selected")
        options = format_html_join(
            "\n",
            '<option value="{}"{}>{}</option>',
            (
                (key, selected if str(key) in chosen else "", label)
                for key, label in self.choices
            ),
        )
        built = self.build_attrs(self.attrs, {"name": name, **(attrs or {})})
        return format_html("<select{}>\n{}\n</select>", flatatt(built), options)


class MeasuresWidget(forms.CheckboxSelectMultiple):
    """A box for each known measure with its place, and lines for further ones.

    Boxes and lines have one name; what is sent keeps its order, each measure once, as
    far as places do not say another one.
    """

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        values = (
            data.getlist(name) if hasattr(data, "getlist") else data.get(name) or []
        )
        texts = [values] if isinstance(values, str) else values
        lines = [line.strip() for text in texts for line in text.splitlines()]
        chosen = dict.fromkeys(filter(None, lines))
        before = {choice: n for n, (choice, _title) in enumerate(self.choices, 1)}

        def place(measure: str) -> tuple[float, int]:
            """The place of a measure; of two with one number that which was moved gets
            it."""
            text = str(data.get(place_name(name, measure)) or "").strip()
            if not (text.isdecimal() and len(text) < 6):
                return inf, 0
            old = before.get(measure, 0)
            return int(text), (int(text) > old) - (int(text) < old)

        return sorted(chosen, key=place)


def place_name(field: str, measure: str) -> str:
    """The name of the input for the place of a measure."""
    return f"{field}_place_{measure}"


class MeasuresBoundField(forms.BoundField):
    """A field of measures on the page: boxes with places, and lines for the rest."""

    @property
    def is_measures(self) -> bool:
        return True

    @property
    def boxes(self) -> list[tuple[Any, str, int | None]]:
        """Each box with the name and the number of its place."""
        chosen = self.value() or ()
        places = {measure: place for place, measure in enumerate(chosen, 1)}
        named = [(box, str(box.data["value"])) for box in self.subwidgets]
        return [
            (box, place_name(self.html_name, measure), places.get(measure))
            for box, measure in named
        ]

    @property
    def more(self) -> str:
        """Measures that have no box, one a line."""
        listed = {choice for choice, _title in self.field.widget.choices}
        return "\n".join(name for name in self.value() or () if name not in listed)


class MeasuresField(forms.Field):
    """Names of measures, in order; which there are is for the form to say."""

    widget = MeasuresWidget

    def __init__(self, *, encoder: Any = None, decoder: Any = None, **kwargs: Any):
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> list[str]:
        return list(value or [])

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(initial or []) != list(data or [])

    def get_bound_field(self, form: Any, field_name: str) -> MeasuresBoundField:
        return MeasuresBoundField(form, self, field_name)


class MeasureSelect(forms.Select):
    """One of the known measures; a stored one that is not among them is added."""

    def optgroups(self, name: str, value: Any, attrs: Any = None) -> Any:
        listed = {choice for choice, _title in self.choices}
        unlisted = [
            (measure, measure) for measure in value if measure and measure not in listed
        ]
        self.choices = [*self.choices, *unlisted]
        return super().optgroups(name, value, attrs)


def measure_choices(
    measures: Iterable[Measure], first: Iterable[str]
) -> list[tuple[str, str]]:
    """Choices of measures, titles with names: those of `first` before the others.

    Those of one tag are among them where they are shown now.
    """
    titles = {measure.name: f"{measure.title} ({measure.name})" for measure in measures}
    names = dict.fromkeys([*first, *titles])
    return [(name, titles.get(name, name)) for name in names]
