"""Records with named columns: CSV, TSV and JSON Lines, read as whole columns.

The content decides which of the three a file is, not its name; JSON in another form is
turned into JSON Lines first (`scoring.formats.text_forms`). In CSV, quotes work as
RFC 4180 says; in TSV a quote is a character like any other, unless the names
themselves are in quotes, or all cells of a column, as some programs write tables.
Blank lines are passed over. What is wrong goes to `Findings` with its line; nothing is
guessed.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, Literal

import numpy as np

from scoring.counts import Integers
from scoring.errors import Findings, Problem, ScoringError
from scoring.formats.fields import NEWLINE
from scoring.formats.json_errors import json_error
from scoring.formats.text_forms import ID, JSON, form_of
from scoring.messages import Messages, _
from scoring.source import NUL, SAVE_UTF8, Source, brief, list_names, text_of

MESSAGES = Messages(
    depth=_("the JSON is nested too deeply"),
    most_lines=_("more than %(most)s lines"),
    most_columns=_("more than %(most)s columns"),
    repeated_column=_("two columns are called '%(column)s'"),
    each_column_once=_("Name every column once."),
    one_column=_("1 column"),
    columns=_("%(count)s columns"),
    width=_("expected %(expected)s as in the first line, found %(count)s."),
    by_tabs=_("Separate the columns by single tabs."),
    row_names=_(
        "Each line has one cell more than the first: name the first column, too, or "
        'leave names of rows out; put texts that hold "%(separator)s" in double quotes.'
    ),
    quote=_('Put a text that holds "%(separator)s" between double quotes.'),
    by_separator=_('Separate the columns by "%(separator)s".'),
    no_csv=_("not readable as CSV (%(error)s)."),
    quote_inside=_(
        "a text in double quotes begins here, and a quote in it is not doubled or its "
        "end is missing."
    ),
    spaces_behind=_("spaces stand behind the double quote that ends a text."),
    no_spaces_behind=_("Take the spaces before separators and line ends out."),
    open_quote=_("a text in double quotes begins here and does not end."),
    quote_texts=_(
        "Put a text with quotes between double quotes and double those "
        "in it, or use tabs or JSON Lines."
    ),
    most_names=_("more than %(most)s different names in the objects"),
    objects=_('Write one object a line: {"id": "...", ...}.'),
    no_json=_("not readable as JSON (%(error)s)."),
    no_object=_("expected a JSON object."),
    escape=_("an escape in it stands for a NUL or for half a character."),
)

Kind = Literal["csv", "tsv", "jsonl"]
MOST_RECORDS = 1_000_000
MOST_COLUMNS = 1_000
# Of a file with more lines that are no records the rest is not read.
MOST_BROKEN = 5_000
DELIMITERS = ("\t", ",", ";")
QUOTE, QUOTED, LEAST_QUOTED = '"', re.compile(r'"(?:[^"]|"")*"'), 3
SPACES_BEHIND = re.compile(r'[^,;\t]" +(?:[,;\t]|$)')
# What str.strip() takes off ASCII texts, but for line feeds.
BLANKS = " \t\r\v\f\x1c\x1d\x1e\x1f"
SHOWN_NAMES = 8
# A number stays as it is written, so that an id 007 or 1.0 is not another one.


class NotFinite(str):
    """A NaN or an infinity of JSON, by its name: no text that somebody wrote."""


class Number(str):
    """A number of JSON with a point or an exponent, as it is written."""

    __slots__ = ()


DECODER = json.JSONDecoder(parse_float=Number, parse_int=str, parse_constant=NotFinite)
TOO_DEEP = MESSAGES("depth")
OBJECTS = MESSAGES("objects")
# Escapes that may stand for half a character, or for a NUL.
DOUBTFUL = re.compile(r"\\u(?:[dD][89a-fA-F]|0000)")


@dataclass(frozen=True)
class Records:
    """All records (n,) of one file.

    `columns` hold a cell per record: text, and in JSON Lines whatever stands there
    (numbers as text, None for what is missing). `lines` (n,) are the numbers of the
    lines they begin in. `delimiter` is empty for JSON Lines. `trimmed` says that no
    cell has white space at its ends.
    """

    name: str
    delimiter: str
    columns: Mapping[str, Sequence[Any]]
    lines: Integers
    trimmed: bool = False

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def kind(self) -> Kind:
        if not self.delimiter:
            return "jsonl"
        return "tsv" if self.delimiter == "\t" else "csv"

    def texts(self, name: str) -> list[str]:
        """Texts of a column without white space around them: empty for what is no text,
        and of a column that is not there."""
        own = self.called(name)
        if own is None:
            return [""] * len(self)
        if self.trimmed:
            return list(self.columns[own])
        return [*map(text_in, self.columns[own])]

    def called(self, name: str) -> str | None:
        """The column of that name, in capitals or not; None where there is none."""
        if name in list(self.columns):
            return name
        same = (own for own in self.columns if own.lower() == name.lower())
        return next(same, None)


def read(
    source: Source,
    findings: Findings,
    kind: type[ScoringError],
    value: str = "",
    identity: str = ID,
) -> Records:
    """The records of a file; rows that do not fit its columns are noted and left out.
    In a map of ids, which are called `identity`, each stands for the `value` of its
    record.

    Raises `kind` for what is no text, an empty file, one with very many records, and
    one of which very many lines are no records.
    """
    text = text_of(source, kind)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise kind(Problem("encoding", NUL, source.name, line, hint=SAVE_UTF8))
    if text.count("\n") > MOST_RECORDS + 1:
        message = MESSAGES("most_lines", most=MOST_RECORDS)
        raise kind(Problem("size", message, source.name))
    text = form_of(source.name, text, kind, value, identity).text
    if is_json_lines(text):
        return _json_lines(source.name, text, findings, kind)
    return _read_delimited(source.name, text, findings, kind)


def is_json_lines(text: str) -> bool:
    """Whether the first character that is no space opens an object or a list, and no
    name of a section in brackets."""
    return bool(JSON.match(text[:4096]))


def delimiter_of(text: str) -> str:
    """The character between the names in the first line; "," if there is one name."""
    header = text[: text.index("\n")] if "\n" in text else text
    return next((mark for mark in DELIMITERS if mark in header), ",")


def _is_literal(text: str, delimiter: str) -> bool:
    """Whether quotes are characters like any other: there are none, or in a TSV where
    they stand neither around the names nor around all cells of a column."""
    if QUOTE not in text:
        return True
    header = text.split("\n", 1)[0].rstrip("\r").split(delimiter)
    quoted = all(len(n) > 1 and n[0] == QUOTE == n[-1] for n in header)
    return delimiter == "\t" and not quoted and not _has_quoted_column(text)


def _has_quoted_column(text: str) -> bool:
    """Whether quotes stand around all cells of a column below its name in a TSV, and
    no other cell begins with one."""
    quoted: set[int] = set()
    rows = [row for row in text.split("\n")[1:] if row]
    for number, row in enumerate(rows):
        cells = [*enumerate(row.rstrip("\r").split("\t"))]
        own = {place for place, cell in cells if QUOTED.fullmatch(cell)}
        quoted = quoted & own if number else own
        if not quoted or any(c[:1] == QUOTE and p not in own for p, c in cells):
            return False
    return len(rows) >= LEAST_QUOTED


def _read_delimited(
    name: str, text: str, findings: Findings, kind: type[ScoringError]
) -> Records:
    if not text.endswith("\n"):
        text += "\n"
    delimiter = delimiter_of(text)
    literal = _is_literal(text, delimiter)
    first = text[: text.index("\n") + 1] if literal else text
    _, header = next(_rows(first, delimiter, Findings(name)), (1, []))
    names = [cell.strip() for cell in header] or [""]
    if len(names) > MOST_COLUMNS:
        raise kind(
            Problem("columns", MESSAGES("most_columns", most=MOST_COLUMNS), name, 1)
        )
    for double in sorted({n for n in names if n and names.count(n) > 1}):
        message = MESSAGES("repeated_column", column=brief(double))
        findings.add("header", message, line=1, hint=MESSAGES("each_column_once"))
    named = max((i for i, name in enumerate(names, 1) if name), default=1)
    columns, lines = _columns(text, delimiter, len(names), named, findings, kind)
    if len(columns) > 1 and "" in columns[0]:  # a spreadsheet's rows without anything
        filled = [i for i, row in enumerate(zip(*columns, strict=True)) if any(row)]
        columns = [[column[i] for i in filled] for column in columns]
        lines = lines[filled]
    bare = text.replace("\t", ",") if delimiter == "\t" else text
    return Records(
        name,
        delimiter,
        dict(zip(names, columns, strict=True)),
        lines,
        literal and bare.isascii() and not any(mark in bare for mark in BLANKS),
    )


def _columns(
    text: str,
    delimiter: str,
    width: int,
    named: int,
    findings: Findings,
    kind: type[ScoringError],
) -> tuple[list[list[str]], Integers]:
    """The cells below the header, by column, and the lines they begin in. Behind the
    `named` columns a separator may stand at the end of the header alone, or of all
    other lines."""
    if _is_literal(text, delimiter) and _is_regular(text, delimiter, width):
        cells = text.replace("\n", delimiter).split(delimiter)[:-1]
        columns = [cells[width + i :: width] for i in range(width)]
        return columns, np.arange(len(columns[0]), dtype=np.int64) + 2
    rows, lines = [], []
    below = list(_rows(text, delimiter, findings))[1:]
    sizes = [len(row) for _line, row in below]
    if set(sizes) == {named} or (
        min(sizes, default=0) > width and not any(any(r[width:]) for _line, r in below)
    ):
        rest = [""] * (width - named)
        below = [(line, [*row[:width], *rest]) for line, row in below]
    longer = set(sizes) == {width + 1} and width > 1
    named_rows = MESSAGES("row_names", separator=delimiter) if longer else ""
    for number, (line, row) in enumerate(below, 1):
        if len(row) == width:
            rows.append(row)
            lines.append(line)
        else:
            findings.add(
                "columns",
                MESSAGES("width", expected=_columns_of(width), count=len(row)),
                line=line,
                hint=named_rows or _how_to_part(delimiter, len(row) > width),
            )
            if number - len(lines) >= MOST_BROKEN:
                findings.raise_if_any(kind)
    columns = [list(column) for column in zip(*rows, strict=True)]
    return columns or [[] for _ in range(width)], np.array(lines, dtype=np.int64)


def _columns_of(width: int) -> str:
    return MESSAGES("one_column") if width == 1 else MESSAGES("columns", count=width)


def _how_to_part(delimiter: str, many: bool) -> str:
    if delimiter == "\t":
        return MESSAGES("by_tabs")
    if many:
        return MESSAGES("quote", separator=delimiter)
    return MESSAGES("by_separator", separator=delimiter)


def _is_regular(text: str, delimiter: str, width: int) -> bool:
    """Whether each line has the same number of delimiters and none is blank."""
    buffer = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    ends = buffer == NEWLINE
    if width == 1:
        return not bool(np.any(ends[1:] & ends[:-1]))
    stops = ends[ends | (buffer == ord(delimiter))]
    if len(stops) % width:
        return False
    last = stops.reshape(-1, width)
    return bool(last[:, -1].all()) and not bool(last[:, :-1].any())


def _rows(
    text: str, delimiter: str, findings: Findings
) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and cells, the header's first; blank lines are passed over."""
    if _is_literal(text, delimiter):
        for number, line in enumerate(text.split("\n")[:-1], 1):
            if line or number == 1:
                yield number, line.split(delimiter)
        return
    reader = csv.reader(
        io.StringIO(text, newline="\n"), delimiter=delimiter, strict=True
    )
    before = 0
    try:
        for row in reader:
            if row or not before:
                yield before + 1, row
            before = reader.line_num
    except csv.Error as error:
        message, hint = _fault_of_quotes(str(error), text.split("\n")[before])
        findings.add(
            "csv",
            message,
            line=before + 1,
            hint=hint,
        )


def _fault_of_quotes(error: str, line: str) -> tuple[str, str]:
    """The fault that a reader of CSV found, in plain words, and what helps."""
    hint = MESSAGES("quote_texts")
    if error == "unexpected end of data":
        return MESSAGES("open_quote"), hint
    if "expected after" not in error:
        return MESSAGES("no_csv", error=error), hint
    if SPACES_BEHIND.search(line):
        return MESSAGES("spaces_behind"), MESSAGES("no_spaces_behind")
    return MESSAGES("quote_inside"), hint


def _json_lines(
    name: str, text: str, findings: Findings, kind: type[ScoringError]
) -> Records:
    written = text.split("\n")
    lines = [i for i, line in enumerate(written, 1) if line and not line.isspace()]
    objects = _together([written[i - 1] for i in lines])
    if objects is None:
        whole, objects = lines, []
        lines = []
        for number, i in enumerate(whole, 1):
            item = _one(written[i - 1], i, findings)
            if item is not None:
                objects.append(item)
                lines.append(i)
            elif number - len(lines) >= MOST_BROKEN:
                findings.raise_if_any(kind)
    names = list(dict.fromkeys(chain.from_iterable(objects)))
    if len(names) > MOST_COLUMNS:
        message = MESSAGES("most_names", most=MOST_COLUMNS)
        findings.add("columns", message)
        names = names[:MOST_COLUMNS]
    columns = ObjectColumns(names, objects)
    return Records(name, "", columns, np.array(lines, dtype=np.int64))


class ObjectColumns(Mapping[str, Sequence[Any]]):
    """Columns of JSON objects, made when they are asked for: few of them ever are, and
    all together may be far larger than the file."""

    def __init__(self, names: Sequence[str], objects: Sequence[dict[str, Any]]) -> None:
        self.names = dict.fromkeys(names)
        self.objects = objects

    def __getitem__(self, name: str) -> Sequence[Any]:
        if name not in self.names:
            raise KeyError(name)
        return [*map(dict.get, self.objects, repeat(name))]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def _together(lines: list[str]) -> list[dict[str, Any]] | None:
    """The objects of all lines, parsed at once; None where one is none."""
    try:
        objects = DECODER.decode(f"[{','.join(lines)}]")
    except (ValueError, RecursionError):
        return None
    fine = len(objects) == len(lines) and set(map(type, objects)) == {dict}
    return objects if fine and not any(map(DOUBTFUL.search, lines)) else None


def _one(line: str, number: int, findings: Findings) -> dict[str, Any] | None:
    hint = OBJECTS
    try:
        item = DECODER.decode(line)
    except json.JSONDecodeError as error:
        message = MESSAGES("no_json", error=json_error(error))
        findings.add("json", message, line=number, column=error.colno, hint=hint)
        return None
    except RecursionError:
        findings.add("json", f"{TOO_DEEP}.", line=number, hint=hint)
        return None
    if not isinstance(item, dict):
        findings.add("json", MESSAGES("no_object"), line=number, hint=hint)
        return None
    if DOUBTFUL.search(line) and not _is_text(item):
        message = MESSAGES("escape")
        findings.add("encoding", message, line=number, hint=hint)
        return None
    return item


def _is_text(item: dict[str, Any]) -> bool:
    try:
        whole = json.dumps(item, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return b"\\u0000" not in whole


def write(columns: Mapping[str, Sequence[Any]], delimiter: str) -> str:
    """The text of a file with these columns; `delimiter` as `Records` has it."""
    rows = zip(*columns.values(), strict=True)
    if not delimiter:
        objects = (dict(zip(columns, row, strict=True)) for row in rows)
        return json_lines(objects)
    if delimiter == "\t":
        return "".join("\t".join(row) + "\n" for row in chain([columns], rows))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()


def json_lines(rows: Iterable[Mapping[str, object]]) -> str:
    """The text of JSON Lines with these objects."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def text_in(cell: object) -> str:
    """The text of a cell without white space around it; empty for what is no text."""
    return cell.strip() if isinstance(cell, str) else ""


def rewrite(
    source: Source, columns: Mapping[str, Sequence[object]], kind: type[ScoringError]
) -> Source:
    """A file with these columns, in the format and under the name of another one.
    Raises `kind` where that cannot be read."""
    delimiter = read(source, Findings(source.name), kind).delimiter
    return Source.of_bytes(source.name, write(columns, delimiter).encode())


def some_names(names: Sequence[str]) -> str:
    """Names of columns as a message prints them."""
    return list_names(names, SHOWN_NAMES, 30) or "none"
