"""Actions of a team on what it sent: notes, the choice that counts, withdrawals."""

import unicodedata
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.submissions.models import MOST_TAGS, Submission, TeamNote
from leaderboard.tasks.access import lock_phases
from leaderboard.tasks.models import Phase
from leaderboard.teams.refusal import Refusal

LONGEST_TAG = 30


class NoteForm(forms.Form):
    text = forms.CharField(
        max_length=2000,
        required=False,
        label=gettext_lazy("Note"),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    tags = forms.CharField(
        max_length=400,
        required=False,
        label=gettext_lazy("Tags"),
        help_text=gettext_lazy("Words with a space or comma between: small, no-crf"),
    )

    def clean_tags(self) -> set[str]:
        """Letters, digits and a few signs, in small letters, each tag once."""
        given = unicodedata.normalize("NFC", self.cleaned_data["tags"]).casefold()
        words = set(given.replace(",", " ").split())
        for word in sorted(words):
            if len(word) > LONGEST_TAG:
                message = _("“%(word)s…” is longer than %(most)d characters.")
                values = {"word": word[:12], "most": LONGEST_TAG}
                raise ValidationError(message % values)
            if not all(c.isalnum() or c in "-_.+#:" for c in word):
                message = _("“%(word)s” holds a sign that a tag cannot have.")
                raise ValidationError(message % {"word": word})
        if len(words) > MOST_TAGS:
            message = _("These are %(n)d tags; a submission has %(most)d at most.")
            raise ValidationError(message % {"n": len(words), "most": MOST_TAGS})
        return words


def note_form(submission: Submission, data: Any = None) -> NoteForm:
    note = TeamNote.objects.filter(submission=submission).first()
    if note is None:
        return NoteForm(data)
    return NoteForm(data, initial={"text": note.text, "tags": ", ".join(note.words)})


def save_note(submission: Submission, form: NoteForm) -> None:
    """Keep what was written; nothing at all removes the note."""
    text, tags = form.cleaned_data["text"], TeamNote.packed(form.cleaned_data["tags"])
    if not (text or tags):
        TeamNote.objects.filter(submission=submission).delete()
        return
    TeamNote.objects.update_or_create(
        submission=submission,
        defaults={"text": text, "tags": tags, "at": timezone.now()},
    )


def why_not_pick(submission: Submission, moment: datetime) -> str:
    """The reason why its team cannot choose it (any more); empty if it can."""
    phase = submission.phase
    if phase.counts != Phase.CountingRule.CHOSEN:
        return _("In this phase nothing is chosen: the rule says which one counts.")
    if phase.state(moment, submission.participation) != "open":
        return _("A choice is made while the phase is open.")
    if submission.late or submission.baseline:
        return _("It does not stand on the board.")
    if submission.withdrawn_at or submission.disqualified_at:
        return _("It is off the board.")
    return ""


def pick(submission: Submission) -> None:
    """Let it count in place of any other of the team. Raises Refusal."""
    with transaction.atomic():
        fresh = _locked_to_pick(submission)
        chosen = Submission.objects.filter(
            phase=fresh.phase, participation=fresh.participation, picked=True
        )
        chosen.exclude(pk=fresh.pk).update(picked=False)
        _set_picked(fresh, picked=True)


def unpick(submission: Submission) -> None:
    """Choose nothing: the last one counts again. Raises Refusal."""
    with transaction.atomic():
        _set_picked(_locked_to_pick(submission), picked=False)


def _locked_to_pick(submission: Submission) -> Submission:
    """The submission as it is now, while nobody else of the team chooses.

    Held by the phases, which every choice takes.
    """
    lock_phases(submission.phase.task_id)
    fresh = Submission.objects.select_related("phase").get(pk=submission.pk)
    if why := why_not_pick(fresh, timezone.now()):
        raise Refusal(why)
    return fresh


def _set_picked(submission: Submission, picked: bool) -> None:
    other = Submission.objects.filter(pk=submission.pk, picked=not picked)
    if other.update(picked=picked):
        Phase.objects.filter(pk=submission.phase_id).touch_boards()


def why_not_withdraw(submission: Submission, moment: datetime) -> str:
    """The reason why its team cannot withdraw it (any more); empty if it can.

    Not after the end: who then knows the scores could withdraw the last one, and so
    choose which one counts.
    """
    if submission.withdrawn_at:
        return _("It was withdrawn already.")
    if submission.late or submission.baseline:
        return _("It does not stand on the board.")
    if submission.phase.state(moment, submission.participation) == "over":
        return _("The phase is over; ask the organizers.")
    return ""


def withdraw(submission: Submission) -> None:
    """Take it off the board; what it cost stays spent. Raises Refusal.

    It stays listed for its team, with its scores, and it is scored if it waits.
    """
    with transaction.atomic():
        lock_phases(submission.phase.task_id)
        fresh = Submission.objects.select_related("phase").get(pk=submission.pk)
        if why := why_not_withdraw(fresh, timezone.now()):
            raise Refusal(why)
        standing = Submission.objects.filter(pk=fresh.pk, withdrawn_at=None)
        standing.update(withdrawn_at=Now(), picked=False)
        Phase.objects.filter(pk=fresh.phase_id).touch_boards()
