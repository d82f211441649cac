"""Judging through the API: the next item and votes, and all votes for organizers."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from rest_framework.fields import (
    BooleanField,
    CharField,
    DateTimeField,
    DictField,
    IntegerField,
    ListField,
)
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.extension.access import EDIT, LINK, SignedInCall
from leaderboard.extension.api import AnswerSerializer, ApiError, Endpoint, answers
from leaderboard.extension.models import Scope, Task
from leaderboard.extras.judging import assignment, checks, models_of_people
from leaderboard.extras.judging.assignment import Sent, begin, next_for, own, today
from leaderboard.extras.judging.export import votes_file
from leaderboard.extras.judging.models import Assignment, Campaign, Judge, Vote
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.extras.judging.spans import words_of

MODEL = {
    "type": "string",
    "maxLength": 80,
    "description": "the judge model that judges; without it, you do",
}
JSON = "application/json"
NEXT = {JSON: {"type": "object", "properties": {"model": MODEL}}}
VOTE = {
    JSON: {
        "type": "object",
        "properties": {
            "assignment": {
                "type": "string",
                "format": "uuid",
                "description": "of the item",
            },
            "key": {
                "type": "string",
                "format": "uuid",
                "description": "drawn by you; sent again, it is the same vote",
            },
            "values": {
                "type": "object",
                "description": "`choice` (left, equal, right, bad), or a number for "
                "each column; `spans`, each with `start` and `end` (numbers of words "
                "from 1, or null for what is missing), `category` and `severity`; "
                "empty for a judge who cannot tell",
            },
            "seconds": {"type": "integer", "description": "how long it took"},
            "instead": {
                "type": "string",
                "format": "uuid",
                "description": "key of the vote of this item that it replaces",
            },
        },
        "required": ["assignment", "key", "values"],
    }
}


class JudgedItemSerializer(AnswerSerializer):
    """The item that is judged now, without a word of whose it is."""

    assignment = CharField()
    source: Any = ListField(
        child=DictField(), help_text="the input: a name and a text each"
    )
    answers = ListField(child=CharField())
    words = ListField(child=CharField())


class JudgingSerializer(AnswerSerializer):
    """A campaign as one judge sees it; `item` is null where nothing waits."""

    title = CharField()
    kind = CharField()
    questions = ListField(child=DictField(), help_text="a column and a text each")
    steps = ListField(child=CharField())
    categories = ListField(child=CharField())
    severities = ListField(
        child=DictField(), help_text="of errors: a name and a weight each"
    )
    instructions = CharField()
    open = BooleanField()
    judge = IntegerField(
        allow_null=True, help_text="your number; null before you begin"
    )
    model = CharField()
    today = IntegerField()
    item = JudgedItemSerializer(allow_null=True)


class VoteSerializer(AnswerSerializer):
    assignment = CharField()
    key = CharField()
    values = DictField()
    at = DateTimeField()
    feedback = CharField(help_text="after an example of the training round")


class CampaignSerializer(AnswerSerializer):
    name = CharField()
    title = CharField()
    kind = CharField()
    phase = CharField(source="phase.name")
    test_set = CharField(source="test_set.name")
    open = BooleanField()
    votes = IntegerField(help_text="that count")
    left_out = IntegerField(help_text="of excluded judges")
    by_models = IntegerField(help_text="of judge models, which do not count")

    def get_name(self, campaign: Campaign) -> str:
        return campaign.key


def _campaign(request: Request, token: str) -> Campaign:
    """The campaign of a link. Raises Http404."""
    rows = Campaign.objects.select_related("phase__task", "test_set")
    campaign = rows.filter(token=token).first()
    if campaign is None:
        raise Http404
    Endpoint.require_task(request, campaign.phase.task_id)
    return campaign


def _members(request: Request) -> dict[str, Any]:
    """The values that were sent, by name; none where the JSON is no object."""
    return request.data if isinstance(request.data, dict) else {}


def _model(given: Any) -> str:
    """The name of a judge model. Raises ApiError."""
    text = given if isinstance(given, str) else "\0"
    if len(text) > 80 or not text.isprintable():
        raise ApiError(422, "invalid", "`model` is a name of at most 80 characters")
    return text.strip()


def _state(
    campaign: Campaign, judge: Judge | None, now: Assignment | None
) -> dict[str, Any]:
    item = None
    if now is not None:
        texts = checks.texts(now)
        source = [{"name": name, "text": text} for name, text in now.unit.shown]
        item = {
            "assignment": str(now.key),
            "source": source,
            "answers": texts,
            "words": [word.text for word in words_of(texts[0])]
            if campaign.marks_errors
            else [],
        }
    return {
        "title": campaign.title,
        "kind": campaign.kind,
        "questions": [
            {"column": column, "text": text} for column, text in campaign.questions
        ],
        "steps": campaign.steps,
        "categories": campaign.categories,
        "severities": [{"name": x, "weight": y} for x, y in campaign.severities],
        "instructions": campaign.instructions,
        "open": campaign.open,
        "judge": judge and judge.number,
        "model": judge.model if judge else "",
        "today": today(judge) if judge else 0,
        "item": item,
    }


class JudgingView(Endpoint):
    access = LINK.signed_in
    scopes = {"POST": Scope.SUBMIT}
    refused_as = "not_decided"

    @answers(JudgingSerializer, 200, 409)
    def get(self, request: Request, token: str) -> dict[str, Any]:
        """The campaign of this link: what is asked, and what you have judged."""
        campaign = _campaign(request, token)
        judge = own(campaign, request.user)
        if campaign.by_invitation and judge is None:
            raise models_of_people.not_invited()
        return _state(campaign, judge, None)

    @answers(JudgingSerializer, 200, 400, 409, 422, request=NEXT)
    def post(self, request: Request, token: str) -> dict[str, Any]:
        """The next item to judge: the same one until you vote on it.

        Who asks first begins to judge. With `model` the votes are those of a judge
        model: they are marked, and no rating or mean counts them. Organizers have to
        let your account in for that.
        """
        campaign = _campaign(request, token)
        judge = begin(
            campaign, request.user, _model(_members(request).get("model", ""))
        )
        judge.campaign = campaign
        return _state(campaign, judge, next_for(judge))


class JudgingVotesView(Endpoint):
    access = LINK.signed_in
    scopes = {"POST": Scope.SUBMIT}
    refused_as = "not_decided"

    @answers(VoteSerializer, many=True)
    def get(self, request: SignedInCall, token: str) -> list[Mapping[str, Any]]:
        """Your votes that stand now, and those of your judge models."""
        campaign = _campaign(request, token)
        rows = Vote.objects.filter(
            assignment__judge__campaign=campaign,
            assignment__judge__account__user=request.user,
            replaced_at=None,
        )
        return [
            _vote_answer(row)
            for row in rows.select_related("assignment__judge__campaign")
        ]

    @answers(VoteSerializer, 201, 400, 409, 422, request=VOTE)
    def post(self, request: SignedInCall, token: str) -> Response:
        """Send a vote. Sent again under its key it counts once."""
        campaign = _campaign(request, token)
        reply, values = _read_vote(_members(request))
        rows = Assignment.objects.filter(
            judge__campaign=campaign,
            judge__account__user=request.user,
            key=reply.assignment,
        )
        given = rows.select_related("judge__campaign", "first").first()
        if given is None:
            raise ApiError(404, "not_found", "this was not given to you to judge")
        words = len(words_of(checks.texts(given)[0]))
        if values and (checked := campaign.values_in(values, words)) is None:
            message = "`values` answers every question with a value that it has"
            raise ApiError(422, "invalid", message)
        whole = Sent(
            reply.assignment,
            reply.key,
            (values and checked) or {},
            reply.seconds,
            reply.instead,
        )
        vote = assignment.vote(given.judge, whole)
        return self.serialize(VoteSerializer, _vote_answer(vote), 201)


def _vote_answer(vote: Vote) -> Mapping[str, Any]:
    return {
        "assignment": str(vote.assignment.key),
        "key": str(vote.key),
        "values": vote.values,
        "at": vote.at,
        "feedback": checks.feedback(vote.assignment, vote.values),
    }


def _read_vote(data: Mapping[str, Any]) -> tuple[Sent, Mapping[str, Any]]:
    """A vote as it was sent, and its values, unchecked. Raises ApiError."""
    values, seconds = data.get("values"), data.get("seconds")
    try:
        keys = [UUID(str(data[name])) for name in ("assignment", "key")]
        instead = UUID(str(data["instead"])) if data.get("instead") else None
    except (KeyError, ValueError):
        message = "`assignment`, `key` and `instead` are UUIDs"
        raise ApiError(422, "invalid", message) from None
    whole = isinstance(seconds, int) and not isinstance(seconds, bool)
    if not isinstance(values, dict) or not (whole or seconds is None):
        message = "`values` is an object, and `seconds` a whole number"
        raise ApiError(422, "invalid", message)
    return Sent(keys[0], keys[1], {}, seconds, instead), values


class CampaignsView(Endpoint):
    access = EDIT.signed_in
    scopes = {"GET": Scope.ORGANIZE}

    @answers(CampaignSerializer, many=True)
    def get(self, request: Request, task: Task) -> list[Campaign]:
        """The campaigns of a task, and how many votes they have."""
        rows = Campaign.objects.filter(phase__task=task)
        campaigns = list(rows.select_related("phase", "test_set"))
        for campaign in campaigns:
            votes: Any = CampaignVotes(campaign)
            campaign.votes = len(votes.counted_rows)  # type: ignore[attr-defined]
            campaign.left_out = votes.left_out  # type: ignore[attr-defined]
            campaign.by_models = votes.by_models  # type: ignore[attr-defined]
        return campaigns


class CampaignVotesView(Endpoint):
    access = EDIT.signed_in
    scopes = {"GET": Scope.ORGANIZE}

    @answers(None, media_type="*/*")
    def get(self, request: Request, task: Task, name: str, form: str) -> HttpResponse:
        """Every vote of a campaign, as `csv` or `jsonl`. Judges are numbers."""
        rows = Campaign.objects.filter(phase__task=task).select_related("phase__task")
        campaign = next((campaign for campaign in rows if campaign.key == name), None)
        if campaign is None:
            raise Http404
        return votes_file(campaign, form)
