"""API of several measures in one rank, and of score against cost."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.serializers import (
    BooleanField,
    CharField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
)

from leaderboard.extension.access import PHASE
from leaderboard.extension.api import CHOICES, AnswerSerializer, Endpoint, answers
from leaderboard.extension.models import Phase
from leaderboard.extras.criteria.views import AskedCombination, AskedFront

COMBINATION = OpenApiParameter(
    "combination", str, description="the name of one; the first by default"
)
COST = OpenApiParameter(
    "cost", str, description="the name of a question; the first number by default"
)
# What a combination takes no notice of.
NARROWED = ("board", "measure", "entries", "q")


class CombinedRowSerializer(AnswerSerializer):
    rank = IntegerField()
    rank_low = IntegerField(allow_null=True)
    rank_high = IntegerField(allow_null=True)
    system = CharField()
    team = CharField()
    submission = CharField()
    value = FloatField()
    low = FloatField(
        allow_null=True, help_text="of ranks: the least that the tests leave"
    )
    high = FloatField(allow_null=True)
    scores = DictField(child=FloatField(), help_text="by measure")
    other_ranks = DictField(child=IntegerField(), help_text="by other ways to combine")


class CombinedSerializer(AnswerSerializer):
    """`why` says why there are no rows, and is empty otherwise."""

    name = CharField()
    title = CharField()
    way = CharField()
    measures = ListField(child=CharField())
    weights = DictField(child=FloatField(), help_text="by measure")
    level = FloatField()
    why = CharField()
    remarks = ListField(child=CharField())
    left_out = IntegerField()
    rows = CombinedRowSerializer(many=True)


class FrontRowSerializer(AnswerSerializer):
    system = CharField()
    team = CharField()
    submission = CharField()
    cost = FloatField()
    score = FloatField()
    low = FloatField(allow_null=True)
    high = FloatField(allow_null=True)
    on_front = BooleanField()
    probability = FloatField(allow_null=True)


class FrontSerializer(AnswerSerializer):
    """`why` says why there are no rows, or no probabilities."""

    cost = CharField()
    title = CharField()
    unit = CharField()
    measure = CharField()
    level = FloatField()
    why = CharField()
    left_out = IntegerField()
    rows = FrontRowSerializer(many=True)


class CombinedView(Endpoint):
    access = PHASE

    @answers(
        CombinedSerializer,
        parameters=[
            COMBINATION,
            *(parameter for parameter in CHOICES if parameter.name not in NARROWED),
        ],
    )
    def get(self, request: Request, phase: Phase) -> dict[str, Any]:
        """Systems by a declared combination of measures, with ranges of ranks."""
        query = AskedCombination.of(request._request, phase)
        own, combined = query.combination, query.combined
        return {
            **{name: getattr(own, name) for name in ("name", "title", "way")},
            "measures": own.measures,
            "weights": dict(zip(own.measures, own.shares, strict=True)),
            "level": query.board.level,
            "why": combined.why,
            "remarks": combined.remarks,
            "left_out": combined.left_out,
            "rows": query.lines(),
        }


class FrontView(Endpoint):
    access = PHASE

    @answers(FrontSerializer, parameters=[COST, *CHOICES])
    def get(self, request: Request, phase: Phase) -> dict[str, Any]:
        """Systems by a cost that they told, which of them are on the Pareto front, and
        how probable that is of their true scores."""
        query = AskedFront.of(request._request, phase)
        return {
            "cost": query.cost.name,
            "title": query.cost.title,
            "unit": query.cost.unit,
            "measure": query.board.measure.name,
            "level": query.board.level,
            "why": query.front.why,
            "left_out": query.front.left_out,
            "rows": query.lines(),
        }
