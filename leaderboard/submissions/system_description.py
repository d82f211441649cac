"""System descriptions: what a team tells about its system after the end."""

from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet, UUIDField
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions.models import Submission, SystemDescription
from leaderboard.submissions.uploads import file_name
from leaderboard.tasks import blobs
from leaderboard.tasks.questions import LinkField
from leaderboard.teams.models import User, check_display_name
from leaderboard.teams.refusal import Refusal
from leaderboard.web.forms import UploadField
from leaderboard.web.known import knows_rows
from leaderboard.web.statements import statement

MOST_BYTES = 10 * 1024 * 1024
MOST_VERSIONS = 20  # of one submission: each may hold a file
LONGEST_TEXT = 20_000
PDF = b"%PDF-"


class DescriptionForm(forms.Form):
    """A title, and a link, a text or a PDF; what is sent anew replaces the old."""

    title = forms.CharField(
        max_length=200, label=_("Title"), validators=[check_display_name]
    )
    link = LinkField(
        required=False, label=_("Link"), help_text=_("To a paper, or to the code.")
    )
    text = forms.CharField(
        required=False,
        max_length=LONGEST_TEXT,
        label=_("Text"),
        help_text=_("Plain text."),
        widget=forms.Textarea(attrs={"rows": 10}),
    )
    file = UploadField(
        required=False,
        label=_("PDF"),
        help_text=_("Up to 10 MB."),
        widget=forms.FileInput(attrs={"accept": ".pdf,application/pdf"}),
    )

    def __init__(self, old: SystemDescription | None, *args: Any) -> None:
        super().__init__(*args)
        self.old = old
        if old is None:
            return
        self.initial = {"title": old.title, "link": old.link, "text": old.text}
        if old.sha256:
            kept = gettext("Now: {name}. It stays unless you send another.")
            self.fields["file"].help_text = kept.format(name=old.file_name)
            self.fields["drop_file"] = forms.BooleanField(
                required=False, label=_("Take the PDF away")
            )

    def clean_file(self) -> UploadedFile | None:
        file: UploadedFile | None = self.cleaned_data.get("file")
        if file is None:
            return None
        if (file.size or 0) > MOST_BYTES:
            raise ValidationError(_("This file is larger than 10 MB."))
        if file.read(len(PDF)) != PDF:
            raise ValidationError(_("This is not a PDF: it does not begin as one."))
        file.seek(0)
        return file

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        told = cleaned.get("link") or cleaned.get("text") or cleaned.get("file")
        if not self.errors and not told and not self.keeps_file:
            self.add_error(None, _("Give a link, a text or a PDF."))
        return cleaned

    @property
    def keeps_file(self) -> bool:
        """The file of before stays."""
        old = self.old is not None and bool(self.old.sha256)
        return old and not self.cleaned_data.get("drop_file")


def newest(submission: Submission) -> SystemDescription | None:
    if knows_rows(submission, "descriptions"):
        return submission.descriptions.first()
    return next(iter(_newest(submission=submission.pk)), None)


@statement(submission=UUIDField())
def _newest(submission: UUID) -> QuerySet[SystemDescription]:
    return SystemDescription.objects.filter(submission=submission)[:1]


def describe(
    submission: Submission, form: DescriptionForm, by: User
) -> SystemDescription:
    """Add a version from a valid form. Raises Refusal, blobs.NoRoom."""
    if submission.descriptions.count() >= MOST_VERSIONS:
        raise Refusal
    given = form.cleaned_data
    name = digest = ""
    if given["file"]:
        name = file_name(given["file"].name or "description.pdf")
        digest = blobs.keep(given["file"].file)
    elif form.old is not None and form.keeps_file:
        name, digest = form.old.file_name, form.old.sha256
    return SystemDescription.objects.create(
        submission=submission,
        title=given["title"],
        link=given["link"],
        text=given["text"],
        file_name=name,
        sha256=digest,
        by=by,
    )
