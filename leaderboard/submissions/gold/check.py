"""Corrected gold: checked against what it replaces, and made a draft revision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import IO, cast

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.sandbox import client
from leaderboard.submissions.gold import rescore
from leaderboard.submissions.uploads import source_of
from leaderboard.tasks import blobs
from leaderboard.tasks.access import lock_phases, lock_task
from leaderboard.tasks.models import GoldFile, GoldRevision, Task, TestSet
from leaderboard.tasks.models.task import raw_options
from leaderboard.tasks.organizer_quota import require_room
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from scoring import Problem, Refused
from scoring.errors import SetupError
from scoring.messages import Messages
from scoring.sandbox.codec import Request, Values
from scoring.sandbox.fork import LimitExceeded
from scoring.source import Source

MESSAGES = Messages(
    same_gold=gettext_noop("this is, byte for byte, the gold that boards show now"),
    leave_empty=gettext_noop("Leave the field empty to take it over."),
)


class UnfitGold(SetupError):
    """Corrected gold that cannot be used: nothing was stored."""


@dataclass(frozen=True)
class Corrected:
    """Corrected gold that was checked since the gold `live`, and its rows, not saved
    yet."""

    task: Task
    live: GoldRevision
    rows: Sequence[GoldFile]
    by: User
    note: str
    public_note: str

    def propose(self) -> GoldRevision:
        """Make it a draft, and have everything scored under it. Raises Refusal where
        the gold is another by now, or one is being prepared."""
        task = self.task
        try:
            with transaction.atomic():
                lock_task(task.pk)
                lock_phases(task.pk)
                if task.gold_revisions.live() != self.live:
                    raise Refusal(
                        _(
                            "The gold was changed by somebody else meanwhile; look "
                            "again."
                        )
                    )
                last = task.gold_revisions.aggregate(last=Max("number"))["last"] or 0
                revision = GoldRevision.objects.create(
                    task=task,
                    number=last + 1,
                    note=self.note,
                    public_note=self.public_note,
                    created_by=self.by,
                    preparing=True,
                )
                for row in self.rows:
                    row.revision = revision
                GoldFile.objects.bulk_create(self.rows)
        except IntegrityError:
            raise rescore.another() from None
        rescore.catch_up(revision)
        return revision


def propose(
    task: Task,
    files: Mapping[TestSet, UploadedFile],
    by: User,
    note: str = "",
    public_note: str = "",
) -> GoldRevision:
    """Check corrected gold and make it a draft. Raises what both do."""
    return check_correction(task, files, by, note, public_note).propose()


def check_correction(
    task: Task,
    files: Mapping[TestSet, UploadedFile],
    by: User,
    note: str = "",
    public_note: str = "",
) -> Corrected:
    """Check corrected gold, which takes long, and keep its files.

    Test sets without a file take the live gold over. Raises UnfitGold with every
    problem, Refusal while another revision is being prepared, OverQuota, JobFailed
    when the check itself fails, QueueFull, blobs.NoRoom.
    """
    if task.gold_revisions.filter(preparing=True).exists():
        raise rescore.another()
    live = task.gold_revisions.live()
    if live is None:
        raise Refusal(_("This task has no gold yet."))
    require_room(task, sum(file.size or 0 for file in files.values()))
    rows = _corrected_files(task, files, live)
    for row in rows:
        row.sha256 = blobs.keep(cast(IO[bytes], files[row.test_set].file))
    for kept in live.files.exclude(test_set__in=files):
        kept.pk, kept.changes = None, {}
        rows.append(kept)
    return Corrected(task, live, rows, by, note, public_note)


def _corrected_files(
    task: Task, files: Mapping[TestSet, UploadedFile], live: GoldRevision
) -> list[GoldFile]:
    """Rows of the corrected files, not saved yet. Raises UnfitGold."""
    if not files:
        raise UnfitGold(Problem("no_file", _("there is no file to check")))
    old = {file.test_set_id: file for file in live.files.all()}
    problems: list[Problem] = []
    rows = []
    for test_set, file in files.items():
        new = source_of(file, test_set.name)
        try:
            comparison = _comparison(task, test_set, old[test_set.pk], new)
        except Refused as refusal:
            problems += refusal.problems
            continue
        changes = {
            "since": live.number,
            "count": comparison["changed"],
            "units": comparison["named"],
        }
        if task.scorer.runs_program:
            changes = {"since": live.number, "program": True}
        units = comparison["units"]
        row = GoldFile(test_set=test_set, name=new.name, units=units, changes=changes)
        rows.append(row)
    if problems:
        raise UnfitGold(problems)
    return rows


def _comparison(task: Task, test_set: TestSet, old: GoldFile, new: Source) -> Values:
    """How many `units` corrected gold has, `changed` ones, and those by name.

    Checked like a first one. The published blind file stays as it is and must still
    match. Every problem has its file, and line and column where they are known. Done
    by a sandbox server, like all reading of what was uploaded. Raises Refused,
    JobFailed.
    """
    # Another version of a plug-in may count otherwise: then nothing else is corrected.
    if new.sha256 == old.sha256 and not task.scorer.package:
        message = MESSAGES("same_gold")
        hint = MESSAGES("leave_empty")
        raise Refused(Problem("same_gold", message, new.name, hint=hint))
    values = {"unit": task.unit, "headline": task.headline}
    request = Request.scoring(task.scorer_name, raw_options(task.options), **values)
    blind = test_set.blind()
    request.add(blind, new)
    request.add(blind, old.source())
    try:
        answer, _files = client.run("gold.correction", request)
    except LimitExceeded as limit:
        problems = (replace(problem, file=new.name) for problem in limit.problems)
        raise Refused(problems) from None
    return answer
