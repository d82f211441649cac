"""Chains: every word hangs on the one before it, the first one is the root."""

from collections.abc import Iterator, Mapping

from scoring.formats.conllu import FORM, HEAD, ID, LEMMA, UPOS, WIDTH
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import decode

DEPREL = HEAD + 1
EMPTY, UNKNOWN_TAG = "_", "X"


def guessed_trees(
    files: Mapping[str, bytes], _scorer: Scorer, _options: Options
) -> dict[str, bytes]:
    """Words of a blind CoNLL-U file, or of running text cut at white space."""
    return {name: _guess(decode(name, data)).encode() for name, data in files.items()}


def _guess(text: str) -> str:
    lines = text.split("\n")
    if not any(line.count("\t") >= WIDTH - 1 for line in lines):
        lines = list(_tokens(lines))
    return "\n".join(map(_filled, lines)).rstrip("\n") + "\n\n"


def _tokens(lines: list[str]) -> Iterator[str]:
    """A sentence for every line of running text."""
    sentences = (line.split() for line in lines if line.strip())
    for number, words in enumerate(sentences, 1):
        yield f"# sent_id = {number}"
        for place, word in enumerate(words, 1):
            yield "\t".join((str(place), word, *EMPTY * (WIDTH - 2)))
        yield ""


def _filled(line: str) -> str:
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
