"""Environment of scoring programs: the Python that they run with, and its packages.

An operator names one (`PLUMBLINE_PROGRAM_PYTHON`), or has one made out of the pinned
packages of deploy/programs-requirements.txt (`manage.py programs_environment`). Without
either, programs have the packages of the site.
"""

import hashlib
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings

log = logging.getLogger(__name__)
REQUIREMENTS = Path(settings.BASE_DIR) / "deploy" / "programs-requirements.txt"
FOLDER = "program-environments"
UNFINISHED = ".new-"
LEFT_SECONDS = 24 * 3600  # after which what a build left that was killed is removed
LONGEST_MESSAGE = 2000
INSTALLER = frozenset({"pip", "setuptools", "wheel"})
# Packages may run code of theirs when they are built, which the site's secrets do not
# concern.
OF_THE_SITE = ("PLUMBLINE_", "DATABASE_URL", "REDIS_URL", "AWS_")
# Tests of packages are never imported, and take as long to compile as all the rest.
COMPILE = ("-m", "compileall", "-q", "-x", r"[/\\]tests?[/\\]")
# What an interpreter says of itself. Folders without __init__ are packages, too.
QUESTION = """
import importlib.metadata, json, pkgutil, platform, sys

modules = {*sys.stdlib_module_names, *importlib.metadata.packages_distributions()}
modules.update(module.name for module in pkgutil.iter_modules())
packages = {d.name: d.version for d in importlib.metadata.distributions()}
print(json.dumps([platform.python_version(), packages, sorted(modules)]))
"""
ASKING_SECONDS = 60.0


class NotMade(Exception):
    """The environment could not be made: why, with the end of what the tool said."""


@dataclass(frozen=True)
class Inventory:
    """Version, packages by name, and names that can be imported, of an interpreter.

    Empty where it could not be asked, as that of a runner of the operator's own.
    """

    version: str = ""
    packages: Mapping[str, str] | None = None
    modules: frozenset[str] = frozenset()
    of_operator: bool = False

    @property
    def listed(self) -> list[tuple[str, str]]:
        """Packages in the order of their names, without those that install others."""
        packages = (self.packages or {}).items()
        kept = [package for package in packages if package[0].lower() not in INSTALLER]
        return sorted(kept, key=lambda package: package[0].lower())


def python() -> str:
    """The interpreter that programs run with now."""
    return settings.PROGRAM_PYTHON or made_interpreter() or sys.executable


def made_interpreter() -> str:
    """The interpreter of the environment that was made here; empty without one.

    Of the present requirements; while these are installed, of earlier ones.
    """
    current = _place() / "bin" / "python"
    if os.access(current, os.X_OK):
        return str(current)
    same = f"{_python_version()}-*/bin/python"
    others = [folder for folder in _root().glob(same) if os.access(folder, os.X_OK)]
    return str(max(others, key=_age, default=""))


def is_current() -> bool:
    """Whether the environment of the present requirements is there."""
    return os.access(_place() / "bin" / "python", os.X_OK)


def make() -> str:
    """Make the environment unless it is there; returns its interpreter.

    It appears under its name when it is whole. Raises NotMade.
    """
    place = _place()
    if is_current():
        return str(place / "bin" / "python")
    root = _root()
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=root))
    try:
        _fill(new, place)
        shutil.rmtree(place, ignore_errors=True)  # one that has no interpreter left
        new.rename(place)
    except OSError as error:
        if not is_current():  # another process was first
            raise NotMade(str(error)) from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
    _remove_old(place)
    return str(place / "bin" / "python")


def inventory(of_code: bool = False) -> Inventory:
    """The packages that programs find when they run now, or code of teams: empty where
    a declared runner runs that, whose packages nobody here knows."""
    if of_code and settings.CODE_RUNNER:
        return Inventory(of_operator=True)
    now = python()
    return _inventory(now, _stamp(now))


@lru_cache(maxsize=4)
def _inventory(interpreter: str, _stamp: int) -> Inventory:
    try:
        asked = subprocess.run(
            [interpreter, "-I", "-B", "-c", QUESTION],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=ASKING_SECONDS,
            check=True,
        )
        version, packages, modules = json.loads(asked.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        log.warning("%s cannot be asked for its packages: %s", interpreter, error)
        return Inventory()
    return Inventory(version, packages, frozenset(modules))


def _stamp(interpreter: str) -> int:
    """Changes with what is installed."""
    folders = Path(interpreter).parent.parent.glob("lib/python*/site-packages")
    return max((folder.stat().st_mtime_ns for folder in folders), default=0)


def _root() -> Path:
    return Path(settings.DATA) / FOLDER


def _place() -> Path:
    digest = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]
    return _root() / f"{_python_version()}-{digest}"


def _python_version() -> str:
    return "{}.{}".format(*sys.version_info)


def _fill(folder: Path, place: Path) -> None:
    """Install into a folder what will be found at another place."""
    try:
        venv.create(folder, symlinks=True, with_pip=True)
    except subprocess.CalledProcessError as error:
        raise NotMade(_end_of(error.output or b"the module ensurepip fails")) from None
    own = str(folder / "bin" / "python")
    pip = (own, "-m", "pip", "--disable-pip-version-check", "--quiet")
    _run(*pip, "install", "--no-compile", "--no-deps", "-r", str(REQUIREMENTS))
    _run(*pip, "uninstall", "--yes", "pip")
    # Programs cannot write beside the packages, and most of a short run is compiling.
    (packages,) = folder.glob("lib/python*/site-packages")
    _run(own, *COMPILE, "-s", str(folder), "-p", str(place), str(packages))


def _run(*command: str) -> None:
    done = subprocess.run(
        command,
        env={k: v for k, v in os.environ.items() if not k.startswith(OF_THE_SITE)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        raise NotMade(_end_of(done.stdout))


def _end_of(said: bytes) -> str:
    return said.decode("utf-8", "replace").strip()[-LONGEST_MESSAGE:]


def _remove_old(current: Path) -> None:
    """Environments of earlier requirements, but the newest: a run may still use it."""
    others = sorted(
        (folder for folder in _root().iterdir() if folder != current), key=_age
    )
    unfinished = [folder for folder in others if folder.name.startswith(UNFINISHED)]
    earlier = [folder for folder in others if folder not in unfinished]
    begun_by = time.time() - LEFT_SECONDS
    for folder in (*earlier[:-1], *(u for u in unfinished if _age(u) < begun_by)):
        shutil.rmtree(folder, ignore_errors=True)


def _age(path: Path) -> float:
    return path.stat(follow_symlinks=False).st_mtime
