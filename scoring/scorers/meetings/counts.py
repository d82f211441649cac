"""Counts of sessions: edits of words, and time by what is wrong with it."""

from collections.abc import Mapping, Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein

from scoring.answered import Answered
from scoring.counts import Counts, Flags, Floats, Integers
from scoring.errors import Problem, UsageError
from scoring.formats.numerals import is_number
from scoring.inspection import Inspection, ItemTable, Picture, kinds_at
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorer import DetailRows, Details
from scoring.scorers import transcripts
from scoring.scorers.coreference.assignment import heaviest
from scoring.scorers.meetings.turns import MOST_SECONDS, STEPS, Sessions, Turn
from scoring.source import brief

MESSAGES = Messages(
    collar=_("option 'collar' is '%(text)s'; expected seconds, as in 0.25")
)
WORDS = tuple(f"{name}[words]" for name in transcripts.OPERATIONS)
WORDS_COUNTED, TIME_COUNTED = "counted[words]", "counted[time]"
SPEECH, MISSED, FALSE, CONFUSED = (
    f"{name}[time]" for name in ("speech", "missed", "false_alarm", "confusion")
)
TIME = (SPEECH, MISSED, FALSE, CONFUSED)
ID = "id"


def collar_of(options: Options) -> int:
    """Microseconds on each side. Raises UsageError."""
    text = options["collar"].strip()
    if not is_number(text) or not 0 <= float(text) <= MOST_SECONDS:
        raise UsageError(Problem("option", MESSAGES("collar", text=brief(text))))
    return round(float(text) * STEPS)


def count(gold: Sessions, system: Sessions, options: Options) -> Counts:
    """One row per session."""
    pairs = list(zip(gold.turns, system.turns, strict=True))
    columns: dict[str, Floats] = {}
    if gold.texts:
        rows = [_edits_of(*_words(pair, options)) for pair in pairs]
        edits = np.array(rows, dtype=np.float64).reshape(-1, len(WORDS))
        columns |= {WORDS_COUNTED: np.ones(len(gold))}
        columns |= dict(zip(WORDS, edits.T, strict=True))
    if gold.times:
        collar = collar_of(options)
        lengths = [_time_of(own, other, collar) for own, other in pairs]
        times = np.array(lengths, dtype=np.float64).reshape(-1, len(TIME))
        columns |= {TIME_COUNTED: np.ones(len(gold))}
        columns |= dict(zip(TIME, times.T, strict=True))
    return Counts.of_rows(gold.names, columns, gold.groups)


Turns = Sequence[Turn]
Speech = Mapping[str, list[int]]


def _words(pair: tuple[Turns, Turns], options: Options) -> tuple[Speech, Speech]:
    """The words of each speaker, by numbers that both sides share, in order of time."""
    numbers: dict[str, int] = {}
    sides = []
    for turns in pair:
        ordered = sorted(turns, key=lambda turn: turn.start)
        texts = transcripts.texts_to_compare([turn.text for turn in ordered], options)
        words: dict[str, list[int]] = {}
        for turn, text in zip(ordered, texts, strict=True):
            own = words.setdefault(turn.speaker, [])
            own += [
                numbers.setdefault(word, len(numbers)) for word in (text or "").split()
            ]
        sides.append(words)
    return sides[0], sides[1]


def _edits_of(gold: Speech, system: Speech) -> list[int]:
    """Hits, substitutions, deletions and insertions with the pairs of speakers that
    need the fewest edits."""
    pairs = _pairs_by_words(gold, system)
    both = [(gold[own], system[other]) for own, other in pairs]
    both += [(words, []) for own, words in gold.items() if own not in dict(pairs)]
    partners = {other for _, other in pairs}
    both += [([], words) for other, words in system.items() if other not in partners]
    edits = [transcripts.operations(*sides) for sides in both]
    return [sum(row) for row in zip([0] * len(WORDS), *edits, strict=True)]


def _pairs_by_words(gold: Speech, system: Speech) -> list[tuple[str, str]]:
    """Pairs of speakers that save the most edits against leaving both alone."""
    ours, theirs = list(gold), list(system)
    saved = [
        (i, j, float(len(own) + len(other) - Levenshtein.distance(own, other)))
        for i, own in enumerate(gold.values())
        for j, other in enumerate(system.values())
    ]
    best = heaviest([pair for pair in saved if pair[2] > 0])
    return [(ours[i], theirs[j]) for i, j, _ in best]


def _time_of(gold: Turns, system: Turns, collar: int) -> list[int]:
    """Speech of the gold, and what of it is missed, too much and of another speaker;
    each moment as often as people speak."""
    edges = np.unique([t for turn in (*gold, *system) for t in (turn.start, turn.end)])
    borders = np.unique([t for turn in gold for t in (turn.start, turn.end)])
    if collar and len(borders):
        around = np.concatenate((borders - collar, borders + collar))
        edges = np.unique(np.concatenate((edges, around)))
    if len(edges) < 2:
        return [0] * len(TIME)
    lengths = np.diff(edges).astype(np.float64)
    if collar and len(borders):
        middle = edges[:-1] + lengths / 2
        right = np.searchsorted(borders, middle)
        after = borders[np.minimum(right, len(borders) - 1)]
        before = borders[np.maximum(right - 1, 0)]
        nearest = np.minimum(np.abs(after - middle), np.abs(middle - before))
        lengths = np.where(nearest < collar, 0, lengths)
    own, other = _active(gold, edges), _active(system, edges)
    common = (own * lengths) @ other.T
    places = np.argwhere(common).tolist()
    pairs = [(i, j, float(common[i, j])) for i, j in places]
    shared = sum(int(weight) for _, _, weight in heaviest(pairs))
    ref, hyp = own.sum(axis=0), other.sum(axis=0)
    parts = (ref, np.maximum(ref - hyp, 0), np.maximum(hyp - ref, 0))
    sums = [int((lengths * part).sum()) for part in (*parts, np.minimum(ref, hyp))]
    return [*sums[:3], sums[3] - shared]


def _active(turns: Turns, edges: Integers) -> Floats:
    """1 where a speaker speaks between neighbouring edges, (speakers, stretches)."""
    places = {name: i for i, name in enumerate(dict.fromkeys(t.speaker for t in turns))}
    active = np.zeros((len(places), len(edges) - 1))
    for turn in turns:
        low, high = np.searchsorted(edges, (turn.start, turn.end))
        active[places[turn.speaker], low:high] = 1
    return active


def details(gold: Sessions, system: Sessions, options: Options) -> Details:
    """One row per session: words and edits, and seconds."""
    counts = count(gold, system, options)
    names = [name for name in (*WORDS, *TIME) if name in counts.columns]
    table = counts.table[:, [counts.columns.index(name) for name in names]]
    heads = tuple(name.partition("[")[0] for name in names)

    def rows() -> DetailRows:
        for session, row in zip(gold.names, table.tolist(), strict=True):
            cells = zip(names, row, strict=True)
            yield session, *(v / STEPS if n in TIME else int(v) for n, v in cells)

    return Details((ID, *heads), rows())


def inspect(gold: Sessions, system: Sessions, options: Options) -> Inspection:
    """One item per session: the turns of both sides, by their beginning."""
    counts = count(gold, system, options)

    def flags(*names: str) -> Flags:
        places = [counts.columns.index(n) for n in names if n in counts.columns]
        return np.asarray((counts.table[:, places] > 0).any(axis=1))

    wrong: Mapping[str, Flags] = {
        "missing": flags(WORDS[2], MISSED),
        "spurious": flags(WORDS[3], FALSE),
        "wrong": flags(WORDS[1], CONFUSED),
    }

    def picture(unit: int) -> Picture:
        sides = tuple(_lines(side.turns[unit]) for side in (gold, system))
        sheet = ItemTable(
            ("gold_value", "system_value"),
            (tuple(map("\n".join, sides)),),
            (kinds_at(wrong, unit),),
        )
        return Picture(sheet, lines=(sides[0], sides[1]))

    return Inspection.of_items(wrong, picture)


def _lines(turns: Turns) -> tuple[str, ...]:
    ordered = sorted(turns, key=lambda turn: turn.start)
    times = (f"{turn.start / STEPS:g}-{turn.end / STEPS:g}" for turn in ordered)
    parts = zip(ordered, times, strict=True)
    return tuple(f"{turn.speaker} {time} {turn.text}".strip() for turn, time in parts)


def count_answers(asked: Sessions, system: Sessions, _options: Options) -> Answered:
    """How many sessions have a turn, and what the words of all turns have in common."""
    silent = sum(not turns for turns in system.turns)
    if system.texts:
        silent = sum(not any(t.text.strip() for t in turns) for turns in system.turns)
    texts = [turn.text for turns in system.turns for turn in turns]
    if silent or not system.texts or not texts:
        return Answered(len(asked), len(asked), silent)
    return Answered.of_texts(texts, units="turns")
