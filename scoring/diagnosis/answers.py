"""Looks at what was answered: columns, labels, numbers and tags."""

import csv
import json
import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import permutations
from operator import eq

from scoring.answered import is_not_there
from scoring.diagnosis.refused_file import RefusedFile
from scoring.errors import Problem
from scoring.picks import likely
from scoring.source import brief
from scoring.spellings import meant_by

SLIPS = 10  # answers for each that may be one
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
KEYED_NUMBER = re.compile(rf"\S*[^\s.,][\t ,;:]+{NUMBER.pattern}")
FIRST_LINES = 20
FIRST_IDS, TEXT, LONGEST_ID = 3, "text", 200
SHORT_LINE, LONG_LINE, LONG_HEAD = 20, 100, 4000
LEAST_SPACES = 3  # of a sentence, and not of a name
# What is told of shares that do not add up, and what shares look like.
ALONE, SHARE = frozenset(("sum", "more_problems")), re.compile(r"[01]?\.\d+|[01]")
LEAST_NAMES = 2  # of an id and its answer
# What says whether an item has the label of a column.
YES_OR_NO = frozenset(("", "x", "yes", "no", "y", "n", "true", "false"))
MARKUP = re.compile(r"</?[A-Za-z][^<>]{,80}>")
# What stands in a column that nobody has filled in.
NOTHING = frozenset(("", "_", "-", "*", "?", "none", "null", "nan", "n/a", "-1"))
# Columns of CoNLL-U behind HEAD.
BEHIND = ("DEPREL", "DEPS", "MISC")
HEAD_AND_RELATION = re.compile(r"\d+\W[^\W\d]\S*")
# Letters of another alphabet that look like Latin ones.
ALIKE = dict(
    zip(
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455"
        "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425",
        "aeopcyxijsABEKMHOPCTX",
        strict=True,
    )
)
LATIN = {ord(other): letter for other, letter in ALIKE.items()}
# Between the parts of an id, and names of columns for several runs.
BETWEEN_PARTS = ("-", "_", ".", ":", "/", "#", "")
SEVERAL_CELLS = re.compile(r"[^\s,;][\s,;]+[^\s,;]")
OF_RUNS = re.compile(r"(.*?[^\W\d])[ _.-]?\d{1,4}")
WHOLE = re.compile(r"-?\d+")
COMMA = re.compile(r"[+-]?\d*(?:[. '\u2019\u00a0\u202f]\d{3})*,\d+(?:[eE][+-]?\d+)?")
THOUSANDS = re.compile(
    r"[+-]?[1-9]\d{,2}(?:(?P<mark>[, '\u2019\u00a0\u202f])\d{3})+(?:\.\d+)?"
)
PARTING = re.compile(r"[. '\u2019\u00a0\u202f]")
# Dashes and letters that look like signs of a number.
SIGNS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"), "-")
SIGNS |= dict.fromkeys(map(ord, "Oo\u041e\u043e\u039f"), "0")
SIGNS |= dict.fromkeys(map(ord, "lI\u0406"), "1") | {0x0417: "3"}
DECIMAL_HEAD = re.compile(r"\d{1,9}\.0*")
PREFIXES = {"iob1": "BI", "iob2": "BI", "any": "BIESLU", "bioes": "BIESLU"}
SCHEMES = {"iob1": "IOB1 (B-, I-)", "iob2": "IOB2 (B-, I-)"}


def late_header(case: RefusedFile) -> Problem | None:
    """The names of the columns below something else, such as what a program printed."""
    wanted = {case.column_name(column).lower() for column in case.blind.columns}
    unread = case.codes & {"header", "columns", "json"} or case.system.kind == "line"
    if not wanted or not unread:
        return None
    for number, line in enumerate(case.head.splitlines()[:FIRST_LINES], 1):
        named = {cell.strip().lower() for cell in re.split(r"[\t,;]", line)}
        if wanted <= named:
            late = case.says("late_header", "take_out_above", line=number)
            return late if number > 1 else None
    return None


def glued_header(case: RefusedFile) -> Problem | None:
    """The names of the columns and the first answer in one line."""
    first = case.head.partition("\n")[0]
    columns = [case.column_name(column) for column in case.blind.columns]
    for mark in "\t,;":
        names = mark.join(columns)
        rest = first[len(names) :].lstrip(' "')
        begins = bool(columns) and first[: len(names)].lower() == names.lower()
        cells = rest.split(mark)
        id_of = " ".join(cells[: len(columns) - 1])
        if begins and len(cells) >= len(columns) and id_of in {*case.blind.names}:
            return case.says("glued_header", "line_each", found=brief(first, 40))
    return None


def goes_on(case: RefusedFile) -> Problem | None:
    """Texts that go on in lines of their own: every item begins a line, and other lines
    do not."""
    ids, lines = {*case.blind.names}, case.head.split("\n")[1:]
    mark = next((mark for mark in "\t,;" if mark in case.head.partition("\n")[0]), "")
    quoted = '"' in case.head and mark != "\t"
    broken = case.codes & {"columns", "csv"} and mark and not quoted
    if case.blind.kind != "item" or not broken or not case.system.header:
        return None
    begins = [line.partition(mark)[0].strip() in ids for line in lines]
    whole = sum(begins) == len(ids) or len(case.head) >= LONG_HEAD
    odds = [n for n, line in enumerate(lines) if line and not begins[n]]
    if not whole or begins[:1] != [True] or not odds:
        return None
    spaces = sum(lines[n].partition(mark)[0].count(" ") >= LEAST_SPACES for n in odds)
    first, *marks = (line.count(mark) for line in case.head.split("\n"))
    # With the one above, which breaks off, each is a row.
    parts = all(marks[n - 1] < first == marks[n - 1] + marks[n] for n in odds)
    if 4 * len(odds) < len(begins) and 2 * spaces <= len(odds) and not parts:
        return None
    odd = odds[0]
    about = {"line": odd + 2, "found": brief(lines[odd].strip(), 40)}
    return case.says("goes_on", "text_in_line", **about)


def header(case: RefusedFile) -> Problem | None:
    """A first line that does not name the columns of the answers."""
    header = case.system.header
    none = "columns" in case.codes and _absent(case, header) == [*case.blind.columns]
    if not ("header" in case.codes or (none and header)):
        return None
    if case.head.lstrip()[:1] in ("{", "["):
        return _names_in_json(case)
    return _all_in_one_line(case) or _names(case, header) or _unlike(case, header)


def repeated_columns(case: RefusedFile) -> Problem | None:
    """A header that names a column of the task twice, as of tables side by side."""
    first = case.head.partition("\n")[0]
    names = [cell.strip().lower() for cell in re.split(r"[\t,;]", first)]
    asked = [
        (column, case.column_name(column).lower()) for column in case.blind.columns
    ]
    twice = [column for column, name in asked if names.count(name) > 1]
    if not twice or case.head.lstrip()[:1] in ("{", "["):
        return None
    return case.says("repeated_columns", "name_each", column=twice[0])


def header_of_lines(case: RefusedFile, other: bool = False) -> Problem | None:
    """The problem of a first line that is none of a table, and was meant as one; with
    `other` of names that are like none of those wanted, too."""
    first = case.system.fields[0] if case.system.fields else ""
    if first.lstrip()[:1] in ("{", "["):
        return None  # JSON that cannot be read
    names = [cell.strip() for cell in re.split(r"[\t,;]", first)]
    near = _names(case, names) or _parted_id(case, names)
    return near or (_unlike(case, names) if other else None)


def _names(case: RefusedFile, header: Sequence[str]) -> Problem | None:
    """The fault in the names of the columns, where they are like those wanted."""
    layout = list(case.blind.columns)
    wanted = _absent(case, header)
    if problem := _one_column(case, header, wanted):
        return problem
    if not header or not wanted:
        return None
    filled = wanted == layout and any(_is_answer(case, name) for name in header)
    ids = [name for name in header if name in {*case.blind.names}]
    if nameless := _nameless(case, header, wanted, bool(filled or ids)):
        return nameless
    on_its_side = len(ids) > 2 and len(ids) == len(header)
    if on_its_side or (len(ids) > 1 and header[0] not in ids):
        return case.says("transposed", "line_an_id", found=brief(ids[0], 40))
    if len(header) > 1 and [*header] == [*map(str, range(len(header)))]:
        about = {"found": header[0], "column": wanted[0]}
        return case.says("numbered_header", "add_header", **about)
    if filled or ids:
        return _without_header(case, header)
    if set(header) == set(case.blind.header):
        return _input_file(case, header, wanted[0])
    quoted = [name for name in header if len(name) > 2 and name[0] == "'" == name[-1]]
    if quoted and len(quoted) == len(header):
        return case.says("quoted_cells", "take_off", found=brief(quoted[0], 40))
    if several := _several_columns(case, header, wanted):
        return several
    others = {name.lower() for name in layout}
    named = {n.casefold(): n for n in header if n and not re.search("[,;|]", n)}
    named = {folded: n for folded, n in named.items() if n.lower() not in others}
    for column in wanted:
        asked = case.column_name(column).casefold()
        begun = [n for n in named if n.startswith(asked) and " " not in n]
        near = get_close_matches(asked, named, 1, 0.75) or begun[:1]
        longer = re.compile(rf"(?:.*[\W_])?{re.escape(asked)}\W?")
        further = [n for n in named if longer.fullmatch(n) and column != "id"]
        near = near or further[:1]
        if near and len(wanted) < len(layout) + (column != "id"):
            example = brief(named[near[0]], 40)
            return case.says("near_column", "rename", column=column, found=example)
    return None


def _input_file(case: RefusedFile, header: Sequence[str], wanted: str) -> Problem:
    """The columns of the input file, and perhaps answers in one of them."""
    asked = {cell.strip(' "\r') for cell in re.split(r"[\t,;\n]", case.published)}
    for name, cells in columns_below(case, header):
        bare = [cell.strip('"') for cell in cells]
        # A sentence may have the signs that part cells.
        if not any(c in asked or (" " in c and c in case.published) for c in bare):
            about = {"column": wanted, "found": brief(name, 40)}
            return case.says("near_column", "rename", **about)
    return case.says("blind", "fill_in")


def _without_header(case: RefusedFile, header: Sequence[str]) -> Problem:
    """A first line that is an answer, of a table without ids where it is one number."""
    names, lines = case.blind.names, case.head.splitlines()
    # Beside answers that stand alone in their lines there is no id.
    alone = len(case.blind.columns) > 1 and not any(map(SEVERAL_CELLS.search, lines))
    inside = not names or any(name in case.head for name in names[:FIRST_IDS])
    inside &= not alone or header[0] in names
    ids_too = any(_is_answer(case, name) for name in names[:1])
    own = _is_answer(case, header[0]) and not ids_too
    as_many = len(header) == len(case.blind.columns) and not own
    if inside or (as_many and TEXT not in case.blind.columns):
        return case.says("no_header", "add_header", header=names_line(case))
    return case.says("no_ids", "give_ids")


def names_line(case: RefusedFile) -> str:
    """The line of names that a file lacks, with the mark that parts its cells, and the
    ids where they stand."""
    first, columns = case.head.partition("\n")[0], [*case.blind.columns]
    mark = next((mark for mark in "\t,;" if mark in first), ",")
    cells = [cell.strip(' "\r') for cell in first.split(mark)]
    place = next((n for n, x in enumerate(cells) if x in {*case.blind.names}), 0)
    columns.insert(place, columns.pop(0))
    return mark.join(columns)


def _is_answer(case: RefusedFile, text: str) -> bool:
    """Whether a text is a number, or a label of the task."""
    labels = case.options.get("labels") or ()
    return bool(NUMBER.fullmatch(text)) or text in labels


def _nameless(
    case: RefusedFile, header: Sequence[str], wanted: Sequence[str], is_answer: bool
) -> Problem | None:
    """A first column that has no name, as of the numbers of rows, below what may be an
    answer itself."""
    numbers = all(NUMBER.fullmatch(row[0]) for row in cells_below(case, len(header)))
    several = "id" in wanted and not header[0] and len(header) > 1
    if not several or (is_answer and not numbers):
        return None
    return case.says("index_column" if numbers else "nameless_column", "no_index")


def _absent(case: RefusedFile, header: Sequence[str]) -> list[str]:
    lowered = {name.lower() for name in header}
    return [name for name in case.blind.columns if name.lower() not in lowered]


def _several_columns(
    case: RefusedFile, header: Sequence[str], wanted: Sequence[str]
) -> Problem | None:
    """Columns of answers that are numbered, or begin with one name, as of several
    runs."""
    columns = {name.lower() for name in case.blind.columns}
    rest = [name for name in header if name.lower() not in columns]
    if len(wanted) != 1 or wanted[0] == "id" or len(rest) < 2:
        return None
    stems = {match[1] for name in rest if (match := OF_RUNS.fullmatch(name))}
    numbered = len(stems) == 1 and all(map(OF_RUNS.fullmatch, rest))
    below = [all(map(NUMBER.fullmatch, x)) for n, x in columns_below(case, rest)]
    begun = all(name.lower().startswith(wanted[0]) for name in rest)
    if not (numbered or (begun and len({*below}) == 1)):
        return None
    example = ", ".join(brief(name, 30) for name in rest[:6])
    return case.says("of_runs", "one_run", found=example, column=wanted[0])


def _parted_id(case: RefusedFile, header: Sequence[str]) -> Problem | None:
    """Ids whose parts stand in two columns."""
    rows, ids = cells_below(case, len(header)), {*case.blind.names}
    for left, right in permutations(range(len(header)), 2):
        for mark in BETWEEN_PARTS:
            joined = [f"{row[left]}{mark}{row[right]}" for row in rows]
            if joined and all(name in ids for name in joined):
                about = {"found": brief(header[left], 40), "mark": brief(joined[0], 40)}
                about |= {"other": brief(header[right], 40), "column": "id"}
                return case.says("parted_id", "join_id", **about)
    return None


def columns_below(
    case: RefusedFile, header: Sequence[str]
) -> list[tuple[str, Sequence[str]]]:
    """The columns of a table, or members of its objects, with their first cells."""
    own = case.system.header
    names = own if {*header} <= {*own} else header
    columns = zip(names, zip(*cells_below(case, len(names)), strict=True), strict=False)
    return [(name, cells) for name, cells in columns if name in header]


def cells_below(case: RefusedFile, width: int) -> list[list[str]]:
    """Cells of the first lines below the header that have so many."""
    lines = case.head.splitlines()[: FIRST_LINES + 1]
    if case.head.lstrip()[:1] == "{":
        return [row for line in lines[:-1] if len(row := _members(case, line)) == width]
    mark = next((mark for mark in "\t,;" if lines and mark in lines[0]), ",")
    rows = [[cell.strip() for cell in cells_of(line, mark)] for line in lines[1:-1]]
    return [row for row in rows if len(row) == width]


def cells_of(line: str, mark: str) -> list[str]:
    """The cells of a line of a table, of which some may be in quotes; a comment is one
    cell."""
    if mark not in line or line[:1] == "#":
        return [line.replace('""', "")]
    try:
        return next(csv.reader([line], delimiter=mark))
    except csv.Error:
        return line.split(mark)


def _members(case: RefusedFile, line: str) -> list[str]:
    """The members of an object of JSON by name; none of anything else."""
    try:
        row = json.loads(line)
        return [str(row.get(name, "")) for name in case.system.header]
    except (AttributeError, ValueError, RecursionError):
        return []


def decimal_commas(case: RefusedFile) -> Problem | None:
    """Numbers with a decimal comma where commas separate the columns."""
    first, *more = case.head.splitlines()[: FIRST_LINES + 1] or [""]
    names, rows = first.split(","), [line.split(",") for line in more[:-1]]
    if "columns" not in case.codes or len(rows) < 2 or "\t" in first or ";" in first:
        return None
    wider = [row for row in rows if len(row) > len(names)]
    tails = [row[len(row) - 2 * (len(row) - len(names)) :] for row in wider]
    numeric = all(tail and all(map(WHOLE.fullmatch, tail)) for tail in tails)
    if not numeric or 2 * len(wider) < len(rows):
        return None
    about = {"found": brief(",".join(tails[0][:2])), "line": rows.index(wider[0]) + 2}
    about["expected"] = brief(".".join(tails[0][:2]))
    return case.says("comma_split", "point", **about)


def labels_in_cells(case: RefusedFile) -> Problem | None:
    """Several labels of an item in cells of their own."""
    own, labels = case.options.get("separator"), case.options.get("labels")
    first, *more = case.head.splitlines()[: FIRST_LINES + 1] or [""]
    mark = next((mark for mark in "\t,;" if mark in first), "")
    if "columns" not in case.codes or not (own and labels and mark and more[1:]):
        return None
    cells = {cell.strip() for line in more[:-1] for cell in line.split(mark)[1:]}
    if not cells <= {*labels, ""}:
        return None
    return case.says("separator", found=mark, expected=own)


def _unlike(case: RefusedFile, header: Sequence[str]) -> Problem | None:
    """Names that are like none of those wanted."""
    layout, wanted = case.blind.columns, _absent(case, header)
    if not header or not wanted:
        return None
    if "id" in wanted and (parted := _parted_id(case, header)):
        return parted
    labels = case.options.get("labels") or ()
    published = {*layout, *map(str.lower, case.blind.header)}
    rest = [name for name in header if name.lower() not in published]
    listed = set(rest) <= set(labels) if labels else _numbers_below(case, rest)
    labelled = len(wanted) == 1 and "labels" in case.options
    if labelled and len(rest) > 1 and listed:
        example = ", ".join(brief(name, 30) for name in rest[:6])
        return case.says("of_labels", "name_best", found=example, column=wanted[0])
    return _ids_elsewhere(case, header) or _other_names(case, header, rest)


def _other_names(
    case: RefusedFile, header: Sequence[str], rest: Sequence[str]
) -> Problem | None:
    """Names of columns of which `rest` are none of the task's, or a line that is none
    of names."""
    layout, wanted = case.blind.columns, _absent(case, header)
    if len(wanted) == len(rest) == 1 and not rest[0]:
        return case.says("nameless", "rename", column=wanted[0])
    if len(wanted) == len(rest) == 1:
        name = brief(rest[0], 40)
        numbers = all(map(str.isdigit, (wanted[0], rest[0])))
        if _may_be(case, wanted[0], rest[0]) and not numbers:
            return case.says("near_column", "rename", column=wanted[0], found=name)
        return case.says("no_ids", "give_ids") if wanted[0] == "id" else None
    if any(cell.count(" ") >= LEAST_SPACES for cell in header):
        line = case.head.lstrip().partition("\n")[0]
        return case.says("no_names_above", "see_which", found=brief(line, 40))
    if len(header) == 1 == len(rest):
        about = {"found": brief(header[0], 40)}
        if all(name in case.head for name in case.blind.names[:FIRST_IDS]):
            return case.says("ids_inside", "part_ids", **about)
        return case.says("no_names_above", "see_which", **about)
    met = len(wanted) == 1 and {*case.system.names} & {*case.blind.names}
    if len(header) == 1 or met or not rest:
        return None  # the problem names what is missing; nor is it another table
    example = ", ".join(f"'{brief(name, 30)}'" for name in rest[:6])
    same_ids = "id" not in wanted and any(n in case.head for n in case.blind.names)
    if same_ids and len(layout) > LEAST_NAMES:
        return case.says("other_columns", "fill_columns", found=example)
    return case.says("other_header", "see_which", column=wanted[0], found=example)


def _may_be(case: RefusedFile, wanted: str, name: str) -> bool:
    """Whether a column may hold what is wanted under another name: ids that look like
    those of the input file, or texts that are no numbers."""
    cells = [cell for _name, own in columns_below(case, [name]) for cell in own]
    if wanted == TEXT:
        return not cells or not all(map(NUMBER.fullmatch, cells))
    if wanted != "id":
        return True
    looks = {look_of(name) for name in case.blind.names}
    return not cells or any(look_of(cell) in looks for cell in cells)


def look_of(name: str) -> str:
    """The kinds of signs in an id, one behind the other."""
    letters = re.sub(r"[^\W\d_]+", "a", name[:LONGEST_ID])
    return re.sub(r"\d+", "0", letters)


def _ids_elsewhere(case: RefusedFile, header: Sequence[str]) -> Problem | None:
    """Ids in a column of another name, or in lists of a table without one of them."""
    if "id" in _absent(case, header) and (column := column_of_ids(case, header)):
        about = {"column": "id", "found": brief(column, 40)}
        return case.says("near_column", "rename", **about)
    if held := _ids_in_cells(case, header):
        return case.says("ids_in_answers", "line_each", found=brief(held, 40))
    return None


def column_of_ids(case: RefusedFile, header: Sequence[str]) -> str:
    """The column whose first cells are all ids; empty for none."""
    names = {*case.blind.names}
    for column, cells in columns_below(case, header):
        if len(cells) > 1 and names.issuperset(cells):
            return column
    return ""


def _ids_in_cells(case: RefusedFile, header: Sequence[str]) -> str:
    """A cell with several ids, of a table without a column of them; empty for none."""
    names = {*case.blind.names}
    cells = (cell for row in cells_below(case, len(header)) for cell in row)
    lists = ((cell, re.split(r"[\s,;|\"'\[\]]+", cell)) for cell in cells)
    return next((c for c, parts in lists if len(names.intersection(parts)) > 1), "")


def _names_in_json(case: RefusedFile) -> Problem | None:
    """Names of the columns written otherwise in JSON; else the problem says it."""
    ids = [name for name in case.system.header if name in {*case.blind.names}]
    if 2 * len(ids) > len(case.system.header):
        return case.says("ids_as_names", "object_each", found=brief(ids[0], 40))
    lowered = {name.lower() for name in case.system.header}
    wanted = [name for name in case.blind.columns if name.lower() not in lowered]
    asked = [case.column_name(name) for name in wanted]
    near = asked and get_close_matches(asked[0], case.system.header, 1, 0.75)
    if len(wanted) != 1 or not near:
        return None
    example = brief(near[0], 40)
    return case.says("near_name", "rename_in_all", column=wanted[0], found=example)


def _one_column(
    case: RefusedFile, header: Sequence[str], wanted: Sequence[str]
) -> Problem | None:
    """Names of columns with another sign between them."""
    parts = {name.lower() for name in re.split(r"\\t|\W+", "".join(header[:1]))}
    named = parts & {case.column_name(column).lower() for column in wanted}
    prose = " ".join(header).count(" ") >= LEAST_SPACES and len(named) < len(wanted)
    if not len(header) == 1 < len(parts) or not named or prose:
        return None
    return case.says("one_column", "by_marks", found=brief(header[0], 60))


def _all_in_one_line(case: RefusedFile) -> Problem | None:
    """A table whose line ends were lost, or are written as two characters."""
    names = [re.escape(case.column_name(column)) for column in case.blind.columns]
    joined = "\n" not in case.head.strip() and len(case.head) > LONG_LINE
    if joined and re.search(r"\W+".join(names), case.head[:LONG_LINE], re.IGNORECASE):
        return case.says("all_in_one_line", "line_each")
    return None


def header_again(case: RefusedFile) -> Problem | None:
    """The line of the names of the columns a second time, as in joined files."""
    columns = [case.column_name(column).lower() for column in case.blind.columns]
    names = {*columns[:1], " ".join(columns[:-1])}
    if case.blind.kind != "item" or names & {key.lower() for key in case.blind.keys}:
        return None
    again = [j for j, key in enumerate(case.system.keys) if key.lower() in names]
    if not again or not case.system.header:
        return None
    line = case.system.lines[again[0]]
    about: dict[str, object] = {"line": line, "count": len(again)}
    name = "header_again" if len(again) == 1 else "headers_again"
    return case.says(name, "take_lines_out", **about)


def _numbers_below(case: RefusedFile, names: Sequence[str]) -> bool:
    """Whether the first record has a number, or yes or no, in each of these columns."""
    header = case.system.header
    for mark in ",\t;":
        rows = [line.split(mark) for line in case.head.splitlines()[:2]]
        if [len(row) for row in rows] == [len(header)] * 2:
            cells = dict(zip(header, rows[1], strict=True))
            own = [cells[name].strip() for name in names]
            yes_or_no = len(own) > 1 and {*map(str.lower, own)} <= YES_OR_NO
            return yes_or_no or all(map(NUMBER.fullmatch, own))
    return False


def headings(case: RefusedFile) -> Problem | None:
    """Lines without an answer that are no items, as headings of sections."""
    names = {*case.blind.keys}
    empty = [j for j, text in enumerate(case.system.fields) if not text.strip()]
    unread = case.codes & {"answer", "recording"}
    if case.blind.kind != "item" or not unread or not empty:
        return None
    sides = len(case.system.fields) == len(case.system.keys)
    if not sides or any(case.system.keys[j] in names for j in empty):
        return None
    line, lines = case.system.lines[empty[0]], case.head.splitlines()
    example = case.system.names[empty[0]] or "".join(lines[line - 1 : line])
    if 2 * len(empty) > len(case.system) or not example:
        return None
    about: dict[str, object] = {"line": line, "found": brief(example, 40)}
    name = "heading" if len(empty) == 1 else "headings"
    return case.says(name, "take_headings_out", count=len(empty), **about)


def find_unfilled(case: RefusedFile) -> Problem | None:
    """Answers that were left as they are in the blind file, or empty."""
    fields = case.system.fields
    if case.blind.kind == "sentence" and fields and "head" in case.codes:
        decimals = [text for text in fields if DECIMAL_HEAD.fullmatch(text)]
        if 2 * len(decimals) > len(fields):
            about: dict[str, object] = {"found": decimals[0]}
            about |= {"expected": decimals[0].partition(".")[0]}
            about |= {"count": len(decimals), "all": len(fields)}
            return case.says("decimal_heads", "whole_heads", **about)
        written = set(fields)
        if len(written) == 1 and (only := written.pop()).casefold() in NOTHING:
            about = {"column": "HEAD", "found": only, "all": len(fields)}
            if elsewhere := _heads_elsewhere(case):
                about |= elsewhere
                return case.says("heads_elsewhere", "part_heads", **about)
            return case.says("unfilled", "fill_in", **about)
    lines = case.system.kind == "line" and len(case.system) != len(case.blind)
    may_be = "separator" in case.options  # and which are not, the problems say
    if "answer" in case.codes and fields and not (lines or may_be):
        empty = sum(not text.strip() for text in fields)
        if empty:
            about = {"count": empty, "all": len(fields)}
            if empty == len(fields) and (other := _filled_column(case)):
                about |= {"column": brief(other, 40)}
                return case.says("other_filled", "name_both", **about)
            first, own = case.blind.names[0], case.system.names[0]
            if empty == len(fields) and first in own != first:
                return case.says("ids_inside", "part_ids", found=brief(own, 40))
            return case.says("empty_answers", "answer_each", **about)
    return None


def _heads_elsewhere(case: RefusedFile) -> dict[str, object]:
    """The column of CoNLL-U that has a head and its relation for each of the first
    words, and one of them."""
    rows = [line.split("\t") for line in case.head.splitlines()[:-1]]
    words = [row for row in rows if len(row) == len(BEHIND) + 7 and row[0].isdigit()]
    for place, column in enumerate(BEHIND, 7):
        if words and all(HEAD_AND_RELATION.fullmatch(row[place]) for row in words):
            return {"column": column, "other": brief(words[0][place], 40)}
    return {}


def _filled_column(case: RefusedFile) -> str:
    """A column that nobody reads and that has a cell in every line; empty for none."""
    header = case.system.header
    rows = cells_below(case, len(header))
    for name, cells in zip(header, zip(*rows, strict=True), strict=False):
        asked = {column.lower() for column in (*case.blind.columns, *case.blind.header)}
        if name and name.lower() not in asked and all(cells):
            return name
    return ""


def labels(case: RefusedFile) -> Problem | None:
    """Answers that are not among the labels of the task."""
    declared: Sequence[str] = case.options.get("labels") or ()
    if not declared or "label" not in case.codes:
        return None
    if problem := _separator(case, declared):
        return problem
    written = [text.strip() for text in _asked_fields(case) if text.strip()]
    written = [part.strip() for text in written for part in _parts_of(case, text)]
    names = set(declared)
    wrong = [text for text in written if text not in names]
    if not wrong:
        return None
    folded = {name.casefold(): name for name in declared}
    # Who writes a label right has hardly misspelt it so often.
    slip, used = SLIPS * len(wrong) <= len(written), {*written}
    near = [name for name in declared if slip or name not in used]
    about = {
        "count": len(wrong),
        "all": len(written),
        "found": brief(wrong[0], 40),
        "labels": ", ".join(brief(name, 30) for name in declared[:12]),
        "expected": meant_by(wrong[0], declared)
        or ("" if is_not_there(wrong[0]) else likely(wrong[0], near)),
    }
    latin = {name.translate(LATIN): name for name in declared}
    meant = [latin.get(text.translate(LATIN), "") for text in wrong]
    if problem := letters_alike(case, wrong, meant):
        return problem
    if all(text.casefold() in folded for text in wrong):
        return case.says("label_case", "write_labels", **about)
    numbers = any(map(NUMBER.fullmatch, declared))
    if not numbers and all(NUMBER.fullmatch(text) for text in wrong):
        return case.says("label_numbers", "write_labels", **about)
    name = "label_near" if about["expected"] else "label_unknown"
    return case.says(name, "write_labels", **about)


def _asked_fields(case: RefusedFile) -> Sequence[str]:
    """The answers of items that were asked for; all, where none was."""
    fields, names = case.system.fields, {*case.blind.keys}
    if case.blind.kind != "item" or len(fields) != len(case.system.keys):
        return fields
    pairs = zip(case.system.keys, fields, strict=True)
    return [text for key, text in pairs if key in names] or fields


def _separator(case: RefusedFile, labels: Sequence[str]) -> Problem | None:
    """Another separator of labels, where all between it are the task's."""
    own = case.options.get("separator")
    cells = [text for text in case.system.fields if text.strip()]
    for mark in "|;,+/& ":
        parts = [part.strip() for text in cells for part in text.split(mark)]
        several = len(parts) > len(cells) and set(parts) <= {*labels, ""}
        if own and several and mark != {"space": " "}.get(own, own):
            return case.says("separator", found=mark, expected=own)
    return None


def _parts_of(case: RefusedFile, text: str) -> Sequence[str]:
    separator = case.options.get("separator")
    if separator is None:
        return (text,)
    return text.split(" " if separator == "space" else separator)


def unread_shares(case: RefusedFile) -> Problem | None:
    """Shares in a column that nobody reads, where those of others do not add up."""
    asked = {name.lower() for name in (*case.blind.columns, *case.blind.header)}
    others = [name for name in case.system.header if name and name.lower() not in asked]
    for name, cells in columns_below(case, case.system.header):
        if case.codes <= ALONE and name in others and all(map(SHARE.fullmatch, cells)):
            return case.says("unused", "only_these", columns=f"'{brief(name, 30)}'")
    return None


def numbers(case: RefusedFile) -> Problem | None:
    """Answers that are no numbers, where numbers are asked for."""
    if "number" not in case.codes:
        return None
    written = [text.strip() for text in _asked_fields(case) if text.strip()]
    wrong = [text for text in written if not NUMBER.fullmatch(text)]
    if not wrong:
        return None
    first, commas = wrong[0], [*filter(COMMA.fullmatch, wrong)]
    about = {"count": len(wrong), "all": len(written), "found": brief(first)}
    if len(wrong) > 1 and all(map(THOUSANDS.fullmatch, wrong)):
        plain = re.sub(r"[^\d.+-]", "", first)
        return case.says("thousands", "no_thousands", **about, expected=plain)
    if commas:
        about |= {"count": len(commas), "found": brief(commas[0])}
        plain = PARTING.sub("", commas[0]).replace(",", ".")
        return case.says("comma", "point", **about, expected=brief(plain))
    if all(NUMBER.fullmatch(text.translate(SIGNS)) for text in wrong):
        odd = next(sign for sign in first if ord(sign) in SIGNS)
        about["found"] = f"{odd} <U+{ord(odd):04X}>"
        return case.says(
            "other_signs", "plain_signs", **about, expected=SIGNS[ord(odd)]
        )
    if case.blind.kind == "line" and all(map(KEYED_NUMBER.fullmatch, wrong)):
        return case.says("around_lines", "take_off", found=brief(first, 40))
    return case.says("no_numbers", "number_each", **about)


def columns_of_tokens(case: RefusedFile) -> Problem | None:
    """Tokens and tags that are all there, and not in the columns they belong in."""
    blind, system = case.blind, case.system
    if not blind.words or len(case.missing) < len(blind):
        return None
    if not system.fields:
        return _tokens_elsewhere(case)
    asked = [word for words in blind.words for word in words]
    written = [word for words in system.words for word in words]
    if sum(map(eq, asked, system.fields)) > len(asked) / 2 and asked != written:
        example = brief(f"{written[0]}\t{system.fields[0]}", 40)
        return case.says("tags_first", "add_tags", found=example)
    sizes = [[*map(len, side.words)] for side in (blind, system)]
    joined = [
        own for word, own in zip(asked, written, strict=False) if _joins(own, word)
    ]
    if not any(system.fields) and 2 * len(joined) > len(asked):
        mark = brief(joined[0][len(asked[0]) :][:1])
        return case.says("by_mark", "by_tabs", found=mark)
    if not any(system.fields) and sizes[0] == sizes[1] and not {*asked} & {*written}:
        return case.says("no_tokens", "add_tags", found=brief(written[0], 40))
    if problem := _tokens_elsewhere(case) or _text_alone(case):
        return problem
    lines = [line for line in case.head.splitlines()[:-1] if line.strip()]
    several = any(len(words) > 2 for words in blind.words)
    if several and any(
        _begin_with_sentences(lines[:FIRST_LINES:step], blind.words) for step in (1, 2)
    ):
        example = brief(case.head.splitlines()[0], 40)
        return case.says("sentence_a_line", "token_a_line", found=example)
    return _text_alone(case, among_others=True)


def _begin_with_sentences(
    lines: Sequence[str], sentences: Sequence[Sequence[str]]
) -> bool:
    """Whether each line is as long as its sentence, in words, or begins with it."""
    pairs = [*zip(lines, sentences, strict=False)]
    return bool(pairs) and all(
        len(line.split()) == len(words)
        or "".join(line.split()).startswith("".join(words))
        for line, words in pairs
    )


def _tokens_elsewhere(case: RefusedFile) -> Problem | None:
    """Tokens in another column than the first, as behind the number of a sentence."""
    formats = case.scorer.formats
    trees = any("CoNLL-U" in name or name == "cupt" for name in formats)
    whole = [line for line in case.head.split("\n")[:-1] if line.strip()]
    mark = "\t" if "\t" in case.head else None
    rows = [[cell.strip('"') for cell in line.split(mark)] for line in whole]
    [(width, _times)] = Counter(map(len, rows)).most_common(1) or [(0, 0)]
    asked = [word for words in case.blind.words[: len(rows)] for word in words]
    even = [row for row in rows if len(row) == width]
    for place, column in enumerate(zip(*even, strict=True)):
        own = column[1:] if column[:1] != tuple(asked[:1]) else column
        own = own[:FIRST_LINES]
        if place != trees and len(own) > 2 and [*own] == asked[: len(own)]:
            about = {"column": place + 1, "count": width}
            if trees:
                return case.says("words_elsewhere", "names_first", **about)
            return case.says("tokens_elsewhere", "add_tags", **about)
    return None


def _text_alone(case: RefusedFile, among_others: bool = False) -> Problem | None:
    """The text of the input file as running text, perhaps with markup in it; or with
    other words between, of its first sentence."""
    asked = "".join(word for words in case.blind.words[:FIRST_LINES] for word in words)
    plain = "".join(MARKUP.sub("", case.head).split())
    size = min(len(asked), len(plain), LONG_LINE)
    first, words = case.head.lstrip().partition("\n")[0], case.blind.words[0]
    if among_others:
        places, end = [], 0
        for word in words:
            places.append(first.find(word, end))
            end = places[-1] + len(word)
        if len("".join(words)) < SHORT_LINE or min(places) < 0:
            return None
    elif size < SHORT_LINE or asked[:size] != plain[:size]:
        return None
    first = brief(first, 40)
    return case.says("text_alone", "token_a_line", found=first)


def _joins(text: str, word: str) -> bool:
    """Whether a mark and more follow the word."""
    rest = text.removeprefix(word)
    return rest != text and len(rest) > 1 and not rest[0].isalnum()


def tags(case: RefusedFile) -> Problem | None:
    """Tags of spans that are none of the scheme."""
    fields = case.system.fields
    if not case.blind.words or "scheme" not in case.options or not fields:
        return None
    if problem := _without_tags(case):
        return problem
    others = len(case.missing) == len(case.blind) and not case.pairs
    if "tag" not in case.codes or others:
        return None  # whose tokens are others
    scheme = case.options["scheme"]
    filled = [tag for tag in fields if tag not in ("", "O")]
    wrong = [tag for tag in filled if not _fits(tag, PREFIXES[scheme])]
    if not wrong:
        return None
    first = wrong[0]
    if problem := _tags_before(case, first, PREFIXES[scheme]) or _tags_alike(
        case, wrong, PREFIXES[scheme]
    ):
        return problem
    about = {
        "count": len(wrong),
        "all": len(filled),
        "found": brief(first, 40),
        "scheme": SCHEMES.get(scheme, scheme),
        "expected": "",
    }
    ways = (
        ("bioes", r"[SEUL]-.+", "convert", ""),
        ("model_labels", r"(?:[BI]-)?LABEL_\d+", "map_labels", ""),
        ("bmes", r"[BMEWS]-.+", "convert_bmes", ""),
        ("bare_bioes", r"[BIESLUMW]", "write_tags", ""),
        ("suffix", r"(.+)[-_]([BIESLU])", "write_tags", r"\2-\1"),
        ("underscore", r"([BIESLU])_(.+)", "write_tags", r"\1-\2"),
        ("small_o", r"o", "write_tags", ""),
        ("small_prefix", r"o|([bieslu])[-_](.+)", "write_tags", ""),
        ("number_tags", NUMBER.pattern, "write_tags", ""),
        ("no_sign", r"([BI])([A-Z]\w+)", "write_tags", r"\1-\2"),
        ("other_mark", r"([BIESLU])[^\w\s-](\w.*?)[\])}]?", "write_tags", r"\1-\2"),
        ("no_prefix", r"[^\W\d_][\w.]*", "write_tags", r"B-\g<0>"),
    )
    right = len(wrong) < len(filled) and {*wrong} == {first}
    if right and "O" not in fields and (first.isalpha() or first == "0"):
        return case.says("small_o", "write_tags", **about)
    if 2 * len(wrong) < len(filled):
        return None  # a line that is none of the table, rather than another scheme
    # What stands for all is hardly a label without its prefix.
    unmeant = is_not_there(first) or {*fields} == {first} or "O" not in fields
    for name, pattern, hint, expected in ways[: -1 if unmeant else None]:
        if all(re.fullmatch(pattern, tag) for tag in wrong):
            if name == "small_prefix":
                first = max(wrong, key=len)
                about["found"] = brief(first, 40)
                about["expected"] = brief(first[:1].upper() + "-" + first[2:], 40)
            elif expected:
                about["expected"] = brief(re.sub(pattern, expected, first), 40)
            return case.says(name, hint, **about)
    return case.says("other_tags", "write_tags", **about)


def _without_tags(case: RefusedFile) -> Problem | None:
    """Tokens without a tag, or tags without tokens: in all lines or in most."""
    fields = case.system.fields
    words = [word for unit in case.system.words for word in unit]
    if all(not tag for tag in fields):
        asked = {word for unit in case.blind.words for word in unit}
        if not asked & {*words} and not any(_fits(word, "BIESLU") for word in words):
            return None  # which are not those of the task
        word = brief(words[0], 40)
        only_tags = all(tag == "O" or _fits(tag, "BIESLU") for tag in {*words})
        name = "no_tokens" if only_tags else "no_tags"
        return case.says(name, "add_tags", found=word)
    bare = [n for n, tag in enumerate(fields) if not tag]
    if 2 * len(bare) > len(fields) and len(words) == len(fields):
        about: dict[str, object] = {"count": len(bare), "all": len(fields)}
        about |= {"found": brief(words[bare[0]], 40)}
        return case.says("some_untagged", "tag_each", **about)
    return None


def _tags_before(case: RefusedFile, last: str, prefixes: str) -> Problem | None:
    """Tags of the scheme in a column before the last one, with others behind them."""
    mark = "\t" if "\t" in case.head else None
    rows = [line.split(mark) for line in case.head.splitlines()[:-1] if line.strip()]
    columns = [*zip(*rows, strict=False)]
    if {*map(len, rows)} != {len(columns)}:
        return None
    for number, column in enumerate(columns[1:-1], 2):
        spans = [tag for tag in column if tag != "O"]
        if spans and all(_fits(tag, prefixes) for tag in spans):
            about = {"column": number, "count": len(columns), "found": brief(last, 40)}
            return case.says("tags_before", "add_tags", **about)
    return None


def _tags_alike(
    case: RefusedFile, wrong: Sequence[str], prefixes: str
) -> Problem | None:
    """Tags of the scheme but for letters of another alphabet that look the same."""
    meant = [tag.translate(LATIN) for tag in wrong]
    right = all(tag == "O" or _fits(tag, prefixes) for tag in meant)
    return letters_alike(case, wrong, meant) if right else None


def letters_alike(
    case: RefusedFile, wrong: Sequence[str], meant: Sequence[str]
) -> Problem | None:
    """Letters of another alphabet that look like those of texts that are meant, where
    nothing else is wrong with any."""
    folded = [[text.translate(LATIN) for text in side] for side in (wrong, meant)]
    if folded[0] != folded[1]:
        return None
    pairs = zip("".join(wrong), "".join(meant), strict=True)
    odd, letter = next((a, b) for a, b in pairs if a != b)
    codes = {"form", "label", "tag", "text", "words"}
    line = next((p.line for p in case.problems if p.code in codes), 1) or 1
    about: dict[str, object] = {"found": f"{odd} <U+{ord(odd):04X}>", "line": line}
    return case.says("alike", "one_alphabet", expected=letter, **about)


def _fits(tag: str, prefixes: str) -> bool:
    return tag[:1] in prefixes and tag[1:2] == "-" and len(tag) > 2
