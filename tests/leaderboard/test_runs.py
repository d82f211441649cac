"""Several runs of one system, sent as one entry: on every way in, and what is shown."""

import csv
import io
import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.dump import bundle_of_plan, plan_of
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.errors import SetupError
from tests.leaderboard.channels import CHANNELS, ByApi, ByPage, Channel
from tests.leaderboard.small import (
    HEADS,
    both,
    bundle,
    conllu,
    manifest,
    one_wrong,
    perfect,
    scored,
)
from tests.leaderboard.test_zips import packed

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
ROOT = Path(__file__).resolve().parents[2]
BOARD = "/api/v1/tasks/otters/test/board/"


def two_wrong(name: str = "north") -> bytes:
    """A file with the first word of each sentence attached elsewhere: 6 of 8 right."""
    heads = HEADS[name]
    return conllu((4, *heads[1:4], 4, *heads[5:])).encode()


# Shares right over both test sets: 1, 15/16 and 14/16; the mean is 15/16.
RUNS = [perfect(), one_wrong(), two_wrong()]
SENT = {
    "north": RUNS[0],
    "north.2": RUNS[1],
    "north.3": RUNS[2],
    "south": perfect("south"),
    "south.2": perfect("south"),
    "south.3": perfect("south"),
}


@pytest.fixture
def several(phase: Phase) -> Phase:
    Phase.objects.filter(pk=phase.pk).update(most_runs=3)
    phase.refresh_from_db()
    return phase


@pytest.fixture(params=CHANNELS)
def channel(request: pytest.FixtureRequest) -> Channel:
    return CHANNELS[request.param]()


@pytest.fixture
def three(several: Phase, entry: Participation) -> Submission:
    return three_runs(several, entry)


def three_runs(several: Phase, entry: Participation) -> Submission:
    """An entry of three runs that was scored."""
    test_sets = {one.name: one for one in several.test_sets.all()}

    def run(number: int) -> dict[object, SimpleUploadedFile]:
        end = f".{number}" if number > 1 else ""
        return {
            test_sets[name]: SimpleUploadedFile(f"{name}.conllu", SENT[name + end])
            for name in ("north", "south")
        }

    more = [run(2), run(3)]
    return scored(several, entry, both(), more_runs=more)


def test_an_entry_of_three_runs_is_one_attempt_and_one_submission(
    several: Phase, entry: Participation, ben: User, channel: Channel
) -> None:
    told = channel.send(ben, SENT)
    assert told.sent is not None
    assert (told.sent.runs, told.stored) == (3, 1)
    assert told.charged["total"] == 1
    rows = told.sent.files.order_by("test_set__position", "run")
    assert [(one.test_set.name, one.run) for one in rows] == [
        ("north", 1),
        ("north", 2),
        ("north", 3),
        ("south", 1),
        ("south", 2),
        ("south", 3),
    ]
    assert [one.source().single() for one in rows[:3]] == RUNS


def test_the_same_key_with_another_run_is_another_upload(
    several: Phase, entry: Participation, ben: User, channel: Channel
) -> None:
    first = channel.send(ben, SENT, key="a" * 32)
    again = channel.send(ben, SENT, key="a" * 32)
    assert again.sent == first.sent
    other = channel.send(ben, {**SENT, "north.3": perfect()}, key="a" * 32)
    assert not other.accepted


def test_every_test_set_needs_as_many_runs(
    several: Phase, entry: Participation, ben: User, channel: Channel
) -> None:
    files = {name: data for name, data in SENT.items() if name != "south.3"}
    told = channel.send(ben, files)
    assert (told.accepted, told.stored, told.charged) == (False, 0, {})
    assert "Run 3 has no file for South, but run 1 has one." in told.text


def test_no_run_may_be_left_out_between_two(
    several: Phase, entry: Participation, ben: User, channel: Channel
) -> None:
    told = channel.send(ben, {"north": perfect(), "north.3": perfect()})
    assert not told.accepted
    assert "Run 2 has no file for North, but run 1 has one." in told.text


def test_a_phase_that_takes_one_run_less_since_the_file_was_read_refuses_it(
    several: Phase,
    entry: Participation,
    ben: User,
    channel: Channel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fewer = Phase.objects.filter(pk=several.pk)
    monkeypatch.setattr(
        accept, "find_problems", lambda *_: fewer.update(most_runs=2) and []
    )
    told = channel.send(ben, SENT)
    assert (told.code, told.stored, told.charged) == ("changed_meanwhile", 0, {})


def test_a_phase_of_one_run_takes_no_second(
    phase: Phase, entry: Participation, ben: User
) -> None:
    told = ByApi().send(ben, {"north": perfect(), "north.2": perfect()})
    assert not told.accepted
    assert "is none of the files asked for" in told.text
    assert "More runs" not in ByPage().look(ben).text


def test_an_entry_may_name_the_prompt_of_each_run(
    several: Phase, entry: Participation, ben: User, channel: Channel, client: Client
) -> None:
    told = channel.send(ben, SENT, prompts="short, long , steps", key="p" * 32)
    assert told.sent is not None
    assert told.sent.prompts == ["short", "long", "steps"]
    assert evaluation.run(told.sent.evaluations.get().pk)
    page = client.get(f"/submissions/{told.sent.pk}/system/").content.decode()
    assert "Estimated from 3 prompts." in page
    (sources,) = client.get("/api/v1/tasks/otters/test/uncertainty/").json()
    shares = sources["measures"]["uas"]["shares"]
    assert shares["prompts"] > 0 and shares["runs"] is None
    other = channel.send(ben, SENT, prompts="short, long, shots", key="p" * 32)
    assert not other.accepted


@pytest.mark.parametrize(
    ("prompts", "wrong"),
    [
        ("short, long", "Name a prompt for each of the 3 runs, every one for as many"),
        ("short, short, long", "these are: short (2), long (1)."),
        ("short,,long", "Names of prompts have 1 to 60 characters."),
    ],
)
def test_prompts_that_do_not_fit_the_runs_are_refused(
    several: Phase,
    entry: Participation,
    ben: User,
    channel: Channel,
    prompts: str,
    wrong: str,
) -> None:
    told = channel.send(ben, SENT, prompts=prompts)
    assert (told.accepted, told.stored, told.charged) == (False, 0, {})
    assert wrong in told.text


def test_a_zip_holds_one_run(
    several: Phase, entry: Participation, ben: User, channel: Channel
) -> None:
    archive = SimpleUploadedFile("all.zip", packed({"north.conllu": perfect()}))
    told = channel.send(ben, {"north.2": perfect()}, archive=archive)
    assert not told.accepted
    assert "A zip holds one run." in told.text


def test_what_is_wrong_names_test_set_and_run(
    several: Phase, entry: Participation, ben: User, channel: Channel
) -> None:
    told = channel.send(ben, {"north": perfect(), "north.2": b"nonsense\n"})
    assert not told.accepted
    assert "north, run 2/north.2.conllu" in told.text


def test_the_board_shows_the_mean_and_how_much_the_runs_differ(
    three: Submission, client: Client
) -> None:
    (row,) = client.get(BOARD).json()["rows"]
    assert row["runs"] == 3
    shares = [1, 15 / 16, 14 / 16]
    found = row["scores"]["uas"]
    assert found["value"] == pytest.approx(statistics.mean(shares), abs=1e-12)
    assert found["between_runs"] == pytest.approx(statistics.stdev(shares), abs=1e-12)
    assert found["low"] < 14 / 16
    page = client.get("/tasks/otters/test/board/").content.decode()
    assert "mean of 3 runs (sd 6.25)" in page
    assert "one run" not in page


def test_one_test_set_of_the_board_is_the_mean_there(
    three: Submission, client: Client
) -> None:
    (row,) = client.get(BOARD, {"test_set": "north"}).json()["rows"]
    assert row["scores"]["uas"]["value"] == pytest.approx(7 / 8, abs=1e-12)


def test_an_entry_of_runs_is_tested_against_one_of_one(
    three: Submission, several: Phase, cy: User, client: Client
) -> None:
    other = join(several.task, Team.found("Cys", cy))
    scored(several, other, both({"north": one_wrong()}))
    rows = client.get(BOARD).json()["rows"]
    assert [row["runs"] for row in rows] in ([3, 1], [1, 3])
    # Means of 15/16 both.
    assert [row["rank"] for row in rows] == [1, 1]


def test_an_entry_of_one_run_is_marked_where_another_has_several(
    three: Submission, several: Phase, cy: User, client: Client
) -> None:
    page = "/tasks/otters/test/board/"
    other = join(several.task, Team.found("Cys", cy))
    scored(several, other, both({"north": one_wrong()}))
    shown = client.get(page).content.decode()
    assert shown.count("one run") == 1
    # Here somebody knows how runs differ.
    assert "Every system here has one run" not in shown
    table = client.get("/tasks/otters/test/board.md").content.decode()
    assert table.count("one run") == 1


def test_the_page_of_a_system_says_where_its_uncertainty_comes_from(
    three: Submission, several: Phase, cy: User, client: Client
) -> None:
    page = client.get(f"/submissions/{three.pk}/system/").content.decode()
    assert "Where the uncertainty comes from" in page
    assert "Estimated from 3 runs." in page
    other = join(several.task, Team.found("Cys", cy))
    alone = scored(several, other, both({"north": one_wrong()}))
    page = client.get(f"/submissions/{alone.pk}/system/").content.decode()
    assert "Where the uncertainty comes from" not in page


def test_the_api_and_exports_say_where_uncertainty_comes_from(
    three: Submission, several: Phase, client: Client
) -> None:
    address = "/api/v1/tasks/otters/test/uncertainty/"
    (told,) = client.get(address, {"system": str(three.pk)}).json()
    assert told == client.get(address).json()[0]
    uas = told["measures"]["uas"]
    assert (uas["runs"], uas["prompts"], uas["judges"]) == (3, 1, 1)
    shares = uas["shares"]
    assert shares["prompts"] is None and shares["judges"] is None
    known = [shares[name] for name in ("units", "runs", "rest")]
    assert sum(known) == pytest.approx(1)
    exported = client.get("/tasks/otters/test/board.json").json()
    assert exported["uncertainty"] == {told["submission"]: told["measures"]}
    answer = client.get("/tasks/otters/test/board.csv").content.decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(answer))
    ranked_by = exported["board"]["ranked_by"]
    of_rank = told["measures"][ranked_by]
    assert float(row[f"{ranked_by}.error"]) == of_rank["error"]
    assert float(row[f"{ranked_by}.runs"]) == of_rank["shares"]["runs"]


def test_exports_say_how_many_runs_there_are(three: Submission, client: Client) -> None:
    answer = client.get("/tasks/otters/test/board.csv")
    (row,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert row["runs"] == "3"
    assert float(row["uas.between_runs"]) == pytest.approx(1 / 16, abs=1e-12)


def test_its_page_lists_every_run_with_its_file_and_receipt(
    three: Submission, ben: User, as_user: Login, tmp_path: Path
) -> None:
    mine = as_user(ben)
    page = mine.get(f"/submissions/{three.pk}/").content.decode()
    assert "mean of 3 runs (sd" in page
    assert "North, run 2" in page
    sent = mine.get(f"/submissions/{three.pk}/files/north/", {"run": "2"})
    assert sent.content == one_wrong()
    receipt = mine.get(f"/submissions/{three.pk}/receipt/north/", {"run": "2"})
    table = json.loads(receipt.content)
    assert table["measures"]["uas"]["value"] == 7 / 8
    (tmp_path / "receipt.json").write_bytes(receipt.content)
    (tmp_path / "gold.conllu").write_bytes(perfect())
    (tmp_path / "sent.conllu").write_bytes(one_wrong())
    words = ["receipt.json", "--gold", "gold.conllu", "--system", "sent.conllu"]
    checked = subprocess.run(
        [sys.executable, "-m", "scoring", "verify", *words],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert checked.returncode == 0
    for wrong in ("0", "4", "x", ""):
        address = f"/submissions/{three.pk}/receipt/north/?run={wrong}"
        assert mine.get(address).status_code == 404


def test_a_private_part_is_of_every_run(
    three: Submission, several: Phase, client: Client
) -> None:
    Phase.objects.filter(pk=several.pk).update(private_share=0.5)
    (row,) = client.get(BOARD).json()["rows"]
    assert row["scores"]["uas"]["value"] is not None
    assert row["scores"]["uas"]["between_runs"] >= 0


def test_a_bundle_says_how_many_runs_and_is_written_again(ada: User) -> None:
    (phase,) = manifest()["phases"]
    given = bundle(slug="seals", phases=[{**phase, "most_runs": 5}])
    task = create_task(given, ada)
    assert task.phases.get().most_runs == 5
    written = yaml.safe_load(bundle_of_plan(plan_of(task)).files["task.yaml"])
    assert written["phases"][0]["most_runs"] == 5


@pytest.mark.parametrize("runs", [0, 11])
def test_a_bundle_with_no_run_or_too_many_is_refused(ada: User, runs: int) -> None:
    (phase,) = manifest()["phases"]
    with pytest.raises(SetupError, match="most_runs"):
        create_task(bundle(slug="seals", phases=[{**phase, "most_runs": runs}]), ada)
