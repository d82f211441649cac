"""For every sentence the same graph, or the words that its graph names."""

import re
from collections.abc import Mapping

from scoring.errors import SetupError
from scoring.formats import unl
from scoring.formats.unl import UNL, Sentence
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source

# Of "boat(icl>vessel)" the boat: a headword stands before its constraints.
HEADWORD = re.compile(r"([^\W\d_][\w '-]*)\((?:icl|iof|equ|agt|obj|pof)[<>]")
ANY_GRAPH = "[W]\nthing(icl>entity)\n[/W]"
ANY_TEXT = "something"


def guessed_unl(
    files: Mapping[str, bytes], scorer: Scorer, options: Options
) -> dict[str, bytes]:
    """Texts where the scorer expects graphs in the blind file, and the reverse."""
    language = "" if scorer.name == "unl-graph" else str(options["language"]).lower()
    return {
        name: _guess(Source.of_bytes(name, data), language).encode()
        for name, data in files.items()
    }


def _guess(blind: Source, language: str) -> str:
    sentences = unl.read(blind, SetupError).values()
    return "".join(_sentence(sentence, language) for sentence in sentences)


def _sentence(sentence: Sentence, language: str) -> str:
    name, answer = UNL, ANY_GRAPH
    if language:
        graph = sentence.graph.text if sentence.graph else ""
        name, answer = language, " ".join(HEADWORD.findall(graph)) or ANY_TEXT
    return f"[S:{sentence.id}]\n{{{name}}}\n{answer}\n{{/{name}}}\n[/S]\n"
