"""The environment of scoring programs: made by one command, used when it is there."""

import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard.sandbox import program_environment
from leaderboard.submissions.program_rights import run_place
from scoring.formats.bundle import zip_files

pytestmark = pytest.mark.thorough  # each makes a virtual environment
Requires = Callable[[str], None]


@pytest.fixture
def requires(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Requires:
    settings.DATA, settings.PROGRAM_PYTHON = tmp_path / "data", ""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(program_environment, "REQUIREMENTS", tmp_path / "listed.txt")

    def write(lines: str) -> None:
        (tmp_path / "listed.txt").write_text(lines + "\n")

    return write


def wheel(folder: Path, version: str) -> str:
    about = f"measuring-{version}.dist-info"
    head = "Metadata-Version: 2.1\nName: measuring\n"
    files = {
        "measuring/__init__.py": b"HALF = 0.5\n",
        f"{about}/METADATA": f"{head}Version: {version}\n".encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nTag: py3-none-any\n",
        f"{about}/RECORD": b"",
    }
    path = folder / f"measuring-{version}-py3-none-any.whl"
    path.write_bytes(zip_files("x.whl", files).single())
    return str(path)


def made() -> str:
    said = StringIO()
    call_command("programs_environment", stdout=said)
    return said.getvalue()


def test_programs_have_the_packages_that_one_command_installs(
    requires: Requires, tmp_path: Path, settings: Any
) -> None:
    """The earlier ones until the new ones are there; the operator's own Python wins."""
    requires(wheel(tmp_path, "1.0"))
    assert run_place().python == sys.executable
    assert "packages: 1" in made()
    assert run_place().python.startswith(str(tmp_path / "data"))
    found = program_environment.inventory()
    assert found.listed == [("measuring", "1.0")]
    assert {"measuring", "json"} <= found.modules and "django" not in found.modules
    requires("nowhere-to-be-found==1.0")
    with pytest.raises(CommandError, match="No matching distribution"):
        made()
    assert program_environment.inventory().listed == [("measuring", "1.0")]
    requires(wheel(tmp_path, "2.0"))
    settings.PROGRAM_PYTHON = sys.executable
    assert "PLUMBLINE_PROGRAM_PYTHON is set and wins" in made()
    assert run_place().python == sys.executable
    settings.PROGRAM_PYTHON = ""
    assert program_environment.inventory().listed == [("measuring", "2.0")]


def test_without_a_network_programs_have_what_the_site_has(requires: Requires) -> None:
    requires("nowhere-to-be-found==1.0")
    with pytest.raises(CommandError, match="programs have those of the site"):
        made()
    assert run_place().python == sys.executable
    assert {"numpy", "django"} <= program_environment.inventory().modules
    assert list((program_environment._root()).iterdir()) == []
