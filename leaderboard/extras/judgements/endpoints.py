"""API of judgements: what waits, its files, and tables that programs upload."""

from typing import Any

from django.http import Http404, StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.serializers import (
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    ListField,
    UUIDField,
)

from leaderboard.extension.access import EDIT, SignedInCall
from leaderboard.extension.api import (
    AnswerSerializer,
    Deferred,
    Endpoint,
    answers,
    invalid,
    unfit,
)
from leaderboard.extension.models import Phase, Scope
from leaderboard.extras.judgements import judgements, pages
from leaderboard.extras.judgements.judgements import JudgedSubmission
from scoring import Refused

TABLE = {
    "multipart/form-data": {
        "type": "object",
        "properties": {
            "table": {"type": "string", "format": "binary"},
            "submission": {
                "type": "string",
                "format": "uuid",
                "description": "the submission judged, where no column names it",
            },
        },
        "required": ["table"],
    }
}
WHICH = OpenApiParameter(
    "which",
    str,
    enum=["waiting", "all"],
    description="files that wait for judgements, or all",
)


class JudgementTableSerializer(AnswerSerializer):
    test_set = CharField(source="test_set.name")
    run = IntegerField()
    sha256 = CharField()
    at = DateTimeField()
    judged = DictField(child=IntegerField())
    agreement = DictField(child=FloatField(allow_null=True))


class FileToJudgeSerializer(AnswerSerializer):
    test_set = CharField(source="test_set.name")
    run = IntegerField()
    name = CharField()
    sha256 = CharField()
    size = IntegerField()


class JudgedSubmissionSerializer(AnswerSerializer):
    id = UUIDField(source="submission.pk")
    team = CharField()
    system = CharField(source="submission.system")
    received_at = DateTimeField(source="submission.received_at")
    state = CharField(help_text="waiting or judged")
    files = FileToJudgeSerializer(many=True)
    tables = JudgementTableSerializer(many=True)

    def get_team(self, row: JudgedSubmission) -> str:
        return str(row.submission.participation.team)


class JudgementsSerializer(AnswerSerializer):
    waiting = IntegerField()
    columns = ListField(child=CharField())
    measures = ListField(child=CharField())
    submissions = JudgedSubmissionSerializer(many=True)


class TakenSerializer(AnswerSerializer):
    submissions = ListField(child=CharField())
    tables = IntegerField()
    partly = IntegerField(
        help_text="submissions whose other files still wait for judgements"
    )


class JudgementsView(Endpoint):
    access = EDIT.of_phase.signed_in
    scopes = {"GET": Scope.ORGANIZE, "POST": Scope.ORGANIZE}
    refused_as = "cannot_judge"
    parser_classes = [MultiPartParser]

    @answers(JudgementsSerializer)
    def get(self, request: Request, phase: Phase) -> dict[str, Any]:
        """Submissions that wait for judgements, and those that were judged."""
        if not phase.task.takes_judgements:
            raise Http404
        rows = judgements.judged_submissions(phase)
        return {
            "waiting": sum(row.waiting for row in rows),
            "columns": judgements.columns(phase.task),
            "measures": judgements.lines(phase.task),
            "submissions": rows,
        }

    @answers(
        TakenSerializer,
        200,
        *(400, 409, 413, 422),
        idempotent=True,
        request=TABLE,
    )
    def post(self, request: SignedInCall, phase: Phase) -> Deferred:
        """Upload a table of judgements; the submissions in it are then scored."""
        fields = pages.TableForm(phase, request.data, request.FILES)
        if not fields.is_valid():
            raise invalid(fields)
        try:
            take = fields.ready(request.user)
        except Refused as refused:
            raise unfit("unfit_table", refused.problems) from None
        return Deferred(lambda: _answer_of_upload(take()))


class FilesToJudgeView(Endpoint):
    access = EDIT.of_phase.signed_in
    scopes = {"GET": Scope.ORGANIZE}

    @answers(None, media_type="application/zip", parameters=[WHICH])
    def get(self, request: Request, phase: Phase) -> StreamingHttpResponse:
        """A zip of the files to judge, with a manifest, units, and an empty table."""
        everything = request.query_params.get("which") == "all"
        return pages.packed_answer(phase, everything=everything)


def _answer_of_upload(taken: judgements.Taken) -> dict[str, Any]:
    return {
        "submissions": [str(pk) for pk in taken.submissions],
        "tables": taken.tables,
        "partly": taken.partly,
    }
