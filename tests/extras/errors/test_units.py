"""The error browser: shows what was counted, and gold to nobody before its time."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.utils import timezone

from leaderboard.extras.errors import client as error_client
from leaderboard.extras.errors.client import CannotLook
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Organizer, Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.tasks.policy import Sight, sees_errors
from leaderboard.teams.models import Team, User
from scoring.sandbox.codec import Request
from tests.leaderboard.small import CANARY, both, conllu, one_wrong, scored
from tests.leaderboard.test_every_scorer import bundle_of, send
from tests.organize.disclosing import logged_in, revealed, text_of, under, unrevealed
from tests.scoring.examples import counting_scorers, examples_of

BLANK = conllu((4, 3, 0, 3, 2, 0, 2, 3), ("dep",) * 8).encode()


def blank(phase: Phase, entry: Participation) -> None:
    """In s1 of north the first word hangs elsewhere, and no relation is right."""
    scored(phase, entry, both({"north": BLANK}), system="alder")


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=blank)]


@pytest.fixture
def sent(phase: Phase) -> Submission:
    return phase.submissions.get()


def errors(sent: Submission, rest: str = "") -> str:
    return f"{sent.get_absolute_url()}errors/{rest}"


@pytest.mark.parametrize("rest", ["", "1/"])
def test_a_submitted_file_that_is_lost_is_said_to_be_missing(
    rest: str, sent: Submission, ada: User
) -> None:
    sent.files.all().delete()
    answer = logged_in(ada).get(errors(sent, rest))
    assert answer.status_code == 503
    assert "A submitted file is missing" in answer.content.decode()


def see(user: User, phase: Phase) -> Sight:
    return sees_errors(user, phase, phase.test_sets.get(name="north"))


def test_while_an_open_phase_runs_a_team_sees_what_units_counted(
    sent: Submission, ben: User
) -> None:
    page = text_of(logged_in(ben), errors(sent))
    assert "Gold stays hidden until the last phase" in page
    assert "s1" in page and "2 of 2 units" in page
    assert "gold against system" not in page
    assert "Most frequent confusions" not in page
    unit = text_of(logged_in(ben), errors(sent, "1/"))
    assert "content_gold" in unit and "LAS" in unit
    # The tree that was sent, by itself and with no mark on it.
    assert unit.count('<svg class="tree"') == 1 and "wrong-" not in unit
    assert "What you sent stands beside it" in page
    assert 'dir="auto">the otter carries stones<' in page


@pytest.mark.parametrize(
    "rest", ["", "1/", "2/", "?gold=relation:det", "?kind=head", "summary/"]
)
def test_no_label_of_gold_is_on_a_page_of_a_running_phase(
    rest: str, sent: Submission, ben: User
) -> None:
    page = text_of(logged_in(ben), errors(sent, rest))
    for label in (CANARY, "nsubj", "dobj"):
        assert label not in page


@pytest.mark.parametrize("policy", ["best", "blind"])
def test_a_blind_or_best_phase_shows_no_errors_to_anybody_but_its_editors(
    policy: str, sent: Submission, ben: User, cy: User, ada: User
) -> None:
    unrevealed(sent.phase, policy)
    for rest in ("", "1/", "?kind=head", "?test_set=north"):
        for user in (ben, cy):
            assert logged_in(user).get(errors(sent, rest)).status_code == 404
        assert Client().get(errors(sent, rest)).status_code == 302
        assert logged_in(ada).get(errors(sent, rest)).status_code == 200


def test_of_code_organizers_see_what_units_counted(
    sent: Submission, ben: User, ada: User
) -> None:
    type(sent.phase).objects.filter(pk=sent.phase_id).update(sends_code=True)
    page = text_of(logged_in(ada), errors(sent))
    assert "2 of 2 units" in page and "gold against system" not in page
    assert logged_in(ada).get(errors(sent, "1/")).status_code == 200
    assert logged_in(ben).get(errors(sent)).status_code == 404


def test_the_page_of_a_submission_leads_to_its_errors_where_there_are_any(
    sent: Submission, ben: User
) -> None:
    address = errors(sent)
    assert address in text_of(logged_in(ben), sent.get_absolute_url())
    unrevealed(sent.phase, "best")
    assert address not in text_of(logged_in(ben), sent.get_absolute_url())


def test_opening_from_the_list_reads_no_file_again(
    sent: Submission, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    revealed(sent.phase)
    client = logged_in(ben)
    client.get(errors(sent))
    asked: list[object] = []
    monkeypatch.setattr(error_client, "_run", asked.append)
    for rest in ("1/", "2/", ""):
        assert client.get(errors(sent, rest)).status_code == 200
    assert asked == []


def test_who_opens_a_unit_finds_the_next_one_ready(
    sent: Submission, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    revealed(sent.phase)
    client = logged_in(ben)
    error_client.forget()
    client.get(errors(sent, "1/"))
    monkeypatch.setattr(error_client, "_run", None)
    assert ">s2</h1>" in text_of(client, errors(sent, "2/"))
    assert ">s1</h1>" in text_of(client, errors(sent, "1/"))


def test_gold_is_not_even_opened_for_readers_who_may_not_see_it(
    sent: Submission, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_args: object, **_named: object) -> dict[str, object]:
        raise AssertionError("gold was opened")

    run, asked = error_client._run, []

    def noted(request: Request, job: str = "inspection.inspect") -> dict[str, object]:
        asked.append(job)
        assert CANARY.encode() not in b"".join(request.files)
        return run(request, job)

    error_client.forget()
    monkeypatch.setattr(error_client, "_run", noted)
    monkeypatch.setattr(error_client.GoldFile.objects, "get", forbidden)
    assert logged_in(ben).get(errors(sent)).status_code == 200
    assert logged_in(ben).get(errors(sent, "1/")).status_code == 200
    assert asked == ["inspection.own", "inspection.own"]


def test_counts_stand_where_an_answer_cannot_be_shown_by_itself(
    sent: Submission, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object) -> dict[str, object]:
        raise CannotLook("broken")

    error_client.forget()
    monkeypatch.setattr(error_client, "_run", broken)
    assert "2 of 2 units" in text_of(logged_in(ben), errors(sent))
    assert "content_gold" in text_of(logged_in(ben), errors(sent, "1/"))


def test_after_the_reveal_gold_and_system_stand_side_by_side(
    sent: Submission, ben: User, cy: User
) -> None:
    revealed(sent.phase)
    page = text_of(logged_in(ben), errors(sent))
    # Three relations were called "dep" twice, two others once; the first come first.
    confusions = page[page.index("Most frequent confusions") :].split("</li>")[:3]
    for label in ("nsubj", "root", "dobj"):
        assert sum(f"{label} → dep" in line for line in confusions) == 1
    unit = text_of(logged_in(ben), errors(sent, "2/?test_set=north"))
    assert unit.count('<svg class="tree"') == 2
    assert unit.count("wrong-label") == 8  # four words, on both sides
    assert CANARY in unit and "There is no view" not in unit
    assert logged_in(cy).get(errors(sent, "2/")).status_code == 404


def test_the_marks_of_a_page_are_the_counts_of_its_unit(
    sent: Submission, ben: User
) -> None:
    revealed(sent.phase)
    unit = text_of(logged_in(ben), errors(sent, "1/"))
    # One of four heads is wrong, drawn on both sides; no relation is right.
    assert unit.count("arc wrong-head") == 2
    assert "1 × wrong head, 4 × wrong relation" in unit
    assert "LAS 0.0" in unit


def test_units_can_be_filtered_and_the_address_shared(
    sent: Submission, ben: User
) -> None:
    revealed(sent.phase)
    client = logged_in(ben)
    assert "1 of 2 units" in text_of(client, errors(sent, "?kind=head"))
    page = text_of(client, errors(sent, f"?gold=relation:{CANARY}&system=relation:dep"))
    assert "1 of 2 units" in page and ">s2</span></a>" in page
    assert "No unit matches" in text_of(client, errors(sent, "?shortest=9"))
    for odd in ("?page=x&shortest=-1&order=no", "?gold=a&slice=b", "?page=999999"):
        assert client.get(errors(sent, odd)).status_code == 200
    assert client.get(errors(sent, "?test_set=nowhere")).status_code == 404
    assert client.get(errors(sent, "99/")).status_code == 404
    assert client.get(errors(sent, "0/")).status_code == 404


def test_a_second_own_submission_stands_beside_the_first(
    sent: Submission, entry: Participation, ben: User, cy: User
) -> None:
    birch = scored(sent.phase, entry, both({"north": one_wrong()}), system="birch")
    rivals = join(sent.phase.task, Team.found("Rivals", cy))
    foreign = scored(sent.phase, rivals, both(), system="cedar")
    client = logged_in(ben)
    page = text_of(client, errors(sent, f"?other={birch.pk}&differing=1"))
    assert "2 of 2 units" in page and "cedar" not in page
    revealed(sent.phase)
    unit = text_of(client, errors(sent, f"1/?other={birch.pk}"))
    assert unit.count('<svg class="tree"') == 3
    for nobody in (foreign.pk, "x", sent.pk):
        answer = client.get(errors(sent, f"?other={nobody}"))
        assert answer.status_code == 404


def test_gold_of_a_phase_that_is_over_waits_for_others_with_its_test_sets(
    sent: Submission, ben: User, ada: User
) -> None:
    over = sent.phase
    now = timezone.now()
    later = Phase.objects.create(
        task=over.task,
        name="again",
        title="Again",
        gold_revision=over.gold_revision,
        opens=now,
        closes=now + timedelta(days=1),
    )
    later.test_sets.add(over.test_sets.get(name="north"))
    revealed(over)
    south = over.test_sets.get(name="south")
    assert see(ben, over) is Sight.COUNTS
    assert sees_errors(ben, over, south) is Sight.GOLD
    under(later, policy="blind")
    assert see(ben, over) is Sight.NOTHING
    assert see(ada, over) is Sight.GOLD
    assert see(AnonymousUser(), over) is Sight.NOTHING
    revealed(later)
    assert see(ben, over) is Sight.GOLD


def test_a_reviewer_sees_counts_and_no_gold_while_the_phase_runs(
    sent: Submission, cy: User
) -> None:
    role = Organizer.Role.REVIEWER
    Organizer.objects.create(task=sent.phase.task, user=cy, role=role)
    unrevealed(sent.phase, "blind")
    assert see(cy, sent.phase) is Sight.COUNTS
    assert CANARY not in text_of(logged_in(cy), errors(sent, "2/"))


def test_counts_of_single_tags_wait_for_the_end_too(ada: User, ben: User) -> None:
    """A count named after a tag would say that gold has it there."""
    example = examples_of("spans")[0]
    task = create_task(bundle_of("spans", example), ada)
    send(task, "system", example.systems[-1])
    sent = Submission.objects.get(phase__task=task)
    Organizer.objects.create(task=task, user=ben, role=Organizer.Role.REVIEWER)
    assert see_only(sent, ben) is Sight.COUNTS
    own, whole = (
        text_of(logged_in(who), errors(sent)).partition("Where the errors are")[2]
        for who in (ben, ada)
    )
    # Scores of documents, two of one sentence; how many items are wrong is of gold.
    assert own.count("[n/a]</span>") == 2
    assert ">Errors</th>" not in own and "of all errors" not in own
    assert '4 <span class="muted small">100%</span>' in whole
    assert "refclash" in text_of(logged_in(ben), errors(sent, "1/"))
    assert "[" not in text_of(logged_in(ben), errors(sent, "1/"))
    assert "match[" in text_of(logged_in(ada), errors(sent, "1/"))


def see_only(sent: Submission, user: User) -> Sight:
    return sees_errors(user, sent.phase, sent.phase.test_sets.get())


def test_a_failure_to_look_is_told_as_ours(
    sent: Submission, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(packed: object) -> dict[str, object]:
        raise CannotLook("broken")

    revealed(sent.phase)
    error_client.forget()
    monkeypatch.setattr(error_client, "_run", broken)
    answer = logged_in(ben).get(errors(sent))
    assert answer.status_code == 503
    assert "failed on our side" in answer.content.decode()


# Their tables say all.
WITHOUT_PANES = ("labels", "metrics", "numbers", "probabilities", "semarkup")


@pytest.mark.parametrize("name", sorted(counting_scorers()))
def test_every_scorer_has_a_view_of_its_units(name: str, ada: User) -> None:
    example = examples_of(name)[0]
    task: Task = create_task(bundle_of(name, example), ada)
    send(task, "system", example.systems[-1])
    sent = Submission.objects.get(phase__task=task)
    page = text_of(logged_in(ada), errors(sent))
    assert "units</h2>" in page
    unit = text_of(logged_in(ada), errors(sent, "1/"))
    assert 'class="items' in unit
    assert 'class="pane"' in unit or name in WITHOUT_PANES


def test_a_scorer_without_a_view_says_so(
    sent: Submission, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    revealed(sent.phase)
    scorer = sent.phase.task.scorer
    monkeypatch.setattr(Task, "scorer", without_view(scorer))
    page = text_of(logged_in(ben), errors(sent))
    assert "There is no view of single units for Attachment" in page
    assert CANARY not in text_of(logged_in(ben), errors(sent, "2/"))


def without_view(scorer: object) -> object:
    return replace(scorer, inspect=None)  # type: ignore[type-var]


def test_queries_do_not_grow_with_submissions(
    sent: Submission,
    entry: Participation,
    ben: User,
    django_assert_max_num_queries: object,
) -> None:
    revealed(sent.phase)
    client = logged_in(ben)
    client.get(errors(sent))
    for number in range(3):
        scored(sent.phase, entry, both(), system=f"s{number}")
    with django_assert_max_num_queries(20):  # type: ignore[operator]
        client.get(errors(sent))
