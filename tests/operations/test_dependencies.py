"""What is installed is what was chosen: one version each, known, and free to use.

Whether a version has a known hole only a service on the network can say: `make audit`.
"""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from django.conf import settings as site
from packaging.requirements import Requirement

ROOT = Path(site.BASE_DIR)
FILES = (
    "requirements.txt",
    "tests/requirements.txt",
    "dev-requirements.txt",
    "benchmarks/requirements.txt",
    "deploy/programs-requirements.txt",
)
PINNED = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^]]+\])?==([^\s;]+)(?: ; .+)?")
FREE = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software|Mozilla|MPL|Zlib|CC0|LGPL", re.IGNORECASE
)
# Beside others that are free, of which one may choose.
BINDING = re.compile(r"(?<!L)GPL|AGPL|SSPL|BUSL")


def pinned(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text("utf-8").splitlines()
    rows = [line for line in lines if line and not line.startswith("#")]
    found = [PINNED.fullmatch(row) for row in rows]
    assert all(found), [row for row, one in zip(rows, found, strict=True) if not one]
    return {normal(one[1]): one[2] for one in found if one}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("name", FILES)
def test_every_requirement_has_one_version(name: str) -> None:
    assert pinned(name)


def test_the_files_agree_with_each_other_and_with_what_was_chosen() -> None:
    whole: dict[str, str] = {}
    for name in FILES:
        for package, version in pinned(name).items():
            assert whole.setdefault(package, version) == version, (name, package)
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project, groups = table["project"], table["dependency-groups"]
    chosen = list(project["dependencies"])
    for extra in (*project["optional-dependencies"].values(), *groups.values()):
        chosen += extra
    for line in chosen:
        if found := PINNED.fullmatch(line):
            assert whole[normal(found[1])] == found[2], "run make lock"


def test_what_participants_install_may_be_what_the_suite_runs_on() -> None:
    said = (ROOT / "release" / "scoring" / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(said)["project"]
    ranges = project["dependencies"] + project["optional-dependencies"]["texts"]
    here = pinned("requirements.txt")
    for one in map(Requirement, ranges):
        assert here[normal(one.name)] in one.specifier, one


def licence_of(package: str) -> str:
    known = metadata.metadata(package)
    said = [known.get("License-Expression") or "", (known.get("License") or "")[:80]]
    kinds = known.get_all("Classifier") or ()
    said += [kind for kind in kinds if kind.startswith("License ::")]
    return " ".join(said)


def test_what_a_site_installs_may_be_used_and_passed_on_freely() -> None:
    bound = {}
    for package in pinned("requirements.txt"):
        try:
            licence = licence_of(package)
        except metadata.PackageNotFoundError:
            continue  # for another system or another Python
        if not FREE.search(licence) or BINDING.search(licence):
            bound[package] = licence
    assert bound == {}
