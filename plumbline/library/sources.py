"""Values in memory as the files that a scorer reads.

Lists, arrays, series and data frames are written as a file of the scorer's format,
which the engine's own readers then read: checks, counts and numbers are so those of the
command line. Nothing here depends on pandas, polars or numpy: they are known by what
they can do.
"""

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbline.library import matrices
from scoring.errors import Findings, Problem, Refused, UsageError
from scoring.formats import records
from scoring.formats.answers import ID, is_plain
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source

GOLD = "gold"
# Up to here every whole number has a float of its own.
MOST_WHOLE = 2**53


@dataclass(frozen=True)
class Table:
    """Columns of cells by name, and an id for each row, where there are any.

    Ids are `loose` where they are those of an index, which only match another index.
    """

    columns: Mapping[str, Sequence[Any]]
    ids: Sequence[str] | None = None
    loose: bool = False

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)


def sources(
    scorer: Scorer, options: Options, gold: Any, systems: Mapping[str, Any]
) -> tuple[Source, dict[str, Source]]:
    """Gold and systems, each as a file. Raises UsageError for values that the scorer
    has no use for, Refused for a system with another number of them, and OSError for a
    path that cannot be read."""
    files = {n: file for n, system in systems.items() if (file := _file(system, n))}
    gold_file = _file(gold, GOLD)
    rest = {name: system for name, system in systems.items() if name not in files}
    if gold_file is None or rest:
        gold_file, written = _written(scorer, options, gold_file or gold, rest)
        files |= written
    return gold_file, {name: files[name] for name in systems}


def _file(given: Any, name: str) -> Source | None:
    """A source of what is a file already: a path, bytes or a source."""
    if isinstance(given, Source):
        return given
    if isinstance(given, bytes):
        return Source.of_bytes(name, given)
    if isinstance(given, str | os.PathLike):
        return Source.of_path(Path(given))
    return None


def _written(
    scorer: Scorer, options: Options, gold: Any, systems: Mapping[str, Any]
) -> tuple[Source, dict[str, Source]]:
    """Files made of values; the gold's stays where it is one."""
    if scorer.name == "retrieval":
        with _expect(RANKINGS):
            own = gold if isinstance(gold, Source) else _qrels(gold)
            return own, {name: _run(system, name) for name, system in systems.items()}
    if "CoNLL columns" in scorer.formats:
        whole = {GOLD: gold, **systems}
        if any(map(_are_records, whole.values())):
            # Texts with offsets, which have the names that the format gives them.
            tables = {
                n: system
                if isinstance(system, Source)
                else _rows(_table(system, (ID,), n), n)
                for n, system in whole.items()
            }
            return tables.pop(GOLD), tables
        with _expect(SENTENCES):
            return _columns(gold, systems)
    gold, systems = matrices.unfold_arrays(scorer.name, options, gold, systems)
    layout = _layout(scorer, scorer.example_gold or scorer.example, options)
    own_layout = _layout(scorer, scorer.example, options)
    if ID not in own_layout:
        # Rows are found by other columns, as by system and segment.
        given = {GOLD: gold, **systems}
        whole = {
            n: _rows(_table(v, layout, n), n)
            for n, v in given.items()
            if not isinstance(v, Source)
        }
        return whole.pop(GOLD, gold), whole
    if isinstance(gold, Source):
        source, ids = gold, _ids_of(gold)
        table = Table({ID: ids}, ids)
    else:
        table = _table(gold, layout, GOLD)
        source = _json_lines(table, _written_ids(table), GOLD)
    files = {}
    for name, system in systems.items():
        rows = _table(system, own_layout, name)
        files[name] = _json_lines(rows, _ids_of_rows(rows, table, name), name)
    return source, files


RANKINGS = (
    "topics with documents and numbers: a mapping of mappings, records or a data frame "
    "with query_id, doc_id and relevance or score"
)
A_SENTENCE = "a list of tags, or of pairs of token and tag"
SENTENCES = f"a list of sentences, each {A_SENTENCE}"


@contextmanager
def _expect(what: str) -> Iterator[None]:
    """Values of another shape are told as what was expected."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        message = f"expected {what}."
        raise UsageError(Problem("values", message)) from error


def _are_records(given: Any) -> bool:
    if not isinstance(given, list) or not given:
        return False
    return all(isinstance(record, Mapping) for record in given)


def _ids_by_number(size: int) -> list[str]:
    """Ids of items that have none: numbers that sort as the items do, as those of
    lines of text."""
    return [f"{number:06d}" for number in range(1, size + 1)]


def _written_ids(table: Table) -> Sequence[str]:
    """Ids of the gold's rows in its file: its own, or numbers in place of an index."""
    own = table.ids is not None and not table.loose
    return table.ids or () if own else _ids_by_number(len(table))


def _ids_of_rows(rows: Table, gold: Table, name: str) -> Sequence[str]:
    """The ids of a system's rows: its own, or the gold's one after the other."""
    if rows.ids is not None and not rows.loose:
        return rows.ids
    ids = _written_ids(gold)
    if rows.ids is not None and gold.ids is not None:
        of_label = dict(zip(gold.ids, ids, strict=True))
        if set(rows.ids) == set(of_label):
            return [of_label[label] for label in rows.ids]
    if len(rows) != len(gold):
        message = f"{len(rows)} items; expected {len(gold)}, as many as the gold has."
        raise Refused(Problem("missing", message, name))
    return ids


def _ids_of(source: Source) -> list[str]:
    """The ids of a gold file, in its order."""
    if is_plain(source, UsageError):
        lines = source.single().decode().removesuffix("\n").count("\n") + 1
        return _ids_by_number(lines)
    table = records.read(source, Findings(source.name), UsageError)
    column = table.called(ID)
    cells = table.columns[column] if column else ()
    return list(dict.fromkeys(str(cell).strip() for cell in cells))


TABLES = {"CSV", "TSV", "JSON Lines"}


def _layout(scorer: Scorer, example: str, options: Options) -> tuple[str, ...]:
    """The columns of the scorer's files, as its example has them."""
    if "records" in options:
        return (ID, options["records"])
    if TABLES & set(scorer.formats):
        source = Source.of_bytes("example", example.encode())
        return tuple(records.read(source, Findings("example"), UsageError).columns)
    formats = ", ".join(scorer.formats)
    message = f"'{scorer.name}' reads files: give paths or bytes ({formats})."
    raise UsageError(Problem("values", message))


def _table(given: Any, layout: Sequence[str], name: str) -> Table:
    """Values of any kind as columns. Raises UsageError for what is none."""
    if hasattr(given, "columns") and hasattr(given, "__getitem__"):
        columns = {str(column): list(given[column]) for column in given.columns}
        return _with_ids(columns, getattr(given, "index", None))
    if isinstance(given, Mapping):
        if set(layout) - {ID} <= set(given):
            return _with_ids({str(n): list(cells) for n, cells in given.items()}, None)
        table = _table(list(given.values()), layout, name)
        return Table(table.columns, [_id(key) for key in given])
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        message = f"{type(given).__name__} is no list, array, data frame or path."
        raise UsageError(Problem("values", message, name))
    values = list(given)
    if values and all(isinstance(record, Mapping) for record in values):
        names = dict.fromkeys(str(key) for record in values for key in record)
        return _with_ids({n: [record.get(n) for record in values] for n in names}, None)
    ids = _index(getattr(given, "index", None), len(values))
    answers = [column for column in layout if column != ID]
    if len(answers) == 1:
        return Table({answers[0]: values}, ids, loose=True)
    message = (
        f"expected columns {', '.join(layout)}: a data frame, a list of mappings, or "
        "a mapping of lists."
    )
    raise UsageError(Problem("values", message, name))


def _with_ids(columns: Mapping[str, Sequence[Any]], index: Any) -> Table:
    """Columns with the ids that one of them, or an index, has."""
    called = next((name for name in columns if name.lower() == ID), None)
    if called is not None:
        return Table(columns, [_id(cell) for cell in columns[called]])
    size = max(map(len, columns.values()), default=0)
    ids = _index(index, size)
    return Table(columns, ids, loose=getattr(index, "name", None) != ID)


def _index(index: Any, size: int) -> list[str] | None:
    """The labels of an index; None for a list's method, one that only counts rows,
    or one that names a row twice."""
    if index is None or callable(index):
        return None
    labels = [_id(label) for label in index]
    counts = labels == [str(number) for number in range(size)]
    return None if counts or len(set(labels)) < len(labels) else labels


def _id(value: Any) -> str:
    cell = _cell(value)
    return "" if cell is None else str(cell)


def _cell(value: Any) -> Any:
    """A value as JSON has it: numpy's as Python's, nan as nothing, and a float that is
    whole as the whole number, so that 1.0 and 1 are one label."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        whole = value.is_integer() and abs(value) < MOST_WHOLE
        return int(value) if whole else float(value)
    if isinstance(value, Mapping):
        return {str(name): _cell(part) for name, part in value.items()}
    if hasattr(value, "tolist"):
        return _cell(value.tolist())
    if isinstance(value, set | frozenset):
        return sorted((_cell(part) for part in value), key=str)
    if isinstance(value, Iterable):
        return [_cell(part) for part in value]
    return str(value)


def _json_lines(table: Table, ids: Sequence[str], name: str) -> Source:
    columns = {n: cells for n, cells in table.columns.items() if n.lower() != ID}
    return _rows(Table({ID: ids, **columns}), name)


def _rows(table: Table, name: str) -> Source:
    """A table as JSON Lines. Raises UsageError for columns of different lengths."""
    sizes = {column: len(cells) for column, cells in table.columns.items()}
    if len(set(sizes.values())) > 1:
        sizes_in_words = ", ".join(
            f"{size} of '{column}'" for column, size in sizes.items()
        )
        raise UsageError(
            Problem("values", f"columns of different sizes: {sizes_in_words}", name)
        )
    rows = zip(*table.columns.values(), strict=True)
    objects = (dict(zip(table.columns, map(_cell, row), strict=True)) for row in rows)
    return _source(name, (json.dumps(record, ensure_ascii=False) for record in objects))


def _source(name: str, lines: Iterable[str]) -> Source:
    # Half a character is told by the reader, with its line.
    text = "".join(f"{line}\n" for line in lines)
    return Source.of_bytes(name, text.encode("utf-8", "surrogatepass"))


# Sentences of tags


def _columns(gold: Any, systems: Mapping[str, Any]) -> tuple[Source, dict[str, Source]]:
    """Sentences of tags, or of pairs of token and tag, as columns."""
    if isinstance(gold, Source):
        own, tokens = gold, None
    else:
        sentences = list(_sentences(gold, GOLD, None))
        tokens = [[token for token, _ in sentence] for sentence in sentences]
        own = _source(GOLD, _column_lines(sentences, GOLD))
    return own, {
        name: _source(name, _column_lines(_sentences(system, name, tokens), name))
        for name, system in systems.items()
    }


Sentence = list[tuple[str, str]]


def _sentences(
    given: Any, name: str, tokens: Sequence[Sequence[str]] | None
) -> Iterator[Sentence]:
    """Tokens with tags; tags alone get the gold's tokens, or numbers."""
    for place, sentence in enumerate(given):
        if isinstance(sentence, str):
            message = f"sentence {place + 1} is a text; expected {A_SENTENCE}."
            raise UsageError(Problem("values", message, name))
        words = list(sentence)
        if all(isinstance(word, str) for word in words):
            theirs = tokens[place] if tokens and place < len(tokens) else ()
            if len(theirs) != len(words):
                theirs = _ids_by_number(len(words))
            words = list(zip(theirs, words, strict=True))
        yield [(str(token), str(tag)) for token, tag in words]


def _column_lines(sentences: Iterable[Sentence], name: str) -> Iterator[str]:
    for place, sentence in enumerate(sentences, 1):
        for token, tag in sentence:
            if not token or not tag or any(c in token + tag for c in "\t\n\r"):
                message = "a token or a tag is empty, or holds a tab or a line feed."
                raise UsageError(Problem("values", message, name, unit=str(place)))
            yield f"{token}\t{tag}"
        yield ""


# Rankings


def _qrels(given: Any) -> Source:
    grades = _grades(given, GOLD, "relevance")
    return _source(GOLD, (f"{t} 0 {d} {_cell(grade)}" for t, d, grade in grades))


def _run(given: Any, name: str) -> Source:
    scores = _grades(given, name, "score")
    return _source(name, (f"{t} Q0 {d} 0 {float(s)!r} run" for t, d, s in scores))


def _grades(given: Any, name: str, wanted: str) -> Iterator[tuple[str, str, Any]]:
    """Topic, document and number: of a mapping of mappings, of a data frame, or of
    records as those of ir_measures."""
    if isinstance(given, Mapping) and "query_id" not in given:
        rows: Iterable[tuple[Any, Any, Any]] = (
            (topic, document, number)
            for topic, documents in given.items()
            for document, number in documents.items()
        )
    elif isinstance(given, Mapping) or hasattr(given, "columns"):
        rows = zip(given["query_id"], given["doc_id"], given[wanted], strict=True)
    else:
        rows = (
            (record.query_id, record.doc_id, getattr(record, wanted))
            for record in given
        )
    for topic, document, number in rows:
        names = str(topic), str(document)
        if any(not text or text.split() != [text] for text in names):
            message = "the name of a topic or document is empty or holds a space."
            raise UsageError(Problem("values", message, name, unit=names[0]))
        yield *names, number
