"""What an organizer may own ends where the operator says, before anything is stored."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.organize.baselines import send_baseline
from leaderboard.submissions import accept
from leaderboard.submissions.gold.check import propose
from leaderboard.submissions.models import Submission
from leaderboard.tasks import blobs
from leaderboard.tasks.models import GoldRevision, Organizer, Participation, Phase, Task
from leaderboard.tasks.organizer_quota import OverQuota, owner_of, usage_of
from leaderboard.teams.models import User
from scoring.formats.bundle import zip_files
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import both, bundle, perfect, upload
from tests.organize.drafts import SCORING, TEXTS

pytestmark = [pytest.mark.django_db, pytest.mark.databases("sql")]


@pytest.fixture(autouse=True)
def read_here(settings: Any) -> None:
    """Bundles are read in this process, which saves a second each."""
    settings.SANDBOX_INLINE = True


def sent_bundle(slug: str) -> SimpleUploadedFile:
    data = zip_files("bundle.zip", bundle(slug=slug).files).single()
    return SimpleUploadedFile("bundle.zip", data)


def test_no_task_too_many_comes_by_page_api_or_command(
    task: Task, ada: User, as_user: Any, settings: Any, tmp_path: Any
) -> None:
    settings.TASKS_PER_ORGANIZER = 1
    stored = set(blobs.stored_digests())
    said = "You own as many tasks as this site allows each organizer (1 of 1)"
    page = as_user(ada).post("/tasks/new/", {"bundle": sent_bundle("seals")})
    assert page.status_code == 422 and said in page.content.decode()
    form = {**TEXTS, **SCORING, "slug": "seals"}
    page = as_user(ada).post("/tasks/new/form/?scorer=attachment", form)
    assert said in page.content.decode()
    answer = bearer(ada, "organize").post(
        "/api/v1/tasks/", {"bundle": sent_bundle("seals")}
    )
    assert answer.status_code == 403
    assert (
        answer.json()["code"] == "organizer_quota" and said in answer.json()["detail"]
    )
    place = tmp_path / "seals.zip"
    place.write_bytes(sent_bundle("seals").read())
    with pytest.raises(CommandError, match=re.escape(said)):
        call_command("import_task", place, organizer=ada.email)
    assert Task.objects.count() == 1 and set(blobs.stored_digests()) == stored
    ada.is_superuser = True
    ada.save()
    call_command("import_task", place, organizer=ada.email, stdout=StringIO())
    assert Task.objects.count() == 2


def test_files_of_organizers_are_refused_where_the_quota_is_full_and_no_submission_is(
    phase: Phase, entry: Participation, ada: User, settings: Any
) -> None:
    task = phase.task
    accept.submit(upload(phase, entry, both()))
    used = usage_of(ada)
    north, south = perfect("north"), perfect("south")
    assert used.tasks == 1 and used.sent_bytes == len(north) + len(south)
    assert used.own_bytes >= len(north) + len(south)
    settings.STORAGE_PER_ORGANIZER = used.bytes + len(north) - 1
    stored = set(blobs.stored_digests())
    files = {task.test_sets.get(name="north"): SimpleUploadedFile("n.conllu", north)}
    with pytest.raises(OverQuota, match="the operator of the site"):
        propose(task, files, ada)
    what = {"system": "Own", "description": "", "phases": [phase], "key": "k"}
    with pytest.raises(OverQuota):
        send_baseline(task, ada, files=files, **what)
    assert (GoldRevision.objects.count(), Submission.objects.count()) == (1, 1)
    assert set(blobs.stored_digests()) == stored
    accept.submit(upload(phase, entry, both()))
    settings.STORAGE_PER_ORGANIZER = 0
    send_baseline(task, ada, files=files, **what)
    assert Submission.objects.count() == 3


def test_a_changed_bundle_counts_by_what_it_adds(
    task: Task, ada: User, as_user: Any, settings: Any
) -> None:
    settings.STORAGE_PER_ORGANIZER = usage_of(ada).bytes
    client: Client = as_user(ada)
    address = "/tasks/otters/organize/bundle/"
    page = client.post(address, {"bundle": sent_bundle("otters")})
    assert "would take" not in page.content.decode()
    larger = dict(bundle().files) | {"gold/north.conllu": perfect("north") + b"# x\n\n"}
    data = zip_files("bundle.zip", larger).single()
    page = client.post(address, {"bundle": SimpleUploadedFile("b.zip", data)})
    assert "This would take" in page.content.decode()


def test_a_task_counts_for_its_first_owner_and_the_operator_sees_the_use(
    task: Task, ada: User, cy: User
) -> None:
    Organizer.objects.create(task=task, user=cy, role=Organizer.Role.OWNER)
    assert (usage_of(ada).tasks, usage_of(cy).tasks) == (1, 0)
    out = StringIO()
    call_command("usage", stdout=out)
    head, first, second, last = out.getvalue().splitlines()
    assert head.split() == [
        "tasks",
        "gold",
        "etc.",
        "submissions",
        "of",
        "quota",
        "owner",
    ]
    assert first.split()[0] == "1" and first.endswith(ada.email)
    assert second.split()[0] == "0" and second.endswith(cy.email)
    assert last == "Each may own 100 tasks, in all of 19.5 GB."
    Organizer.objects.filter(user=ada).delete()
    assert owner_of(task) == cy


def test_bundles_beyond_those_of_a_day_are_not_read(
    task: Task, ada: User, as_user: Any, settings: Any
) -> None:
    settings.BUNDLES_PER_DAY = 2
    client = bearer(ada, "organize")
    page = as_user(ada).post("/tasks/new/", {"bundle": sent_bundle("seals")})
    assert page.status_code == 302
    changed = {"bundle": sent_bundle(task.slug)}
    answer = client.post(f"/api/v1/tasks/{task.slug}/bundle/", changed)
    assert answer.status_code == 200
    said = "You sent as many bundles today as this site reads of one person (2)"
    page = as_user(ada).post("/tasks/new/", {"bundle": sent_bundle("walrus")})
    assert page.status_code == 422 and said in page.content.decode()
    answer = client.post("/api/v1/tasks/", {"bundle": sent_bundle("walrus")})
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_bundles")
    assert 0 < int(answer["Retry-After"]) <= 24 * 3600
    assert said in answer.json()["detail"]
    ada.is_superuser = True
    ada.save()
    page = as_user(ada).post("/tasks/new/", {"bundle": sent_bundle("walrus")})
    assert page.status_code == 302
