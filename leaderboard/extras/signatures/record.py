"""The record of rows: what became of each row of a public board, and why.

Each task has one, which only grows. A line is written when everybody may see it: the
policy is asked for a reader without an account, and the scores are those of the board
as this reader sees it, of the public part where that is so. A line names no
person, no team and no system, but the key of the submission.
"""

import json
import logging
import random
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from leaderboard.extension import policy, snapshots
from leaderboard.extension.access import lock_task
from leaderboard.extension.boards import BoardQuery, Row, board_entries
from leaderboard.extension.models import Phase, Snapshot, Submission, Task
from leaderboard.extension.upkeep import try_lock
from leaderboard.extras.signatures import keys
from leaderboard.extras.signatures.models import RecordedPhase, RecordEntry
from scoring import VERSION, merkle

log = logging.getLogger(__name__)
Values = dict[str, Any]
RUN_SECONDS = 1.0  # of one job, beyond the phase that it is at: others wait behind it
CLAIM = "records-of-rows"
ADDED, RESCORED, REMOVED, FROZEN = "added", "rescored", "removed", "frozen"
# What else than a task's settings makes other scores, as lines name it.
MADE_WITH = ("gold_revision", "engine", "part")


def _digest(data: Values) -> str:
    return sha256(snapshots.canonical(data)).hexdigest()


def update(task: Task) -> None:
    """Write what everybody has come to see of one task since."""
    now = timezone.now()
    for phase, disclosure, state in _phases_to_record(
        Phase.objects.filter(task=task), now
    ):
        _update_phase(phase, disclosure, state, now)


def update_due() -> int:
    """Write the same of all tasks, as many phases as there is time for, whichever of
    them chance puts first; one worker at a time. What fails is logged and tried again,
    and keeps no other phase waiting. Gives the number of phases that it tried."""
    with try_lock(CLAIM) as ours:
        return _update_some() if ours else 0


def _update_some() -> int:
    tried = 0
    now, until = timezone.now(), time.monotonic() + RUN_SECONDS
    changed = list(_phases_to_record(Phase.objects.all(), now))
    random.shuffle(changed)
    for phase, disclosure, state in changed:
        try:
            _update_phase(phase, disclosure, state, now)
        except Exception:  # of one phase: the others are recorded all the same
            log.exception("rows of phase %s cannot be recorded", phase.pk)
        tried += 1
        if time.monotonic() >= until:
            break
    return tried


def _phases_to_record(
    phases: QuerySet[Phase], now: datetime
) -> Iterator[tuple[Phase, policy.Disclosure, str]]:
    """Public phases whose rows may be others than recorded, as everybody sees them."""
    public = phases.filter(task__draft=False).select_related("task", "gold_revision")
    public = policy.with_neighbours(public).annotate(frozen=Max("snapshots__pk"))
    states = dict(RecordedPhase.objects.values_list("phase", "state"))
    for phase in public.order_by("pk"):
        disclosure = policy.disclosure(AnonymousUser(), phase, now)
        state = _state(phase, disclosure)
        if states.get(phase.pk) != state:
            yield phase, disclosure, state


def _state(phase: Any, disclosure: policy.Disclosure) -> str:
    """A hash of all that the rows of its public board depend on."""
    plain = astuple(replace(disclosure, lines=()))
    parts = (phase.board_version, phase.gold_revision_id, phase.frozen, VERSION, plain)
    return sha256(repr(parts).encode()).hexdigest()


def _update_phase(
    phase: Phase, disclosure: policy.Disclosure, state: str, now: datetime
) -> None:
    rows = _public_rows(phase, disclosure)
    # Before the task is locked: of ten thousand rows it takes a while.
    digests = {key: _digest(_scores(row)) for key, row in rows.items()}
    with transaction.atomic():
        lock_task(phase.task_id)
        record = RecordedLines.of(phase)
        standing = record.standing
        about = {
            "phase": phase.name,
            "gold_revision": phase.gold_revision.number,
            "engine": VERSION,
            "part": disclosure.parts[0] if disclosure.parts else None,
        }
        reasons = _reasons(phase, standing, rows, disclosure)
        new = [*_changes(standing, rows, digests, about, reasons)]
        new += _frozen(phase, record.frozen)
        _append(phase.task, record.size, [line | {"at": now} for line in new])
        RecordedPhase.objects.update_or_create(phase=phase, defaults={"state": state})


class RecordedRow(NamedTuple):
    """The newest line of a row. A digest stands for its scores: those of ten thousand
    rows take tens of megabytes."""

    digest: str
    made_with: tuple[object, ...]


@dataclass
class RecordedLines:
    """The lines of a task's record about one of its phases.

    `standing` are the rows that are left, by submission, and `frozen` the hashes of
    snapshots; `size` counts the lines of all phases.
    """

    size: int = 0
    standing: dict[str, RecordedRow] = field(default_factory=dict)
    frozen: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, phase: Phase) -> "RecordedLines":
        entries, lines = RecordEntry.objects.filter(task=phase.task_id), cls()
        for text in entries.values_list("text", flat=True).iterator():
            lines.size += 1
            line = json.loads(text)
            if line["phase"] == phase.name:
                lines._read(line)
        return lines

    def _read(self, line: Values) -> None:
        if line["kind"] in (ADDED, RESCORED):
            made_with = tuple(line[name] for name in MADE_WITH)
            row = RecordedRow(_digest(line["scores"]), made_with)
            self.standing[line["submission"]] = row
        elif line["kind"] == REMOVED:
            self.standing.pop(line["submission"], None)
        elif line["kind"] == FROZEN:
            self.frozen.add(line["sha256"])


def _public_rows(phase: Phase, disclosure: policy.Disclosure) -> dict[str, Row]:
    """Each row that everybody sees, by submission; without ranks, which no line tells
    and which take far longer."""
    if not disclosure.board:
        return {}
    entries = board_entries(
        BoardQuery(phase, everything=disclosure.everything), disclosure
    )
    return {row.submission: row for row in entries.shown}


def _scores(row: Row) -> Values:
    """The scores of a row, as the JSON of the board has them."""
    exact = {name: dict(score.exact) for name, score in row.by_measure.items()}
    scores: Values = snapshots.plain(exact)
    return scores


def _changes(
    standing: Mapping[str, RecordedRow],
    rows: Mapping[str, Row],
    digests: Mapping[str, str],
    about: Values,
    reasons: Mapping[str, str],
) -> Iterable[Values]:
    for key in sorted(rows):
        old = standing.get(key)
        if old is None:
            added = {"kind": ADDED, "submission": key, "scores": _scores(rows[key])}
            yield {**added, **about}
        elif old.digest != digests[key]:
            why = "; ".join(
                f"{name}: {before} before"
                for name, before in zip(MADE_WITH, old.made_with, strict=True)
                if before != about[name]
            )
            yield {
                "kind": RESCORED,
                "submission": key,
                "scores": _scores(rows[key]),
                "why": why or "measures or settings of the task",
                **about,
            }
    for key in sorted(set(standing) - set(rows)):
        yield {"kind": REMOVED, "submission": key, "why": reasons[key], **about}


def _reasons(
    phase: Phase,
    standing: Mapping[str, RecordedRow],
    rows: Mapping[str, Row],
    disclosure: policy.Disclosure,
) -> dict[str, str]:
    """Reasons why rows are gone, as far as everybody may know: not the organizers'
    words."""
    gone = set(standing) - set(rows)
    if not gone:
        return {}
    if not disclosure.board:
        return dict.fromkeys(gone, "the board is not shown")
    submissions = Submission.objects.filter(pk__in=gone).values_list(
        "pk", "withdrawn_at", "disqualified_at"
    )
    reasons = dict.fromkeys(gone, "it does not count on this board any more")
    if not disclosure.everything:
        reasons = dict.fromkeys(gone, "another entry of the team stands for it")
    for key, withdrawn, disqualified in submissions:
        if withdrawn:
            reasons[str(key)] = "withdrawn by the team"
        elif disqualified:
            reasons[str(key)] = "taken off by the organizers"
    return reasons


def _frozen(phase: Phase, recorded: Collection[str]) -> list[Values]:
    """Snapshots that the record does not know yet, the oldest first."""
    taken = Snapshot.objects.filter(phase=phase).order_by("at", "pk")
    return [
        {"kind": FROZEN, "phase": phase.name, "sha256": digest}
        for digest in taken.values_list("sha256", flat=True)
        if digest not in recorded
    ]


def _append(task: Task, size: int, lines: Sequence[Values]) -> None:
    texts = [
        snapshots.canonical(snapshots.plain({"number": number, **line})).decode()
        for number, line in enumerate(lines, start=size)
    ]
    RecordEntry.objects.bulk_create(
        RecordEntry(
            task=task,
            number=number,
            text=text,
            digest=merkle.leaf_hash(text.encode()).hex(),
        )
        for number, text in enumerate(texts, start=size)
    )


def text_of(task: Task) -> str:
    """The whole record, a line for each entry."""
    texts = RecordEntry.objects.filter(task=task).values_list("text", flat=True)
    return "".join(f"{text}\n" for text in texts)


def leaves_of(task: Task) -> list[bytes]:
    entries = RecordEntry.objects.filter(task=task)
    return [
        bytes.fromhex(digest) for digest in entries.values_list("digest", flat=True)
    ]


def head_of(task: Task, leaves: Sequence[bytes]) -> Values:
    """Size and root of the record, signed: what there was of it at some time."""
    return signed_head(task.slug, len(leaves), merkle.root_hash(leaves))


def signed_head(task: str, size: int, root: bytes) -> Values:
    head = {"record": task, "size": size, "root": root.hex()}
    return {**head, "signature": keys.sign(snapshots.canonical(head))}


def is_kept_of(task: Task) -> bool:
    """Whether a task has a record, though it may be empty yet; without a query."""
    return not task.draft
