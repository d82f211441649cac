"""Text in a form of its own, turned into one that is read.

What stands for JSON Lines or for a table in another way (one array of all objects, a
map of ids, lines that begin with a key, the first line that a spreadsheet writes for
itself) becomes these, line by line as far as it goes.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from json import JSONDecodeError
from typing import Any

from scoring.errors import Problem, ScoringError
from scoring.formats.json_errors import json_error
from scoring.messages import Messages, _

MESSAGES = Messages(
    file_in_text=_("the whole file stands as one text in '%(name)s' of a JSON object."),
    write_text=_("Write that text itself to the file, line by line."),
    # JSON that is no JSON Lines.
    no_json=_("not readable as JSON (%(error)s)."),
    json_hint=_(
        'Write one object a line, or one array of objects: [{"id": "...", ...}, ...].'
    ),
    twice=_("the file is JSON that was written as a text of JSON once more."),
    dump_once=_("Write it with json.dump once, not twice."),
    empty_array=_("the file is an empty JSON array."),
    of_python=_("the file is a list or dict as Python prints it, with single quotes."),
    dump_it=_("Write it with json.dumps, one object a line."),
    of_others=_("the file is one JSON array of other things than objects."),
    repeated_key=_("'%(id)s' is there twice, first in line %(line)s."),
    each_id_once=_("Give each id once."),
    # What was read as something else.
    array=_("The file is one JSON array: its objects were read as records."),
    map=_("The file is one JSON object: its names were read as ids."),
    pairs=_("Each JSON object has one name: it was read as the id."),
    member=_("The file is one JSON object: the records are those of '%(name)s'."),
    columns=_("The file is one JSON object: its members were read as columns."),
    spread=_(
        "The JSON does not have one object in each line; it was read all the same."
    ),
    sep=_("The first line, '%(line)s', is a spreadsheet's own: passed over."),
)

# A first line that a spreadsheet writes to say what separates the columns.
SEPARATOR_LINE = re.compile(r"(?i)sep=([,;\t|:^~])[ \t]*\r?$")
SPACE = re.compile(r"\s*")
# What begins as JSON, and not as the name of a section in brackets.
JSON = re.compile(r"\s*(?:\{|\[(?!\[?[A-Za-z](?!rue|alse|ull|aN|nfinity)))")
OBJECTS = re.compile(r'\[\s*\{\s*["}]')
# Ids before a tab, and keys before a space.
NUMBERED = re.compile(r"[^\s]*\d[^\s]*")
TRN = re.compile(r"(?m)^(.*?)[ \t]*\(([\w.:/-]+)\)[ \t]*$")
KEY = re.compile(r"(?=\S*\d)(?=\S*[^\W\d]|\S*[-_])[\w][\w.:/-]*\w")
TWICE = re.compile(r'\s*"[\s\[{]*[\[{]\s*(?:\\[n"]|[}\]])')
PYTHON = re.compile(
    r"(?:\[\s*)?\{\s*'[^'\n]*'\s*:|\[\s*'[^\n]*',\s+['\"][^\n]*['\"]\s*\]\s*\Z"
)
OPEN_END = ("{", "[", ",", ":")
# Only the kinds of values matter; a whole number may have any number of digits.
DECODER = json.JSONDecoder(parse_int=float)
ID = "id"
SHOWN = 60
# What mat-json is known by, which is one object of its own kind.
SIGNAL = "signal"


@dataclass(frozen=True)
class Form:
    """Text of a file as its readers know it, and what was done to get there."""

    text: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Piece:
    """A value of JSON: what it is, how it is written, and where it begins."""

    value: Any
    written: str
    start: int


class _Broken(Exception):
    """A problem of JSON that is meant as a whole, without the name of its file."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def form_of(
    name: str,
    text: str,
    kind: type[ScoringError],
    value: str = "",
    identity: str = ID,
) -> Form:
    """The text in a form that is read: JSON Lines of what is one array of objects, a
    map of ids or a table of columns in JSON, and a table without the line `sep=;`.

    `identity` is what the ids are called, empty where there are none, and `value` the
    answers; without it a map of ids has objects. Lines keep their numbers where every
    record begins in one of its own. Raises `kind` for JSON that is meant as a whole and
    cannot be read.
    """
    first = text.partition("\n")[0]
    if separated := SEPARATOR_LINE.match(first):
        return _without_separator(text, first, separated[1])
    if TWICE.match(text) and _is_json_text(text):
        hint = MESSAGES("dump_once")
        raise kind(Problem("json", MESSAGES("twice"), name, 1, hint=hint))
    if not JSON.match(text):
        return Form(text)
    try:
        return _json(text, value, identity)
    except _Broken as broken:
        raise kind(replace(broken.problem, file=name)) from None
    except RecursionError:
        return Form(text)  # whose reader says so


def with_keys(text: str, value: str) -> str:
    """JSON Lines of lines that each begin with a key of their own, as Kaldi's `text`
    files do or with a tab behind it, or end with one in parentheses, as NIST's trn
    files do; empty for other texts. A key has a digit, and where a space follows it
    something else as well."""
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    if all(map(TRN.match, lines)):
        text = TRN.sub(r"\2 \1", text)
    rows, kaldi, tabs = [], True, True
    keys: dict[str, str] = {}
    for line in text.split("\n"):
        if line and not line.isspace():
            key, _space, rest = line.partition("\t" if tabs and "\t" in line else " ")
            tabs = tabs and line.count("\t") == 1 and bool(NUMBERED.fullmatch(key))
            kaldi = kaldi and "\t" not in line and bool(KEY.fullmatch(key))
            if not (tabs or kaldi):
                return ""
            row = {ID: key, value: rest.strip()}
            keys[key] = rest.strip()
            rows.append(json.dumps(row, ensure_ascii=False))
        else:
            rows.append("")
    filled = [row for row in rows if row]
    several = len(keys) == len(filled) > 1 and bool("".join(keys.values()))
    return "\n".join([*rows, ""]) if several else ""


def _without_separator(text: str, first: str, mark: str) -> Form:
    """The header in the place of the line `sep=`, and a blank line in its own."""
    header, _end, below = text[len(first) + 1 :].partition("\n")
    if mark not in header:
        return Form(text)
    if mark not in ",;\t":
        if "\t" in text or '"' in text:
            return Form(text)
        header, below = header.replace(mark, "\t"), below.replace(mark, "\t")
    example = first.strip().replace("\t", "\\t")
    return Form(f"{header}\n\n{below}", (MESSAGES("sep", line=example),))


def _is_json_text(text: str) -> bool:
    """Whether the whole is a text of JSON."""
    try:
        return isinstance(DECODER.decode(text), str)
    except (ValueError, RecursionError):
        return False


def _json(text: str, value: str, identity: str) -> Form:
    start = _after(text, 0)
    if PYTHON.match(text, start):
        number, hint = _line_at(text, start), MESSAGES("dump_it")
        raise _Broken(Problem("json", MESSAGES("of_python"), line=number, hint=hint))
    if text[start] == "[":
        return _array(text, start, value, identity)
    end = text.find("\n", start)
    line = text[start : end if end >= 0 else len(text)].rstrip()
    try:
        alone = DECODER.decode(line)
        pieces = [_Piece(alone, line, start)]
        if not isinstance(alone, dict) or text[start + len(line) :].strip():
            # JSON Lines, whatever is wrong in others
            return _of_pairs(text, start, alone, value, identity) or Form(text)
    except ValueError:
        try:
            pieces = [*_values(text, start)]
        except JSONDecodeError as error:
            if line.endswith(OPEN_END):
                raise _broken(error) from None
            return Form(text)
    if not all(isinstance(piece.value, dict) for piece in pieces):
        return Form(text)
    if len(pieces) == 1 and (form := _of_one(text, pieces[0], value, identity)):
        return form
    if SIGNAL in pieces[0].value or pieces[0].written == text.strip() == line:
        return Form(text)
    return _lines(text, pieces, MESSAGES("spread"))


def _of_pairs(
    text: str, start: int, first: Any, value: str, identity: str
) -> Form | None:
    """Records of objects that have an id and its answer each; None for others."""
    columns = {value.casefold(), identity.casefold()}
    if not (value and identity and isinstance(first, dict) and len(first) == 1):
        return None
    if columns & {name.casefold() for name in first}:
        return None
    array = text[start] == "["
    try:
        pieces = [*(_elements if array else _values)(text, start)]
    except JSONDecodeError:
        return None
    if not all(
        isinstance(piece.value, dict) and len(piece.value) == 1 for piece in pieces
    ):
        return None
    names = {name for piece in pieces for name in piece.value}
    if not 1 < len(names) == len(pieces):
        return None
    return _map(text, _all_members(text, pieces), identity, value, "pairs")


def _all_members(text: str, pieces: Sequence[_Piece]) -> Iterator[tuple[str, _Piece]]:
    """Names and values of all objects, one after the other."""
    return chain.from_iterable(_members(text, piece.start) for piece in pieces)


def _array(text: str, start: int, value: str, identity: str) -> Form:
    """Objects of one array. What only begins like one may be a line of text."""
    if not OBJECTS.match(text, start):
        try:
            values = DECODER.decode(text)
        except ValueError:
            return Form(text)
        problem = MESSAGES("of_others" if values else "empty_array")
        raise _Broken(Problem("json", problem, line=1, hint=MESSAGES("json_hint")))
    try:
        pieces = [*_elements(text, start)]
    except JSONDecodeError as error:
        raise _broken(error) from None
    for piece in pieces:
        if not isinstance(piece.value, dict):
            line = _line_at(text, piece.start)
            message = MESSAGES("of_others")
            raise _Broken(
                Problem("json", message, line=line, hint=MESSAGES("json_hint"))
            )
    first = pieces[0].value
    pairs = _of_pairs(text, start, first, value, identity)
    return pairs or _lines(text, pieces, MESSAGES("array"))


def _of_one(text: str, piece: _Piece, value: str, identity: str) -> Form | None:
    """Records of one object that stands for all of them; None for one record."""
    whole: dict[str, Any] = piece.value
    cells, names = [*whole.values()], {name.casefold() for name in whole}
    if not identity or not cells or SIGNAL in whole:
        return None
    if identity.casefold() in names:
        return _columns(whole, text) if len(whole) > 1 else None
    if f"{identity.casefold()}s" in names and (form := _columns(whole, text)):
        return form
    if {"columns", "data"} <= names:
        return _table(whole, text)
    lists = [name for name, cell in whole.items() if _are_records(cell, identity)]
    if len(lists) == 1:
        inner = dict(_members(text, piece.start))[lists[0]]
        remark = MESSAGES("member", name=lists[0][:SHOWN])
        return _lines(text, [*_elements(text, inner.start)], remark)
    if len(cells) == 1 and isinstance(cells[0], str) and cells[0].count("\n") > 1:
        name, hint = next(iter(whole))[:SHOWN], MESSAGES("write_text")
        message = MESSAGES("file_in_text", name=name)
        raise _Broken(Problem("json", message, line=1, hint=hint))
    within = [*cells[0].values()] if isinstance(cells[0], dict) else []
    around = len(within) > 1 or any(_are_records(cell, identity) for cell in within)
    if len(cells) == 1 and around:
        # One name around all, as of a map of ids or of columns.
        (_name, inner), *_none = _members(text, piece.start)
        if form := _of_one(text, inner, value, identity):
            return form
    if all(isinstance(cell, dict) for cell in cells):
        return _map(text, _members(text, piece.start), identity, "")
    plain = not any(isinstance(cell, dict) for cell in cells)
    if value and plain and value.casefold() not in names:
        return _map(text, _members(text, piece.start), identity, value)
    return None


def _are_records(cell: Any, identity: str) -> bool:
    return (
        isinstance(cell, list)
        and bool(cell)
        and all(isinstance(record, dict) and identity in record for record in cell)
    )


def _columns(whole: Mapping[str, Any], text: str) -> Form | None:
    """A table by columns, as pandas writes one: lists, or objects of the same names."""
    cells = [*whole.values()]
    if all(isinstance(cell, dict) for cell in cells):
        if len({tuple(cell) for cell in cells}) > 1:
            return None
        cells = [[*cell.values()] for cell in cells]
    if not all(isinstance(cell, list) for cell in cells):
        return None
    if len({len(cell) for cell in cells}) > 1 or not cells[0]:
        return None
    rows = [dict(zip(whole, row, strict=True)) for row in zip(*cells, strict=True)]
    return _of_rows(text, rows)


def _table(whole: Mapping[str, Any], text: str) -> Form | None:
    """A table by rows, as pandas splits one: names of columns, and lists of cells."""
    columns, data = whole.get("columns"), whole.get("data")
    if not isinstance(columns, list) or not isinstance(data, list) or not data:
        return None
    if not all(isinstance(row, list) and len(row) == len(columns) for row in data):
        return None
    header = [str(name) for name in columns]
    return _of_rows(text, [dict(zip(header, row, strict=True)) for row in data])


def _of_rows(text: str, rows: Sequence[Mapping[str, Any]]) -> Form:
    pieces = [_Piece(row, json.dumps(row, ensure_ascii=False), 0) for row in rows]
    return _lines(text, pieces, MESSAGES("columns"))


def _map(
    text: str,
    members: Iterator[tuple[str, _Piece]],
    identity: str,
    value: str,
    told: str = "map",
) -> Form:
    """A record for each name: the object it stands for, or one with its answer."""
    records, first = [], dict[str, int]()
    key = json.dumps(identity, ensure_ascii=False)
    for name, piece in members:
        if name in first:
            about = {"id": name[:SHOWN], "line": _line_at(text, first[name])}
            message, hint = MESSAGES("repeated_key", **about), MESSAGES("each_id_once")
            line = _line_at(text, piece.start)
            raise _Broken(Problem("repeated_id", message, line=line, hint=hint))
        first[name] = piece.start
        own = json.dumps(name, ensure_ascii=False)
        inside = f"{json.dumps(value, ensure_ascii=False)}: {piece.written}"
        if not value:
            inside = piece.written[1:-1].strip()
            if identity in piece.value:
                own, inside = "", inside
        pairs = [f"{key}: {own}"] * bool(own) + [inside] * bool(inside)
        records.append(_Piece(None, "{" + ", ".join(pairs) + "}", piece.start))
    return _lines(text, records, MESSAGES(told))


def _lines(text: str, pieces: Sequence[_Piece], remark: str) -> Form:
    """JSON Lines of these objects, each in the line it begins in as far as it goes."""
    written: list[str] = []
    place, line = 0, 0
    for piece in pieces:
        line += text.count("\n", place, piece.start)
        place = max(place, piece.start)
        written += [""] * (line - len(written))
        written.append(piece.written.replace("\n", " "))
    return Form("\n".join([*written, ""]), (remark,))


def _broken(error: JSONDecodeError) -> _Broken:
    message = MESSAGES("no_json", error=json_error(error))
    hint = MESSAGES("json_hint")
    return _Broken(Problem("json", message, "", error.lineno, error.colno, "", hint))


def _values(text: str, place: int) -> Iterator[_Piece]:
    """Values one after the other, with or without commas between them."""
    while place < len(text):
        value, end = DECODER.raw_decode(text, place)
        yield _Piece(value, text[place:end], place)
        place = _after(text, end)
        if text.startswith(",", place):
            place = _after(text, place + 1)


def _elements(text: str, start: int) -> Iterator[_Piece]:
    """Elements of the array that begins there; nothing but space may follow it, or the
    rest of what it is in."""
    place = _after(text, start + 1)
    while True:
        value, end = DECODER.raw_decode(text, place)
        yield _Piece(value, text[place:end], place)
        place = _after(text, end)
        if text.startswith("]", place):
            break
        if not text.startswith(",", place):
            raise JSONDecodeError("Expecting ',' delimiter", text, place)
        place = _after(text, place + 1)
    rest = _after(text, place + 1)
    if start == _after(text, 0) and rest < len(text):
        raise JSONDecodeError("Extra data", text, rest)


def _members(text: str, start: int) -> Iterator[tuple[str, _Piece]]:
    """Names and values of the object that begins there, which is known to be one."""
    place = _after(text, start + 1)
    while not text.startswith("}", place):
        name, end = DECODER.raw_decode(text, place)
        place = _after(text, _after(text, end) + 1)
        value, end = DECODER.raw_decode(text, place)
        yield name, _Piece(value, text[place:end], place)
        place = _after(text, end)
        place = _after(text, place + 1) if text.startswith(",", place) else place


def _after(text: str, place: int) -> int:
    """The place behind the white space that begins there."""
    return SPACE.match(text, place).end()  # type: ignore[union-attr]


def _line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
