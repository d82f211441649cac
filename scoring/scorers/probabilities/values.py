"""Probabilities of classes for each item: read, checked, published, guessed, spoiled.

Gold has a class for each item, in the column `label`, or soft labels: the share of
people who chose each class, in a column of its name. The published file has a column
of each class, without any cell filled, so that everybody knows what they are called.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import numpy as np

from scoring.counts import Flags, Floats
from scoring.errors import Findings, Problem, Refused, ScoringError, SetupError
from scoring.formats import answers, records
from scoring.formats.answers import GROUPS, ID, Answers, Layout
from scoring.formats.forms import rewritten
from scoring.formats.numerals import is_number, what_is_wrong
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.outlines import Outline, items
from scoring.picks import each_file, each_published_file, some
from scoring.source import Source, brief

MESSAGES = Messages(
    range=_("'%(text)s' is not a probability: it is below 0 or above 1."),
    softmax=_("Turn the scores of a model into probabilities first, as by softmax."),
    close=_("Write 0 for what is just below 0, and 1 for what is just above 1."),
    write_shares=_("Write shares of 1, as 0.25 for 25 percent."),
    sum=_("the probabilities add up to %(sum)s; expected 1."),
    add_up=_("Divide them by their sum."),
    give_each=_("Give every item an answer."),
    few_classes=_("fewer than two classes: %(classes)s"),
    name_classes=_("Name them by the option 'labels', or by columns of their names."),
    most_classes=_("%(count)s classes; expected at most %(most)s."),
    unknown_class=_("'%(label)s' is none of the classes: %(classes)s."),
)

LABEL = "label"
MOST_CLASSES = 100
# How far from 1 probabilities may add up to, for those who round them.
ROUNDED = 0.011


@dataclass(frozen=True)
class Distributions:
    """A share of each class for each item, (items, classes), in the order of the gold.

    `soft` says that gold has shares, not one class for each item.
    """

    answers: Answers
    classes: tuple[str, ...]
    table: Floats
    soft: bool = False

    def __len__(self) -> int:
        return len(self.answers)

    @cached_property
    def top(self) -> Flags:
        """Flags of the classes that have the highest share of an item; several may."""
        return np.asarray(self.table == self.table.max(axis=1, keepdims=True))


def flat(source: Source, options: Options) -> Source:
    """Records of JSON whose shares are one object, `"soft_label": {"yes": 0.8, ...}`,
    with a member for each class in its place."""
    try:
        table = records.read(source, Findings(source.name), Refused)
    except ScoringError:
        return source  # whose reader says so
    if table.delimiter or not len(table):
        return source
    nested = [n for n, own in table.columns.items() if {*map(type, own)} == {dict}]
    if len(nested) != 1:
        return source
    shares = table.columns[nested[0]]
    others = [name for name in table.columns if name != nested[0]]
    rows = [
        (line, {**{name: table.columns[name][row] for name in others}, **own})
        for row, (line, own) in enumerate(
            zip(table.lines.tolist(), shares, strict=True)
        )
    ]
    return rewritten(source, rows)


def _classes(
    source: Source, options: Options
) -> tuple[tuple[str, ...], bool, list[str]]:
    """The classes of a gold file, whether it has soft labels, and all columns."""
    table = records.read(source, Findings(source.name), SetupError)
    label = table.called(LABEL)
    others = {ID, LABEL, *GROUPS, *options["inputs"], *options["groups"]}
    columns = [name for name in table.columns if name.lower() not in others]
    classes = tuple(options["labels"])
    if not classes and label is not None:
        texts = {t.strip() for t in table.columns[label] if isinstance(t, str)}
        classes = tuple(sorted(texts - {""}))
    elif not classes:
        classes = tuple(columns)
    return classes, label is None, columns


def _require_classes(classes: Sequence[str], name: str) -> None:
    if len(classes) < 2:
        message = MESSAGES("few_classes", classes=brief(", ".join(classes)) or "none")
        hint = MESSAGES("name_classes")
        raise SetupError(Problem("classes", message, name, hint=hint))
    if len(classes) > MOST_CLASSES:
        message = MESSAGES("most_classes", count=len(classes), most=MOST_CLASSES)
        raise SetupError(Problem("classes", message, name))


def read_gold(source: Source, options: Options) -> Distributions:
    """Raises SetupError with every line that is wrong."""
    classes, soft, _columns = _classes(source, options)
    _require_classes(classes, source.name)
    layout = Layout("" if soft else LABEL, columns=classes if soft else ())
    if soft:
        check = _checking(classes, options)
        rows = answers.read_gold(source, layout.of(options), check)
        return Distributions(rows, classes, _numbers(rows, classes), soft=True)
    class_set = set(classes)

    def note(rows: Answers, findings: Findings) -> None:
        for item, text in enumerate(rows.texts):
            if text.strip() and text.strip() not in class_set:
                shown = brief(", ".join(classes))
                message = MESSAGES("unknown_class", label=brief(text), classes=shown)
                findings.add("label", message, line=rows.line_of(item))

    rows = answers.read_gold(source, layout.of(options), note)
    places = {name: place for place, name in enumerate(classes)}
    table = np.zeros((len(rows), len(classes)))
    own = [places[text.strip()] for text in rows.texts]
    table[np.arange(len(rows)), own] = 1.0
    return Distributions(rows, classes, table)


def read_blind(source: Source, options: Options) -> Distributions:
    """Items and names of classes. Raises SetupError."""
    rows = answers.read_blind(source, Layout(""))
    empty = [name for name, cells in rows.inputs.items() if not any(cells)]
    classes = tuple(options["labels"]) or tuple(empty)
    _require_classes(classes, source.name)
    inputs = {n: cells for n, cells in rows.inputs.items() if n not in classes}
    return Distributions(
        replace(rows, inputs=inputs), classes, np.zeros((0, len(classes)))
    )


def outline(source: Source, options: Options) -> Outline:
    """Items by their ids; columns without a cell filled are those of the classes."""
    outline = items(Layout(""))(source, options)
    table = records.read(source, Findings(source.name), Refused)
    empty = [name for name, cells in table.columns.items() if not any(cells)]
    return replace(outline, columns=(ID, *(options["labels"] or empty)))


def read_system(source: Source, options: Options, gold: Distributions) -> Distributions:
    """Raises Refused with every line that is wrong."""
    layout = Layout("", columns=gold.classes)
    check = _checking(gold.classes, options)
    rows = answers.read_system(source, layout, gold.answers, note=check)
    return Distributions(rows, gold.classes, _numbers(rows, gold.classes))


def _numbers(rows: Answers, classes: Sequence[str]) -> Floats:
    columns = [np.array(rows.cells[name], dtype=np.float64) for name in classes]
    return np.stack(columns, axis=1) + 0.0


def _checking(classes: Sequence[str], options: Options) -> answers.Note:
    """Notes what are no probabilities, and items whose do not add up to 1."""

    def note(rows: Answers, findings: Findings) -> None:
        table, fine = np.zeros((len(rows), len(classes))), True
        cells = (cell for name in classes for cell in rows.cells[name])
        below = {cell for cell in cells if cell[:1] == "-"}
        for column, name in enumerate(classes):
            for item, text in enumerate(rows.cells[name]):
                line = int(rows.lines[item])
                if not is_number(text):
                    message, hint = what_is_wrong(text)
                    hint = MESSAGES("write_shares") if text[-1:] == "%" else hint
                elif not 0 <= (value := float(text)) <= 1:
                    message = MESSAGES("range", text=brief(text))
                    hint = MESSAGES("softmax" if below else "write_shares")
                    if below == {text} and value.is_integer():  # it stands for none
                        hint = MESSAGES("give_each")
                    if -ROUNDED < value < 1 + ROUNDED:
                        hint = MESSAGES("close")
                else:
                    table[item, column] = value
                    continue
                fine = False
                unit = brief(rows.ids[item])
                findings.add("probability", message, line=line, unit=unit, hint=hint)
        if not fine or options["sums"] == "any":
            return
        sums = table.sum(axis=1)
        for item in findings.capped(np.flatnonzero(np.abs(sums - 1) > ROUNDED)):
            message = MESSAGES("sum", sum=f"{sums[item]:.6g}")
            line, unit = int(rows.lines[item]), brief(rows.ids[item])
            hint = MESSAGES("add_up" if sums[item] else "give_each")
            findings.add("sum", message, line=line, unit=unit, hint=hint)

    return note


def _file(
    shares: Distributions, cells: Mapping[str, Sequence[str]], like: Source
) -> Source:
    return records.rewrite(like, {ID: shares.answers.ids, **cells}, SetupError)


def blind(gold: Source, options: Options) -> Source:
    """The published file: ids, inputs, and empty columns of the classes."""
    shares = read_gold(gold, options)
    empty = {name: [""] * len(shares) for name in shares.classes}
    return _file(shares, {**shares.answers.inputs, **empty}, gold)


def ideal(gold: Source, options: Options) -> Source:
    """The file of a system that gives each class just the gold's share."""
    shares = read_gold(gold, options)
    return _file(shares, _written(shares.classes, shares.table), gold)


def _written(classes: Sequence[str], table: Floats) -> dict[str, list[str]]:
    columns = table.T.tolist()
    return {n: [*map(repr, own)] for n, own in zip(classes, columns, strict=True)}


@each_published_file
def guess(source: Source, options: Options) -> str:
    """An example submission: all classes alike."""
    shares = read_blind(source, options)
    alike = np.full((len(shares), len(shares.classes)), 1 / len(shares.classes))
    return _file(shares, _written(shares.classes, alike), source).single().decode()


@each_file
def spoil(text: str, share: float, random: Random) -> str:
    """A copy of a perfect file in which some items have their shares moved on by one
    class."""
    table = records.read(Source.of_bytes("", text.encode()), Findings(""), Refused)
    columns = {name: list(cells) for name, cells in table.columns.items()}
    classes = [name for name in columns if name != ID]
    for row in some(range(len(table)), share, random):
        cells = [columns[name][row] for name in classes]
        for place, own in enumerate(classes):
            columns[own][row] = cells[place - 1]
    return records.write(columns, table.delimiter)
