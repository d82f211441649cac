"""Virtual environments of their own, made without a network.

Packages of the running environment stand in for those that an index would send. So what
is asked of a wheel here is all but the download of what it needs.
"""

import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

from tests.embedded.test_serve import OURS

PACKAGES = [place for place in sys.path if Path(place).name == "site-packages"]


class Environment:
    """A virtual environment without pip, and how commands are run in it."""

    def __init__(self, place: Path) -> None:
        self.place, self.bin = place, place / "env" / "bin"
        outside = {name: v for name, v in os.environ.items() if name not in OURS}
        self.env = {**outside, "HOME": str(place)}
        words = [sys.executable, "-m", "venv", "--without-pip", str(place / "env")]
        subprocess.run(words, check=True)
        (self.packages,) = (place / "env").glob("lib/python*/site-packages")

    def see_all(self) -> None:
        """Show it every package of the running environment."""
        (self.packages / "these.pth").write_text("\n".join(PACKAGES))

    def see(self, requirements: list[str]) -> None:
        """Show it these packages, and what they need, and nothing else."""
        todo, seen = requirements.copy(), set[str]()
        while todo:
            wanted = Requirement(todo.pop())
            if wanted.marker and not wanted.marker.evaluate({"extra": ""}):
                continue
            found = distribution(wanted.name)
            if found.name not in seen:
                seen.add(found.name)
                todo += found.requires or []
                for name in {file.parts[0] for file in found.files or ()}:
                    if name not in ("..", "__pycache__"):
                        (self.packages / name).symlink_to(found.locate_file(name))

    def install(self, *sources: Path) -> None:
        """With all that they need, which is there already or missed."""
        options = ["--no-index", "--no-build-isolation"]
        self._pip("install", *options, *map(str, sources))

    def uninstall(self, name: str) -> None:
        self._pip("uninstall", "--yes", name)

    def _pip(self, verb: str, *words: str) -> None:
        """By the pip of the running environment, for this one has none."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "-qq"]
        subprocess.run([*pip, verb, *words], check=True)

    def run(self, program: str, *words: str, fine: bool = True, **env: str) -> str:
        """The output of a program of this environment."""
        done = subprocess.run(
            [str(self.bin / program), *words],
            cwd=self.place,
            env=self.env | env,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0 or not fine, done.stdout + done.stderr
        return done.stdout + done.stderr
