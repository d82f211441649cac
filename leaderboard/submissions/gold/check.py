"""Corrected gold: checked against what it replaces, and made a draft revision."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from leaderboard.sandbox import client
from leaderboard.sandbox.codec import Request
from leaderboard.sandbox.fork import LimitExceeded
from leaderboard.submissions.gold import rescore
from leaderboard.submissions.uploads import CHECK_QUEUE, source_of
from leaderboard.tasks import blobs
from leaderboard.tasks.access import lock_phases, lock_task
from leaderboard.tasks.models import GoldFile, GoldRevision, Task, TestSet
from leaderboard.tasks.models.task import raw_options
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from scoring import Problem, Refused
from scoring.errors import SetupError
from scoring.source import Source


@dataclass(frozen=True)
class Examined:
    """Corrected gold of one test set: how many units it has, and those it changes."""

    units: int
    changed: int
    named: list[str]


def examine(
    task: Task, test_set: TestSet, old: GoldFile, new: Source
) -> Examined | list[Problem]:
    """Check corrected gold like a first one, and compare it with what it replaces.

    The published blind file stays as it is and must still match. Every problem has
    its file, and line and column where they are known. Done by a sandbox server, like
    all reading of what was uploaded. Raises JobFailed.
    """
    if new.sha256 == old.sha256:
        message = "this is, byte for byte, the gold that boards show now"
        hint = "Leave the field empty to take it over."
        return [Problem("same_gold", message, new.name, hint=hint)]
    values = {"unit": task.unit, "headline": task.headline}
    request = Request.scoring(task.scorer_name, raw_options(task.options), **values)
    blind = test_set.blind()
    request.add(blind, new)
    request.add(blind, old.source())
    try:
        answer, _files = client.run("correction", request, slot=CHECK_QUEUE.slot())
    except LimitExceeded as limit:
        return [replace(problem, file=new.name) for problem in limit.problems]
    except Refused as refusal:
        return list(refusal.problems)
    return Examined(**answer)


class UnfitGold(SetupError):
    """Corrected gold that cannot be used: nothing was stored."""


@dataclass(frozen=True)
class Correction:
    """Corrected gold for some test sets, with what is said about it."""

    task: Task
    files: Mapping[TestSet, UploadedFile]
    by: User
    note: str = ""
    public_note: str = ""


def propose(correction: Correction) -> GoldRevision:
    """Make corrected gold a draft, and have everything scored under it.

    Test sets without a file take the live gold over. Raises UnfitGold with every
    problem, Refusal while another revision is being prepared, JobFailed when
    the check itself fails, blobs.NoRoom.
    """
    task = correction.task
    if task.gold_revisions.filter(preparing=True).exists():
        raise rescore.another()
    live = task.gold_revisions.live()
    if live is None:
        raise Refusal(_("This task has no gold yet."))
    examined = _examined(correction, live)
    digests = {t: blobs.keep(file.file) for t, file in correction.files.items()}
    try:
        with transaction.atomic():
            lock_task(task.pk)
            lock_phases(task.pk)
            if task.gold_revisions.live() != live:
                raise Refusal(
                    _("The gold was changed by somebody else meanwhile; look again.")
                )
            revision = _create_draft(correction)
            _create_files(revision, live, examined, digests)
    except IntegrityError:
        raise rescore.another() from None
    rescore.catch_up(revision)
    return revision


@dataclass(frozen=True)
class Fit:
    """A corrected file that passed, with the name it is kept under."""

    name: str
    found: Examined


def _examined(correction: Correction, live: GoldRevision) -> dict[TestSet, Fit]:
    old = {file.test_set_id: file for file in live.files.all()}
    problems: list[Problem] = []
    fit = {}
    if not correction.files:
        raise UnfitGold([Problem("no_file", _("there is no file to check"))])
    for test_set, file in correction.files.items():
        new = source_of(file, test_set.name)
        found = examine(correction.task, test_set, old[test_set.pk], new)
        if isinstance(found, Examined):
            fit[test_set] = Fit(new.name, found)
        else:
            problems += found
    if problems:
        raise UnfitGold(problems)
    return fit


def _create_draft(correction: Correction) -> GoldRevision:
    task = correction.task
    last = task.gold_revisions.aggregate(last=Max("number"))["last"] or 0
    return GoldRevision.objects.create(
        task=task,
        number=last + 1,
        note=correction.note,
        public_note=correction.public_note,
        created_by=correction.by,
        preparing=True,
    )


def _create_files(
    revision: GoldRevision,
    live: GoldRevision,
    examined: Mapping[TestSet, Fit],
    digests: Mapping[TestSet, str],
) -> None:
    corrected = [
        GoldFile(
            revision=revision,
            test_set=test_set,
            name=fit.name,
            sha256=digests[test_set],
            units=fit.found.units,
            changes={
                "since": live.number,
                "count": fit.found.changed,
                "units": fit.found.named,
            },
        )
        for test_set, fit in examined.items()
    ]
    kept = live.files.exclude(test_set__in=examined)
    taken_over = [
        GoldFile(
            revision=revision,
            test_set_id=file.test_set_id,
            name=file.name,
            sha256=file.sha256,
            units=file.units,
        )
        for file in kept
    ]
    GoldFile.objects.bulk_create(corrected + taken_over)
