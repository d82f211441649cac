"""What answers of the API look like, for its schema; tests hold them to it."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.fields import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    FloatField,
    IntegerField,
    JSONField,
    ListField,
    UUIDField,
)

from leaderboard.api.problems import MEDIA_TYPE


def shape(title: str, /, **fields: Any) -> type[serializers.Serializer]:
    """The component `title` of the schema; answers may grow further members."""
    return type(title, (serializers.Serializer,), fields)


def texts(**more: Any) -> ListField:
    return ListField(child=CharField(), **more)


def objects(**more: Any) -> ListField:
    """Objects whose members depend on the task."""
    return ListField(child=DictField(), **more)


def maybe(field: type, **more: Any) -> Any:
    return field(allow_null=True, **more)


Score = shape(
    "Score",
    value=maybe(FloatField),
    low=maybe(FloatField),
    high=maybe(FloatField),
    informative_units=maybe(IntegerField),
    few_units=maybe(BooleanField),
    between_runs=FloatField(
        required=False, help_text="standard deviation, where the entry has several runs"
    ),
)
FormatProblem = shape(
    "FormatProblem",
    code=CharField(),
    message=CharField(),
    file=CharField(),
    line=maybe(IntegerField),
    column=maybe(IntegerField),
    unit=CharField(),
    hint=CharField(),
    excerpt=CharField(),
    caret=maybe(IntegerField),
)
Problem = shape(
    "Problem",
    type=CharField(),
    title=CharField(),
    status=IntegerField(),
    detail=CharField(),
    code=CharField(required=False),
    problems=FormatProblem(many=True, required=False),
    errors=DictField(required=False),
    next_at=maybe(DateTimeField, required=False),
    left=DictField(required=False),
)
Root = shape("Root", tasks=CharField(), scorers=CharField(), schema=CharField())
Me = shape(
    "Me",
    email=CharField(),
    name=CharField(),
    scopes=texts(),
    task=maybe(CharField),
    expires_at=maybe(DateTimeField),
)
Scorer = shape(
    "Scorer",
    name=CharField(),
    title=CharField(),
    summary=CharField(),
    formats=texts(),
    units=texts(),
    headline=CharField(),
    options=objects(),
    measures=objects(),
    example=CharField(),
)
Phase = shape(
    "Phase",
    name=CharField(),
    title=CharField(),
    opens=DateTimeField(),
    closes=maybe(DateTimeField),
    state=CharField(),
    withheld=texts(),
    declared_at=maybe(DateTimeField),
    test_sets=texts(),
)
Blind = shape("Blind", name=CharField(), sha256=CharField(), address=CharField())
TestSet = shape("TestSet", name=CharField(), title=CharField(), blind=maybe(Blind))
Scoring = shape(
    "Scoring",
    scorer=CharField(),
    headline=CharField(),
    unit=CharField(),
    options=DictField(child=ListField(child=JSONField())),
)
WholePhase = shape(
    "WholePhase",
    **Phase().fields,
    task=CharField(),
    time_zone=CharField(),
    daily_limit=maybe(IntegerField),
    total_limit=maybe(IntegerField),
    most_runs=IntegerField(help_text="of one system that one entry may hold"),
    who=CharField(),
    counts=CharField(),
    gold_revision=IntegerField(),
    scoring=Scoring(),
    files=TestSet(many=True),
)
TASK = {
    "slug": CharField(),
    "title": CharField(),
    "summary": CharField(),
    "synthetic": BooleanField(),
    "scorer": CharField(),
    "headline": CharField(),
    "measures": texts(),
    "boards": objects(),
    "fact_sheet": objects(),
    "phases": Phase(many=True),
    "draft": BooleanField(help_text="seen by its organizers only"),
}
Task = shape("Task", **TASK)
NewTask = shape(
    "NewTask", **TASK, note=CharField(help_text="what is to be done to publish it")
)
Notice = shape(
    "Notice",
    at=DateTimeField(),
    kind=CharField(),
    phase=maybe(CharField),
    text=CharField(),
)
Snapshot = shape(
    "Snapshot",
    sha256=CharField(),
    title=CharField(),
    final=BooleanField(),
    at=DateTimeField(),
    gold_revision=IntegerField(),
    page=CharField(),
)
WholeSnapshot = shape("WholeSnapshot", **Snapshot().fields, data=DictField())
Row = shape(
    "Row",
    rank=maybe(IntegerField),
    rank_range=ListField(child=maybe(IntegerField)),
    cluster=maybe(IntegerField),
    in_words=CharField(),
    team=CharField(),
    system=CharField(),
    submission=UUIDField(),
    received_at=DateTimeField(),
    entries=IntegerField(),
    baseline=BooleanField(),
    organizers=BooleanField(
        help_text="somebody of the team has, or had, a role in the task"
    ),
    complete=BooleanField(),
    runs=IntegerField(help_text="scores are means over so many runs of the system"),
    facts=DictField(),
    description=maybe(DictField),
    scores=DictField(child=Score()),
)
Board = shape(
    "Board",
    task=CharField(),
    phase=CharField(),
    gold_revision=IntegerField(),
    board=maybe(CharField),
    boards=objects(),
    measures=objects(),
    ranked_by=CharField(),
    rule=CharField(),
    level=FloatField(),
    resolution=maybe(FloatField),
    publication=CharField(),
    unit=CharField(),
    unit_note=CharField(),
    test_set=maybe(CharField),
    test_sets=texts(),
    slice=maybe(CharField),
    slices=DictField(),
    part=CharField(),
    parts=texts(),
    withheld=texts(),
    fact_sheet=objects(),
    filters=DictField(),
    rows_in_all=IntegerField(),
    rows=Row(many=True),
)
Comparison = shape(
    "Comparison",
    first=CharField(),
    second=CharField(),
    difference=maybe(FloatField),
    low=maybe(FloatField),
    high=maybe(FloatField),
    probability=maybe(FloatField),
    p_value=maybe(FloatField),
    adjusted=maybe(FloatField),
    randomization=maybe(FloatField),
    won=maybe(IntegerField),
    lost=maybe(IntegerField),
    tied=maybe(IntegerField),
    test_sets=maybe(IntegerField),
    better_on=maybe(IntegerField),
    worse_on=maybe(IntegerField),
    new_low=maybe(FloatField),
    new_high=maybe(FloatField),
    equivalence_low=maybe(FloatField),
    equivalence_high=maybe(FloatField),
    margin=maybe(FloatField),
    equivalent=maybe(BooleanField),
)
Across = shape(
    "Across",
    submission=UUIDField(),
    measure=CharField(),
    correlations=DictField(),
    cumulative_variance=objects(),
)
Left = shape("Left", today=maybe(IntegerField), total=maybe(IntegerField))
MaySubmit = shape(
    "MaySubmit",
    state=CharField(),
    may_submit=BooleanField(),
    code=maybe(CharField),
    detail=maybe(CharField),
    left=Left(),
    next_day=maybe(DateTimeField),
)
Submission = shape(
    "Submission",
    id=UUIDField(),
    task=CharField(),
    phase=CharField(),
    team=CharField(),
    system=CharField(),
    facts=DictField(),
    description=maybe(DictField),
    received_at=DateTimeField(),
    state=CharField(),
    complete=BooleanField(),
    runs=IntegerField(help_text="scores are means over so many runs of the system"),
    text=CharField(),
    problems=objects(),
    withheld=texts(),
    scores=DictField(child=Score()),
    test_sets=DictField(),
    picked=BooleanField(),
    withdrawn_at=maybe(DateTimeField),
    disqualified_at=maybe(DateTimeField),
)
Sent = shape("Sent", **Submission().fields, left=Left())
Evaluation = shape(
    "Evaluation",
    gold_revision=IntegerField(),
    shown=BooleanField(),
    engine=maybe(CharField),
    state=CharField(),
    finished_at=maybe(DateTimeField),
    scores=DictField(child=Score()),
    test_sets=DictField(),
)
Listing = shape(
    "Listing",
    found=IntegerField(),
    page=IntegerField(),
    pages=IntegerField(),
    submissions=Submission(many=True),
)
Team = shape("Team", id=IntegerField(), name=CharField(), role=CharField())
Standing = shape(
    "Standing",
    team=maybe(Team),
    status=maybe(CharField),
    text=CharField(),
    may_join=BooleanField(),
)
Export = shape(
    "Export",
    name=CharField(),
    title=CharField(),
    media_type=CharField(),
    address=CharField(),
)

File = {"type": "string", "format": "binary"}


def bytes_of(media_type: str) -> dict[tuple[int, str], Any]:
    return {(200, media_type): File}


def refusals(*statuses: int) -> dict[Any, Any]:
    """Problem documents, those that every address may answer included."""
    return {
        (status, MEDIA_TYPE): OpenApiResponse(Problem)
        for status in sorted(
            {401, 403, 404, 405, 406, 415, 429, 500, 503, 507, *statuses}
        )
    }
