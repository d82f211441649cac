"""Pages of judges without a script, and those of organizers: nothing tells a system."""

import csv
import io
import json
import re
from itertools import cycle
from typing import Any

import pytest
from django.test import Client

from leaderboard.extras.erasure.erasure import forget
from leaderboard.extras.erasure.views import account_data
from leaderboard.extras.judging.assignment import begin, invite
from leaderboard.extras.judging.models import (
    Campaign,
    Judge,
    JudgeAccount,
    JudgedAnswer,
    Vote,
)
from leaderboard.extras.judging.setup import CampaignForm
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.extras.judging.campaigns import (
    CANARY,
    campaign_of,
    form_data,
    hidden,
    people_bundle,
    people_task,
    store_votes,
    system,
    vote_by_form,
)
from tests.leaderboard.judged import run_all
from tests.leaderboard.small import inline

PLACE = "/tasks/signs/organize/judging/"


def three_systems(phase: Phase, entry: Participation) -> None:
    for quality in (1, 2, 3):
        system(phase.task, User.objects.get(name="ben"), quality)


pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(of=people_bundle, then=three_systems),
]


@pytest.fixture
def campaign(task: Task) -> Campaign:
    return campaign_of(task)


def begun(campaign: Campaign) -> tuple[Client, str]:
    """A browser of somebody who has begun, and the address."""
    client, address = Client(), campaign.get_absolute_url()
    assert "Begin" in client.get(address).text
    assert client.post(address).status_code == 302
    return client, address


def test_somebody_judges_by_link_without_a_script_and_goes_on(
    campaign: Campaign,
) -> None:
    client, address = begun(campaign)
    page = client.get(address).text
    assert "Which is better?" in page and "0 of 200 today" in page
    assert "what stands on sign" in page and page.count("of quality") == 2
    assert 'class="judging-saved" hidden' in page  # nothing is yet
    answer = vote_by_form(client, address, choice="left")
    assert answer.status_code == 302
    page = client.get(address).text
    assert "1 of 200 today" in page and 'class="judging-saved">saved' in page
    assert Vote.objects.get().values == {"choice": "left"}


def test_no_form_is_shown_before_the_script_that_keeps_its_vote(
    campaign: Campaign,
) -> None:
    """A form that the browser sends by itself is gone where the connection is lost."""
    client, address = begun(campaign)
    page = client.get(address).text
    (script,) = re.findall(r"<script[^>]*judging[^>]*>", page)
    assert page.index(script) < page.index("</head>")
    assert not re.search("module|defer|async", script)


def test_a_double_click_is_one_vote_and_going_back_changes_nothing(
    campaign: Campaign,
) -> None:
    client, address = begun(campaign)
    page = client.get(address).text
    sent = {name: hidden(page, name) for name in ("assignment", "key", "shown")}
    for _ in range(2):
        client.post(address, {**sent, "choice": "equal"})
    other = {**sent, "key": "0" * 8 + sent["key"][8:]}
    answer = client.post(address, {**other, "choice": "right"}, follow=True)
    assert "You judged this already" in answer.text
    assert Vote.objects.get().values == {"choice": "equal"}


def test_the_last_one_can_be_changed(campaign: Campaign) -> None:
    client, address = begun(campaign)
    vote_by_form(client, address, choice="left")
    page = client.get(address + "?change").text
    sent = {x: hidden(page, x) for x in ("assignment", "key", "shown", "instead")}
    client.post(address, {**sent, "choice": "bad"})
    assert Vote.objects.get(replaced_at=None).values == {"choice": "bad"}
    assert "1 of 200 today" in client.get(address).text


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"choice": "both"},
        {"choice": "left", "key": "x", "assignment": "y"},
        {"choice": "left", "shown": "²"},
        {"skip": "1", "instead": "nobody"},
    ],
)
def test_what_no_page_sends_is_refused_and_is_no_vote(
    campaign: Campaign, sent: dict[str, str]
) -> None:
    client, address = begun(campaign)
    assert client.post(address, sent).status_code in (302, 422)
    assert not Vote.objects.exists()


def test_somebody_who_cannot_tell_skips(campaign: Campaign) -> None:
    client, address = begun(campaign)
    vote_by_form(client, address, skip="1")
    assert Vote.objects.get().values == {}
    assert "1 of 200 today" in client.get(address).text


def test_a_pause_has_a_link_with_which_another_machine_goes_on(
    campaign: Campaign,
) -> None:
    client, address = begun(campaign)
    vote_by_form(client, address, choice="left")
    page = client.get(address + "?pause").text
    link = re.findall(r"http://testserver(/judging/\S+/back/[^<]+)<", page)[0]
    other = Client()
    assert other.get(link).status_code == 302
    assert "1 of 200 today" in other.get(address).text
    assert Judge.objects.count() == 1


def test_an_account_is_asked_for_where_the_campaign_says_so(
    task: Task, cy: User, as_user: Any
) -> None:
    campaign = campaign_of(task, access="signed_in")
    address = campaign.get_absolute_url()
    assert "/accounts/login/" in Client().get(address)["Location"]
    client = as_user(cy)
    client.post(address)
    vote_by_form(client, address, choice="left")
    assert "1 of 200 today" in as_user(cy).get(address).text
    # The link of a judge opens nothing without their account.
    key = Judge.objects.get().key
    stranger = Client()
    stranger.get(f"{address}back/{key}/")
    assert stranger.get(address).status_code == 302


def test_judges_by_list_have_links_of_their_own_and_nobody_else_judges(
    task: Task, as_user: Any, ada: User, client: Client, cy: User
) -> None:
    campaign = campaign_of(task, access="own_link")
    place, address = f"{PLACE}{campaign.pk}/", campaign.get_absolute_url()
    organizer = as_user(ada)
    for people in ("", "x", "0", "2001", "2"):
        organizer.post(f"{place}change/", {"action": "invite", "people": people})
    assert campaign.judges.count() == 2
    links = [one.get_absolute_url() for one in campaign.judges.all()]
    page = organizer.get(place).text
    assert all(link in page for link in links)
    # The common link alone opens nothing, and an account is no invitation.
    for stranger in (client, as_user(cy)):
        assert "use yours" in stranger.get(address).text
        assert "use yours" in stranger.post(address, follow=True).text
    assert campaign.judges.count() == 2
    for link in links:
        judge = Client()
        assert "Which is better?" in judge.get(link, follow=True).text
        vote_by_form(judge, address, choice="left")
        assert "1 of 200 today" in judge.get(address).text
    assert Vote.objects.count() == 2


def test_a_closed_campaign_says_so_and_takes_nobody(campaign: Campaign) -> None:
    client, address = begun(campaign)
    Campaign.objects.update(open=False)
    assert "paused or over" in client.get(address).text
    assert "paused or over" in Client().get(address).text
    assert "paused or over" in Client().post(address, follow=True).text
    assert Judge.objects.count() == 1


def test_nothing_tells_a_judge_which_system_wrote_an_answer(
    campaign: Campaign, ben: User
) -> None:
    secrets = [CANARY, "Bens", "sent.csv", ben.email]
    secrets += [str(pk) for pk in Submission.objects.values_list("pk", flat=True)]
    client, address = begun(campaign)
    seen = []
    for number in range(12):
        answer = client.get(address)
        seen += [answer.text, str(answer.headers), str(client.cookies)]
        answer = vote_by_form(client, address, choice=("left", "right")[number % 2])
        seen += [str(answer.headers)]
    seen += [client.get(address + "?change").text, client.get(address + "?pause").text]
    text = "".join(seen)
    assert [one for one in secrets if one in text] == []


def test_any_script_is_shown_in_its_direction_and_nothing_is_markup(
    task: Task,
) -> None:
    campaign = campaign_of(task, questions="أيهما أفضل؟", instructions="<b>קרא</b>")
    client, address = begun(campaign)
    page = client.get(address).text
    assert '<h1 dir="auto">أيهما أفضل؟</h1>' in page
    assert "&lt;b&gt;קרא&lt;/b&gt;" in page and page.count('dir="auto"') >= 5


def test_scales_and_sliders_are_answered_whole_or_not_at_all(
    ada: User, cy: User
) -> None:
    Task.objects.update(slug="older")
    task = people_task(ada, ["adequacy = mean(adequacy)"])
    for quality in (1, 2):
        system(task, cy, quality, "Cys")
    for kind, good, bad in (("slider", "73", "101"), ("scale", "2", "3")):
        more = {"kind": kind, "questions": "adequacy: How much?", "steps": "no\nyes"}
        client, address = begun(campaign_of(task, **more))
        assert (
            vote_by_form(client, address, **{"value-adequacy": bad}).status_code == 422
        )
        assert vote_by_form(client, address).status_code == 422
        assert (
            vote_by_form(client, address, **{"value-adequacy": good}).status_code == 302
        )
        found = Vote.objects.order_by("pk").last()
        assert found is not None and found.values == {"adequacy": int(good)}
        assert "checked" in client.get(address + "?change").text or kind == "slider"


def test_a_judge_with_a_link_of_their_own_begins_with_the_instructions_open(
    task: Task,
) -> None:
    """They see no page before it; after the first vote the page has room for answers.
    Whoever has read the page before it finds them closed."""
    opened, examples = 'judging-instructions" open', "You begin with 2 examples"
    own = campaign_of(task, access="own_link", training=2, title="Own")
    invite(own, 1)
    judge = Judge.objects.get(campaign=own)
    client = Client()
    page = client.get(judge.get_absolute_url(), follow=True).text
    assert opened in page and examples in page
    assert vote_by_form(client, own.get_absolute_url(), skip="1").status_code == 302
    page = client.get(own.get_absolute_url()).text
    assert "judging-instructions" in page
    assert opened not in page and examples not in page
    client, address = begun(campaign_of(task, training=2, title="Common"))
    page = client.get(address).text
    assert opened not in page and examples not in page


def test_judges_are_told_of_checks_only_where_there_are_some(task: Task) -> None:
    none = {"controls": 0, "spoiled": 0, "training": 0}
    for number, (more, twice, checks) in enumerate(
        (
            ({}, False, False),
            ({"controls": 10}, True, True),
            ({"spoiled": 10}, False, True),
            ({"training": 1}, False, True),
            ({"known": "u1 | better | worse", "known_share": 10}, False, True),
        )
    ):
        made = campaign_of(task, title=f"Number {number}", **{**none, **more})
        client = Client()
        page = client.get(made.get_absolute_url()).text
        assert "your judgements carry a number" in page
        assert ("shown twice" in page) == twice
        client.post(made.get_absolute_url())
        page = client.get(made.get_absolute_url()).text
        assert "which systems wrote these" in page
        assert ("Some are checks" in page) == checks


def test_a_page_says_where_both_answers_read_the_same(campaign: Campaign) -> None:
    """Two that are one but for spaces; not those that differ in a letter, nor an answer
    beside the same one spoiled."""
    answers = JudgedAnswer.objects.order_by("pk")
    said = "Both answers read the same."
    for texts, training, same in (
        (["the boat is late"] * 3, 0, True),
        (["the boat is late", "the  boat is late ", "the boat is\nlate"], 0, True),
        (["the boat is late", "the Boat is late", "the boat is late."], 0, False),
        (["the boat is late"] * 3, 1, False),
    ):
        for answer, text in zip(answers, cycle(texts), strict=False):
            JudgedAnswer.objects.filter(pk=answer.pk).update(text=text)
        Campaign.objects.update(training=training)
        client, address = begun(campaign)
        assert (said in client.get(address).text) == same


def test_a_form_with_a_mistake_comes_back_with_a_sentence_at_its_field(
    task: Task, ada: User, as_user: Any
) -> None:
    """Also where other fields are read by the one that is wrong."""
    single = {"questions": "adequacy: How much?", "steps": "no\nyes"}
    for field, kind, text in (
        ("steps", "scale", "one"),
        ("steps", "scale", ""),
        ("steps", "scale", "\n".join(map(str, range(12)))),
        ("questions", "scale", "How much?"),
        ("categories", "spans", "omission\nomission"),
        ("severities", "spans", "minor: many"),
    ):
        data = form_data(task, **(single | {"kind": kind, field: text}))
        form: Any = CampaignForm(task, data)
        assert not form.is_valid() and list(form.errors) == [field]
    data = form_data(task, kind="scale", questions="adequacy: How much?", steps="one")
    assert as_user(ada).post(PLACE + "new/", data).status_code == 422


def test_an_organizer_goes_from_an_empty_form_to_a_board(
    task: Task, ada: User, as_user: Any
) -> None:
    client = as_user(ada)
    assert "Let people judge" in client.get(PLACE).text
    with inline:
        answer = client.post(PLACE + "new/", form_data(task))
    campaign = Campaign.objects.get()
    place = f"{PLACE}{campaign.pk}/"
    assert answer["Location"] == place
    page = client.get(place).text
    assert campaign.get_absolute_url() in page and "0 of 48" in page
    assert "nobody has judged it" in page
    for seed in range(3):
        store_votes(begin(campaign), seed, most=16)
    page = client.get(place).text
    assert "48 of 48, for 8 units" in page and "nobody has judged it" not in page
    with inline:
        answer = client.post(place + "change/", {"action": "publish"}, follow=True)
    assert "Judgements of 3 submissions were taken in" in answer.text
    run_all()
    assert "Rating" in Client().get("/tasks/signs/test/board/").text
    client.post(place + "change/", {"action": "close"})
    assert "Open again" in client.get(place).text


def test_votes_come_as_csv_and_json_lines_with_judges_as_numbers(
    campaign: Campaign, ada: User, cy: User, as_user: Any
) -> None:
    judge = begin(campaign, cy)
    store_votes(judge, most=4)
    client = as_user(ada)
    text = client.get(f"{PLACE}{campaign.pk}/votes.csv").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 4 and {row["judge"] for row in rows} == {"judge 1"}
    assert {row["choice"] for row in rows} <= {"left", "equal", "right", "bad"}
    lines = client.get(f"{PLACE}{campaign.pk}/votes.jsonl").text.splitlines()
    assert [json.loads(line)["unit"] for line in lines] == [row["unit"] for row in rows]
    everything = text + "".join(lines) + client.get(f"{PLACE}{campaign.pk}/").text
    assert cy.email not in everything and str(judge.key) not in everything
    assert client.get(f"{PLACE}{campaign.pk}/votes.exe").status_code == 404


def test_who_leaves_is_no_judge_any_more_and_their_votes_stay_under_a_number(
    campaign: Campaign, cy: User
) -> None:
    store_votes(begin(campaign, cy), most=4)
    copy = account_data(cy)["judging"]
    assert [row["judge__campaign__title"] for row in copy] == ["Signs"]
    forget(cy)
    assert not JudgeAccount.objects.exists()
    assert Vote.objects.count() == 4


def test_a_page_asks_as_many_questions_of_the_database_however_many_votes(
    campaign: Campaign, ada: User, as_user: Any, django_assert_max_num_queries: Any
) -> None:
    client = as_user(ada)
    for seed in range(5):
        store_votes(begin(campaign), seed, most=8)
    with django_assert_max_num_queries(25):
        client.get(f"{PLACE}{campaign.pk}/")
    judge, address = begun(campaign)
    with django_assert_max_num_queries(25):
        judge.get(address)
