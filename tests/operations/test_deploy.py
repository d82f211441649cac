"""What deploy/ says is what the site reads and can do."""

import ast
import configparser
import getpass
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml
from django.conf import settings as site
from django.core.management import get_commands
from django.urls import resolve

from leaderboard.handbook import pages as handbook
from tests.operations.proxies import nginx_conf

ROOT = Path(site.BASE_DIR)
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("plumbline-*"))
# Read by the files of deploy/ themselves; the site does not know them.
OF_DEPLOY = {
    "PLUMBLINE_AT",
    "PLUMBLINE_BIND",
    "PLUMBLINE_CONTAINER_MEMORY",
    "PLUMBLINE_DOMAIN",
    "PLUMBLINE_HEAVY_PROCESSES",
    "PLUMBLINE_PLUGINS",
    "PLUMBLINE_UPSTREAM",
    "PLUMBLINE_WEB_PROCESSES",
    "PLUMBLINE_WORKER_PROCESSES",
    "POSTGRES_DB",
    "POSTGRES_PASSWORD",
    "POSTGRES_USER",
}
# Read by boto3.
OF_LIBRARIES = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
OURS = re.compile(
    r"\b(?:PLUMBLINE_[A-Z0-9_]+|DATABASE_URL|REDIS_URL|RABBIT_URL|POSTGRES_[A-Z]+)\b"
)
# Of the second institution and so on, by what they are called of the first
NUMBERED = re.compile(r"(?<=PLUMBLINE_OIDC_)\d+_")
READS = {
    "get",
    "env_address",
    "env_flag",
    "env_hosts",
    "env_mail",
    "env_number",
    "getenv",
}


@cache
def read_by_the_site() -> set[str]:
    """Every name of ours that settings, or what they call, look up."""
    found = {"DATABASE_URL"}  # by dj-database-url
    for path in (ROOT / "leaderboard").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in READS:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.update(OURS.findall(first.value))
    return found


def _name(called: ast.expr) -> str:
    return getattr(called, "attr", None) or getattr(called, "id", "")


def unit(path: Path) -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(
        interpolation=None, strict=True, delimiters=("=",), comment_prefixes=("#",)
    )
    parsed.optionxform = str  # type: ignore[assignment,method-assign]
    parsed.read_string(path.read_text("utf-8"))
    return parsed


def compose() -> Any:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


def started_by_units() -> list[str]:
    return [
        unit(path)["Service"][key]
        for path in UNITS
        if path.suffix == ".service"
        for key in ("ExecStartPre", "ExecStart")
        if key in unit(path)["Service"]
    ]


def started_by_compose() -> list[str]:
    found = []
    for service in compose()["services"].values():
        if service.get("image") == "plumbline":
            said = service["command"][-1].replace("$$", "$").removeprefix("exec ")
            found += said.split(" && ")
    return found


def python_words(command: str) -> list[str]:
    words = shlex.split(command)
    assert words[0] in ("python", "/opt/plumbline/.venv/bin/python"), command
    return words[1:]


@pytest.mark.parametrize("command", [*started_by_units(), *started_by_compose()])
def test_what_is_started_is_there(command: str) -> None:
    words = python_words(command)
    if words[0] == "manage.py":
        assert words[1] in get_commands()
    else:
        assert words[0] == "-m" and find_spec(words[1]) is not None


def test_units_and_compose_start_the_same() -> None:
    plain = re.compile(r"[{}\"]|--worker-tmp-dir \S+|--bind \S+ ")

    def programs(commands: list[str]) -> set[str]:
        said = (" ".join(python_words(command)) for command in commands)
        return {
            " ".join(plain.sub("", words).replace("%%", "%").split())
            for words in said
            if words.startswith("-m")
        }

    assert programs(started_by_units()) == programs(started_by_compose())


def test_what_scores_or_keeps_the_site_gives_way_to_the_web_server() -> None:
    """Where units and containers share processors, `nice` counts within each alone."""
    weights = {
        path.name: int(unit(path)["Service"].get("CPUWeight", "100"))
        for path in UNITS
        if path.suffix == ".service"
    }
    assert weights.pop("plumbline-web.service") == 100
    assert set(weights.values()) == {10}
    shares = {
        name: service.get("cpu_shares", 1024)
        for name, service in compose()["services"].items()
    }
    background = {"worker", "heavy", "sweeper"}
    assert {name for name, share in shares.items() if share == 102} == background
    assert {shares[name] for name in shares.keys() - background} == {1024}


def test_every_setting_is_explained_and_every_one_explained_is_read() -> None:
    explained = re.findall(
        r"^#?([A-Z0-9_]+)=", (DEPLOY / "env.example").read_text("utf-8"), re.MULTILINE
    )
    assert len(explained) == len(set(explained))
    assert set(explained) - OF_DEPLOY - OF_LIBRARIES == read_by_the_site()


@pytest.mark.parametrize(
    "path",
    [p for p in sorted(DEPLOY.rglob("*")) if p.is_file()],
    ids=lambda path: path.name,
)
def test_no_file_names_a_setting_that_nobody_reads(path: Path) -> None:
    named = set(OURS.findall(NUMBERED.sub("", path.read_text("utf-8"))))
    assert named <= read_by_the_site() | OF_DEPLOY


def test_the_handbook_of_operators_names_every_setting_it_should() -> None:
    page = ROOT / "docs" / "operators" / "operating.md"
    named = set(OURS.findall(NUMBERED.sub("", page.read_text("utf-8"))))
    assert named <= read_by_the_site() | OF_DEPLOY


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_are_whole(path: Path) -> None:
    parsed = unit(path)
    assert parsed["Unit"]["Description"].startswith("Plumbline: ")
    if path.suffix == ".timer":
        assert path.with_suffix(".service").exists()
        return
    service = parsed["Service"]
    assert service["User"] == "plumbline" and service["UMask"] == "0077"
    assert service["EnvironmentFile"] == "/etc/plumbline/env"
    assert service["NoNewPrivileges"] == "yes"


def test_systemd_understands_the_units(tmp_path: Path) -> None:
    """With a program and an account of this machine, else it misses only those.

    Systems without systemd have nothing to ask.
    """
    if not shutil.which("systemd-analyze"):
        return
    me = getpass.getuser()
    for path in UNITS:
        text = path.read_text("utf-8")
        text = text.replace("/opt/plumbline/.venv/bin/python", sys.executable)
        (tmp_path / path.name).write_text(text.replace("User=plumbline", f"User={me}"))
    verify = ["systemd-analyze", "verify", "--man=no", *map(str, tmp_path.iterdir())]
    said = subprocess.run(verify, capture_output=True, text=True).stderr
    assert [line for line in said.splitlines() if "plumbline" in line] == []


def test_no_unit_and_no_container_takes_the_memory_of_the_database() -> None:
    for path in UNITS:
        service = unit(path)
        if service.has_section("Service"):
            assert 0 < int(service["Service"]["MemoryMax"].removesuffix("%")) < 80, path
            assert 0 < int(service["Service"]["TasksMax"]) <= 4000, path
            # Else one process that ends for lack of memory takes the whole unit along.
            assert service["Service"]["OOMPolicy"] == "continue", path
    ours = [one for one in compose()["services"].values() if "env_file" in one]
    assert len(ours) >= 5
    assert all(one["mem_limit"] and one["pids_limit"] for one in ours)


def test_compose_refers_to_what_it_has() -> None:
    whole = compose()
    services, volumes = whole["services"], set(whole["volumes"])
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= services.keys(), name
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in volumes or (DEPLOY / source).exists(), volume
    build = services["web"]["build"]
    image = (DEPLOY / build["dockerfile"].removeprefix("deploy/")).read_text("utf-8")
    assert set(build["args"]) == set(re.findall(r"^ARG (\w+)", image, re.MULTILINE))
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve().exists()
    assert set(services) == {
        "db",
        "broker",
        "prepare",
        "web",
        "worker",
        "heavy",
        "sweeper",
        "proxy",
    }


def test_an_upgrade_is_down_for_tables_and_start_alone() -> None:
    """All that takes long is done in a folder beside the running site."""
    said = (DEPLOY / "README.md").read_text("utf-8")
    upgrade = said[said.index("\n## Upgrade\n") : said.index("\nBack, if the new")]
    served, down = upgrade.split("systemctl stop plumbline-web")
    for work in ("backup", "pip install", "check --deploy", "collectstatic"):
        assert work in served and work not in down, work
    assert re.findall(r"plumbline-site (\w+)", down)[0] == "migrate"
    assert down.index("migrate") < down.index("systemctl start plumbline-web")
    at = "PLUMBLINE_AT=/opt/plumbline.new plumbline-site"
    assert upgrade.count(at) == 3  # else the running version would do it
    assert "${PLUMBLINE_AT:-/opt/plumbline}" in said


def test_only_the_proxy_can_be_reached_from_outside() -> None:
    services = compose()["services"]
    assert [name for name, service in services.items() if "ports" in service] == [
        "proxy"
    ]


def test_the_image_copies_what_there_is_and_is_not_root() -> None:
    said = (DEPLOY / "Containerfile").read_text("utf-8")
    lines = re.findall(r"^COPY (.+)$", said, re.MULTILINE)
    copied = {source for words in lines for source in words.split()[:-1]}
    assert [source for source in copied if not (ROOT / source).exists()] == []
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text("utf-8").splitlines()
    assert copied == {line[1:] for line in ignored if line.startswith("!")}
    # The last line that matches decides: secrets beside env.example stay out.
    assert ignored[0] == "*" and ignored.index("**/.env") > ignored.index("!deploy")
    shown = {page.source for page in handbook.pages()} | {*handbook.files().values()}
    assert {path.relative_to(ROOT).parts[0] for path in shown} <= copied
    assert {Path(place).name for place in site.LOCALE_PATHS} <= copied
    assert re.search(r"^USER plumbline$", said, re.MULTILINE)
    client = re.search(r"postgresql-client-(\d+)", said)
    server = re.search(r"postgres:(\d+)", compose()["services"]["db"]["image"])
    assert client and server and client[1] == server[1]


@pytest.mark.parametrize("name", ["nginx.conf", "Caddyfile"])
def test_proxies_stream_let_uploads_through_and_keep_numbers_in(name: str) -> None:
    said = (DEPLOY / name).read_text("utf-8")
    assert said.count("{") == said.count("}")
    sizes = re.findall(r"(?:client_max_body_size|max_size) (\d+)(?:m;|MB)", said)
    forms, uploads = sorted(map(int, sizes))
    assert forms * 1_000_000 > site.DATA_UPLOAD_MAX_MEMORY_SIZE
    assert uploads * 1_000_000 >= 20 * 50 * 1_000_000
    assert "/metrics" in said and "403" in said
    if name == "nginx.conf":
        assert "proxy_request_buffering off;" in said
        assert "X-Forwarded-Proto $scheme;" in said
        assert "X-Forwarded-For $remote_addr;" in said


# Every page with a form for files, and every address of the API that takes some.
UPLOADS = (
    "/tasks/otters/test/submit/",
    "/tasks/new/",
    "/tasks/new/form/",
    "/tasks/otters/organize/scoring/",
    "/tasks/otters/organize/test-sets/",
    "/tasks/otters/organize/test-sets/north/",
    "/tasks/otters/organize/baselines/",
    "/tasks/otters/organize/bundle/",
    "/tasks/otters/organize/gold/new/",
    "/tasks/otters/organize/program/",
    "/tasks/otters/organize/code/",
    "/tasks/otters/organize/judgements/test/",
    "/tasks/otters/organize/past-submissions/",
    f"/submissions/{uuid4()}/describe/",
    "/api/v1/tasks/",
    "/api/v1/tasks/otters/bundle/",
    "/api/v1/tasks/otters/gold-revisions/",
    "/api/v1/tasks/otters/options/lexicon",
    "/api/v1/tasks/otters/test/submissions/",
    "/api/v1/tasks/otters/test/judgements/",
)
FORMS = (
    "/",
    "/accounts/login/",
    "/teams/",
    "/language/",
    "/tasks/otters/join/",
    "/admin/login/",
    f"/submissions/{uuid4()}/note/",
)


def test_large_bodies_are_let_through_where_files_are_sent_and_nowhere_else() -> None:
    nginx = (DEPLOY / "nginx.conf").read_text("utf-8")
    (where,) = re.findall(r"location ~ (\S+) \{", nginx)
    caddy = (DEPLOY / "Caddyfile").read_text("utf-8")
    assert re.findall(r"path_regexp (\S+)$", caddy, re.MULTILINE) == [where] * 2
    assert [path for path in UPLOADS if not re.search(where, path)] == []
    assert [path for path in FORMS if re.search(where, path)] == []
    for path in UPLOADS:
        resolve(path)  # it exists


def test_forms_with_files_stand_on_pages_of_that_list() -> None:
    """Forms with a field for a file, and templates that have one by hand."""
    places = [ROOT / "templates", *(ROOT / "leaderboard/extras").glob("*/templates")]
    having = {
        str(path.relative_to(ROOT / "leaderboard"))
        for path in (ROOT / "leaderboard").rglob("*.py")
        if re.search(r"(?:=|return) UploadField\(", path.read_text("utf-8"))
    } | {
        str(path.relative_to(templates))
        for templates in places
        for path in templates.rglob("*.html")
        if "multipart/form-data" in path.read_text("utf-8")
    }
    of_any_form = {
        "organize/form.html",
        "organize/_action_form.html",
        "forms/_form.html",
    }
    assert having - of_any_form == {
        "extras/code/pages.py",
        "extras/invitations/pages.py",  # its lists are as small as other forms
        "extras/judgements/pages.py",
        "extras/judging/campaign_pages.py",
        "extras/moving/views.py",
        "extras/programs/pages.py",
        "organize/scorer.py",
        "organize/test_sets.py",
        "submissions/forms.py",
        "submissions/system_description.py",
        "tasks/forms.py",
        "judging/campaign.html",
        "organize/new.html",
        "programs/program.html",
        "submissions/_form.html",
        "tasks/new.html",
    }, "add the address to the proxies of deploy/ and to UPLOADS"


def test_caddy_logs_no_address_neither_asked_for_nor_led_to() -> None:
    """Both may hold the token of a letter or an invitation."""
    said = (DEPLOY / "Caddyfile").read_text("utf-8")
    kept = {"request>uri", "request>headers", "resp_headers"}
    assert kept == set(re.findall(r"^\s+(\S+) delete$", said, re.MULTILINE))


def test_programs_that_are_here_understand_their_files(tmp_path: Path) -> None:
    """Neither comes with pip: where one is missing, nothing is asked."""
    if shutil.which("nginx"):
        whole = nginx_conf(tmp_path, {})
        subprocess.run(["nginx", "-t", "-c", str(whole)], check=True)
    caddy = ["--config", str(DEPLOY / "Caddyfile"), "--adapter", "caddyfile"]
    if shutil.which("caddy"):
        subprocess.run(["caddy", "validate", *caddy], check=True)
    docker = ["docker", "compose"]
    if shutil.which("docker") and not subprocess.call([*docker, "version"]):
        own = {"POSTGRES_PASSWORD": "x", "PLUMBLINE_DOMAIN": "plumbline.example.org"}
        shutil.copy(DEPLOY / "env.example", tmp_path / ".env")
        whole = shutil.copy(DEPLOY / "compose.yaml", tmp_path)
        resolve = [*docker, "-f", whole, "config", "--quiet"]
        subprocess.run(resolve, env=os.environ | own, check=True)


def test_each_size_is_told_and_the_larger_have_a_worker_for_the_heavy() -> None:
    said = (DEPLOY / "env.example").read_text("utf-8")
    rows = dict(
        re.findall(r"^# (PLUMBLINE_\w+|memory|files) +(.+)$", said, re.MULTILINE)
    )
    assert {"PLUMBLINE_WEB_PROCESSES", "PLUMBLINE_WORKER_PROCESSES", "memory"} <= set(
        rows
    )
    assert all(len(re.split(r"  +", row)) == 3 for row in rows.values()), rows
    assert re.split(r"  +", rows["PLUMBLINE_QUEUES"])[:2] == ["light,heavy", "light"]
    assert compose()["services"]["heavy"]["profiles"] == ["heavy"]
    heavy = unit(DEPLOY / "systemd" / "plumbline-heavy.service")["Service"]["ExecStart"]
    assert " --queues heavy " in heavy


@pytest.mark.parametrize("place", ["deploy/README.md", "docs/operators/operating.md"])
def test_commands_that_operators_are_told_exist(place: str) -> None:
    said = (ROOT / place).read_text("utf-8")
    told = re.findall(r"^    plumbline-site ([a-z]\w+)", said, re.MULTILINE)
    told += re.findall(r"manage\.py ([a-z]\w+)", said)
    assert told and set(told) <= get_commands().keys()
    units = re.findall(r"plumbline-\w+(?:\.timer|\.service)?", said)
    names = {path.name for path in UNITS} | {path.stem for path in UNITS}
    no_units = {"plumbline-20310102T023000Z", "plumbline-site"}
    assert set(units) - no_units <= names
