"""Submissions that another site verified: taken, shown, and taken back.

The policy is asked before a file is read, and again whenever a mark is shown: whether
scores are the same as elsewhere tells them, so that only those learn it who may have
the submission's own receipts, and nobody before.
"""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.extras.signatures import foreign_receipts
from leaderboard.extras.signatures.models import ForeignReceipt, KnownKey
from leaderboard.results.status import SubmissionStatus
from leaderboard.results.views import scored_evaluation_or_404
from leaderboard.submissions.access import submission_or_404
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.submissions.uploads import source_of
from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure, Power
from leaderboard.web.access import Access, access
from leaderboard.web.forms import form_page, form_response, posted, posted_key
from scoring.errors import Refused

ROUTE = "verified-elsewhere"


def marks(
    phase: Phase, shown: Disclosure, submission: Submission | None = None
) -> dict[str, list[tuple[str, str]]]:
    """The site and a sentence for each receipt that counts, by submission; nothing
    where exact scores are withheld from the reader. One query."""
    if not shown.receipts:
        return {}
    rows = _counting(Q(submission__phase=phase))
    if submission is not None:
        rows = rows.filter(submission=submission)
    found: dict[str, list[tuple[str, str]]] = {}
    for row in rows.select_related("site", "submission__participation"):
        hidden = row.submission.participation.anonymous and not shown.names
        # What the site there says of the system may name its team.
        where = row.page if row.page and not hidden else row.site.address
        words = {"site": row.site.name, "page": where}
        sentence = _("Verified at %(site)s: the same files, gold and scores. %(page)s")
        told = row.site.name, sentence % words
        found.setdefault(str(row.submission_id), []).append(told)
    return found


def receipts_of(phase: Any) -> QuerySet[ForeignReceipt]:
    """Receipts for submissions to the phase of that key."""
    return ForeignReceipt.objects.filter(submission__phase=phase)


def _counting(where: Q) -> QuerySet[ForeignReceipt]:
    """Receipts of keys that were not withdrawn, for the scores that are shown now."""
    newer = Evaluation.objects.filter(
        submission=OuterRef("submission"),
        gold_revision=OuterRef("evaluation__gold_revision"),
        state=EvaluationState.SCORED,
        pk__gt=OuterRef("evaluation"),
    )
    return ForeignReceipt.objects.filter(
        where,
        ~Exists(newer),
        key__withdrawn_at=None,
        evaluation__gold_revision=F("submission__phase__gold_revision"),
    )


class ReceiptsForm(forms.Form):
    """The signed receipts of a submission, as another site gave them out."""

    receipts = forms.FileField(
        label=gettext_lazy("Signed receipts"),
        help_text=gettext_lazy(
            "The zip that “Signed receipts” gives on the other site. The file is not "
            "kept."
        ),
    )

    def __init__(
        self, *args: Any, too_large: Sequence[str] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.too_large = too_large
        self.problems: Sequence[Any] = ()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "receipts" in self.too_large:
            self.errors.pop("receipts", None)
            self.add_error("receipts", _("This file is larger than the limit."))
        return cleaned

    def take(self, evaluation: Evaluation, by: Any) -> ForeignReceipt | None:
        """Keep what another site verified; None, with `problems`, where it did not.

        Raises QueueFull.
        """
        source = source_of(self.cleaned_data["receipts"], "receipts.zip")
        try:
            found = foreign_receipts.read(source)
        except Refused as refusal:
            self.problems = refusal.problems
            return None
        self.problems = foreign_receipts.differences(evaluation, found)
        if self.problems:
            return None
        about = {"evaluation": evaluation, "key": found.key, "by": by}
        about |= {"sha256": found.sha256, "page": found.page, "at": timezone.now()}
        kept, _made = ForeignReceipt.objects.update_or_create(
            about, submission=evaluation.submission, site=found.key.site
        )
        return kept


def may_add(user: Any, submission: Submission) -> bool:
    """Whether a reader may bring receipts: its team, and who may edit the task."""
    entry = submission.participation
    speaks = policy.speaks_for(user, entry, submission.baseline)
    return speaks or policy.can(user, entry.task, Power.EDIT)


def is_offered(user: Any, status: SubmissionStatus) -> bool:
    """Whether the page of a submission leads here: only where a site is known."""
    scored = status.state == EvaluationState.SCORED
    if not (scored and policy.disclosure(user, status.submission.phase).receipts):
        return False
    known = KnownKey.objects.filter(withdrawn_at=None).exists()
    return known and may_add(user, status.submission)


def _brought_to(user: Any, pk: Any) -> dict[str, Any]:
    submission = submission_or_404(user, pk)
    if not may_add(user, submission):
        raise Http404
    return {"submission": submission}


BRINGING = Access("its team, and who may edit the task", _brought_to).signed_in


@form_page
@access(BRINGING)
def verified(request: HttpRequest, submission: Submission) -> HttpResponse:
    """The receipts of other sites for a submission, and a form for another."""
    evaluation = scored_evaluation_or_404(request.user, submission)
    if "remove" in request.POST:
        return _removed(request, submission)
    data, files = posted(request)
    too_large = getattr(request, "too_large", ())
    form = ReceiptsForm(data, files, too_large=too_large)
    if form.is_valid() and (kept := form.take(evaluation, request.user)):
        said = _("This submission is shown as verified at %(site)s.")
        messages.success(request, said % {"site": kept.site.name})
        return redirect(ROUTE, submission.pk)
    rows = ForeignReceipt.objects.filter(submission=submission)
    counting = set(_counting(Q(submission=submission)).values_list("pk", flat=True))
    context = {
        "task": submission.phase.task,
        "submission": submission,
        "form": form,
        "known": KnownKey.objects.filter(withdrawn_at=None).exists(),
        "rows": [
            (row, row.pk in counting, _may_remove(request.user, row))
            for row in rows.select_related("site", "key", "submission__phase__task")
        ],
    }
    return form_response(request, "signatures/verified.html", context)


def _may_remove(user: Any, row: ForeignReceipt) -> bool:
    """Whether it is the reader's to take back: who brought it, and who may edit."""
    return row.by_id == user.pk or policy.can(
        user, row.submission.phase.task, Power.EDIT
    )


def _removed(request: HttpRequest, submission: Submission) -> HttpResponse:
    rows = ForeignReceipt.objects.filter(submission=submission)
    row = get_object_or_404(rows, pk=posted_key(request, "remove"))
    if not _may_remove(request.user, row):
        raise Http404
    row.delete()
    messages.success(request, _("It was taken back."))
    return redirect(ROUTE, submission.pk)
