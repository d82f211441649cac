"""A board as plain values: what the API prints, and what a snapshot keeps."""

from typing import Any

from django.urls import reverse

from leaderboard.boards.board import Board
from leaderboard.boards.query import CustomBoard
from leaderboard.boards.rows import Row
from leaderboard.submissions.models import SystemDescription
from leaderboard.submissions.scores import Score
from leaderboard.tasks.models import Question
from scoring.measures import Measure


def score_json(score: Score) -> dict[str, float | None]:
    """Value and interval, as the engine printed them unless they were rounded."""
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
        "runs": row.runs,
        "baseline": row.baseline,
        "organizers": row.organizers,
        "complete": row.complete,
        "late_admitted": row.late_admitted,
        "after_end": row.after_end,
        "facts": dict(row.facts),
        "description": row.description and description_json(row.description),
        "scores": {
            name: score_json(score)
            for name, score in zip(names, row.scores, strict=True)
        },
    }


def description_json(description: SystemDescription) -> dict[str, Any]:
    return {
        "title": description.title,
        "link": description.link,
        "page": reverse("system", args=[description.submission_id]),
        "sha256": description.sha256,
    }


def board_json(board: Board) -> dict[str, Any]:
    phase = board.phase
    return {
        "task": phase.task.slug,
        "phase": phase.name,
        "gold_revision": board.gold_revision.number,
        "board": board.named.name if board.named else None,
        "boards": [_named(one) for one in board.boards],
        "measures": [_measure(measure) for measure in board.measures],
        "ranked_by": board.measure.name,
        "rule": board.rule,
        "level": board.level,
        "resolution": board.resolution,
        "unit": phase.task.unit or phase.task.scorer.units[0],
        "unit_note": board.unit_note,
        "publication": board.shown.publication,
        "test_set": board.test_set.name if board.test_set else None,
        "test_sets": [test_set.name for test_set in board.chosen_test_sets],
        "slice": str(board.slice) if board.slice else None,
        "slices": board.slices,
        "part": board.part,
        "parts": board.parts,
        "withheld": board.shown.lines,
        "fact_sheet": [_question(one) for one in board.questions],
        "filters": {f"fact.{one.key}": one.wanted for one in board.filters},
        "rows_in_all": board.in_all,
        "rows": [row_json(board, row) for row in board.rows],
    }


def _named(board: CustomBoard) -> dict[str, str]:
    return {"name": board.name, "title": board.title}


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "name": measure.name,
        "title": measure.title,
        "percent": measure.percent,
        "higher_is_better": measure.higher_is_better,
    }


def _question(question: Question) -> dict[str, Any]:
    return {
        "name": question.name,
        "title": question.title,
        "kind": question.kind,
        "choices": question.choices,
    }
