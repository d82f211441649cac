"""Sets of records of items: read from JSON Lines or .cupt, published, spoiled.

An item has a list of records, and a record named fields: of an opinion who holds it,
on what, how strong. In JSON Lines an object of each item has the list; in .cupt, the
format of PARSEME, a sentence has expressions, each with a category and its words.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from scoring.errors import Findings, Problem, Refused, ScoringError, SetupError
from scoring.formats import records
from scoring.formats.answers import GROUPS, ID, LONGEST_ID, Layout
from scoring.formats.numerals import is_number, what_is_wrong
from scoring.formats.records import json_lines, text_in
from scoring.formats.text_forms import form_of
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.outlines import Outline, items
from scoring.picks import each_file, each_published_file, some
from scoring.scorers.treebanks.outline import trees
from scoring.scorers.tuples import cupt
from scoring.source import Source, brief, text_of
from scoring.spellings import meant_by

MESSAGES = Messages(
    format=_("neither JSON Lines nor .cupt: the first line is '%(line)s'."),
    one_object=_('Write one object a line: {"id": "...", "%(name)s": [...]}.'),
    no_id=_("the object has no id that is a text of %(most)s characters."),
    no_list=_("'%(name)s' is missing or no list of objects."),
    no_records=_("no object has the member '%(name)s' (option records)."),
    most=_("%(count)s records; expected at most %(most)s."),
    no_number=_("the record has no '%(field)s'."),
    parts=_("'%(text)s' has %(count)s numbers; expected %(expected)s."),
    repeated=_("id '%(id)s' stands in line %(line)s already."),
    each_once=_("Give each id once."),
    missing=_("%(count)s of %(all)s items are missing, the first is '%(id)s'."),
    answer_all=_("Write every item of the input file, also without a record."),
    unknown=_("there is no item '%(id)s'."),
    known=_("Answer the ids of the input file, and no others."),
    range=_("range is '%(text)s'; expected two numbers, as in 1,9"),
    other_field=_("no record has the field '%(field)s', but there is '%(other)s'."),
    write_field=_("Call it '%(field)s', as the task does."),
    no_field=_("no record of the gold has the field '%(field)s'."),
    no_column=_("no member '%(name)s' found (option inputs)."),
    empty=_("no item has a record."),
)

MOST_RECORDS = 200
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Sets:
    """Items of one file with their records, in the order of the gold.

    `lines` say where an item begins. `groups` give each item's label by grouping,
    `inputs` what was asked.
    """

    ids: tuple[str, ...]
    items: tuple[tuple[Record, ...], ...]
    lines: tuple[int, ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def fields(self) -> set[str]:
        """Names of the fields of all records."""
        return {name for own in self.items for record in own for name in record}


def numbers_of(value: Any) -> list[str]:
    """The numbers of a field: one, or several between hashes as in 7.5#6.25."""
    return [part.strip() for part in value.split("#")] if isinstance(value, str) else []


def scale(options: Options) -> tuple[float, float]:
    """The lowest and highest number of a field. Raises SetupError."""
    given = options["range"]
    if not given:
        return 0.0, 1.0
    if len(given) == 2 and all(map(is_number, given)):
        low, high = map(float, given)
        if low < high:
            return low, high
    message = MESSAGES("range", text=brief(",".join(given)))
    raise SetupError(Problem("option", message))


def is_cupt(text: str) -> bool:
    """Whether a file is .cupt: no JSON, and with tabs."""
    return not records.is_json_lines(text) and "\t" in text


def outline(source: Source, options: Options) -> Outline:
    """Items or sentences by their ids; none of a file that is neither format."""
    text = text_of(source, Refused)
    if is_cupt(text):
        return replace(trees(source, options), ordered=False)
    if not records.is_json_lines(text):
        return Outline("item", (), (), ())
    return items(Layout(""), "records")(source, options)


def _read(
    source: Source,
    options: Options,
    kind: type[ScoringError],
    findings: Findings,
    *,
    answered: bool = True,
    gold: bool = False,
) -> Sets:
    text = text_of(source, kind)
    if is_cupt(text):
        sentences = cupt.read(text, findings, answered=answered)
        sets = Sets(
            tuple(sentence.id for sentence in sentences),
            tuple(sentence.expressions for sentence in sentences),
            tuple(sentence.line for sentence in sentences),
        )
    elif records.is_json_lines(text):
        sets = _objects(source, options, kind, findings, answered, gold)
    else:
        first = brief(text.split("\n", 1)[0])
        message = MESSAGES("format", line=first)
        hint = MESSAGES("one_object", name=options["records"])
        raise kind(Problem("format", message, source.name, 1, hint=hint))
    _note_repeated(sets, findings)
    if answered:
        _note_odd(sets, options, findings)
    return sets


def _objects(
    source: Source,
    options: Options,
    kind: type[ScoringError],
    findings: Findings,
    answered: bool,
    gold: bool,
) -> Sets:
    table = records.read(source, findings, kind, options["records"])
    size, lines = len(table), table.lines.tolist()
    column = table.called(ID)
    ids = list(table.columns[column]) if column else [None] * size
    name = table.called(options["records"])
    hint = MESSAGES("one_object", name=options["records"])
    if answered and name is None and not findings.problems:
        message = MESSAGES("no_records", name=brief(options["records"]))
        findings.add("header", message, line=1, hint=hint)
    cells = table.columns[name] if answered and name else [[]] * size
    items: list[tuple[Record, ...]] = []
    for place, (own, cell) in enumerate(zip(ids, cells, strict=True)):
        if not (isinstance(own, str) and 0 < len(own.strip()) <= LONGEST_ID):
            message = MESSAGES("no_id", most=LONGEST_ID)
            findings.add("id", message, line=lines[place], hint=hint)
        fine = isinstance(cell, list) and all(
            isinstance(record, dict) for record in cell
        )
        if not fine:
            message = MESSAGES("no_list", name=options["records"])
            findings.add("records", message, line=lines[place], hint=hint)
        items.append(tuple(cell) if fine else ())
    names = tuple(map(text_in, ids))
    groups, inputs = {}, {}
    if gold:
        for group in options["groups"]:
            called = table.called(group)
            if called is not None:
                groups[group] = tuple(map(_label, table.columns[called]))
            elif group not in GROUPS:
                _note_no_member(group, findings)
        for asked in options["inputs"]:
            called = table.called(asked)
            if called is not None and called != name:
                inputs[asked] = [*map(_label, table.columns[called])]
            else:
                _note_no_member(asked, findings)
    return Sets(names, tuple(items), tuple(lines), groups, inputs)


def _note_no_member(name: str, findings: Findings) -> None:
    findings.add("header", MESSAGES("no_column", name=brief(name)))


def _label(cell: Any) -> str:
    return cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)


def _note_repeated(sets: Sets, findings: Findings) -> None:
    first: dict[str, int] = {}
    for name, line in zip(sets.ids, sets.lines, strict=True):
        before = first.setdefault(name, line)
        if before != line and name:
            message = MESSAGES("repeated", id=brief(name), line=before)
            unit, hint = brief(name), MESSAGES("each_once")
            findings.add("repeated_id", message, line=line, unit=unit, hint=hint)


def _note_odd(sets: Sets, options: Options, findings: Findings) -> None:
    """Note items with very many records, and numbers that are none."""
    expected = 0
    for name, own, line in zip(sets.ids, sets.items, sets.lines, strict=True):
        unit = brief(name)
        if len(own) > MOST_RECORDS:
            message = MESSAGES("most", count=len(own), most=MOST_RECORDS)
            findings.add("records", message, line=line, unit=unit)
        for record in own if options["numbers"] else ():
            for label in options["numbers"]:
                parts, hint = numbers_of(record.get(label)), ""
                odd = next((part for part in parts if not is_number(part)), None)
                if not parts:
                    message = MESSAGES("no_number", field=brief(label))
                elif odd is not None:
                    message, hint = what_is_wrong(odd)
                elif len(parts) != (expected or len(parts)):
                    message = MESSAGES(
                        "parts",
                        text=brief(record[label]),
                        count=len(parts),
                        expected=expected,
                    )
                else:
                    expected = len(parts) if len(options["numbers"]) == 1 else 0
                    continue
                findings.add("number", message, line=line, unit=unit, hint=hint)


def read_gold(source: Source, options: Options) -> Sets:
    """Raises SetupError with every line that is wrong."""
    scale(options)
    findings = Findings(source.name)
    sets = _read(source, options, SetupError, findings, gold=True)
    names = sets.fields
    chosen = (*options["fields"], *options["overlap"], *options["numbers"])
    for name in (*chosen, *filter(None, [options["by"]])):
        if names and name not in names:
            findings.add("field", MESSAGES("no_field", field=brief(name)))
    if not names and not findings.problems:
        findings.add("empty_file", MESSAGES("empty"))
    findings.raise_if_any(SetupError)
    return sets


def read_blind(source: Source, options: Options) -> Sets:
    """Items alone. Raises SetupError."""
    findings = Findings(source.name)
    sets = _read(source, options, SetupError, findings, answered=False)
    findings.raise_if_any(SetupError)
    return sets


def _note_other_fields(sets: Sets, options: Options, findings: Findings) -> None:
    """Note fields of the task that no record has, and one has in another spelling."""
    names = sets.fields
    for name in (*options["fields"], *options["overlap"], *options["numbers"]):
        if name not in names and (near := meant_by(name, [*names])):
            hint = MESSAGES("write_field", field=brief(name))
            message = MESSAGES("other_field", field=brief(name), other=brief(near))
            findings.add("field", message, hint=hint)


def read_system(source: Source, options: Options, gold: Sets) -> Sets:
    """Records in the order of gold or blind file. Raises Refused with every line that
    is wrong, and for missing and unknown items."""
    findings = Findings(source.name)
    sets = _read(source, options, Refused, findings)
    places = {name: place for place, name in enumerate(sets.ids)}
    gold_ids = set(gold.ids)
    for name, line in zip(sets.ids, sets.lines, strict=True):
        if name and name not in gold_ids:
            message, hint = MESSAGES("unknown", id=brief(name)), MESSAGES("known")
            unit = brief(name)
            findings.add("unknown_id", message, line=line, unit=unit, hint=hint)
    _note_other_fields(sets, options, findings)
    lacking = [name for name in gold.ids if name not in places]
    codes = {problem.code for problem in findings.problems}
    if lacking and not codes & {"header", "json"}:
        message = MESSAGES(
            "missing", count=len(lacking), all=len(gold), id=brief(lacking[0])
        )
        unit, hint = brief(lacking[0]), MESSAGES("answer_all")
        findings.add("missing_id", message, unit=unit, hint=hint)
    findings.raise_if_any(Refused)
    order = [places[name] for name in gold.ids]
    items = tuple(sets.items[place] for place in order)
    return Sets(gold.ids, items, tuple(sets.lines[place] for place in order))


def blind(gold: Source, options: Options) -> Source:
    """The published file: ids and inputs, or sentences whose expressions are not told.
    Raises SetupError."""
    sets = read_gold(gold, options)
    text = text_of(gold, SetupError)
    if is_cupt(text):
        return Source.of_bytes(gold.name, cupt.without(text, cupt.UNKNOWN).encode())
    rows = [
        {ID: name, **{asked: cells[place] for asked, cells in sets.inputs.items()}}
        for place, name in enumerate(sets.ids)
    ]
    return Source.of_bytes(gold.name, json_lines(rows).encode())


@each_published_file
def guess(source: Source, options: Options) -> str:
    """An example submission: no record in any item."""
    text = text_of(source, Refused)
    if is_cupt(text):
        return cupt.without(text, cupt.NOTHING)
    ids = read_blind(source, options).ids
    return json_lines([{ID: own, options["records"]: []} for own in ids])


@each_file
def spoil(text: str, share: float, random: Random) -> str:
    """A copy of gold in which some items lack a record, in .cupt all of them."""
    if is_cupt(text):
        sentences = cupt.read(text, Findings(""), answered=True)
        held = [
            place for place, sentence in enumerate(sentences) if sentence.expressions
        ]
        return cupt.without(text, cupt.NOTHING, set(some(held, share, random)))
    text = form_of("", text, Refused).text
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    lists = [_lists(row) for row in rows]
    held = [place for place, own in enumerate(lists) if own]
    for place in some(held, share, random):
        own = lists[place][0]
        del own[random.randrange(len(own))]
    return json_lines(rows)


def _lists(row: Mapping[str, Any]) -> list[list[Any]]:
    """Members that are lists of records and hold any."""
    return [
        cell
        for cell in row.values()
        if isinstance(cell, list) and cell and all(isinstance(x, dict) for x in cell)
    ]
