"""Pages and files of several measures in one rank, and of score against cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.extension.access import PHASE, access
from leaderboard.extension.boards import (
    Board,
    board_for,
    chosen,
    query_or_404,
    reader_of,
)
from leaderboard.extension.exports import attachment
from leaderboard.extension.models import AnyQuestion, Phase
from leaderboard.extras.criteria.bundle import rows
from leaderboard.extras.criteria.combined_rank import CombinedRank, combined_rank
from leaderboard.extras.criteria.cost import CostFront, front_of
from leaderboard.extras.criteria.models import Combination
from scoring.report import csv_text

Values = dict[str, Any]
# Columns of files; the first has those of measures and ways behind them.
SYSTEM = ("system", "team", "submission")
COMBINED = ("rank", "rank_low", "rank_high", *SYSTEM, "value", "low", "high")
FRONT = (*SYSTEM, "cost", "score", "low", "high", "on_front", "probability")


@dataclass(frozen=True)
class AskedCombination:
    """A declared combination, `?combination=`, by default the first, of a board."""

    board: Board
    declared: Sequence[Combination]
    combination: Combination
    combined: CombinedRank

    @classmethod
    def of(cls, request: HttpRequest, phase: Phase) -> "AskedCombination":
        """Raises Http404."""
        declared = list(rows(phase.task))
        if not declared:
            raise Http404
        name = request.GET.get("combination", "")
        combination = chosen(declared, name, declared[0])
        query = query_or_404(request, phase)
        # Ranks are those of the whole board, whatever of it was looked at before.
        query = replace(
            query, facts=(), search="", everything=False, measure="", board=""
        )
        ranking = board_for(reader_of(request), query)
        combined = combined_rank(ranking, combination)
        return cls(ranking, declared, combination, combined)

    @property
    def columns(self) -> list[str]:
        """The names of the columns of a file."""
        measures = [f"scores.{measure.name}" for measure in self.combined.measures]
        ways = [f"other_ranks.{way}" for way in self.combined.other_ways]
        return [*COMBINED, *measures, *ways]

    def lines(self) -> list[Values]:
        """The systems as plain values, the best first."""
        combined = self.combined
        names = [measure.name for measure in combined.measures]
        return [
            {
                "rank": row.standing.rank,
                "rank_low": row.standing.low,
                "rank_high": row.standing.high,
                "system": row.row.system,
                "team": row.row.team,
                "submission": str(row.row.submission),
                "value": row.number,
                "low": _finite_or_none(row.low),
                "high": _finite_or_none(row.high),
                "scores": dict(zip(names, row.measured, strict=True)),
                "other_ranks": dict(zip(combined.other_ways, row.others, strict=True)),
            }
            for row in combined.rows
        ]


@dataclass(frozen=True)
class AskedFront:
    """The systems that a board shows against a number of their sheet, `?cost=`."""

    board: Board
    costs: Sequence[AnyQuestion]
    cost: AnyQuestion
    front: CostFront

    @classmethod
    def of(cls, request: HttpRequest, phase: Phase) -> "AskedFront":
        """Raises Http404."""
        questions = [q for q in phase.public_questions() if q.kind == "number"]
        if not questions:
            raise Http404
        cost = chosen(questions, request.GET.get("cost", ""), questions[0])
        query = replace(query_or_404(request, phase), everything=False)
        ranking = board_for(reader_of(request), query)
        return cls(ranking, questions, cost, front_of(ranking, cost))

    def lines(self) -> list[Values]:
        """The systems as plain values, the cheapest first."""
        return [
            {
                "system": line.row.system,
                "team": line.row.team,
                "submission": str(line.row.submission),
                "cost": line.answer.value,
                "score": line.row.sorted_by.numbers.value,
                "low": line.row.sorted_by.numbers.low,
                "high": line.row.sorted_by.numbers.high,
                "on_front": line.on_front,
                "probability": line.probable,
            }
            for line in self.front.rows
        ]


def _finite_or_none(number: float) -> float | None:
    return number if number == number else None


@require_safe
@access(PHASE)
def page(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The page of a combination."""
    query = AskedCombination.of(request, phase)
    context = {
        "task": phase.task,
        "phase": phase,
        "board": query.board,
        "combinations": query.declared,
        "combination": query.combination,
        "combined": query.combined,
        "of_ranks": query.combination.way in ("ranks", "borda"),
    }
    return render(request, "criteria/combined.html", context)


@require_safe
@access(PHASE)
def combined_file(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The rows of a combination as CSV."""
    query = AskedCombination.of(request, phase)
    name = f"{phase.task.slug}-{phase.name}-combined.csv"
    return _file(name, query.columns, query.lines())


@require_safe
@access(PHASE)
def front(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The page of score against cost."""
    query = AskedFront.of(request, phase)
    context = {
        "task": phase.task,
        "phase": phase,
        "board": query.board,
        "costs": query.costs,
        "cost": query.cost,
        "front": query.front,
    }
    return render(request, "criteria/front.html", context)


@require_safe
@access(PHASE)
def front_file(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The rows of score against cost as CSV."""
    query = AskedFront.of(request, phase)
    return _file(f"{phase.task.slug}-{phase.name}-front.csv", FRONT, query.lines())


def _file(name: str, header: Sequence[str], lines: Sequence[Values]) -> HttpResponse:
    flat = [dict(_flat(line)) for line in lines]
    cells = [[line[column] for column in header] for line in flat]
    return attachment(name, csv_text([header, *cells]), "text/csv")


def _flat(line: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Members of a line with those of its tables, as "scores.accuracy"."""
    pairs: list[tuple[str, Any]] = []
    for name, value in line.items():
        if isinstance(value, dict):
            pairs += ((f"{name}.{own}", cell) for own, cell in value.items())
        else:
            pairs.append((name, value))
    return pairs
