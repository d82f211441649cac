"""Pages of judging in tests of the whole site."""

from collections.abc import Mapping
from typing import Any

from leaderboard.extras.judging.models import Campaign, Judge
from leaderboard.tasks.models import Task
from tests.organize.matrix_access import EDIT, LINKED
from tests.organize.routes import button, form, read

NEW = "a campaign is made of answers that were sent; tested with such answers"
ROUTES = {
    "judge": form(LINKED, post={}, named={"token": "judging_token"}),
    "judge-back": read(
        LINKED, get=302, named={"token": "judging_token", "key": "judge_key"}
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


def rows_in(task: Task) -> Mapping[str, Any]:
    """What addresses name, by the word that stands for it in `ROUTES`."""
    campaign = Campaign.objects.create(
        phase=task.phases.get(name="test"),
        test_set=task.test_sets.get(name="north"),
        title=f"{task}, judged",
        kind="pairs",
        questions=[["rating", "Which is better?"]],
        access="link",
    )
    judge = Judge.objects.create(campaign=campaign, number=1)
    return {
        "campaign": campaign.pk,
        "judge": judge.number,
        "judging_token": campaign.token,
        "judge_key": judge.key,
        "ending": "csv",
    }
