"""Submissions: check the files, store them, accept, tell the queue."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from leaderboard.sandbox.fork import JobFailed
from leaderboard.sandbox.queue import QueueFull
from leaderboard.submissions import eligibility, jobs, quota
from leaderboard.submissions.format_check import find_problems, unpack
from leaderboard.submissions.forms import UploadForm
from leaderboard.submissions.models import Submission, SubmittedFile
from leaderboard.submissions.quota import Allowance, Kind, QuotaUsage, QuotaUsed
from leaderboard.submissions.uploads import arrived_at, file_name
from leaderboard.tasks import blobs
from leaderboard.tasks.facts import Fact
from leaderboard.tasks.lock import lock_phases
from leaderboard.tasks.models import Participation, Phase, TestSet
from leaderboard.tasks.organizers import has_organizers
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from scoring import Problem, Refused

OUR_FAULT = Problem(
    "check_failed", "checking the file failed on our side; the operators can see why"
)


class Unfit(Exception):
    """Files that cannot be scored: nothing was stored and no attempt is charged."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


class KeyReused(Refusal):
    """The key is that of a submission, and what came with it now is another."""

    code = "key_reused"
    status = 422


class SameFiles(Refusal):
    """The team sent the very same files in this phase before; nothing was charged."""

    code = "same_files"
    status = 422


class ChangedMeanwhile(Refusal):
    """What was checked is no longer what the phase asks for."""

    code = "changed_meanwhile"
    status = 409


class TooBusy(Refusal):
    """Too many files wait to be checked. The form can be sent again with its key."""

    code = "busy"
    status = 503
    retry_seconds = 30


@dataclass(frozen=True)
class Upload:
    """One request to submit. `key` makes repeating it harmless.

    `again`: the same files as before are meant to be sent once more.
    """

    phase: Phase
    participation: Participation
    sender: User
    key: str
    system: str
    description: str
    arrived_at: datetime
    files: Mapping[TestSet, UploadedFile]
    baseline: bool = False
    again: bool = True
    facts: Mapping[str, Fact] = field(default_factory=dict)
    # Instead of `files`: one zip with a file per test set
    archive: UploadedFile | None = None
    # Files of the second run of the system, of the third, ...; `files` are the first's.
    more_runs: Sequence[Mapping[TestSet, UploadedFile]] = ()

    @property
    def runs(self) -> Sequence[Mapping[TestSet, UploadedFile]]:
        return [self.files, *self.more_runs]

    @property
    def late(self) -> bool:
        return self.use.kind == Kind.LATE

    @property
    def use(self) -> quota.QuotaUsage:
        return quota.QuotaUsage(
            self.phase, self.participation, self.sender, self.arrived_at
        )


def submit(upload: Upload) -> Submission:
    """Accept an upload, or return what its key was accepted as before.

    Raises a Refusal (not open, paused, not for this team, quota.QuotaUsed, KeyReused),
    Unfit (with every format problem), or blobs.NoRoom when the disk is full.
    """
    if earlier := _earlier(upload):
        return earlier
    try:
        return _submit(upload)
    except (IntegrityError, Refusal):
        # The same key in a second tab: it was first, and used what this one lacks.
        if earlier := _earlier(upload):
            return earlier
        raise


def _submit(upload: Upload) -> Submission:
    _require_eligible(upload)
    _require_allowance(upload)
    upload = _unpacked(upload)
    _require_fit(upload)
    if not upload.again:
        _require_new(upload)
    digests = [
        {t: blobs.keep(file.file) for t, file in files.items()} for files in upload.runs
    ]
    with transaction.atomic():
        return _accept(_renewed(upload), digests)


def _earlier(upload: Upload) -> Submission | None:
    """What the key was accepted as; raises KeyReused when that was another upload."""
    sent = Submission.objects.filter(
        phase=upload.phase, participation=upload.participation, key=upload.key
    ).first()
    if sent is not None and _differs(upload, sent):
        said = _(
            "this form was sent before: “%(system)s” arrived and is kept. What you "
            "sent now is something else; send it once more to submit it too"
        )
        raise KeyReused(said % {"system": sent.system})
    return sent


def _differs(upload: Upload, sent: Submission) -> bool:
    """Whether names, description or bytes are others than those of the submission.

    Answers of the fact sheet are not compared: they may be corrected later.
    """
    if (upload.system, upload.description) != (sent.system, sent.description):
        return True
    try:
        first = _unpacked_files(upload)
    except JobFailed:
        return False  # whoever repeats a request is owed its answer
    except Refused:
        return True
    kept = _hashes(sent)
    wanted = _wanted([first, *upload.more_runs])
    if upload.baseline:  # which is sent for a phase as the phase was then
        wanted = {place: digest for place, digest in wanted.items() if place in kept}
    return wanted != kept


def _hashes(sent: Submission) -> dict[tuple[int, int], str]:
    """Of its files, by test set and run."""
    rows = sent.files.values_list("test_set", "run", "sha256")
    return {(test_set, run): digest for test_set, run, digest in rows}


def _wanted(
    runs: Sequence[Mapping[TestSet, UploadedFile]],
) -> dict[tuple[int, int], str]:
    return {
        (test_set.pk, run): _digest(file)
        for run, files in enumerate(runs, 1)
        for test_set, file in files.items()
    }


def _require_new(upload: Upload) -> None:
    """Raises SameFiles where every byte came before from this team, in this phase.

    It would score the same and use an attempt. What was taken back does not count.
    """
    wanted = _wanted(upload.runs)
    sent = Submission.objects.filter(
        phase=upload.phase,
        participation=upload.participation,
        withdrawn_at=None,
        files__sha256__in=wanted.values(),
    )
    for one in sent.distinct().order_by("-received_at"):
        if _hashes(one) == wanted:
            said = _(
                "your team sent exactly these files before, as “%(system)s”: they "
                "would score the same and use an attempt. Nothing was sent now"
            )
            raise SameFiles(said % {"system": one.system})


def _digest(file: UploadedFile) -> str:
    file.seek(0)
    found = hashlib.sha256()
    for chunk in file.chunks():
        found.update(chunk)
    return found.hexdigest()


def _require_eligible(upload: Upload) -> None:
    """What organizers send as a baseline asks nobody."""
    if not upload.baseline:
        eligibility.require(
            upload.phase, upload.participation, upload.sender, upload.arrived_at
        )


def _renewed(upload: Upload) -> Upload:
    """The upload under the rules of now: reading the file may have taken a while.

    Raises Refusal when they came to forbid it; the end of the phase, its limits and
    its gold are those of this moment too, and stay so until it is accepted.
    """
    phases = Phase.objects.select_related("task", "gold_revision")
    # Held, so that no merger moves the team's submissions in between.
    entries = Participation.objects.select_related("team").select_for_update(
        of=("self",), no_key=True
    )
    entry = entries.get(pk=upload.participation.pk)
    lock_phases(upload.phase.task_id)
    phase = get_object_or_404(phases, pk=upload.phase.pk)
    blind = dict(phase.test_sets.values_list("pk", "blind_sha256"))
    if any(blind.get(one.pk) != one.blind_sha256 for one in upload.files):
        raise ChangedMeanwhile(
            _(
                "the organizers changed the test sets while your files were read; "
                "nothing was charged. Load the page again"
            )
        )
    if len(upload.runs) > max(phase.most_runs, 1):
        raise ChangedMeanwhile(
            _(
                "the organizers changed how many runs an entry may have while your "
                "files were read; nothing was charged. Load the page again"
            )
        )
    renewed = replace(upload, phase=phase, participation=entry)
    _require_eligible(renewed)
    return renewed


def _require_allowance(upload: Upload) -> None:
    """Spare everybody the reading of a file that cannot be accepted anyway.

    Only `quota.charge` decides; this look may be out of date.
    """
    if upload.baseline:
        return
    upload.use.require_another()


def _unpacked(upload: Upload) -> Upload:
    """The upload with the files of its zip, if it is one."""
    try:
        files = _unpacked_files(upload)
    except QueueFull:
        raise _too_busy() from None
    except JobFailed:
        raise Unfit([OUR_FAULT]) from None
    except Refused as refusal:
        raise _unfit(upload, refusal.problems) from None
    return replace(upload, files=files, archive=None)


def _unpacked_files(upload: Upload) -> Mapping[TestSet, UploadedFile]:
    """Raises Refused, JobFailed."""
    if upload.archive is None:
        return upload.files
    return unpack(upload.phase, upload.archive)


def _require_fit(upload: Upload) -> None:
    problems: list[Problem] = []
    several = len(upload.runs) > 1
    try:
        for run, files in enumerate(upload.runs, 1):
            problems += find_problems(upload.phase, files, run if several else 0)
    except QueueFull:
        raise _too_busy() from None
    except JobFailed:
        raise Unfit([OUR_FAULT]) from None
    if problems:
        raise _unfit(upload, problems)


def _too_busy() -> TooBusy:
    return TooBusy(
        _(
            "too many files wait to be checked. Nothing was stored and no attempt was "
            "used: send it again in half a minute"
        )
    )


def _unfit(upload: Upload, problems: Sequence[Problem]) -> Unfit:
    """The refusal, counted."""
    if not upload.baseline:
        quota.charge_refused(upload.use)
    return Unfit(problems)


def _accept(upload: Upload, digests: Sequence[Mapping[TestSet, str]]) -> Submission:
    submission = Submission.objects.create(
        phase=upload.phase,
        participation=upload.participation,
        sender=upload.sender,
        key=upload.key,
        system=upload.system,
        description=upload.description,
        facts=dict(upload.facts),
        baseline=upload.baseline,
        by_organizers=not upload.baseline and has_organizers(upload.participation),
        late=upload.late,
        runs=len(upload.runs),
        received_at=upload.arrived_at,
    )
    SubmittedFile.objects.bulk_create(
        SubmittedFile(
            submission=submission,
            test_set=test_set,
            run=run,
            name=file_name(file.name or test_set.name),
            sha256=digests[run - 1][test_set],
            size=file.size,
        )
        for run, files in enumerate(upload.runs, 1)
        for test_set, file in files.items()
    )
    quota.charge(submission, upload.use.kind)
    if not submission.late:
        jobs.enqueue(submission)
    return submission


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
    def _use(self) -> QuotaUsage:
        return QuotaUsage(self.phase, self.entry, self.request.user, self.arrived_at)


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
