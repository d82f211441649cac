"""Early detection: whether an alarm is raised about somebody, and after how much.

ERDE is that of Losada and Crestani 2016, with a false alarm costing the share of those
at risk; latency-weighted F1 that of Sadeque, Xu and Bethard 2018, as in eRisk.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring import outlines
from scoring.counts import Counts, Flags, Floats, fixed_point
from scoring.errors import Findings, Problem, SetupError
from scoring.formats import answers, records
from scoring.formats.answers import (
    GROUPS_OPTION,
    ID,
    INPUTS_OPTION,
    Answers,
    Layout,
)
from scoring.formats.chosen_columns import with_columns
from scoring.inspection import Inspection, ItemTable, Picture, kinds_at
from scoring.measures import (
    Measure,
    f1_measure,
    f1_or_zero,
    ratio,
    share_measure,
    weighed_measure,
)
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorer import DetailRows, Scorer, asked_and_answered, details_of
from scoring.source import Source, brief

MESSAGES = Messages(
    label=_("'%(text)s' is neither 1, at risk, nor 0."),
    delay=_("'%(text)s' is no whole number from 0 to %(most)s."),
    like_labels=_("every delay is 0 or 1, as labels are."),
    one_delay=_("every alarm comes after the same number of texts: %(delay)s."),
    all_flagged=_("an alarm is raised about everybody: no delay is 0."),
    write_label=_("Write 1 for somebody at risk, and 0 for all others."),
    write_delay=_(
        "Write after how many of somebody's texts the alarm was raised, or 0 for none."
    ),
)
LEAST = 10  # people of whom something is said
GOLD, SYSTEM = Layout("label"), Layout("delay")
MOST_TEXTS = 1_000_000
DEADLINES = (5, 50)
# So a delay of 100 texts costs a third of F1; of eRisk, whatever the collection.
GROWTH = 0.0078
SUBJECTS, FLAGGED, DELAY = "subjects", "flagged", "delay"
AT_RISK, CAUGHT = "at_risk[gold]", "caught[gold]"
LATE = "late_%s[gold]"
ROWS = (SUBJECTS, AT_RISK, FLAGGED, CAUGHT, DELAY)


@dataclass(frozen=True)
class Subjects:
    """People (n,) of one file, in the order of the gold: who is at risk, or of whom an
    alarm was raised, and after how many texts, 0 for none."""

    answers: Answers
    delays: Floats

    def __len__(self) -> int:
        return len(self.answers)

    @property
    def flags(self) -> Flags:
        return self.delays > 0


def read_gold(source: Source, options: Options) -> Subjects:
    """Raises SetupError with every line that is wrong."""
    return _subjects(answers.read_gold(source, GOLD.of(options), _note_label))


def read_blind(source: Source, _options: Options) -> Subjects:
    """The ids alone. Raises SetupError."""
    return Subjects(answers.read_blind(source, SYSTEM), np.zeros(0))


def read_system(source: Source, _options: Options, gold: Subjects) -> Subjects:
    """Raises Refused with every line that is wrong."""
    read = answers.read_system(source, SYSTEM, gold.answers, note=_note_delay)
    return _subjects(read)


def _subjects(read: Answers) -> Subjects:
    return Subjects(read, np.array([*map(float, read.texts)], dtype=np.float64))


def notes(system: Subjects, _options: Options) -> list[Problem]:
    """Remarks on delays that look like labels, and on alarms about everybody."""
    name, least = system.answers.name, len(system) >= LEAST
    values = {*system.delays.tolist()}
    if least and values == {0.0, 1.0}:
        text, hint = MESSAGES("like_labels"), MESSAGES("write_delay")
        return [Problem("like_labels", text, name, hint=hint)]
    if int(system.flags.sum()) >= LEAST and len(values - {0.0}) == 1:
        text = MESSAGES("one_delay", delay=f"{max(values):g}")
        return [Problem("one_delay", text, name, hint=MESSAGES("write_delay"))]
    if least and len(values) > 1 and 0.0 not in values:
        text, hint = MESSAGES("all_flagged"), MESSAGES("write_delay")
        return [Problem("all_flagged", text, name, hint=hint)]
    return []


def _note_label(read: Answers, findings: Findings) -> None:
    for place, text in enumerate(read.texts):
        if text.strip() not in ("0", "1", ""):
            message, hint = MESSAGES("label", text=brief(text)), MESSAGES("write_label")
            findings.add("label", message, line=read.line_of(place), hint=hint)


def _note_delay(read: Answers, findings: Findings) -> None:
    hint = MESSAGES("write_delay")
    for place, text in enumerate(read.texts):
        digits = text.strip()
        whole = digits.isascii() and digits.isdigit() and len(digits) < 9
        if digits and not (whole and int(digits) <= MOST_TEXTS):
            message = MESSAGES("delay", text=brief(text), most=MOST_TEXTS)
            line, unit = read.line_of(place), read.unit_of(place)
            findings.add("number", message, line=line, unit=unit, hint=hint)


def count(gold: Subjects, system: Subjects, _options: Options) -> Counts:
    """One row per person."""
    at_risk, flagged = gold.flags, system.flags
    caught = at_risk & flagged
    columns: dict[str, Floats] = {
        SUBJECTS: np.ones(len(gold)),
        AT_RISK: at_risk.astype(np.float64),
        FLAGGED: flagged.astype(np.float64),
        CAUGHT: caught.astype(np.float64),
        DELAY: system.delays,
    }
    for deadline in DEADLINES:
        cost = np.where(caught, _lateness(system.delays, deadline), 0.0)
        columns |= fixed_point(LATE % deadline, cost)
    return Counts.of_rows(gold.answers.ids, columns, gold.answers.groups)


def _lateness(delays: Floats, deadline: int) -> Floats:
    """The cost of an alarm: half at the deadline, next to all some texts later."""
    return np.asarray(1 / (1 + np.exp(np.clip(deadline - delays, -50, 50))))


def erde(
    subjects: Floats, at_risk: Floats, flagged: Floats, caught: Floats, late: Floats
) -> Floats:
    """Mean cost of a person."""
    missed, false = at_risk - caught, np.asarray(flagged) - caught
    return ratio(missed + late + false * ratio(at_risk, subjects), subjects)


def quickness(weights: Floats, table: Floats) -> Floats:
    """1 less the median penalty of the alarms about people at risk, (k,)."""
    caught, delays = table[:, 3] > 0, table[:, 4]
    order = np.argsort(delays[caught], kind="stable")
    own = weights[:, caught][:, order]
    penalties = 2 / (1 + np.exp(-GROWTH * (delays[caught][order] - 1))) - 1
    running = np.cumsum(own, axis=1)
    half = running[:, -1:] / 2 if len(order) else np.zeros((len(weights), 1))
    # The two in the middle, which are one where the number is odd.
    lower = (running < half).sum(axis=1)
    upper = (running <= half).sum(axis=1)
    last = max(len(order) - 1, 0)
    padded = np.append(penalties, 0.0)
    middle = (padded[np.minimum(lower, last)] + padded[np.minimum(upper, last)]) / 2
    return np.where(half[:, 0] > 0, 1 - middle, np.nan)


def latency_f1(weights: Floats, table: Floats) -> Floats:
    """F1 times `quickness`, 0 where nobody at risk was found, (k,)."""
    at_risk, flagged, caught = (weights @ table[:, place] for place in (1, 2, 3))
    value = f1_or_zero(caught, flagged, at_risk) * np.nan_to_num(
        quickness(weights, table)
    )
    return np.where(weights.sum(axis=1) > 0, value, np.nan)


def _erde(deadline: int) -> Measure:
    return Measure(
        f"erde_{deadline}",
        f"ERDE {deadline}",
        (SUBJECTS, AT_RISK, FLAGGED, CAUGHT, LATE % deadline),
        erde,
        _(
            "mean cost of a person: 1 for one at risk who is missed, 1 / (1 + e^(o - "
            "delay)) for one who is found, the share of those at risk for a false alarm"
        ),
        higher_is_better=False,
        bounds=(0.0, 1.0),
    )


OF_ALARMS = (CAUGHT, FLAGGED, AT_RISK)
MEASURES = (
    weighed_measure(
        "latency_f1",
        "Latency-weighted F1",
        ROWS,
        latency_f1,
        _("F1 * speed"),
        percent=True,
        bounds=(0.0, 1.0),
        stepwise=True,
    ),
    *map(_erde, DEADLINES),
    f1_measure(
        "f1",
        "F1",
        OF_ALARMS,
        _("2 right alarms / (alarms + people at risk)"),
        f1_or_zero,
    ),
    share_measure(
        "precision", "Precision", (CAUGHT, FLAGGED), _("right alarms / alarms")
    ),
    share_measure(
        "recall", "Recall", (CAUGHT, AT_RISK), _("right alarms / people at risk")
    ),
    weighed_measure(
        "speed",
        "Speed",
        ROWS,
        quickness,
        _("1 - median over right alarms of 2 / (1 + e^(-0.0078 (delay - 1))) - 1"),
        percent=True,
        bounds=(0.0, 1.0),
        stepwise=True,
    ),
)


@details_of("id", "gold", "delay", "right")
def details(gold: Subjects, system: Subjects, _options: Options) -> DetailRows:
    """One row per person, in the order of the gold."""
    sides = gold.flags.tolist(), system.delays.astype(np.int64).tolist()
    for name, at_risk, delay in zip(gold.answers.ids, *sides, strict=True):
        yield name, int(at_risk), delay, int(at_risk == (delay > 0))


def inspect(gold: Subjects, system: Subjects, _options: Options) -> Inspection:
    """One item per unit: whether somebody is at risk, and when the alarm came."""
    wrong: Mapping[str, Flags] = {
        "missing": gold.flags & ~system.flags,
        "spurious": ~gold.flags & system.flags,
    }
    inputs = gold.answers.inputs

    def picture(unit: int) -> Picture:
        own, other = int(gold.flags[unit]), int(system.delays[unit])
        sheet = ItemTable(
            ("gold_value", "system_value", *inputs),
            ((own, other, *gold.answers.inputs_of(unit)),),
            (kinds_at(wrong, unit),),
        )
        return Picture(sheet, lines=((str(own),), (str(other),)))

    return Inspection.of_items(wrong, picture)


def ideal(gold: Source, options: Options) -> Source:
    """The file of a system that finds all who are at risk by their first text. Raises
    SetupError."""
    subjects = read_gold(gold, options)
    columns = {ID: subjects.answers.ids, SYSTEM.answer: subjects.answers.texts}
    return records.rewrite(gold, columns, SetupError)


EXAMPLE = """\
id,delay
subject-1,3
subject-2,0
subject-3,12
"""
EXAMPLE_GOLD = """\
id,label
subject-1,1
subject-2,0
subject-3,0
"""

SCORER = Scorer(
    name="early",
    title=_("Early detection"),
    summary=_(
        "After how many of somebody's texts an alarm is raised, as in early detection "
        "of risks: latency-weighted F1, ERDE, F1 and speed."
    ),
    formats=("CSV", "TSV", "JSON Lines"),
    example=EXAMPLE,
    example_gold=EXAMPLE_GOLD,
    units=("item", "document"),
    headline="latency_f1",
    options=(INPUTS_OPTION, GROUPS_OPTION),
    fixed_measures=MEASURES,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    outline=outlines.items(SYSTEM),
    count=count,
    details=details,
    blind=answers.blinder(GOLD),
    ideal=ideal,
    answered=lambda asked, system, _options: answers.count_answers(
        asked.answers, system.answers
    ),
    notes=notes,
    guess=answers.guesser(SYSTEM, lambda _id: "0"),  # no alarm
    spoil=answers.spoiler(SYSTEM),
    inspect=inspect,
    stand_in=asked_and_answered,
)
SCORER = with_columns(
    SCORER, "", called=(SYSTEM.answer, ID), gold_called=(GOLD.answer, ID)
)
