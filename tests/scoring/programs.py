"""Scoring programs of our own, for tests."""

from textwrap import dedent

from scoring.formats.bundle import zip_files
from scoring.source import Source

COMMAND = b"command: python3 score.py $input $output\n"
# Right answers by line; a table of units with it.
RIGHT = """
import json, sys
from pathlib import Path

source, target = map(Path, sys.argv[1:])
gold = (source / "ref/gold.txt").read_text().split()
sent = (source / "res/answers.txt").read_text().split()
right = [float(a == b) for a, b in zip(gold, sent)]
print("read", len(sent), "answers")
(target / "scores.json").write_text(json.dumps({"accuracy": sum(right) / len(gold)}))
"""
UNITS = (
    RIGHT
    + """
rows = [f"{number},right,{value}" for number, value in enumerate(right, 1)]
(target / "units.csv").write_text("\\n".join(["unit,column,value", *rows]))
"""
)


def program(script: str = RIGHT, metadata: bytes = COMMAND, **files: bytes) -> Source:
    """The zip of a program with this script; double underscores stand for dots."""
    named = {name.replace("__", "."): data for name, data in files.items()}
    text = dedent(script).encode()
    return zip_files("program.zip", {"metadata": metadata, "score.py": text, **named})


GOLD = Source.of_bytes("gold.txt", b"a b c d\n")
SENT = Source.of_bytes("answers.txt", b"a b c x\n")
