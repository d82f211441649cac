"""Campaigns in a bundle: out and in again, and what stays once people judge."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client, override_settings

from leaderboard.extras.judging.bundle import CampaignPlan
from leaderboard.extras.judging.models import Campaign
from leaderboard.organize.bundle import apply, export_bundle, import_plan
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import TaskPlan, keys_of
from leaderboard.tasks.models import Change, Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from scoring.formats.bundle import zip_files
from scoring.source import Source
from tests.extras.judging.campaigns import campaign_of, people_task, system
from tests.leaderboard.small import inline

pytestmark = pytest.mark.django_db
HANDBOOK = Path(__file__).parents[3] / "docs" / "organizers" / "judging.md"
SIGNS = {"name": "signs", "title": "Signs", "questions": ["Which is better?"]}
CLEAR = {
    "name": "clear",
    "kind": "scale",
    "questions": ["adequacy: How much is there?"],
    "steps": ["nothing", "some", "all"],
    "instructions": "Read both.\n\nThen think.",
    "access": "signed_in",
    "per_unit": 4,
    "sample": 5,
    "daily": 40,
    "controls": 0,
    "known": ["u1 | What it says. | 2 | 3"],
}


def bundle_with(task: Task, *campaigns: dict[str, Any], **more: Any) -> Source:
    """The bundle of a task, its campaigns replaced by these."""
    whole = export_bundle(task)
    files = dict(unzip(whole.name, BytesIO(whole.single())).files)
    table = yaml.safe_load(files["task.yaml"])
    table |= {"judging": list(campaigns), **more}
    files["task.yaml"] = yaml.safe_dump(table, sort_keys=False).encode()
    return Source("signs", files)


def test_campaigns_go_out_and_in_again(ada: User) -> None:
    task = people_task(ada)
    apply(task, load(bundle_with(task, SIGNS, CLEAR)), ada)
    first = export_bundle(task)
    signs, clear = Campaign.objects.order_by("pk")
    assert (signs.kind, signs.questions) == (
        "pairs",
        [["rating", "Which is better?"]],
    )
    assert not signs.open and not signs.has_begun
    assert clear.questions == [["adequacy", "How much is there?"]]
    assert (clear.steps, clear.sample) == (["nothing", "some", "all"], 5)
    assert (clear.access, clear.per_unit, clear.daily) == ("signed_in", 4, 40)
    assert clear.instructions == "Read both.\n\nThen think."
    moved = bundle_with(task, SIGNS, CLEAR, slug="other")
    other = import_plan(load(moved), ada)
    again = export_bundle(other)
    manifests = [
        unzip(one.name, BytesIO(one.single())).files["task.yaml"].decode()
        for one in (first, again)
    ]
    wanted = manifests[0].replace("slug: signs", "slug: other")
    assert wanted.replace("draft: false", "draft: true") == manifests[1]


def test_a_campaign_that_was_made_by_form_is_in_the_bundle(
    ada: User, ben: User
) -> None:
    task = people_task(ada)
    for quality in (1, 2):
        system(task, ben, quality)
    campaign_of(task)
    whole = export_bundle(task)
    table = yaml.safe_load(
        unzip(whole.name, BytesIO(whole.single())).files["task.yaml"]
    )
    (one,) = table["judging"]
    assert one["name"] == "signs" and one["questions"] == ["Which is better?"]
    assert "token" not in str(table["judging"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"questions": []}, "Write one question"),
        ({"kind": "slider"}, "expected a column"),
        ({"kind": "scale", "questions": ["a: b?"]}, "From 2 to 11"),
        ({"phase": "nowhere"}, "expected one of "),
        ({"per_unit": 0}, "a number of 1 or more"),
        ({"controls": 90}, "a number below 51"),
        ({"question": ["x"]}, "Did you mean 'questions'?"),
        ({"adaptive": True}, "pairs are no longer chosen"),
        ({"covariates": ["side"]}, "ratings no longer take into account"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    ada: User, change: dict[str, Any], said: str
) -> None:
    source = bundle_with(people_task(ada), SIGNS | change)
    with pytest.raises(SetupError) as caught:
        load(source)
    (problem,) = caught.value.problems
    assert said in str(problem) and problem.line


def test_removed_keys_that_said_nothing_are_read(ada: User) -> None:
    task = people_task(ada)
    plan = load(bundle_with(task, SIGNS | {"adaptive": False, "covariates": []}))
    assert plan == load(bundle_with(task, SIGNS))


def test_a_declared_campaign_begins_by_its_button_and_then_stays(
    ada: User, ben: User, as_user: Any
) -> None:
    task = people_task(ada)
    apply(task, load(bundle_with(task, SIGNS)), ada)
    campaign = Campaign.objects.get()
    place = f"/tasks/signs/organize/judging/{campaign.pk}/"
    client = as_user(ada)
    assert "Declared, not begun" in client.get(place).text
    assert "not begun" in client.get("/tasks/signs/organize/judging/").text
    assert "paused or over" in Client().get(campaign.get_absolute_url()).text
    for quality in (1, 2):
        system(task, ben, quality)
    with inline:
        client.post(place + "change/", {"action": "open"})
    campaign.refresh_from_db()
    assert campaign.open and campaign.units.count() == 8
    same = load(bundle_with(task, SIGNS | {"daily": 7}))
    apply(task, same, ada)
    campaign.refresh_from_db()
    assert campaign.daily == 7 and campaign.units.count() == 8
    for changed in ([], [SIGNS | {"questions": ["Which is worse?"]}]):
        with pytest.raises(SetupError, match="people judge"):
            apply(task, load(bundle_with(task, *changed)), ada)


def test_history_and_preview_tell_of_campaigns(ada: User, as_user: Any) -> None:
    task = people_task(ada)
    source = zip_files("signs.zip", bundle_with(task, SIGNS).files)
    client = as_user(ada)
    file = SimpleUploadedFile("signs.zip", source.single())
    with inline:
        page = client.post("/tasks/signs/organize/bundle/", {"bundle": file})
    assert "Which is better?" in page.text
    apply(task, load(bundle_with(task, SIGNS)), ada)
    apply(task, load(bundle_with(task, SIGNS | {"daily": 7})), ada)
    rows = Change.objects.filter(content_type__model="campaign")
    assert [row.changes["daily"] for row in rows.order_by("pk")] == [
        [None, 60],
        [60, 7],
    ]
    assert "token" not in rows.last().changes
    assert client.get("/tasks/signs/organize/history/").status_code == 200


def test_the_handbook_names_every_key() -> None:
    text = HANDBOOK.read_text("utf-8").partition("```yaml\njudging:")[2]
    table = yaml.safe_load("judging:" + text.partition("```")[0])
    assert {key for one in table["judging"] for key in one} == set(
        keys_of(CampaignPlan)
    )


def test_a_site_without_the_extra_knows_no_such_key(ada: User) -> None:
    source = bundle_with(people_task(ada), SIGNS)
    assert "judging" in keys_of(TaskPlan.whole())
    with override_settings(EXTRAS=()):
        assert "judging" not in keys_of(TaskPlan.whole())
        with pytest.raises(SetupError, match="unknown key"):
            load(source)


@pytest.mark.filterwarnings("ignore:Default value")
def test_the_schema_has_the_key(capsys: Any) -> None:
    call_command("bundle_schema")
    text = capsys.readouterr().out
    assert '"judging"' in text
