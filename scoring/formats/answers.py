"""Answers by id: a file of records with an `id` and an answer for each item.

Scorers of labels, numbers and texts share it. A file is CSV, TSV or JSON Lines
(`scoring.formats.records`), or, where the layout allows it, plain text with an answer a
line, whose items are then called by their line numbers. Gold may hold several answers
for one item: a list in JSON Lines, parts of a cell, columns `text`, `text.2`, `text.3`
(or `text2`, `text3`), or several records with the same id. Its further columns may name
groups of items.
"""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from random import Random
from typing import Any

import numpy as np

from scoring.answered import Answered
from scoring.counts import Integers
from scoring.errors import Findings, Problem, Refused, ScoringError, SetupError
from scoring.formats import records
from scoring.formats.codes import Coded
from scoring.formats.numerals import COMMA, is_number
from scoring.formats.records import NotFinite, Number, Records, some_names, text_in
from scoring.formats.text_forms import KEY
from scoring.messages import Messages, _
from scoring.options import Option, Options
from scoring.picks import (
    Guess,
    Spoil,
    each_file,
    each_published_file,
    other_than,
    some,
)
from scoring.source import (
    NUL,
    SAVE_UTF8,
    Source,
    brief,
    decode,
    list_names,
    text_of,
)

MESSAGES = Messages(
    both=_("%(first)s or %(second)s"),
    missing_id=_("%(count)s of %(all)s items has no answer: %(ids)s."),
    missing_ids=_("%(count)s of %(all)s items have no answer: %(ids)s."),
    no_record=_("the file has no record below its first line."),
    most_lines=_("more than %(most)s lines"),
    empty_line=_("the line is empty."),
    no_column=_("no column %(column)s found; there are: %(columns)s."),
    no_optional_column=_("no column '%(column)s' found (option %(option)s)."),
    columns=_("There are: %(columns)s."),
    column_in_use=_("column '%(column)s' cannot be one of the %(option)s."),
    write_objects=_('Write one object a line: {"%(id)s": "...", "%(answer)s": "..."}.'),
    name_columns=_("Begin the file with a line that names the columns: %(columns)s"),
    fill_columns=_("Give every item a value in each of these columns: %(columns)s"),
    no_id=_("the record has no id."),
    long_id=_("the id is longer than %(most)s characters."),
    odd_id=_("the id '%(id)s' holds a character that cannot be seen."),
    odd_list=_("the list '%(answer)s' holds more than texts."),
    missing_answer=_("'%(answer)s' is missing."),
    not_finite=_("'%(answer)s' is %(text)s, which is no answer."),
    no_text=_("'%(answer)s' is a list or an object; expected a text."),
    write_text=_('Write the answer alone: "%(answer)s": "...".'),
    empty_answer=_("'%(answer)s' is empty."),
    repeated_id=_("id '%(id)s' stands in line %(line)s already."),
    each_id_once=_("Give each id once."),
    no_names=_("the first line is a row already: the columns have no names."),
    names_again=_("the names of the columns stand here a second time."),
    take_line_out=_("Take this line out: files were joined with theirs."),
    lines=_("expected %(expected)s lines, found %(count)s."),
    one_line_each=_("Write one answer for each line of the input file."),
    known_ids=_("Answer the ids of the input file, and no others."),
    unknown_id=_("there is no item '%(id)s'."),
    answer_all=_("Answer every id of the input file."),
    no_answers=_("no answers found"),
)

# Notes what a scorer finds wrong with the answers of a file, beside what is found here.
Note = Callable[["Answers", Findings], None]

ID = "id"
LONGEST_ID = 200
SHOWN_IDS = 5
NOBODY = -1
# Codes of records that cannot be read: what they answer would be missing.
BROKEN = frozenset(("columns", "csv", "json"))
GROUPS = ("document", "genre", "language")
JSON_OBJECT = re.compile(r'\s*\{\s*["}]')
INTEGER = re.compile(r"-?[0-9]+")
DIGITS = re.compile(r"[0-9]+")
NUMBERED = re.compile(r"\S*[0-9]\S*")
LEAST_ROWS = 3
JSON_WORDS = {True: "true", False: "false"}

GROUPS_OPTION = Option(
    "groups",
    "columns of the gold that name groups of items, shown as slices; 'document' is "
    "also a unit",
    "list",
    GROUPS,
)
INPUTS_OPTION = Option(
    "inputs", "columns of the gold that the input file shows beside the id", "list"
)


@dataclass(frozen=True)
class Layout:
    """Columns of the files of a scorer.

    `answer` is the answer's column. `several`: an item may have several answers, which
    `separator`, if any, parts within a cell. `empty`: an answer may be an empty text.
    `plain`: a file may also be text with an answer a line. `inputs` and `groups` are
    further columns of the gold: published, and naming groups of items. `columns` are
    further ones that a file must have, whose cells are kept as they are. `labels` are
    those that numbers and truth values of JSON may stand for.
    """

    answer: str
    several: bool = False
    separator: str = ""
    empty: bool = False
    plain: bool = False
    inputs: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def header(self) -> str:
        return f"{ID},{self.answer}"

    def of(self, options: Options) -> "Layout":
        """This layout with the columns that the options `inputs` and `groups` name."""
        return replace(self, inputs=options["inputs"], groups=options["groups"])


@dataclass(frozen=True)
class Answers:
    """Items (n,) of one file and their answers (a,).

    `sizes` (n,) say how many answers each item has, `texts` are the answers of all
    items in a row; `lines` (n,) the line that each item begins in. `groups` give each
    item's label by grouping, `inputs` what was asked, where the file shows it, `cells`
    those of the layout's `columns`. With `plain` the ids are numbers of lines, with
    `keyed` their first words. `unused` are the columns of a table that nothing was read
    from.
    """

    name: str
    ids: Sequence[str]
    lines: Integers
    texts: list[str]
    sizes: Integers
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    plain: bool = False
    cells: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    keyed: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def item_of(self) -> Integers:
        """The item of each answer (a,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def firsts(self) -> Integers:
        """The place of each item's first answer (n,)."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def coded(self) -> Coded:
        """The answers as numbers (a,) of distinct texts, in order of appearance."""
        places = {text: i for i, text in enumerate(dict.fromkeys(self.texts))}
        codes = map(places.__getitem__, self.texts)
        return Coded(np.fromiter(codes, np.int64, len(self.texts)), list(places))

    def of_item(self, item: int) -> list[str]:
        """The answers of one item."""
        first = int(self.firsts[item])
        return self.texts[first : first + int(self.sizes[item])]

    def unit_of(self, answer: int) -> str:
        """The id of the item of this answer, as messages print it."""
        return brief(self.ids[int(self.item_of[answer])])

    def inputs_of(self, item: int) -> tuple[str, ...]:
        """The cells of one item that the input file shows."""
        return tuple(cells[item] for cells in self.inputs.values())

    def line_of(self, answer: int) -> int:
        """The line in which the item of this answer begins."""
        return int(self.lines[self.item_of[answer]])

    def at(self, rows: Integers) -> "Answers":
        """The items of these rows, without groups and inputs."""
        if np.array_equal(rows, np.arange(len(self))):
            return self
        chosen: list[int] = rows.tolist()
        if bool((self.sizes == 1).all()):
            texts = [self.texts[row] for row in chosen]
        else:
            texts = [text for row in chosen for text in self.of_item(row)]
        ids = [self.ids[row] for row in chosen]
        cells = {n: [own[row] for row in chosen] for n, own in self.cells.items()}
        sizes = self.sizes[rows]
        return Answers(self.name, ids, self.lines[rows], texts, sizes, cells=cells)


def read_gold(source: Source, layout: Layout, note: Note | None = None) -> Answers:
    """The gold's answers, with groups and inputs. Raises SetupError with every line
    that is wrong, and for a column that was named and is not there."""
    return _read(source, layout, SetupError, gold=True, note=note)


def read_blind(source: Source, layout: Layout) -> Answers:
    """The ids of the published file, whose answers are not looked at. Raises
    SetupError."""
    bare = replace(layout, answer="", groups=(), inputs=())
    return _read(source, bare, SetupError, gold=False)


def read_system(
    source: Source, layout: Layout, gold: Answers, *, note: Note | None = None
) -> Answers:
    """A system's answers in the order of gold or blind file. `note` adds what is wrong
    with the answers themselves. Raises Refused with every line that is wrong, and for
    items without an answer."""
    # Lines of text have no ids to match those of a table.
    plain = layout.plain and gold.plain
    alone = replace(layout, groups=(), inputs=(), plain=plain)
    findings = Findings(source.name)
    answers = _collect(source, alone, findings, Refused, known=gold.ids)
    if note is not None:
        note(answers, findings)
    rows = _rows(answers, gold, findings)
    findings.raise_if_any(Refused)
    return answers.at(rows)


def _read(
    source: Source,
    layout: Layout,
    kind: type[ScoringError],
    *,
    gold: bool,
    note: Note | None = None,
) -> Answers:
    findings = Findings(source.name)
    answers = _collect(source, layout, findings, kind, gold=gold)
    if note is not None:
        note(answers, findings)
    findings.raise_if_any(kind)
    return answers


def _collect(
    source: Source,
    layout: Layout,
    findings: Findings,
    kind: type[ScoringError],
    *,
    gold: bool = False,
    known: Sequence[str] = (),
) -> Answers:
    """Items of a file; ids that are just the `known` ones need no further look."""
    if layout.plain and is_plain(source, kind):
        return _plain(source, layout, findings, kind, gold=gold)
    table = records.read(source, findings, kind)
    places = _columns(table, layout, findings, gold=gold)
    if places is None:
        raise kind(findings.problems)
    items = _items(table, places, layout, findings)
    if items.ids == known:
        return items
    _note_odd_ids(items, findings)
    if gold and places.id in items.ids and places.answers:
        row = items.ids.index(places.id)
        if table.columns[places.answers[0]][row] == places.answers[0]:
            text, hint = MESSAGES("names_again"), MESSAGES("take_line_out")
            findings.add("columns", text, line=int(items.lines[row]), hint=hint)
    read = {places.id, *places.answers, *places.inputs.values()}
    read |= {*places.groups.values()}
    read |= {table.called(name) or name for name in layout.columns}
    unused = tuple(name for name in table.columns if name and name not in read)
    items = replace(_merge_records(items, layout, findings), unused=unused)
    if not len(items) and not findings.problems:
        message = MESSAGES("no_record")
        findings.add("empty_file", message)
    return items


def count_answers(asked: Answers, given: Answers) -> Answered:
    """How the items are answered with one text each."""
    return Answered.of_texts(given.texts, {**asked.inputs, ID: asked.ids})


def is_plain(source: Source, kind: type[ScoringError] = Refused) -> bool:
    """Whether a file is text with an answer a line: neither JSON Lines nor a table
    whose first line names an `id`. A text may well begin with a bracket."""
    text = text_of(source, kind)
    if JSON_OBJECT.match(text):
        return False
    delimiter = records.delimiter_of(text)
    header = text.split("\n", 1)[0].split(delimiter)
    return ID not in (name.strip().strip('"').lower() for name in header)


def _plain(
    source: Source,
    layout: Layout,
    findings: Findings,
    kind: type[ScoringError],
    *,
    gold: bool = False,
) -> Answers:
    text = text_of(source, kind)
    lines = text.removesuffix("\n").split("\n")
    if gold and _are_rows(lines):
        hint = MESSAGES("name_columns", columns=layout.header)
        raise kind(Problem("header", MESSAGES("no_names"), source.name, 1, hint=hint))
    if len(lines) > records.MOST_RECORDS:
        message = MESSAGES("most_lines", most=records.MOST_RECORDS)
        raise kind(Problem("size", message, source.name))
    for number, line in enumerate(lines, 1):
        if not line.strip() and layout.answer and not layout.empty:
            findings.add("answer", MESSAGES("empty_line"), line=number)
        elif "\0" in line:
            findings.add("encoding", NUL, line=number, hint=SAVE_UTF8)
    rows = np.arange(len(lines), dtype=np.int64)
    ids = [f"{number:06d}" for number in range(1, len(lines) + 1)]
    ones = np.ones_like(rows)
    return Answers(source.name, ids, rows + 1, lines, ones, plain=True)


def _are_rows(lines: Sequence[str]) -> bool:
    """Whether lines are the rows of a table, each with an id of its own, a digit in
    it."""
    mark = next((mark for mark in records.DELIMITERS if mark in lines[0]), "")
    if not mark or len(lines) < LEAST_ROWS:
        return False
    try:
        rows = [*csv.reader(lines, delimiter=mark)]
    except csv.Error:
        return False
    width = len(rows[0])
    # Two whole numbers are one with a decimal comma.
    commas = width == 2 and mark == "," and all(map(COMMA.fullmatch, lines))
    if len(rows) != len(lines) or {*map(len, rows)} != {width} or commas:
        return False
    first, *others = zip(*rows, strict=True)
    first = tuple(map(str.strip, first))
    # In prose a space follows a comma.
    return _are_ids(first, NUMBERED) or any(_are_ids(own, KEY) for own in others)


def _are_ids(cells: Sequence[str], form: re.Pattern[str]) -> bool:
    """Whether cells are of this form, and no two are the same."""
    return len({*cells}) == len(cells) and all(map(form.fullmatch, cells))


def _is_row(table: Records) -> bool:
    """Whether one of the names of the columns is an id like those below it."""
    if not table.delimiter or not len(table):
        return False
    first, *others = table.columns.items()
    return _is_id(*first, NUMBERED) or any(_is_id(*own, KEY) for own in others)


def _is_id(name: str, cells: Sequence[str], form: re.Pattern[str]) -> bool:
    """Whether a name is of this form and like the cells below it."""
    shape = DIGITS.sub("0", name)
    alike = all(shape == DIGITS.sub("0", cell) for cell in cells)
    return bool(form.fullmatch(name)) and alike and name not in cells


@dataclass(frozen=True)
class _Places:
    """Columns that are read: of the id, the answers, inputs and groups."""

    id: str
    answers: tuple[str, ...]
    inputs: Mapping[str, str]
    groups: Mapping[str, str]


def _columns(
    table: Records, layout: Layout, findings: Findings, *, gold: bool
) -> _Places | None:
    """Places of the layout's columns; None where the file lacks one it must have."""
    wanted = [name for name in (ID, layout.answer, *layout.columns) if name]
    line = None if table.kind == "jsonl" else 1
    missing = [name for name in wanted if table.called(name) is None]
    if missing and findings.problems and not table.columns:
        return None  # lines that are no objects
    if missing:
        quoted = [f"'{name}'" for name in missing]
        lacking = quoted[0]
        if len(quoted) > 1:
            lacking = MESSAGES("both", first=quoted[0], second=quoted[1])
        message = MESSAGES(
            "no_column", column=lacking, columns=some_names(list(table.columns))
        )
        if gold and ID in missing and _is_row(table):
            message = MESSAGES("no_names")
        findings.add("header", message, line=line, hint=_header_hint(table, layout))
        return None
    answers = [table.called(layout.answer)] if layout.answer else []
    while gold and layout.several and answers:
        number = len(answers) + 1
        more = table.called(f"{layout.answer}.{number}")
        more = more or table.called(f"{layout.answer}{number}")
        if more is None:
            break
        answers.append(more)
    further = {}
    for kind, names, default in (
        ("inputs", layout.inputs, ()),
        ("groups", layout.groups, GROUPS),
    ):
        there = {name: table.called(name) for name in names}
        further[kind] = {name: own for name, own in there.items() if own is not None}
        for name in names:
            if name not in further[kind] and name not in default:
                message = MESSAGES(
                    "no_optional_column", column=brief(name), option=kind
                )
                hint = MESSAGES("columns", columns=some_names(list(table.columns)))
                findings.add("header", message, line=line, hint=hint)
            elif further[kind].get(name) in (*answers, table.called(ID)):
                message = MESSAGES("column_in_use", column=brief(name), option=kind)
                findings.add("header", message, line=line)
                del further[kind][name]
    identity = table.called(ID) or ID
    if not (gold or layout.answer or layout.inputs):
        # All that a published file shows beside the ids is what was asked.
        further["inputs"] = {n: n for n in table.columns if n != identity}
    return _Places(identity, tuple(a for a in answers if a), **further)


def _header_hint(table: Records, layout: Layout) -> str:
    answers = [name for name in (layout.answer, *layout.columns) if name]
    if table.kind == "jsonl":
        return MESSAGES("write_objects", id=ID, answer="".join(answers[:1]))
    some = any(map(table.called, (ID, *answers)))
    names = ",".join([ID, *answers])
    return MESSAGES("fill_columns" if some else "name_columns", columns=names)


def _items(
    table: Records, places: _Places, layout: Layout, findings: Findings
) -> Answers:
    """One item per record, as they stand in the file."""
    ids = list(table.columns[places.id])
    if not table.trimmed:
        ids = [*map(str.strip if table.delimiter else text_in, ids)]
    texts, sizes = _answers(table, places, layout, findings)
    groups = {
        name: tuple(_label(cell) for cell in table.columns[own])
        for name, own in places.groups.items()
    }
    inputs = {
        name: [_label(cell) for cell in table.columns[own]]
        for name, own in places.inputs.items()
    }
    cells = {
        name: [*map(_label, table.columns[table.called(name) or name])]
        for name in layout.columns
    }
    items = Answers(table.name, ids, table.lines, texts, sizes, groups, inputs)
    return replace(items, cells=cells)


def _note_odd_ids(answers: Answers, findings: Findings) -> None:
    """Note ids that are none, very long or not printable."""
    ids = answers.ids
    if (
        all(ids)
        and max(map(len, ids), default=0) <= LONGEST_ID
        and "".join(ids).isprintable()
    ):
        return
    for text, line in zip(ids, answers.lines.tolist(), strict=True):
        if not text:
            findings.add("id", MESSAGES("no_id"), line=line)
        elif len(text) > LONGEST_ID:
            message = MESSAGES("long_id", most=LONGEST_ID)
            findings.add("id", message, line=line)
        elif not text.isprintable():
            message = MESSAGES("odd_id", id=brief(text))
            findings.add("id", message, line=line)


def _label(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.strip()
    if cell is None:
        return ""
    return JSON_WORDS.get(cell, "") if isinstance(cell, bool) else str(cell)


def _answers(
    table: Records, places: _Places, layout: Layout, findings: Findings
) -> tuple[list[str], Integers]:
    """The answers of all records in a row, and how many each has."""
    columns = [table.columns[name] for name in places.answers]
    if not columns:
        return [], np.zeros(len(table), dtype=np.int64)
    if layout.labels and not table.delimiter:
        columns = [_by_value(column, layout.labels) for column in columns]
    if len(columns) == 1 and not layout.separator:
        only = columns[0]
        plain = bool(table.delimiter) or set(map(type, only)) <= {str, Number}
        filled = only if table.trimmed else map(str.strip, only)
        if plain and (layout.empty or all(filled)):
            return list(only), np.ones(len(table), dtype=np.int64)
    texts: list[str] = []
    sizes = []
    for line, *cells in zip(table.lines.tolist(), *columns, strict=True):
        own = _of_record(cells, table, layout, line, findings)
        texts += own
        sizes.append(len(own))
    return texts, np.array(sizes, dtype=np.int64)


def _by_value(column: Sequence[Any], labels: Sequence[str]) -> Sequence[Any]:
    """Cells of JSON: a number or a truth value that is none of the labels becomes the
    label of the same value, as JSON has one 1 and one true in many spellings."""
    if set(map(type, column)) == {str} and set(labels).issuperset(column):
        return column
    last_first = sorted(labels, reverse=True)
    words: dict[Any, str] = {label.casefold(): label for label in last_first}
    words |= {float(label): label for label in last_first if is_number(label)}
    words |= {label: label for label in labels}

    def meant(cell: Any) -> Any:
        if isinstance(cell, list):
            return [meant(part) for part in cell]
        if isinstance(cell, bool):
            return words.get(JSON_WORDS[cell], cell)
        if isinstance(cell, Number) or (
            isinstance(cell, str) and INTEGER.fullmatch(cell)
        ):
            return words.get(cell, words.get(float(cell), cell))
        return cell

    return [meant(cell) for cell in column]


def _of_record(
    cells: Sequence[Any],
    table: Records,
    layout: Layout,
    line: int,
    findings: Findings,
) -> list[str]:
    texts: list[str] = []
    for place, cell in enumerate(cells):
        if isinstance(cell, bool):
            texts.append(JSON_WORDS[cell])
        elif isinstance(cell, NotFinite) and not place:
            message = MESSAGES("not_finite", answer=layout.answer, text=cell)
            findings.add("answer", message, line=line)
            return [""]
        elif isinstance(cell, str):
            texts += _parts(cell, layout)
        elif isinstance(cell, list) and layout.several:
            if all(isinstance(part, str) for part in cell):
                texts += cell
            else:
                message = MESSAGES("odd_list", answer=layout.answer)
                findings.add("answer", message, line=line)
        elif cell is not None or not place:
            message, hint = MESSAGES("missing_answer", answer=layout.answer), ""
            if cell is not None:
                message = MESSAGES("no_text", answer=layout.answer)
                hint = MESSAGES("write_text", answer=layout.answer)
            findings.add("answer", message, line=line, hint=hint)
            return [""]
    # Columns after the first may be empty: not every item has as many answers.
    texts = [text for i, text in enumerate(texts) if not i or text.strip()]
    none_at_all = layout.several and not texts
    if not (layout.empty or none_at_all or all(text.strip() for text in texts)):
        findings.add(
            "answer", MESSAGES("empty_answer", answer=layout.answer), line=line
        )
    return texts


def _parts(cell: str, layout: Layout) -> list[str]:
    if not layout.separator:
        return [cell]
    parts = (part.strip() for part in cell.split(layout.separator))
    return [part for part in parts if part]


def _merge_records(answers: Answers, layout: Layout, findings: Findings) -> Answers:
    """Records with the same id as one item where items may have several answers,
    else noted as doubles."""
    if len(set(answers.ids)) == len(answers):
        return answers
    first: dict[str, int] = {}
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(answers.ids):
        rows.setdefault(name, []).append(row)
        if first.setdefault(name, row) != row and name and not layout.several:
            line, before = int(answers.lines[row]), int(answers.lines[first[name]])
            message = MESSAGES("repeated_id", id=brief(name), line=before)
            hint = MESSAGES("each_id_once")
            findings.add("repeated_id", message, line=line, unit=brief(name), hint=hint)
    kept = np.array(list(first.values()), dtype=np.int64)
    texts, sizes = [], []
    for name in first:
        own = [text for row in rows[name] for text in answers.of_item(row)]
        texts += own
        sizes.append(len(own))
    return Answers(
        answers.name,
        list(first),
        answers.lines[kept],
        texts,
        np.array(sizes, dtype=np.int64),
        {
            name: tuple(labels[row] for row in kept.tolist())
            for name, labels in answers.groups.items()
        },
        {
            name: [cells[row] for row in kept.tolist()]
            for name, cells in answers.inputs.items()
        },
        cells={n: [own[row] for row in kept] for n, own in answers.cells.items()},
    )


def _rows(answers: Answers, gold: Answers, findings: Findings) -> Integers:
    """The record of each item of the gold, NOBODY where there is none."""
    if answers.ids == gold.ids:
        return np.arange(len(gold))
    if answers.plain and gold.plain:
        message = MESSAGES("lines", expected=len(gold), count=len(answers))
        hint = MESSAGES("one_line_each")
        findings.add("lines", message, hint=hint)
        return np.zeros(0, dtype=np.int64)
    places = dict(zip(answers.ids, range(len(answers)), strict=True))
    rows = np.fromiter(map(places.get, gold.ids, repeat(NOBODY)), np.int64, len(gold))
    if not BROKEN & {problem.code for problem in findings.problems}:
        _note_missing(rows, gold, findings)
    if int((rows != NOBODY).sum()) < len(places):
        known = set(gold.ids)
        hint = MESSAGES("known_ids")
        for name, line in zip(answers.ids, answers.lines.tolist(), strict=True):
            if name and name not in known:
                message = MESSAGES("unknown_id", id=brief(name))
                findings.add(
                    "unknown_id", message, line=line, unit=brief(name), hint=hint
                )
    return rows


def _note_missing(rows: Integers, gold: Answers, findings: Findings) -> None:
    lacking = np.flatnonzero(rows == NOBODY).tolist()
    if not lacking:
        return
    message = MESSAGES(
        "missing_id" if len(lacking) == 1 else "missing_ids",
        count=len(lacking),
        all=len(gold),
        ids=list_names([gold.ids[row] for row in lacking], SHOWN_IDS),
    )
    hint = MESSAGES("answer_all")
    findings.add("missing_id", message, unit=brief(gold.ids[lacking[0]]), hint=hint)


def blind(gold: Source, layout: Layout) -> Source:
    """The published file: the ids and the columns of `layout.inputs`, in the gold's
    own format. Raises SetupError where the gold cannot be read."""
    answers = read_gold(gold, layout)
    if layout.plain and is_plain(gold, SetupError):
        text = "".join(f"{number}\n" for number in range(1, len(answers) + 1))
        return Source.of_bytes(gold.name, text.encode())
    return records.rewrite(gold, {ID: answers.ids, **answers.inputs}, SetupError)


def blinder(layout: Layout) -> Callable[[Source, Options], Source]:
    """Function that makes the published file: ids and inputs."""
    return lambda gold, options: blind(gold, layout.of(options))


def guesser(layout: Layout, answer: Callable[[str], str]) -> Guess:
    """Function that makes an example submission; `answer` gives the text for an id."""
    return each_published_file(
        lambda source, _options: guess_text(source, layout, answer)
    )


def guess(
    files: Mapping[str, bytes], layout: Layout, answer: Callable[[str], str]
) -> dict[str, bytes]:
    """An example submission in the format of the blind file, for plug-ins; `answer`
    gives the text for each id."""
    return guesser(layout, answer)(files, {})


def guess_text(source: Source, layout: Layout, answer: Callable[[str], str]) -> str:
    """Answers to all ids of the blind file, in its format."""
    if layout.plain and is_plain(source):
        ids = _read(source, layout, Refused, gold=False).ids
        return "".join(f"{answer(name)}\n" for name in ids)
    bare = replace(layout, answer="", inputs=(), groups=())
    ids = _read(source, bare, Refused, gold=False).ids
    delimiter = records.read(source, Findings(source.name), Refused).delimiter
    columns = {ID: ids, layout.answer: [*map(answer, ids)]}
    return records.write(columns, delimiter)


def spoiler(layout: Layout) -> Spoil:
    """Function that copies gold, ids and answers only, and gives a share of the items
    another item's answer."""

    @each_file
    def spoil(text: str, share: float, random: Random) -> str:
        source = Source.of_bytes("", text.encode())
        if layout.plain and is_plain(source):
            lines = decode("", source.single()).removesuffix("\n").split("\n")
            known = sorted(set(lines))
            for row in some(range(len(lines)), share, random):
                lines[row] = other_than(lines[row], known, random)
            return "".join(f"{line}\n" for line in lines)
        table = records.read(source, Findings(""), Refused)
        ids, column = table.called(ID), table.called(layout.answer)
        if ids is None or column is None:
            raise Refused(Problem("header", MESSAGES("no_answers")))
        cells = list(table.columns[column])
        known = sorted({cell for cell in cells if isinstance(cell, str)})
        lists = sorted(map(list, {tuple(c) for c in cells if isinstance(c, list)}))
        for row in some(range(len(cells)), share, random):
            own = cells[row]
            if isinstance(own, str):
                cells[row] = other_than(own, known, random)
            elif lists:
                cells[row] = other_than(own, lists, random)
        columns = {ID: table.columns[ids], layout.answer: cells}
        return records.write(columns, table.delimiter)

    return spoil


def spoil(
    texts: Mapping[str, str], share: float, random: Random, layout: Layout
) -> dict[str, str]:
    """Copies of gold in which a share of the answers is wrong, for plug-ins: ids and
    answers only."""
    return spoiler(layout)(texts, share, random)
