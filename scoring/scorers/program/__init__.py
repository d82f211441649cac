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

from scoring.answered import Answered
from scoring.counts import Counts, Floats
from scoring.errors import (
    Findings,
    Problem,
    Refused,
    ScoringError,
    SetupError,
    UsageError,
)
from scoring.formats.bundle import as_one_file, zip_files
from scoring.measures import Measure
from scoring.messages import Messages, _
from scoring.options import Option, Options, Raw
from scoring.runner import runner
from scoring.scorer import Details, Scorer
from scoring.scorers.program import conventions
from scoring.scorers.program.conventions import (
    PROBLEMS,
    SCORES,
    SCORES_TEXT,
    UNITS,
    ProgramResult,
)
from scoring.source import Source, brief, decode
from scoring.vocabulary import (
    LARGEST,
    DeclaredMeasure,
    columns_of,
    count_units,
    declared_measures,
    limits_of,
    outside_limits,
)

MESSAGES = Messages(
    no_units=_(
        "the program wrote no %(file)s, which these columns come from: %(columns)s"
    ),
    nothing=_("nothing"),
    no_code=_(
        "the option ingestion is for tasks whose teams send code; choose run_code, too"
    ),
    empty=_("the file is empty"),
    give_program=_("Give a zip of the program, with metadata.yaml at its top."),
    no_program=_("there is no scoring program"),
    sandbox=_("a scoring program runs in its sandbox or on the command line"),
    unused_units=_("no measure of the task is computed from units.csv"),
    declare=_("Declare one, as in: accuracy = mean(correct)"),
    no_json=_("%(file)s is no JSON (%(error)s)"),
    one_object=_('%(file)s: expected one object, as in {"accuracy": 0.87}'),
    line=_("%(file)s: expected 'name: value'"),
    no_score=_("the program gave no score '%(name)s'; it gave: %(names)s"),
    no_score_at_all=_(
        "the program gave none of the scores %(scores)s; it gave: %(names)s"
    ),
    may_be_optional=_("If it may be left out, write 'optional' behind the measure."),
    score_text=_("score '%(name)s': expected a number, found '%(text)s'"),
    score_size=_("score '%(name)s' is beyond %(most)s"),
    scale_score=_("Let the program scale it."),
    header=_("expected the first line %(header)s"),
    in_file=_("%(file)s: %(reason)s"),
    no_unit=_("%(file)s names no unit"),
    large_values=_(
        "%(file)s: values of '%(column)s' are too large to be summed exactly"
    ),
    scale_values=_("Let the program scale them."),
    cells=_("expected %(expected)s cells, found %(count)s"),
    unit_name=_("expected a unit's name of 1 to %(most)s printable characters"),
    unused_column=_("no measure uses a column '%(column)s'; they use: %(columns)s"),
    most_units=_("more than %(most)s units"),
    second_value=_("unit '%(unit)s' has a second value of '%(column)s'"),
    no_number=_("expected a number, found '%(text)s'"),
    other_score=_(
        "score '%(name)s' is %(score)s, but %(formula)s of %(file)s is %(computed)s"
    ),
    same_score=_("Leave the score out, or let both say the same."),
)

MEASURE, PROGRAM, NAME = "measure", "program", "submission_name"
SHOW_OUTPUT, RUN_CODE, INGESTION = "show_output", "run_code", "ingestion"
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
CODE_WANTED = f"""\
Send a zip of Python code with {conventions.ENTRY} at its top. It is run with two
folders: it reads its input in the first and writes what it predicts into the second,
as the description of the task says. It has no network and starts no processes.
"""
CODE_INGESTED = """\
Send a zip of Python code. The organizers' program runs it on their input, and looks in
it for what the description of the task says. It has no network and starts no processes.
"""
SCORE = declared_measures(["score"])


@dataclass(frozen=True)
class ProgramFiles:
    """Files by name: a reference, or a submission, as a program finds them."""

    files: Mapping[str, bytes]


def read_gold(source: Source, options: Options) -> ProgramFiles:
    program(options)
    try:
        files = conventions.files_of(source)
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    if options[RUN_CODE]:
        conventions.folder_of(files, conventions.REF)
        if options[INGESTION] is not None:
            conventions.ingestion_of(as_one_file(options[INGESTION]))
    elif options[INGESTION] is not None:
        raise SetupError(Problem("ingestion", MESSAGES("no_code")))
    return ProgramFiles(files)


def read_blind(source: Source, options: Options) -> ProgramFiles:
    try:
        return ProgramFiles(conventions.files_of(source))
    except Refused as refusal:
        raise SetupError(refusal.problems) from None


def read_system(source: Source, options: Options, gold: ProgramFiles) -> ProgramFiles:
    """A file that any program can be given: one that is not empty, or a plain zip; of
    code, one that can be run."""
    if not any(source.files.values()):
        raise Refused(Problem("empty_file", MESSAGES("empty"), source.name))
    if options[RUN_CODE]:
        _code(options, source)
    return ProgramFiles(conventions.files_of(source, options[NAME] or ""))


def count_answers(
    _asked: ProgramFiles, sent: ProgramFiles, _options: Options
) -> Answered:
    """The files that are sent; what is in them only the program can tell."""
    empty = sum(not data.strip() for data in sent.files.values())
    return Answered(len(sent.files), len(sent.files), empty, units="files")


def program(options: Options) -> conventions.ScoringProgram:
    """The program of a task. Raises SetupError where there is none, or a wrong one."""
    source = options[PROGRAM] and as_one_file(options[PROGRAM])
    if source is None:
        hint = MESSAGES("give_program")
        raise SetupError(Problem("program", MESSAGES("no_program"), hint=hint))
    return conventions.program_of(source)


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
            message = MESSAGES("sandbox")
            raise UsageError(Problem("program", message))
        if options[RUN_CODE]:
            system = run(program(options), *_after_code(gold, system, options))
        else:
            system = run(program(options), gold.files, system.files)
    return counts_of(system, declared_measures(options[MEASURE]) or SCORE)


def _code(options: Options, sent: Source) -> conventions.ScoringProgram:
    """The part of a zip that is run: it, or the task's ingestion program with it."""
    if options[INGESTION] is None:
        return conventions.code_of(sent)
    return conventions.run_by(as_one_file(options[INGESTION]), sent)


def _after_code(
    gold: ProgramFiles, sent: ProgramFiles, options: Options
) -> tuple[Mapping[str, bytes], Mapping[str, bytes]]:
    """Reference and submission of a program once the code that was sent has run."""
    code = _code(options, zip_files("code.zip", sent.files))
    given = conventions.folder_of(gold.files, conventions.INPUT)
    written = conventions.run_code_at_home(code, given)
    return conventions.folder_of(gold.files, conventions.REF), written


def counts_of(outcome: ProgramResult, measures: Sequence[DeclaredMeasure]) -> Counts:
    """Counts of an outcome. Raises as `count` does."""
    refuse(outcome)
    findings = Findings("")
    scores = read_scores(outcome, findings)
    columns = columns_of(measures)
    units, table = _no_units()
    needed = columns_of(measure for measure in measures if not measure.optional)
    if columns and (needed or UNITS in outcome.files):
        limits = limits_of(measures)
        units, table = read_units(outcome, columns, findings, limits)
    elif columns:
        table = {name: np.full(1, np.nan) for name in columns}
    elif UNITS in outcome.files:
        message = MESSAGES("unused_units")
        hint = MESSAGES("declare")
        findings.add("program_units", message, hint=hint)
    whole = {
        measure.name: _score_of_file(measure, scores, findings)
        for measure in measures
        if measure.of_file
    }
    findings.raise_if_any(UsageError)
    counts = count_units(units, table, whole)
    for measure in measures:
        text = scores.get(measure.written_name)
        if text is None or (measure.optional and text.strip().lower() in ABSENT):
            continue
        if not measure.of_file:
            _compare(measure, counts, text, findings)
    findings.raise_if_any(UsageError)
    _require_some(measures, counts, scores)
    return counts


def _require_some(
    measures: Sequence[DeclaredMeasure], counts: Counts, scores: Mapping[str, str]
) -> None:
    """Raises UsageError where every measure is optional and the program gave none."""
    if all(
        measure.optional and np.isnan(measure.measure.of(counts.totals, counts.columns))
        for measure in measures
    ):
        names = ", ".join(f"'{measure.written_name}'" for measure in measures)
        scores_wanted = brief(names, LONGEST_LINE)
        message = MESSAGES(
            "no_score_at_all", scores=scores_wanted, names=_names_of_scores(scores)
        )
        raise UsageError(Problem("program_scores", message))


def _names_of_scores(scores: Mapping[str, str]) -> str:
    known = brief(", ".join(sorted(scores)[:MOST_LINES]), LONGEST_LINE)
    return known or MESSAGES("nothing")


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
        findings.add(
            "program_scores", MESSAGES("no_json", file=SCORES, error=str(error)[:80])
        )
        return {}
    if not isinstance(table, dict):
        message = MESSAGES("one_object", file=SCORES)
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
            message = MESSAGES("line", file=SCORES_TEXT)
            findings.add("program_scores", message, line=number)
    return scores


def _score_of_file(
    measure: DeclaredMeasure, scores: Mapping[str, str], findings: Findings
) -> float | None:
    """The score for the whole file. Notes one that is missing or no number."""
    name = measure.written_name
    text = scores.get(name)
    if text is None:
        if not measure.optional:
            message = MESSAGES("no_score", name=name, names=_names_of_scores(scores))
            hint = MESSAGES("may_be_optional")
            findings.add("program_scores", message, hint=hint)
        return None
    if measure.optional and text.strip().lower() in ABSENT:
        return None
    number = _number(text)
    if number is None:
        message = MESSAGES("score_text", name=name, text=brief(text))
        findings.add("program_scores", message)
    elif abs(number) >= LARGEST:
        message = MESSAGES("score_size", name=name, most=f"{LARGEST:.0f}")
        findings.add("program_scores", message, hint=MESSAGES("scale_score"))
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
    outcome: ProgramResult,
    columns: Sequence[str],
    findings: Findings,
    limits: Mapping[str, tuple[float, float]],
) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Units and their values by column, nan where a unit has none. `limits` are those
    of values, by column."""
    if UNITS not in outcome.files:
        message = MESSAGES("no_units", file=UNITS, columns=", ".join(columns))
        findings.add("program_units", message)
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
            message = MESSAGES("header", header=",".join(HEADER))
            findings.add(
                "program_units", MESSAGES("in_file", file=UNITS, reason=message), line=1
            )
            return _no_units()
        for row in filter(None, rows):
            if problem := _add(row, units, places, cells, limits):
                line = rows.line_num
                findings.add(
                    "program_units",
                    MESSAGES("in_file", file=UNITS, reason=problem),
                    line=line,
                )
    except csv.Error as error:
        findings.add(
            "program_units",
            MESSAGES("in_file", file=UNITS, reason=error),
            line=rows.line_num,
        )
    if not units:
        findings.add("program_units", MESSAGES("no_unit", file=UNITS))
        return _no_units()
    table = np.full((len(units), len(columns)), np.nan)
    if cells:
        index = np.array(list(cells), dtype=np.int64)
        table[index[:, 0], index[:, 1]] = np.array(list(cells.values()))
    values = {name: table[:, place] for name, place in places.items()}
    for name, column in values.items():
        if np.nanmax(np.abs(column), initial=0.0) * len(units) >= LARGEST:
            message = MESSAGES("large_values", file=UNITS, column=name)
            findings.add("program_units", message, hint=MESSAGES("scale_values"))
    return tuple(units), values


def _add(
    row: list[str],
    units: dict[str, int],
    places: Mapping[str, int],
    cells: dict[tuple[int, int], float],
    limits: Mapping[str, tuple[float, float]],
) -> str:
    """Take in one row; the reason where it cannot be."""
    if len(row) != len(HEADER):
        return MESSAGES("cells", expected=len(HEADER), count=len(row))
    unit, name, text = (cell.strip() for cell in row)
    if not unit or len(unit) > LONGEST_UNIT or not unit.isprintable():
        return MESSAGES("unit_name", most=LONGEST_UNIT)
    if name not in places:
        return MESSAGES("unused_column", column=brief(name), columns=", ".join(places))
    if unit not in units and len(units) >= MOST_UNITS:
        return MESSAGES("most_units", most=MOST_UNITS)
    place = units.setdefault(unit, len(units)), places[name]
    if place in cells:
        return MESSAGES("second_value", unit=unit[:60], column=name)
    if text:
        number = _number(text)
        if number is None:
            return MESSAGES("no_number", text=brief(text))
        if name in limits and (reason := outside_limits(name, number, limits[name])):
            return reason
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
        message = MESSAGES(
            "other_score",
            name=declaration.written_name,
            score=brief(text),
            formula=measure.formula,
            file=UNITS,
            computed=f"{computed:.6g}",
        )
        hint = MESSAGES("same_score")
        findings.add("program_scores", message, hint=hint)


def details(
    gold: ProgramFiles, system: ProgramFiles | ProgramResult, options: Options
) -> Details:
    counts = count(gold, system, options)
    measures = [measure for measure in declare(options) if not measure.of_file]
    values = [measure.of(counts.table, counts.columns) for measure in measures]
    rows = (
        (unit, *(None if v[i] != v[i] else float(v[i]) for v in values))
        for i, unit in enumerate(counts.units)
    )
    return Details(("unit", *(measure.name for measure in measures)), rows)


def declare(raw: Raw | Options) -> tuple[Measure, ...]:
    """The measures that options declare."""
    lines: Any = raw.get(MEASURE) or ()
    return tuple(measure.measure for measure in declared_measures(lines) or SCORE)


def blind(gold: Source, options: Options) -> Source:
    text = CODE_WANTED if options.get(RUN_CODE) else NOT_PUBLISHED
    if options.get(INGESTION) is not None:
        text = CODE_INGESTED
    return Source.of_bytes("format.txt", text.encode())


SCORER = Scorer(
    name="program",
    title=_("Scoring program"),
    summary=_(
        "A program of your own, with the conventions of Codabench and CodaLab, run in "
        "a sandbox."
    ),
    formats=(_("any"),),
    example="What your program reads.\n",
    units=("unit",),
    headline="score",
    fixed_measures=tuple(measure.measure for measure in SCORE),
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    answered=count_answers,
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
        ),
        Option(
            SHOW_OUTPUT,
            "show teams what the program prints on their own files: it is public "
            "then, so the program must print nothing of the gold; long words of it "
            "are taken out, short ones cannot be recognised",
            "flag",
        ),
        Option(
            RUN_CODE,
            "teams send code: it runs first, without the gold, on the folder 'input' "
            "of the gold's zip, and the program scores what it writes against the "
            "folder 'ref'",
            "flag",
        ),
        Option(
            INGESTION,
            "with run_code: a zip as of a program, which runs the code of teams on the "
            "input and writes its predictions. Without it their own predict.py runs",
            "file",
            private=True,
        ),
        Option(
            "publish_ingestion",
            "give the ingestion program to everybody, with the starting kit",
            "flag",
        ),
    ),
    declared=declare,
    runs_program=True,
)
