"""Notes and tags of a team on what it sent; nobody else is shown them."""

import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.submissions.keeping import MOST_TAGS, TeamNote
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Task

LONGEST = 30


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
            if len(word) > LONGEST:
                said = _("“%(word)s…” is longer than %(most)d characters.")
                told = {"word": word[:12], "most": LONGEST}
                raise ValidationError(said % told)
            if not all(c.isalnum() or c in "-_.+#:" for c in word):
                said = _("“%(word)s” holds a sign that a tag cannot have.")
                raise ValidationError(said % {"word": word})
        if len(words) > MOST_TAGS:
            said = _("These are %(n)d tags; a submission has %(most)d at most.")
            raise ValidationError(said % {"n": len(words), "most": MOST_TAGS})
        return words


def form_for(submission: Submission, data: Any = None) -> NoteForm:
    note = TeamNote.objects.filter(submission=submission).first()
    if note is None:
        return NoteForm(data)
    return NoteForm(data, initial={"text": note.text, "tags": ", ".join(note.words)})


def keep(submission: Submission, form: NoteForm) -> None:
    """Keep what was written; nothing at all removes the note."""
    text, tags = form.cleaned_data["text"], TeamNote.packed(form.cleaned_data["tags"])
    if not (text or tags):
        TeamNote.objects.filter(submission=submission).delete()
        return
    TeamNote.objects.update_or_create(
        submission=submission,
        defaults={"text": text, "tags": tags, "at": timezone.now()},
    )


def tags_of(task: Task, user: Any) -> list[str]:
    """Every tag that the reader's team uses in the task."""
    own = Submission.objects.by_person(user).filter(phase__task=task)
    notes = TeamNote.objects.filter(submission__in=own).exclude(tags="")
    return sorted({word for note in notes.only("tags") for word in note.words})
