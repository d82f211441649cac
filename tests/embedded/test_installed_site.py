"""A release as its users meet it: a site from its wheels, a plug-in, a client alone."""

import io
import json
import shutil
import subprocess
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leaderboard.embedded.directories import private_directory
from leaderboard.handbook import pages as handbook
from release.distributions import build
from tests.embedded.environments import Environment
from tests.embedded.test_serve import ROOT, Site
from tests.servers import free_ports

pytestmark = pytest.mark.thorough
EXAMPLE = ROOT / "docs" / "examples" / "plug-in"
SCRIPT = ROOT / "docs" / "examples" / "first-submission.sh"
SITE = "plumbline-site"
DISTRIBUTIONS = ("plumbline_scoring", "plumbline_site")
PACKAGED = ("plumbline", "scoring")
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
OTHER = """\
plumbline: 1
slug: depths
title: Depths of Water
scorer: {name: numbers}
bootstrap: {resamples: 200}
test_sets:
  - {name: logs, title: Logs, gold: gold.csv}
phases:
  - {name: open, title: Open, opens: 2020-01-01T00:00:00Z, daily_limit: 10}
"""
PEOPLE = """
from django.core.management import call_command
from leaderboard.embedded.site import create_tables
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
create_tables()
for name in ("ada", "ben"):
    User.objects.create_user(f"{{name}}@example.org", "x", name=name)
for slug in ("headings", "depths"):
    call_command("import_task", f"{}/{{slug}}", organizer="ada@example.org")
Task.objects.update(draft=False)
"""
JOIN = """
from leaderboard.tasks.models import Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team
join(Task.objects.get(slug="depths"), Team.objects.get(name="Bens"))
"""


def table(values: list[int], column: str = "degrees") -> str:
    rows = (f"log-{i},{one}\n" for i, one in enumerate(values))
    return "".join([f"id,{column}\n", *rows])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files of a release, by the end of their names."""
    built = build(tmp_path_factory.mktemp("dist"))
    assert {file.name.partition("-")[0] for file in built} == {*DISTRIBUTIONS}
    return {file.name.partition("-")[0] + file.suffix: file for file in built}


def test_the_wheel_has_every_file_that_a_site_reads(files: dict[str, Path]) -> None:
    with zipfile.ZipFile(files["plumbline_site.whl"]) as wheel:
        held = set(wheel.namelist())
    folders = ("templates", "static", "deploy/systemd", "leaderboard")
    read = [file for folder in folders for file in (ROOT / folder).rglob("*.*")]
    read += [page.source for page in handbook.pages()]
    read += handbook.files().values()
    read += (ROOT / "locale").rglob("*.mo")
    names = {file.relative_to(ROOT).as_posix() for file in read if file.is_file()}
    wanted = {
        name if name.startswith("leaderboard/") else f"leaderboard/installed/{name}"
        for name in names
        if "__pycache__" not in name
    }
    assert wanted - held == set()
    assert not [name for name in held if name.endswith((".po", ".env"))]


@pytest.fixture(scope="module")
def env(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, Path]
) -> Environment:
    """The site, installed from its wheels, and the plug-in beside it."""
    place = tmp_path_factory.mktemp("installed")
    private_directory(place / "site")
    env = Environment(place)
    env.env["PLUMBLINE_DATA"] = str(place / "site")
    env.see_all()
    source = place / "source"  # building leaves files in it
    shutil.copytree(EXAMPLE, source)
    env.install(*(files[f"{name}.whl"] for name in DISTRIBUTIONS), source)
    return env


@pytest.fixture(scope="module")
def task(env: Environment) -> None:
    bundle = env.place / "bundle"
    bundle.mkdir()
    for slug, manifest in (("headings", MANIFEST), ("depths", OTHER)):
        (bundle / slug).mkdir()
        (bundle / slug / "task.yaml").write_text(manifest, "utf-8")
    (bundle / "headings" / "gold.csv").write_text(table(GOLD), "utf-8")
    (bundle / "depths" / "gold.csv").write_text(table(GOLD, "value"), "utf-8")
    env.run(SITE, "shell", "-c", PEOPLE.format(bundle))


def test_what_an_operator_copies_out_of_the_wheel_makes_a_folder_like_a_clone(
    env: Environment, tmp_path: Path
) -> None:
    lines = (ROOT / "deploy" / "README.md").read_text("utf-8").splitlines()
    copied = [line.strip() for line in lines if "leaderboard/installed/" in line]
    assert len(copied) == 2
    (tmp_path / ".venv").symlink_to(env.bin.parent)
    for line in copied:
        subprocess.run(["bash", "-c", line], cwd=tmp_path, check=True)
    units = (tmp_path / "deploy" / "systemd").glob("*.service")
    assert {one.name for one in units} >= {"plumbline-web.service"}
    assert (tmp_path / "deploy" / "env.example").exists()
    said = env.run("python", str(tmp_path / "manage.py"), "--version")
    assert said.startswith("plumbline-site ")


@contextmanager
def served(env: Environment) -> Iterator[Site]:
    (port,) = free_ports(1)
    data = Path(env.env["PLUMBLINE_DATA"])
    program = (str(env.bin / SITE),)
    site = Site(data, program=program, PLUMBLINE_PORT=str(port))
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


def token(env: Environment) -> str:
    words = ("make_token", "ben@example.org", "--scope", "submit")
    return env.run(SITE, *words).strip().splitlines()[-1]


def sent(env: Environment, site: Site, system: str, degrees: list[int]) -> str:
    """The output of the handbook's example script."""
    file = env.place / "logs.csv"
    file.write_text(table(degrees), "utf-8")
    done = subprocess.run(
        ["sh", str(SCRIPT), "headings", "open", system, f"logs={file}"],
        cwd=env.place,
        env={
            **env.env,
            "PLUMBLINE_SITE": site.address.rstrip("/"),
            "PLUMBLINE_TOKEN": token(env),
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


@pytest.fixture(scope="module")
def said_on_sending(env: Environment, site: Site) -> str:
    """The answer to the sender of the only submission: each test may come first."""
    return sent(env, site, "Across north", ACROSS_NORTH)


def test_from_upload_to_board(
    env: Environment, site: Site, said_on_sending: str
) -> None:
    """One test, since each start of a site takes seconds."""
    assert "rank: 1" in said_on_sending
    assert scores(site) == {"close": 0.6, "error": 34.1}
    data = io.BytesIO(fetched(site, "tasks/headings/open/kit/"))
    with zipfile.ZipFile(data) as kit:
        (name,) = (one for one in kit.namelist() if one.endswith("requirements.txt"))
        assert PACKAGE in kit.read(name).decode().splitlines()
        assert any("/example/" in one for one in kit.namelist())
    listed = env.run(SITE, "check", "--deploy", fine=False)
    assert f"Plug-in {PACKAGE} (headings)." in listed
    laws = env.run("python", "-m", "scoring", "laws", "headings").splitlines()
    assert laws[-1].endswith("laws hold for headings")
    at_home = env.run(
        *("plumbline-scoring", "score", "headings", "--format", "json"),
        *("--gold", str(env.place / "bundle" / "headings" / "gold.csv")),
        *("--system", str(env.place / "logs.csv")),
    )
    assert json.loads(at_home)["signature"].endswith(f"|scorer:1|package:{PACKAGE}")


@pytest.mark.usefixtures("said_on_sending")  # the script makes the team
def test_a_client_that_has_nothing_else_checks_and_submits(
    env: Environment, site: Site, files: dict[str, Path], tmp_path: Path
) -> None:
    said = (ROOT / "release" / "scoring" / "pyproject.toml").read_text("utf-8")
    alone = Environment(tmp_path)
    alone.see(tomllib.loads(said)["project"]["dependencies"])
    alone.install(files["plumbline_scoring.whl"])
    assert "No module named 'django'" in alone.run(
        "python", "-c", "import django", fine=False
    )
    (tmp_path / "logs.csv").write_text(table([n + 2 for n in GOLD], "value"), "utf-8")
    env.run(SITE, "shell", "-c", JOIN)
    own = {"PLUMBLINE_SITE": site.address, "PLUMBLINE_TOKEN": token(env)}
    words = ("submit", "depths/open", "--system", "Deeper", "--wait", "logs.csv")
    said = alone.run("plumbline", *words, **own)
    assert "Deeper  scored" in said and "mae  2.000 [0.000, " in said
    assert "Deeper" in alone.run("plumbline", "board", "depths/open", **own)
    examples = ("-m", "doctest", str(ROOT / "docs" / "library.md"))
    assert alone.run("python", *examples) == ""
    assert all((alone.packages / one / "py.typed").exists() for one in PACKAGED)


@pytest.mark.usefixtures("said_on_sending")
def test_without_the_package_the_site_starts_and_shows_what_it_has_stored(
    env: Environment, site: Site
) -> None:
    assert scores(site)
    site.process.terminate()
    site.process.wait(60)
    env.uninstall("harbour-headings")
    with served(env) as again:
        assert scores(again) == {"close": 0.6, "error": 34.1}
        assert json.loads(fetched(again, "readyz"))["plugins_broken"] == []
