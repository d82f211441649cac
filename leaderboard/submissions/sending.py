"""One try to submit, from a request to what came of it: for the page and the API."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict

from leaderboard.submissions import eligibility
from leaderboard.submissions.forms import UploadForm
from leaderboard.submissions.intake import OUR_FAULT, Unfit, Upload, submit
from leaderboard.submissions.models import Submission
from leaderboard.submissions.quota import Allowance, QuotaUsed, Use
from leaderboard.submissions.receiving import arrived_at
from leaderboard.submissions.refusals import Refusal
from leaderboard.tasks.models import Participation, Phase
from scoring import Problem


@dataclass
class Attempt:
    """The form and its outcome: `sent`, or `problems`, or `refusal`, or form errors.

    Nothing of these is set while nothing was tried.
    """

    request: HttpRequest
    phase: Phase
    entry: Participation
    form: UploadForm
    sent: Submission | None = None
    refusal: Refusal | None = None
    problems: list[Problem] = field(default_factory=list)

    @property
    def status(self) -> int:
        """Of HTTP, before anything was sent 200."""
        if self.form.too_large:
            return 413
        if self.refusal is not None:
            return self.refusal.status
        if self.problems or self.form.errors:
            return 422
        return 200 if self.sent is None else 201

    @property
    def arrived_at(self) -> datetime:
        return arrived_at(self.request)

    @property
    def state(self) -> str:
        """Of the phase, when the request began."""
        return self.phase.state(self.arrived_at)

    @property
    def check_failed(self) -> bool:
        """Whether the check broke, which says nothing about the file."""
        return OUR_FAULT in self.problems

    @property
    def allowance(self) -> Allowance:
        return self._use.allowance()

    def why_not(self) -> Refusal | None:
        """What would keep this person from submitting, whatever the file."""
        return self.refusal or eligibility.why_not(
            self.phase, self.entry, self.request.user, self.arrived_at
        )

    def quota_used(self) -> QuotaUsed | None:
        """What it would be refused for although this person may submit."""
        try:
            self._use.require_another()
        except QuotaUsed as used:
            return used
        return None

    def upload(self) -> Upload:
        """What the valid form asks for."""
        return Upload(
            phase=self.phase,
            participation=self.entry,
            sender=self.request.user,
            key=self.form.cleaned_data["key"],
            system=self.form.cleaned_data["system"],
            description=self.form.cleaned_data["description"],
            arrived_at=self.arrived_at,
            facts=self.form.facts(),
            files=self.form.files_by_test_set(),
            archive=self.form.archive(),
            more_runs=self.form.more_runs(),
        )

    @property
    def _use(self) -> Use:
        return Use(self.phase, self.entry, self.request.user, self.arrived_at)


def look(request: HttpRequest, phase: Phase, entry: Participation) -> Attempt:
    """The empty form, nothing tried."""
    return Attempt(request, phase, entry, UploadForm(phase))


def attempt(
    request: HttpRequest,
    phase: Phase,
    entry: Participation,
    fields: "MultiValueDict[str, Any]",
    *,
    asks: bool = False,
) -> Attempt:
    """Try to submit what the request holds.

    `fields` are the texts of the form, its files are those of the request. `asks`:
    files that the team sent before are sent once more only where `again` is ticked.
    """
    too_large = getattr(request, "too_large", ())
    form = UploadForm(phase, fields, request.FILES, too_large=too_large)
    tried = Attempt(request, phase, entry, form)
    if form.is_valid():
        try:
            again = not asks or form.cleaned_data["again"]
            tried.sent = submit(replace(tried.upload(), again=again))
        except Unfit as unfit:
            tried.problems.extend(unfit.problems)
        except Refusal as refusal:
            tried.refusal = refusal
    return tried
