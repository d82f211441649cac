"""What an archive holds beside the boards: rules, log, receipts, bundle, files."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import PurePath
from typing import Any

from django.contrib.auth.models import AnonymousUser

from leaderboard.boards import snapshots
from leaderboard.boards.board import board
from leaderboard.boards.query import BoardQuery
from leaderboard.submissions.models import Evaluation, Submission, SubmittedFile
from leaderboard.submissions.receipts import receipt_of
from leaderboard.tasks import blobs, overview, policy
from leaderboard.tasks.current import plan_of
from leaderboard.tasks.exporting import bundle_of_plan
from leaderboard.tasks.log import notices_of
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.plans import TaskPlan, TestSetPlan
from scoring.report import csv_text
from scoring.source import Source

Member = tuple[str, bytes]
WITHHELD = b"withheld"


def as_json(values: Any) -> bytes:
    plain = snapshots.plain(values)
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False, indent=1)
    return f"{text}\n".encode()


def task_values(task: Task, at: datetime) -> dict[str, Any]:
    return {
        "format": 1,
        "at": at,
        **overview.told(task),
        "resamples": task.resamples,
        "seed": task.seed,
        "level": task.level,
        "phases": [phase_values(phase) for phase in task.phases.all()],
    }


def phase_values(phase: Phase) -> dict[str, Any]:
    return {
        "name": phase.name,
        "title": phase.title,
        "opens": phase.opens,
        "closes": phase.closes,
        "policy": phase.policy,
        "publication": phase.publication,
        "counts": phase.counts,
        "freeze_from": phase.freeze_from,
        "reveal_at": phase.reveal_at,
        "declared_at": phase.declared_at,
        "withheld": policy.disclosure(AnonymousUser(), phase).lines,
    }


def log_values(task: Task) -> list[dict[str, Any]]:
    return [
        {
            "at": notice.at,
            "kind": notice.kind,
            "phase": notice.phase.name if notice.phase else None,
            "text": notice.text,
        }
        for notice in notices_of(task)
    ]


def receipts(phase: Phase, now: datetime) -> Iterator[Member]:
    """Of every row that all may see exactly: none before the reveal.

    They hold the measures that boards show, no others of other teams.
    """
    shown = policy.disclosure(AnonymousUser(), phase, now)
    if not (policy.revealed(phase, now) and shown.receipts):
        return
    found = board(phase, BoardQuery(everything=True), shown)
    names = {measure.name for measure in found.measures}
    for one in found.boards:
        names |= {measure.name for measure in one.measures}
    for row in found.rows:
        yield from _receipts(row.evaluation.pk, names)


def _receipts(pk: int, names: set[str]) -> Iterator[Member]:
    rows = Evaluation.objects.select_related("submission__phase__task", "gold_revision")
    evaluation = rows.get(pk=pk)
    sent = evaluation.submission
    files = sent.files.select_related("test_set")
    for file in files.order_by("test_set__position", "run"):
        made = receipt_of(evaluation, file.test_set, file.run)
        name = _of_run(file)
        ending = PurePath(file.name).suffix
        receipt = replace(
            made,
            # What the team called its file is nobody's business.
            system={**made.system, "file": f"{name}{ending}"},
            measures={k: v for k, v in made.measures.items() if k in names},
        )
        path = f"receipts/{sent.pk}/{name}.json"
        yield path, receipt.as_json().encode()


def bundle(task: Task, now: datetime, gold: bool) -> Iterator[Member]:
    """The task as a bundle; without gold also without what is still to come."""
    plan = plan_of(task)
    files = bundle_of_plan(plan if gold else _public(task, plan, now)).files
    for name in sorted(files):
        if gold or not name.startswith("gold/"):
            yield f"bundle/{name}", files[name]


def _public(task: Task, plan: TaskPlan, now: datetime) -> TaskPlan:
    """Neither gold nor the names of its files nor how units were split."""
    begun = {phase.name for phase in task.phases.all() if phase.opens <= now}
    phases = tuple(
        replace(phase, salt="") for phase in plan.phases if phase.name in begun
    )
    shown = {name for phase in phases for name in phase.test_sets}
    test_sets = tuple(
        replace(one, gold=_withheld(one)) for one in plan.test_sets if one.name in shown
    )
    return replace(plan, phases=phases, test_sets=test_sets, mail_domains=())


def _withheld(plan: TestSetPlan) -> Source:
    """A name for the manifest; the file itself is left out."""
    ending = PurePath(plan.blind.name).suffix
    name = f"gold{ending}" if ending not in ("", ".zip") else "gold"
    return Source.of_bytes(name, WITHHELD)


def submissions(task: Task) -> Iterator[Member]:
    """Files of all that counts, for organizers: with a list of who sent what."""
    sent = Submission.objects.filter(phase__task=task).counted()
    files = SubmittedFile.objects.filter(submission__in=sent)
    named = files.select_related(
        "submission__participation__team", "submission__phase", "test_set"
    )
    rows = [("file", "phase", "team", "system", "received_at", "sha256")]
    for file in named.order_by(
        "submission__received_at", "submission", "test_set", "run"
    ):
        path = f"submissions/{file.submission_id}/{_file_name(file)}"
        one = file.submission
        rows.append(
            (
                path,
                one.phase.name,
                one.participation.team.name,
                one.system,
                one.received_at.isoformat(),
                file.sha256,
            )
        )
        yield path, blobs.read(file.sha256)
    yield "submissions/list.csv", f"\ufeff{csv_text(rows)}".encode()


def _file_name(file: SubmittedFile) -> str:
    ending = PurePath(file.name).suffix
    safe = ending if ending[1:].isalnum() else ""
    return f"{_of_run(file)}{safe}"


def _of_run(file: SubmittedFile) -> str:
    """The name of its test set, with the run where that is not the first."""
    name = file.test_set.name
    return f"{name}.{file.run}" if file.run > 1 else name
