"""Scorer `program`: an organizer's own program gives the scores (Codabench, CodaLab).

Counting reads what the program left: scores for the whole file, and values of units if
it writes any. Of the site a sandbox runs it before (`Scorer.runs_program`); at home the
command line does.
"""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring import programs
from scoring.counts import Counts, Floats
from scoring.errors import (
    Findings,
    Problem,
    Refused,
    ScoringError,
    SetupError,
    UsageError,
)
from scoring.formats.bundle import as_one_file
from scoring.measures import Measure
from scoring.options import Option, Options, Raw
from scoring.programs import PROBLEMS, SCORES, SCORES_TEXT, UNITS, ProgramResult
from scoring.runner import runner
from scoring.scorer import Details, Scorer
from scoring.source import Source, brief, decode
from scoring.vocabulary import (
    LARGEST,
    DeclaredMeasure,
    columns_of,
    counted,
    declared,
)

MEASURE, PROGRAM, NAME = "measure", "program", "submission_name"
SHOW_OUTPUT = "show_output"
FILE = "file"  # the only unit where a program gives values for the whole file alone
HEADER = ["unit", "column", "value"]
MOST_UNITS, LONGEST_UNIT = 1_000_000, 200
MOST_LINES, LONGEST_LINE = 20, 300  # of problems.txt
# How programs write that there is no value.
ABSENT = frozenset({"", "-", "n/a", "na", "nan", "none", "null"})
# As much as the last digit that a program wrote leaves open, and a little.
SLACK = 1e-9
NOT_PUBLISHED = (
    "What a file has to look like stands in the description of the task; its "
    "organizers' program reads it.\n"
)
SCORE = declared(["score"])


@dataclass(frozen=True)
class ProgramFiles:
    """Files by name: a reference, or a submission, as a program finds them."""

    files: Mapping[str, bytes]


def read_gold(source: Source, options: Options) -> ProgramFiles:
    program(options)
    try:
        return ProgramFiles(programs.files_of(source))
    except Refused as refusal:
        raise SetupError(refusal.problems) from None


def read_blind(source: Source, options: Options) -> ProgramFiles:
    try:
        return ProgramFiles(programs.files_of(source))
    except Refused as refusal:
        raise SetupError(refusal.problems) from None


def read_system(source: Source, options: Options, gold: ProgramFiles) -> ProgramFiles:
    """What any program can be given: a file that is not empty, or a plain zip."""
    if not any(source.files.values()):
        raise Refused(Problem("empty_file", "the file is empty", source.name))
    return ProgramFiles(programs.files_of(source, options[NAME] or ""))


def program(options: Options) -> programs.ScoringProgram:
    """The program of a task. Raises SetupError where there is none, or a wrong one."""
    source = options[PROGRAM] and as_one_file(options[PROGRAM])
    if source is None:
        hint = "Give a zip of the program, with metadata.yaml at its top."
        raise SetupError(Problem("program", "there is no scoring program", hint=hint))
    return programs.program_of(source)


def count(
    gold: ProgramFiles, system: ProgramFiles | ProgramResult, options: Options
) -> Counts:
    """Counts of what the program left; at home it runs first.

    Raises Refused with the reasons that the program gives against a submission, and
    UsageError for an outcome that is not what the task declares.
    """
    if isinstance(system, ProgramFiles):
        run = runner.get()
        if run is None:
            message = "a scoring program runs in its sandbox or on the command line"
            raise UsageError(Problem("program", message))
        system = run(program(options), gold.files, system.files)
    return counts_of(system, declared(options[MEASURE]) or SCORE)


def counts_of(outcome: ProgramResult, measures: Sequence[DeclaredMeasure]) -> Counts:
    """Counts of an outcome. Raises as `count` does."""
    refuse(outcome)
    findings = Findings("")
    scores = read_scores(outcome, findings)
    columns = columns_of(measures)
    units, table = _no_units()
    needed = columns_of(one for one in measures if not one.optional)
    if columns and (needed or UNITS in outcome.files):
        units, table = read_units(outcome, columns, findings)
    elif columns:
        table = {name: np.full(1, np.nan) for name in columns}
    elif UNITS in outcome.files:
        message = "no measure of the task is computed from units.csv"
        hint = "Declare one, as in: accuracy = mean(correct)"
        findings.add("program_units", message, hint=hint)
    whole = {one.name: _given(one, scores, findings) for one in measures if one.of_file}
    findings.raise_if_any(UsageError)
    counts = counted(units, table, whole)
    for one in measures:
        text = scores.get(one.written_name)
        if text is None or (one.optional and text.strip().lower() in ABSENT):
            continue
        if not one.of_file:
            _compare(one, counts, text, findings)
    findings.raise_if_any(UsageError)
    _require_some(measures, counts, scores)
    return counts


def _require_some(
    measures: Sequence[DeclaredMeasure], counts: Counts, scores: Mapping[str, str]
) -> None:
    """Raises UsageError where every measure is optional and the program gave none."""
    if all(
        one.optional and np.isnan(one.measure.of(counts.totals, counts.columns))
        for one in measures
    ):
        names = ", ".join(f"'{one.written_name}'" for one in measures)
        message = f"the program gave none of the scores {brief(names, LONGEST_LINE)}"
        raise UsageError(
            Problem("program_scores", f"{message}; it gave: {_known(scores)}")
        )


def _known(scores: Mapping[str, str]) -> str:
    return brief(", ".join(sorted(scores)[:MOST_LINES]), LONGEST_LINE) or "nothing"


def refuse(outcome: ProgramResult) -> None:
    """Raises Refused with the lines of problems.txt, if the program wrote any."""
    text = outcome.files.get(PROBLEMS, b"").decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines:
        raise Refused(
            Problem("program_refused", brief(line, LONGEST_LINE))
            for line in lines[:MOST_LINES]
        )


def read_scores(outcome: ProgramResult, findings: Findings) -> dict[str, str]:
    """Scores by name as they are written; of scores.json, else of scores.txt."""
    if SCORES in outcome.files:
        return _json(outcome.files[SCORES], findings)
    if SCORES_TEXT in outcome.files:
        return _lines(outcome.files[SCORES_TEXT], findings)
    return {}


def _json(data: bytes, findings: Findings) -> dict[str, str]:
    try:
        table = json.loads(data, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        findings.add("program_scores", f"{SCORES} is no JSON ({str(error)[:80]})")
        return {}
    if not isinstance(table, dict):
        message = f'{SCORES}: expected one object, as in {{"accuracy": 0.87}}'
        findings.add("program_scores", message)
        return {}
    # What is no number is told where a measure asks for it.
    return {
        name: value if type(value) is str else json.dumps(value)
        for name, value in table.items()
    }


def _lines(data: bytes, findings: Findings) -> dict[str, str]:
    scores = {}
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), 1):
        name, colon, value = line.partition(":")
        if colon:
            scores[name.strip()] = value.strip()
        elif line.strip():
            message = f"{SCORES_TEXT}: expected 'name: value'"
            findings.add("program_scores", message, line=number)
    return scores


def _given(
    measure: DeclaredMeasure, scores: Mapping[str, str], findings: Findings
) -> float | None:
    """The score for the whole file. Notes one that is missing or no number."""
    name = measure.written_name
    text = scores.get(name)
    if text is None:
        if not measure.optional:
            message = f"the program gave no score '{name}'; it gave: {_known(scores)}"
            hint = "If it may be left out, write 'optional' behind the measure."
            findings.add("program_scores", message, hint=hint)
        return None
    if measure.optional and text.strip().lower() in ABSENT:
        return None
    number = _number(text)
    if number is None:
        message = f"score '{name}': expected a number, found '{brief(text)}'"
        findings.add("program_scores", message)
    elif abs(number) >= LARGEST:
        message = f"score '{name}' is beyond {LARGEST:.0f}"
        findings.add("program_scores", message, hint="Let the program scale it.")
        return None
    return number


def _number(text: str) -> float | None:
    try:
        # Python would read 1_000, too.
        number = math.nan if "_" in text else float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _no_units() -> tuple[tuple[str, ...], dict[str, Floats]]:
    return (FILE,), {}


def read_units(
    outcome: ProgramResult, columns: Sequence[str], findings: Findings
) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Units and their values by column, nan where a unit has none."""
    if UNITS not in outcome.files:
        message = f"the program wrote no {UNITS}, which these columns come from: "
        findings.add("program_units", message + ", ".join(columns))
        return _no_units()
    try:
        text = decode(UNITS, outcome.files[UNITS], UsageError)
    except ScoringError as error:
        findings.problems += error.problems
        return _no_units()
    units: dict[str, int] = {}
    places = {name: i for i, name in enumerate(columns)}
    cells: dict[tuple[int, int], float] = {}
    rows = csv.reader(io.StringIO(text, newline=""))
    try:
        if [cell.strip() for cell in next(rows, [])] != HEADER:
            message = f"expected the first line {','.join(HEADER)}"
            findings.add("program_units", f"{UNITS}: {message}", line=1)
            return _no_units()
        for row in filter(None, rows):
            if problem := _add(row, units, places, cells):
                line = rows.line_num
                findings.add("program_units", f"{UNITS}: {problem}", line=line)
    except csv.Error as error:
        findings.add("program_units", f"{UNITS}: {error}", line=rows.line_num)
    if not units:
        findings.add("program_units", f"{UNITS} names no unit")
        return _no_units()
    table = np.full((len(units), len(columns)), np.nan)
    if cells:
        index = np.array(list(cells), dtype=np.int64)
        table[index[:, 0], index[:, 1]] = np.array(list(cells.values()))
    values = {name: table[:, place] for name, place in places.items()}
    for name, column in values.items():
        if np.nanmax(np.abs(column), initial=0.0) * len(units) >= LARGEST:
            message = f"{UNITS}: values of '{name}' are too large to be summed exactly"
            findings.add("program_units", message, hint="Let the program scale them.")
    return tuple(units), values


def _add(
    row: list[str],
    units: dict[str, int],
    places: Mapping[str, int],
    cells: dict[tuple[int, int], float],
) -> str:
    """Take in one row; the reason where it cannot be."""
    if len(row) != len(HEADER):
        return f"expected {len(HEADER)} cells, found {len(row)}"
    unit, name, text = (cell.strip() for cell in row)
    if not unit or len(unit) > LONGEST_UNIT or not unit.isprintable():
        return f"expected a unit's name of 1 to {LONGEST_UNIT} printable characters"
    if name not in places:
        return (
            f"no measure uses a column '{brief(name)}'; they use: {', '.join(places)}"
        )
    if unit not in units and len(units) >= MOST_UNITS:
        return f"more than {MOST_UNITS} units"
    place = units.setdefault(unit, len(units)), places[name]
    if place in cells:
        return f"unit '{unit[:60]}' has a second value of '{name}'"
    if text:
        number = _number(text)
        if number is None:
            return f"expected a number, found '{brief(text)}'"
        cells[place] = number
    return ""


def _compare(
    declaration: DeclaredMeasure, counts: Counts, text: str, findings: Findings
) -> None:
    """Note a score that is not the one that the units give."""
    measure = declaration.measure
    given, computed = _number(text), float(measure.of(counts.totals, counts.columns))
    digits = len(text.partition(".")[2].lower().partition("e")[0])
    slack = SLACK * max(1.0, abs(computed))
    if given is not None and "e" not in text.lower():
        slack += 10.0**-digits if digits else 0.0
    if given is None or not abs(given - computed) <= slack:
        message = (
            f"score '{declaration.written_name}' is {brief(text)}, but "
            f"{measure.formula} of "
            f"{UNITS} is {computed:.6g}"
        )
        hint = "Leave the score out, or let both say the same."
        findings.add("program_scores", message, hint=hint)


def details(
    gold: ProgramFiles, system: ProgramFiles | ProgramResult, options: Options
) -> Details:
    counts = count(gold, system, options)
    shown = [measure for measure in declare(options) if not measure.of_file]
    values = [measure.of(counts.table, counts.columns) for measure in shown]
    rows = (
        (unit, *(None if v[i] != v[i] else float(v[i]) for v in values))
        for i, unit in enumerate(counts.units)
    )
    return Details(("unit", *(measure.name for measure in shown)), rows)


def declare(raw: Raw | Options) -> tuple[Measure, ...]:
    """The measures that options declare."""
    lines: Any = raw.get(MEASURE) or ()
    return tuple(one.measure for one in declared(lines) or SCORE)


def blind(gold: Source, options: Options) -> Source:
    return Source.of_bytes("format.txt", NOT_PUBLISHED.encode())


SCORER = Scorer(
    name="program",
    title="Scoring program",
    summary="A program of your own, with the conventions of Codabench and CodaLab, "
    "run in a sandbox.",
    formats=("any",),
    example="What your program reads.\n",
    units=("unit",),
    headline="score",
    fixed_measures=tuple(one.measure for one in SCORE),
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind,
    options=(
        Option(
            PROGRAM,
            "a zip with metadata.yaml, which names the command, and Python files",
            "file",
            private=True,
        ),
        Option(
            MEASURE,
            "scores of the program, as 'macro_f1; percent', or computed from its "
            "units.csv, as 'accuracy = mean(correct); percent'; 'optional' behind one "
            "that it may leave out",
            "lines",
            default=(),
        ),
        Option(
            NAME,
            "the name under which the program finds a submission of one file; a zip "
            "keeps its names",
            "text",
        ),
        Option(
            "publish_program",
            "give the program to everybody, with the starting kit",
            "flag",
            default=False,
        ),
        Option(
            SHOW_OUTPUT,
            "show teams what the program prints on their own files: it is public "
            "then, so the program must print nothing of the gold; long words of it "
            "are taken out, short ones cannot be recognised",
            "flag",
            default=False,
        ),
    ),
    declared=declare,
    runs_program=True,
)
