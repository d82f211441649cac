"""Memory of a web process: what it loads, and what it gives back."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

# Twenty MiB that are free, and as many again with something behind them: from now on
# the C library would take such pieces from an arena, where the second stays.
FREE = """
import psutil, leaderboard.web_server
own, large = psutil.Process(), 20 << 20
bytearray(b"x") * large
piece = bytearray(b"x") * large
behind = [bytearray(200_000) for _ in range(20)]
before = own.memory_info().rss
del piece
print(before - own.memory_info().rss)
"""
LETTERS = """
import sys, leaderboard.wsgi
from leaderboard.extras.paper.pdf import letters_lacking
print(bool(letters_lacking(["Пример é"])), *sys.modules)
"""
# Of figures, tables and measures, for workers and sandboxes
HEAVY = {"PIL", "matplotlib", "nltk", "pandas", "plotly", "reportlab", "sacrebleu"}


def said(code: str, data: Path) -> list[str]:
    env = {**os.environ, "PLUMBLINE_DATA": str(data)}
    command = [sys.executable, "-c", code]
    ended = subprocess.run(
        command, cwd=settings.BASE_DIR, env=env, capture_output=True, text=True
    )
    assert not ended.returncode, ended.stderr
    return ended.stdout.split()


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallopt"), reason="another C library"
)
def test_a_large_piece_is_given_back_whatever_lies_behind_it(tmp_path: Path) -> None:
    (given,) = said(FREE, tmp_path)
    assert int(given) >= 19 << 20


def test_a_web_process_names_letters_without_what_draws_figures(tmp_path: Path) -> None:
    lacking, *modules = said(LETTERS, tmp_path)
    assert lacking == "False"
    assert not HEAVY & {*modules}
