"""Outline of a treebank, for a diagnosis."""

import re

from scoring.options import Options
from scoring.outlines import Outline, Sentences, blocks, text_of
from scoring.source import Source

SENT_ID = re.compile(r"#\s*(?:source_)?sent_id\s*=\s*(.*?)\s*$")


def trees(source: Source, _options: Options) -> Outline:
    """Sentences of CoNLL-U by their FORMs; what was answered are the HEADs."""
    sentences = Sentences()
    for first, block in blocks(text_of(source)):
        name, words, rows = "", [], []
        for number, line in enumerate(block, first):
            if line[0] == "#":
                match = SENT_ID.match(line)
                name = match[1] if match else name
                continue
            fields = line.split("\t", 7)
            if len(fields) > 1 and fields[0].isdigit():
                words.append(fields[1])
                rows.append(number)
                sentences.fields.append(fields[6] if len(fields) > 6 else "")
        if words:
            sentences.add(name, words, rows)
    return sentences.outline()
