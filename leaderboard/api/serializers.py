"""Answers of the API: each serializer makes one, and describes it in the schema."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from datetime import datetime
from typing import Any, cast

from django.contrib.auth.models import AnonymousUser
from rest_framework.fields import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    Field,
    FloatField,
    IntegerField,
    JSONField,
    ListField,
    UUIDField,
)
from rest_framework.request import Request
from rest_framework.reverse import reverse
from rest_framework.serializers import BaseSerializer, ModelSerializer, Serializer

from leaderboard.boards.exports.formats import ExportFormat
from leaderboard.boards.rows import MEMBERS, description_json
from leaderboard.boards.snapshots import address_of
from leaderboard.organize import gold
from leaderboard.results.my_submissions import Listing
from leaderboard.results.status import SubmissionStatus
from leaderboard.submissions.gold import publish
from leaderboard.tasks import policy
from leaderboard.tasks.bundle.schema import InApi, PhasePlan
from leaderboard.tasks.models import Phase, Snapshot, Task, answers_to
from leaderboard.tasks.participation import own_end


# No docstring: the schema would repeat it for every component.
#
# A field takes its value from the method `get_<field>` of its serializer, else from the
# object's attributes; of a mapping it picks the member. Values that are no objects go
# out as the JSON encoder writes them, so that rows of a board cost next to nothing.
class AnswerSerializer(Serializer):
    def to_representation(self, instance: Any) -> dict[str, Any]:
        mapping = isinstance(instance, Mapping)
        answer = {}
        for name, field in self.fields.items():
            if mapping:
                if name not in instance and not field.required:
                    continue
                value = instance[name]
            elif compute := getattr(self, f"get_{name}", None):
                value = compute(instance)
            else:
                value = field.get_attribute(instance)
            nested = isinstance(field, BaseSerializer) and value is not None
            answer[name] = field.to_representation(value) if nested else value
        return answer


def strings() -> ListField:
    """A list of strings of any length."""
    return ListField(child=CharField())


def objects(**more: Any) -> ListField:
    """Objects whose members depend on the task."""
    return ListField(child=DictField(), **more)


def nullable(field: type, **more: Any) -> Any:
    """A field of that class which may be null."""
    return field(allow_null=True, **more)


class FormatProblemSerializer(AnswerSerializer):
    code = CharField()
    message = CharField()
    file = CharField()
    line = nullable(IntegerField)
    column = nullable(IntegerField)
    unit = CharField()
    hint = CharField()
    excerpt = CharField()
    caret = nullable(IntegerField)
    values = DictField(help_text="what the message puts into its sentence, by name")
    count = IntegerField(help_text="in how many places; this is the first")


class StoredProblemField(DictField):
    """A problem of an evaluation, in English."""

    def to_representation(self, value: dict[str, Any]) -> dict[str, Any]:
        public = {name: item for name, item in value.items() if name != "wordings"}
        return super().to_representation(public)


class ProblemSerializer(AnswerSerializer):
    type = CharField()
    title = CharField()
    status = IntegerField()
    detail = CharField()
    code = CharField(required=False)
    diagnoses = FormatProblemSerializer(
        many=True,
        required=False,
        help_text="what is wrong with a file as a whole, in a sentence",
    )
    problems = FormatProblemSerializer(many=True, required=False)
    errors = DictField(required=False)  # type: ignore[assignment]
    next_at = nullable(DateTimeField, required=False)
    left = DictField(required=False)


class CheckedSerializer(AnswerSerializer):
    fits = BooleanField(help_text="the files can be scored; nothing was stored")
    remarks = FormatProblemSerializer(
        many=True, help_text="what looks wrong in them all the same"
    )


# Tasks and phases


class RootSerializer(AnswerSerializer):
    tasks = CharField()
    scorers = CharField()
    schema = CharField()


class MeSerializer(AnswerSerializer):
    email = CharField()
    name = CharField()
    scopes = strings()
    task = nullable(CharField)
    expires_at = nullable(DateTimeField)


class ScorerSerializer(AnswerSerializer):
    name = CharField()
    title = CharField()
    summary = CharField()
    formats = strings()
    units = strings()
    headline = CharField()
    options = objects()
    measures = objects()
    example = CharField()
    package = CharField()


class PhaseSerializer(AnswerSerializer):
    name = CharField()
    title = CharField()
    opens = DateTimeField()
    closes = nullable(DateTimeField)
    closes_for_team = nullable(
        DateTimeField, help_text="later than `closes` where your team was given longer"
    )
    state = CharField()
    withheld = strings()
    declared_at = nullable(DateTimeField)
    test_sets = strings()

    def get_closes_for_team(self, phase: Phase) -> datetime | None:
        return own_end(self.context["request"].user, phase)

    def get_withheld(self, phase: Phase) -> Any:
        return policy.disclosure(AnonymousUser(), phase).lines

    def get_test_sets(self, phase: Phase) -> list[str]:
        return [test_set.name for test_set in phase.test_sets.all()]


class BlindSerializer(AnswerSerializer):
    name = CharField()
    sha256 = CharField()
    address = CharField()


class TestSetSerializer(AnswerSerializer):
    name = CharField()
    title = CharField()
    weight = FloatField(help_text="in the mean over test sets; 1 unless said otherwise")
    blind = nullable(BlindSerializer)


def test_sets_of(phase: Phase, request: Request) -> list[dict[str, Any]]:
    """The test sets of a phase; `blind` is None until the reader may have it."""
    sees = policy.sees_blind_files(request.user, phase)
    return [
        {
            "name": test_set.name,
            "title": test_set.title,
            "weight": test_set.weight,
            "blind": {
                "name": test_set.public_name,
                "sha256": test_set.blind_sha256,
                "address": reverse(
                    "api-blind-file",
                    [phase.task.slug, phase.name, test_set.name],
                    request=request,
                ),
            }
            if sees
            else None,
        }
        for test_set in phase.test_sets.all()
    ]


class ScoringSerializer(AnswerSerializer):
    scorer = CharField(source="scorer_name")
    headline = CharField()
    unit = CharField()
    options = DictField(child=ListField(child=JSONField()))

    def get_unit(self, task: Task) -> str:
        return str(task.unit or task.scorer.units[0])

    def get_options(self, task: Task) -> dict[str, list[Any]]:
        """Options as the command line takes them; files as the addresses to fetch."""

        def option(value: Any) -> Any:
            if isinstance(value, str):
                return value
            place, request = [task.slug, value["file"]], self.context["request"]
            return {
                **value,
                "address": reverse("api-option-file", place, request=request),
            }

        return {
            name: [option(value) for value in values]
            for name, values in task.declared_options.items()
        }


class WholePhaseSerializer(PhaseSerializer):
    task = CharField(source="task.slug")
    sends_code = BooleanField(
        source="hides_input",
        help_text="what is sent is code, which runs on hidden input: a zip in "
        "`archive`",
    )
    gold_revision = IntegerField(source="gold_revision.number")
    scoring = ScoringSerializer(source="task")
    files = TestSetSerializer(many=True)

    def get_fields(self) -> dict[str, Field]:
        """Fields of a phase that its bundle says are in the API stand there alone."""
        fields: dict[str, Field] = super().get_fields()
        columns = {column.name: column for column in Phase._meta.fields}
        for name, declared in PhasePlan.model_fields.items():
            for mark in (mark for mark in declared.metadata if isinstance(mark, InApi)):
                null = columns[name].null
                kind = ModelSerializer.serializer_field_mapping[type(columns[name])]
                fields[name] = kind(allow_null=null, help_text=mark or None)
        return fields

    def get_files(self, phase: Phase) -> list[dict[str, Any]]:
        return test_sets_of(phase, self.context["request"])


class TaskSerializer(AnswerSerializer):
    slug = CharField()
    title = CharField()
    summary = CharField()
    synthetic = BooleanField()
    authors = strings()
    contact = CharField()
    website = CharField()
    forum = CharField()
    paper = CharField()
    doi = CharField()
    licence = CharField()
    terms = CharField(help_text="Markdown; a team accepts them when it joins")
    scorer = CharField(source="scorer_name")
    headline = CharField()
    measures = strings()
    boards = objects()
    fact_sheet = objects()
    registration = objects(help_text="questions that a team answers when it joins")
    phases = PhaseSerializer(many=True)
    draft = BooleanField(help_text="visible to its organizers only")

    def get_measures(self, task: Task) -> list[str]:
        return [measure.name for measure in task.measures]

    def get_boards(self, task: Task) -> list[dict[str, Any]]:
        return [board.values() for board in task.boards()]

    def get_fact_sheet(self, task: Task) -> list[dict[str, Any]]:
        return [question.values() for question in task.fact_sheet()]

    def get_registration(self, task: Task) -> list[dict[str, Any]]:
        return [question.values() for question in task.registration()]


class NewTaskSerializer(TaskSerializer):
    note = CharField(help_text="what to do to publish it")
    report = ListField(
        child=CharField(),
        help_text="for a bundle of another site: what was imported, and what was not",
    )


class ExtensionSerializer(AnswerSerializer):
    team = CharField(source="participation.team.name")
    until = DateTimeField()
    at = DateTimeField(help_text="when it was given")


class DeadlineSerializer(AnswerSerializer):
    closes = DateTimeField(help_text="the new end")
    admitted = IntegerField(help_text="late submissions that were let in")
    mailed = IntegerField(help_text="people who are written to")


class NoticeSerializer(AnswerSerializer):
    at = DateTimeField()
    kind = CharField()
    phase = nullable(CharField, source="phase.name")
    text = CharField()


class SnapshotSerializer(AnswerSerializer):
    sha256 = CharField()
    title = CharField()
    final = BooleanField()
    at = DateTimeField()
    gold_revision = IntegerField(source="gold_revision.number")
    page = CharField()

    def get_page(self, snapshot: Snapshot) -> str:
        return address_of(snapshot)


class WholeSnapshotSerializer(SnapshotSerializer):
    data = DictField()  # type: ignore[assignment]


# Boards: their rows are plain values before they come here, as a snapshot keeps them.


class ScoreSerializer(AnswerSerializer):
    value = nullable(FloatField)
    low = nullable(FloatField)
    high = nullable(FloatField)
    informative_units = nullable(IntegerField)
    few_units = nullable(BooleanField)
    between_runs = FloatField(
        required=False, help_text="standard deviation, where the entry has several runs"
    )


class RowSerializer(AnswerSerializer):
    scores = DictField(child=ScoreSerializer())
    expected = FloatField(
        required=False,
        allow_null=True,
        help_text="score expected on new data, in the measure that ranks; only with "
        "`expected=1`",
    )

    def get_fields(self) -> dict[str, Field]:
        members = {member.name: deepcopy(member.type) for member in MEMBERS}
        return members | super().get_fields()


class BoardSerializer(AnswerSerializer):
    task = CharField()
    phase = CharField()
    gold_revision = IntegerField()
    board = nullable(CharField)
    boards = objects()
    measures = objects()
    ranked_by = CharField()
    rule = CharField()
    level = FloatField()
    resolution = nullable(FloatField)
    unit = CharField()
    unit_note = CharField()
    compared_by = nullable(
        CharField,
        help_text="grouping whose groups take the place of units in tests, such as "
        "document; null where single units are exchanged",
    )
    test_set = nullable(CharField)
    ranking_of = nullable(
        CharField, help_text="title of the test set, where each has its own ranking"
    )
    test_sets = strings()
    weights = DictField(
        child=FloatField(), help_text="of each test set, in the mean over them"
    )
    slice = nullable(CharField)
    slices = DictField()
    part = CharField()
    parts = strings()
    withheld = strings()
    fact_sheet = objects()
    filters = DictField()
    newer_results = BooleanField(
        help_text="whether results that came since are still to be added"
    )
    rows_in_all = IntegerField()
    page = IntegerField(help_text="page of rows, from 1")
    pages = IntegerField()
    rows = RowSerializer(many=True)


class SourcesSerializer(AnswerSerializer):
    error = FloatField(help_text="standard error of the score")
    shares = DictField(
        child=FloatField(allow_null=True),
        help_text="of the variance, by source: `units`, `runs`, `prompts`, `judges`, "
        "and the `rest`, which is chance in what one of them says of a unit; `null` "
        "for a source that nothing tells from the others",
    )
    runs = IntegerField()
    prompts = IntegerField()
    judges = IntegerField()


class UncertaintySerializer(AnswerSerializer):
    submission = UUIDField()
    measures = DictField(child=SourcesSerializer())


class ExportSerializer(AnswerSerializer):
    name = CharField()
    title = CharField()
    media_type = CharField(source="content_type")
    address = CharField()

    def get_address(self, form: ExportFormat) -> str:
        address = self.context["view"].kwargs
        place = [address["slug"], address["phase"], form.name]
        return reverse("api-export", place, request=self.context["request"])


# Submissions, as `status_of` discloses them to the reader


class LeftSerializer(AnswerSerializer):
    today = nullable(IntegerField)
    total = nullable(IntegerField)


class MaySubmitSerializer(AnswerSerializer):
    state = CharField()
    may_submit = BooleanField()
    code = nullable(CharField)
    detail = nullable(CharField)
    left = LeftSerializer()
    next_day = nullable(DateTimeField)


class SubmissionSerializer(AnswerSerializer):
    id = UUIDField(source="submission.pk")
    task = CharField(source="submission.phase.task.slug")
    phase = CharField(source="submission.phase.name")
    team = CharField(source="submission.participation.team.name")
    system = CharField(source="submission.system")
    facts = DictField()
    description = nullable(DictField)
    received_at = DateTimeField(source="submission.received_at")
    brought_at = nullable(DateTimeField, source="submission.brought_at")
    state = CharField()
    complete = BooleanField()
    runs = IntegerField(
        source="submission.runs",
        help_text="number of runs of the system; scores are their means",
    )
    prompts = ListField(
        child=CharField(),
        source="submission.prompts",
        help_text="the prompt of each run, where the team named them",
    )
    text = CharField()
    problems = ListField(child=StoredProblemField())
    withheld = ListField(child=CharField(), source="shown.lines")
    scores = DictField(child=ScoreSerializer())
    test_sets = DictField()
    picked = BooleanField(source="submission.picked")
    withdrawn_at = nullable(DateTimeField, source="submission.withdrawn_at")
    disqualified_at = nullable(DateTimeField, source="submission.disqualified_at")

    def get_facts(self, status: SubmissionStatus) -> dict[str, Any]:
        submission = status.submission
        questions = submission.phase.task.fact_sheet() if submission.facts else ()
        answers = answers_to(questions, submission.facts)
        return {answer.question.name: answer.value for answer in answers}

    def get_description(self, status: SubmissionStatus) -> dict[str, Any] | None:
        newest = next(iter(status.submission.descriptions.all()), None)
        return description_json(newest) if newest else None

    def get_scores(self, status: SubmissionStatus) -> dict[str, Any]:
        return {score.measure.name: dict(score.exact) for score in status.over_all}

    def get_test_sets(self, status: SubmissionStatus) -> dict[str, Any]:
        return {
            test_set.name: {
                "scores": {s.measure.name: dict(s.exact) for s in test_set.scores},
                "signature": test_set.signature,
                "signatures": test_set.signatures,
                "units": test_set.units,
                "remarks": test_set.remarks,
            }
            for test_set in status.test_sets
        }


class SentSerializer(SubmissionSerializer):
    left = LeftSerializer()


class EvaluationSerializer(AnswerSerializer):
    gold_revision = IntegerField()
    shown = BooleanField()
    engine = nullable(CharField)
    state = CharField()
    finished_at = nullable(DateTimeField)
    scores = DictField(child=ScoreSerializer())
    test_sets = DictField()


class ListingSerializer(AnswerSerializer):
    found = IntegerField()
    page = IntegerField(source="page.number")
    pages = IntegerField(source="page.paginator.num_pages")
    submissions = SubmissionSerializer(many=True)

    def get_submissions(self, listing: Listing) -> list[SubmissionStatus]:
        return [line.status for line in listing.lines]


# Teams, gold and bundles


class TeamSerializer(AnswerSerializer):
    id = IntegerField(source="team.pk")
    name = CharField(source="team.name")
    affiliations = CharField(source="team.affiliations")
    role = CharField()


class TeamResultSerializer(AnswerSerializer):
    task = CharField(source="phase.task.slug")
    phase = CharField(source="phase.name")
    test_set = nullable(
        CharField,
        source="line.names.test_set",
        help_text="where each test set has its own ranking",
    )
    system = CharField(source="line.system")
    submission = nullable(
        UUIDField,
        source="line.submission",
        help_text="null where only the best entry of each team is shown",
    )
    received_at = DateTimeField()
    rank = nullable(IntegerField, source="line.rank")
    rank_range = ListField(
        child=IntegerField(allow_null=True), source="line.names.rank_range"
    )
    ranked = IntegerField(source="line.of_all", help_text="number of ranked systems")
    measure = CharField(source="line.names.measure")
    score = ScoreSerializer(source="line.numbers")


class TeamResultsSerializer(AnswerSerializer):
    team = CharField()
    affiliations = CharField()
    page = CharField(help_text="the page of these results")
    since = nullable(
        DateTimeField,
        help_text="phases that began earlier are left out; null where none are",
    )
    results = TeamResultSerializer(many=True)


class StandingSerializer(AnswerSerializer):
    team = nullable(TeamSerializer)
    status = nullable(CharField)
    text = CharField()
    may_join = BooleanField()
    answers = DictField(help_text="the team's answers to the registration questions")


class GoldRevisionSerializer(AnswerSerializer):
    number = IntegerField(source="revision.number")
    state = CharField(source="state.value")
    note = CharField(source="revision.note")
    public_note = CharField(source="revision.public_note")
    created_at = DateTimeField(source="revision.created_at")
    live_at = nullable(DateTimeField, source="revision.live_at")
    corrected = strings()


class ProgressSerializer(AnswerSerializer):
    total = IntegerField()
    ended = IntegerField()
    scored = IntegerField()


class WholeGoldRevisionSerializer(GoldRevisionSerializer):
    progress = ProgressSerializer()
    failures = objects()

    def get_progress(self, listed: gold.ListedRevision) -> Any:
        return publish.progress_of(listed.revision)

    def get_failures(self, listed: gold.ListedRevision) -> list[dict[str, Any]]:
        return [
            {
                "submission": str(failure.submission_id),
                "name": failure.name,
                "reason": str(failure.reason),
            }
            for failure in cast(Iterable[Any], gold.failures(listed.revision))
        ]


class RemarkSerializer(AnswerSerializer):
    weight = CharField(help_text="blocks, tick, warning or note, the heaviest first")
    text = CharField()
    place = CharField(source="place.title", help_text="where it is fixed")
    page = CharField(source="place.address")


class ChecklistSerializer(AnswerSerializer):
    draft = BooleanField()
    remarks = RemarkSerializer(many=True)


class BundleChangeSerializer(AnswerSerializer):
    where = CharField()
    name = CharField()
    before = CharField()
    after = CharField()
    text = CharField()


class BundleResultSerializer(AnswerSerializer):
    applied = BooleanField()
    etag = CharField()
    changes = BundleChangeSerializer(many=True)
    corrected_gold = strings()
    sudden_ends = ListField(
        child=CharField(),
        help_text="new ends of phases that are near, earlier than announced, or come "
        "after a reveal",
    )
    unnamed_files = ListField(
        child=CharField(),
        help_text="files that nothing in task.yaml names; they are passed over",
    )
