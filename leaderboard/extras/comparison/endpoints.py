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
    nullable,
)
from leaderboard.extension.boards import detailed_board_or_404, query_or_404
from leaderboard.extension.charts import named_submissions
from leaderboard.extension.models import Phase
from leaderboard.extras.comparison.pairs import pairs, too_many


class ComparisonSerializer(AnswerSerializer):
    first = CharField()
    second = CharField()
    measure = CharField()
    difference = nullable(FloatField)
    low = nullable(FloatField)
    high = nullable(FloatField)
    probability = nullable(FloatField)
    p_value = nullable(FloatField)
    adjusted = nullable(FloatField)
    randomization = nullable(FloatField)
    won = nullable(IntegerField)
    lost = nullable(IntegerField)
    tied = nullable(IntegerField)
    effective_units = nullable(FloatField)
    few_units_decide = nullable(BooleanField)
    test_sets = nullable(IntegerField)
    better_on = nullable(IntegerField)
    worse_on = nullable(IntegerField)
    new_low = nullable(FloatField)
    new_high = nullable(FloatField)
    equivalence_low = nullable(FloatField)
    equivalence_high = nullable(FloatField)
    margin = nullable(FloatField)
    equivalent = nullable(BooleanField)
    compared_by = nullable(CharField)


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
