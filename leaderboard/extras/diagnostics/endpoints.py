"""API of one system over the test sets of a phase."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.serializers import CharField, DictField, ListField, UUIDField

from leaderboard.extension.access import PHASE
from leaderboard.extension.api import CHOICES, AnswerSerializer, Endpoint, answers
from leaderboard.extension.boards import detailed_board_or_404, query_or_404
from leaderboard.extension.charts import named_submissions
from leaderboard.extension.models import Phase
from leaderboard.extras.diagnostics.correlation import Across, across

SYSTEM = OpenApiParameter(
    "system",
    str,
    description="id of a submission on the board, or the name of its system, or "
    "`team/system`",
)


class AcrossSerializer(AnswerSerializer):
    submission = UUIDField(source="row.submission")
    measure = CharField(source="row.sorted_by.measure.name")
    correlations = DictField(source="exact")
    cumulative_variance = ListField(child=DictField())

    def get_cumulative_variance(self, across: Across) -> list[dict[str, Any]]:
        return [
            {"test_set": name, "value": value, "variance": variance}
            for name, value, variance in across.spread
        ]


class AcrossView(Endpoint):
    access = PHASE

    @answers(AcrossSerializer, parameters=[*CHOICES, SYSTEM])
    def get(self, request: Request, phase: Phase) -> Across:
        """Correlations and cumulative variance of one system over the test sets."""
        query = query_or_404(request._request, phase)
        board = detailed_board_or_404(request._request, query)
        (system,) = named_submissions(board, [request.query_params.get("system", "")])
        return across(board, system)
