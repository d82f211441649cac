"""The example package with a scorer, in an environment of its own: upload to board."""

import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leaderboard.embedded.directories import private_directory
from tests.embedded.test_serve import OURS, ROOT, Site
from tests.servers import free_ports

pytestmark = pytest.mark.thorough
EXAMPLE = ROOT / "docs" / "examples" / "plug-in"
SCRIPT = ROOT / "docs" / "examples" / "first-submission.sh"
PACKAGE = "harbour-headings==1.0.0"
MANIFEST = """\
plumbline: 1
slug: headings
title: Headings of Ships
scorer: {name: headings, options: {within: 15}, headline: close}
bootstrap: {resamples: 200}
test_sets:
  - {name: logs, title: Logs, gold: gold.csv}
phases:
  - {name: open, title: Open, opens: 2020-01-01T00:00:00Z, daily_limit: 10}
"""
GOLD = [0, 10, 90, 180, 270, 350, 45, 135, 225, 315]
# Worked by hand: off by 20, 20, 15, 0, 0, 15, 90, 0, 180, 1, so 6 of 10 are within 15.
ACROSS_NORTH = [340, 350, 105, 180, 270, 5, 135, 135, 45, 314]
PEOPLE = """
from leaderboard.teams.models import User
for name in ("ada", "ben"):
    User.objects.create_user(f"{name}@example.org", "x", name=name)
"""


def table(degrees: list[int]) -> str:
    rows = (f"log-{i},{one}\n" for i, one in enumerate(degrees))
    return "".join(["id,degrees\n", *rows])


class Environment:
    """An environment with the packages of this one, and the example installed."""

    def __init__(self, place: Path) -> None:
        self.place, self.python = place, str(place / "env" / "bin" / "python")
        outside = {name: v for name, v in os.environ.items() if name not in OURS}
        self.env = {**outside, "PLUMBLINE_DATA": str(place / "site")}
        words = [sys.executable, "-m", "venv", "--without-pip", str(place / "env")]
        subprocess.run(words, check=True)
        (packages,) = (place / "env").glob("lib/python*/site-packages")
        (packages / "these.pth").write_text(sysconfig.get_path("purelib"))

    def run(self, *words: str, fine: bool = True, **env: str) -> str:
        """What a command of this environment's Python prints."""
        done = subprocess.run(
            [self.python, *words],
            cwd=ROOT,
            env=self.env | env,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0 or not fine, done.stdout + done.stderr
        return done.stdout + done.stderr

    def install(self) -> None:
        source = self.place / "source"  # building leaves files in it
        shutil.copytree(EXAMPLE, source)
        options = ["--no-deps", "--no-index", "--no-build-isolation", "-qq"]
        self.run("-m", "pip", "install", *options, str(source))


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    place = tmp_path_factory.mktemp("plugin")
    private_directory(place / "site")
    env = Environment(place)
    env.install()
    return env


@pytest.fixture(scope="module")
def task(env: Environment) -> None:
    bundle = env.place / "bundle"
    bundle.mkdir()
    (bundle / "task.yaml").write_text(MANIFEST, "utf-8")
    (bundle / "gold.csv").write_text(table(GOLD), "utf-8")
    env.run("manage.py", "migrate", "-v0")
    env.run("manage.py", "shell", "-c", PEOPLE)
    env.run("manage.py", "import_task", str(bundle), "--organizer", "ada@example.org")
    draft = "Task.objects.update(draft=False)"
    words = f"from leaderboard.tasks.models import Task; {draft}"
    env.run("manage.py", "shell", "-c", words)


@contextmanager
def served(env: Environment) -> Iterator[Site]:
    (port,) = free_ports(1)
    data = Path(env.env["PLUMBLINE_DATA"])
    site = Site(data, python=env.python, PLUMBLINE_PORT=str(port))
    site.address = site.wait_for_address()
    yield site
    site.process.terminate()
    site.process.wait(60)


@pytest.fixture(scope="module")
def site(env: Environment, task: None) -> Iterator[Site]:
    with served(env) as site:
        yield site


def fetched(site: Site, path: str) -> bytes:
    with urllib.request.urlopen(site.address + path) as answer:
        assert answer.status == 200
        return bytes(answer.read())


def sent(env: Environment, site: Site, system: str, degrees: list[int]) -> str:
    """What the example script of the handbook prints."""
    file = env.place / "logs.csv"
    file.write_text(table(degrees), "utf-8")
    words = ["manage.py", "make_token", "ben@example.org", "--scope", "submit"]
    done = subprocess.run(
        ["sh", str(SCRIPT), "headings", "open", system, f"logs={file}"],
        cwd=env.place,
        env={
            **env.env,
            "PLUMBLINE_SITE": site.address.rstrip("/"),
            "PLUMBLINE_TOKEN": env.run(*words).strip().splitlines()[-1],
            "TEAM_NAME": "Bens",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def scores(site: Site) -> dict[str, float]:
    """The values of the only row of the board."""
    answer = json.loads(fetched(site, "api/v1/tasks/headings/open/board/"))
    (row,) = answer["rows"]
    return {name: score["value"] for name, score in row["scores"].items()}


def test_from_upload_to_board(env: Environment, site: Site) -> None:
    """One test, since each start of a site takes seconds."""
    assert "rank: 1" in sent(env, site, "Across north", ACROSS_NORTH)
    assert scores(site) == {"close": 0.6, "error": 34.1}
    data = io.BytesIO(fetched(site, "tasks/headings/open/kit/"))
    with zipfile.ZipFile(data) as kit:
        (name,) = (one for one in kit.namelist() if one.endswith("requirements.txt"))
        assert PACKAGE in kit.read(name).decode().splitlines()
        assert any("/example/" in one for one in kit.namelist())
    listed = env.run("manage.py", "check", "--deploy", fine=False)
    assert f"Plug-in {PACKAGE} (headings)." in listed
    laws = env.run("-m", "scoring", "laws", "headings").splitlines()
    assert laws[-1].endswith("laws hold for headings")
    at_home = env.run(
        *("-m", "scoring", "score", "headings", "--format", "json"),
        *("--gold", str(env.place / "bundle" / "gold.csv")),
        *("--system", str(env.place / "logs.csv")),
    )
    assert json.loads(at_home)["signature"].endswith(f"|scorer:1|package:{PACKAGE}")


def test_without_the_package_the_site_starts_and_shows_what_it_has_stored(
    env: Environment, site: Site
) -> None:
    assert scores(site)
    site.process.terminate()
    site.process.wait(60)
    env.run("-m", "pip", "uninstall", "-qq", "-y", "harbour-headings")
    with served(env) as again:
        assert scores(again) == {"close": 0.6, "error": 34.1}
        assert json.loads(fetched(again, "readyz"))["plugins_broken"] == []
