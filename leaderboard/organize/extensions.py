"""Extensions: a later end of a phase for a single team, given by an owner.

What is withheld of the phase stays withheld until the last extension has passed
(`policy.reveal_of`), so none is given once everything is revealed.
"""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organize.fields import ClockTimes, LocalTimeField, WhichField
from leaderboard.organize.forms import FormPage, refusals_in
from leaderboard.organize.people import tell_team
from leaderboard.tasks.access import OWN, lock_phase
from leaderboard.tasks.models import Extension, Notice, Participation, Phase
from leaderboard.tasks.policy import is_revealed, reveal_of
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.forms import posted_key
from leaderboard.web.languages import in_english
from leaderboard.web.templatetags.formats import written

ACTIVE = Participation.Status.ACTIVE


def extend(phase: Phase, entry: Participation, until: datetime, by: User) -> Extension:
    """Let a team submit to a phase until then; the team and the public log are told.

    Of the end that it has already nobody is told again. Raises Refusal where others
    could lose or the team could know the answers.
    """
    with transaction.atomic():
        phase = lock_phase(phase)
        entry.refresh_from_db(fields=["status"])
        own = phase.extensions.filter(participation=entry, until=until).first()
        if own is not None:
            return own
        if why := why_not(phase, entry, until, timezone.now()):
            raise Refusal(why)
        before = reveal_of(phase)
        given, _created = Extension.objects.update_or_create(
            phase=phase,
            participation=entry,
            defaults={"until": until, "by": by, "at": timezone.now()},
        )
        _note_last_end(phase)
        with in_english():
            words = _("%(phase)s: one team may submit until %(until)s.")
            text = words % _names(phase, until)
            reveal = reveal_of(phase)
            if reveal and reveal != before:
                words = _("What is withheld is shown from %(reveal)s on, not before.")
                words %= {"reveal": written(reveal, phase.zone)}
                text = f"{text} {words}"
        _announce(phase, text, by)
        words = _("Your team may submit to %(phase)s until %(until)s.")
        text = words % _names(phase, until)
        tell_team(entry, _("More time for your team"), text, "", by)
    return given


def why_not(phase: Phase, entry: Participation, until: datetime, now: datetime) -> str:
    """A reason against the extension; empty if there is none."""
    if phase.closes is None:
        return _("The phase has no end.")
    if phase.declared_at is not None:
        return _("The final ranking was declared; this phase is closed.")
    if is_revealed(phase, now):
        return _(
            "Everything of this phase is revealed already: the team could know the "
            "answers."
        )
    if not entry.is_active:
        return _("The team does not take part.")
    if until <= phase.closes:
        return _("The phase itself is open until then: choose a later time.")
    if until <= now:
        return _("Choose a time to come. Late submissions can be let in one by one.")
    return ""


def take_back(given: Extension, by: User) -> None:
    """End an extension; the team and the public log are told.

    Raises Refusal once the phase is over for the others: the team was promised time,
    which can only be made shorter. Of a team that is out any can be taken back.
    """
    with transaction.atomic():
        phase = lock_phase(given.phase)
        entry = given.participation
        if _is_promised(phase, entry):
            raise Refusal(_("The phase is over for others: give an earlier end."))
        given.delete()
        _note_last_end(phase)
        with in_english():
            words = _("%(phase)s: an extension for one team was taken back.")
            text = words % {"phase": phase.title}
        _announce(phase, text, by)
        words = _("%(phase)s closes for your team as for all others.")
        text = words % {"phase": phase.title}
        tell_team(entry, _("Your extension was taken back"), text, "", by)


def _is_promised(phase: Phase, entry: Participation) -> bool:
    """Whether a team has its extension alone, as the phase is over for the others."""
    return phase.state(timezone.now()) == "over" and entry.is_active


def _names(phase: Phase, until: datetime) -> dict[str, str]:
    return {"phase": phase.title, "until": written(until, phase.zone)}


def _note_last_end(phase: Phase) -> None:
    """Keep the last end with the phase, and let its boards be made anew."""
    last = Extension.objects.filter(phase=phase).aggregate(last=Max("until"))["last"]
    phase.extended_until = last
    rows = Phase.objects.filter(pk=phase.pk)
    rows.update(extended_until=last)
    rows.touch_boards()


def _announce(phase: Phase, text: str, by: User) -> None:
    """The team is not named: whether others read its name depends on the policy."""
    if not phase.task.draft:
        kind = Notice.Kind.DEADLINE
        Notice.objects.create(task=phase.task, phase=phase, kind=kind, text=text, by=by)


class ExtensionForm(ClockTimes, forms.Form):
    """A team that takes part, and its end on the clock of the phase's zone."""

    team = forms.ModelChoiceField(
        Participation.objects.none(), label=gettext_lazy("Team")
    )
    until = LocalTimeField(label=gettext_lazy("It may submit until"))
    until_which = WhichField(gettext_lazy("Which of the two"))

    def __init__(self, phase: Phase, *args: Any) -> None:
        super().__init__(*args)
        self.phase = phase
        active = Participation.objects.filter(task=phase.task, status=ACTIVE)
        team: Any = self.fields["team"]
        team.queryset = active.select_related("team").order_by("team__name")
        team.label_from_instance = lambda entry: str(entry.team)
        self.show_clock("until", phase.closes, phase.zone)
        zone = {"zone": phase.zone_title}
        self.fields["until"].help_text = _("On the clock of %(zone)s.") % zone

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        self.read_clock(cleaned, "until", self.phase.zone)
        return cleaned

    @property
    def asks_which_until(self) -> bool:
        return self.asks_which("until")


class ExtensionsPage(FormPage):
    """Extensions of a phase: listed, given, changed, taken back."""

    mark = OWN.of_phase
    form_class = ExtensionForm
    template_name = "organize/extensions.html"
    title = gettext_lazy("Extensions")
    heading = gettext_lazy("More time for a team in %(title)s")
    button = gettext_lazy("Give the team more time")
    saved = gettext_lazy("Done. The team is told by mail.")
    style = "phases.css"
    width = "long-form"
    back = ("organize-phases", gettext_lazy("Back"))
    refused_at = "until"

    def post(self, request: HttpRequest, *_args: Any, **_found: Any) -> HttpResponse:
        if not request.POST.get("take_back"):
            return super().post(request)
        pk = posted_key(request, "take_back")
        given = get_object_or_404(self.phase.extensions, pk=pk)
        with refusals_in(request):
            take_back(given, self.request.user)
            messages.success(request, _("Taken back. The team is told by mail."))
        return self.done_response()

    def save(self, form: ExtensionForm) -> None:
        team, until = (form.cleaned_data[name] for name in ("team", "until"))
        extend(self.phase, team, until, self.request.user)

    def context(self, form: ExtensionForm) -> dict[str, Any]:
        rows = self.phase.extensions.select_related("participation__team")
        given = [(row, _is_promised(self.phase, row.participation)) for row in rows]
        return {"given": given, "reveal": reveal_of(self.phase)}
