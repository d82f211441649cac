"""Answers with mistakes: another sense of the same word, or none."""

from collections.abc import Mapping
from random import Random

from scoring.spoiling.choosing import another, some

COMMENT = "!!"


def spoiled_senses(
    texts: Mapping[str, str], share: float, random: Random
) -> dict[str, str]:
    return {name: _spoiled(text, share, random) for name, text in texts.items()}


def _spoiled(text: str, share: float, random: Random) -> str:
    lines = text.split("\n")
    filled = [i for i, line in enumerate(lines) if len(line.split()) > 2]
    senses: dict[str, set[str]] = {}
    for i in filled:
        lexelt, _, *answers = lines[i].partition(COMMENT)[0].split()
        senses.setdefault(lexelt, set()).update(answers)
    gone = set()
    for i in some(filled, share, random):
        lexelt, instance, *answers = lines[i].partition(COMMENT)[0].split()
        other = another(senses[lexelt] - set(answers), "", random)
        if other is None:
            gone.add(i)
        else:
            lines[i] = f"{lexelt} {instance} {other}"
    if len(gone) == len(filled):  # an empty file is no answer at all
        gone.discard(min(gone, default=-1))
    return "\n".join(line for i, line in enumerate(lines) if i not in gone)
