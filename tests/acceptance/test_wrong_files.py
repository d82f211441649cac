"""Wrong files of every kind through a running site: form, API, client and engine say
the same sentence first, in the reader's language."""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from django.utils import timezone

from leaderboard.api import tokens
from leaderboard.tasks import blobs
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from plumbline import credentials
from plumbline.__main__ import main as client
from scoring.__main__ import main as engine
from scoring.source import Source
from tests.scoring.test_diagnosis import CASES, TASKS, data
from tests.scoring.wrong_files import Lines, trees

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
    pytest.mark.in_process,
]
# Gold of those tasks whose right answer is none.
GOLDS: dict[str, Lines] = {
    "conll18": [line.replace("# sent_id", "# newpar\n# sent_id") for line in trees()],
    "retrieval": [f"q{topic} 0 d{topic}1 1" for topic in range(1, 11)],
    "early": ["id,label", *(f"item-{n:03},{n % 2}" for n in range(1, 41))],
}
# Who knows no other test set may take its ids for those of this one, with a prefix.
OF_ANOTHER_KIND = (
    "The ids are of another kind than those of the input file",
    "The ids are written differently: 'gull test-1'",
)
PATIENCE = 120.0  # seconds, on a busy machine
ENDINGS = {"unl-graph": ".unl", "edits": ".m2", "tuples": ".jsonl"}
SECTION = re.compile(r'<section class="notice notice-error"(.*?)</section>', re.S)
FIRST = re.compile(r'<p class="diagnosis">.*?<strong>(.*?)</strong>', re.S)
# What is quoted from files, and names of formats and columns.
QUOTED = re.compile(
    r"<code.*?</code>|'[^']*'|„[^“]*“|«[^»]*»|\"[^\"]*\"|JSON Lines", re.S
)
ENGLISH = re.compile(
    r"\b(?:the|is|are|of|and|or|where|with|expected|found|missing|there|not|this|that|"
    r"has|have|line|lines|word|words|file|write|send|copy|only|between|first|more)\b",
    re.I,
)


@dataclass(frozen=True)
class Sender:
    """Somebody at the form, at the API and at a terminal."""

    browser: httpx.Client
    program: httpx.Client
    folder: Path

    def at_the_form(self, task: str, name: str, sent: bytes, language: str) -> str:
        """The notice with the problems, as HTML."""
        address = f"/tasks/{task}/dev/submit/"
        token = self.browser.cookies["csrftoken"]
        answer = self.browser.post(
            address,
            data={"csrfmiddlewaretoken": token, "only": "check"},
            files={"file_dev": (name, sent)},
            headers={
                "Accept-Language": language,
                "Referer": str(self.browser.base_url),
            },
        )
        assert answer.status_code == 422
        match = SECTION.search(answer.text)
        assert match is not None
        return match[1]

    def by_the_api(self, task: str, name: str, sent: bytes) -> str:
        address = f"/api/v1/tasks/{task}/dev/check/"
        answer = self.program.post(address, files={"file_dev": (name, sent)})
        assert answer.status_code == 422
        told = answer.json()
        said = [*told.get("diagnoses", ()), *told["problems"]]
        return str(said[0]["message"])


@pytest.fixture
def sender(
    live_server: Any,
    ben: User,
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Sender]:
    settings.REFUSED_PER_DAY = 10_000
    settings.API_RATES = dict.fromkeys(settings.API_RATES, 10_000)
    _token, text = tokens.make(ben, "test", ("read", "submit"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(credentials.SITE, live_server.url)
    monkeypatch.setenv(credentials.TOKEN, text)
    with (
        httpx.Client(
            base_url=live_server.url, timeout=PATIENCE, follow_redirects=True
        ) as browser,
        httpx.Client(
            base_url=live_server.url,
            timeout=PATIENCE,
            headers={"Authorization": f"Bearer {text}"},
        ) as program,
    ):
        browser.get("/accounts/login/")
        token = browser.cookies["csrftoken"]
        signing = {"login": ben.email, "password": "x", "csrfmiddlewaretoken": token}
        assert "Sign out" in browser.post("/accounts/login/", data=signing).text
        yield Sender(browser, program, tmp_path)


def bundle_of(name: str) -> Source:
    """A task with a phase for development and one for a test set of its own."""
    task, opens = TASKS[name], timezone.now() - timedelta(days=1)
    gold = data(GOLDS.get(name, task.right))
    ending = ENDINGS.get(task.scorer, ".txt")
    titles = {"dev": "Development", "test": "Test"}
    table = {
        "plumbline": 1,
        "draft": False,
        "slug": name,
        "title": name,
        "scorer": {
            "name": task.scorer,
            "options": {key: value.split(",") for key, value in task.options.items()},
        },
        "bootstrap": {"resamples": 200, "seed": 7, "level": 0.95},
        "test_sets": [{"name": one, "gold": f"{one}{ending}"} for one in titles],
        "phases": [
            {
                "name": one,
                "title": title,
                "opens": opens.isoformat(),
                "test_sets": [one],
            }
            for one, title in titles.items()
        ],
    }
    files = {f"{one}{ending}": gold for one in titles}
    return Source(name, {"task.yaml": yaml.safe_dump(table).encode(), **files})


def with_blind_files(name: str, ada: User) -> Any:
    """The task, with the blind files of the case in place of those of its gold."""
    made = create_task(bundle_of(name), ada)
    others = TASKS[name].others.get("Test", [])
    for one, lines in (("dev", TASKS[name].blind), ("test", others)):
        stored = blobs.keep(data(lines or TASKS[name].blind))
        made.test_sets.filter(name=one).update(blind_sha256=stored)
    return made


def first_of(notice: str) -> str:
    match = FIRST.search(notice)
    assert match is not None
    return html.unescape(re.sub("<[^>]*>", "", match[1])).strip()


@pytest.mark.sampled(6)  # tests/scoring/test_diagnosis.py has all sentences
@pytest.mark.parametrize("name", TASKS)
def test_every_way_says_the_same_sentence_first(
    name: str,
    sender: Sender,
    ada: User,
    ben: User,
    settings: Any,
    capsys: pytest.CaptureFixture[str],
    share: int,
) -> None:
    join(with_blind_files(name, ada), Team.found("Bens", ben))
    task = TASKS[name]
    ending = ENDINGS.get(task.scorer, ".txt")
    mine, blind = sender.folder / f"mine{ending}", sender.folder / f"blind{ending}"
    blind.write_bytes(data(task.blind))
    cases = [case for case in CASES if case[0] == name][::share]
    for number, (_name, mistake, wanted) in enumerate(cases):
        # The first is read in the sandbox; the others would take seconds each.
        settings.SANDBOX_INLINE = number > 0
        sent = data(mistake(task.right))
        mine.write_bytes(sent)
        notices = {
            language: sender.at_the_form(name, mine.name, sent, language)
            for language in ("en", "de", "ru")
        }
        assert first_of(notices["en"]) == wanted
        assert sender.by_the_api(name, mine.name, sent) == wanted
        client(["--json", "check", f"{name}/dev", f"dev={mine}"])
        assert json.loads(capsys.readouterr().out)[0]["message"] == wanted
        said = at_home(name, mine, blind, capsys)
        assert said in (wanted, as_foreign(wanted)) or (
            as_foreign(wanted) != wanted and said.startswith(OF_ANOTHER_KIND)
        )
        for language in ("de", "ru"):
            notice = html.unescape(notices[language])
            assert first_of(notice) != wanted
            assert ENGLISH.findall(QUOTED.sub("", notice)) == [], notice


def at_home(
    name: str, mine: Path, blind: Path, capsys: pytest.CaptureFixture[str]
) -> str:
    """What the engine says that knows no other test set."""
    options = [f"{key}={value}" for key, value in TASKS[name].options.items()]
    words = ["check", TASKS[name].scorer, "--gold", str(blind), "--system", str(mine)]
    engine([*words, *(word for one in options for word in ("--option", one))])
    told = json.loads(capsys.readouterr().out)
    return str(told.get("diagnosis", told["problems"][0])["message"])


def as_foreign(wanted: str) -> str:
    """The sentence about a file of another phase, said by whom nobody told of it."""
    match = re.match(
        r"This is the file of Test: .* of its \d+ (\w+) .* the (\d+)", wanted
    )
    return (
        f"This file belongs to something else: none of the {match[2]} {match[1]} of "
        "this test set is in it."
        if match
        else wanted
    )
