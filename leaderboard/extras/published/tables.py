"""Published scores of systems, read from the tables of a campaign.

A line for each system and segment: CSV, TSV or JSON Lines, in one file or in several,
or one file a system. Without segments a score is that of a whole test set. Files of
Every Eval Ever (source: its schema 0.3.0) hold such scores, too.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from shlex import quote
from typing import Any

from scoring.elsewhere import text_in
from scoring.errors import Findings, Problem, SetupError
from scoring.formats import records
from scoring.formats.records import Records, some_names
from scoring.source import Source, brief

# Other words for the columns that say whose score a line holds, and of what.
SYSTEM = ("system", "model", "sys")
TEAM = ("team", "group", "developer")
TEST_SET = ("test_set", "testset", "lp", "language_pair", "language", "lang")
SEGMENT = ("segment", "id", "seg_id", "seg", "unit", "item")
MEASURE = ("measure", "metric")
SCORE = ("score", "value")
TABLES = (".csv", ".tsv", ".txt", ".jsonl")
JSON = ".json"
WHOLE = "whole"  # the segment of a score of a whole test set
ONLY = "test"  # the test set where nothing names one
RESULTS = "evaluation_results"  # the key of a file of Every Eval Ever
NUMBERS = "Write scores as 30.5, and leave a cell empty where there is none."

Cells = dict[str, dict[str, str]]  # segment -> measure -> score as it was written


@dataclass
class PublishedScores:
    """Scores by test set, system, segment and measure, as they were written.

    `lower` are the measures of which less is better, as far as files say so; `teams`
    has the team of each system for which one was named.
    """

    values: dict[str, dict[str, Cells]] = field(default_factory=dict)
    measures: dict[str, None] = field(default_factory=dict)
    teams: dict[str, str] = field(default_factory=dict)
    lower: set[str] = field(default_factory=set)

    @property
    def systems(self) -> list[str]:
        systems = (system for of_set in self.values.values() for system in of_set)
        return list(dict.fromkeys(systems))

    def add(self, test_set: str, system: str, segment: str) -> dict[str, str]:
        """Add a segment; the dictionary for its scores."""
        of_system = self.values.setdefault(test_set, {}).setdefault(system, {})
        return of_system.setdefault(segment, {})

    def segments(self, test_set: str) -> list[str]:
        """The segments with a score of some system, in the order in which they come."""
        of_set = self.values[test_set].values()
        return list(dict.fromkeys(segment for cells in of_set for segment in cells))


def read(path: Path, wanted: Sequence[str] = ()) -> PublishedScores:
    """The scores in a file, or in the tables of a folder; of `wanted` measures, or all.

    Raises SetupError with everything that is wrong, by file and line.
    """
    scores, problems = PublishedScores(), list[Problem]()
    words: dict[str, Problem] = {}
    files = _files(path)
    if not files:
        names = ", ".join((*TABLES, JSON))
        message = f"there is no table in {path}"
        raise SetupError(Problem("no_table", message, hint=f"Files end in {names}."))
    for file in files:
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        try:
            if file.suffix == JSON:
                _add_results(scores, name, file.read_bytes())
            else:
                _add_table(scores, name, file, wanted, words)
        except SetupError as error:
            problems += error.problems
    problems += _word_problems(words, scores.measures)
    if missing := [
        name for name in wanted if name not in scores.measures and name not in words
    ]:
        listed = some_names(list(scores.measures))
        message = f"no file has a measure '{missing[0]}'; there are: {listed}"
        problems.append(Problem("measure", message))
    if problems:
        raise SetupError(problems)
    if not scores.measures:
        raise SetupError(Problem("no_scores", f"there is no score in {path}"))
    return scores


def _word_problems(
    words: Mapping[str, Problem], measures: Iterable[str]
) -> list[Problem]:
    """A problem for each column of words, with the options that leave it out."""
    rest = [f"--measure {quote(name)}" for name in measures if name not in words]
    hint = f"Name the measures alone: {' '.join(rest)}" if rest else NUMBERS
    return [replace(problem, hint=hint) for problem in words.values()]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path] if path.is_file() else []
    endings = (*TABLES, JSON)
    return sorted(f for f in path.rglob("*") if f.is_file() and f.suffix in endings)


@dataclass(frozen=True)
class _Columns:
    """The columns of a table by what they hold; "" where there is none."""

    system: str
    team: str
    test_set: str
    segment: str
    measure: str
    score: str
    measures: Sequence[str]

    @classmethod
    def of(cls, table: Records, wanted: Sequence[str]) -> "_Columns":
        roles = (SYSTEM, TEAM, TEST_SET, SEGMENT, MEASURE, SCORE)
        plain = {re.sub("[ -]", "_", name.lower()): name for name in table.columns}
        plain |= {name: name for name in table.columns}
        columns: list[Any] = [
            next((plain[name] for name in names if name in plain), "")
            for names in roles
        ]
        is_long = bool(columns[-2] and columns[-1])
        if not is_long:
            columns[-2:] = ["", ""]
        others = [name for name in table.columns if name not in columns]
        columns.append([] if is_long else [*(wanted or others)])
        return cls(*columns)


def _add_table(
    scores: PublishedScores,
    name: str,
    file: Path,
    wanted: Sequence[str],
    words: dict[str, Problem],
) -> None:
    """Add what a table holds; the columns of `words` are noted once for all files."""
    findings = Findings(name)
    source = Source.of_bytes(name, file.read_bytes())
    table = records.read(source, findings, SetupError)
    columns = _Columns.of(table, wanted)
    measures = [measure for measure in columns.measures if measure in table.columns]
    if not (measures or columns.score or wanted):
        there = some_names(list(table.columns))
        findings.add(
            "header",
            f"no column holds scores; there are: {there}",
            line=1,
            hint="Write a column for each measure, or the columns 'measure', 'score'.",
        )
    findings.raise_if_any(SetupError)
    place = Path(name).with_suffix("")
    folder = "-".join(place.parts[:-1])
    get = _getter(table)
    where = _Where(findings)
    for row, line in enumerate(table.lines.tolist()):
        system = get(columns.system, row) or ("" if columns.system else place.name)
        segment = get(columns.segment, row) or ("" if columns.segment else WHOLE)
        if not system or not segment:
            lacking = columns.segment if system else columns.system
            findings.add("empty", f"'{lacking}' is empty", line=line)
            continue
        if team := get(columns.team, row):
            scores.teams[system] = team
        test_set = get(columns.test_set, row) or folder or ONLY
        cells = scores.add(test_set, system, segment)
        written = (
            [(get(columns.measure, row), columns.score)]
            if columns.score
            else [(measure, measure) for measure in measures]
        )
        for measure, column in written:
            if wanted and measure not in wanted:
                continue
            if text := get(column, row):
                of = segment if columns.segment else test_set
                _note(scores, cells, measure, text, where.at(line, system, of))
    for measure, problem in where.words().items():
        words.setdefault(measure, problem)
    findings.raise_if_any(SetupError)


def _getter(table: Records) -> Any:
    columns: Mapping[str, Sequence[Any]] = table.columns
    return lambda name, row: text_in(columns[name][row]) if name else ""


@dataclass
class _Where:
    """The place of a score, and what stands there in place of numbers, by measure."""

    findings: Findings
    line: int = 1
    system: str = ""
    segment: str = ""
    numbers: Counter[str] = field(default_factory=Counter)
    others: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def at(self, line: int, system: str, segment: str) -> "_Where":
        self.line, self.system, self.segment = line, system, segment
        return self

    def words(self) -> dict[str, Problem]:
        """Columns that hold words; a word among numbers is found by its line."""
        problems = {}
        for measure, others in self.others.items():
            line, text = others[0]
            if len(others) > self.numbers[measure]:
                quoted = brief(text, 40)
                message = f"'{brief(measure)}' holds words, not scores, as '{quoted}'"
                problems[measure] = Problem("words", message, self.findings.file, line)
                continue
            for line, text in others:
                self.findings.add(
                    "number",
                    f"'{measure}': expected a number, found '{brief(text, 40)}'",
                    line=line,
                    hint="Correct it, or leave it empty where there is no score.",
                )
        return problems


def _note(
    scores: PublishedScores, cells: dict[str, str], measure: str, text: str, at: _Where
) -> None:
    if not measure:
        at.findings.add("empty", "the measure is not named", line=at.line)
    elif not _is_number(text):
        at.others.setdefault(measure, []).append((at.line, text))
    elif measure in cells:
        at.findings.add(
            "repeated",
            f"'{brief(at.system)}' has a second '{measure}' of '{brief(at.segment)}'",
            line=at.line,
        )
    else:
        at.numbers[measure] += 1
        scores.measures[measure] = None
        cells[measure] = text


def _is_number(text: str) -> bool:
    try:
        return text.isascii() and "_" not in text and isfinite(float(text))
    except ValueError:
        return False


# Every Eval Ever


def _add_results(scores: PublishedScores, name: str, data: bytes) -> None:
    """The scores of one system, each of a whole evaluation."""
    try:
        values = json.loads(data)
        model, results = values["model_info"], list(_results(values[RESULTS]))
        system = str(model.get("name") or model["id"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        detail = f": it has no key '{error.args[0]}'" if type(error) is KeyError else ""
        message = f"no file of Every Eval Ever{detail}"
        hint = "It has the keys 'model_info' and 'evaluation_results'."
        raise SetupError(Problem("results", message, name, hint=hint)) from None
    if team := model.get("developer"):
        scores.teams[system] = str(team)
    findings = Findings(name)
    where = _Where(findings)
    for test_set, measure, score, lower in results:
        cells = scores.add(test_set, system, WHOLE)
        _note(scores, cells, measure, score, where.at(1, system, test_set))
        if lower:
            scores.lower.add(measure)
    findings.problems += where.words().values()
    findings.raise_if_any(SetupError)


def _results(results: Sequence[Any]) -> Iterator[tuple[str, str, str, bool]]:
    for entry in results:
        config = entry["metric_config"]
        measure = config.get("metric_name") or config.get("metric_id") or "score"
        score = repr(float(entry["score_details"]["score"]))
        lower = bool(config.get("lower_is_better"))
        yield str(entry["evaluation_name"]), str(measure), score, lower
