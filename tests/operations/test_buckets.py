"""Files in an S3-compatible store: a real server, and its troubles."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError
from django.core.files.storage import storages
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from leaderboard.operations import garbage_collection
from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks import blobs, buckets
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import attempts_left, both, bundle, upload
from tests.leaderboard.test_uploads import URL, form
from tests.operations.buckets import Store, stores_of, variables

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]


@pytest.fixture
def phase(store: Store, ada: User) -> Phase:
    return create_task(bundle(), ada).phases.get()


@pytest.fixture
def entry(phase: Phase, ben: User) -> Participation:
    phase.daily_limit = 3
    phase.save()
    return join(phase.task, Team.found("Bens", ben))


@pytest.fixture
def bens(entry: Participation, ben: User, as_user: Login) -> Client:
    return as_user(ben)


def send(phase: Phase, entry: Participation) -> Evaluation:
    return accept.submit(upload(phase, entry, both())).evaluations.get()


@pytest.fixture
def hung() -> Iterator[str]:
    """A server that takes connections and never answers; its address."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        yield f"http://127.0.0.1:{deaf.getsockname()[1]}"


@pytest.fixture(params=["gone", "hung"])
def away(
    request: pytest.FixtureRequest, hung: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], AbstractContextManager[None]]:
    """Called, the files of the site are out of reach for a while."""
    monkeypatch.setattr(buckets, "READ_SECONDS", 0.2)
    monkeypatch.setattr(buckets, "KNOCK_SECONDS", 0.2)
    nowhere = hung if request.param == "hung" else "http://127.0.0.1:9"

    @contextmanager
    def changed() -> Iterator[None]:
        real = storages["blobs"]
        other = buckets.BucketStorage(real.bucket, real.folder, nowhere, real.region)
        with monkeypatch.context() as patched:
            patched.setitem(storages._storages, "blobs", other)
            yield

    return changed


def nearby_is_lost() -> None:
    for path in Path(storages["nearby"].location).glob("??/*"):
        path.unlink()


def test_what_is_stored_has_its_hash_as_name_and_no_address(store: Store) -> None:
    digest = blobs.keep(b"a file")
    assert store.keys() == {store.key_of(digest)}
    assert blobs.read(digest) == b"a file"
    assert list(blobs.stored_digests()) == [digest]
    with pytest.raises(NotImplementedError):
        storages["blobs"].url(blobs.place(digest))
    with pytest.raises(FileNotFoundError):
        blobs.read("0" * 64)


def test_what_was_read_once_is_read_nearby_and_checked_there(store: Store) -> None:
    digest = blobs.keep(b"a file")
    assert blobs.read(digest) == b"a file"
    store.remove(store.key_of(digest))
    assert blobs.read(digest) == b"a file", "the bucket was not asked"
    near = Path(storages["nearby"].path(blobs.place(digest)))
    near.write_bytes(b"b file")
    with pytest.raises(FileNotFoundError):
        blobs.read(digest)
    blobs.keep(b"a file")
    assert blobs.read(digest) == b"a file", "from the bucket again"


def test_nearby_is_bounded_and_loses_what_was_not_asked_for(store: Store) -> None:
    near = storages["nearby"]
    near.most_bytes = 25
    digests = [blobs.keep(bytes([i]) * 10) for i in range(3)]
    for digest in digests:
        blobs.read(digest)
    kept = [near.read_if_there(blobs.place(digest)) is not None for digest in digests]
    assert kept == [False, True, True]


def test_from_upload_to_score(store: Store, phase: Phase, bens: Client) -> None:
    assert bens.post(URL, form(**both())).status_code == 302
    waiting = Evaluation.objects.get()
    assert evaluation.run(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.SCORED


def test_a_changed_object_is_found_by_its_hash_and_costs_no_attempt(
    store: Store, phase: Phase, entry: Participation
) -> None:
    waiting = send(phase, entry)
    assert attempts_left(phase, entry, timezone.now()) == 2
    digest = waiting.submission.files.first().sha256
    store.put(store.key_of(digest), b"something else")
    for _ in range(3):
        Evaluation.objects.update(not_before=timezone.now() - timedelta(seconds=9))
        assert evaluation.run(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.FAILED_SYSTEM
    assert waiting.last_error.startswith("DamagedBlob in ")
    assert attempts_left(phase, entry, timezone.now()) == 3


def test_a_store_that_is_away_is_a_clear_answer_and_leaves_nothing(
    store: Store, away: Callable[[], AbstractContextManager[None]], bens: Client
) -> None:
    before = store.keys()
    with away():
        began = time.monotonic()
        answer = bens.post(URL, form(**both()))
        assert answer.status_code == 503 and answer["Retry-After"] == "10"
        assert "cannot reach its data" in answer.content.decode()
        api = "/api/v1/tasks/otters/test/submissions/"
        assert bens.post(api, form(**both())).status_code == 503
        assert time.monotonic() - began < 10, "the second did not wait for it"
        ready = bens.get("/readyz")
        assert (ready.status_code, ready.json()["files"]) == (503, False)
        assert bens.get("/tasks/otters/").status_code == 200, "one may look"
    assert store.keys() == before and not Submission.objects.exists()
    assert bens.post(URL, form(**both())).status_code == 302, "mends itself"


def test_nothing_is_begun_while_files_cannot_be_read(
    phase: Phase,
    entry: Participation,
    away: Callable[[], AbstractContextManager[None]],
) -> None:
    waiting = send(phase, entry)
    with away():
        assert not evaluation.run(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempt) == (EvaluationState.QUEUED, 0)
    assert evaluation.run(waiting.pk)


def test_a_bucket_without_rights_or_name_is_away(store: Store) -> None:
    real = storages["blobs"]
    wrong = buckets.BucketStorage("no-such", real.folder, real.endpoint, real.region)
    assert not wrong.answers()
    with pytest.raises(blobs.StoreAway):
        wrong.save("x", blobs.ContentFile(b"x"))


def test_what_no_row_names_goes_after_two_days_and_not_before(store: Store) -> None:
    digest, later = blobs.keep(b"nobody's"), time.time() + 60
    assert garbage_collection.collect() == 0, "young"
    assert blobs.discard(digest, later)
    assert store.keys() == {f"site/blobs-aside/{blobs.place(digest)}"}
    assert blobs.read(digest) == b"nobody's", "asked for, it comes back"
    assert store.has(store.key_of(digest))
    assert blobs.discard(digest, later)
    nearby_is_lost()
    assert blobs.discard_parts(later, named=lambda asked: set()) == 1
    assert store.keys() == set()


def test_what_a_row_names_by_then_comes_back(store: Store) -> None:
    digest, later = blobs.keep(b"somebody's"), time.time() + 60
    assert blobs.discard(digest, later)
    assert list(blobs.stored_digests()) == [digest], "a backup finds it"
    assert blobs.discard_parts(later, named=lambda asked: asked) == 0
    assert store.keys() == {store.key_of(digest)}
    assert not blobs.discard(digest, time.time() - 60), "stored just now"


def test_a_store_that_goes_away_amid_removing_says_so(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest, later = blobs.keep(b"nobody's"), time.time() + 60
    assert blobs.discard(digest, later)

    def gone(**_: Any) -> None:
        raise EndpointConnectionError(endpoint_url="http://127.0.0.1:9")

    monkeypatch.setattr(storages["blobs"]._client, "delete_object", gone)
    with pytest.raises(blobs.StoreAway):
        blobs.discard_parts(later, named=lambda asked: set())


@pytest.fixture
def another(
    store: Store, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Store]:
    """Called, it gives the site an empty bucket and an empty disk."""

    def change() -> Store:
        name = store.server.bucket()
        place = {**variables(store.server, name), "PLUMBLINE_S3_PREFIX": "site"}
        made = stores_of(place, tmp_path / "second", monkeypatch)
        settings.STORAGES = settings.STORAGES | made
        return Store(store.server, name)

    return change


@pytest.mark.django_db(transaction=True)
def test_a_backup_of_a_bucket_is_restored_into_another(
    store: Store,
    another: Callable[[], Store],
    entry: Participation,
    tmp_path: Path,
    pg_programs: None,
) -> None:
    assert evaluation.run(send(entry.task.phases.get(), entry).pk)
    file = tmp_path / "backup.tar"
    call_command("backup", str(file))
    there, other = store.keys(), another()
    call_command("restore", str(file), "--replace")
    assert other.keys() == there
    assert Evaluation.objects.get().state == EvaluationState.SCORED
