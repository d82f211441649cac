"""Hidden input reaches no page, mail, answer, log or error that a team sees, whatever
its code does with it; and each kind of bad code has a sentence."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.extras.code.models import CodeRule, CodeRun
from leaderboard.mail.models import Mail
from leaderboard.submissions.accept import Unfit
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.extras.code.code_task import (
    HEAD,
    RULE,
    SECRET,
    code,
    code_task,
    newest,
    sent,
    submitted,
)
from tests.extras.code.test_code_before_programs import FAILS
from tests.leaderboard.small import CANARY
from tests.organize.canaries import Aviary
from tests.organize.crawling import Crawl, addresses, text_of

pytestmark = pytest.mark.django_db
REAL = pytest.mark.thorough  # the real sandbox
# The words that the table of failures reads, in as many lines as there.
WORDS = """\
import os, sys
from pathlib import Path
source, target = map(Path, sys.argv[1:])
words = next(source.iterdir()).read_text().replace(",", " ")
"""
WRITES = HEAD + 'out = (target / "answers.csv").open("w")\nlast = words[-1]\n'
ROWS = "out.write('id,label\\n' + ''.join(f'{row[\"id\"]},{%s}\\n' for row in rows))\n"
# What code does with the input in what it writes, and how that ends.
SAID = "what your code wrote for "
COPIES = {
    "as a label": (WRITES + ROWS % "last.split()[-1]", ""),
    "as an id": (WRITES + "out.write(f'id,label\\n{last},warm\\n')", SAID),
    "as a column": (WRITES + "out.write(f'id,{last}\\nu1,warm\\n')", SAID),
    "as a line that is too long": (
        WRITES + "out.write(f'id,label\\nu1,a,{last}\\n')",
        SAID,
    ),
    "as text of no format": (WRITES + "out.write('{\"' + last)", SAID),
    "as names of several files": (
        HEAD + "for n in '12': (target / f'{words[-1]}{n}').write_text(words[-1])",
        SAID,
    ),
    "as the name of one file": (
        HEAD + "(target / words[-1].split()[-1]).write_text('id,label\\n')",
        SAID,
    ),
    "as a folder": (
        HEAD
        + "(target / words[-1]).mkdir()\n(target / words[-1] / 'a').write_text('b')",
        SAID,
    ),
    "as a name that is no name": (
        HEAD + "(target / f'{words[-1]}:\\\\').write_text('id,label\\n')",
        "name that nobody can use",
    ),
    "as its exit message": (HEAD + "sys.exit(words[-1])", "exit code of its own"),
    "as its log": (RULE + "print(words)", ""),
}


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.PROGRAMS = "everyone"
    settings.PROGRAM_CPU_SECONDS, settings.PROGRAM_WALL_SECONDS = 2, 60
    settings.PROGRAM_DISK_MB = 8


@pytest.fixture
def task(ada: User) -> Task:
    return code_task(ada)


@dataclass
class Reading(Crawl):
    """Opens all that is linked, and notes where the hidden input or gold stands."""

    told: list[str] = field(default_factory=list)

    def note(self, address: str, answer: Any) -> None:
        assert answer.status_code < 500, address
        page = text_of(address, answer)
        if SECRET in page or CANARY in page:
            self.told.append(address)


def reading(task: Task, submissions: list[Submission], sender: User | None) -> Reading:
    """Every address of the site about the task and the submissions, and what they lead
    to."""
    client = Client()
    if sender is not None:
        client.force_login(sender)
    site = Aviary({}, {task.slug: task}, submissions, [1])
    systems = "&".join(f"system={submission.pk}" for submission in submissions)
    compare = reverse("compare", args=[task.slug, "test"]) + f"?{systems}"
    crawl = Reading(client, curious=False).open(addresses(site))
    crawl._visit(compare)
    return crawl


@pytest.fixture
def logs(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    caplog.set_level(logging.DEBUG)
    yield caplog
    assert SECRET not in caplog.text and CANARY not in caplog.text


def require_silence(one: Evaluation) -> None:
    """Rows that mails, answers and alarms are made of, and mails, say nothing."""
    texts = [str(one.problems), one.last_error, str(one.results)]
    texts += [str(vars(mail)) for mail in Mail.objects.all()]
    texts += [str(vars(event)) for event in one.events.all()]
    assert not [text for text in texts if SECRET in text or CANARY in text]


@REAL
@pytest.mark.parametrize("how", COPIES)
def test_input_that_code_writes_reaches_nobody(
    how: str, task: Task, logs: pytest.LogCaptureFixture
) -> None:
    script, end = COPIES[how]
    submission = sent(task, script)
    one = newest(submission)
    if end:
        assert one.state == EvaluationState.INVALID
        assert end in one.problems[0]["message"], one.problems
    else:
        assert one.state == EvaluationState.SCORED, one.problems
    require_silence(one)
    client = Client()
    client.force_login(submission.sender)
    for name, args in (
        ("submission", [submission.pk]),
        ("api-submission", [submission.pk]),
        ("api-board", [task.slug, "test"]),
    ):
        answer = client.get(reverse(name, args=args))
        assert answer.status_code == 200
        assert SECRET not in answer.text and CANARY not in answer.text


@REAL
@pytest.mark.sampled(3, by="what")
@pytest.mark.parametrize("what", FAILS)
def test_code_that_fails_is_told_where_and_never_what_it_said(
    what: str, task: Task, logs: pytest.LogCaptureFixture
) -> None:
    script, said = FAILS[what]
    one = newest(sent(task, WORDS + script))
    assert one.state == EvaluationState.INVALID
    (problem,) = one.problems
    assert said in problem["message"]
    require_silence(one)


@REAL
def test_no_address_of_the_site_shows_a_team_the_input(
    task: Task, logs: pytest.LogCaptureFixture
) -> None:
    """Of code that was scored, of code that failed, and of some whose output is odd:
    pages, feeds, exports, receipts, kits and answers of the API."""
    scripts = {"Gulls": COPIES["as a label"][0], "Terns": RULE + "print(words)"}
    scripts |= {"Auks": COPIES["as an id"][0], "Skuas": HEAD + "raise KeyError(words)"}
    scripts |= {"Loons": COPIES["as names of several files"][0]}
    submissions = [sent(task, script, team) for team, script in scripts.items()]
    for reader in (*(submission.sender for submission in submissions[:4:2]), None):
        crawl = reading(task, submissions, reader)
        assert crawl.told == []
        for kind in (
            "/kit/",
            "board.csv",
            "/receipt",
            "/feed/",
            "/api/v1/",
            "/errors/",
        ):
            assert [one for one in crawl.seen if kind in one], kind


@REAL
def test_an_organizer_reads_on_such_addresses_what_a_team_does_not(
    task: Task, ada: User
) -> None:
    """So that the search itself finds what it looks for."""
    crawl = reading(task, [sent(task, RULE + "print(words)")], ada)
    assert reverse("organize-code", args=[task.slug]) in crawl.told


@REAL
def test_where_the_input_is_public_a_team_reads_all(task: Task) -> None:
    CodeRule.objects.create(phase=task.phases.get(), show_log=True)
    submission = sent(task, COPIES["as an id"][0] + "\nprint(words)")
    client = Client()
    client.force_login(submission.sender)
    page = client.get(reverse("submission", args=[submission.pk])).text
    assert page.count(SECRET) >= 2  # in what it printed, and in the problem


@REAL
def test_code_remembers_nothing_between_test_sets(task: Task) -> None:
    """What it leaves where it may write is gone when it runs on the next."""
    keeps = (
        "kept = Path(os.environ['HOME']) / 'kept.txt'\n"
        "print('here before:', kept.exists(), sorted(os.listdir(target)))\n"
        "kept.write_text('1')\n"
    )
    submission = sent(task, HEAD + keeps + RULE.removeprefix(HEAD))
    runs = CodeRun.objects.filter(evaluation=newest(submission))
    assert [run.log for run in runs] == ["here before: False []\n"] * 2


def test_a_model_file_beyond_the_limit_is_refused_with_both_sizes(task: Task) -> None:
    CodeRule.objects.create(phase=task.phases.get(), most_megabytes=1)
    weights = bytes(range(256)) * 8000
    with pytest.raises(Refusal, match=r"may have 1 MB .* this one has 2\.0 MB"):
        submitted(task, code(**{"weights.bin": weights}))


def test_code_of_another_language_is_refused(task: Task) -> None:
    files = {"metadata": b"command: Rscript predict.R $input $output\n"}
    with pytest.raises(Unfit, match="only Python programs are run"):
        submitted(task, code(**files))
