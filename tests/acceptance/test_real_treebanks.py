"""Three languages, three real parsers: the whole path gives the published figures."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.boards.computation import compute_due
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.scoring.outside import DATA as DATA_SETS
from tests.scoring.outside import ROOT
from tests.waiting import wait_until
from tests.worker import Worker

DATA = DATA_SETS / "ud12"
LANGUAGES = ("English", "Finnish", "Persian")
SYSTEMS = ("malt-default", "malt-default-coarse", "malt-optimized")
# SOURCES.md beside the data: malt-default-coarse, in the order of LANGUAGES.
PUBLISHED = {
    "las": (0.8325313237697476, 0.6575870486958756, 0.8032876338585363),
    "content_precision": (0.784848690000677, 0.631937984496124, 0.7584035648551778),
    "content_recall": (0.7907912687585266, 0.635583970060814, 0.7698131760078663),
    "function_precision": (0.9214434420541291, 0.7614814814814815, 0.9009195402298851),
    "function_recall": (0.9196564621138662, 0.7620459599703484, 0.8806741573033708),
}
# Published to about 13 decimals, see there.
PUBLISHED_WLAS = (0.8168117558619699, 0.6406532356747137, 0.788654972437455)

pytestmark = pytest.mark.published


def manifest() -> dict[str, object]:
    now = timezone.now()
    opens, closes = now - timedelta(days=1), now + timedelta(days=1)
    options = {"labels": "coarse", "punctuation": "drop", "weights": "weights.csv"}
    return {
        "plumbline": 1,
        "draft": False,
        "slug": "three-languages",
        "title": "Three Languages",
        "scorer": {"name": "attachment", "options": options},
        "test_sets": [
            {"name": name.lower(), "title": name, "gold": f"{name}.conllu"}
            for name in LANGUAGES
        ],
        "phases": [
            {"name": "test", "opens": opens.isoformat(), "closes": closes.isoformat()}
        ],
    }


def real_task(organizer: User) -> Task:
    files = {f"{n}.conllu": (DATA / n / "gold.conllu").read_bytes() for n in LANGUAGES}
    files["weights.csv"] = (DATA / "averaged_wde.csv").read_bytes()
    files["task.yaml"] = yaml.safe_dump(manifest()).encode()
    return create_task(Source("three-languages", files), organizer)


def send(client: Client, system: str) -> str:
    """Upload the three files of a system through the form; the submission's page."""
    fields: dict[str, object] = {"system": system, "key": uuid4().hex}
    for name in LANGUAGES:
        data = (DATA / name / f"{system}.conllu").read_bytes()
        fields[f"file_{name.lower()}"] = SimpleUploadedFile(f"{system}.conllu", data)
    answer = client.post("/tasks/three-languages/test/submit/", fields)
    assert answer.status_code == 302, answer.content.decode()
    return str(answer.url)


def test_published_figures_come_out_of_the_whole_path(
    worker: Worker, transactional_db: None
) -> None:
    task = real_task(User.objects.create_user("ada@example.org", "x"))
    for system in SYSTEMS:
        user = User.objects.create_user(f"{system}@example.org", "x")
        join(task, Team.found(system, user))
        client = Client()
        client.force_login(user)
        send(client, system)
    wait_until(all_scored, 180, "nine files scored")
    for position, language in enumerate(LANGUAGES):
        rows = board(language.lower())
        scores = rows["malt-default-coarse"]["scores"]
        for name, figures in PUBLISHED.items():
            assert scores[name]["value"] == figures[position], (language, name)
        wlas = scores["wlas"]["value"]
        assert wlas == pytest.approx(PUBLISHED_WLAS[position], abs=1e-13)
    means = wait_until(mean_of_all, 60, "all systems stand on the board")
    mean = sum(PUBLISHED["las"]) / len(LANGUAGES)
    found = means["malt-default-coarse"]["scores"]["las"]["value"]
    assert found == pytest.approx(mean, abs=1e-15)
    assert sorted(row["rank"] for row in means.values()) == [1, 2, 3]
    assert all(row["complete"] for row in means.values())
    for position, language in enumerate(LANGUAGES):
        the_board_agrees_with_the_command_line(language, seed=2026 + position)
    what_the_system_shows_over_the_languages(means["malt-default-coarse"])


def mean_of_all() -> dict[str, dict]:  # type: ignore[type-arg]
    """The board over the languages, once it has all systems; no clock runs here that
    has it computed."""
    compute_due()
    rows = board("")
    return rows if rows.keys() == {*SYSTEMS} else {}


def the_board_agrees_with_the_command_line(language: str, seed: int) -> None:
    """Every figure of every pair, and the cluster lines that follow from them."""
    at_home = compared_at_home(language, seed)
    rows = board(language.lower())
    systems = {row["submission"]: name for name, row in rows.items()}
    asked = {"test_set": language.lower(), "system": list(systems)}
    site = Client().get("/api/v1/tasks/three-languages/test/compare/", asked).json()
    assert len(site) == 3
    for found in site:
        first, second = systems[found["first"]], systems[found["second"]]
        flipped = (first, second) not in at_home
        home = at_home[(second, first) if flipped else (first, second)]
        assert found["difference"] == home["difference"] * (-1 if flipped else 1)
        for name in ("p_value", "adjusted", "randomization"):
            assert found[name] == home[name], (language, name)
        apart = rows[first]["cluster"] != rows[second]["cluster"]
        assert apart <= (home["adjusted"] < 0.05)


def what_the_system_shows_over_the_languages(row: dict) -> None:  # type: ignore[type-arg]
    """Against NumPy's correlation and variance of the published figures."""
    asked = {"system": row["submission"]}
    address = "/api/v1/tasks/three-languages/test/across/"
    found = Client().get(address, asked).json()
    r = np.corrcoef(PUBLISHED["las"], PUBLISHED["content_recall"])[0, 1]
    assert found["correlations"]["las"]["content_recall"] == pytest.approx(r, abs=1e-12)
    best_first = sorted(PUBLISHED["las"], reverse=True)
    spread = found["cumulative_variance"]
    assert [one["value"] for one in spread] == best_first
    assert spread[0]["variance"] is None
    whole = np.var(best_first, ddof=1)
    assert spread[-1]["variance"] == pytest.approx(whole, abs=1e-15)
    page = Client().get("/tasks/three-languages/test/across/", asked)
    assert f"{r:.2f}" in page.content.decode()


def compared_at_home(language: str, seed: int) -> dict[tuple[str, str], dict]:  # type: ignore[type-arg]
    files = [f"--system={DATA / language / name}.conllu" for name in SYSTEMS]
    options = ["labels=coarse", "punctuation=drop", f"weights={DATA}/averaged_wde.csv"]
    command = ["compare", "attachment", f"--gold={DATA / language}/gold.conllu"]
    printed = subprocess.run(
        [sys.executable, "-m", "scoring", *command, *files, "--measure=las"]
        + [f"-o{option}" for option in options]
        + [f"--seed={seed}", "--format=json"],
        check=True,
        capture_output=True,
        cwd=ROOT,
    )
    return {
        (Path(found["first"]).stem, Path(found["second"]).stem): found
        for found in json.loads(printed.stdout)
    }


def all_scored() -> bool:
    return Evaluation.objects.filter(state=EvaluationState.SCORED).count() == len(
        SYSTEMS
    )


def board(test_set: str) -> dict[str, dict]:  # type: ignore[type-arg]
    """Rows of the API's board by system."""
    choice = {"test_set": test_set} if test_set else {}
    answer = Client().get("/api/v1/tasks/three-languages/test/board/", choice)
    return {row["system"]: row for row in answer.json()["rows"]}
