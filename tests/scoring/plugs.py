"""Packages on the path that bring scorers, written as an installer leaves them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scoring import scorers
from scoring.plugins import GROUP

TOY = """\
from dataclasses import replace
from tests.scoring.toy import TOY
"""


def write(place: Path, package: str, code: str, version: str = "1.0") -> None:
    """A package of one module, whose entry point names its SCORER."""
    module = package.replace("-", "_")
    place.mkdir(exist_ok=True)
    (place / f"{module}.py").write_text(TOY + code, "utf-8")
    info = place / f"{module}-{version}.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
    (info / "METADATA").write_text(head, "utf-8")
    (info / "entry_points.txt").write_text(
        f"[{GROUP}]\n{package} = {module}:SCORER\n", "utf-8"
    )


@contextmanager
def on_path(place: Path) -> Iterator[None]:
    """The registry as a process finds it that was started with these packages."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(place))
        scorers.forget()
        try:
            yield
        finally:
            scorers.forget()
            for module in place.glob("*.py"):
                if module.stem not in before:
                    sys.modules.pop(module.stem, None)
