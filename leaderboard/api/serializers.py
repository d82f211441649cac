"""Rows, tasks and submissions as JSON. Scores keep the precision they are shown at."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.request import Request
from rest_framework.reverse import reverse

from leaderboard.boards.serialize import description_json, score_json
from leaderboard.boards.snapshots import address_of
from leaderboard.boards.test_set_correlation import Across
from leaderboard.submissions.models import Submission
from leaderboard.submissions.status import Status
from leaderboard.tasks import facts, overview, policy
from leaderboard.tasks.models import Notice, Phase, Snapshot, Task, TestSet


def task_json(task: Task) -> dict[str, Any]:
    return {
        **overview.told(task),
        "draft": task.draft,
        "boards": task.boards,
        "fact_sheet": [one.as_table() for one in facts.asked(task)],
        "phases": [phase_json(phase) for phase in task.phases.all()],
    }


def phase_json(phase: Phase) -> dict[str, Any]:
    return {
        "name": phase.name,
        "title": phase.title,
        "opens": phase.opens,
        "closes": phase.closes,
        "state": phase.state(),
        "withheld": policy.disclosure(AnonymousUser(), phase).lines,
        "declared_at": phase.declared_at,
        "test_sets": [test_set.name for test_set in phase.test_sets.all()],
    }


def whole_phase_json(phase: Phase, request: Request) -> dict[str, Any]:
    """With what a program needs to check files at home; gold is no part of it."""
    return {
        **phase_json(phase),
        "task": phase.task.slug,
        "time_zone": phase.time_zone,
        "daily_limit": phase.daily_limit,
        "total_limit": phase.total_limit,
        "most_runs": phase.most_runs,
        "who": phase.who,
        "counts": phase.counts,
        "gold_revision": phase.gold_revision.number,
        "scoring": _scoring(phase.task, request),
        "files": files_json(phase, request),
    }


def _scoring(task: Task, request: Request) -> dict[str, Any]:
    """Options as the command line takes them; files as the addresses to fetch."""

    def option(value: Any) -> Any:
        if isinstance(value, str):
            return value
        place = reverse("api-option-file", [task.slug, value["file"]], request=request)
        return {**value, "address": place}

    return {
        "scorer": task.scorer_name,
        "headline": task.headline,
        "unit": task.unit or task.scorer.units[0],
        "options": {
            name: [option(value) for value in values]
            for name, values in task.declared_options.items()
        },
    }


def files_json(phase: Phase, request: Request) -> list[dict[str, Any]]:
    sees = policy.sees_blind_files(request.user, phase)
    return [
        {
            "name": one.name,
            "title": one.title,
            "blind": _blind(phase, one, request) if sees else None,
        }
        for one in phase.test_sets.all()
    ]


def _blind(phase: Phase, test_set: TestSet, request: Request) -> dict[str, str]:
    place = [phase.task.slug, phase.name, test_set.name]
    return {
        "name": test_set.public_name,
        "sha256": test_set.blind_sha256,
        "address": reverse("api-blind-file", place, request=request),
    }


def across_json(across: Across) -> dict[str, Any]:
    return {
        "submission": across.row.submission,
        "measure": across.row.sorted_by.measure.name,
        "correlations": across.exact,
        "cumulative_variance": [
            {"test_set": name, "value": value, "variance": variance}
            for name, value, variance in across.spread
        ],
    }


def submission_json(submission: Submission, status: Status) -> dict[str, Any]:
    return {
        "id": str(submission.pk),
        "task": submission.phase.task.slug,
        "phase": submission.phase.name,
        "team": submission.participation.team.name,
        "system": submission.system,
        "facts": facts.only(facts.asked(submission.phase.task), submission.facts),
        "description": _described(submission),
        "received_at": submission.received_at,
        "picked": submission.picked,
        "withdrawn_at": submission.withdrawn_at,
        "disqualified_at": submission.disqualified_at,
        "state": status.state,
        "complete": status.complete,
        "runs": submission.runs,
        "text": status.text,
        "problems": status.problems,
        "withheld": status.shown.lines,
        "scores": {s.measure.name: score_json(s) for s in status.scores},
        "test_sets": {
            t.name: {
                "scores": {s.measure.name: score_json(s) for s in t.scores},
                "signature": t.signature,
                "units": t.units,
                "remarks": t.remarks,
            }
            for t in status.test_sets
        },
    }


def _described(submission: Submission) -> dict[str, Any] | None:
    newest = next(iter(submission.descriptions.all()), None)
    return newest and description_json(newest)


def notice_json(notice: Notice) -> dict[str, Any]:
    return {
        "at": notice.at,
        "kind": notice.kind,
        "phase": notice.phase.name if notice.phase else None,
        "text": notice.text,
    }


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    """All but the rows."""
    return {
        "sha256": snapshot.sha256,
        "title": snapshot.title,
        "final": snapshot.final,
        "at": snapshot.at,
        "gold_revision": snapshot.gold_revision.number,
        "page": address_of(snapshot),
    }
