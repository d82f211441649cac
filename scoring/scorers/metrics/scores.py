"""Scores of systems on segments, by people or by a metric: read, paired, published."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.errors import Findings, Problem, Refused, ScoringError, SetupError
from scoring.formats import records
from scoring.formats.answers import BROKEN, GROUPS, LONGEST_ID
from scoring.formats.numerals import is_number, what_is_wrong
from scoring.formats.records import Records, some_names
from scoring.formats.text_forms import form_of
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.outlines import Outline
from scoring.picks import each_file, each_published_file, other_than, some
from scoring.scorers.numbers.values import any_number
from scoring.source import Source, brief, text_of

MESSAGES = Messages(
    no_column=_("no column '%(column)s' found; there are: %(columns)s."),
    name_columns=_("Name the columns in the first line: %(columns)s"),
    no_record=_("the file has no record below its first line."),
    no_name=_("'%(column)s' is empty or not a text."),
    long_name=_("'%(column)s' is longer than %(most)s characters."),
    odd_name=_(
        "'%(column)s' is '%(text)s', which holds a character that cannot be seen."
    ),
    repeated=_(
        "system '%(system)s' has a score for segment '%(segment)s' in line "
        "%(line)s already."
    ),
    each_once=_("Give each segment of a system once."),
    missing=_(
        "%(count)s of %(all)s scores are missing, the first of system "
        "'%(system)s' for segment '%(segment)s'."
    ),
    score_all=_("Score every system and segment of the input file."),
    two_labels=_(
        "segment '%(segment)s' has '%(column)s' '%(text)s' here and '%(before)s' "
        "before."
    ),
    one_label=_("Give all rows of a segment the same."),
    one_system=_("all scores are of one system; expected several."),
    most_systems=_("%(count)s systems; expected at most %(most)s."),
    not_human=_("no segment has scores of two systems."),
)

SYSTEM, SEGMENT, SCORE = "system", "segment", "score"
MOST_SYSTEMS = 1000
NOBODY = -1
# What stands for the score of a segment that nobody has judged.
NOT_JUDGED = ("none", "null", "na", "n/a")


@dataclass(frozen=True)
class MetricScores:
    """A score for each row (n,), which is a segment of a system.

    `system` and `segment` (n,) are places in `systems`, sorted, and in `segments`, in
    the order of the gold. `further` counts rows of a metric that the gold has not, and
    which are left out, `unjudged` those of a gold without one. `groups` give each
    segment's label, `inputs` cells of rows.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    system: Integers
    segment: Integers
    numbers: Floats
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    further: int = 0
    unjudged: int = 0

    def __len__(self) -> int:
        return len(self.system)

    @cached_property
    def given(self) -> Flags:
        """Flags of the systems that have a score, (segments, systems)."""
        flags = np.zeros((len(self.segments), len(self.systems)), dtype=np.bool_)
        flags[self.segment, self.system] = True
        return flags

    def grid(self, values: Floats) -> Floats:
        """Values of rows (n,) as (segments, systems), 0 where there is no row."""
        cells = np.zeros(self.given.shape)
        cells[self.segment, self.system] = values
        return cells


@dataclass(frozen=True)
class _Rows:
    """Rows of a file as they stand there."""

    table: Records
    systems: list[str]
    segments: list[str]
    numbers: Floats


def _read(
    source: Source, findings: Findings, kind: type[ScoringError], *, scored: bool
) -> _Rows:
    """Rows of one file, what is wrong with them noted; `scored` with their numbers."""
    table = records.read(source, findings, kind)
    wanted = (SYSTEM, SEGMENT, SCORE) if scored else (SYSTEM, SEGMENT)
    line = None if table.kind == "jsonl" else 1
    if findings.problems and not table.columns:
        raise kind(findings.problems)
    for name in wanted:
        if table.called(name) is None:
            names = some_names(list(table.columns))
            message = MESSAGES("no_column", column=name, columns=names)
            hint = MESSAGES("name_columns", columns=",".join(wanted))
            findings.add("header", message, line=line, hint=hint)
    if any(table.called(name) is None for name in wanted):
        raise kind(findings.problems)
    if not len(table) and not findings.problems:
        findings.add("empty_file", MESSAGES("no_record"))
    systems, segments = (_names(table, c, findings) for c in (SYSTEM, SEGMENT))
    numbers = _numbers(table, findings) if scored else np.zeros(len(table))
    _note_repeated(table, systems, segments, findings)
    return _Rows(table, systems, segments, numbers)


def outline(source: Source, _options: Options) -> Outline:
    """Scores by their system and segment."""
    table = records.read(source, Findings(source.name), Refused)
    wanted, header = (SYSTEM, SEGMENT, SCORE), tuple(table.columns)
    if table.called(SYSTEM) is None or table.called(SEGMENT) is None:
        return Outline("item", (), (), (), header=header, columns=wanted)
    both = zip(table.texts(SYSTEM), table.texts(SEGMENT), strict=True)
    names = [f"{system} {segment}" for system, segment in both]
    lines = table.lines.tolist()
    scores = table.texts(SCORE) if table.called(SCORE) else ()
    return Outline(
        "item", names, names, lines, (), (), scores, header, wanted, closed=False
    )


def _names(table: Records, column: str, findings: Findings) -> list[str]:
    names = table.texts(column)
    odd = {n for n in set(names) if not n.isprintable() or not 0 < len(n) <= LONGEST_ID}
    for row, name in enumerate(names) if odd else ():
        if name not in odd:
            continue
        odd.remove(name)
        line = int(table.lines[row])
        if not name:
            findings.add("name", MESSAGES("no_name", column=column), line=line)
        elif len(name) > LONGEST_ID:
            message = MESSAGES("long_name", column=column, most=LONGEST_ID)
            findings.add("name", message, line=line)
        else:
            message = MESSAGES("odd_name", column=column, text=brief(name))
            findings.add("name", message, line=line)
    return names


def _numbers(table: Records, findings: Findings) -> Floats:
    texts = table.texts(SCORE)
    known = {text: is_number(text) for text in dict.fromkeys(texts)}
    if not all(known.values()):
        odd = [place for place, text in enumerate(texts) if not known[text]]
        for place in findings.capped(np.array(odd, dtype=np.int64)):
            message, hint = what_is_wrong(texts[place])
            line = int(table.lines[place])
            findings.add("number", message, line=line, hint=hint)
        texts = [text if known[text] else "0" for text in texts]
    # Adding 0 makes -0 a plain 0: the two are equal.
    return np.array(texts, dtype=np.float64) + 0.0


def _note_repeated(
    table: Records, systems: list[str], segments: list[str], findings: Findings
) -> None:
    pairs = list(zip(systems, segments, strict=True))
    if len(set(pairs)) == len(pairs):
        return
    first: dict[tuple[str, str], int] = {}
    for row, pair in enumerate(pairs):
        before = first.setdefault(pair, row)
        if before != row and all(pair):
            message = MESSAGES(
                "repeated",
                system=brief(pair[0]),
                segment=brief(pair[1]),
                line=int(table.lines[before]),
            )
            hint = MESSAGES("each_once")
            line = int(table.lines[row])
            findings.add("repeated", message, line=line, hint=hint)


def _scores(
    rows: _Rows, groups: Mapping[str, tuple[str, ...]], inputs: Mapping[str, list[str]]
) -> MetricScores:
    systems, segments = sorted(set(rows.systems)), list(dict.fromkeys(rows.segments))
    return MetricScores(
        tuple(systems),
        tuple(segments),
        _places(rows.systems, systems),
        _places(rows.segments, segments),
        rows.numbers,
        groups,
        inputs,
    )


def _places(names: Sequence[str], known: Sequence[str]) -> Integers:
    places = {name: place for place, name in enumerate(known)}
    return np.fromiter((places[name] for name in names), np.int64, len(names))


def read_gold(source: Source, options: Options) -> MetricScores:
    """Scores of people. Raises SetupError with every line that is wrong."""
    findings = Findings(source.name)
    source, unjudged = _rows_with_score(source)
    rows = _read(source, findings, SetupError, scored=True)
    groups = _groups(rows, options["groups"], findings)
    inputs = _inputs(rows.table, options["inputs"], findings)
    findings.raise_if_any(SetupError)
    scores = _scores(rows, groups, inputs)
    count = len(scores.systems)
    message = ""
    if count < 2:
        message = MESSAGES("one_system")
    elif count > MOST_SYSTEMS:
        message = MESSAGES("most_systems", count=count, most=MOST_SYSTEMS)
    elif scores.given.sum(axis=1).max() < 2:
        message = MESSAGES("not_human")
    if message:
        raise SetupError(Problem("systems", message, source.name))
    return replace(scores, unjudged=unjudged)


def _rows_with_score(gold: Source) -> tuple[Source, int]:
    """The gold without rows whose score is None, as mt-metrics-eval writes what nobody
    has judged, and how many they are. Lines keep their numbers."""
    table = records.read(gold, Findings(gold.name), SetupError)
    column = table.called(SCORE)
    if column is None:
        return gold, 0
    cells = zip(table.lines.tolist(), table.columns[column], strict=True)
    lines = [n for n, text in cells if str(text).strip().casefold() in NOT_JUDGED]
    if not lines:
        return gold, 0
    text = form_of(gold.name, text_of(gold, SetupError), SetupError).text.split("\n")
    for line in lines:
        text[line - 1] = ""
    return Source.of_bytes(gold.name, "\n".join(text).encode()), len(lines)


def read_blind(source: Source, options: Options) -> MetricScores:
    """Systems and segments of the published file. Raises SetupError."""
    findings = Findings(source.name)
    rows = _read(source, findings, SetupError, scored=False)
    findings.raise_if_any(SetupError)
    shown = [n for n in rows.table.columns if n.lower() not in (SYSTEM, SEGMENT)]
    return _scores(rows, {}, {name: rows.table.texts(name) for name in shown})


def _groups(
    rows: _Rows, names: Sequence[str], findings: Findings
) -> dict[str, tuple[str, ...]]:
    """The label of each segment by grouping."""
    groups = {}
    for name in names:
        if rows.table.called(name) is None:
            if name not in GROUPS:
                _note_no_column(rows.table, name, findings)
            continue
        labels: dict[str, str] = {}
        cells = rows.table.texts(name)
        for row, (segment, text) in enumerate(zip(rows.segments, cells, strict=True)):
            before = labels.setdefault(segment, text)
            if before != text:
                message = MESSAGES(
                    "two_labels",
                    segment=brief(segment),
                    column=brief(name),
                    text=brief(text),
                    before=brief(before),
                )
                line, hint = int(rows.table.lines[row]), MESSAGES("one_label")
                findings.add("groups", message, line=line, hint=hint)
        groups[name] = tuple(labels.values())
    return groups


def _inputs(
    table: Records, names: Sequence[str], findings: Findings
) -> dict[str, list[str]]:
    inputs = {}
    for name in names:
        if table.called(name) is None or name.lower() == SCORE:
            _note_no_column(table, name, findings)
        else:
            inputs[name] = table.texts(name)
    return inputs


def _note_no_column(table: Records, name: str, findings: Findings) -> None:
    names = some_names(list(table.columns))
    message = MESSAGES("no_column", column=brief(name), columns=names)
    line = None if table.kind == "jsonl" else 1
    findings.add("header", message, line=line)


def read_system(source: Source, _options: Options, gold: MetricScores) -> MetricScores:
    """Scores of a metric in the order of gold or blind file. Rows that those have not
    are left out. Raises Refused with every line that is wrong, and for missing rows."""
    findings = Findings(source.name)
    rows = _read(source, findings, Refused, scored=True)
    places = {
        pair: place
        for place, pair in enumerate(zip(rows.systems, rows.segments, strict=True))
    }
    wanted = [
        (gold.systems[system], gold.segments[segment])
        for system, segment in zip(
            gold.system.tolist(), gold.segment.tolist(), strict=True
        )
    ]
    order = np.array([places.get(pair, NOBODY) for pair in wanted], dtype=np.int64)
    lacking = np.flatnonzero(order == NOBODY)
    if len(lacking) and not {*BROKEN, "name"} & {p.code for p in findings.problems}:
        system, segment = wanted[int(lacking[0])]
        message = MESSAGES(
            "missing",
            count=len(lacking),
            all=len(wanted),
            system=brief(system),
            segment=brief(segment),
        )
        unit, hint = brief(segment), MESSAGES("score_all")
        findings.add("missing", message, unit=unit, hint=hint)
    findings.raise_if_any(Refused)
    further = len(rows.numbers) - len(wanted)
    return replace(gold, numbers=rows.numbers[order], further=further, groups={})


def stand_in(
    published: MetricScores, system: MetricScores, _options: Options
) -> MetricScores:
    """The metric's own scores, with what was asked."""
    return replace(system, inputs=published.inputs)


def blind(gold: Source, options: Options) -> Source:
    """The published file: systems, segments and inputs. Raises SetupError."""
    scores = read_gold(gold, options)
    columns: dict[str, Sequence[Any]] = {
        SYSTEM: [scores.systems[i] for i in scores.system.tolist()],
        SEGMENT: [scores.segments[i] for i in scores.segment.tolist()],
        **scores.inputs,
    }
    return records.rewrite(gold, columns, SetupError)


@each_published_file
def guess(source: Source, _options: Options) -> str:
    """An example submission: numbers from 0 to 1 that hang on the names alone."""
    rows = _read(source, Findings(source.name), Refused, scored=False)
    pairs = zip(rows.systems, rows.segments, strict=True)
    return _file_text(rows, [any_number(" ".join(pair)) for pair in pairs])


@each_file
def spoil(text: str, share: float, random: Random) -> str:
    """A copy of gold in which a share of the rows has another row's score."""
    gold, _unjudged = _rows_with_score(Source.of_bytes("", text.encode()))
    rows = _read(gold, Findings(""), Refused, scored=True)
    scores = rows.table.texts(SCORE)
    known = sorted(set(scores))
    for row in some(range(len(scores)), share, random):
        scores[row] = other_than(scores[row], known, random)
    return _file_text(rows, scores)


def _file_text(rows: _Rows, scores: Sequence[str]) -> str:
    columns = {SYSTEM: rows.systems, SEGMENT: rows.segments, SCORE: scores}
    return records.write(columns, rows.table.delimiter)
