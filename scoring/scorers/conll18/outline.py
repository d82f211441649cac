"""Outline of running text, for a diagnosis."""

import re
from bisect import bisect_right
from itertools import accumulate

from scoring.options import Options
from scoring.outlines import Outline, text_of
from scoring.source import Source

TOKEN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?\t([^\t\n]+)")
PASSAGE = re.compile(r"[^.!?。]*[.!?。]+|[^.!?。]+")


def running_text(source: Source, _options: Options) -> Outline:
    """Passages of running text by their characters without spaces, of raw text and of
    CoNLL-U alike: up to a full stop, however the text is divided into words."""
    words: list[str] = []
    lines: list[int] = []
    covered = 0
    for number, line in enumerate(text_of(source).split("\n"), 1):
        match = TOKEN.match(line)
        if not line.strip():
            covered = 0
        elif match and not match[2] and int(match[1]) <= covered:
            continue
        elif match:
            covered = max(covered, int(match[2] or 0))
        if line[:1] == "#" or not line.strip():
            continue
        tokens = [match[3]] if match else line.split()
        words += tokens
        lines += [number] * len(tokens)
    plain = ["".join(word.split()) for word in words]
    ends = [*accumulate(map(len, plain))]
    keys = PASSAGE.findall("".join(plain))
    rows = [bisect_right(ends, end) for end in accumulate(map(len, keys), initial=0)]
    names = [" ".join(words[row : row + 6]) for row in rows[:-1]]
    begins = [lines[row] for row in rows[:-1]]
    return Outline("passage", keys, names, begins, fields=words, ordered=True)
