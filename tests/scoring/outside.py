"""Worked cases of our own, packed beside this file, and data sets of others.

The cases were made for this project: each is a folder with input files and the answer
that independent slow programs gave (the README.md in the archive says which). The data
sets belong to others and lie where the environment variable PLUMBLINE_PUBLISHED says,
or in `../shared/data`; tests that need them are marked `published` and run where the
data are (make test-published DATA=...).
"""

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARCHIVE = Path(__file__).with_name("cases.tar.xz")
DATA = Path(os.environ.get("PLUMBLINE_PUBLISHED") or ROOT.parent / "shared" / "data")
# What a folder of data sets has to hold.
SETS = (
    *("ud12", "senseval3", "spans", "unl", "bundles"),
    *("metric-of-metrics", "coreference"),
)


@cache
def _unpacked() -> Path:
    folder = tempfile.mkdtemp(prefix="plumbline-cases-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    subprocess.run(["tar", "-xf", ARCHIVE, "-C", folder], check=True)
    return Path(folder, "cases")


def cases(*parts: str) -> Path:
    """A path in the archive of worked cases."""
    return _unpacked().joinpath(*parts)


def lacking() -> list[str]:
    """Data sets that are not there."""
    return [name for name in SETS if not (DATA / name).is_dir()]


def published(*parts: str) -> Path:
    """A path in the folder of data sets; only tests marked `published` may ask."""
    path = DATA.joinpath(*parts)
    assert path.exists(), f"{path} is absent: mark this test as published"
    return path
