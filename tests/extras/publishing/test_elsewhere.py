"""Badge, frame and citation: what stands elsewhere is the same for everybody."""

import html
from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.extras.publishing.formats import bibtex
from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from tests.exports.conftest import sent, two_sent
from tests.organize.disclosing import unrevealed

__all__ = ["sent"]
pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
Login = Callable[[User], Client]
Sent = list[Submission]
HERE = "/tasks/otters/test"


def test_while_a_phase_is_blind_a_badge_tells_no_system_from_another(
    phase: Phase, sent: Sent
) -> None:
    unrevealed(phase, "blind")
    badge = f"{HERE}/badge.svg?system="
    asked = [Client().get(badge + str(one)) for one in (sent[0].pk, "nobody", "best")]
    assert len({one.content for one in asked}) == 1


def test_who_was_disqualified_has_no_badge(sent: Sent, ada: User) -> None:
    admin_actions.disqualify(sent[1], ada, "Gold.")
    sought = Client().get(f"{HERE}/badge.svg?system={sent[1].pk}")
    assert "not on this board" in sought.content.decode()


def test_the_page_for_frames_may_stand_anywhere_and_do_nothing(
    sent: Sent, ben: User, as_user: Login
) -> None:
    answer = as_user(ben).get(f"{HERE}/embed/")
    rules = answer["Content-Security-Policy"]
    assert "frame-ancestors *" in rules and "default-src 'none'" in rules
    assert "X-Frame-Options" not in answer
    assert not answer.cookies and "script" not in answer.content.decode()
    board = Client().get(f"{HERE}/board/")
    assert "frame-ancestors 'none'" in board["Content-Security-Policy"]
    assert board["X-Frame-Options"] == "DENY"


def test_the_frame_to_copy_is_whole_whatever_the_title_holds(sent: Sent) -> None:
    Task.objects.update(title='Otters "at" <b>sea</b>')
    page = html.unescape(Client().get(f"{HERE}/board/exports/").content.decode())
    assert 'title="Otters &quot;at&quot; &lt;b&gt;sea&lt;/b&gt;" width' in page


def test_bibtex_names_the_authors_and_keeps_groups_together(task: Task) -> None:
    task.authors = ["Lovelace, Ada", "The Otter Society"]
    entry = bibtex.task_entry(task, "https://example.org/")
    assert "author = {Lovelace, Ada and {The Otter Society}}" in entry
    task.authors = []
    unsigned = bibtex.task_entry(task, "https://example.org/")
    assert "key = {Otter Parsing}" in unsigned and "author" not in unsigned
