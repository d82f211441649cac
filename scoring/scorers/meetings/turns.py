"""Turns of speakers in sessions: a table, RTTM or STM; read, paired and published."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

import numpy as np

from scoring.errors import Findings, Refused, ScoringError, SetupError
from scoring.formats import records
from scoring.formats.answers import GROUPS, LONGEST_ID
from scoring.formats.numerals import is_number
from scoring.formats.records import Records
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.outlines import Outline
from scoring.picks import another, each_file, each_published_file, some
from scoring.source import Source, brief, text_of

MESSAGES = Messages(
    no_column=_("no column '%(column)s' found; there are: %(columns)s."),
    name_columns=_("Name the columns in the first line: %(columns)s"),
    nothing=_("gold needs a column 'text', or columns 'start' and 'end'."),
    no_session=_("'session' is empty, too long, or not a text."),
    no_speaker=_("a turn has no speaker."),
    no_rttm=_("no line of RTTM: '%(found)s'."),
    write_rttm=_(
        "Write SPEAKER, session, channel, start, duration, <NA> <NA>, speaker, <NA> "
        "<NA>, each without spaces."
    ),
    length=_("'%(start)s' and '%(length)s' are no start and duration of a turn."),
    write_length=_(
        "Write seconds, as in 12.5: the start from the beginning of the session, and "
        "how long the turn is."
    ),
    time=_("'%(start)s' to '%(end)s' is no stretch of time."),
    write_time=_(
        "Write seconds from the beginning of the session, as in 12.5, the end "
        "after the start, at most %(most)s."
    ),
    speakers=_("session '%(session)s' has more than %(most)s speakers."),
    turns=_("session '%(session)s' has more than %(most)s turns."),
    words=_("session '%(session)s' has more than %(most)s words."),
    unknown=_("there is no session '%(session)s'."),
    missing=_("session '%(session)s' is missing."),
    silence=_("Where nobody speaks write a line of a table with the session alone."),
    two_labels=_("session '%(session)s' has two labels in '%(column)s'."),
)

SESSION, SPEAKER, START, END, TEXT = "session", "speaker", "start", "end", "text"
TIMES = (START, END)
JSON = re.compile(r"[\[{]\s*[\"\[{]")
# What the lines of RTTM are about that have no turn, and how many fields one has.
OTHER_RTTM = frozenset(
    (
        *("SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH"),
        *("FILLER", "EDIT", "SU", "IP", "CB", "A/P", "SPKR-INFO"),
    )
)
MOST_FIELDS = 10
MOST_SPEAKERS, MOST_TURNS, MOST_WORDS, MOST_SECONDS = 50, 20_000, 50_000, 100_000
# Times are whole microseconds, so that their sums are exact.
STEPS = 1_000_000
ANY_WORD = "yes"


class Turn(NamedTuple):
    """Words of one speaker; times in microseconds, 0 where there are none."""

    speaker: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Sessions:
    """Turns of each session (n,), in the order of the gold. `texts` and `times` say
    what the file has, `groups` are labels of sessions by grouping."""

    names: tuple[str, ...]
    turns: tuple[tuple[Turn, ...], ...]
    texts: bool
    times: bool
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)


def _rows(source: Source, findings: Findings, kind: type[ScoringError]) -> Records:
    """The rows of a table, of RTTM or of STM."""
    lines = [
        (number, line.split())
        for number, line in enumerate(text_of(source, kind).split("\n"), 1)
        if line.strip() and not line.startswith(";;")
    ]
    first = lines[0][1] if lines else []
    if first and JSON.match(" ".join(first)):
        first = []
    if len(first) > 4 and first[0] in ("SPEAKER", *OTHER_RTTM):
        return _of_rttm(lines, findings)
    if len(first) > 4 and all(map(is_number, first[3:5])):
        return _of_stm(lines, findings)
    return records.read(source, findings, kind, identity=SESSION)


Fields = list[tuple[int, list[str]]]


def _of_rttm(lines: Fields, findings: Findings) -> Records:
    """SPEAKER session channel start duration <NA> <NA> speaker; lines of other kinds of
    RTTM are passed over."""
    cells: list[tuple[str, ...]] = []
    for number, fields in lines:
        if fields[0] in OTHER_RTTM:
            continue
        if fields[0] != "SPEAKER" or not 7 < len(fields) <= MOST_FIELDS:
            message = MESSAGES("no_rttm", found=brief(" ".join(fields), 40))
            findings.add("columns", message, line=number, hint=MESSAGES("write_rttm"))
            continue
        if not all(map(is_number, fields[3:5])):
            message = MESSAGES(
                "length", start=brief(fields[3]), length=brief(fields[4])
            )
            findings.add("time", message, line=number, hint=MESSAGES("write_length"))
            continue
        end = repr(float(fields[3]) + float(fields[4]))
        cells.append((fields[1], fields[7], fields[3], end))
    names = (SESSION, SPEAKER, *TIMES)
    return _by_column(names, cells, [n for n, f in lines if f[0] == "SPEAKER"])


def _of_stm(lines: Fields, _findings: Findings) -> Records:
    """session channel speaker start end [<labels>] words."""
    cells = []
    for _number, fields in lines:
        session, _channel, speaker, start, end, *words = [*fields, *[""] * 5][
            : max(len(fields), 5)
        ]
        labels = bool(words) and words[0].startswith("<") and words[0].endswith(">")
        cells.append((session, speaker, start, end, " ".join(words[labels:])))
    names = (SESSION, SPEAKER, *TIMES, TEXT)
    return _by_column(names, cells, [number for number, _fields in lines])


def _by_column(
    names: Sequence[str], cells: Sequence[tuple[str, ...]], lines: Sequence[int]
) -> Records:
    columns = [[row[place] for row in cells] for place in range(len(names))]
    numbers = np.array(lines[: len(cells)], dtype=np.int64)
    return Records("", ",", dict(zip(names, columns, strict=True)), numbers)


def _sessions(
    rows: Records, findings: Findings, *, texts: bool, times: bool
) -> dict[str, list[Turn]]:
    """Turns by session; what is wrong with them is noted."""
    wanted = [SESSION, SPEAKER, *(TIMES if times else ()), *((TEXT,) if texts else ())]
    lacking = [name for name in wanted if rows.called(name) is None]
    for name in lacking:
        names = records.some_names(list(rows.columns))
        message = MESSAGES("no_column", column=name, columns=names)
        hint = MESSAGES("name_columns", columns=",".join(wanted))
        findings.add("header", message, hint=hint)
    turns: dict[str, list[Turn]] = {}
    if lacking:
        return turns
    cells = (rows.texts(name) for name in (SESSION, SPEAKER, *TIMES, TEXT))
    for line, (session, speaker, start, end, text) in zip(
        rows.lines.tolist(), zip(*cells, strict=True), strict=True
    ):
        if not session or len(session) > LONGEST_ID or not session.isprintable():
            findings.add("session", MESSAGES("no_session"), line=line)
            continue
        own = turns.setdefault(session, [])
        if not (speaker or (texts and text) or (times and (start or end))):
            continue
        if not speaker:
            findings.add("speaker", MESSAGES("no_speaker"), line=line)
        first, last = (_time(start), _time(end)) if times else (0, 1)
        if first is None or last is None or first >= last:
            message = MESSAGES("time", start=brief(start), end=brief(end))
            hint = MESSAGES("write_time", most=MOST_SECONDS)
            findings.add("time", message, line=line, unit=session, hint=hint)
            continue
        own.append(Turn(speaker, first, last, text if texts else ""))
    for session, own in turns.items():
        _check_size(session, own, findings)
    return turns


def _time(text: str) -> int | None:
    if not is_number(text) or not 0 <= float(text) <= MOST_SECONDS:
        return None
    return round(float(text) * STEPS)


def _check_size(session: str, turns: Sequence[Turn], findings: Findings) -> None:
    about = {"session": brief(session)}
    if len({turn.speaker for turn in turns}) > MOST_SPEAKERS:
        message = MESSAGES("speakers", most=MOST_SPEAKERS, **about)
        findings.add("size", message, unit=session)
    if len(turns) > MOST_TURNS:
        findings.add("size", MESSAGES("turns", most=MOST_TURNS, **about), unit=session)
    if sum(len(turn.text.split()) for turn in turns) > MOST_WORDS:
        findings.add("size", MESSAGES("words", most=MOST_WORDS, **about), unit=session)


def read_gold(source: Source, options: Options) -> Sessions:
    """Raises SetupError with every line that is wrong."""
    findings = Findings(source.name)
    rows = _rows(source, findings, SetupError)
    texts, times = rows.called(TEXT) is not None, all(map(rows.called, TIMES))
    if not texts and not times:
        findings.add("header", MESSAGES("nothing"))
    turns = _sessions(rows, findings, texts=texts, times=times)
    groups = _groups(rows, turns, options["groups"], findings)
    findings.raise_if_any(SetupError)
    return Sessions(
        tuple(turns), tuple(map(tuple, turns.values())), texts, times, groups
    )


def _groups(
    rows: Records,
    turns: Mapping[str, object],
    names: Sequence[str],
    findings: Findings,
) -> dict[str, tuple[str, ...]]:
    """The label of each session by grouping."""
    groups = {}
    for name in names:
        if rows.called(name) is None:
            if name not in GROUPS:
                shown = records.some_names(list(rows.columns))
                message = MESSAGES("no_column", column=brief(name), columns=shown)
                findings.add("header", message)
            continue
        labels: dict[str, str] = {}
        cells = rows.texts(SESSION), rows.texts(name), rows.lines.tolist()
        for session, label, line in zip(*cells, strict=True):
            if labels.setdefault(session, label) != label:
                about = {"session": brief(session), "column": brief(name)}
                message = MESSAGES("two_labels", **about)
                findings.add("groups", message, line=line)
        groups[name] = tuple(labels.get(session, "") for session in turns)
    return groups


def read_blind(source: Source, options: Options) -> Sessions:
    """The sessions alone. Raises SetupError."""
    return read_gold(source, {**options, "groups": ()})


def read_system(source: Source, _options: Options, gold: Sessions) -> Sessions:
    """Turns in the order of the gold's sessions. Raises Refused with every line that is
    wrong, and for sessions that are missing or of no test set."""
    findings = Findings(source.name)
    rows = _rows(source, findings, Refused)
    turns = _sessions(rows, findings, texts=gold.texts, times=gold.times)
    if not findings.problems:
        sessions = zip(rows.texts(SESSION), rows.lines.tolist(), strict=True)
        lines = dict(reversed([*sessions]))
        sessions_of_gold = set(gold.names)
        for session in turns:
            if session not in sessions_of_gold:
                message = MESSAGES("unknown", session=brief(session))
                findings.add("extra", message, line=lines[session], unit=session)
        for session in gold.names:
            if session not in turns:
                message = MESSAGES("missing", session=brief(session))
                hint = MESSAGES("silence")
                findings.add("missing", message, unit=session, hint=hint)
    findings.raise_if_any(Refused)
    own = tuple(tuple(turns[session]) for session in gold.names)
    return Sessions(gold.names, own, gold.texts, gold.times)


def blind(gold: Source, options: Options) -> Source:
    """The published file: sessions with the columns that are to be filled, and their
    groups. Raises SetupError."""
    sessions = read_gold(gold, options)
    wanted = [SPEAKER, *(TIMES if sessions.times else ())]
    wanted += [TEXT] if sessions.texts else []
    columns: dict[str, Sequence[str]] = {SESSION: sessions.names}
    columns |= {name: [""] * len(sessions) for name in wanted}
    columns |= sessions.groups
    delimiter = _rows(gold, Findings(gold.name), SetupError).delimiter
    text = records.write(columns, delimiter)
    return Source.of_bytes(gold.name, text.encode())


@each_published_file
def guess(source: Source, _options: Options) -> str:
    """An example submission: somebody speaks for a second in each session."""
    rows = _rows(source, Findings(source.name), Refused)
    example = {SPEAKER: "A", START: "0", END: "1", TEXT: ANY_WORD}
    sessions = [*dict.fromkeys(rows.texts(SESSION))]
    columns: dict[str, Sequence[str]] = {SESSION: sessions}
    for column, cell in example.items():
        if rows.called(column):
            columns[column] = [cell] * len(sessions)
    return records.write(columns, rows.delimiter)


@each_file
def spoil(text: str, share: float, random: Random) -> str:
    """A copy of the gold in which turns are lost, or are of another speaker."""
    rows = _rows(Source.of_bytes("", text.encode()), Findings(""), Refused)
    columns = {name.lower(): rows.texts(name) for name in rows.columns}
    speakers = columns[SPEAKER]
    names = sorted(set(speakers) - {""})
    turns = [row for row, speaker in enumerate(speakers) if speaker]
    for number, row in enumerate(some(turns, share, random)):
        other = another(names, speakers[row], random) if number % 2 else None
        if other:
            speakers[row] = other
            continue
        for column in {SPEAKER, *TIMES, TEXT} & columns.keys():
            columns[column][row] = ""
    return records.write(columns, rows.delimiter)


def outline(source: Source, _options: Options) -> Outline:
    """Sessions by their names."""
    rows = _rows(source, Findings(source.name), Refused)
    lines: dict[str, int] = {}
    nameless = []
    for session, line in zip(rows.texts(SESSION), rows.lines.tolist(), strict=True):
        if session:
            lines.setdefault(session, line)
        else:
            nameless.append(line)
    header = tuple(rows.columns)
    names = (*lines, *[""] * len(nameless))
    wanted = (SESSION, SPEAKER)
    places = (*lines.values(), *nameless)
    return Outline("item", names, names, places, header=header, columns=wanted)
