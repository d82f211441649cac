"""The published files made out of gold: texts and tokens without their spans."""

import json
from collections.abc import Mapping
from xml.sax.saxutils import escape

from scoring.counts import Integers
from scoring.errors import Refused, SetupError
from scoring.formats import bundle
from scoring.formats.spans import Document, ReaderOptions
from scoring.options import Options
from scoring.scorers.spans.reading import FORMATS, gold_format
from scoring.source import Source, decode


def blind(gold: Source, options: Options) -> Source:
    """The same members with texts and tokens only.

    Raises SetupError where the gold cannot be read.
    """
    try:
        members = bundle.members(gold)
        name = gold_format(members, options)
        files = _hidden(name, members, options)
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    return Source(gold.name, files)


def _hidden(
    name: str, members: Mapping[str, bytes], options: Options
) -> dict[str, bytes]:
    if name == "conll":
        return {file: _words(decode(file, data)) for file, data in members.items()}
    if name == "brat":
        return {f: b"" if f.endswith(".ann") else d for f, d in members.items()}
    write = as_json if name == "mat-json" else as_xml
    asked = ReaderOptions(scheme=options["scheme"])
    documents = FORMATS[name].read(members, asked)
    return {document.file: write(document) for document in documents}


def _words(text: str) -> bytes:
    """Tokens with the tag O; lines that begin a document stay as they are."""
    lines = (_word(line) for line in text.rstrip("\n").split("\n"))
    return ("\n".join(lines) + "\n").encode()


def _word(line: str) -> str:
    line = line.rstrip(" \t")
    if not line:
        return ""
    token = line.partition("\t" if "\t" in line else " ")[0]
    return token if token == "-DOCSTART-" else f"{token}\tO"


def as_json(document: Document) -> bytes:
    sets = []
    if document.tokens is not None:
        annots = document.tokens.tolist()
        sets.append({"type": "lex", "attrs": [], "annots": annots})
    value = {"signal": document.text, "asets": sets, "metadata": {}, "version": 2}
    return json.dumps(value, ensure_ascii=False).encode()


def as_xml(document: Document) -> bytes:
    """Tokens as elements; those within another token go without one of their own."""
    text, pieces, done = document.text, [], 0
    for start, end in _extents(document.tokens):
        if start >= done:
            pieces += [
                _escaped(text[done:start]),
                f"<lex>{_escaped(text[start:end])}</lex>",
            ]
            done = end
    pieces.append(_escaped(text[done:]))
    return f"<doc>{''.join(pieces)}</doc>".encode()


def _extents(tokens: Integers | None) -> list[list[int]]:
    return [] if tokens is None else sorted(tokens.tolist())


def _escaped(text: str) -> str:
    return escape(text, {"\r": "&#13;"})
