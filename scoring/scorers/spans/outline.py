"""Outlines of tagged sentences and of documents with spans, for a diagnosis."""

import json
from collections.abc import Mapping

from scoring.formats import bundle
from scoring.options import Options
from scoring.outlines import Outline, Sentences, blocks, text_of
from scoring.scorers.spans import offsets
from scoring.source import Source

DOCSTART = "-DOCSTART-"


def tags(source: Source, _options: Options) -> Outline:
    """Sentences of columns by their tokens; what was answered are the tags."""
    found, documents = Sentences(), 0
    for first, block in blocks(text_of(source)):
        words, rows = [], []
        for number, line in enumerate(block, first):
            line = line.rstrip()
            fields = line.split("\t" if "\t" in line else " ")
            if fields[0] == DOCSTART:
                documents += 1
                continue
            words.append(fields[0])
            rows.append(number)
            found.fields.append(fields[-1] if len(fields) > 1 else "")
        if words:
            found.add("", words, rows)
    return found.outline(documents)


def spans(source: Source, options: Options) -> Outline:
    """Sentences of one file of columns; else documents by the names of their files."""
    members = bundle.members(source)
    if bundle.is_single(source) and _is_columns(members, options):
        return tags(source, options)
    if ids := _records_of(members):
        return Outline("document", *ids)
    names = sorted({name.rpartition("/")[2].partition(".")[0] for name in members})
    return Outline("document", names, names, [1] * len(names))


def _records_of(
    members: Mapping[str, bytes],
) -> tuple[list[str], list[str], list[int]] | None:
    """Ids and lines of the objects of a file of JSON Lines; None for other files."""
    data = next(iter(members.values()), b"")
    if len(members) > 1 or not offsets.begins(data):
        return None
    ids, lines = [], []
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and isinstance(found.get("id"), str | int):
            ids.append(str(found["id"]).strip())
            lines.append(number)
    return ids, ids, lines


def _is_columns(members: Mapping[str, bytes], options: Options) -> bool:
    if options["format"] != "auto":
        return bool(options["format"] == "conll")
    name, data = next(iter(members.items()))
    begin = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    other = name.lower().endswith((".json", ".xml", ".ann"))
    return begin not in (b"{", b"<") and not other
