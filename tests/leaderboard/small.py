"""A task small enough to work out by hand, and uploads for it."""

import pickle
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any
from uuid import uuid4

import pytest
import yaml
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from leaderboard.boards import board_rows
from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import QuotaCounter, QuotaKind, Submission
from leaderboard.tasks.models import (
    NamedBoard,
    OrderedPart,
    Participation,
    Phase,
    Question,
    Task,
)
from scoring.measures import Measure
from scoring.source import Source
from scoring.statistics import bootstrap

CANARY = "kanarienvogel"
Estimates = dict[str, Any]
# Two sentences of four words; the relation of "moss" is the canary.
HEADS = {"north": (2, 3, 0, 3, 2, 0, 2, 3), "south": (2, 0, 2, 3, 0, 1, 1, 3)}
RELATIONS = ("det", "nsubj", "root", "dobj", "nsubj", "root", "dobj", CANARY)
FORMS = ("the", "otter", "carries", "stones", "rain", "wakes", "the", "moss")


def conllu(heads: tuple[int, ...], relations: tuple[str, ...] = RELATIONS) -> str:
    """Two sentences of four words with these heads and relations."""
    lines = []
    for i, (form, head, relation) in enumerate(
        zip(FORMS, heads, relations, strict=True)
    ):
        if i % 4 == 0:
            lines.append(f"# sent_id = s{i // 4 + 1}")
        lines.append(f"{i % 4 + 1}\t{form}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_")
        if i % 4 == 3:
            lines.append("")
    return "\n".join(lines) + "\n"


def perfect(name: str = "north") -> bytes:
    return conllu(HEADS[name]).encode()


def one_wrong(name: str = "north") -> bytes:
    """The first word hangs elsewhere: 7 of 8 right."""
    return conllu((4, *HEADS[name][1:])).encode()


def manifest(**changes: Any) -> dict[str, Any]:
    now = timezone.now().astimezone(UTC)
    table: dict[str, Any] = {
        "plumbline": 1,
        "slug": "otters",
        "title": "Otter Parsing",
        "summary": "Small sentences about otters.",
        "description": "description.md",
        "draft": False,
        "scorer": {"name": "attachment", "measures": ["las", "uas"], "headline": "las"},
        "bootstrap": {"resamples": 200, "seed": 7, "level": 0.95},
        "test_sets": [
            {"name": "north", "title": "North", "gold": "gold/north.conllu"},
            {"name": "south", "title": "South", "gold": "gold/south.conllu"},
        ],
        "phases": [
            {
                "name": "test",
                "title": "Test",
                "opens": _stamp(now - timedelta(days=3)),
                "closes": _stamp(now + timedelta(days=3)),
            }
        ],
    }
    return table | changes


def _stamp(moment: datetime) -> str:
    return moment.isoformat()


def bundle(**changes: Any) -> Source:
    """The bundle of the task, with changed keys in its manifest."""
    files = {
        "task.yaml": yaml.safe_dump(manifest(**changes)).encode(),
        "description.md": b"# Otters\n\nParse *short* sentences.",
        "gold/north.conllu": perfect("north"),
        "gold/south.conllu": perfect("south"),
    }
    return Source("otters", files)


def remembered(estimate: Callable[..., Estimates]) -> Callable[..., Estimates]:
    """The function of the engine, asked once about the same counts and measures."""
    known: dict[tuple[Any, ...], Estimates] = {}

    def estimates(counts: Any, measures: Sequence[Measure], *rest: Any) -> Estimates:
        key = (pickle.dumps((counts, rest)), *measures)
        if key not in known:
            known[key] = estimate(counts, measures, *rest)
        return dict(known[key])

    return estimates


class Inline:
    """Whether uploads are read in this process: hundreds of tests send the same files.

    So the same counts are summarised once. Threads that race begin and end it in any
    order; the last puts back what was set.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._patch = pytest.MonkeyPatch()
        self._estimates = [
            (module, name, remembered(getattr(module, name)))
            for module, name in (
                (bootstrap, "estimates"),
                (evaluation, "mean_estimates"),
            )
        ]

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._patch.setattr(settings, "SANDBOX_INLINE", True)
                for module, name, function in self._estimates:
                    self._patch.setattr(module, name, function)
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._patch.undo()


inline = Inline()


def upload(
    phase: Phase, entry: Participation, files: Mapping[str, bytes], **fields: Any
) -> accept.Upload:
    """An upload as the form hands it over; `files` by name of test set.

    `more_runs`: of the second run of the system, of the third.
    """
    test_sets = {t.name: t for t in phase.test_sets.all()}
    values: dict[str, Any] = {
        "phase": phase,
        "participation": entry,
        "sender": entry.team.members.first(),
        "key": uuid4().hex,
        "system": "otter-1",
        "description": "",
        "arrived_at": timezone.now(),
    }
    first = {
        test_sets[name]: SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in files.items()
    }
    values["runs"] = [first, *fields.pop("more_runs", ())]
    return accept.Upload(**values | fields)


def attempts_left(
    phase: Phase, participation: Participation, moment: datetime
) -> int | None:
    """Attempts the team has left that day; None when the phase has no limit."""
    if phase.daily_limit is None:
        return None
    counter = QuotaCounter.objects.filter(
        phase=phase,
        kind=QuotaKind.SCORED,
        participation=participation,
        day=phase.day_of(moment),
    ).first()
    return max(0, phase.daily_limit - (counter.used if counter else 0))


def scored(
    phase: Phase, entry: Participation, files: Mapping[str, bytes], **fields: Any
) -> Submission:
    """A submission that went through intake and scoring."""
    with inline:
        return scored_anew(phase, entry, files, **fields)


def scored_anew(
    phase: Phase, entry: Participation, files: Mapping[str, bytes], **fields: Any
) -> Submission:
    """The same for tests of checking and scoring themselves."""
    sent = accept.submit(upload(phase, entry, files, **fields))
    for waiting in sent.evaluations.all():
        assert evaluation.run(waiting.pk)
    return sent


def both(data: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """Perfect files for both test sets, some replaced."""
    return {"north": perfect("north"), "south": perfect("south"), **(data or {})}


def set_boards(task: Task, boards: Sequence[Mapping[str, Any]]) -> None:
    """Let the task have these named boards and no other, past all forms."""
    _set_parts(NamedBoard, task, boards)


def set_questions(task: Task, questions: Sequence[Mapping[str, Any]]) -> None:
    """Let the fact sheet ask these questions and no other, past all forms."""
    _set_parts(Question, task, questions)


def _set_parts(
    model: type[OrderedPart], task: Task, parts: Sequence[Mapping[str, Any]]
) -> None:
    rows = model._base_manager
    rows.filter(task=task).delete()
    rows.bulk_create(
        model(task=task, position=position, **values)
        for position, values in enumerate(parts)
    )


def with_pages_of(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page of a board show so many rows; boards are computed for it anew."""
    monkeypatch.setattr(board_rows, "PER_PAGE", rows)
    Phase.objects.all().touch_boards()
