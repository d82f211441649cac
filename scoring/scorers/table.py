"""Scorer `table`: values of units that organizers, or their machine, counted elsewhere.

Participants send answers by id, which are checked and handed to the organizers. What
they bring back, a table of units, is the system's file that is scored.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scoring import elsewhere, outlines
from scoring.answered import Answered
from scoring.counts import Counts
from scoring.elsewhere import Judgements, Units
from scoring.errors import Refused
from scoring.formats import answers
from scoring.formats.answers import Answers, Layout
from scoring.formats.forms import ANSWER, recognise
from scoring.measures import Measure
from scoring.messages import _
from scoring.oddities import odd_for_sentences
from scoring.options import Option, Options, Raw
from scoring.picks import each_published_file
from scoring.scorer import Details, Scorer
from scoring.source import Source
from scoring.vocabulary import (
    DeclaredMeasure,
    columns_of,
    count_units,
    limits_of,
    models_of,
)

MEASURE, MISSING = "measure", "missing"
DEFAULT = ("score = mean(score)",)


def _layout(options: Options) -> Layout:
    return Layout("").of(options)


def read_gold(source: Source, options: Options) -> Units:
    """The units, with their groups: the gold holds no answers."""
    items = answers.read_gold(source, _layout(options))
    return Units(tuple(items.ids), items.groups)


def read_blind(source: Source, options: Options) -> Answers:
    return answers.read_blind(source, _layout(options))


def read_submission(source: Source, options: Options, blind: Answers) -> Answers:
    """An answer for each item of the blind file. Raises Refused."""
    plain = recognise(source, options, Refused)
    return answers.read_system(plain, Layout(options[ANSWER]), blind)


def read_system(source: Source, options: Options, gold: Units | Answers) -> Judgements:
    """The counts of one system, made elsewhere. Raises Refused."""
    units = gold if isinstance(gold, Units) else Units(tuple(gold.ids))
    complete = options[MISSING] == "refuse"
    measures = declared_measures(options)
    return elsewhere.read(
        source,
        units,
        columns_of(measures),
        models=models_of(measures),
        limits=limits_of(measures),
        complete=complete,
    )


def columns(options: Options | Raw) -> tuple[str, ...]:
    """The columns that a table must have, beside `id`."""
    return columns_of(declared_measures(options))


def declared_measures(options: Options | Raw) -> tuple[DeclaredMeasure, ...]:
    """The measures as options declare them."""
    return elsewhere.measures_of(_lines(options))


def count_answers(
    asked: Units | Answers, sent: Answers | Judgements, _options: Options
) -> Answered:
    """How the items are answered; of what was counted elsewhere no answer is known."""
    if isinstance(sent, Answers) and isinstance(asked, Answers):
        answered = answers.count_answers(asked, sent)
        loud = odd_for_sentences(sent.texts, asked.inputs.values())
        return answered if answered.odd else replace(answered, odd=loud)
    size = len(asked.names if isinstance(asked, Units) else asked)
    return Answered(size, size)


def count(gold: Units, system: Judgements, options: Options) -> Counts:
    counts = count_units(gold.names, system.means())
    groups, cells = dict(gold.groups), system.cells()
    return Counts(counts.units, counts.columns, counts.table, groups, judged=cells)


def details(gold: Units, system: Judgements, options: Options) -> Details:
    means = system.means()
    rows = (
        (unit, *(None if v[i] != v[i] else float(v[i]) for v in means.values()))
        for i, unit in enumerate(gold.names)
    )
    return Details(("unit", *means), rows)


def declare(raw: Raw) -> tuple[Measure, ...]:
    """The measures that options declare."""
    return tuple(measure.measure for measure in declared_measures(raw))


def _lines(raw: Options | Raw) -> Sequence[Any]:
    return raw.get(MEASURE) or DEFAULT


def ideal(gold: Source, options: Options) -> Source:
    """A table with 1 everywhere: what is best depends on the measures."""
    names, units = columns(options), read_gold(gold, options).names
    lines = [",".join((elsewhere.ID, *names))]
    quoted = ['"' + unit.replace('"', '""') + '"' for unit in units]
    lines += [",".join((unit, *("1" for _ in names))) for unit in quoted]
    return Source.of_bytes("table.csv", "".join(f"{x}\n" for x in lines).encode())


def blind(gold: Source, options: Options) -> Source:
    return answers.blind(gold, _layout(options))


@each_published_file
def guess(source: Source, options: Options) -> str:
    return answers.guess_text(
        source, Layout(options[ANSWER]), lambda _name: "an answer"
    )


SCORER = Scorer(
    name="table",
    title=_("Counted elsewhere"),
    summary=_(
        "Human judgements, or a metric that runs on a machine of yours: you upload "
        "values of units for each submission."
    ),
    formats=("CSV", "TSV", "JSON Lines"),
    example="id,score\ns1,0.75\ns2,0.5\n",
    example_gold="id\ns1\ns2\n",
    units=("unit", "document"),
    headline="score",
    fixed_measures=declare({}),
    read_gold=read_gold,
    read_blind=read_blind,
    read_submission=read_submission,
    read_system=read_system,
    answered=count_answers,
    outline=outlines.items(Layout(""), ANSWER),
    count=count,
    details=details,
    blind=blind,
    guess=guess,
    ideal=ideal,
    options=(
        Option(
            MEASURE,
            "measures of the columns that you will upload, as 'adequacy = "
            "mean(adequacy); title Adequacy'; of errors with the worst value of a "
            "unit, as 'mqm = mean(penalty); lower; most 25'",
            "lines",
            DEFAULT,
        ),
        Option(ANSWER, "the column of answers in submissions", "text", "text"),
        Option(
            MISSING,
            "units without a line in an uploaded table: refuse it, or leave them "
            "without a value",
            "choice",
            "refuse",
            ("refuse", "leave"),
        ),
        answers.INPUTS_OPTION,
        answers.GROUPS_OPTION,
    ),
    declared=declare,
)
