"""Campaigns for the tests: systems of differing quality, and simulated judges."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any
from uuid import UUID

from django.test import Client
from django.utils import timezone

from leaderboard.extras.judging import assignment, tallies
from leaderboard.extras.judging.assignment import Sent
from leaderboard.extras.judging.models import (
    Assignment,
    Campaign,
    CampaignKind,
    Judge,
    JudgeModels,
    Vote,
)
from leaderboard.extras.judging.setup import CampaignForm
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from scoring.source import Source
from tests.leaderboard.judged import _bundle, entry_of, sent
from tests.leaderboard.small import inline

CANARY = "kanarienvogel"
UNITS = tuple(f"u{i}" for i in range(1, 9))
GOLD = "id,source\n" + "".join(f"{u},what stands on sign {u}\n" for u in UNITS)
MEASURES = [
    "rating = mean(rating); decimals 0; title Rating",
    "win = probability(win); percent; title Expected wins",
]


def people_bundle(measures: Sequence[str] = MEASURES, **phase: Any) -> Source:
    """A task whose answers are judged by people alone."""
    options = {"measure": list(measures), "missing": "leave", "inputs": ["source"]}
    scorer = {"name": "table", "options": options}
    return _bundle("signs", scorer, GOLD, **phase)


def people_task(ada: User, measures: Sequence[str] = MEASURES, **phase: Any) -> Task:
    return create_task(people_bundle(measures, **phase), ada)


def system(task: Task, person: User, quality: int, team: str = "Bens") -> Submission:
    """A submission whose answers say how good they are, and whose name is secret."""
    entry = task.participations.filter(team__name=team).first()
    entry = entry or entry_of(task, person, team)
    rows = "".join(f"{unit},answer {unit} of quality {quality}\n" for unit in UNITS)
    return sent(task, entry, "id,text\n" + rows, system=f"{CANARY} {quality}")


def form_data(task: Task, **more: Any) -> dict[str, Any]:
    return {
        "title": "Signs",
        "phase": task.phases.get().pk,
        "test_set": task.test_sets.get().pk,
        "kind": "pairs",
        "questions": "Which is better?",
        "instructions": "Read both.",
        "access": "link",
        "per_unit": 6,
        "daily": 200,
        "controls": 0,
        **more,
    }


def campaign_of(task: Task, **more: Any) -> Campaign:
    form = CampaignForm(task, form_data(task, **more))
    assert form.is_valid(), form.errors
    with inline:
        return form.make()


def let_in(campaign: Campaign, user: User) -> None:
    """Judge models of the account may judge."""
    JudgeModels.objects.create(campaign=campaign, user=user, allowed_at=timezone.now())


def quality_of(answer: Any) -> int:
    return int(answer.text.rpartition(" ")[2])


Values = Callable[[Judge, Assignment, Random], Mapping[str, Any]]


def judged_by(judge: Judge, one: Assignment, random: Random) -> dict[str, Any]:
    """The choice of somebody who is right more often than not."""
    first = quality_of(one.first) + random.gauss(0, 1.5)
    if judge.campaign.kind == CampaignKind.PAIRS:
        assert one.second is not None
        gap = first - quality_of(one.second) - random.gauss(0, 1.5)
        choice = "equal" if abs(gap) < 0.5 else "left" if gap > 0 else "right"
        return {"choice": choice}
    return {x: round(min(max(50 + 10 * first, 0), 100)) for x in judge.campaign.columns}


def vote_all(judge: Judge, seed: int = 0, most: int = 10_000) -> int:
    """Everything that a judge gets to judge, in this process; how much."""
    random, number = Random(seed), 0
    while number < most and (one := assignment.next_for(judge, random)) is not None:
        values = judged_by(judge, one, random)
        assignment.vote(judge, Sent(one.key, assignment.new_key(), values, 5))
        number += 1
    return number


def store_votes(
    judge: Judge, seed: int = 0, most: int = 10_000, values: Values = judged_by
) -> int:
    """Votes of a judge on things drawn at random, stored at once: for tests of what
    becomes of votes, which do not ask how things were given; how many."""
    random, now, campaign = Random(seed), timezone.now(), judge.campaign
    size = 2 if campaign.in_pairs else 1
    things = [
        shown
        for unit in campaign.units.order_by("pk")
        for shown in combinations(unit.answers.exclude(submission=None), size)
    ]
    rows = []
    for shown in random.sample(things, min(most, len(things))):
        first, *other = random.sample(shown, size)
        more = {"second": other[0]} if other else {}
        one = Assignment(judge=judge, unit=first.unit, first=first, **more)
        one.voted_at = now
        rows.append(one)
    Assignment.objects.bulk_create(rows)
    Vote.objects.bulk_create(
        Vote(
            assignment=one,
            key=assignment.new_key(),
            values=values(judge, one, random),
            seconds=5,
            told=campaign.wording_version,
        )
        for one in rows
    )
    tallies.recount(campaign)
    return len(rows)


def hidden(page: str, name: str) -> str:
    """The value of a hidden field."""
    return page.partition(f'name="{name}" value="')[2].partition('"')[0]


def vote_by_form(client: Client, address: str, **values: str) -> Any:
    """A vote as a browser without a script sends it."""
    page = client.get(address).text
    names = ("assignment", "key", "shown")
    return client.post(address, {x: hidden(page, x) for x in names} | values)


def key_of(page: str) -> UUID:
    return UUID(hidden(page, "assignment"))
