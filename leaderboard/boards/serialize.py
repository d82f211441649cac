"""A board as plain values: what the API prints, and what a snapshot keeps."""

from typing import Any

from leaderboard.boards.board import Board
from leaderboard.boards.query import CustomBoard
from leaderboard.boards.rows import row_json
from leaderboard.tasks.models import Question
from scoring.measures import Measure


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
        "rows": [row_json(row) for row in board.rows],
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
