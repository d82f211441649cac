"""Uploads: what is accepted, what is refused, and that nothing is lost or doubled."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from threading import Thread
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client, TransactionTestCase, override_settings

from leaderboard.confinement.errands import Runner
from leaderboard.submissions import checking, intake, quota
from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.submissions.receiving import file_name
from leaderboard.tasks import blobs
from leaderboard.tasks.creation import create_task
from leaderboard.tasks.joining import join
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import CANARY, both, bundle, perfect, upload

Login = Callable[[User], Client]
URL = "/tasks/otters/test/submit/"
BAD = "tests.leaderboard.bad_work"


def form(**files: bytes) -> dict[str, object]:
    fields: dict[str, object] = {"system": "otter-1", "key": uuid4().hex}
    return fields | {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in files.items()
    }


@pytest.mark.django_db
def test_an_accepted_upload_is_a_row_with_its_file_and_a_queued_evaluation(
    phase: Phase, entry: Participation
) -> None:
    sent = intake.submit(upload(phase, entry, both()))
    assert sent.evaluations.get().state == State.QUEUED
    file = sent.files.get(test_set__name="north")
    assert blobs.read(file.sha256) == perfect("north")
    event = sent.evaluations.get().events.get()
    assert (event.old, event.new) == ("", State.QUEUED)


@pytest.mark.django_db
def test_the_same_key_gives_the_same_submission(
    phase: Phase, entry: Participation
) -> None:
    request = upload(phase, entry, both())
    assert intake.submit(request) == intake.submit(request)
    assert Submission.objects.count() == Evaluation.objects.count() == 1


@pytest.mark.django_db
def test_a_wrong_line_is_named_and_nothing_is_stored(
    phase: Phase, entry: Participation
) -> None:
    broken = perfect().replace(b"1\tthe\t_", b"1\tthe _", 1)
    with pytest.raises(intake.Unfit) as caught:
        intake.submit(upload(phase, entry, both({"north": broken})))
    assert [(p.file, p.line) for p in caught.value.problems] == [("north.conllu", 2)]
    assert not Submission.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\n\n \n", "empty"),
        ("naïve\n".encode("latin-1"), "UTF-8"),
        (perfect().decode().encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04\xff\xfe", "zip"),
        (b"just some words\n", "ten columns"),
        (perfect().replace(b"otter", b"Otter"), "expected 'otter'"),
        (perfect().replace(b"\t0\troot", b"\t_\troot"), "HEAD"),
        (perfect().replace(b"\t0\troot", b"\t77\troot"), "from 0 to 4"),
        (perfect()[: perfect().index(b"# sent_id = s2")], "2 expected"),
    ],
)
def test_every_mistake_gets_a_page_that_says_what_is_wrong(
    entry: Participation, ben: User, as_user: Login, data: bytes, said: str
) -> None:
    answer = as_user(ben).post(URL, form(north=data))
    assert answer.status_code == 422
    assert said in answer.content.decode().replace("&#x27;", "'")
    assert CANARY not in answer.content.decode()
    assert not Submission.objects.exists()


@pytest.mark.django_db
def test_a_form_without_a_file_says_so(
    entry: Participation, ben: User, as_user: Login
) -> None:
    answer = as_user(ben).post(URL, form())
    assert answer.status_code == 422
    assert "Choose a file" in answer.content.decode()


@pytest.mark.django_db
@override_settings(UPLOAD_BYTES=1000)
def test_a_file_over_the_cap_is_cut_off_and_named(
    entry: Participation, ben: User, as_user: Login
) -> None:
    answer = as_user(ben).post(URL, form(north=b"x" * 5000))
    assert answer.status_code == 413
    assert "larger than the limit" in answer.content.decode()
    assert not Submission.objects.exists()


@pytest.mark.django_db
def test_a_good_upload_leads_to_its_page(
    entry: Participation, ben: User, as_user: Login
) -> None:
    answer = as_user(ben).post(URL, form(**both()), follow=True)
    assert answer.status_code == 200
    assert "Queued" in answer.content.decode()


@pytest.mark.django_db
def test_after_the_end_an_upload_is_kept_but_not_scored(
    over: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    answer = as_user(ben).post(URL, form(**both()), follow=True)
    assert "Late" in answer.content.decode()
    sent = Submission.objects.get()
    assert sent.late
    assert sent.files.count() == 2
    assert not sent.evaluations.exists()


@pytest.mark.django_db
def test_what_arrived_before_the_end_counts_though_it_was_read_after(
    over: Phase, entry: Participation
) -> None:
    in_time = over.closes - timedelta(seconds=1)
    assert not intake.submit(upload(over, entry, both(), arrived_at=in_time)).late
    assert intake.submit(upload(over, entry, both(), arrived_at=over.closes)).late


@pytest.mark.django_db
def test_before_the_opening_an_upload_is_refused(
    upcoming: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    answer = as_user(ben).post(URL, form(**both()))
    assert "has not opened" in answer.content.decode()
    assert not Submission.objects.exists()


@pytest.mark.django_db
def test_without_a_team_one_is_sent_to_join(
    phase: Phase, cy: User, as_user: Login
) -> None:
    answer = as_user(cy).post(URL, form(**both()))
    assert answer.url == "/tasks/otters/join/"


class TestAtTheSameTime(TransactionTestCase):
    """Requests that race each other on real connections."""

    def setUp(self) -> None:
        ada = User.objects.create_user("ada@example.org", "x")
        self.phase = create_task(bundle(), ada).phases.get()
        self.entry = join(self.phase.task, Team.found("Adas", ada))

    def race(self, keys: list[str]) -> None:
        threads = [Thread(target=self.send, args=(key,)) for key in keys]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def send(self, key: str) -> None:
        try:
            intake.submit(upload(self.phase, self.entry, both(), key=key))
        except quota.QuotaUsed:
            pass
        finally:
            connection.close()

    def test_a_double_click_in_two_tabs_is_one_submission(self) -> None:
        self.race(["same"] * 8)
        assert Submission.objects.count() == 1

    def test_exactly_the_limit_is_accepted(self) -> None:
        self.phase.daily_limit = 3
        self.phase.save()
        self.race([f"key {i}" for i in range(12)])
        assert Submission.objects.count() == 3


@pytest.mark.django_db
def test_a_twin_that_used_the_last_attempt_is_the_answer(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second request with a key has looked for the first, and found none yet."""
    phase.daily_limit = 1
    phase.save()
    request, require = upload(phase, entry, both()), intake._require_eligible

    def after_the_twin(asked: intake.Upload) -> None:
        monkeypatch.setattr(intake, "_require_eligible", require)
        intake.submit(request)

    monkeypatch.setattr(intake, "_require_eligible", after_the_twin)
    assert intake.submit(request) == Submission.objects.get()


@pytest.mark.django_db
def test_a_file_that_needs_too_much_memory_is_refused_with_the_limit(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "runner", Runner(f"{BAD}:takes_memory"))
    with override_settings(SCORE_MEMORY_MB=8), pytest.raises(intake.Unfit) as caught:
        intake.submit(upload(phase, entry, both()))
    (problem,) = caught.value.problems
    assert problem.code == "memory"
    assert "8 MiB" in problem.message


@pytest.mark.django_db
def test_a_check_that_breaks_is_our_fault_and_costs_nothing(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "runner", Runner(f"{BAD}:divides_by_zero"))
    with pytest.raises(intake.Unfit) as caught:
        intake.submit(upload(phase, entry, both()))
    assert caught.value.problems[0].code == "check_failed"
    assert not quota.QuotaCounter.objects.exists()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("otters.conllu", "otters.conllu"),
        ("a\0b.conllu", "ab.conllu"),
        ("\u202egpj.conllu", "gpj.conllu"),
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\y.txt", "y.txt"),
        ("\ud800.txt", "?.txt"),
        ("\u200b", "file"),
        ("", "file"),
        ("n" * 300 + ".conllu", "n" * 193 + ".conllu"),
        ("n" * 300, "n" * 200),
        ("cafe\u0301.txt", "caf\u00e9.txt"),
    ],
)
def test_names_of_files_are_stored_as_they_can_be_read(given: str, kept: str) -> None:
    assert file_name(given) == kept


@pytest.mark.django_db
def test_a_name_longer_than_the_column_is_cut(
    phase: Phase, entry: Participation
) -> None:
    sets = {t.name: t for t in phase.test_sets.all()}
    long = SimpleUploadedFile("n" * 240 + ".conllu", perfect("north"))
    request = replace(upload(phase, entry, {}), files={sets["north"]: long})
    sent = intake.submit(request)
    assert len(sent.files.get().name) == 200


@pytest.mark.django_db
def test_organizers_may_send_pilots_before_the_opening(
    upcoming: Phase, ada: User
) -> None:
    house = join(upcoming.task, Team.found("House", ada))
    assert not intake.submit(upload(upcoming, house, both())).late
