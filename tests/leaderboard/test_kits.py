"""Starting kits: what is in them, that it works, and that no gold is."""

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from leaderboard.boards.views import baselines
from leaderboard.submissions import kit
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from scoring.scorers import get
from tests.leaderboard.small import CANARY, both, manifest, one_wrong, scored
from tests.organize.bundles import written
from tests.scoring import plugs

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
KIT = "/tasks/otters/test/kit/"
STEM = "otters-test-kit/"


def fetched(client: Client | None = None) -> bytes:
    answer = (client or Client()).get(KIT)
    assert answer.status_code == 200
    return answer.content


def opened(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        return {name.removeprefix(STEM): archive.read(name) for name in names}


@pytest.fixture
def weighted(ada: User) -> Task:
    """The small task with an option file, and weights that the commands must name."""
    table = manifest()
    table["scorer"]["options"] = {"weights": "weights.csv", "roots": "single"}
    return create_task(written(table), ada)


def test_a_kit_holds_input_example_format_options_and_the_engine(
    weighted: Task,
) -> None:
    files = opened(fetched())
    expected = {
        "README.md",
        "FORMAT.md",
        "requirements.txt",
        "options/weights.csv",
        "blind/north.conllu",
        "blind/south.conllu",
        "example/north.conllu",
        "example/south.conllu",
        "scoring/__main__.py",
    }
    assert expected <= files.keys()
    assert (
        files["blind/north.conllu"]
        == Client().get("/tasks/otters/test/blind/north/").content
    )


def test_a_kit_asks_for_what_its_scorer_needs_and_no_more(
    phase: Phase, tmp_path: Path
) -> None:
    plugs.write(
        tmp_path,
        "toys",
        'SCORER = replace(TOY, name="plugged", requires=("nltk",))\n',
        "1.2",
    )
    base = kit.requirements(phase.task.scorer).split()
    assert [line.partition("==")[0] for line in base] == list(kit.ENGINE_NEEDS)
    with plugs.on_path(tmp_path):
        plugged = get("plugged")
    more = kit.requirements(plugged).split()[len(base) :]
    assert more == [f"nltk=={version('nltk')}", "toys==1.2"]
    assert kit.requirements(get("translation")).split()[-1].startswith("sacrebleu==")


@pytest.mark.usefixtures("weighted")
def test_a_blind_file_is_called_as_in_the_kit() -> None:
    answer = Client().get("/tasks/otters/test/blind/north/")
    assert answer["Content-Disposition"] == 'attachment; filename="north.conllu"'


def test_the_commands_of_the_kit_run_in_its_folder(
    weighted: Task, tmp_path: Path
) -> None:
    with zipfile.ZipFile(io.BytesIO(fetched())) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / STEM
    readme = (folder / "README.md").read_text()
    command = next(
        line.split() for line in readme.split("\n") if "scoring check" in line
    )
    assert "weights=options/weights.csv" in command and "roots=single" in command
    found = subprocess.run(
        [sys.executable, *command[1:]], cwd=folder, capture_output=True, text=True
    )
    assert (found.returncode, found.stdout) == (0, "fine\n"), found.stderr


def test_a_phase_with_one_test_set_is_told_of_no_zip(phase: Phase) -> None:
    assert b"one zip with a file per test set" in opened(fetched())["README.md"]
    phase.test_sets.remove(phase.test_sets.get(name="south"))
    readme = opened(fetched())["README.md"]
    assert b"one zip" not in readme and b"archive=@" not in readme
    assert b"Drop your file on the page, as it is" in readme


def test_the_example_is_accepted_as_it_is(phase: Phase, entry: Participation) -> None:
    files = opened(fetched())
    sent = {name: files[f"example/{name}.conllu"] for name in ("north", "south")}
    assert scored(phase, entry, sent).evaluations.get().results


def test_the_same_kit_is_the_same_bytes_and_is_made_once(
    phase: Phase,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: Any,
) -> None:
    first = fetched()
    with django_assert_max_num_queries(12):
        fetched()
    made: list[object] = []
    monkeypatch.setattr(kit, "_files", lambda *args: made.append(args))
    assert fetched() == first
    assert made == []
    tag = Client().get(KIT)["ETag"]
    assert Client().get(KIT, headers={"if-none-match": tag}).status_code == 304


def test_another_deadline_makes_another_kit(phase: Phase) -> None:
    first = fetched()
    phase.closes = None
    phase.save()
    second = fetched()
    assert second != first
    assert b"No end" in opened(second)["README.md"]


def test_no_gold_is_in_a_kit(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    scored(phase, entry, both(), baseline=True, system="Stone age")
    for client in (Client(), as_user(ada)):
        files = opened(fetched(client))
        assert len(files) > 50
        for name, data in files.items():
            assert CANARY.encode() not in data, name


def test_a_kit_is_there_when_the_input_is(
    upcoming: Phase, ada: User, cy: User, as_user: Login
) -> None:
    assert Client().get(KIT).status_code == 404
    assert as_user(cy).get(KIT).status_code == 404
    assert as_user(ada).get(KIT).status_code == 200


def test_a_baseline_is_named_with_its_published_score(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both({"north": one_wrong()}), baseline=True, system="Stones")
    (found,) = baselines(phase)
    assert (found.system, found.score) == ("Stones", "93.75")
    assert b"| Stones | 93.75 |" in opened(fetched())["README.md"]


def test_a_blind_phase_tells_no_baseline_not_even_to_its_organizers(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    scored(phase, entry, both(), baseline=True, system="Stones")
    phase.policy = Phase.Policy.BLIND
    phase.save()
    assert b"Stones" not in opened(fetched(as_user(ada)))["README.md"]


def test_the_format_page_shows_an_example_worked_by_the_scorer(phase: Phase) -> None:
    text = opened(fetched())["FORMAT.md"].decode()
    assert "replace the _ of HEAD and DEPREL" in text
    assert "3\tboats\t_\t_\t_\t_\t1\tdobj\t_\t_" in text
    # Of four words a chain, 0 1 2 3, gets two right: the heads are 0, 3, 1 and 3.
    assert "| UAS | 1.000000 | 0.500000 | correct heads / words |" in text
    # And one relation: only the root is called as in the gold.
    assert "| LAS | 1.000000 | 0.250000 | correct heads and labels / words |" in text


def test_task_and_submit_page_link_the_kit(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    for page in ("/tasks/otters/", "/tasks/otters/test/submit/"):
        assert f'href="{KIT}"' in as_user(ben).get(page).content.decode()
