"""My submissions: the list, gains, notes, choosing, withdrawing, downloads."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import strip_tags

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.results.my_submissions import Listing, listing
from leaderboard.submissions.models import QuotaEntry, Submission, TeamNote
from leaderboard.tasks import policy
from leaderboard.tasks.models import Change, Notice, Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Membership, Team, User
from tests.leaderboard.small import both, one_wrong, perfect, scored

Login = Callable[[User], Client]
PAGE = "/tasks/otters/submissions/"
WRONG = {"north": one_wrong()}  # 7 of 8 heads: the mean is 93.75 instead of 100


def three_sent(phase: Phase, entry: Participation) -> None:
    """Three entries of ben's team: 93.75, then 100, then 93.75."""
    for i, data in enumerate((both(WRONG), both(), both(WRONG))):
        scored(phase, entry, data, system=f"otter-{i}")


pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(then=three_sent),
    pytest.mark.databases("sql"),
]


@pytest.fixture
def sent(task: Task) -> list[Submission]:
    return list(Submission.objects.order_by("received_at"))


@pytest.fixture
def rival(task: Task, cy: User) -> Participation:
    return join(task, Team.found("Cys", cy))


def listed(task: Task, user: User, query: str = "") -> Listing:
    return listing(task, user, QueryDict(query))


def names(found: Listing) -> list[str]:
    return [line.submission.system for line in found.lines]


def fresh(submission: Submission) -> Submission:
    return Submission.objects.get(pk=submission.pk)


def test_gains_are_to_the_one_before_and_to_the_best_of_the_board(
    phase: Phase, sent: list[Submission], rival: Participation, ben: User
) -> None:
    scored(phase, rival, both())
    lines = listed(phase.task, ben, "sort=old").lines
    before = [line.standing and line.standing.previous for line in lines]
    best = [line.standing and line.standing.best for line in lines]
    assert [one and one.text for one in before] == [None, "+6.25", "−6.25"]
    assert [one and one.better for one in before] == [None, True, False]
    assert [one and one.text for one in best] == ["−6.25", "0.00", "−6.25"]
    assert [line.standing and line.standing.leads for line in lines] == [
        False,
        True,
        False,
    ]


@pytest.mark.usefixtures("nothing_sent")
def test_baselines_and_withdrawn_ones_are_nobodys_best(
    phase: Phase, entry: Participation, rival: Participation, ben: User
) -> None:
    own = scored(phase, entry, both(WRONG))
    scored(phase, rival, both(), baseline=True)
    gone = scored(phase, rival, both())
    Submission.objects.filter(pk=gone.pk).update(withdrawn_at=timezone.now())
    (line,) = listed(phase.task, ben).lines
    assert line.submission == own
    assert line.standing is not None
    assert line.standing.leads


@pytest.mark.parametrize("policy", [Phase.Policy.OPEN, Phase.Policy.BEST])
def test_gains_are_of_the_scores_as_shown(
    phase: Phase, sent: list[Submission], ben: User, policy: str
) -> None:
    """Where the best is shown, gains are between the scores that were the best."""
    Phase.objects.update(policy=policy)
    lines = listed(phase.task, ben, "sort=old").lines
    shown = [line.status.headline is not None for line in lines]
    assert shown == [line.standing is not None for line in lines]
    for line in lines:
        assert line.standing is None or line.standing.score.exact == (
            line.status.headline and line.status.headline.exact
        )


def test_a_blind_phase_shows_no_gain(
    phase: Phase, sent: list[Submission], ben: User, as_user: Login
) -> None:
    Phase.objects.update(policy=Phase.Policy.BLIND)
    found = listed(phase.task, ben)
    assert [line.standing for line in found.lines] == [None] * 3
    page = as_user(ben).get(f"{PAGE}?sort=score").content.decode()
    assert "93.75" not in page
    assert "6.25" not in page


def test_filters_and_orders(phase: Phase, sent: list[Submission], ben: User) -> None:
    task = phase.task
    TeamNote.objects.create(submission=sent[1], text="Longer training", tags=" big ")
    Submission.objects.filter(pk=sent[0].pk).update(withdrawn_at=timezone.now())
    asked = {
        "": ["otter-2", "otter-1", "otter-0"],
        "sort=old": ["otter-0", "otter-1", "otter-2"],
        "sort=system": ["otter-0", "otter-1", "otter-2"],
        "sort=score": ["otter-1", "otter-2", "otter-0"],
        "sort=nonsense": ["otter-2", "otter-1", "otter-0"],
        "tag=big": ["otter-1"],
        "tag=bi": [],
        "text=LONGER": ["otter-1"],
        "text=otter-2": ["otter-2"],
        "state=withdrawn": ["otter-0"],
        "state=scored": ["otter-2", "otter-1", "otter-0"],
        "state=invalid": [],
        "phase=test&page=7": ["otter-2", "otter-1", "otter-0"],
        "phase=other": [],
        "text=a%00b": [],
    }
    assert {query: names(listed(task, ben, query)) for query in asked} == asked


def test_the_list_has_fifty_rows_and_the_same_queries_for_each(
    phase: Phase, sent: list[Submission], ben: User, as_user: Login
) -> None:
    browser, counts = as_user(ben), []
    for more in (0, 60):
        copies(sent[0], more)
        browser.get(PAGE)
        with CaptureQueriesContext(connection) as captured:
            page = browser.get(PAGE).content.decode()
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 30
    assert page.count('class="own-menu"') == 50
    assert "63 of 63 submissions" in page
    assert ">State</label>" in page


def copies(sent: Submission, number: int) -> None:
    """The same sent again and again, with its scores."""
    old = sent.evaluations.get()
    for i in range(number):
        new = Submission.objects.get(pk=sent.pk)
        new.pk, new.key, new._state.adding = None, f"copy {i}", True
        new.received_at -= timedelta(minutes=i)
        new.save()
        old.pk, old.submission = None, new
        old.save()


def test_a_note_is_for_the_team_alone(
    sent: list[Submission], ada: User, ben: User, cy: User, as_user: Login
) -> None:
    address = f"/submissions/{sent[0].pk}/note/"
    browser = as_user(ben)
    browser.post(address, {"text": "kolibri", "tags": "Small, no-crf small"})
    assert TeamNote.objects.get().words == ["no-crf", "small"]
    assert 'value="no-crf, small"' in browser.get(address).content.decode()
    assert "kolibri" in browser.get(PAGE).content.decode()
    assert "kolibri" in browser.get(f"/submissions/{sent[0].pk}/").content.decode()
    boss = as_user(ada)
    assert boss.get(address).status_code == 404
    assert "kolibri" not in boss.get(f"/submissions/{sent[0].pk}/").content.decode()
    assert as_user(cy).post(address, {"text": "mine"}).status_code == 404
    assert not Change.objects.filter(changes__icontains="kolibri").exists()
    browser.post(address, {"text": "", "tags": ""})
    assert not TeamNote.objects.exists()


@pytest.mark.parametrize("tags", ["a" * 31, "x<y", " ".join(map(str, range(11)))])
def test_a_tag_that_cannot_be_kept_says_why(
    sent: list[Submission], ben: User, as_user: Login, tags: str
) -> None:
    answer = as_user(ben).post(f"/submissions/{sent[0].pk}/note/", {"tags": tags})
    assert answer.status_code == 422
    assert 'id="id_tags_error"' in answer.content.decode()


def test_one_submission_of_a_team_counts_where_it_chooses(
    phase: Phase, sent: list[Submission], ada: User, ben: User, as_user: Login
) -> None:
    Phase.objects.update(counts=Phase.CountingRule.CHOSEN)
    phase.refresh_from_db()
    browser = as_user(ben)
    assert (
        "Until you choose, your last one counts" in browser.get(PAGE).content.decode()
    )
    for one in (sent[0], sent[1]):
        browser.post(f"/submissions/{one.pk}/pick/", {"next": f"{PAGE}?sort=old"})
    assert [fresh(one).picked for one in sent] == [False, True, False]
    page = browser.get(PAGE).content.decode()
    assert page.count('class="final-mark"') == 1
    assert page.count(">Use as final submission<") == 2
    assert [row.system for row in board(BoardQuery(phase)).rows] == ["otter-1"]
    assert Change.objects.filter(actor=ben, changes__has_key="picked").count() == 3
    browser.post(f"/submissions/{sent[1].pk}/pick/", {"to": "none"})
    assert [row.system for row in board(BoardQuery(phase)).rows] == ["otter-2"]
    away = browser.post(
        f"/submissions/{sent[0].pk}/pick/", {"next": "//elsewhere.example"}
    )
    assert away.headers["Location"] == f"/submissions/{sent[0].pk}/"
    assert as_user(ada).post(f"/submissions/{sent[2].pk}/pick/").status_code == 404


def test_a_choice_that_waits_for_the_reveal_is_not_said_to_rank_now(
    phase: Phase, sent: list[Submission], ben: User, as_user: Login
) -> None:
    Phase.objects.update(counts=Phase.CountingRule.CHOSEN, policy="best")
    phase.refresh_from_db()
    browser, first = as_user(ben), sent[0]
    picked = browser.post(f"/submissions/{first.pk}/pick/", {"next": PAGE}, follow=True)
    page = picked.content.decode()
    assert [row.system for row in board(BoardQuery(phase)).rows] != [first.system]
    assert f"{first.system} is the final submission of your team now." in page
    assert "from the reveal on where scores are withheld" in page
    own = browser.get(f"/submissions/{first.pk}/").content.decode()
    assert "The team chose this as its final submission." in own
    assert "which counts for your team" not in own


def test_what_a_team_decides_itself_changes_a_board_that_stands_still(
    phase: Phase, sent: list[Submission], ben: User, as_user: Login
) -> None:
    """As the organizers' page on what is shown says."""
    Phase.objects.update(counts="chosen", freeze_from=timezone.now())
    phase.refresh_from_db()
    shown = policy.disclosure(AnonymousUser(), phase)
    assert shown.as_of is not None
    browser = as_user(ben)
    for one in (sent[0], sent[1]):
        browser.post(f"/submissions/{one.pk}/pick/")
        rows = board(BoardQuery(phase), shown).rows
        assert [row.system for row in rows] == [one.system]


@pytest.mark.parametrize("why", ["best counts", "over", "withdrawn", "disqualified"])
def test_what_cannot_be_chosen_is_not(
    phase: Phase, sent: list[Submission], ben: User, as_user: Login, why: str
) -> None:
    now = timezone.now()
    if why != "best counts":
        Phase.objects.update(counts=Phase.CountingRule.CHOSEN)
    if why == "over":
        Phase.objects.update(closes=now - timedelta(seconds=1))
    if why in ("withdrawn", "disqualified"):
        Submission.objects.update(**{f"{why}_at": now})
    browser = as_user(ben)
    browser.post(f"/submissions/{sent[0].pk}/pick/")
    assert not fresh(sent[0]).picked
    page = browser.get(f"/submissions/{sent[0].pk}/").content.decode()
    assert f"/submissions/{sent[0].pk}/pick/" not in page


def test_withdrawing_asks_first_takes_the_row_off_and_gives_nothing_back(
    phase: Phase, sent: list[Submission], ada: User, ben: User, as_user: Login
) -> None:
    browser, address = as_user(ben), f"/submissions/{sent[1].pk}/withdraw/"
    Submission.objects.filter(pk=sent[1].pk).update(picked=True)
    assert browser.post(address).status_code == 422
    assert fresh(sent[1]).withdrawn_at is None
    assert as_user(ada).post(address, {"sure": "on"}).status_code == 404
    version = Phase.objects.get().board_version
    browser.post(address, {"sure": "on"})
    gone = fresh(sent[1])
    assert gone.withdrawn_at is not None
    assert not gone.picked
    assert Phase.objects.get().board_version == version + 1
    assert not QuotaEntry.objects.filter(refunded_at__isnull=False).exists()
    assert [row.system for row in board(BoardQuery(phase)).rows] == ["otter-0"]
    assert Change.objects.filter(actor=ben, changes__has_key="withdrawn_at").exists()
    again = browser.post(address, {"sure": "on"})
    assert again.status_code == 422
    assert "withdrawn already" in again.content.decode()
    assert not Notice.objects.exists()


def test_nothing_is_withdrawn_after_the_end(
    phase: Phase, sent: list[Submission], ben: User, as_user: Login
) -> None:
    Phase.objects.update(closes=timezone.now() - timedelta(seconds=1))
    address = f"/submissions/{sent[1].pk}/withdraw/"
    assert "ask the organizers" in as_user(ben).get(address).content.decode()
    assert as_user(ben).post(address, {"sure": "on"}).status_code == 422
    assert fresh(sent[1]).withdrawn_at is None


def test_what_was_sent_comes_back_byte_for_byte_as_an_attachment(
    sent: list[Submission], ada: User, cy: User, ben: User, as_user: Login
) -> None:
    address = f"/submissions/{sent[0].pk}/files/south/"
    mate = User.objects.create_user("mate@example.org", "x")
    Membership.objects.create(team=sent[0].participation.team, user=mate)
    for user in (ben, mate):
        answer = as_user(user).get(address)
        assert answer.content == perfect("south")
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    for user in (ada, cy):
        assert as_user(user).get(address).status_code == 404
    assert as_user(ben).get(f"{address[:-6]}west/").status_code == 404


def test_open_phases_say_what_is_left_and_until_when(
    phase: Phase, sent: list[Submission], ben: User, as_user: Login
) -> None:
    Phase.objects.update(daily_limit=5)
    page = as_user(ben).get(PAGE).content.decode()
    assert "2 of 5 attempts left today" in page
    assert page.count("data-until=") == 2


def test_a_withdrawn_submission_says_so_and_leads_to_no_rank(
    sent: list[Submission], ben: User, as_user: Login
) -> None:
    browser = as_user(ben)
    address = f"/submissions/{sent[1].pk}/"
    assert "See your rank" in browser.get(address).content.decode()
    Submission.objects.filter(pk=sent[1].pk).update(withdrawn_at=timezone.now())
    page = browser.get(address).content.decode()
    assert "See your rank" not in page and "badge-scored" not in page
    assert '<span class="badge badge-late">Withdrawn</span>' in page


def test_no_full_stop_of_the_limits_stands_apart(
    phase: Phase, ben: User, as_user: Login
) -> None:
    html = as_user(ben).get(PAGE).content.decode()
    slots = re.findall(r'<p class="slot">(.*?)</p>', html, re.DOTALL)
    texts = [" ".join(strip_tags(slot).split()) for slot in slots]
    assert texts
    assert not [text for text in texts if re.search(r"\s[.,;:]", text)]
