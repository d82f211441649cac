"""Files of a task of code: its hidden input goes along in bundles and copies, is never
published, and counts for its owner as what code wrote does."""

import io
from datetime import timedelta
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.extras.archive.contents import ArchiveOptions, write
from leaderboard.extras.code.inputs import give
from leaderboard.extras.code.models import CodeRun, HiddenInput
from leaderboard.organize.bundle import apply
from leaderboard.organize.next_edition import next_edition
from leaderboard.organize.test_sets import remove_test_set
from leaderboard.tasks import blobs
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.dump import pack_bundle, plan_of
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Task
from leaderboard.tasks.organizer_quota import files_of, usage_of
from leaderboard.teams.models import User
from scoring.errors import SetupError
from scoring.formats.bundle import zip_files
from scoring.source import Source
from tests.extras.code.code_task import (
    LABELS,
    SECRET,
    TEXTS,
    code_bundle,
    code_task,
    csv_of,
    submitted,
)
from tests.organize.phase_fields import text

pytestmark = pytest.mark.django_db
FOLDER_FILES = {"a/words.txt": SECRET.encode(), "b.txt": b"2"}
FOLDER = zip_files("south.zip", FOLDER_FILES)


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    settings.PROGRAMS = "everyone"


@pytest.fixture
def task(ada: User) -> Task:
    """The input of the south is a zip, that of the north one file."""
    task = code_task(ada)
    deflated = io.BytesIO()
    with ZipFile(deflated, "w", ZIP_DEFLATED) as archive:
        for name in ("b.txt", "a/words.txt"):
            archive.writestr(name, FOLDER_FILES[name])
    give(
        task.test_sets.get(name="south"),
        Source.of_bytes("south.zip", deflated.getvalue()),
    )
    return task


def inputs_of(task: Task) -> dict[str, tuple[str, bytes, int]]:
    rows = HiddenInput.objects.filter(test_set__task=task)
    return {
        row.test_set.name: (row.name, blobs.read(row.sha256), row.size) for row in rows
    }


def test_a_bundle_takes_the_hidden_input_out_and_in_again(
    task: Task, ada: User
) -> None:
    packed = pack_bundle(plan_of(task))
    with ZipFile(io.BytesIO(packed.single())) as archive:
        names = set(archive.namelist())
    assert {
        "hidden_input/north/north.csv",
        "hidden_input/south/south/a/words.txt",
    } <= names
    source = unzip("weather.zip", io.BytesIO(packed.single()))
    table = yaml.safe_load(source.files["task.yaml"]) | {"slug": "again"}
    files = {**source.files, "task.yaml": yaml.safe_dump(table).encode()}
    again = create_task(Source("again", files), ada)
    north = csv_of("id,text", TEXTS["north"])
    assert inputs_of(again) == {
        "north": ("north.csv", north, len(north)),
        "south": ("south.zip", FOLDER.single(), len(FOLDER.single())),
    }
    assert load(source) == plan_of(task)


def test_a_bundle_that_is_sent_again_changes_and_removes_hidden_input(
    task: Task, ada: User
) -> None:
    plan = plan_of(task)
    north, _south = plan.extra_parts["hidden_inputs"]
    other = north.model_copy(update={"file": Source.of_bytes("n.csv", b"id,text\n")})
    apply(task, plan.with_values(hidden_inputs=(other,)), ada)
    assert inputs_of(task) == {"north": ("n.csv", b"id,text\n", 8)}


def test_the_next_edition_has_the_hidden_input(task: Task, ada: User) -> None:
    assert inputs_of(next_edition(task, "next", "Next", ada)) == inputs_of(task)


def test_a_test_set_takes_its_hidden_input_along(task: Task, ada: User) -> None:
    remove_test_set(task, "north", ada)
    assert set(inputs_of(task)) == {"south"}


def test_hidden_input_of_no_test_set_is_refused(ada: User) -> None:
    made = code_bundle()
    table = yaml.safe_load(made.files["task.yaml"])
    table["hidden_inputs"] = [{"name": "west", "file": "west.csv"}]
    files = {"task.yaml": yaml.safe_dump(table).encode(), "west.csv": b"id,text\n"}
    with pytest.raises(SetupError, match="hidden_inputs: there is no test set 'west'"):
        create_task(Source("weather", {**made.files, **files}), ada)


def test_gold_is_refused_as_hidden_input(ada: User, client: Client) -> None:
    """Alone or in a zip of one file."""
    task = code_task(ada)
    north = task.test_sets.get(name="north")
    gold = csv_of("id,label", LABELS["north"])
    client.force_login(ada)
    address = reverse("organize-code", args=[task.slug])
    for file in (
        SimpleUploadedFile("input.csv", gold),
        SimpleUploadedFile("gold.zip", zip_files("g.zip", {"g.csv": gold}).single()),
    ):
        sent = {"action": "input", "test_set": north.pk, "file": file}
        page = client.post(address, sent)
        assert "this is the gold of the test set" in text(page)
    assert inputs_of(task)["north"][0] == "north.csv"


def test_the_page_of_baselines_says_what_a_phase_of_code_takes(
    task: Task, ada: User, client: Client
) -> None:
    client.force_login(ada)
    page = text(client.get(reverse("organize-baselines", args=[task.slug])))
    assert page.count("A zip with predict.py") == 2  # a field for each test set


def test_no_public_copy_of_a_task_has_its_hidden_input(
    task: Task, client: Client
) -> None:
    now = timezone.now()
    task.phases.update(opens=now - timedelta(days=2), closes=now - timedelta(days=1))
    file = io.BytesIO()
    write(task, ArchiveOptions(), file)
    with ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert any(name.endswith("task.yaml") for name in members)
    for name, member in members.items():
        assert "hidden_input" not in name and SECRET.encode() not in member, name
    assert client.get(reverse("organize-bundle", args=[task.slug])).status_code != 200


def test_hidden_input_and_what_code_wrote_count_for_the_owner(
    task: Task, ada: User
) -> None:
    plan, before = plan_of(task), usage_of(ada)
    one = submitted(task, FOLDER_OF_CODE).evaluations.get()
    run = CodeRun(evaluation=one, test_set=task.test_sets.get(name="north"))
    run.output_size = 12_345
    run.save()
    sent = 2 * len(FOLDER_OF_CODE)  # a file for each test set
    assert usage_of(ada).sent_bytes == before.sent_bytes + sent + 12_345
    assert len(FOLDER.single()) in files_of(plan).values()


FOLDER_OF_CODE = zip_files("mine.zip", {"predict.py": b"pass"}).single()
