"""The form of a phase: all its fields, times on the clock of its zone."""

import copy
import secrets
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leaderboard.organize import phase_changes
from leaderboard.organize.local_times import (
    TWICE,
    LocalTimeField,
    WhichField,
    fold_of,
    is_twice,
    on_clock,
)
from leaderboard.organize.long_select import LongSelect
from leaderboard.organize.phase_texts import HELP, LABELS, SECTIONS, Section
from leaderboard.organize.seen import ShowsValues
from leaderboard.tasks import phase_rules
from leaderboard.tasks import phase_rules as parts_of
from leaderboard.tasks.current import gold_in_force
from leaderboard.tasks.local_time import time_zones
from leaderboard.tasks.models import GoldFile, Participation, Phase

TIMES = ("opens", "closes", "reveal_at", "freeze_from")
WHICH = "_which"


def zones() -> list[tuple[str, str]]:
    """Names that people know: places, and UTC."""
    places = (name for name in time_zones() if "/" in name)
    known = sorted(n for n in places if not n.startswith(("Etc/", "SystemV/")))
    return [("UTC", "UTC"), *((name, name) for name in known)]


class TimesOnClock(forms.ModelForm):
    """Turns naive times of the form into moments of its zone."""

    before: phase_changes.State

    opens = LocalTimeField(label=_("Opens"))
    closes = LocalTimeField(
        label=_("Closes"),
        required=False,
        help_text=_("Empty is no end. Later uploads are kept as late and not scored."),
    )
    reveal_at = LocalTimeField(
        label=_("Everything is revealed"),
        required=False,
        help_text=_(
            "When all that is withheld is shown, exact scores and the private part "
            "with it. Empty: when the phase closes."
        ),
    )
    freeze_from = LocalTimeField(
        label=_("The board stands still from"),
        required=False,
        help_text=_(
            "Until the reveal the board does not change; teams still see their own "
            "scores. Empty is no freeze."
        ),
    )
    opens_which = WhichField(_("Opens: which of the two"))
    closes_which = WhichField(_("Closes: which of the two"))
    reveal_at_which = WhichField(_("Reveal: which of the two"))
    freeze_from_which = WhichField(_("Freeze: which of the two"))

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
        label=_("Draw the private part anew"),
        help_text=_("Other units become private, chosen by lot."),
    )
    confirm = forms.BooleanField(
        required=False, label=_("I know this, and want it all the same")
    )
    note = forms.CharField(
        required=False,
        max_length=1000,
        label=_("What participants are told"),
        help_text=_("Stands in the public log of changes of the task."),
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
        self.before = phase_changes.State(
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
            raise ValidationError(gettext("Another phase of this task has that name."))
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
        self.effects = phase_changes.effects(self.before, self._after())
        if not self.effects:
            return
        if not self.cleaned_data.get("confirm"):
            said = gettext("Read what the changes do, and confirm them.")
            self.add_error("confirm", said)
        if not self.cleaned_data.get("note"):
            said = gettext("Tell participants what changes and why.")
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
        for said in parts_of.too_few(new.phase, units):
            self.add_error(name, said)

    def _keep_promises(self) -> None:
        old, now = self.before.phase, timezone.now()
        declared = old.declared_at is not None
        moved = phase_rules.moved(old, self.instance, now, declared=declared)
        for name, why in moved:
            self.add_error(name, why)

    def _after(self) -> phase_changes.State:
        sets: Any = self.cleaned_data["test_sets"]
        chosen: Any = self.cleaned_data["chosen"]
        return phase_changes.State(
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

    def sections(self) -> Iterator[tuple[Section, list[forms.BoundField]]]:
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
