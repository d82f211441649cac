"""Example senses: the same one for every instance; the key with other senses."""

from collections.abc import Mapping
from random import Random

from scoring.options import Options
from scoring.picks import another, each_file, some
from scoring.scorers.senseval import reader
from scoring.source import decode

ANY_SENSE = "1"
COMMENT = "!!"


def guessed_senses(files: Mapping[str, bytes], options: Options) -> dict[str, bytes]:
    known = options["sensemap"]
    sense = min(reader.read_sense_map(known).known) if known is not None else ANY_SENSE
    return {
        name: _guess(decode(name, data), sense).encode() for name, data in files.items()
    }


def _guess(text: str, sense: str) -> str:
    size = 1 if reader.is_bare(text) else 2
    instances = (line.partition(COMMENT)[0].split()[:size] for line in text.split("\n"))
    return "".join(f"{' '.join(words)} {sense}\n" for words in instances if words)


def _spoil(text: str, share: float, random: Random) -> str:
    if reader.is_bare(text):
        changed = _spoil(reader.with_lexelts(text), share, random).split("\n")
        return "\n".join(reader.without_lexelts(changed))
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


spoiled_senses = each_file(_spoil)
