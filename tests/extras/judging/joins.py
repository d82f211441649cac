"""Pages of judging in tests of the whole site."""

from collections.abc import Mapping
from typing import Any

from leaderboard.extras.judging.assignment import begin, new_key
from leaderboard.extras.judging.models import (
    Assignment,
    Campaign,
    Judge,
    JudgedAnswer,
    JudgedUnit,
)
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from tests.organize.matrix_access import EDIT, LINKED
from tests.organize.routes import Route, button, form, read

NEW = "a campaign is made of answers that were sent; tested with such answers"
OWN = "a vote is on what its sender was given; tested with such votes"
ROUTES = {
    "judge": form(LINKED, post={}, named={"token": "judging_token"}),
    "judge-back": read(
        LINKED, get=302, named={"token": "judging_token", "key": "judge_key"}
    ),
    "api-judging": Route(LINKED.signed_in, {}, named={"token": "judging_token"}),
    "api-judging-votes": Route(
        LINKED.signed_in, {}, idle=OWN, named={"token": "judging_token"}
    ),
    "api-campaigns": read(EDIT.signed_in),
    "api-campaign-votes": read(
        EDIT.signed_in, named={"name": "campaign_name", "form": "ending"}
    ),
    "organize-campaigns": read(EDIT),
    "organize-campaign-new": form(EDIT, post={}, idle=NEW),
    "organize-campaign": read(EDIT, named={"pk": "campaign"}),
    "organize-campaign-change": button(
        EDIT, {"action": "close"}, named={"pk": "campaign"}
    ),
    "organize-campaign-judge": button(
        EDIT, {"why": "always the first"}, named={"pk": "campaign", "number": "judge"}
    ),
    "organize-campaign-votes": read(EDIT, named={"pk": "campaign", "ending": "ending"}),
}
# What a scope opens, by route and method.
WRITES = {
    ("api-judging", "POST"): "submit",
    ("api-judging-votes", "POST"): "submit",
    ("api-campaigns", "GET"): "organize",
    ("api-campaign-votes", "GET"): "organize",
}


def place(user: User) -> Mapping[str, Any]:
    """Values of the places in addresses of the API."""
    campaign = _campaign(Task.objects.get().phases.get(), "north")
    unit = JudgedUnit.objects.create(campaign=campaign, name="1")
    answer = JudgedAnswer.objects.create(
        unit=unit, submission=Submission.objects.get(), text="an answer"
    )
    given = Assignment.objects.create(
        judge=begin(campaign, user), unit=unit, first=answer
    )
    given.votes.create(key=new_key(), values={"choice": "left"})
    return {"token": campaign.token}


def rows_in(task: Task) -> Mapping[str, Any]:
    """Rows that addresses name, by the word that stands for them in `ROUTES`."""
    campaign = _campaign(task.phases.get(name="test"), "judged")
    judge = Judge.objects.create(campaign=campaign, number=1)
    return {
        "campaign": campaign.pk,
        "campaign_name": campaign.key,
        "judge": judge.number,
        "judging_token": campaign.token,
        "judge_key": judge.key,
        "ending": "csv",
    }


def _campaign(phase: Phase, name: str) -> Campaign:
    return Campaign.objects.create(
        phase=phase,
        test_set=phase.task.test_sets.get(name="north"),
        name=name,
        title=f"{phase.task}, judged",
        kind="pairs",
        questions=[["rating", "Which is better?"]],
        access="link",
    )
