"""Example trees: chains of words; gold trees with wrong heads and labels."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from scoring.options import Options
from scoring.picks import some
from scoring.scorers.treebanks.conllu import (
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    MISC,
    UPOS,
    WIDTH,
)
from scoring.source import decode

EMPTY, UNKNOWN_TAG = "_", "X"


def guessed_trees(files: Mapping[str, bytes], _options: Options) -> dict[str, bytes]:
    """Words of a blind CoNLL-U file, or of running text cut at white space."""
    return {
        _answer_name(name): _guess(decode(name, data)).encode()
        for name, data in files.items()
    }


def _answer_name(name: str) -> str:
    """Trees made of raw text are no .txt any more; readers go by endings."""
    return f"{name.removesuffix('.txt').removesuffix('.conllu')}.conllu"


def _guess(text: str) -> str:
    lines = text.split("\n")
    if not any(line.count("\t") >= WIDTH - 1 for line in lines):
        lines = list(_tokens(lines))
    return "\n".join(map(_word_line, lines)).rstrip("\n") + "\n\n"


def _tokens(lines: list[str]) -> Iterator[str]:
    """A sentence for every line of running text."""
    sentences = (line.split() for line in lines if line.strip())
    for number, words in enumerate(sentences, 1):
        yield f"# sent_id = {number}"
        for place, word in enumerate(words, 1):
            yield "\t".join((str(place), word, *EMPTY * (WIDTH - 2)))
        yield ""


def _word_line(line: str) -> str:
    """A line of a word with its answers; ranges, comments and breaks as they are."""
    fields = line.split("\t")
    if len(fields) < WIDTH or not fields[ID].isdigit():
        return line
    head = int(fields[ID]) - 1
    answers = {
        LEMMA: fields[FORM].lower(),
        UPOS: UNKNOWN_TAG,
        HEAD: str(head),
        DEPREL: "dep" if head else "root",
    }
    for column, answer in answers.items():
        if fields[column] == EMPTY:
            fields[column] = answer
    return "\t".join(fields)


@dataclass
class TreeLine:
    """A word with the root and the other words of its sentence."""

    cells: list[str]
    sentence: list["TreeLine"]

    @property
    def is_root(self) -> bool:
        return self.cells[HEAD] == "0"


def spoiled_trees(
    texts: Mapping[str, str], share: float, random: Random
) -> dict[str, str]:
    cells = {
        name: [line.split("\t") for line in text.split("\n")]
        for name, text in texts.items()
    }
    words = [word for rows in cells.values() for word in _words(rows)]
    donors = [word for word in words if not word.is_root]
    for word in some(donors, share, random):
        _move(word, random)
        _relabel(word.cells, random.choice(donors).cells)
    return {
        name: "\n".join("\t".join(row) for row in rows) for name, rows in cells.items()
    }


def _words(rows: list[list[str]]) -> list[TreeLine]:
    words: list[TreeLine] = []
    sentence: list[TreeLine] = []
    for row in rows:
        if row == [""]:
            sentence = []
        elif len(row) == WIDTH and row[ID].isdigit():
            sentence.append(TreeLine(row, sentence))
            words.append(sentence[-1])
    return words


def _move(word: TreeLine, random: Random) -> None:
    root = next((other for other in word.sentence if other.is_root), None)
    if root is None:
        return
    own, top = word.cells[ID], root.cells[ID]
    if word.cells[HEAD] != top:
        word.cells[HEAD] = top
        return
    sisters = [
        other.cells[ID]
        for other in word.sentence
        if other.cells[HEAD] == top and other.cells[ID] != own
    ]
    if sisters:
        word.cells[HEAD] = random.choice(sisters)


def _relabel(own: list[str], other: list[str]) -> None:
    """Take over what a system predicts, never what the text says."""
    for column in (LEMMA, UPOS, FEATS, DEPREL):
        own[column] = other[column]
    # Where these hold no key=value and no head:relation, they are labels as well.
    if ":" not in own[DEPS] + other[DEPS]:
        own[DEPS] = other[DEPS]
    if "=" not in own[MISC] + other[MISC]:
        own[MISC] = other[MISC]
