"""What the command line prints where the console is old and file names are odd."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = "1\t{}\t_\t_\t_\t_\t0\troot\t_\t_\n"
CONSOLES = [
    {"PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


def call(
    directory: Path, *words: str | bytes, console: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "scoring", *words],
        cwd=directory,
        env={**os.environ, **(console or {}), "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "gold.conllu").write_text(ROW.format("otter"), encoding="utf-8")
    (tmp_path / "words.conllu").write_text(ROW.format("выдра"), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("console", CONSOLES)
def test_a_refusal_is_utf8_on_every_console(
    files: Path, console: dict[str, str]
) -> None:
    words = ("score", "attachment", "--gold", "gold.conllu", "--system", "words.conllu")
    done = call(files, *words, console=console)
    assert (done.returncode, done.stderr) == (2, b"")
    assert "выдра" in json.loads(done.stdout)["error"]["message"]


@pytest.mark.parametrize("console", CONSOLES)
def test_details_are_the_same_bytes_on_every_console(
    files: Path, console: dict[str, str]
) -> None:
    words = ("details", "attachment", "--gold", "words.conllu")
    words += ("--system", "words.conllu")
    done = call(files, *words, console=console)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == call(files, *words).stdout
    assert "выдра" in done.stdout.decode()


def test_a_file_name_that_is_no_text_can_be_scored_and_have_a_receipt(
    files: Path,
) -> None:
    odd = os.fsencode(files) + b"/odd\xff.conllu"
    try:
        Path(os.fsdecode(odd)).write_text(ROW.format("otter"), encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes no such name")
    pair = ("--gold", "gold.conllu", "--system", odd)
    receipt = ("--receipt", "receipt.json")
    done = call(files, "score", "attachment", *pair, *receipt)
    assert (done.returncode, done.stderr) == (0, b"")
    assert call(files, "verify", "receipt.json", *pair).returncode == 0
    done = call(files, "check", "semarkup", *pair)
    assert done.returncode == 2
    assert json.loads(done.stdout.decode())["error"]


def test_endings_can_be_spelt_as_options_of_their_own(tmp_path: Path) -> None:
    text = json.dumps({"signal": "otter", "asets": [], "version": 2})
    for name in ("gold/one.json", "system/one.txt.json"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    words = ("score", "spans", "--gold", "gold", "--system", "system")
    assert call(tmp_path, *words).returncode == 2
    endings = ("--ref-suffix-off", ".txt.json", "--ref-suffix-on", ".json")
    done = call(tmp_path, *words, *endings, "--format", "json")
    assert done.returncode == 0
    options = ("-o", "ref_suffix_off=.txt.json", "-o", "ref_suffix_on=.json")
    assert done.stdout == call(tmp_path, *words, *options, "--format", "json").stdout
