"""Judgements: what organizers count elsewhere, what waits for it, and taking it in.

One table holds values of one submission or of many. It is checked whole in the sandbox
and kept in pieces, one for each submitted file; then everything it is about is scored.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from io import BytesIO
from itertools import chain
from posixpath import splitext
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.extension import blobs, sandbox
from leaderboard.extension.access import lock_phase
from leaderboard.extension.blobs import require_room
from leaderboard.extension.exports import add_to_zip
from leaderboard.extension.forms import Refusal
from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    GoldFile,
    Phase,
    StoredCounts,
    Submission,
    SubmittedFile,
    Task,
    TestSet,
    User,
)
from leaderboard.extension.submissions import (
    create_evaluations,
    gold_of,
    hint_after_commit,
    lacking,
)
from leaderboard.extras.judgements import human_sample, tables
from leaderboard.extras.judgements.models import JudgementTable
from scoring import Counts
from scoring.elsewhere import ID, RUN, SUBMISSION, TEST_SET, Units
from scoring.report import csv_text
from scoring.sandbox.codec import Request
from scoring.scorers.table import MEASURE, MISSING
from scoring.source import Source
from scoring.vocabulary import columns_of, limits_of

MOST_LINES = 200_000  # of the table to fill in: larger ones are made by programs
LONGEST_NAME = 200


def in_pieces(members: Iterable[tuple[str, str | bytes]]) -> Iterator[bytes]:
    """A zip as it comes to be, a member at a time: whoever sends it holds one of them,
    and others are served between two."""
    pieces = _Pieces()
    with ZipFile(pieces, "w", ZIP_DEFLATED) as archive:
        for name, data in members:
            add_to_zip(archive, name, data)
            yield pieces.take()
    yield pieces.take()


class _Pieces(BytesIO):
    """A file that cannot go back, of what is written and not yet taken."""

    def tell(self) -> int:
        raise OSError("what came before is gone")

    def take(self) -> bytes:
        written = self.getvalue()
        self.seek(0)
        self.truncate()
        return written


def columns(task: Task) -> tuple[str, ...]:
    """The columns that an uploaded table must have, beside `id`."""
    return columns_of(human_sample.measures_of_judgements(task))


def is_taken_by(task: Task) -> bool:
    """Whether the task declares measures of judgements."""
    return task.takes_judgements


def is_awaited_in(task: Task) -> bool:
    """Whether submissions of the task wait for judgements."""
    work = Evaluation.objects.filter(submission__phase__task=task)
    return work.filter(state=EvaluationState.AWAITING).exists()


def lines(task: Task) -> Sequence[str]:
    """The measures of judgements, as they are declared."""
    if task.scorer.counted_elsewhere:
        declared: Sequence[str] = task.parsed_options[MEASURE]
        return declared
    return list(task.judgements)


@dataclass(frozen=True)
class JudgedSubmission:
    """A submission with its files, and the tables that count for them."""

    submission: Submission
    files: Sequence[SubmittedFile]
    tables: Sequence[JudgementTable]

    @property
    def waiting(self) -> bool:
        """Whether a file of it has no table."""
        return len(self.tables) < len(self.files)

    @property
    def state(self) -> str:
        return "waiting" if self.waiting else "judged"

    @property
    def judged_at(self) -> Any:
        return max((table.at for table in self.tables), default=None)

    @property
    def judged(self) -> dict[str, int]:
        """How many units have a value, by column, over all files."""
        sums: dict[str, int] = {}
        for table in self.tables:
            for name, number in table.judged.items():
                sums[name] = sums.get(name, 0) + number
        return sums

    @property
    def agreement(self) -> dict[str, float]:
        """Krippendorff's alpha by column, the mean over files that have one."""
        alphas: dict[str, list[float]] = {}
        for table in self.tables:
            for name, alpha in table.agreement.items():
                if alpha is not None:
                    alphas.setdefault(name, []).append(alpha)
        return {name: sum(values) / len(values) for name, values in alphas.items()}


def to_judge(phase: Phase) -> QuerySet[Submission]:
    """Submissions that may be judged: those that may stand on a board and, where a
    scorer counts too, are scored."""
    submissions = Submission.objects.filter(phase=phase).counted()
    if not phase.task.scorer.counted_elsewhere:
        scored = Evaluation.objects.filter(
            submission=OuterRef("pk"),
            gold_revision=phase.gold_revision_id,
            state=EvaluationState.SCORED,
        )
        submissions = submissions.filter(Exists(scored))
    related = submissions.select_related("participation__team", "phase__task")
    return related.order_by("received_at", "pk")


def judged_submissions(phase: Phase) -> list[JudgedSubmission]:
    """The submissions that may be judged, in order of receipt. Three queries."""
    submissions = list(to_judge(phase).prefetch_related("files__test_set"))
    current = tables.current(submission.pk for submission in submissions)
    return [
        JudgedSubmission(
            submission,
            list(submission.files.all()),
            list(current.get(submission.pk, {}).values()),
        )
        for submission in submissions
    ]


def waiting_in(phase: Phase) -> int:
    return sum(judged.waiting for judged in judged_submissions(phase))


def units_of(phase: Phase, test_set: TestSet) -> Units | None:
    """The units to be judged; None where nothing says yet which there are."""
    if phase.task.scorer.counted_elsewhere:
        gold = GoldFile.objects.filter(
            revision=phase.gold_revision_id, test_set=test_set
        ).first()
        return gold_of(phase.task, gold) if gold else None
    stored = StoredCounts.objects.filter(
        test_set=test_set,
        evaluation__gold_revision=phase.gold_revision_id,
        evaluation__submission__phase=phase,
    ).first()
    if stored is None:
        return None
    counts = Counts.load(bytes(stored.data))
    return Units(counts.units, counts.groups)


# The files to judge


class FileToJudge(NamedTuple):
    """A file with what the zip says of it: thousands of them are read at once."""

    submission: UUID
    test_set: TestSet
    run: int
    name: str
    sha256: str
    team: str
    system: str
    received_at: datetime
    judged: bool

    @property
    def member(self) -> str:
        """The file's path in the zip: not under a name that somebody else chose."""
        run = f"-run{self.run}" if self.run > 1 else ""
        ending = splitext(self.name)[1]
        ending = ending if ending[1:].isascii() and ending[1:].isalnum() else ""
        return f"files/{self.submission}/{self.test_set.name}{run}{ending}"


def pack_files(phase: Phase, *, everything: bool = False) -> Iterator[bytes]:
    """A zip of the files that wait, or of all, with a manifest, the units, and a table
    to fill in. Rows are read before the first piece, files one by one."""
    files = _files_of(phase)
    waiting = {file.submission for file in files if not file.judged}
    chosen = [file for file in files if everything or file.submission in waiting]
    manifest = [
        (
            *(file.submission, file.test_set.name, file.run, file.member, file.sha256),
            *(file.team, file.system, file.received_at.isoformat()),
            "waiting" if file.submission in waiting else "judged",
        )
        for file in chosen
    ]
    texts = {"manifest.csv": csv_text([MANIFEST, *manifest])}
    units = {}
    for test_set in phase.test_sets.all():
        if (of_set := units_of(phase, test_set)) is not None:
            units[test_set] = of_set
            groups = [of_set.groups[name] for name in of_set.groups]
            lines = zip(of_set.names, *groups, strict=True)
            texts[f"units/{test_set.name}.csv"] = _csv((ID, *of_set.groups), lines)
    if human_sample.corrected_columns(phase.task):
        texts["sample.csv"] = sample_csv(phase)
    of_units = [file for file in chosen if file.test_set in units]
    if sum(len(units[file.test_set].names) for file in of_units) <= MOST_LINES:
        header = (SUBMISSION, TEST_SET, RUN, ID, *columns(phase.task))
        empty = [""] * len(columns(phase.task))
        rows = (
            (file.submission, file.test_set.name, file.run, name, *empty)
            for file in of_units
            for name in units[file.test_set].names
        )
        texts["table.csv"] = _csv(header, rows)
    return in_pieces(
        chain(
            texts.items(), ((file.member, blobs.read(file.sha256)) for file in chosen)
        )
    )


def _files_of(phase: Phase) -> list[FileToJudge]:
    """The files of what may be judged, in order of receipt. Two queries."""
    tables = JudgementTable.objects.filter(
        submission=OuterRef("submission"),
        test_set=OuterRef("test_set"),
        run=OuterRef("run"),
        replaced_at=None,
    )
    files = SubmittedFile.objects.filter(submission__in=to_judge(phase))
    rows: Iterable[Any] = files.order_by(
        "submission__received_at", "submission", "pk"
    ).values_list(
        "submission",
        "test_set",
        "run",
        "name",
        "sha256",
        "submission__participation__team__name",
        "submission__system",
        "submission__received_at",
        Exists(tables),
    )
    test_sets = {test_set.pk: test_set for test_set in phase.task.test_sets.all()}
    return [FileToJudge(pk, test_sets[of], *rest) for pk, of, *rest in rows]


def sample_csv(phase: Phase) -> str:
    """The units of each test set in the order in which people judge them."""
    rows: list[Sequence[Any]] = []
    for test_set in phase.test_sets.all():
        if (units := units_of(phase, test_set)) is not None:
            order = human_sample.in_drawn_order(phase, test_set, units.names)
            rows += [(test_set.name, i, unit) for i, unit in enumerate(order, start=1)]
    return _csv((TEST_SET, "place", ID), rows)


MANIFEST = (
    SUBMISSION,
    TEST_SET,
    RUN,
    "file",
    "sha256",
    "team",
    "system",
    "received_at",
    "state",
)


def _csv(header: Sequence[str], rows: Any) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


# What comes back


@dataclass(frozen=True)
class Taken:
    """The submissions that have judgements since a table was accepted."""

    submissions: Sequence[UUID]
    tables: int
    # Judged, but other files of theirs are not.
    partly: int = 0


def take(*checked: Any, **more: Any) -> Taken:
    """Check a table of judgements, keep it, and have everything it is about scored.
    Takes and raises what `ready` does."""
    return ready(*checked, **more)()


def ready(
    phase: Phase,
    by: User,
    table: Source,
    submission: Submission | None = None,
    about: Mapping[str, Any] = MappingProxyType({}),
    before: Mapping[UUID, Mapping[tables.Place, JudgementTable]] | None = None,
) -> Callable[[], Taken]:
    """Check a table of judgements, which takes long; what is called then takes it in,
    and has everything it is about scored.

    `submission` is the one it is about, where it does not say so itself; `about` is
    what receipts say of who judged, and `before` are tables of which values stand in
    this one: no others may count meanwhile. Raises
    Refused with all that is wrong with it, Refusal where nothing can be judged,
    OverQuota, JobFailed and QueueFull of the sandbox, blobs.NoRoom.
    """
    chosen = [
        judged
        for judged in judged_submissions(phase)
        if submission is None or judged.submission.pk == submission.pk
    ]
    if not chosen:
        raise Refusal(_("There is no submission to judge."), code="nothing_to_judge")
    parts, own_tables = _check_table(phase, table, chosen)
    require_room(phase.task, sum(map(len, own_tables)))
    whole = sha256(table.single()).hexdigest()
    files = [
        (row, blobs.keep(ContentFile(own)), len(own))
        for row, own in zip(parts, own_tables, strict=True)
    ]
    return partial(_taken, phase, by, files, whole, about, before)


def _taken(
    phase: Phase,
    by: User,
    files: Sequence[Any],
    whole: str,
    about: Mapping[str, Any],
    before: Mapping[UUID, Mapping[tables.Place, JudgementTable]] | None,
) -> Taken:
    with transaction.atomic():
        phase = lock_phase(phase)
        still = {submission.pk: submission for submission in to_judge(phase)}
        if gone := {UUID(row[0]) for row, _sha, _size in files} - still.keys():
            message = _(
                "%(n)d of the submissions left meanwhile; fetch the list again."
            )
            raise Refusal(message % {"n": len(gone)}, code="changed_meanwhile")
        now = tables.current(before or ())
        if any(now.get(pk, {}) != own for pk, own in (before or {}).items()):
            message = _("Other judgements came meanwhile; send these again.")
            raise Refusal(message, code="changed_meanwhile")
        touched = _store_tables(phase, by, files, whole, about, still)
        partly = _score(phase, touched, by)
    hint_after_commit()
    return Taken(sorted(touched), len(files), partly)


def _check_table(
    phase: Phase, table: Source, chosen: Sequence[JudgedSubmission]
) -> tuple[Sequence[Sequence[Any]], Sequence[bytes]]:
    task = phase.task
    units = {}
    for test_set in phase.test_sets.all():
        if (own := units_of(phase, test_set)) is not None:
            names = human_sample.in_drawn_order(phase, test_set, own.names)
            units[test_set.name] = json.dumps(names).encode()
    alone = task.scorer.counted_elsewhere
    values = {
        "name": table.name,
        "columns": list(columns(task)),
        "limits": [
            (name, *limits)
            for name, limits in limits_of(
                human_sample.measures_of_judgements(task)
            ).items()
        ],
        "corrected": human_sample.corrected_columns(task),
        "complete": alone and task.parsed_options[MISSING] == "refuse",
        "test_sets": list(units),
        "parts": [
            [str(judged.submission.pk), file.test_set.name, file.run]
            for judged in chosen
            for file in judged.files
            if file.test_set.name in units
        ],
    }
    request = Request(values, [table.single(), *units.values()])
    answer, own_tables = sandbox.run("judgements", request)
    return answer["parts"], own_tables


def _store_tables(
    phase: Phase,
    by: User,
    files: Sequence[tuple[Sequence[Any], str, int]],
    whole: str,
    about: Mapping[str, Any],
    submissions: Mapping[UUID, Submission],
) -> set[UUID]:
    """Rows for the tables, in place of those that counted before."""
    test_sets = {test_set.name: test_set for test_set in phase.test_sets.all()}
    now = timezone.now()
    new_tables = [
        JudgementTable(
            submission=submissions[UUID(pk)],
            test_set=test_sets[name],
            run=int(run),
            name=f"{name}-judgements.csv"[:LONGEST_NAME],
            sha256=digest,
            size=size,
            upload_hash=whole,
            judged=judged,
            agreement=agreement,
            about=dict(about),
            at=now,
            by=by,
        )
        for (pk, name, run, judged, agreement), digest, size in files
    ]
    touched = {table.submission_id for table in new_tables}
    before = tables.current(touched)
    replaced = [
        old.pk
        for new in new_tables
        if (old := before.get(new.submission_id, {}).get((new.test_set_id, new.run)))
    ]
    JudgementTable.objects.filter(pk__in=replaced).update(replaced_at=now)
    JudgementTable.objects.bulk_create(new_tables)
    return touched


def _score(phase: Phase, touched: set[UUID], by: User) -> int:
    """Score submissions with the tables that count now, under every revision that they
    stand under; how many still wait for tables of other files."""
    alone = phase.task.scorer.counted_elsewhere
    waits = lacking(touched) if alone else set()
    ready = [pk for pk in touched if pk not in waits]
    newest: dict[tuple[UUID, int], Evaluation] = {}
    under = Evaluation.objects.filter(
        submission__in=ready, gold_revision__discarded_at=None
    ).exclude(state=EvaluationState.CANCELLED)
    for evaluation in under.defer("results", "problems").order_by(
        "table_version", "pk"
    ):
        newest[evaluation.submission_id, evaluation.gold_revision_id] = evaluation
    waited = [e for e in newest.values() if e.state == EvaluationState.AWAITING]
    tables.attach(waited, ready)
    Evaluation.objects.filter(pk__in=[e.pk for e in waited]).advance(
        EvaluationState.AWAITING,
        EvaluationState.QUEUED,
        "judgements came",
        actor=by,
        not_before=Now(),
        published_at=None,
    )
    again = [
        evaluation.again()
        for evaluation in newest.values()
        if evaluation.state != EvaluationState.AWAITING
    ]
    if again:
        create_evaluations(again, "other judgements came", by)
    return len(touched) - len(ready)
