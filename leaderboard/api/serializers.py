"""Rows, tasks and submissions as JSON. Scores keep full precision."""

from typing import Any

from leaderboard.boards.across import Across
from leaderboard.boards.rows import Board, Row
from leaderboard.submissions.models import Submission
from leaderboard.submissions.status import Score, Status
from leaderboard.tasks.models import Phase, Task


def task_json(task: Task) -> dict[str, Any]:
    return {
        "slug": task.slug,
        "title": task.title,
        "summary": task.summary,
        "synthetic": task.synthetic,
        "scorer": task.scorer_name,
        "headline": task.headline,
        "measures": [measure.name for measure in task.measures],
        "phases": [phase_json(phase) for phase in task.phases.all()],
    }


def phase_json(phase: Phase) -> dict[str, Any]:
    return {
        "name": phase.name,
        "title": phase.title,
        "opens": phase.opens,
        "closes": phase.closes,
        "state": phase.state(),
        "test_sets": [test_set.name for test_set in phase.test_sets.all()],
    }


def score_json(score: Score) -> dict[str, float | None]:
    """Value and 95 % interval as the engine printed them."""
    return score.exact


def row_json(board: Board, row: Row) -> dict[str, Any]:
    names = [measure.name for measure in board.measures]
    return {
        "rank": row.rank,
        "rank_range": [row.standing.low, row.standing.high],
        "cluster": row.standing.cluster,
        "in_words": row.in_words,
        "team": row.team,
        "system": row.system,
        "submission": row.submission,
        "received_at": row.received_at,
        "entries": row.entries,
        "baseline": row.baseline,
        "complete": row.complete,
        "scores": {
            name: score_json(score)
            for name, score in zip(names, row.scores, strict=True)
        },
    }


def board_json(board: Board) -> dict[str, Any]:
    return {
        "task": board.phase.task.slug,
        "phase": board.phase.name,
        "gold_revision": board.phase.gold_revision.number,
        "ranked_by": board.measure.name,
        "rule": board.rule,
        "test_set": board.test_set.name if board.test_set else None,
        "slice": str(board.slice) if board.slice else None,
        "slices": board.slices,
        "rows": [row_json(board, row) for row in board.rows],
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
        "received_at": submission.received_at,
        "state": status.state,
        "complete": status.complete,
        "problems": status.problems,
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
