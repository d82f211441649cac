"""From uploaded bytes to an accepted submission: check, store, accept, tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction

from leaderboard.submissions import jobs, quota
from leaderboard.submissions.checking import CannotCheck, find_problems
from leaderboard.submissions.models import (
    Evaluation,
    Event,
    State,
    Submission,
    SubmittedFile,
)
from leaderboard.submissions.quota import Kind
from leaderboard.submissions.receiving import file_name
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Participation, Phase, TestSet
from leaderboard.teams.models import User
from scoring import VERSION, Problem


class NotOpen(Exception):
    """The phase has not begun."""


class Unfit(Exception):
    """Files that cannot be scored: nothing was stored and no attempt is charged."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


@dataclass(frozen=True)
class Upload:
    """One request to submit. `key` makes repeating it harmless."""

    phase: Phase
    participation: Participation
    sender: User
    key: str
    system: str
    description: str
    arrived_at: datetime
    files: Mapping[TestSet, UploadedFile]
    baseline: bool = False

    @property
    def late(self) -> bool:
        """Decided by when the request began, not by how long its body took."""
        return self.phase.state(self.arrived_at) == "over"

    @property
    def kind(self) -> Kind:
        return Kind.LATE if self.late else Kind.SCORED

    @property
    def too_early(self) -> bool:
        """Organizers may send pilots before the phase opens, nobody else."""
        upcoming = self.phase.state(self.arrived_at) == "upcoming"
        return upcoming and not self.phase.task.is_organized_by(self.sender)

    @property
    def use(self) -> quota.Use:
        return quota.Use(self.phase, self.participation, self.sender, self.arrived_at)


def submit(upload: Upload) -> Submission:
    """Accept an upload, or return what its key was accepted as before.

    Raises NotOpen, Unfit (with every format problem), quota.QuotaUsed, or
    blobs.NoRoom when the disk is full.
    """
    if earlier := _earlier(upload):
        return earlier
    if upload.too_early:
        raise NotOpen
    _require_allowance(upload)
    _require_fit(upload)
    digests = {t: blobs.keep(file.file) for t, file in upload.files.items()}
    try:
        with transaction.atomic():
            return _accept(upload, digests)
    except IntegrityError:
        # The same key in a second tab: its transaction was first.
        if earlier := _earlier(upload):
            return earlier
        raise


def _earlier(upload: Upload) -> Submission | None:
    return Submission.objects.filter(
        phase=upload.phase, participation=upload.participation, key=upload.key
    ).first()


def _require_allowance(upload: Upload) -> None:
    """Spare everybody the reading of a file that cannot be accepted anyway.

    Only `quota.charge` decides; this look may be out of date.
    """
    if upload.baseline:
        return
    upload.use.require(upload.kind)
    upload.use.require(Kind.REFUSED)


def _require_fit(upload: Upload) -> None:
    try:
        problems = find_problems(upload.phase, upload.files)
    except CannotCheck:
        message = "checking the file failed on our side; the operators can see why"
        raise Unfit([Problem("check_failed", message)]) from None
    if not problems:
        return
    if not upload.baseline:
        quota.charge_refused(upload.use)
    raise Unfit(problems)


def _accept(upload: Upload, digests: Mapping[TestSet, str]) -> Submission:
    submission = Submission.objects.create(
        phase=upload.phase,
        participation=upload.participation,
        sender=upload.sender,
        key=upload.key,
        system=upload.system,
        description=upload.description,
        baseline=upload.baseline,
        late=upload.late,
        received_at=upload.arrived_at,
    )
    SubmittedFile.objects.bulk_create(
        SubmittedFile(
            submission=submission,
            test_set=test_set,
            name=file_name(file.name or test_set.name),
            sha256=digests[test_set],
            size=file.size,
        )
        for test_set, file in upload.files.items()
    )
    quota.charge(submission, upload.kind)
    if not submission.late:
        enqueue(submission)
    return submission


def enqueue(
    submission: Submission, why: str = "accepted", actor: User | None = None
) -> Evaluation:
    """Create the evaluation under the phase's gold; tell the queue after commit."""
    evaluation = Evaluation.objects.create(
        submission=submission,
        gold_revision=submission.phase.gold_revision,
        engine=VERSION,
    )
    Event.objects.create(evaluation=evaluation, new=State.QUEUED, why=why, actor=actor)
    tell_queue()
    return evaluation


def tell_queue() -> None:
    # Robust: what is committed is accepted, whatever becomes of the hint.
    transaction.on_commit(jobs.dispatch, robust=True)
