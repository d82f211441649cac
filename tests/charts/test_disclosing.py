"""Charts, systems, comparisons and the front page show what the policy lets them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards.charts.kinds import all_kinds
from leaderboard.boards.front_page import recent_results
from leaderboard.extras.comparison.system import rank_shares, rivals
from leaderboard.extras.diagnostics.system import curve, slices
from leaderboard.extras.publishing.formats.bibtex import overview_entry
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.charts.conftest import files
from tests.leaderboard.small import one_wrong, scored
from tests.organize.disclosing import revealed, unrevealed

pytestmark = pytest.mark.django_db

TASK = "/tasks/otters/test"
CHARTS = f"{TASK}/charts/"
# The scores of the three, overall and on a test set, and their names.
TELLTALE = (
    "91.67",
    "95.83",
    "87.5",
    "100.00",
    "alder",
    "birch",
    "cedar",
    "Cys",
    "Bens",
)
DETAILED = (
    "pairs",
    "ranks",
    "slices",
    "slice-intervals",
    "correlation",
    "variance",
)


def pages(sent: list[Submission]) -> list[str]:
    chosen = "&".join(f"system={one.pk}" for one in sent)
    return [
        CHARTS,
        *(f"{CHARTS}?chart={kind.name}&entries=all" for kind in all_kinds()),
        *(f"{CHARTS}?chart={kind.name}" for kind in all_kinds()),
        *(f"{TASK}/chart.svg?chart={kind.name}" for kind in all_kinds()),
        f"{TASK}/compare/?{chosen}",
        *(f"/submissions/{one.pk}/system/" for one in sent),
        *(f"/submissions/{one.pk}/system.bib" for one in sent),
        "/",
        "/?q=otter",
    ]


@pytest.mark.usefixtures("pages_made_anew")
def test_a_blind_phase_draws_nothing(phase: Phase, sent: list[Submission]) -> None:
    unrevealed(phase, "blind")
    for page in pages(sent):
        answer = Client().get(page)
        assert not any(told in answer.content.decode() for told in TELLTALE), page
        assert b'id="figures"' not in answer.content
    for word in ("birch", "Cys"):
        assert Client().get("/", {"q": word}).context["found"].hits == []
    revealed(phase)
    assert b'id="figures"' in Client().get(CHARTS).content


def opened(sent: Submission, choices: str = "") -> Any:
    """The fragment that htmx is given for an opened row."""
    address = f"/submissions/{sent.pk}/system/{choices}"
    return Client().get(address, headers={"HX-Request": "true"})


def test_an_opened_row_shows_its_slices(sent: list[Submission]) -> None:
    more = opened(sent[0], "?entries=all&test_set=north&measure=uas")
    assert "<html" not in more.text and "UAS by slice" in more.text
    assert "genre: letter" in more.text and "genre: tale" in more.text
    whole = Client().get(f"/submissions/{sent[0].pk}/system/")
    assert "<html" in whole.text
    assert "HX-Request" in whole["Vary"] and "HX-Request" in more["Vary"]
    assert opened(sent[0], "?test_set=nowhere").status_code == 404


@pytest.mark.parametrize("policy", ["best", "blind"])
def test_a_row_opens_to_nothing_more_where_its_system_has_no_page(
    phase: Phase, sent: list[Submission], policy: str
) -> None:
    unrevealed(phase, policy)
    assert opened(sent[1]).status_code == 404
    page = Client().get(f"{TASK}/board/").text
    assert ("birch" in page) == (policy == "best")
    assert f"/submissions/{sent[1].pk}/" not in page


def test_best_scores_come_without_details(phase: Phase, sent: list[Submission]) -> None:
    unrevealed(phase, "best")
    for name in DETAILED:
        assert Client().get(CHARTS, {"chart": name}).status_code == 404
    lines = Client().get(CHARTS, {"chart": "time"}).context["chart"].lines
    assert [line[2] for line in lines] == ["birch", "cedar"]
    assert Client().get(CHARTS, {"entries": "all"}).status_code == 404


def test_a_frozen_board_has_frozen_charts(phase: Phase, sent: list[Submission]) -> None:
    unrevealed(phase, freeze_from=sent[1].received_at)
    lines = Client().get(CHARTS, {"chart": "time"}).context["chart"].lines
    assert [line[2] for line in lines] == ["alder", "birch"]


def test_hidden_names_are_on_no_page(
    phase: Phase, entry: Participation, sent: list[Submission]
) -> None:
    Participation.objects.filter(pk=entry.pk).update(anonymous=True, alias=7)
    for page in pages(sent):
        assert "Bens" not in Client().get(page).content.decode(), page
    assert Client().get("/", {"q": "Bens"}).context["found"].hits == []


def test_a_system_page_tells_what_the_board_tells(sent: list[Submission]) -> None:
    page = Client().get(f"/submissions/{sent[1].pk}/system/")
    system = page.context["system"]
    assert (system.row.team, system.ranks_as.rank) == ("Bens", 1)
    assert [row.system for row in system.history] == ["birch", "alder"]
    assert {row.system for row in rivals(system, None).others} == {"alder", "cedar"}
    assert [test_set.name for test_set in system.parts] == ["north", "south", "west"]
    # The same in every resample: there is nothing to draw.
    assert rank_shares(system, None) == {}
    text = page.content.decode()
    for told in ("Rank 1 of 2", "tale", "Compare with"):
        assert told in text
    older = Client().get(f"/submissions/{sent[0].pk}/system/").content.decode()
    assert "Another entry of the team is on the board" in older


def test_a_system_page_shows_the_field_the_curve_and_how_to_cite(
    sent: list[Submission],
) -> None:
    cedar = Client().get(f"/submissions/{sent[2].pk}/system/")
    system = cedar.context["system"]
    others = rivals(system, None)
    assert others.above.system == others.leader.system == "birch"
    text = cedar.content.decode()
    assert f"?system={sent[2].pk}&amp;system={sent[1].pk}" in text
    parts = slices(system, None)["parts"]
    tale = next(one for one in parts if one.part.label == "tale")
    # Birch is right everywhere; of the tales of cedar one word in twelve is wrong.
    assert (tale.field, tale.middle) == ([100.0], "100.00")
    assert tale.score.printed == "91.67"
    line, points = curve(system, None).figure["data"]
    assert len(line["x"]) == 3 and len(points["x"]) == 1
    assert line["y"][-1] == 100.0 and points["y"] == [pytest.approx(95.83, abs=0.01)]
    bib = Client().get(f"/submissions/{sent[2].pk}/system.bib")
    assert bib.content.decode() == overview_entry(system, None)
    for told in ("author = {{Cys}}", "title = {{cedar}}", "LAS 95.83"):
        assert told in bib.content.decode()


def test_three_systems_are_compared_in_pairs(sent: list[Submission]) -> None:
    chosen = {"system": [str(one.pk) for one in sent]}
    page = Client().get(f"{TASK}/compare/", chosen)
    assert len(page.context["pairs"]) == 3
    side = page.context["side"]
    assert [row.system for row in side.rows] == ["birch", "cedar", "alder"]
    assert [cell == "–" for cell in side.matrix[0][1]] == [True, False, False]
    assert {line.label for line in page.context["slices"]} >= {"tale", "letter"}
    tale = next(line for line in page.context["slices"] if line.label == "tale")
    # One of the four words of each of two tales is wrong, of three: -25 / 3 and twice.
    assert [one.text for one in tale.differences] == ["+8.33", "+16.67"]
    letter = next(line for line in page.context["slices"] if line.label == "letter")
    # Each test set has one letter: that says nothing of how letters vary.
    assert [one.interval for one in letter.differences] == ["", ""]


def test_a_comparison_has_one_sign_throughout(sent: list[Submission]) -> None:
    """That of the reference, in the drawing, by measure and by slice."""
    chosen = {"system": [str(one.pk) for one in sent]}
    for asked, signs in (({}, "+"), ({"reference": str(sent[0].pk)}, "−")):
        page = Client().get(f"{TASK}/compare/", {**chosen, **asked})
        forest = page.context["forest"]
        assert [pair.difference[0] for pair in forest.pairs] == [signs] * 2
        lines = [*page.context["measures"], *page.context["slices"]]
        told = [one.text for line in lines for one in line.differences]
        assert {text[0] for text in told if float(text.replace("−", "-"))} == {signs}
        tale = next(one for one in page.context["slices"] if one.label == "tale")
        assert tale.zero and all(bar for _one, bar in tale.cells)
        assert [line.label for line in page.context["measures"]]


def test_systems_are_asked_for_by_name_too(sent: list[Submission]) -> None:
    """In every place that takes their ids; of two teams only with the team."""
    by_id = {"system": [str(one.pk) for one in sent[1:]]}
    for names in (["birch", "cedar"], ["Bens/birch", "CEDAR"]):
        page = Client().get(f"{TASK}/compare/", {"system": names})
        assert page.context["chosen"] == by_id["system"]
        api = f"/api/v1{TASK}/compare/"
        asked = Client().get(api, {"system": names}).json()
        assert asked == Client().get(api, by_id).json()
    across = Client().get(f"{TASK}/across/", {"system": "cedar"})
    assert across.context["across"].row.system == "cedar"
    drawn = Client().get(CHARTS, {"chart": "slice-intervals", "system": "cedar"})
    assert [line[1] for line in drawn.context["chart"].lines] == ["cedar"]
    Submission.objects.filter(system="cedar").update(system="birch")
    cache.clear()
    for names, status in ((["birch", "alder"], 404), (["Cys/birch", "alder"], 200)):
        asked = Client().get(f"{TASK}/compare/", {"system": names})
        assert asked.status_code == status, names


@pytest.mark.usefixtures("pages_made_anew")
def test_the_front_page_tells_what_is_open_and_who_leads(
    task: Task, sent: list[Submission]
) -> None:
    (result,) = recent_results(timezone.now(), {task.pk: 1})
    assert [leader["system"] for leader in result.leaders] == ["birch"]
    assert str(sent[1].pk) in result.rows and "100.00" in result.rows
    assert result.rows in Client().get("/").text
    found = Client().get("/", {"q": "Cedar"}).context["found"]
    assert [hit.row.system for hit in found.hits] == ["cedar"]
    assert list(Client().get("/", {"q": "Otter"}).context["found"].tasks) == [task]
    Task.objects.update(draft=True)
    assert result.rows not in Client().get("/").text
    assert recent_results(timezone.now(), {task.pk: 1}) == []
    assert Client().get("/", {"q": "cedar"}).context["found"].nothing


def queries(address: str, **choices: Any) -> int:
    with CaptureQueriesContext(
        connection,
    ) as caught:
        assert Client().get(address, choices).status_code == 200
    return len(caught)


@pytest.mark.usefixtures("pages_made_anew")
def test_more_systems_ask_for_no_more(
    phase: Phase, entry: Participation, sent: list[Submission]
) -> None:
    # Parts: test_parts.py; this phase has none, and no facts.
    asked = [
        (CHARTS, {"chart": k.name})
        for k in all_kinds()
        if k.name not in ("parts", "facts")
    ]
    asked += [
        ("/", {}),
        ("/", {"q": "er"}),
        (f"/submissions/{sent[1].pk}/system/", {}),
    ]
    for address, choices in asked:
        queries(address, **choices)
    before = [queries(address, **choices) for address, choices in asked]
    for name in ("elder", "fir"):
        scored(phase, entry, files(west=one_wrong("south")), system=name)
    for address, choices in asked:
        queries(address, **choices)
    assert [queries(address, **choices) for address, choices in asked] == before


@pytest.mark.parametrize("name", ["about", "privacy", "accessibility"])
def test_pages_that_only_say_something(name: str) -> None:
    page = Client().get(f"/{name}/")
    assert page.status_code == 200
    assert f'href="/{name}/"' in page.content.decode()


def test_the_front_page_begins_with_the_own_tasks_of_a_reader(
    phase: Phase, sent: list[Submission], as_user: Callable[[User], Client]
) -> None:
    ben, stranger = (
        User.objects.get(email="ben@example.org"),
        User.objects.create_user("stranger@example.org"),
    )
    (one,) = as_user(ben).get("/").context["own_tasks"]
    assert (one.phase, one.team) == (phase, "Bens")
    assert one.last.submission == sent[1]
    assert one.left is None
    Phase.objects.update(daily_limit=5, total_limit=3)
    (one,) = as_user(ben).get("/").context["own_tasks"]
    assert one.left == 1  # of three in all two are used
    assert Client().get("/").context["own_tasks"] == []
    assert as_user(stranger).get("/").context["own_tasks"] == []


@pytest.mark.usefixtures("pages_made_anew")
def test_a_finished_task_asks_nobody_to_take_part(
    task: Task, as_user: Callable[[User], Client]
) -> None:
    stranger = User.objects.create_user("stranger@example.org")
    address = f"/tasks/{task.slug}/"
    assert "to take part" in Client().get(address).content.decode()
    Phase.objects.update(closes=timezone.now())
    for client in (Client(), as_user(stranger)):
        page = client.get(address).content.decode()
        assert "This task is over." in page
        assert "button-primary" not in page.partition("<main")[2]
