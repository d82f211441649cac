"""The sender: one thread for a process, in rounds, beside what scores."""

import os
from collections.abc import Iterator
from dataclasses import replace
from threading import Event, Lock, Thread, current_thread

import pytest
from django.core import mail
from django.core.mail import EmailMessage

from leaderboard.mail import outbox
from leaderboard.mail.models import Mail
from leaderboard.mail.sender import Round, Sender
from leaderboard.organize import messages
from leaderboard.organize.mail import MESSAGE, written
from leaderboard.tasks.models import Message, Participation, Phase, Task
from leaderboard.teams.models import Membership
from tests.leaderboard.small import both, scored
from tests.organize.crowd import person
from tests.waiting import wait_until

LONG = 60.0


class Slow:
    """Work of the sender that goes on until the test says so."""

    def __init__(self) -> None:
        self.begun, self.go_on = Event(), Event()
        self.rounds: list[tuple[str, Round]] = []

    def __call__(self, limit: Round) -> None:
        self.rounds.append((current_thread().name, limit))
        self.begun.set()
        self.go_on.wait(LONG)


@pytest.fixture
def slow() -> Iterator[Slow]:
    work = Slow()
    yield work
    work.go_on.set()


def ends(sender: Sender) -> None:
    wait_until(lambda: not sender.busy, LONG, "the sender has nothing left")


def test_a_sender_does_each_kind_of_work_in_turn_in_one_thread(slow: Slow) -> None:
    sender, other = Sender(), Slow()
    other.go_on.set()
    sender.start(slow)
    slow.begun.wait(LONG)
    for work in (other, slow, other, slow):
        sender.start(work)
    assert not other.begun.is_set(), "one thing at a time"
    slow.go_on.set()
    ends(sender)
    assert len(slow.rounds) == 2, "what was asked for while it was done comes once more"
    assert len(other.rounds) == 1
    assert {name for name, _ in slow.rounds + other.rounds} == {"sender"}


def test_work_that_fails_keeps_nothing_else_back(slow: Slow) -> None:
    def fails(_limit: Round) -> None:
        raise RuntimeError("no such host")

    sender = Sender()
    slow.go_on.set()
    sender.start(fails)
    sender.start(slow)
    ends(sender)
    assert slow.rounds


def test_a_round_is_over_when_its_seconds_are(slow: Slow) -> None:
    sender = Sender(seconds=0)
    slow.go_on.set()
    sender.start(slow)
    ends(sender)
    assert slow.rounds[0][1].over
    assert not Round(LONG).over


def test_a_process_that_ends_waits_a_moment_and_begins_nothing_more(
    slow: Slow,
) -> None:
    sender, other = Sender(), Slow()
    sender.start(slow)
    sender.start(other)
    slow.begun.wait(LONG)
    assert not slow.rounds[0][1].over
    sender.stop(seconds=0.01)  # returns although the server still hangs
    assert slow.rounds[0][1].over, "it is not to take up the next mail"
    slow.go_on.set()
    ends(sender)
    assert not other.begun.is_set()


@pytest.mark.django_db
@pytest.mark.databases("locks")
def test_results_do_not_wait_behind_a_message_to_everybody(
    task: Task, phase: Phase, entry: Participation
) -> None:
    for i in range(5):
        Membership.objects.create(team=entry.team, user=person(f"m{i}@example.org"))
    scored(phase, entry, both())
    news = Message(task=task, subject="News", text="Words.", by=task.organizers.get())
    messages.write_message(news)
    assert Mail.objects.filter(kind=MESSAGE).count() == 6
    assert outbox.send() == 7
    subjects = [str(message.subject) for message in mail.outbox]
    assert [i for i, words in enumerate(subjects) if "Scored" in words] == [1]


@pytest.mark.django_db
def test_no_mail_is_begun_in_a_round_that_is_over(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    assert outbox.send(limit=Round(0)) == 0
    assert outbox.send(limit=Round(LONG)) == 1, "nothing was claimed before"


@pytest.mark.django_db
def test_no_process_forks_while_a_mail_is_written(
    task: Task, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is locked then would stay locked in a child, which scores a file."""
    lock, forks = Lock(), []

    def fork() -> None:
        child = os.fork()
        if child == 0:
            os._exit(0 if lock.acquire(timeout=5) else 1)
        forks.append(os.waitpid(child, 0)[1])

    forking = Thread(target=fork)

    def slowly(row: Mail, message: Message) -> EmailMessage:
        with lock:
            forking.start()
            forking.join(0.2)
            return written(row, message)

    message = Message(task=task, subject="News", text="Words.")
    messages.write_message(message)
    kind = outbox.KINDS[MESSAGE]
    monkeypatch.setitem(outbox.KINDS, MESSAGE, kind)
    replace(kind, written=slowly)
    assert outbox.send() == 1
    forking.join(LONG)
    assert forks == [0]
