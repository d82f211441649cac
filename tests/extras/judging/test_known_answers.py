"""Answers of which it is known what judges have to say, as a check of judges."""

from random import Random
from typing import Any

import pytest
import yaml
from django.test import Client
from django.utils import timezone

from leaderboard.extras.archive.contents import _bundle
from leaderboard.extras.judging import setup
from leaderboard.extras.judging.assignment import (
    Sent,
    begin,
    new_key,
    next_for,
    unit_count,
    vote,
)
from leaderboard.extras.judging.checks import texts
from leaderboard.extras.judging.export import export_votes
from leaderboard.extras.judging.foreign_votes import bring_in
from leaderboard.extras.judging.models import (
    Assignment,
    Campaign,
    CampaignKind,
    Judge,
    JudgedPair,
)
from leaderboard.extras.judging.questions import (
    known_in,
    known_lines,
    severities_in,
    severity_lines,
)
from leaderboard.extras.judging.results import CampaignVotes
from leaderboard.extras.judging.setup import CampaignForm
from leaderboard.organize.bundle import apply
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from scoring.errors import SetupError
from tests.extras.judging.campaigns import (
    CANARY,
    UNITS,
    campaign_of,
    form_data,
    people_task,
    system,
    vote_all,
)
from tests.extras.judging.test_bundle import SIGNS, bundle_with
from tests.leaderboard.small import inline

pytestmark = pytest.mark.django_db
GOOD, BAD = "Ships land here. quality 9", "Here ships. quality 0"
PAIRS = f"u1 | {GOOD} | {BAD}\nu2 | {GOOD} | {BAD}\nu3 | {GOOD} | {BAD}"
SINGLE = {
    "kind": "slider",
    "questions": "score: How good?",
    "known": f"u1 | {BAD} | 0 | 30\nu2 | {GOOD} | 70 | 100",
    "known_share": 50,
}


@pytest.fixture
def task(ada: User, ben: User) -> Task:
    task = people_task(ada)
    for quality in (1, 2, 3):
        system(task, ben, quality)
    return task


def judging(judge: Judge, *, right: bool, seed: int = 1) -> None:
    """Everything there is; of known pairs the better answer, or never."""
    random = Random(seed)
    while (one := next_for(judge, random)) is not None:
        choice = "equal"
        if one.known is not None:
            first = one.first_id == one.known.better_id
            choice = "left" if first == right else "right"
        vote(judge, Sent(one.key, new_key(), {"choice": choice}))


@pytest.mark.parametrize("right", [True, False])
def test_known_answers_are_passed_or_failed_and_count_nowhere(
    task: Task, right: bool
) -> None:
    campaign = campaign_of(task, known=PAIRS, known_share=50, per_unit=3)
    judge = begin(campaign)
    judging(judge, right=right)
    known = Assignment.objects.exclude(known=None)
    assert known.count() == 3  # each once
    assert not known.filter(counted=True).exists()
    assert sum(JudgedPair.objects.values_list("taken", flat=True)) == 3 * len(UNITS)
    votes = CampaignVotes(campaign)
    assert len(votes.counted_rows) == 3 * len(UNITS)
    (report,) = votes.reports([judge])
    assert (report.controls, report.failed) == (3, 0 if right else 3)
    rows = list(export_votes(campaign))
    assert sum(row["known"] for row in rows) == 3
    assert all(row["control"] and not row["first"] for row in rows if row["known"])


def test_a_single_known_answer_has_to_get_a_value_within_its_bounds(
    ada: User, ben: User
) -> None:
    task = people_task(ada, ["score = mean(score)"])
    for quality in (1, 2):
        system(task, ben, quality)
    campaign = campaign_of(task, **SINGLE)
    for value, failed in ((30, 1), (70, 1), (50, 2)):
        judge, random = begin(campaign), Random(3)
        while (one := next_for(judge, random)) is not None:
            score = value if one.known is not None else 55
            vote(judge, Sent(one.key, new_key(), {"score": score}))
        (report,) = CampaignVotes(campaign).reports([judge])
        assert (report.controls, report.failed) == (2, failed)
    votes = CampaignVotes(campaign)
    assert {row.values["score"] for row in votes.counted_rows} == {55}


def test_nothing_on_the_page_tells_a_known_answer_from_others(task: Task) -> None:
    campaign = campaign_of(task, known=PAIRS, known_share=50)
    client, address = Client(), campaign.get_absolute_url()
    client.post(address)
    judge = campaign.judges.get()

    def page_of(one: Assignment) -> str:
        text = client.get(address).text
        for part in (str(one.key), *texts(one), one.unit.shown[0][1]):
            text = text.replace(part, "")
        hidden = ("csrfmiddlewaretoken", 'name="key"', 'name="shown"', "nonce", "today")
        kept = [x for x in text.splitlines() if not any(y in x for y in hidden)]
        return "\n".join(line for line in kept if "progress" not in line)

    pages: dict[bool, set[str]] = {True: set(), False: set()}
    random = Random(2)
    while (one := next_for(judge, random)) is not None:
        pages[one.known is not None].add(page_of(one))
        vote(judge, Sent(one.key, new_key(), {"choice": "left"}))
        if all(len(texts) > 1 for texts in pages.values()):
            break
    assert pages[True] and pages[True] <= pages[False]


def test_a_unit_of_known_answers_alone_is_judged_for_no_system(
    task: Task, ben: User
) -> None:
    lines = "\n".join(f"{unit} | {GOOD} | {BAD}" for unit in UNITS)
    campaign = campaign_of(task, known=lines, sample=2, per_unit=3, known_share=0)
    assert unit_count(campaign) == 2 and campaign.units.count() == len(UNITS)
    assert vote_all(begin(campaign)) == 6
    system(task, ben, 4)
    with inline:
        assert setup.add_latecomers(campaign) == 1
    answers = campaign.units.filter(answers__submission__isnull=False)
    assert answers.distinct().count() == 2
    page = Client().get(campaign.get_absolute_url())
    assert page.status_code == 200


def test_votes_from_elsewhere_are_on_systems_beside_known_answers(task: Task) -> None:
    campaign = campaign_of(task, known=PAIRS)
    first, second = (f"{CANARY} {quality}" for quality in (1, 2))
    head = "question_id,model_a,model_b,winner,judge"
    file = f"{head}\nu1,{first},{second},model_a,someone\n"
    assert bring_in(campaign, file.encode()).new == 1
    unknown = f"{head}\nu2,{first},None,model_a,someone\n"
    with pytest.raises(Refusal, match="None"):
        bring_in(campaign, unknown.encode())


def test_a_known_answer_of_no_unit_is_refused_by_name(task: Task) -> None:
    with pytest.raises(Refusal, match="does not have: u99"):
        campaign_of(task, known=f"u99 | {GOOD} | {BAD}")
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("kind", "line", "said"),
    [
        ("pairs", "u1 | one", "the better and the worse answer"),
        ("pairs", "u1 | one | one", "the better and the worse answer"),
        ("slider", "u1 | one | 80 | 120", "the least and the most"),
        ("slider", "u1 | one | 40 | 30", "the least and the most"),
        ("scale", "u1 | one | 0 | 1", "the least and the most"),
    ],
)
def test_a_form_says_what_is_wrong_with_a_known_answer(
    task: Task, kind: str, line: str, said: str
) -> None:
    more = {"questions": "a: b?"} if kind != "pairs" else {}
    data = form_data(task, kind=kind, known=line, steps="no\nyes", **more)
    form: Any = CampaignForm(task, data)
    assert not form.is_valid() and said in str(form.errors["known"])


def test_known_answers_go_into_a_bundle_and_not_into_what_is_public(
    ada: User, ben: User
) -> None:
    task = people_task(ada)
    plan = SIGNS | {"known": PAIRS.splitlines(), "known_share": 20}
    apply(task, load(bundle_with(task, plan)), ada)
    campaign = Campaign.objects.get()
    assert campaign.known[0] == ["u1", GOOD, BAD] and campaign.known_share == 20
    for quality in (1, 2):
        system(task, ben, quality)
    with inline:
        setup.start(campaign)
    apply(task, load(bundle_with(task, plan)), ada)
    with pytest.raises(SetupError, match="'known' cannot change"):
        apply(task, load(bundle_with(task, SIGNS)), ada)
    with pytest.raises(SetupError) as caught:
        load(bundle_with(task, SIGNS | {"known": ["u1 | one"]}))
    assert caught.value.problems[0].line


def test_an_archive_without_gold_has_no_known_answers(ada: User, ben: User) -> None:
    task = people_task(ada)
    apply(task, load(bundle_with(task, SIGNS | {"known": PAIRS.splitlines()})), ada)
    for gold in (True, False):
        files = dict(_bundle(task, timezone.now(), gold))
        table = yaml.safe_load(files["bundle/task.yaml"])
        (one,) = table["judging"]
        assert ("known" in one) == gold and one["questions"]


def test_numbers_of_lines_come_again_as_they_were_written() -> None:
    heavy = ["major: 12.345", "minor: 1"]
    assert severity_lines(severities_in(CampaignKind.SPANS, heavy)[0]) == heavy
    known = ["unit 1 | an answer | 0 | 123456.5"]
    assert known_lines(known_in(CampaignKind.SPANS, known)[0]) == known
