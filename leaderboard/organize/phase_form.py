"""Form of a phase: all its fields, times on the clock of its zone."""

import copy
import re
import secrets
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import F
from django.forms.utils import flatatt
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organize.seen import ShowsValues
from leaderboard.tasks import phase_rules
from leaderboard.tasks.current import gold_in_force
from leaderboard.tasks.local_time import YEARS, both, time_zones
from leaderboard.tasks.models import GoldFile, Participation, Phase
from leaderboard.tasks.policy import reveal_of

# As browsers send it; older ones let people type it.
WRITTEN = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.0+)?)?")
Text = str | Promise


# Codes of the ValidationErrors that a change of the clocks causes.
SKIPPED, TWICE = "skipped", "twice"


def read_time(text: str) -> datetime:
    """The naive time that a text of the form 2026-05-01T12:00 says.

    Raises ValidationError for everything else; clocks of people know no 60th second.
    """
    match = WRITTEN.fullmatch(text.strip())
    if match is None:
        raise ValidationError(
            _("Write date and time as in 2026-05-01 12:00, without a zone.")
        )
    numbers = [int(number or 0) for number in match.groups()]
    try:
        found = datetime(*numbers)  # type: ignore[arg-type]
    except ValueError:
        raise ValidationError(_("There is no such date or time.")) from None
    if found.year not in YEARS:
        raise ValidationError(_("Choose a year from 2000 to 2100."))
    return found


def on_clock(local: datetime, zone: ZoneInfo, fold: int | None = None) -> datetime:
    """The moment at which clocks in that zone show `local` (naive), in UTC.

    Of a time that comes twice, `fold` says which: 0 the first, 1 the second. Raises
    ValidationError: SKIPPED, or TWICE when nobody said.
    """
    first, second = both(local, zone)
    if first.astimezone(zone).replace(tzinfo=None, fold=0) != local:
        raise ValidationError(_skipped(local, zone, second), SKIPPED)
    if first != second and fold is None:
        raise ValidationError(_twice(local, zone), TWICE)
    return second if fold else first


def is_twice(local: datetime, zone: ZoneInfo) -> bool:
    first, second = both(local, zone)
    return first < second


def fold_of(moment: datetime, zone: ZoneInfo) -> int:
    return moment.astimezone(zone).fold


def _skipped(local: datetime, zone: ZoneInfo, before: datetime) -> str:
    # In a gap the later reading of the digits is the earlier moment.
    after, _ignored = sorted(both(local, zone), reverse=True)
    told = {
        "time": f"{local:%H:%M}",
        "day": f"{local:%Y-%m-%d}",
        "zone": zone.key,
        "before": f"{before.astimezone(zone):%H:%M}",
        "after": f"{after.astimezone(zone):%H:%M}",
    }
    said = _(
        "There is no %(time)s on %(day)s in %(zone)s: the clocks go forward over "
        "it. Choose for example %(before)s or %(after)s."
    )
    return said % told


def _twice(local: datetime, zone: ZoneInfo) -> str:
    first, second = (moment.astimezone(zone) for moment in both(local, zone))
    told = {
        "time": f"{local:%H:%M}",
        "day": f"{local:%Y-%m-%d}",
        "zone": zone.key,
        "first": f"{first:%Z}",
        "second": f"{second:%Z}",
    }
    said = _(
        "%(time)s comes twice on %(day)s in %(zone)s, for the clocks go back: say "
        "below whether the first is meant (%(first)s) or the second "
        "(%(second)s)."
    )
    return said % told


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
        return value if isinstance(value, datetime) else read_time(str(value))


class WhichField(forms.ChoiceField):
    """Which of two equal clock times is meant, asked only where there are two."""

    def __init__(self, label: Text, **kwargs: Any) -> None:
        first, second = gettext_lazy("the first"), gettext_lazy("the second")
        choices = (("", "—"), ("0", first), ("1", second))
        super().__init__(required=False, label=label, choices=choices, **kwargs)

    def clean(self, value: Any) -> int | None:
        chosen = super().clean(value)
        return int(chosen) if chosen else None


class LongSelect(forms.Select):
    """Prints what Django's own prints, without groups."""

    def render(
        self, name: str, value: Any, attrs: Any = None, renderer: Any = None
    ) -> SafeString:
        chosen = {str(one) for one in self.format_value(value)}
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


Policy, Publication, Who = Phase.Policy, Phase.Publication, Phase.Who
# From least to most shown.
POLICIES = (Policy.BLIND, Policy.BEST, Policy.OPEN)
PUBLICATIONS = (Publication.LADDER, Publication.GRID, Publication.EXACT)
NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class PhaseValues:
    """A phase with its relations, before or after; new salt is a changed salt."""

    phase: Phase
    test_sets: Set[int]
    chosen: Set[int]


def effects(before: PhaseValues, after: PhaseValues) -> list[str]:
    """A sentence for each change that is unfair to those who already take part."""
    return [
        *_shown(before.phase, after.phase),
        *_timed(before.phase, after.phase),
        *_split(before.phase, after.phase),
        *_ranked(before, after),
        *_allowed(before, after),
    ]


def _shown(old: Phase, new: Phase) -> Iterator[str]:
    if POLICIES.index(Policy(new.policy)) > POLICIES.index(Policy(old.policy)):
        said = _(
            "More is shown than was promised: scores of submissions that were "
            "sent under “%(old)s” become visible."
        )
        yield said % {"old": old.get_policy_display()}
    finer = PUBLICATIONS.index(Publication(new.publication)) - PUBLICATIONS.index(
        Publication(old.publication)
    )
    same_but_smaller = finer == 0 and _width(new) < _width(old)
    if finer > 0 or same_but_smaller:
        yield _(
            "Scores are shown more exactly than before: those who sent much learn "
            "more about the gold than those who sent little."
        )
    if (new.freeze_from or NEVER) > (old.freeze_from or NEVER):
        yield _("The board stands still later than announced, or not at all.")


def _width(phase: Phase) -> float:
    """The step; a ladder without one takes a standard error."""
    return 1.0 if phase.step is None else phase.step


def _timed(old: Phase, new: Phase) -> Iterator[str]:
    if (reveal_of(new) or NEVER) < (reveal_of(old) or NEVER):
        yield _("Everything is revealed earlier than announced.")
    if new.opens != old.opens:
        yield _("The phase opens at another moment; what was sent so far stays.")
    if new.time_zone != old.time_zone:
        yield _(
            "Days begin at another moment: some teams get attempts of two days "
            "within one."
        )


def _split(old: Phase, new: Phase) -> Iterator[str]:
    if new.private_share != old.private_share:
        yield _(
            "Other units decide than before: public scores and ranks change, and "
            "what teams learned from them no longer fits."
        )
    elif new.salt != old.salt:
        yield _(
            "The private part is drawn anew: public scores and ranks change, and "
            "units whose scores teams have seen may become private."
        )


def _ranked(before: PhaseValues, after: PhaseValues) -> Iterator[str]:
    if after.test_sets - before.test_sets:
        yield _(
            "Submissions so far hold nothing for the new test set: they count 0 "
            "there until their teams send again."
        )
    if before.test_sets - after.test_sets:
        yield _("A test set drops out: the scores and ranks of all submissions change.")
    if after.phase.counts != before.phase.counts:
        yield _("Another submission of a team may count than the one it relied on.")


def _allowed(before: PhaseValues, after: PhaseValues) -> Iterator[str]:
    old, new = before.phase, after.phase
    narrower = old.who == Who.PARTICIPANTS != new.who or new.who == Who.ORGANIZERS
    fewer = new.who == old.who == Who.CHOSEN and bool(before.chosen - after.chosen)
    if (narrower and old.who != new.who) or fewer:
        yield _("Teams that could submit so far no longer can.")
    for name, said in (
        (
            "daily_limit",
            _("Teams that used more than the new limit have nothing left today."),
        ),
        (
            "total_limit",
            _(
                "Teams that used more than the new limit in all cannot send "
                "anything more."
            ),
        ),
    ):
        if (getattr(new, name) or 10**9) < (getattr(old, name) or 10**9):
            yield said


@dataclass(frozen=True)
class FormSection:
    """A part of the form with the names of its fields."""

    key: str
    title: Text
    intro: Text
    names: tuple[str, ...]


SECTIONS = (
    FormSection("name", gettext_lazy("Name"), "", ("title", "name")),
    FormSection(
        "times",
        gettext_lazy("Times"),
        gettext_lazy(
            "Times are those on the clocks of the zone you choose, and are shown to "
            "participants in it. What arrives counts by when the request began."
        ),
        ("time_zone", "opens", "opens_which", "closes", "closes_which"),
    ),
    FormSection(
        "who",
        gettext_lazy("Who may submit"),
        gettext_lazy("Whoever may not is told why on the page and in the API."),
        ("who", "chosen"),
    ),
    FormSection(
        "quotas",
        gettext_lazy("How often"),
        gettext_lazy(
            "Counted per team and per person, so that changing teams gains nothing. A "
            "file that cannot be scored costs no attempt; what fails on our side is "
            "given back."
        ),
        ("daily_limit", "total_limit", "most_runs"),
    ),
    FormSection("data", gettext_lazy("What is scored"), "", ("test_sets", "counts")),
    FormSection(
        "shown",
        gettext_lazy("What is shown"),
        gettext_lazy(
            "The same rule holds for pages, exports, API and mails. Organizers see "
            "everything at any time."
        ),
        ("policy", "reveal_at", "reveal_at_which", "freeze_from", "freeze_from_which"),
    ),
    FormSection(
        "guard",
        gettext_lazy("Guarding the test data"),
        gettext_lazy(
            "Every published score tells something about the gold. On small test sets "
            "many attempts add up; these three keep that small."
        ),
        ("publication", "step", "private_share", "new_salt"),
    ),
)

LABELS: dict[str, Text] = {
    "title": gettext_lazy("Title"),
    "name": gettext_lazy("Name in addresses"),
    "time_zone": gettext_lazy("Time zone"),
    "who": gettext_lazy("Open to"),
    "chosen": gettext_lazy("Chosen teams"),
    "daily_limit": gettext_lazy("Attempts a day"),
    "total_limit": gettext_lazy("Attempts in all"),
    "most_runs": gettext_lazy("Runs of one entry"),
    "test_sets": gettext_lazy("Test sets"),
    "counts": gettext_lazy("Which submission counts"),
    "policy": gettext_lazy("Scores"),
    "publication": gettext_lazy("How exactly scores are shown"),
    "step": gettext_lazy("Step"),
    "private_share": gettext_lazy("Private share"),
}

HELP: dict[str, Text] = {
    "title": gettext_lazy("As participants read it, for example “Test phase”."),
    "name": gettext_lazy(
        "Short, lower case, as in the address of its board. It stays once "
        "something was sent."
    ),
    "time_zone": gettext_lazy(
        "A day of the quota begins at midnight here; days on which the "
        "clocks change have 23 or 25 hours."
    ),
    "who": gettext_lazy(
        "Organizers may always send pilots. Others see the phase and its board "
        "but cannot submit."
    ),
    "chosen": gettext_lazy(
        "Only asked where teams are chosen. Nobody can submit until you choose one."
    ),
    "daily_limit": gettext_lazy(
        "How many a team and a person may send each day; empty is no limit."
    ),
    "total_limit": gettext_lazy(
        "How many over the whole phase; empty is no limit. Thirty is "
        "usual for a test phase."
    ),
    "most_runs": gettext_lazy(
        "An entry may hold so many runs of one system, from several seeds "
        "say, and shows their mean. 1 is one run, 10 the most."
    ),
    "test_sets": gettext_lazy(
        "Teams send one file for each. A file that is missing counts 0."
    ),
    "counts": gettext_lazy(
        "Best: teams may try freely. Last: teams decide by what they send at "
        "the end. Chosen: teams mark one on its page."
    ),
    "policy": gettext_lazy(
        "Everything at once lets teams learn fastest. Only the best hides how "
        "often others tried. Blind tells a team that its file was received and "
        "is valid, nothing else."
    ),
    "publication": gettext_lazy(
        "Exact scores help honest teams and those who probe alike. A grid "
        "rounds scores and intervals. A ladder publishes a new score only "
        "when it is clearly better than the team’s last."
    ),
    "step": gettext_lazy(
        "Of a grid in score points (0.5 shows 71.3 as 71.5). Of a ladder in "
        "standard errors of the score; empty is 1."
    ),
    "private_share": gettext_lazy(
        "The share of units, from 0.1 to 0.9, that decides the final "
        "ranking and that nobody knows. Until the reveal all scores "
        "come from the rest. 0.5 to 0.7 is usual; empty is no split."
    ),
}


TIMES = ("opens", "closes", "reveal_at", "freeze_from")
WHICH = "_which"


def zones() -> list[tuple[str, str]]:
    """Names that people know: places, and UTC."""
    places = (name for name in time_zones() if "/" in name)
    known = sorted(n for n in places if not n.startswith(("Etc/", "SystemV/")))
    return [("UTC", "UTC"), *((name, name) for name in known)]


class TimesOnClock(forms.ModelForm):
    """Turns naive times of the form into moments of its zone."""

    before: PhaseValues

    opens = LocalTimeField(label=gettext_lazy("Opens"))
    closes = LocalTimeField(
        label=gettext_lazy("Closes"),
        required=False,
        help_text=gettext_lazy(
            "Empty is no end. Later uploads are kept as late and not scored."
        ),
    )
    reveal_at = LocalTimeField(
        label=gettext_lazy("Everything is revealed"),
        required=False,
        help_text=gettext_lazy(
            "When all that is withheld is shown, exact scores and the private part "
            "with it. Empty: when the phase closes."
        ),
    )
    freeze_from = LocalTimeField(
        label=gettext_lazy("The board stands still from"),
        required=False,
        help_text=gettext_lazy(
            "Until the reveal the board does not change; teams still see their own "
            "scores. Empty is no freeze."
        ),
    )
    opens_which = WhichField(gettext_lazy("Opens: which of the two"))
    closes_which = WhichField(gettext_lazy("Closes: which of the two"))
    reveal_at_which = WhichField(gettext_lazy("Reveal: which of the two"))
    freeze_from_which = WhichField(gettext_lazy("Freeze: which of the two"))

    def _show_on_clock(self) -> None:
        """Start values as clocks of the phase's zone show them."""
        zone = self.instance.zone
        for name in TIMES:
            moment = getattr(self.instance, name)
            if moment is None:
                continue
            local = moment.astimezone(zone).replace(tzinfo=None, microsecond=0, fold=0)
            self.initial[name] = local
            if is_twice(local, zone):
                self.initial[name + WHICH] = str(fold_of(moment, zone))

    def _read_clock(self, cleaned: dict[str, Any], zone: ZoneInfo) -> None:
        for name in TIMES:
            local = cleaned.get(name)
            if self.fields[name].disabled:
                cleaned[name] = getattr(self.before.phase, name)
            elif local is not None:
                self._read_one(cleaned, name, zone)

    def _read_one(self, cleaned: dict[str, Any], name: str, zone: ZoneInfo) -> None:
        fold = cleaned.get(name + WHICH)
        try:
            moment = on_clock(cleaned[name], zone, fold)
        except ValidationError as error:
            self.add_error(name, error)
        else:
            cleaned[name] = self._as_stored(name, moment)

    def _as_stored(self, name: str, moment: datetime) -> datetime:
        """What was not touched keeps the part of a second that no form shows."""
        stored = getattr(self.before.phase, name)
        same = stored is not None and stored.replace(microsecond=0) == moment
        return stored if same else moment


class PhaseForm(ShowsValues, TimesOnClock):
    """Adds or edits a phase. What is unfair to a running one has to be confirmed.

    `effects` are the sentences that the confirmation is about, after validation.
    """

    time_zone = forms.ChoiceField(
        choices=zones, label=LABELS["time_zone"], widget=LongSelect
    )
    new_salt = forms.BooleanField(
        required=False,
        label=gettext_lazy("Draw the private part anew"),
        help_text=gettext_lazy("Other units become private, chosen by lot."),
    )
    confirm = forms.BooleanField(
        required=False, label=gettext_lazy("I know this, and want it all the same")
    )
    note = forms.CharField(
        required=False,
        max_length=1000,
        label=gettext_lazy("What participants are told"),
        help_text=gettext_lazy("Stands in the public log of changes of the task."),
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    class Meta:
        model = Phase
        fields = (
            "title",
            "name",
            "time_zone",
            "opens",
            "closes",
            "who",
            "chosen",
            "daily_limit",
            "total_limit",
            "most_runs",
            "test_sets",
            "counts",
            "policy",
            "reveal_at",
            "freeze_from",
            "publication",
            "step",
            "private_share",
        )
        labels = LABELS
        help_texts = HELP
        widgets = {
            "chosen": forms.CheckboxSelectMultiple,
            "test_sets": forms.CheckboxSelectMultiple,
            "step": forms.NumberInput(attrs={"step": "any"}),
            "private_share": forms.NumberInput(attrs={"step": "any"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.effects: list[str] = []
        self.fields["time_zone"].help_text = HELP["time_zone"]
        self.fields["most_runs"].required = False
        task, phase = self.instance.task, self.instance
        active = Participation.Status.ACTIVE
        teams = task.participations.filter(status=active).select_related("team")
        self._offer("chosen", teams.order_by("team__name"), lambda one: str(one.team))
        self._offer("test_sets", task.test_sets.all(), str)
        self.saved = phase.pk is not None
        self.sent = self.saved and phase.submissions.exists()
        self.begun = self.saved and phase.state() != "upcoming"
        if phase.opens is not None:
            self._show_on_clock()
        self._remember()
        if self.saved:
            self.shows(self._values())
        # Both are promises that others rely on: they change in other ways, or never.
        self.fields["name"].disabled = self.sent
        self.fields["closes"].disabled = self.begun

    def _offer(self, name: str, rows: Any, label: Any) -> None:
        field = self.fields[name]
        field.queryset = rows  # type: ignore[attr-defined]
        field.label_from_instance = label  # type: ignore[attr-defined]

    def _remember(self) -> None:
        phase = self.instance
        sets = phase.test_sets.all() if self.saved else ()
        chosen = phase.chosen.all() if self.saved else ()
        self.before = PhaseValues(
            copy.copy(phase), {one.pk for one in sets}, {one.pk for one in chosen}
        )

    def _values(self) -> list[Any]:
        before = self.before
        names = [field.name for field in Phase._meta.concrete_fields]
        asked = [name for name in names if name in self.fields or name == "salt"]
        plain = {name: str(getattr(before.phase, name)) for name in asked}
        return [plain, sorted(before.test_sets), sorted(before.chosen)]

    def clean_name(self) -> str:
        """The database would refuse it too, without saying where."""
        name: str = self.cleaned_data["name"]
        others = self.instance.task.phases.exclude(pk=self.instance.pk)
        if others.filter(name=name).exists():
            raise ValidationError(_("Another phase of this task has that name."))
        return name

    def clean_most_runs(self) -> int:
        """Nothing said changes nothing."""
        said: int | None = self.cleaned_data["most_runs"]
        return self.before.phase.most_runs if said is None else said

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "time_zone" in cleaned:
            self._read_clock(cleaned, ZoneInfo(cleaned["time_zone"]))
        if cleaned.get("new_salt"):
            self.instance.salt = secrets.token_hex(16)
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()
        if self.errors:
            return
        self._require_units()
        if self.sent or (self.saved and not self.instance.task.draft):
            self._keep_promises()
        if self.errors or not (self.begun or self.sent):
            return
        self.effects = effects(self.before, self._after())
        if not self.effects:
            return
        if not self.cleaned_data.get("confirm"):
            said = _("Read what the changes do, and confirm them.")
            self.add_error("confirm", said)
        if not self.cleaned_data.get("note"):
            said = _("Tell participants what changes and why.")
            self.add_error("note", said)

    def _require_units(self) -> None:
        """Parts of too few units are refused, but what a phase has it keeps."""
        old, new = self.before, self._after()
        parts = [
            (one.phase.publication, one.phase.private_share, one.test_sets)
            for one in (old, new)
        ]
        if self.saved and parts[0] == parts[1]:
            return
        files = GoldFile.objects.filter(
            revision=gold_in_force(self.instance.task), test_set__in=new.test_sets
        )
        units = dict(files.values_list("test_set__title", "units"))
        name = "publication" if new.phase.private_share is None else "private_share"
        for said in phase_rules.too_few(new.phase, units):
            self.add_error(name, said)

    def _keep_promises(self) -> None:
        old, now = self.before.phase, timezone.now()
        declared = old.declared_at is not None
        moved = phase_rules.moved(old, self.instance, now, declared=declared)
        for name, why in moved:
            self.add_error(name, why)

    def _after(self) -> PhaseValues:
        sets: Any = self.cleaned_data["test_sets"]
        chosen: Any = self.cleaned_data["chosen"]
        return PhaseValues(
            self.instance, {one.pk for one in sets}, {one.pk for one in chosen}
        )

    def store(self) -> Phase:
        """Save what the form asks and nothing else, for a phase lives meanwhile."""
        phase: Phase = self.save(commit=False)
        if self.saved:
            relations = {field.name for field in Phase._meta.many_to_many}
            asked = [
                name
                for name in self._meta.fields
                if name not in relations and not self.fields[name].disabled
            ]
            phase.save(update_fields=[*asked, "salt"])
            same = Phase.objects.filter(pk=phase.pk)
            same.update(board_version=F("board_version") + 1)
        else:
            phase.save()
        self.save_m2m()
        return phase

    def sections(self) -> Iterator[tuple[FormSection, list[forms.BoundField]]]:
        """The sections with those of their fields that are asked."""
        for section in SECTIONS:
            yield section, [self[name] for name in section.names if self._asks(name)]

    def _asks(self, name: str) -> bool:
        """Which of two equal times is asked only where there are two."""
        if name == "new_salt":
            return self.saved and self.instance.private_share is not None
        if not name.endswith(WHICH):
            return True
        bound = self[name.removesuffix(WHICH)]
        if bound.field.disabled:
            return False
        errors = self.errors.as_data().get(bound.name, ())
        twice = any(error.code == TWICE for error in errors)
        return twice or bool(self[name].value())


def blank(task: Any) -> Phase:
    """A phase to fill in: like the last one of the task, opening now."""
    last = task.phases.last()
    opens = timezone.now().replace(second=0, microsecond=0)
    zone = last.time_zone if last else "UTC"
    position = last.position + 1 if last else 0
    return Phase(task=task, opens=opens, time_zone=zone, position=position)


class DeadlineForm(forms.Form):
    """The new end on the clock of the phase's zone, and a note to everybody.

    `known` is the end that the organizer saw.
    """

    closes = LocalTimeField(label=gettext_lazy("New end"))
    closes_which = WhichField(gettext_lazy("Which of the two"))
    note = forms.CharField(
        max_length=1000,
        label=gettext_lazy("Public note"),
        help_text=gettext_lazy(
            "Why. It stands in the log of changes of the task for good."
        ),
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    known = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, phase: Phase, *args: Any) -> None:
        closes = phase.closes
        known = closes.isoformat() if closes else ""
        local = closes.astimezone(phase.zone).replace(tzinfo=None) if closes else None
        super().__init__(*args, initial={"closes": local, "known": known})
        self.phase = phase
        self.fields["closes"].help_text = gettext_lazy("On the clock of %(zone)s.") % {
            "zone": phase.time_zone
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        local = cleaned.get("closes")
        if local is not None:
            try:
                fold = cleaned.get("closes_which")
                cleaned["closes"] = on_clock(local, self.phase.zone, fold)
            except ValidationError as error:
                self.add_error("closes", error)
        return cleaned

    def clean_known(self) -> datetime | None:
        known: str = self.cleaned_data["known"]
        try:
            return datetime.fromisoformat(known) if known else None
        except ValueError:
            raise ValidationError(gettext_lazy("Load this page again.")) from None

    @property
    def asks_which(self) -> bool:
        errors = self.errors.as_data().get("closes", ())
        return any(error.code == TWICE for error in errors) or bool(
            self["closes_which"].value()
        )
