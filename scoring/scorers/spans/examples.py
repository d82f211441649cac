"""Example spans: none at all; gold spans lost or with other labels, in four formats."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from scoring.formats.records import json_lines
from scoring.options import Options
from scoring.picks import another, some
from scoring.scorers.spans.annotations import (
    NOT_CONTENT,
    TOKEN,
    Document,
    ReaderOptions,
)
from scoring.scorers.spans.columns import PREFIXES
from scoring.scorers.spans.documents import AUTO, FORMATS, as_json, as_xml, gold_format
from scoring.scorers.spans.offsets import LISTS, begins, written


def guessed_spans(files: Mapping[str, bytes], options: Options) -> dict[str, bytes]:
    """The blind documents; written anew where submissions have another format."""
    blind_format, wanted = gold_format(files, options), options["format"]
    if wanted in (AUTO, blind_format):
        return {_answer_name(name, options): data for name, data in files.items()}
    reader_options = ReaderOptions(scheme=options["scheme"])
    answers: dict[str, bytes] = {}
    for document in FORMATS[blind_format].read(files, reader_options):
        answers |= _written(document, wanted, options)
    return answers


def _written(document: Document, wanted: str, options: Options) -> dict[str, bytes]:
    name = _answer_name(document.file, options)
    if wanted == "brat":
        return {f"{name}.ann": b"", f"{name}.txt": document.text.encode()}
    if wanted == "jsonl":
        return {name: written([replace(document, id=document.name)])}
    if wanted == "conll":
        lines = (f"{token}\tO\n" for token in document.text.split())
        return {name: "".join(lines).encode()}
    return {name: (as_json if wanted == "mat-json" else as_xml)(document)}


def _answer_name(name: str, options: Options) -> str:
    """Name of the document in a submission: the task's change of endings undone."""
    off, on = options["ref_suffix_off"], options["ref_suffix_on"]
    return name.removesuffix(on) + off if name.endswith(on) else name


ANN = ".ann"
MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
    r"|<(?P<close>/?)(?P<tag>[^\s/>!?]+)(?P<more>[^>]*?)(?P<empty>/?)>",
    re.DOTALL,
)
FEATURE = re.compile(r"^[A-Za-z]+=")  # DISRPT's "Seg=B-seg"
STRUCTURE = {*NOT_CONTENT, TOKEN}
Texts = Mapping[str, str]


def spoiled_spans(texts: Texts, share: float, random: Random) -> dict[str, str]:
    if any(name.endswith(ANN) for name in texts):
        return _standoff(texts, share, random)
    first = next(iter(texts.values()), "").lstrip()
    if first.startswith("{"):
        records = begins(first.encode())
        return (_records if records else _mat_json)(texts, share, random)
    spoil = _marked_up if first.startswith("<") else _columns
    return {name: spoil(text, share, random) for name, text in texts.items()}


def _columns(text: str, share: float, random: Random) -> str:
    """CoNLL columns: runs of tags."""
    lines = text.split("\n")
    tags = [FEATURE.sub("", re.split(r"\s+", line.rstrip())[-1]) for line in lines]
    runs = _runs(tags)
    labels = [tags[run[0]][2:] for run in runs]
    for number, run in enumerate(some(runs, share, random)):
        other = another(labels, tags[run[0]][2:], random) if number % 2 else None
        for i in run:
            tag = f"{tags[i][:2]}{other}" if other else "O"
            lines[i] = lines[i].rstrip()[: -len(tags[i])] + tag
    return "\n".join(lines)


def _runs(tags: Sequence[str]) -> list[list[int]]:
    """Lines of each run of tags, which only a tag that begins one ends before `O`."""
    runs: list[list[int]] = []
    inside = False
    for i, tag in enumerate(tags):
        if tag[:1] not in PREFIXES or tag[1:2] not in ("", "-"):
            inside = False
            continue
        if tag[0] in "BSU" or not inside:
            runs.append([])
        runs[-1].append(i)
        inside = True
    return runs


def _marked_up(text: str, share: float, random: Random) -> str:
    """Inline tags: elements below the root lose their tags and keep their text."""
    open_tags: list[re.Match[str]] = []
    pairs: list[tuple[re.Match[str], re.Match[str]]] = []
    for tag in MARKUP.finditer(text):
        if not tag["tag"] or tag["empty"]:
            continue
        if not tag["close"]:
            open_tags.append(tag)
        elif open_tags:
            begin = open_tags.pop()
            if open_tags and begin["tag"] not in STRUCTURE:
                pairs.append((begin, tag))
    gone = {tag.span() for pair in some(pairs, share, random) for tag in pair}
    for start, end in sorted(gone, reverse=True):
        text = text[:start] + text[end:]
    return text


def _mat_json(texts: Texts, share: float, random: Random) -> dict[str, str]:
    """MAT-JSON: rows of the sets that are content."""
    values: dict[str, Any] = {name: json.loads(text) for name, text in texts.items()}
    rows = [
        (name, i, j)
        for name, value in values.items()
        for i, annotation_set in enumerate(value.get("asets", []))
        if annotation_set.get("type") not in STRUCTURE
        for j in range(len(annotation_set.get("annots", [])))
    ]
    for name, i, j in sorted(some(rows, share, random), reverse=True):
        del values[name]["asets"][i]["annots"][j]
    return {
        name: json.dumps(value, ensure_ascii=False) for name, value in values.items()
    }


def _standoff(texts: Texts, share: float, random: Random) -> dict[str, str]:
    """brat: lines of spans, with the lines that speak of them."""
    lines_of = {name: text.split("\n") for name, text in texts.items()}
    spans = [
        (name, line.partition("\t")[0])
        for name, lines in lines_of.items()
        if name.endswith(ANN)
        for line in lines
        if line.startswith("T")
    ]
    for name, span in some(spans, share, random):
        word = re.compile(rf"(?<!\w){re.escape(span)}(?!\w)")
        lines_of[name] = [
            line
            for line in lines_of[name]
            if not word.search(line if line[:1] != "T" else line.partition("\t")[0])
        ]
    return {name: "\n".join(lines) for name, lines in lines_of.items()}


def _records(texts: Texts, share: float, random: Random) -> dict[str, str]:
    """JSON Lines: spans of the objects."""
    rows = {
        name: [json.loads(line) for line in text.split("\n") if line.strip()]
        for name, text in texts.items()
    }
    spans = [
        (name, i, key, j)
        for name, objects in rows.items()
        for i, record in enumerate(objects)
        for key in LISTS
        for j in range(len(record.get(key) or []))
    ]
    for name, i, key, j in sorted(some(spans, share, random), reverse=True):
        del rows[name][i][key][j]
    return {name: json_lines(objects) for name, objects in rows.items()}
