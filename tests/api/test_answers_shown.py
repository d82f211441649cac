"""The answers on the page of the API are recorded ones, of the form that is sent today.

After a change of an answer, record them anew and commit the file:

    .venv/bin/python -m pytest -n 0 tests/api/test_answers_shown.py --record-answers
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.api.schema import EXAMPLES, component_of, examples, schema
from leaderboard.boards.snapshots import Wanted, as_values, public_boards, take
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Extension, Notice, Phase, Snapshot
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.api.test_schema import built
from tests.leaderboard.small import both, one_wrong, scored

# The task has neither judgements nor votes, and too few test sets to correlate.
NOT_RECORDED = {"Across", "Judgements", "Uncertainty", "Vote"}
SITE, SHOWN = "http://testserver", "https://plumbline.example.org"
MOST = 2  # of the elements of a list
# What is another in every database or at every time, and what stands for it.
ALIKE = (
    (
        r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        "2f1c7a0e-5b0d-4c59-9a1e-0d5c6f3b8e21",
    ),
    (
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)",
        "2026-03-02T09:30:00Z",
    ),
    (r"snapshots/[0-9a-f]{16}", "snapshots/e3b0c442e3b0c442"),
    (r"msg_[0-9a-f]{32}", "msg_11e2429240af491cb00f59fd564f86ef"),
    (r"\b[0-9a-f]{64}\b", "e3b0c442" * 8),
)


def recorded() -> dict[str, Any]:
    """One answer of each form that GET gets from a small site."""
    site = built()
    places = {**site["places"], "start": snapshot_of(site).sha256[:16]}
    systems = {"system": [str(one.pk) for one in Submission.objects.all()]}
    asked = {"compare": systems, "across": systems, "results": {"team": "Cys"}}
    found: dict[str, Any] = {"Problem": plain(Client().get("/api/v1/me/").json())}
    for path, name, many in forms():
        for role in ("organizer", "team"):
            answer = Client().get(
                path.format(**places),
                asked.get(path.split("/")[-2], {}),
                headers={"Authorization": f"Bearer {site['texts'][role]}"},
            )
            told = answer.json() if answer.status_code == 200 else None
            if told and name not in found:
                found[name] = plain(told[0] if many else told)
    return dict(sorted(found.items()))


def snapshot_of(site: dict[str, Any]) -> Snapshot:
    """A second system and a line in the log first, so that there is more to tell."""
    cy = User.objects.create_user("c@example.org", "x")
    phase = Phase.objects.get()
    entry = join(phase.task, Team.found("Cys", cy))
    scored(phase, entry, both({"north": one_wrong()}), system="second")
    ada = User.objects.get(email="a@example.org")
    Notice.objects.create(task=phase.task, kind="news", text="Rain is coming.", by=ada)
    Extension.objects.create(phase=phase, participation=entry, until=timezone.now())
    boards = as_values(public_boards(phase, timezone.now()))
    return take(phase, boards, Wanted(ada, timezone.now(), "Half time"))


def forms() -> Iterator[tuple[str, str, bool]]:
    """Address, name of the form of its answer, and whether it is a list of them."""
    for path, methods in schema()["paths"].items():
        if "get" in methods:
            for status, answer in methods["get"]["responses"].items():
                content = answer.get("content", {}).get("application/json")
                if status == "200" and content:
                    name, many = component_of(content["schema"])
                    if name:
                        yield path, name, many


def plain(told: Any) -> Any:
    """Cut to what is read on a page, without what differs from site to site."""
    if isinstance(told, dict):
        return {name: plain(value) for name, value in told.items()}
    if isinstance(told, list):
        return [plain(one) for one in told[:MOST]]
    if isinstance(told, str):
        for pattern, instead in ALIKE:
            told = re.sub(pattern, instead, told)
        return told.replace(SITE, SHOWN)
    return told


def form_of(told: Any) -> Any:
    """Names and kinds of values, without the values."""
    if isinstance(told, dict):
        return {name: form_of(value) for name, value in told.items()}
    if isinstance(told, list):
        return [form_of(one) for one in told]
    return type(told).__name__


@pytest.mark.all_extras
def test_the_answers_on_the_page_have_the_form_of_todays(
    db: None, sandbox_inline: None, pytestconfig: pytest.Config
) -> None:
    now = recorded()
    if pytestconfig.getoption("--record-answers"):
        text = json.dumps(now, indent=2, ensure_ascii=False)
        EXAMPLES.write_text(text + "\n", encoding="utf-8")
        examples.cache_clear()
    assert form_of(now) == form_of(examples())


@pytest.mark.all_extras
def test_the_page_shows_an_answer_of_every_form_that_is_read(db: None) -> None:
    html = Client().get("/api/docs/").content.decode()
    read = {name for _path, name, _many in forms()}
    assert read - examples().keys() <= NOT_RECORDED
    assert html.count('class="answer"') >= len(read - NOT_RECORDED)
    assert "&quot;ranked_by&quot;: &quot;las&quot;" in html
