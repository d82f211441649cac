"""Outline of a UNL document, for a diagnosis."""

import re

from scoring.options import Options
from scoring.outlines import Outline, text_of
from scoring.source import Source

# Behind nothing, or another part that ends there.
UNL_SENTENCE = re.compile(r"(?:(?<=[\]}])|^)\s*\[S:([^\[\]\n]*)\]")


def unl(source: Source, _options: Options) -> Outline:
    """Sentences of a UNL document by their ids."""
    names, lines = [], []
    for number, line in enumerate(text_of(source).split("\n"), 1):
        for name in UNL_SENTENCE.findall(line):
            names.append(name)
            lines.append(number)
    return Outline("sentence", names, names, lines, whole=False)
