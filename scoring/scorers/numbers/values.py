"""Values of gold and system: read, checked, published, guessed, spoiled."""

import zlib
from dataclasses import dataclass, field, replace

import numpy as np

from scoring.counts import Floats
from scoring.errors import Findings, Problem, UsageError
from scoring.formats import answers
from scoring.formats.answers import Answers, Layout
from scoring.formats.numerals import is_number, remark_on_codes, what_is_wrong
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.source import Source, brief

NEAR = 500  # times as large as the distance between all values
OF_SCALES = 1000  # that people use for what lies hardly apart
LEAST_STEPS = 11  # from value to value, of those that somebody sorted
MESSAGES = Messages(
    hardly_apart=_(
        "all values lie between %(least)s and %(most)s: are they the mean of all?"
    ),
    sorted=_("the values rise or fall from each item to the next: were they sorted?"),
    in_order=_("Give each item its own value."),
    within=_("option 'within' is '%(text)s'; expected a number from 0"),
    deviation=_("'%(text)s' in column '%(column)s' is no number from 0."),
    write_deviation=_("Write how far from the value an answer may be."),
)
LAYOUT = Layout("value", plain=True)


@dataclass(frozen=True)
class Values:
    """A number for each item (n,) of one file, in the order of the gold.

    `deviations` are how far from it an answer may be: those of the gold's column that
    the option names, else one 0 for all."""

    answers: Answers
    numbers: Floats
    deviations: Floats = field(default_factory=lambda: np.zeros(1))

    def __len__(self) -> int:
        return len(self.answers)


def require_options(options: Options) -> None:
    """Raises UsageError for a distance that is none."""
    text = options["within"]
    if not is_number(text) or float(text) < 0:
        message = MESSAGES("within", text=brief(text))
        raise UsageError(Problem("option", message))


def read_gold(source: Source, options: Options) -> Values:
    """Raises SetupError with every line that is wrong."""
    column = options["deviation"]
    if not column:
        return _values(answers.read_gold(source, LAYOUT.of(options), _note_odd))
    layout = replace(LAYOUT.of(options), columns=(column,), plain=False)

    def note(read: Answers, findings: Findings) -> None:
        _note_odd(read, findings)
        _note_no_deviation(read, column, findings)

    read = answers.read_gold(source, layout, note)
    deviations = np.array([*map(float, read.cells[column])])
    return replace(_values(read), deviations=deviations)


def read_blind(source: Source, _options: Options) -> Values:
    """The items alone. Raises SetupError."""
    return Values(answers.read_blind(source, LAYOUT), np.zeros(0))


def read_system(source: Source, _options: Options, gold: Values) -> Values:
    """Raises Refused with every line that is wrong."""
    rows = answers.read_system(source, LAYOUT, gold.answers, note=_note_odd)
    return _values(rows)


def notes(system: Values, _options: Options) -> list[Problem]:
    """A remark on values that may stand for none."""
    remark = remark_on_codes(system.numbers.tolist())
    problems = [Problem("code", remark, system.answers.name)] if remark else []
    values = system.numbers
    if _are_hardly_apart(values):
        about = {"least": f"{values.min():g}", "most": f"{values.max():g}"}
        text = MESSAGES("hardly_apart", **about)
        problems.append(Problem("hardly_apart", text, system.answers.name))
    steps = np.diff(values)
    turned = bool((steps >= 0).all() or (steps <= 0).all())
    others = np.count_nonzero(steps)
    if others >= max(LEAST_STEPS, len(steps) / 2) and turned:
        message, hint = MESSAGES("sorted"), MESSAGES("in_order")
        problems.append(Problem("sorted", message, system.answers.name, hint=hint))
    return problems


def _are_hardly_apart(values: Floats) -> bool:
    """Whether many values, and not whole ones, are nearly the same."""
    sizes = np.abs(values)
    if len(values) <= LEAST_STEPS or sizes.max() > OF_SCALES or not (values % 1).any():
        return False
    return bool(0 < np.ptp(values) < sizes.min() / NEAR)


def _values(rows: Answers) -> Values:
    # Adding 0 makes -0 a plain 0: the two are equal.
    numbers = np.array([*map(float, rows.texts)], dtype=np.float64) + 0.0
    return Values(rows, numbers)


def _note_no_deviation(rows: Answers, column: str, findings: Findings) -> None:
    """Note cells of the gold that do not say how far from it an answer may be."""
    for line, cell in zip(rows.lines.tolist(), rows.cells[column], strict=True):
        if not is_number(cell) or float(cell) < 0:
            message = MESSAGES("deviation", text=brief(cell), column=brief(column))
            findings.add("number", message, line=line, hint=MESSAGES("write_deviation"))


def _note_odd(rows: Answers, findings: Findings) -> None:
    """Note what is no number; that an answer is empty has been noted."""
    texts = [text.strip() for text in rows.texts]
    odd = [place for place, text in enumerate(texts) if text and not is_number(text)]
    for place in findings.capped(np.array(odd, dtype=np.int64)):
        message, hint = what_is_wrong(texts[place])
        line, unit = rows.line_of(place), rows.unit_of(place)
        findings.add("number", message, line=line, unit=unit, hint=hint)


def any_number(name: str) -> str:
    """A number from 0 to 1 that hangs on the name alone."""
    return str(zlib.crc32(name.encode()) % 101 / 100)
