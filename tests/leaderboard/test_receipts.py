"""A receipt from the site holds at home, and does not once a byte differs."""

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import both, one_wrong, perfect, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def receipt(
    phase: Phase, entry: Participation, ben: User, as_user: Login, tmp_path: Path
) -> Path:
    sent = scored(phase, entry, both({"south": one_wrong("south")}))
    answer = as_user(ben).get(f"/submissions/{sent.pk}/receipt/south/")
    (tmp_path / "receipt.json").write_bytes(answer.content)
    (tmp_path / "south.conllu").write_bytes(perfect("south"))
    (tmp_path / "sent.conllu").write_bytes(one_wrong("south"))
    return tmp_path / "receipt.json"


def verified(receipt: Path) -> int:
    files = ["--gold", "south.conllu", "--system", "sent.conllu"]
    return subprocess.run(
        [sys.executable, "-m", "scoring", "verify", receipt.name, *files],
        cwd=receipt.parent,
        env={"PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
    ).returncode


def test_a_receipt_of_the_site_holds_at_home(receipt: Path) -> None:
    assert verified(receipt) == 0


def test_its_command_reproduces_the_numbers_though_both_files_have_one_name(
    receipt: Path,
) -> None:
    table, home = json.loads(receipt.read_bytes()), receipt.parent
    assert table["gold"]["file"] == table["system"]["file"] == "south.conllu"
    for folder, data in (("gold", perfect("south")), ("system", one_wrong("south"))):
        (home / folder).mkdir()
        (home / folder / "south.conllu").write_bytes(data)
    _python, *words = shlex.split(table["command"])
    printed = subprocess.run(
        [sys.executable, *words],
        cwd=home,
        env={"PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    ).stdout
    assert json.loads(printed)["measures"] == table["measures"]


def test_the_scorer_s_remarks_stand_on_page_and_receipt(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    said = "all values of the system are the same: no correlation is defined"
    sent = scored(phase, entry, {"south": perfect("south")})
    evaluation = sent.evaluations.get()
    evaluation.results["test_sets"]["south"]["scorer_remarks"] = [said]
    evaluation.save(update_fields=["results"])
    reader = as_user(ben)
    page = reader.get(f"/submissions/{sent.pk}/").text
    assert said.capitalize() in page.partition("Scoring details")[0]
    receipt = reader.get(f"/submissions/{sent.pk}/receipt/south/").json()
    assert receipt["remarks"] == [said]


def test_another_file_breaks_the_receipt(receipt: Path) -> None:
    (receipt.parent / "sent.conllu").write_bytes(perfect("south"))
    assert verified(receipt) == 2


def test_a_changed_number_breaks_the_receipt(receipt: Path) -> None:
    table = json.loads(receipt.read_bytes())
    table["measures"]["las"]["high"] -= 1e-15
    receipt.write_text(json.dumps(table))
    assert verified(receipt) == 2


def test_a_receipt_is_for_those_who_see_the_scores(
    phase: Phase, entry: Participation, cy: User, as_user: Login
) -> None:
    sent = scored(phase, entry, {"south": perfect("south")})
    address = f"/submissions/{sent.pk}/receipt/south/"
    assert as_user(cy).get(address).status_code == 404
    mine = as_user(entry.team.members.get())
    assert mine.get(address).status_code == 200
    assert mine.get(address.replace("south", "north")).status_code == 404
