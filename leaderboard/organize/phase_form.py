"""Form of a phase: all its fields, times on the clock of its zone."""

import copy
import secrets
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organize.fields import (
    WHICH,
    ClockTimes,
    LocalTimeField,
    LongSelect,
    RowsField,
    WhichField,
)
from leaderboard.organize.forms import ShowsValues
from leaderboard.tasks import phase_rules
from leaderboard.tasks.models import GoldFile, GoldRevision, Participation, Phase
from leaderboard.tasks.policy import is_revealed, reveal_of, withholds_scores
from leaderboard.web.templatetags.formats import written
from leaderboard.web.time_zones import AOE, time_zones

# Key, title, introduction and fields of each part of the form. A field that none of
# them names stands in the last.
SECTIONS = (
    ("name", gettext_lazy("Name"), "", ("title", "name")),
    (
        "times",
        gettext_lazy("Times"),
        gettext_lazy(
            "Times are those on the clocks of the zone you choose, and are shown to "
            "participants in it. What arrives counts by when the request began."
        ),
        ("time_zone", "opens", "opens_which", "closes", "closes_which"),
    ),
    (
        "who",
        gettext_lazy("Who may submit"),
        gettext_lazy("Whoever may not is told why on the page and in the API."),
        ("who", "chosen"),
    ),
    (
        "quotas",
        gettext_lazy("How often"),
        gettext_lazy(
            "Counted per team and per person, so that changing teams gains nothing. A "
            "file that cannot be scored costs no attempt; what fails on our side is "
            "given back."
        ),
        ("daily_limit", "total_limit", "most_runs"),
    ),
    (
        "data",
        gettext_lazy("What is scored"),
        "",
        (
            "test_sets",
            "separate_test_sets",
            "sends_code",
            "counts",
            "lasting_differences",
        ),
    ),
    (
        "shown",
        gettext_lazy("What is shown"),
        gettext_lazy(
            "The same rule holds for pages, exports, API and mails. Organizers see "
            "everything at any time."
        ),
        ("policy", "reveal_at", "reveal_at_which", "freeze_from", "freeze_from_which"),
    ),
    (
        "guard",
        gettext_lazy("Guarding the test data"),
        gettext_lazy(
            "Every published score tells something about the gold, and on small test "
            "sets many attempts add up. They tell nothing about a private part."
        ),
        ("private_share", "new_salt"),
    ),
)
ORDER = tuple(name for *_about, names in SECTIONS for name in names)


Policy, Who = Phase.Policy, Phase.Who
# From least to most shown.
POLICIES = (Policy.BLIND, Policy.BEST, Policy.OPEN)
NEVER = datetime.max.replace(tzinfo=UTC)
UNLIMITED = 10**9
TIMES = ("opens", "closes", "reveal_at", "freeze_from")


@dataclass(frozen=True)
class PhaseValues:
    """A phase with its relations, before or after; new salt is a changed salt."""

    phase: Phase
    test_sets: Set[int]
    chosen: Set[int]

    @classmethod
    def of(cls, phase: Phase) -> "PhaseValues":
        """The values that are stored; none for a phase that is not."""
        if phase.pk is None:
            return cls(phase, set(), set())
        return cls(
            phase,
            set(phase.test_sets.values_list("pk", flat=True)),
            set(phase.chosen.values_list("pk", flat=True)),
        )


def effects(before: PhaseValues, after: PhaseValues) -> list[str]:
    """A sentence for each change that is unfair to those who already take part."""
    old, new = before.phase, after.phase
    narrower = old.who == Who.PARTICIPANTS != new.who or new.who == Who.ORGANIZERS
    fewer = new.who == old.who == Who.CHOSEN and bool(before.chosen - after.chosen)
    changes = (
        (
            POLICIES.index(Policy(new.policy)) > POLICIES.index(Policy(old.policy)),
            _(
                "More is shown than was promised: scores of submissions that were "
                "sent under “%(old)s” become visible."
            )
            % {"old": old.get_policy_display()},
        ),
        (
            (new.freeze_from or NEVER) > (old.freeze_from or NEVER),
            _("The board stands still later than announced, or not at all."),
        ),
        (
            (reveal_of(new) or NEVER) < (reveal_of(old) or NEVER),
            _("Everything is revealed earlier than announced."),
        ),
        (
            new.opens != old.opens,
            _("The phase opens at another moment; what was sent so far stays."),
        ),
        (
            new.time_zone != old.time_zone,
            _(
                "Days begin at another moment: some teams get attempts of two days "
                "within one."
            ),
        ),
        (
            new.private_share != old.private_share,
            _(
                "Other units decide than before: public scores and ranks change, and "
                "what teams learned from them no longer fits."
            ),
        ),
        (
            new.private_share == old.private_share and new.salt != old.salt,
            _(
                "The private part is drawn anew: public scores and ranks change, and "
                "units whose scores teams have seen may become private."
            ),
        ),
        (
            after.test_sets - before.test_sets,
            _(
                "Submissions so far hold nothing for the new test set: they count 0 "
                "there until their teams send again."
            ),
        ),
        (
            before.test_sets - after.test_sets,
            _("A test set drops out: the scores and ranks of all submissions change."),
        ),
        (
            new.counts != old.counts,
            _("Another submission of a team may count than the one it relied on."),
        ),
        (
            (narrower and old.who != new.who) or fewer,
            _("Teams that could submit so far no longer can."),
        ),
        (
            (new.daily_limit or UNLIMITED) < (old.daily_limit or UNLIMITED),
            _("Teams that used more than the new limit have nothing left today."),
        ),
        (
            (new.total_limit or UNLIMITED) < (old.total_limit or UNLIMITED),
            _(
                "Teams that used more than the new limit in all cannot send "
                "anything more."
            ),
        ),
    )
    return [sentence for unfair, sentence in changes if unfair]


def zones() -> list[tuple[str, str]]:
    """Names that people know: UTC, Anywhere on Earth, and places."""
    places = (name for name in time_zones() if "/" in name)
    names = sorted(n for n in places if not n.startswith(("Etc/", "SystemV/")))
    aoe = _("AoE: Anywhere on Earth, 12 hours behind UTC")
    return [("UTC", "UTC"), (AOE, aoe), *((name, name) for name in names)]


def sudden_end(
    old: datetime | None, new: datetime | None, zone: ZoneInfo
) -> str | None:
    """A new end in words, where it is one to be asked about; else None."""
    now = timezone.now()
    if new is None or not phase_rules.is_sudden(old, new, now):
        return None
    values = {"new": written(new, zone)}
    if new <= now:
        return _("The phase closes %(new)s, which is over already.") % values
    if new <= now + phase_rules.NEAR:
        return _("The phase closes %(new)s: in less than 24 hours.") % values
    return _("The phase closes %(new)s: earlier than announced.") % values


def questions_on_end(
    phase: Phase, new: datetime | None, zone: ZoneInfo | None = None
) -> str:
    """The sentences on a new end, None for no end any more, that are to be confirmed;
    empty where none are. The end is said on the clocks of the zone, by default the
    phase's own."""
    asked = (
        sudden_end(phase.closes, new, zone or phase.zone),
        _end_after_reveal(phase, new),
    )
    return " ".join(filter(None, asked))


def _end_after_reveal(phase: Phase, new: datetime | None) -> str | None:
    """A sentence where teams would go on with what was kept from them until now."""
    now, since = timezone.now(), reveal_of(phase)
    if new == phase.closes or (new is not None and new <= now):
        return None
    if since is None or not is_revealed(phase, now):
        return None
    if not withholds_scores(phase):
        return None
    text = _(
        "What was withheld has been shown since %(since)s: what teams send from now "
        "on, they send knowing it."
    )
    return text % {"since": written(since, phase.zone)}


def mail_field() -> forms.BooleanField:
    return forms.BooleanField(
        required=False,
        initial=True,
        label=gettext_lazy("Tell the teams by mail"),
        help_text=gettext_lazy(
            "Everybody who takes part or follows the task, unless they switched "
            "messages off."
        ),
    )


class PhaseForm(ShowsValues, ClockTimes, forms.ModelForm):
    """Adds or edits a phase. What is unfair to a running one has to be confirmed.

    `effects` are the sentences that the confirmation is about, after validation.
    """

    time_zone = forms.ChoiceField(
        choices=zones,
        label=Phase._meta.get_field("time_zone").verbose_name,
        help_text=Phase._meta.get_field("time_zone").help_text,
        widget=LongSelect,
    )
    opens_which = WhichField(gettext_lazy("Opens: which of the two"))
    closes_which = WhichField(gettext_lazy("Closes: which of the two"))
    reveal_at_which = WhichField(gettext_lazy("Reveal: which of the two"))
    freeze_from_which = WhichField(gettext_lazy("Freeze: which of the two"))
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
    mail = mail_field()
    field_order = ORDER

    class Meta:
        model = Phase
        exclude = (
            "task",
            "position",
            "paused",
            "paused_note",
            "gold_revision",
            "board_version",
            "declared_at",
            "declared_by",
        )
        field_classes = {
            **dict.fromkeys(TIMES, LocalTimeField),
            **dict.fromkeys(("chosen", "test_sets"), RowsField),
        }
        widgets = {
            "chosen": forms.CheckboxSelectMultiple,
            "test_sets": forms.CheckboxSelectMultiple,
            "private_share": forms.NumberInput(attrs={"step": "any"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.effects: list[str] = []
        self.sudden = False
        task, phase = self.instance.task, self.instance
        fields: Any = self.fields
        fields["most_runs"].required = False
        active = Participation.Status.ACTIVE
        teams = task.participations.filter(status=active).select_related("team")
        fields["chosen"].queryset = teams.order_by("team__name")
        fields["chosen"].label_from_instance = lambda entry: str(entry.team)
        fields["test_sets"].queryset = task.test_sets.all()
        self.saved = phase.pk is not None
        self.has_submissions = self.saved and phase.submissions.exists()
        # Nobody has seen a draft, whatever its dates.
        public = self.saved and not task.draft
        self.begun = public and phase.state() != "upcoming"
        for name in TIMES if phase.opens is not None else ():
            self.show_clock(name, getattr(phase, name), phase.zone)
        self.before = PhaseValues.of(copy.copy(phase))
        if self.saved:
            self.shows(self._values())
        # Both are promises that others rely on: they change in other ways, or never.
        fields["name"].disabled = self.has_submissions
        fields["closes"].disabled = self.begun

    def _values(self) -> list[Any]:
        before = self.before
        plain = {name: str(getattr(before.phase, name)) for name in (*STORED, "salt")}
        return [plain, sorted(before.test_sets), sorted(before.chosen)]

    def clean_name(self) -> str:
        """The database would refuse it too, without saying where."""
        name: str = self.cleaned_data["name"]
        others = self.instance.task.phases.exclude(pk=self.instance.pk)
        if others.filter(name=name).exists():
            raise ValidationError(_("Another phase of this task has that name."))
        return name

    def clean_title(self) -> str:
        """Teams and organizers choose phases by their titles."""
        title: str = self.cleaned_data["title"]
        others = self.instance.task.phases.exclude(pk=self.instance.pk)
        if title != self.before.phase.title and others.filter(title=title).exists():
            raise ValidationError(_("Another phase of this task has that title."))
        return title

    def clean_most_runs(self) -> int:
        """A field that was left empty changes nothing."""
        number: int | None = self.cleaned_data["most_runs"]
        return self.before.phase.most_runs if number is None else number

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in TIMES:
            stored = getattr(self.before.phase, name)
            if self.fields[name].disabled or "time_zone" not in cleaned:
                cleaned[name] = stored
                continue
            self.read_clock(cleaned, name, ZoneInfo(cleaned["time_zone"]))
            # What was not touched keeps the part of a second that no form shows.
            if stored and stored.replace(microsecond=0) == cleaned.get(name):
                cleaned[name] = stored
        if cleaned.get("new_salt"):
            self.instance.salt = secrets.token_hex(16)
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        self._require_units()
        if self.has_submissions or (self.saved and not self.instance.task.draft):
            self._require_promises()
        if self.errors:
            return
        if self.begun or self.has_submissions:
            self.effects = effects(self.before, self._after())
        if self.saved and not self.instance.task.draft:
            new = self.instance
            end = sudden_end(self.before.phase.closes, new.closes, new.zone)
            self.sudden = end is not None
            self.effects += filter(None, [end])
        if not self.effects:
            return
        if not self.cleaned_data.get("confirm"):
            sentence = _("Read what the changes do, and confirm them.")
            self.add_error("confirm", sentence)
        if not self.cleaned_data.get("note"):
            sentence = _("Tell participants what changes and why.")
            self.add_error("note", sentence)

    def _require_units(self) -> None:
        """Parts of too few units are refused, but what a phase has it keeps."""
        old, new = self.before, self._after()
        same = old.phase.private_share == new.phase.private_share
        if self.saved and same and old.test_sets == new.test_sets:
            return
        units = units_of(self.instance.task.gold_revisions.live(), new.test_sets)
        for sentence in phase_rules.too_few(new.phase, units):
            self.add_error("private_share", sentence)

    def _require_promises(self) -> None:
        old, now = self.before.phase, timezone.now()
        declared = old.declared_at is not None
        for name, why in phase_rules.reasons_against_times(
            old, self.instance, now, declared=declared
        ):
            self.add_error(name, why)

    def _after(self) -> PhaseValues:
        test_sets, chosen = (
            {row.pk for row in self.cleaned_data[name]}
            for name in ("test_sets", "chosen")
        )
        return PhaseValues(self.instance, test_sets, chosen)

    def store(self) -> Phase:
        """Save what the form asks and nothing else, for a phase lives meanwhile."""
        phase: Phase = self.save(commit=False)
        if self.saved:
            names = [name for name in STORED if not self.fields[name].disabled]
            phase.save(update_fields=[*names, "salt"])
            Phase.objects.filter(pk=phase.pk).touch_boards()
        else:
            phase.save()
        self.save_m2m()
        return phase

    def sections(self) -> Iterator[tuple[dict[str, Any], list[forms.BoundField]]]:
        """The sections with those of their fields that are asked."""
        listed = (*ORDER, "confirm", "note", "mail")
        others = [n for n in self.fields if n not in listed]
        for key, title, intro, names in SECTIONS:
            names = (*names, *others) if key == SECTIONS[0][0] else names
            section = {"key": key, "title": title, "intro": intro}
            yield section, [self[name] for name in names if self._asks(name)]

    def _asks(self, name: str) -> bool:
        """Whether a field is asked: which of two equal times only where there are
        two."""
        if name == "new_salt":
            return self.saved and self.instance.private_share is not None
        time = name.removesuffix(WHICH)
        if time == name:
            return True
        return not self.fields[time].disabled and self.asks_which(time)


# Columns that the form fills.
STORED = tuple(
    field.name
    for field in Phase._meta.concrete_fields
    if field.name in PhaseForm.base_fields
)


def units_of(revision: GoldRevision | None, test_sets: Iterable[Any]) -> dict[str, int]:
    """Units of the gold of these test sets in a revision, by title."""
    files = GoldFile.objects.filter(revision=revision, test_set__in=test_sets)
    return dict(files.values_list("test_set__title", "units"))


def blank(task: Any) -> Phase:
    """A phase to fill in: like the last one of the task, opening at this hour."""
    last = task.phases.last()
    opens = timezone.now().replace(minute=0, second=0, microsecond=0)
    zone = last.time_zone if last else "UTC"
    position = last.position + 1 if last else 0
    return Phase(task=task, opens=opens, time_zone=zone, position=position)


class DeadlineForm(ClockTimes, forms.Form):
    """The new end on the clock of the phase's zone, and a note to everybody.

    `known` is the end that the organizer saw, `asked` the new one that `confirm` is
    about: `question` says in words what is to be confirmed.
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
    confirm = forms.BooleanField(
        required=False, label=gettext_lazy("Yes, that is the new end")
    )
    mail = mail_field()

    question = ""

    def __init__(self, phase: Phase, *args: Any) -> None:
        end = phase.closes.isoformat() if phase.closes else ""
        given, files = args or (None, None)
        super().__init__(given, files, initial={"known": end})
        self.phase = phase
        self.show_clock("closes", phase.closes, phase.zone)
        self.fields["closes"].help_text = gettext_lazy("On the clock of %(zone)s.") % {
            "zone": phase.zone_title
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        self.read_clock(cleaned, "closes", self.phase.zone)
        if cleaned.get("closes") and self._is_allowed(cleaned["closes"]):
            self.question = questions_on_end(self.phase, cleaned["closes"])
        confirmed = (
            cleaned.get("confirm") and self.data.get("asked") == self.requested_end
        )
        if self.question and not confirmed:
            self.add_error("confirm", _("Read when the phase ends, and confirm it."))
        return cleaned

    def _is_allowed(self, closes: datetime) -> bool:
        """Whether the end may move so; False where nobody is asked: of a draft, or
        where the end cannot move so."""
        if self.phase.task.draft:
            return False
        moved = copy.copy(self.phase)
        moved.closes = closes
        declared = self.phase.declared_at is not None
        against = phase_rules.reasons_against_times(
            self.phase, moved, timezone.now(), declared=declared
        )
        return not any(against)

    @property
    def requested_end(self) -> str:
        """The new end as it was sent; with another one it is asked again."""
        names = ("closes", f"closes{WHICH}")
        return " ".join(filter(None, (self.data.get(name) for name in names)))

    def clean_known(self) -> datetime | None:
        text: str = self.cleaned_data["known"]
        try:
            return datetime.fromisoformat(text) if text else None
        except ValueError:
            raise ValidationError(gettext_lazy("Load this page again.")) from None

    @property
    def asks_which_end(self) -> bool:
        return self.asks_which("closes")
