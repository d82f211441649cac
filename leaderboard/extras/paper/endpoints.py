"""API of the tests of all pairs of a board."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from leaderboard.extension.access import PHASE
from leaderboard.extension.api import CHOICES, Endpoint, answers
from leaderboard.extension.boards import board_for, query_or_404, reader_of
from leaderboard.extension.models import Phase
from leaderboard.extras.paper.pairs import PairTests


class TestedPairSerializer(serializers.Serializer):
    """Two systems, the better placed one first."""

    first = serializers.CharField(help_text="id of a submission")
    first_team = serializers.CharField()
    first_system = serializers.CharField()
    second = serializers.CharField(help_text="id of a submission")
    second_team = serializers.CharField()
    second_system = serializers.CharField()
    difference = serializers.FloatField(
        help_text="first minus second; shares are not times 100"
    )
    p_value = serializers.FloatField(help_text="of this pair alone")
    adjusted = serializers.FloatField(help_text="corrected for all pairs (Holm)")
    significant = serializers.BooleanField()
    few_units_decide = serializers.BooleanField()
    compared_by = serializers.CharField(allow_null=True)


class PairsSerializer(serializers.Serializer):
    """Tests of all pairs of the ranked systems."""

    measure = serializers.CharField()
    level = serializers.FloatField()
    pairs = TestedPairSerializer(many=True)


class PairsView(Endpoint):
    access = PHASE

    @answers(PairsSerializer, parameters=CHOICES)
    def get(self, request: Request, phase: Phase) -> dict[str, Any]:
        """Tests of every pair of ranked systems that sent all test sets.

        They are those that ranges of ranks and lines come from. There are none where
        the phase does not show comparisons now, and on boards of more than 100 systems.
        """
        query = query_or_404(request._request, phase)
        board = board_for(reader_of(request._request), query)
        tests = PairTests.of(board)
        return {
            "measure": board.measure.name,
            "level": board.level,
            "pairs": tests.pairs if tests else [],
        }
