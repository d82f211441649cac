"""Links of a board's rows to what teams gave: papers, and answers with addresses."""

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from leaderboard.submissions.models import Submission, SystemDescription
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import both, scored, set_questions
from tests.organize.disclosing import under

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
BOARD = "/tasks/otters/test/board/"
PAPER, CODE = "https://papers.example.org/otters.pdf", "https://code.example.org/otter"


def board(choices: str = "") -> str:
    """A board rendered now: these tests change phases behind its version."""
    for cache in caches.all():
        cache.clear()
    return Client().get(BOARD + choices).content.decode()


def test_the_paper_of_a_system_is_linked_once_the_phase_is_over(
    phase: Phase, entry: Participation, ben: User
) -> None:
    sent = scored(phase, entry, both())
    SystemDescription.objects.create(submission=sent, title="T", link=PAPER, by=ben)
    assert PAPER not in board()
    under(phase, closes=timezone.now() - timedelta(hours=1))
    assert f'<a href="{PAPER}" rel="nofollow ugc noopener">Paper' in one_line(board())


def test_an_answer_with_an_address_stays_linked_without_its_column(
    phase: Phase, entry: Participation
) -> None:
    asked = {"name": "code", "title": "Code", "kind": "link", "public": True}
    set_questions(phase.task, [asked])
    sent = scored(phase, entry, both())
    Submission.objects.filter(pk=sent.pk).update(facts={"code": CODE})
    assert one_line(board()).count(f'<a href="{CODE}"') == 1
    assert f'<a href="{CODE}" rel="nofollow ugc noopener">Code' in one_line(
        board("?columns=")
    )


def test_an_answer_for_organizers_alone_is_not_linked(
    phase: Phase, entry: Participation
) -> None:
    asked = {"name": "code", "title": "Code", "kind": "link", "public": False}
    set_questions(phase.task, [asked])
    sent = scored(phase, entry, both())
    Submission.objects.filter(pk=sent.pk).update(facts={"code": CODE})
    assert CODE not in board() + board("?columns=")


def one_line(page: str) -> str:
    return " ".join(page.split())
