"""Recordings: segments of the reference, and what a system said when; read, paired and
published."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from random import Random

from scoring.errors import Findings, Refused, ScoringError, SetupError
from scoring.formats import records
from scoring.formats.answers import GROUPS, LONGEST_ID
from scoring.formats.numerals import is_number
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.outlines import Outline
from scoring.picks import each_file, each_published_file, some
from scoring.source import Source, brief

MESSAGES = Messages(
    no_column=_("no column '%(column)s' found; there are: %(columns)s."),
    gold_columns=_("Gold has a row for each segment: %(columns)s."),
    columns=_(
        'Write one object a line: {"recording": "...", "prediction": "...", '
        '"delays": [...]}.'
    ),
    no_recording=_("'recording' is empty, too long, or not a text."),
    time=_("'%(start)s' to '%(end)s' is no stretch of time."),
    write_time=_(
        "Write seconds from the beginning of the recording, as in 12.5, the end "
        "after the start, at most %(most)s."
    ),
    no_words=_("the segments of recording '%(recording)s' have no word."),
    no_text=_("'%(column)s' is no text."),
    no_delays=_(
        "'%(column)s' is no list of numbers from 0 to %(most)s, one for each word."
    ),
    write_delays=_(
        "Write for each word how many milliseconds of the recording had been heard."
    ),
    numbers=_("%(words)s words, but %(count)s numbers in '%(column)s'."),
    characters=_("%(words)s characters, but %(count)s numbers in '%(column)s'."),
    some_elapsed=_("'elapsed' stands in some recordings, and not in this one."),
    size=_(
        "recording '%(recording)s' has %(words)s words, which is too much to align "
        "with the reference; expected at most %(most)s."
    ),
    long=_("recording '%(recording)s' has more than %(most)s words."),
    twice=_("recording '%(recording)s' stands in line %(line)s already."),
    unknown=_("there is no recording '%(recording)s'."),
    missing=_("recording '%(recording)s' is missing."),
    silence=_("A system that says nothing has an empty prediction there."),
)

RECORDING, START, END, TEXT = "recording", "start", "end", "text"
SOURCE, PREDICTION, DELAYS, ELAPSED = "source", "prediction", "delays", "elapsed"
WANTED = (RECORDING, PREDICTION, DELAYS)
MOST_WORDS, MOST_CELLS, MOST_SECONDS = 50_000, 100_000_000, 100_000
ANY_WORD, ANY_DELAY, LATE = "the", 60_000, 500


@dataclass(frozen=True)
class Segments:
    """Segments (n,) of all recordings in the order of the gold; `recordings` (m,) are
    their names, `of` (n,) the place of that of each. A published file has none."""

    recordings: tuple[str, ...]
    of: tuple[int, ...] = ()
    starts: tuple[float, ...] = ()
    ends: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.of)

    def words(self, options: Options) -> list[tuple[list[str], list[int]]]:
        """The words of each recording, and the segment of each."""
        sides: list[tuple[list[str], list[int]]] = [
            ([], []) for _name in self.recordings
        ]
        for segment, (recording, text) in enumerate(
            zip(self.of, self.texts, strict=True)
        ):
            own = pieces_of(text, options, reference=True)
            sides[recording][0].extend(own)
            sides[recording][1].extend([segment] * len(own))
        return sides


@dataclass(frozen=True)
class Output:
    """The output of a system for one recording: its words, how much had been heard at
    each, in milliseconds, and how much time had gone by, None where it does not say."""

    words: tuple[str, ...]
    delays: tuple[float, ...]
    elapsed: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Outputs:
    """Outputs (m,) in the order of the gold's recordings."""

    names: tuple[str, ...]
    outputs: tuple[Output, ...]

    @property
    def has_times(self) -> bool:
        """Whether it says how much time had gone by."""
        return any(output.elapsed is not None for output in self.outputs)


def lengths_of(gold: Segments, options: Options) -> list[int]:
    """How many words, or characters, each segment has: as many as spaces part."""
    texts = references_of(gold, options)
    if options["characters"]:
        return [*map(len, texts)]
    return [len(text.split(" ")) for text in texts]


def references_of(gold: Segments, options: Options) -> list[str]:
    texts = [text.strip() for text in gold.texts]
    return [t.replace(" ", "") for t in texts] if options["characters"] else texts


def pieces_of(text: str, options: Options, *, reference: bool = False) -> list[str]:
    """Words, or characters, of which those of a reference are without spaces."""
    if not options["characters"]:
        return text.split()
    return [*(text.strip().replace(" ", "") if reference else text)]


def _cells(table: records.Records, name: str) -> Sequence[object]:
    own = table.called(name)
    return [None] * len(table) if own is None else table.columns[own]


def read_gold(source: Source, options: Options) -> Segments:
    """The segments. Raises SetupError with every line that is wrong."""
    findings = Findings(source.name)
    table = records.read(source, findings, SetupError)
    _require(
        table,
        (RECORDING, START, END, TEXT),
        findings,
        MESSAGES("gold_columns", columns=f"{RECORDING},{START},{END},{TEXT}"),
    )
    findings.raise_if_any(SetupError)
    columns = [*map(table.texts, (RECORDING, START, END)), _cells(table, TEXT)]
    rows: dict[str, list[tuple[int, float, float, str]]] = {}
    for row, (line, name, start, end, text) in enumerate(
        zip(table.lines.tolist(), *columns, strict=True)
    ):
        if not _is_name(name):
            findings.add("recording", MESSAGES("no_recording"), line=line)
        elif not isinstance(text, str):
            message = MESSAGES("no_text", column=TEXT)
            findings.add("text", message, line=line)
        elif not (_is_time(start) and _is_time(end) and float(start) < float(end)):
            message = MESSAGES("time", start=brief(start), end=brief(end))
            hint = MESSAGES("write_time", most=MOST_SECONDS)
            findings.add("time", message, line=line, unit=name, hint=hint)
        else:
            own = row, float(start), float(end), text
            rows.setdefault(name, []).append(own)
    segments = [
        (place, *own) for place, part in enumerate(rows.values()) for own in part
    ]
    groups = _groups(table, [own[1] for own in segments], options, findings)
    gold = Segments(
        tuple(rows),
        tuple(own[0] for own in segments),
        tuple(own[2] for own in segments),
        tuple(own[3] for own in segments),
        tuple(own[4] for own in segments),
        {"document": tuple(tuple(rows)[own[0]] for own in segments), **groups},
    )
    for name, (words, _segments) in zip(rows, gold.words(options), strict=True):
        if not words:
            message = MESSAGES("no_words", recording=brief(name))
            findings.add("text", message, unit=name)
        if len(words) > MOST_WORDS:
            message = MESSAGES("long", recording=brief(name), most=MOST_WORDS)
            findings.add("size", message, unit=name)
    findings.raise_if_any(SetupError)
    return gold


def _require(
    table: records.Records, wanted: Sequence[str], findings: Findings, hint: str
) -> None:
    for name in wanted:
        if table.called(name) is None:
            listed = records.some_names(list(table.columns))
            message = MESSAGES("no_column", column=name, columns=listed)
            findings.add("header", message, hint=hint)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= LONGEST_ID and name.isprintable()


def _is_time(text: str) -> bool:
    return is_number(text) and 0 <= float(text) <= MOST_SECONDS


def _groups(
    table: records.Records, rows: Sequence[int], options: Options, findings: Findings
) -> dict[str, tuple[str, ...]]:
    """The label of each segment by grouping."""
    groups = {}
    for name in options["groups"]:
        if name not in table.columns:
            if name not in GROUPS:
                listed = records.some_names(list(table.columns))
                message = MESSAGES("no_column", column=brief(name), columns=listed)
                findings.add("header", message)
            continue
        labels = table.texts(name)
        groups[name] = tuple(labels[row] for row in rows)
    return groups


def read_blind(source: Source, _options: Options) -> Segments:
    """The names of recordings. Raises SetupError."""
    findings = Findings(source.name)
    outputs = _outputs(source, findings, SetupError, {"characters": False}, ())
    findings.raise_if_any(SetupError)
    return Segments(tuple(outputs))


def read_system(source: Source, options: Options, gold: Segments) -> Outputs:
    """Outputs in the order of the gold's recordings. Raises Refused with every line
    that is wrong, and for recordings that are missing or of no test set."""
    findings = Findings(source.name)
    outputs = _outputs(source, findings, Refused, options, gold.recordings)
    if not findings.problems:
        for name in gold.recordings:
            if name not in outputs:
                message = MESSAGES("missing", recording=brief(name))
                hint = MESSAGES("silence")
                findings.add("missing", message, unit=name, hint=hint)
    findings.raise_if_any(Refused)
    if len(gold):
        _check_sizes(outputs, gold, options, findings)
    findings.raise_if_any(Refused)
    return Outputs(gold.recordings, tuple(outputs[name] for name in gold.recordings))


def _check_sizes(
    outputs: Mapping[str, Output],
    gold: Segments,
    options: Options,
    findings: Findings,
) -> None:
    """Note what would take too long to align."""
    for name, (words, _of) in zip(gold.recordings, gold.words(options), strict=True):
        size, most = len(outputs[name].words), MOST_CELLS // len(words)
        if size > most:
            about = {"recording": brief(name), "words": size, "most": most}
            findings.add("size", MESSAGES("size", **about), unit=name)


def _outputs(
    source: Source,
    findings: Findings,
    kind: type[ScoringError],
    options: Options,
    recordings: Sequence[str],
) -> dict[str, Output]:
    """Outputs by recording, those of `recordings` if there are any; what is wrong is
    noted."""
    table = records.read(source, findings, kind, identity=RECORDING)
    called = (
        RECORDING if table.called(RECORDING) or not table.called(SOURCE) else SOURCE
    )
    wanted = (called, *WANTED[1:])
    if table.columns or not findings.problems:
        _require(table, wanted, findings, MESSAGES("columns"))
    if findings.problems:
        return {}
    names = _Names(recordings)
    outputs: dict[str, Output] = {}
    first: dict[str, int] = {}
    columns = [_cells(table, name) for name in (*wanted, ELAPSED)]
    timed = any(cell is not None for cell in columns[-1])
    for line, name, text, delays, elapsed in zip(
        table.lines.tolist(), *columns, strict=True
    ):
        name = names.resolve(name)
        if not _is_name(name):
            findings.add("recording", MESSAGES("no_recording"), line=line)
        elif name in first:
            message = MESSAGES("twice", recording=brief(name), line=first[name])
            findings.add("repeated", message, line=line, unit=name)
        elif recordings and name not in recordings:
            message = MESSAGES("unknown", recording=brief(name))
            findings.add("extra", message, line=line, unit=name)
        elif not isinstance(text, str):
            message, hint = MESSAGES("no_text", column=PREDICTION), MESSAGES("columns")
            findings.add("text", message, line=line, unit=name, hint=hint)
        else:
            words = pieces_of(text, options)
            if len(words) > MOST_WORDS:
                message = MESSAGES("long", recording=brief(name), most=MOST_WORDS)
                findings.add("size", message, line=line, unit=name)
                continue
            about = line, name, len(words), bool(options["characters"])
            times = _times(DELAYS, delays, about, findings)
            ends = _times(ELAPSED, elapsed, about, findings) if timed else None
            outputs[name] = Output(tuple(words), times, ends)
        first.setdefault(name, line)
    return outputs


class _Names:
    """Finds the gold's recording by its name, or by the name of a file in a folder."""

    def __init__(self, recordings: Sequence[str]) -> None:
        self.recordings = frozenset(recordings)
        stems = [PurePosixPath(name).stem for name in recordings]
        once = len(set(stems)) == len(stems)
        self.by_stem = dict(zip(stems, recordings, strict=True)) if once else {}

    def resolve(self, given: object) -> str:
        """The recording that a cell names: SimulEval writes a list that begins with
        it."""
        given = given[0] if isinstance(given, list) and given else given
        name = records.text_in(given)
        if name in self.recordings:
            return name
        return self.by_stem.get(PurePosixPath(name).stem, name)


def _times(
    column: str, given: object, about: tuple[int, str, int, bool], findings: Findings
) -> tuple[float, ...]:
    """Milliseconds of each word; what is none is noted."""
    line, name, words, characters = about
    if given is None and column == ELAPSED:
        findings.add("elapsed", MESSAGES("some_elapsed"), line=line, unit=name)
        return ()
    cells = given.split() if isinstance(given, str) else given
    most = 1000 * MOST_SECONDS
    fine = isinstance(cells, list) and all(
        isinstance(cell, str) and is_number(cell) and 0 <= float(cell) <= most
        for cell in cells
    )
    hint = MESSAGES("write_delays")
    if not fine or not isinstance(cells, list):
        message = MESSAGES("no_delays", column=column, most=most)
        findings.add("delays", message, line=line, unit=name, hint=hint)
        return ()
    if len(cells) != words:
        kind = "characters" if characters else "numbers"
        message = MESSAGES(kind, words=words, count=len(cells), column=column)
        findings.add("delays", message, line=line, unit=name, hint=hint)
    return tuple(map(float, cells))


def blind(gold: Source, options: Options) -> Source:
    """The published file: recordings without what is said. Raises SetupError."""
    rows = [
        {RECORDING: name, PREDICTION: "", DELAYS: []}
        for name in read_gold(gold, options).recordings
    ]
    name = f"{PurePosixPath(gold.name).stem}.jsonl"
    return Source.of_bytes(name, records.json_lines(rows).encode())


def ideal(gold: Source, options: Options) -> Source:
    """The file of a system that says each word when an even speaker begins it. Raises
    SetupError."""
    segments = read_gold(gold, options)
    space = "" if options["characters"] else " "
    sizes = lengths_of(segments, options)
    rows: list[dict[str, object]] = []
    for name, (words, places) in zip(
        segments.recordings, segments.words(options), strict=True
    ):
        delays = []
        for word, place in enumerate(places):
            start, end = segments.starts[place], segments.ends[place]
            number = word - places.index(place)
            delays.append(1000 * (start + number * (end - start) / sizes[place]))
        answers = {PREDICTION: space.join(words), DELAYS: delays, ELAPSED: delays}
        rows.append({RECORDING: name, **answers})
    return Source.of_bytes(gold.name, records.json_lines(rows).encode())


@each_published_file
def guess(source: Source, _options: Options) -> str:
    """An example submission: one word, late."""
    options = {"characters": False}
    outputs = _outputs(source, Findings(source.name), Refused, options, ())
    any_output = {PREDICTION: ANY_WORD[:1], DELAYS: [ANY_DELAY]}
    return records.json_lines([{RECORDING: name, **any_output} for name in outputs])


@each_file
def spoil(text: str, share: float, random: Random) -> str:
    """A copy of a perfect file in which words come late, every other one wrong."""
    rows = [json.loads(line) for line in text.splitlines()]
    for row in rows:
        spaced = " " in row[PREDICTION]
        words = row[PREDICTION].split() if spaced else [*row[PREDICTION]]
        wrong = set(some(range(len(words)), share, random))
        for number, place in enumerate(sorted(wrong)):
            if number % 2 == 0:
                words[place] = ANY_WORD if spaced else ANY_WORD[0]
            row[DELAYS][place] += LATE
            row[ELAPSED][place] += 2 * LATE
        row[PREDICTION] = (" " if spaced else "").join(words)
    return records.json_lines(rows)


def outline(source: Source, _options: Options) -> Outline:
    """Recordings by their names."""
    table = records.read(source, Findings(source.name), Refused, identity=RECORDING)
    called = RECORDING if table.called(RECORDING) else SOURCE
    names = [_Names(()).resolve(cell) for cell in _cells(table, called)]
    return Outline(
        "item",
        names,
        names,
        table.lines.tolist(),
        fields=table.texts(PREDICTION),
        header=tuple(table.columns),
        columns=WANTED,
        optional=(ELAPSED,) if called == RECORDING else (ELAPSED, SOURCE),
    )
