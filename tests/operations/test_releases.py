"""A release is cut from what is committed, and says what is new."""

import re
from datetime import date
from pathlib import Path

import pytest
import yaml

from release.cutting import NotReady, begin_next, cut, git, release_of

ROOT = Path(__file__).resolve().parents[2]
TODAY = date(2031, 2, 3)
CHANGES = (
    "# Changelog\n\n## Unreleased\n\n- A bell.\n\n## 0.1.0 (2030-01-01)\n\n- A ship.\n"
)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    (tmp_path / "scoring").mkdir()
    (tmp_path / "scoring" / "version.py").write_text('RELEASE = "0.2.0.dev0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return tmp_path


def test_the_tag_has_the_version_and_a_dated_section(checkout: Path) -> None:
    assert cut(checkout, "0.2.0", TODAY) == "v0.2.0"
    assert begin_next(checkout) == release_of(checkout) == "0.3.0.dev0"
    tagged = git(checkout, "show", "v0.2.0:scoring/version.py")
    assert tagged == 'RELEASE = "0.2.0"'
    dated = "## Unreleased\n\n## 0.2.0 (2031-02-03)\n\n- A bell.\n\n## 0.1.0"
    assert dated in git(checkout, "show", "v0.2.0:CHANGELOG.md")
    with pytest.raises(NotReady, match="says nothing under 'Unreleased'"):
        cut(checkout, "0.3.0", TODAY)


def test_everything_that_is_in_the_way_is_said_at_once(checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n")
    with pytest.raises(NotReady) as refused:
        cut(checkout, "0.2", TODAY)
    changes, section, version = str(refused.value).splitlines()
    assert "CHANGELOG.md" in changes and "commit them" in changes
    assert "Unreleased" in section and "'0.2' is no version" in version
    assert git(checkout, "tag") == "" and release_of(checkout) == "0.2.0.dev0"


@pytest.mark.parametrize("wanted", ["0.1.9", "0.2.0rc1", "v0.2.0", "0.2.0.dev1"])
def test_only_a_later_final_version_is_released(wanted: str, checkout: Path) -> None:
    with pytest.raises(NotReady, match=r"does not come after|no version to release"):
        cut(checkout, wanted, TODAY)


@pytest.mark.parametrize("name", ["tests", "release"])
def test_workflows_wait_for_their_owner_and_call_what_there_is(name: str) -> None:
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8")
    workflow = yaml.safe_load(text)
    assert workflow[True] == {"workflow_dispatch": None}  # YAML reads `on` as true
    (job,) = workflow["jobs"].values()
    commands = "\n".join(step.get("run", "") for step in job["steps"])
    targets = re.findall(r"^[a-z-]+(?=:)", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert set(re.findall(r"make ([a-z-]+)", commands)) <= set(targets)
    scripts = re.findall(r"bash (\S+)", commands)
    assert all((ROOT / script).is_file() for script in scripts)
    assert scripts or "make dist" in commands


def test_who_finds_a_hole_or_a_fault_is_told_what_to_send() -> None:
    forms = (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")
    bodies = [yaml.safe_load(form.read_text("utf-8")).get("body") for form in forms]
    asked = {part["id"] for body in bodies if body for part in body if "id" in part}
    assert {"steps", "seen", "expected", "version"} <= asked
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    for place in re.findall(r"\]\((\S+?)\)", text):
        assert (ROOT / place).exists()
