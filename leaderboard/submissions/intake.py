"""From uploaded bytes to an accepted submission: check, store, accept, hint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction

from leaderboard.submissions import quota
from leaderboard.submissions.jobs import hint
from leaderboard.submissions.models import (
    Evaluation,
    Event,
    State,
    Submission,
    SubmittedFile,
)
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Participation, Phase, TestSet
from leaderboard.teams.models import User
from scoring import VERSION, Problem, check
from scoring.source import Source


class NotOpen(Exception):
    """The phase has not begun."""


class Unfit(Exception):
    """Files that cannot be scored: nothing was stored and nothing is charged."""

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


def submit(upload: Upload) -> Submission:
    """Accept an upload, or return what its key was accepted as before.

    Raises NotOpen, Unfit (with every format problem) or quota.QuotaUsed.
    """
    if earlier := _earlier(upload):
        return earlier
    if upload.phase.state(upload.arrived_at) == "upcoming":
        raise NotOpen
    if problems := find_problems(upload.phase, upload.files):
        raise Unfit(problems)
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


def find_problems(phase: Phase, files: Mapping[TestSet, UploadedFile]) -> list[Problem]:
    """Check each file with the scorer's own reader against the blind file.

    Gold is not opened.
    """
    if not files:
        return [Problem("no_file", "there is no file to score")]
    scorer, options = phase.task.scorer, phase.task.parsed_options
    problems: list[Problem] = []
    for test_set, file in files.items():
        system = Source.of_bytes(file.name or test_set.name, _bytes(file))
        problems.extend(check(scorer, test_set.blind(), system, options))
    return problems


def _bytes(file: UploadedFile) -> bytes:
    file.seek(0)
    data: bytes = file.read()
    file.seek(0)
    return data


def _accept(upload: Upload, digests: Mapping[TestSet, str]) -> Submission:
    submission = Submission.objects.create(
        phase=upload.phase,
        participation=upload.participation,
        sender=upload.sender,
        key=upload.key,
        system=upload.system,
        description=upload.description,
        baseline=upload.baseline,
        late=upload.phase.state(upload.arrived_at) == "over",
        received_at=upload.arrived_at,
    )
    SubmittedFile.objects.bulk_create(
        SubmittedFile(
            submission=submission,
            test_set=test_set,
            name=file.name,
            sha256=digests[test_set],
            size=file.size,
        )
        for test_set, file in upload.files.items()
    )
    if not submission.late:
        quota.charge(submission)
        enqueue(submission)
    return submission


def enqueue(submission: Submission) -> Evaluation:
    """Create the evaluation under the phase's gold; tell the queue after commit."""
    evaluation = Evaluation.objects.create(
        submission=submission,
        gold_revision=submission.phase.gold_revision,
        engine=VERSION,
    )
    Event.objects.create(evaluation=evaluation, new=State.QUEUED, why="accepted")
    transaction.on_commit(partial(hint, evaluation.pk))
    return evaluation
