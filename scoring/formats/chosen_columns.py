"""Columns that a task calls otherwise than its scorer: the options `id` and `value`.

A scorer of tables reads the columns of its own names. Where a task names others, the
names in its files are changed before they are read, and changed back in files that are
made. Lines and cells stay as they are, so that places in messages are the file's.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from scoring.errors import Problem, Refused, ScoringError, SetupError
from scoring.formats import records
from scoring.formats.answers import ID
from scoring.formats.forms import NAMES as CALLED
from scoring.formats.forms import VALUE, recognise
from scoring.formats.forms import Names as Called
from scoring.messages import Messages, Wording, _
from scoring.options import Option, Options
from scoring.scorer import Scorer
from scoring.source import Source, brief, normalise_bytes

MESSAGES = Messages(
    no_column=_("no column '%(column)s' (option %(option)s); there are: %(columns)s"),
    name_it=_("Name the column as the task does."),
)
FURTHER = re.compile(r"\.?[1-9][0-9]?$")  # a second reference, as in text.2
# Strings of JSON, and what opens and closes objects and lists.
JSON_PART = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[{}\[\]]')
NAME_FOLLOWS = re.compile(r"\s*:")
# Values of sentences that name columns, and each name in them. Others are the name of
# a column as a whole, or what somebody wrote.
NAMING, MAY_NAME = ("column", "columns", "header"), ("answer", "id")
ASIDE = " (file)"
NAME_OF_COLUMN = re.compile(rf"[^\s,;'\"]+(?:{re.escape(ASIDE)})?")


@dataclass(frozen=True)
class Names:
    """Names of columns of a task by those of the scorer, only such as differ.

    `options` are the options that chose them."""

    of_scorer: Mapping[str, str]
    options: Mapping[str, str]

    def read(self, name: str) -> str:
        """The name that the scorer knows for one in a file. What already has a name of
        the scorer and is not what the task means steps aside."""
        for own, chosen in self.of_scorer.items():
            if name.lower() == chosen.lower():
                return own
            further = FURTHER.search(name)
            if further and name[: further.start()].lower() == chosen.lower():
                return own + further[0]
        if name.lower() in self.of_scorer:
            return name + ASIDE
        return name

    def write(self, name: str) -> str:
        """The name that the task has for one of the scorer."""
        return self.of_scorer.get(name, name.removesuffix(ASIDE))

    def in_problem(self, problem: Problem) -> Problem:
        """The problem with the task's names of columns where it has the scorer's."""
        message, hint = map(self._in_text, (problem.message, problem.hint))
        return replace(problem, message=message, hint=hint)

    def _in_text(self, text: str) -> str:
        if not self.of_scorer or not isinstance(text, Wording):
            return text
        values = {k: v for k, v in text.values.items() if isinstance(v, str)}
        names = {
            key: NAME_OF_COLUMN.sub(lambda name: self.write(name[0]), value)
            for key, value in values.items()
            if key in NAMING
        }
        names |= {k: self.write(v) for k, v in values.items() if k in MAY_NAME}
        return Wording(text.template, {**text.values, **names}) if names else text


def with_columns(
    scorer: Scorer,
    value: str,
    *,
    has_id: bool = True,
    called: Called = CALLED,
    gold_called: Called | None = None,
) -> Scorer:
    """The scorer with options for the names of its columns. `value` is that of what is
    answered, empty where several are; `has_id` says whether there is one of ids, and
    `called` what both are called where no option names them; in gold `gold_called`."""
    of_id = Option(ID, "column of the ids, in every file", "text", ID)
    of_value = Option(
        VALUE, "column of the answers, in the gold and in every answer", "text", value
    )
    own = (of_id,) * has_id + (of_value,) * bool(value)
    of_options = {option.name: option.default for option in own}
    chosen = partial(_chosen, of_options)

    def reading(
        read: Callable[..., Any],
        kind: type[ScoringError],
        *asked: str,
        called: Called = called,
    ) -> Any:
        def with_names(source: Source, options: Options, *rest: Any) -> Any:
            names = chosen(options)
            plain = recognise(source, options, kind, called)
            renamed = _renamed_columns(plain, names, kind, asked)
            try:
                return read(renamed, options, *rest)
            except ScoringError as error:
                problems = map(names.in_problem, error.problems)
                raise type(error)(problems) from None

        return with_names

    def making(make: Callable[..., Any]) -> Any:
        def with_names(given: Any, options: Options) -> Any:
            names = chosen(options)
            if isinstance(given, Source):
                plain = recognise(given, options, SetupError, gold_called or called)
                made = make(_renamed_columns(plain, names, SetupError, ()), options)
                return replace(made, files=_rename_columns(made.files, names.write))
            files = recognise(Source("", given), options, Refused, called).files
            made = make(_rename_columns(files, names.read), options)
            return _rename_columns(made, names.write)

        return with_names

    both = (ID, VALUE)
    outline, guess = scorer.outline, scorer.guess
    return replace(
        scorer,
        called=called,
        options=(*scorer.options, *own),
        read_gold=reading(
            scorer.read_gold, SetupError, *both, called=gold_called or called
        ),
        read_blind=reading(scorer.read_blind, SetupError, ID),
        read_system=reading(scorer.read_system, Refused, *both),
        outline=outline and reading(outline, Refused),
        in_task_names=lambda problem, options: chosen(options).in_problem(problem),
        column_name=lambda name, options: chosen(options).write(name),
        blind=making(scorer.blind),
        ideal=scorer.ideal and making(scorer.ideal),
        guess=guess and making(guess),
    )


def spoiled_texts(
    scorer: Scorer,
    texts: Mapping[str, str],
    options: Options,
    share: float,
    dice: Random,
) -> dict[str, str]:
    """Copies of the gold's texts with mistakes, under the task's names of columns."""
    assert scorer.spoil is not None
    declared = {option.name: option.default for option in scorer.options}
    same = {name: declared[name] for name in (ID, VALUE) if name in declared}
    names = _chosen(same, options)
    files = {name: text.encode() for name, text in texts.items()}
    read = {n: data.decode() for n, data in _rename_columns(files, names.read).items()}
    made = scorer.spoil(read, share, dice)
    back = _rename_columns({n: text.encode() for n, text in made.items()}, names.write)
    return {name: data.decode() for name, data in back.items()}


def _chosen(own: Mapping[str, str], options: Options) -> Names:
    columns = {
        name: (str(options[option]), option)
        for option, name in own.items()
        if str(options.get(option, name)).strip() not in ("", name)
    }
    of_scorer = {name: chosen for name, (chosen, _option) in columns.items()}
    return Names(of_scorer, {name: option for name, (_c, option) in columns.items()})


def _renamed_columns(
    source: Source, names: Names, kind: type[ScoringError], asked: tuple[str, ...]
) -> Source:
    """The file with the names that the scorer knows. Raises `kind` where a column lacks
    that an option `asked` for, and where the file is no text."""
    if not names.of_scorer or len(source.files) != 1:
        return source
    data = source.single()
    there = _header(data)
    for own, chosen in names.of_scorer.items():
        option = names.options[own]
        known = {name.lower() for name in there}
        if option in asked and there and chosen.lower() not in known:
            normalise_bytes(source.name, data, kind)  # what it is, if no table
            message = MESSAGES(
                "no_column",
                column=brief(chosen),
                option=option,
                columns=records.some_names(there),
            )
            hint = MESSAGES("name_it")
            line = None if _is_json(data) else 1
            raise kind(Problem("header", message, source.name, line, hint=hint))
    return replace(source, files=_rename_columns(source.files, names.read))


def _is_json(data: bytes) -> bool:
    return records.is_json_lines(data[:4096].decode("utf-8", "replace"))


def _header(data: bytes) -> list[str]:
    """Names of the columns of a table, those of its first record in JSON Lines; none
    where the file is empty."""
    text = data.decode("utf-8-sig", "replace")
    if _is_json(data):
        lines = (line for line in text.split("\n") if line.strip())
        return _names_of_object(next(lines, ""))
    first, mark = text.split("\n", 1)[0].rstrip("\r"), records.delimiter_of(text)
    return [_bare(cell) for cell in first.split(mark) if _bare(cell)]


def _bare(cell: str) -> str:
    cell = cell.strip()
    quoted = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].strip() if quoted else cell


def _rename_columns(
    files: Mapping[str, bytes], called: Callable[[str], str]
) -> dict[str, bytes]:
    """Files with other names of columns; what is no text stays as it is."""
    return {name: _with_names(data, called) for name, data in files.items()}


def _with_names(data: bytes, called: Callable[[str], str]) -> bytes:
    if _is_json(data):
        try:
            lines = data.decode().split("\n")
        except UnicodeDecodeError:
            return data
        return "\n".join(_renamed_object(line, called) for line in lines).encode()
    first, end, rest = data.partition(b"\n")
    try:
        header = first.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data
    mark = records.delimiter_of(header)
    cells = header.split(mark)
    changed = [cell.replace(_bare(cell), called(_bare(cell)), 1) for cell in cells]
    return data if changed == cells else mark.join(changed).encode() + end + rest


def _parts_of_names(line: str) -> list[re.Match[str]]:
    """The names of members of the outermost object of a line."""
    depth, parts = 0, []
    for part in JSON_PART.finditer(line):
        if part[0] in ("{", "["):
            depth += 1
        elif part[0] in ("}", "]"):
            depth -= 1
        elif depth == 1 and NAME_FOLLOWS.match(line, part.end()):
            parts.append(part)
    return parts


def _names_of_object(line: str) -> list[str]:
    return [part[0][1:-1] for part in _parts_of_names(line)]


def _renamed_object(line: str, called: Callable[[str], str]) -> str:
    pieces, end = [], 0
    for part in _parts_of_names(line):
        pieces += [line[end : part.start() + 1], called(part[0][1:-1])]
        end = part.end() - 1
    return "".join([*pieces, line[end:]])
