"""API of reports on overlap: those that were made, and a new one."""

from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.serializers import (
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
)

from leaderboard.api import problems
from leaderboard.api.idempotency import once
from leaderboard.api.models import Scope
from leaderboard.api.serializers import AnswerSerializer, nullable, strings
from leaderboard.api.views.base import FILE, IDEMPOTENCY_KEY, Endpoint, answers, form
from leaderboard.extras.contamination.models import OverlapReport
from leaderboard.extras.contamination.pages import REPORTS
from leaderboard.extras.contamination.reports import OverlapForm
from leaderboard.tasks.access import EDIT
from leaderboard.tasks.models import Task
from scoring.errors import Refused

TEXTS = form(
    {
        "test_set": {"type": "string", "description": "the name of a test set"},
        "texts": FILE,
        "order": {"type": "integer", "description": "words of an n-gram, 5 to 50"},
    },
    "multipart/form-data",
    required=["test_set"],
)


class OverlappingUnitSerializer(AnswerSerializer):
    """`found`, `near`: a file and a line of the texts, or empty."""

    unit = CharField()
    found = CharField()
    near = CharField()
    near_share = FloatField()
    share = nullable(FloatField, help_text="of its n-grams; null where it is shorter")
    twin = CharField(help_text="another unit with the same text, or nearly")
    twin_share = FloatField()


class OverlapReportSerializer(AnswerSerializer):
    test_set = CharField(source="test_set.name")
    gold_sha256 = CharField()
    texts = CharField()
    texts_sha256 = CharField()
    order = IntegerField()
    at = DateTimeField()
    counted = DictField(child=FloatField())
    canaries = strings()
    lines = OverlappingUnitSerializer(many=True)


class OverlapView(Endpoint):
    access = EDIT.signed_in
    scopes = {"GET": Scope.ORGANIZE, "POST": Scope.ORGANIZE}
    refused_as = "cannot_compare"
    parser_classes = [MultiPartParser]

    @answers(OverlapReportSerializer, many=True)
    def get(self, request: Request, task: Task) -> list[OverlapReport]:
        """Reports on the overlap of test sets with texts, the newest first."""
        return list(REPORTS.filter(task=task))

    @once
    @answers(
        OverlapReportSerializer,
        200,
        *(400, 409, 413, 422),
        parameters=[IDEMPOTENCY_KEY],
        request=TEXTS,
    )
    def post(self, request: Request, task: Task) -> OverlapReport:
        """Compare a test set with texts, which are not kept, and with itself."""
        too_large = getattr(request._request, "too_large", ())
        named = task.test_sets.filter(name=request.data.get("test_set", "")).first()
        data = {"test_set": named and named.pk, "order": request.data.get("order", 13)}
        fields = OverlapForm(task, data, request.FILES, too_large=too_large)
        if not fields.is_valid():
            raise problems.invalid(fields, 413 if too_large else 422)
        try:
            return fields.report(request.user)
        except Refused as refused:
            raise problems.unfit("unfit_texts", refused.problems) from None
