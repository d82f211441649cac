"""The notebook runs from its first cell to its last, with nothing but the library."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BOOK = json.loads((ROOT / "docs/examples/scores.ipynb").read_text("utf-8"))
# Of the wheel's own needs, and what these bring.
GUARD = """
import sys

class Elsewhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"django", "leaderboard", "matplotlib", "pandas"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Elsewhere())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "matplotlib" else found(name)
"""


def code() -> list[str]:
    cells = [cell for cell in BOOK["cells"] if cell["cell_type"] == "code"]
    return ["".join(cell["source"]) for cell in cells]


def test_every_cell_runs_after_those_before_it(tmp_path: Path) -> None:
    program = tmp_path / "scores.py"
    program.write_text("\n\n".join([GUARD, *code()]), "utf-8")
    ran = subprocess.run(
        [sys.executable, str(program)],
        env={"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert "items tell systems apart" in ran.stdout
    # The log of one's own answers has their accuracy.
    low, high = map(float, lines[-1].strip("()").split(", "))
    assert 0.7 < low < 0.87 < high < 0.95


def test_it_is_a_notebook_without_outputs() -> None:
    assert (BOOK["nbformat"], BOOK["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in BOOK["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in BOOK["cells"]:
        assert cell["metadata"] == {} and isinstance(cell["source"], list)
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None


def test_a_cell_that_ends_in_a_result_shows_a_table() -> None:
    names: dict[str, Any] = {}
    for source in code()[:2]:
        exec(compile(source, "cell", "exec"), names)
    shown = names["result"]._repr_html_()
    assert "<table>" in shown and "macro_f1" in shown
