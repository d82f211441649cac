"""Example UNL: one graph for all sentences; gold with other relations and words."""

import re
from collections.abc import Sequence
from random import Random

from scoring.errors import SetupError
from scoring.options import Options
from scoring.picks import another, each_file, each_published_file, some
from scoring.scorers.unl import reader
from scoring.scorers.unl.reader import UNL, Sentence
from scoring.source import Source

# Of "boat(icl>vessel)" the boat: a headword stands before its constraints.
HEADWORD = re.compile(r"([^\W\d_][\w '-]*)\((?:icl|iof|equ|agt|obj|pof)[<>]")
ANY_GRAPH = "[W]\nthing(icl>entity)\n[/W]"
ANY_TEXT = "something"


@each_published_file
def guessed_graphs(blind: Source, _options: Options) -> str:
    """The same small graph for every sentence of the blind file."""
    return _guess(blind, "")


@each_published_file
def guessed_texts(blind: Source, options: Options) -> str:
    """The headwords of every graph of the blind file, in a row."""
    return _guess(blind, str(options["language"]).lower())


def _guess(blind: Source, language: str) -> str:
    sentences = reader.read(blind, SetupError).values()
    return "".join(_sentence(sentence, language) for sentence in sentences)


def _sentence(sentence: Sentence, language: str) -> str:
    name, answer = UNL, ANY_GRAPH
    if language:
        graph = sentence.graph.text if sentence.graph else ""
        name, answer = language, " ".join(HEADWORD.findall(graph)) or ANY_TEXT
    return f"[S:{sentence.id}]\n{{{name}}}\n{answer}\n{{/{name}}}\n[/S]\n"


BLOCK = re.compile(r"\{(?P<name>unl|org:\w+|[a-z]{2})\}(?P<text>.*?)\{/", re.DOTALL)
# A relation begins an expression: at a line's start, or after the one before.
LABEL = re.compile(r"(?:(?<=\n)|(?<=\}\s)|(?<=\)\s)|(?<=\}))[a-z]{2,4}(?=(?::\w+)?\()")
ATTRIBUTE = re.compile(r"\.@\w+")
WORD = re.compile(r"[^\s\[\]{}]+")
SPARE = ("mod", "aoj")

Piece = tuple[int, int, str]  # where it begins and ends, and what stands there


@each_file
def spoiled_unl(text: str, share: float, random: Random) -> str:
    graphs, words = _pieces(text)
    chosen = [*some(graphs, share, random), *some(words, share, random)]
    labels = [piece for _, _, piece in graphs if not piece.startswith(".")]
    pools = {True: [*labels, *SPARE], False: [piece for *_, piece in words]}
    relations = set(graphs)
    for start, end, piece in sorted(chosen, reverse=True):
        new = ""
        if not piece.startswith(".@"):
            pool = pools[(start, end, piece) in relations]
            new = another(pool, piece, random) or piece
        text = text[:start] + new + text[end:]
    return text


def _pieces(text: str) -> tuple[Sequence[Piece], Sequence[Piece]]:
    """Labels and attributes of graphs; words of texts."""
    graphs: list[Piece] = []
    words: list[Piece] = []
    for block in BLOCK.finditer(text):
        start, end = block.span("text")
        if block["name"] != "unl":
            words += _pieces_between(WORD, text, start, end)
            continue
        graphs += _pieces_between(LABEL, text, start, end)
        graphs += _pieces_between(ATTRIBUTE, text, start, end)
    return sorted(graphs), words


def _pieces_between(
    pattern: re.Pattern[str], text: str, start: int, end: int
) -> list[Piece]:
    return [(m.start(), m.end(), m[0]) for m in pattern.finditer(text, start, end)]
