"""API of the tests of pairs of systems."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.serializers import BooleanField, CharField, FloatField, IntegerField

from leaderboard.extension.access import PHASE
from leaderboard.extension.api import (
    CHOICES,
    SYSTEMS,
    AnswerSerializer,
    ApiError,
    Endpoint,
    answers,
)
from leaderboard.extension.boards import detailed_board_or_404, query_or_404
from leaderboard.extension.charts import named_submissions
from leaderboard.extension.models import Phase
from leaderboard.extras.comparison.pairs import pairs, too_many


class ComparisonSerializer(AnswerSerializer):
    first = CharField()
    second = CharField()
    measure = CharField()
    difference = FloatField(allow_null=True)
    low = FloatField(allow_null=True)
    high = FloatField(allow_null=True)
    probability = FloatField(allow_null=True)
    p_value = FloatField(allow_null=True)
    adjusted = FloatField(allow_null=True)
    randomization = FloatField(allow_null=True)
    won = IntegerField(allow_null=True)
    lost = IntegerField(allow_null=True)
    tied = IntegerField(allow_null=True)
    effective_units = FloatField(allow_null=True)
    few_units_decide = BooleanField(allow_null=True)
    test_sets = IntegerField(allow_null=True)
    better_on = IntegerField(allow_null=True)
    worse_on = IntegerField(allow_null=True)
    new_low = FloatField(allow_null=True)
    new_high = FloatField(allow_null=True)
    equivalence_low = FloatField(allow_null=True)
    equivalence_high = FloatField(allow_null=True)
    margin = FloatField(allow_null=True)
    equivalent = BooleanField(allow_null=True)
    compared_by = CharField(allow_null=True)


class CompareView(Endpoint):
    access = PHASE

    @answers(ComparisonSerializer, 200, 422, many=True, parameters=[*CHOICES, SYSTEMS])
    def get(self, request: Request, phase: Phase) -> list[dict[str, Any]]:
        """Paired tests of every pair of the named systems.

        `p_value` is that of the pair alone, `adjusted` is corrected for all pairs of
        the board (Holm). Second opinions are `randomization`, the p-value of
        approximate randomization, and `probability`, the share of bootstrap resamples
        in which the first system is better. `won`, `lost` and `tied` count units, and
        are `null` where single units are not shown. `effective_units` is how many units
        of one weight would vary as much as the difference (`null` where it is far from
        significant, or so large that no few units can make it); with fewer than 20,
        `few_units_decide` warns that a few units decide. Of several `test_sets` the
        first system is significantly better on `better_on`, the second on `worse_on`
        (Holm over test sets); `new_low` and `new_high` are the interval of the
        difference on a new test set, from three on. `equivalent` says whether the
        interval from `equivalence_low` to `equivalence_high` lies within the task's
        `margin`; it is
        `null` for other measures than the headline and where no margin was stated.
        `compared_by` is the grouping, such as `document`, whose groups take the place
        of units in all of this, since differences are alike inside them; else `null`.
        """
        query = query_or_404(request._request, phase)
        board = detailed_board_or_404(request._request, query)
        names = request.query_params.getlist("system")
        if len(set(names)) < 2:
            sentence = _(
                "Name two systems or more, each as system= with the number of its "
                "submission, or with its team and name as the board shows them."
            )
            raise ApiError(422, "invalid", sentence)
        systems = named_submissions(board, names)
        if refused := too_many(systems):
            raise ApiError(422, "invalid", refused)
        return [pair.exact.as_dict() for pair in pairs(board, systems)]
