"""The files of a release: sdist and wheel of the site, and of engine and client."""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (ROOT / "release" / "scoring", ROOT)


class NotBuilt(Exception):
    """A build that failed, with the end of what it said."""


def build(folder: Path) -> list[Path]:
    """The four files, written to `folder`; each wheel is built from its sdist, so that
    one holds all that the other is made of."""
    folder.mkdir(parents=True, exist_ok=True)
    return [file for source in SOURCES for file in _both(source, folder.resolve())]


def _both(source: Path, folder: Path) -> tuple[Path, Path]:
    sdist = _built("sdist", source, folder)
    with tempfile.TemporaryDirectory(prefix="plumbline-build-") as place:
        subprocess.run(["tar", "-xf", sdist, "-C", place], check=True)
        (unpacked,) = Path(place).iterdir()
        return sdist, _built("wheel", unpacked, folder)


def _built(target: str, source: Path, folder: Path) -> Path:
    """Built as any tool would, by the functions that PEP 517 names."""
    call = f"from hatchling import build; print(build.build_{target}({str(folder)!r}))"
    words = [sys.executable, "-c", call]
    done = subprocess.run(words, cwd=source, capture_output=True, text=True)
    if done.returncode:
        raise NotBuilt(f"{target} of {source}:\n{(done.stdout + done.stderr)[-3000:]}")
    return folder / done.stdout.split()[-1]
