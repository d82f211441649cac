"""A release cut from a clean checkout: version, changelog, commit and tag."""

import re
import subprocess
from datetime import date
from pathlib import Path

from packaging.version import InvalidVersion, Version

CHANGELOG, VERSIONS = "CHANGELOG.md", Path("scoring") / "version.py"
SECTION = re.compile(r"^## Unreleased\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
RELEASE = re.compile(r'^RELEASE = "(.+)"$', re.MULTILINE)


class NotReady(Exception):
    """Everything that keeps this checkout from being released."""


def cut(root: Path, wanted: str, today: date) -> str:
    """Commit and tag the release, and return its tag. Nothing is sent anywhere."""
    if wrong := problems(root, wanted):
        raise NotReady("\n".join(wrong))
    path = root / CHANGELOG
    dated = rf"## Unreleased\n\n## {wanted} ({today.isoformat()})\n\1"
    path.write_text(SECTION.sub(dated, path.read_text("utf-8"), count=1), "utf-8")
    _write_release(root, wanted)
    _commit(root, f"Release {wanted}")
    tag = f"v{wanted}"
    git(root, "tag", "--annotate", tag, "--message", f"Plumbline {wanted}")
    return tag


def begin_next(root: Path) -> str:
    """The version of whatever is built until the next release, committed."""
    major, minor, *_rest = Version(release_of(root)).release
    following = f"{major}.{minor + 1}.0.dev0"
    _write_release(root, following)
    _commit(root, f"Begin {following}")
    return following


def problems(root: Path, wanted: str) -> list[str]:
    """Sentences about what a person has to mend first."""
    found = []
    if changed := git(root, "status", "--porcelain").splitlines():
        found.append(f"The checkout has changes: commit them ({changed[0].strip()}).")
    section = SECTION.search((root / CHANGELOG).read_text("utf-8"))
    if section is None or not section[1].strip():
        found.append(f"{CHANGELOG} says nothing under 'Unreleased': say what is new.")
    now = release_of(root)
    if not _is_final(wanted):
        found.append(f"'{wanted}' is no version to release: write it as 1.2.0.")
    elif Version(wanted) <= Version(now):
        found.append(f"{wanted} does not come after {now}, which this checkout has.")
    elif git(root, "tag", "--list", f"v{wanted}"):
        found.append(f"The tag v{wanted} exists already.")
    return found


def _is_final(wanted: str) -> bool:
    try:
        version = Version(wanted)
    except InvalidVersion:
        return False
    return str(version) == wanted == version.base_version and len(version.release) == 3


def release_of(root: Path) -> str:
    (found,) = RELEASE.findall((root / VERSIONS).read_text("utf-8"))
    return str(found)


def _write_release(root: Path, version: str) -> None:
    path = root / VERSIONS
    text = RELEASE.sub(f'RELEASE = "{version}"', path.read_text("utf-8"))
    path.write_text(text, "utf-8")


def _commit(root: Path, message: str) -> None:
    git(root, "commit", "--quiet", "--all", "--message", message)


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=root, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotReady(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()
