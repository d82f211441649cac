"""Outlines of tagged sentences and of documents with spans, for a diagnosis."""

import json
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from scoring.errors import Findings
from scoring.formats import bundle
from scoring.formats.fields import Fields
from scoring.options import Options
from scoring.outlines import Outline, Sentences, text_of
from scoring.scorers.spans import offsets
from scoring.scorers.spans.column_lines import column_of, token_lines
from scoring.scorers.spans.documents import gold_format
from scoring.source import Source


def tags(source: Source, options: Options) -> Outline:
    """Sentences of columns by their tokens; what was answered are the tags."""
    sentences, data = Sentences(), text_of(source).encode()
    column = column_of(options)
    lines = token_lines(source.name, data, Findings(source.name), column)
    if not len(lines.begins):
        return sentences.outline(0)
    words = Fields(lines.buffer, lines.begins, lines.token_ends).texts()
    bare = lines.tag_begins == lines.begins
    answers = Fields(lines.buffer, lines.tag_begins, lines.ends).texts()
    sentences.fields += [
        "" if no else text for no, text in zip(bare, answers, strict=True)
    ]
    numbers = lines.numbers.tolist()
    begins = [*np.flatnonzero(lines.fresh).tolist(), len(words)]
    for begin, end in pairwise(begins):
        sentences.add("", words[begin:end], numbers[begin:end])
    return sentences.outline(lines.documents if lines.documents > 1 else 0)


def spans(source: Source, options: Options) -> Outline:
    """Sentences of one file of columns; else documents by the names of their files."""
    members = bundle.documents(source)
    if len(members) == 1 and _is_columns(members, options):
        return tags(source, options)
    if ids := _records_of(members):
        return Outline("document", *ids)
    if options["format"] == "jsonl":
        return Outline("document", (), (), ())
    names = sorted({name.rpartition("/")[2].partition(".")[0] for name in members})
    form = gold_format(members, options)
    return Outline("document", names, names, [1] * len(names), form=form)


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
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and isinstance(record.get("id"), str | int):
            ids.append(str(record["id"]).strip())
            lines.append(number)
    return ids, ids, lines


def _is_columns(members: Mapping[str, bytes], options: Options) -> bool:
    if options["format"] != "auto":
        return bool(options["format"] == "conll")
    name, data = next(iter(members.items()))
    begin = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    other = name.lower().endswith((".json", ".xml", ".ann"))
    markup = begin == b"<" and data.rstrip().endswith(b">")
    return begin != b"{" and not markup and not other
