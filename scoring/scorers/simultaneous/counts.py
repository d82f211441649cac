"""Counts of segments: n-grams as sacreBLEU counts them, and lags."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.answered import Answered
from scoring.counts import Counts, Floats, fixed_point
from scoring.inspection import Inspection
from scoring.libraries import import_library
from scoring.options import Options
from scoring.scorer import Cell, DetailRows, Details
from scoring.scorers.simultaneous.alignment import NOWHERE, segments_of
from scoring.scorers.simultaneous.recordings import (
    Outputs,
    Segments,
    lengths_of,
    references_of,
)
from scoring.scorers.texts.inspection import TextInspection
from scoring.scorers.translation import bleu, chrf

NAME = "simultaneous"
# Seconds: sums of milliseconds are exact up to a million of them.
STEP = 1000.0
# Of milliseconds: a system that keeps pace lags by nothing, whatever rounding does.
DECIMALS = 6
ELAPSED = "_elapsed"


def lag_columns(name: str) -> tuple[str, str]:
    """Columns of a lag: the sum, in seconds, and how many segments have one."""
    return f"{name}[lag]", f"{name}[segments]"


@dataclass(frozen=True)
class Timing:
    """Times of the words of a system in a segment, in milliseconds from where it
    begins, which has a `length`; the `end` of the recording; `size` is how many words
    the reference has."""

    times: Sequence[float]
    length: float
    end: float
    size: int


def yaal(own: Timing) -> float | None:
    """The mean lag of the words that are said before the recording ends."""
    early = next((i for i, t in enumerate(own.times) if t >= own.end), None)
    return _mean_lag(own.times[:early], own)


def laal(own: Timing) -> float | None:
    """The mean lag of the words up to the first that comes after the segment."""
    if own.times and own.times[0] > own.length:
        return own.times[0]
    late = next((i for i, t in enumerate(own.times, 1) if t >= own.length), None)
    return _mean_lag(own.times[:late], own)


def _mean_lag(times: Sequence[float], own: Timing) -> float | None:
    """How long after the words of an even speaker they come; None without any."""
    if not times:
        return None
    pace = max(len(own.times), own.size) / own.length
    return sum(time - i / pace for i, time in enumerate(times)) / len(times)


LAGS: dict[str, Callable[[Timing], float | None]] = {"yaal": yaal, "laal": laal}
# A word, how much had been heard, and how much time had gone by.
Said = tuple[str, float, float]


def words_by_segment(
    gold: Segments, system: Outputs, options: Options
) -> list[list[Said]]:
    """The words that a system says of each segment."""
    parts: list[list[Said]] = [[] for _segment in gold.of]
    for (words, segments), output in zip(
        gold.words(options), system.outputs, strict=True
    ):
        placed = segments_of(
            words, segments, output.words, characters=options["characters"]
        )
        elapsed = output.elapsed or (0.0,) * len(output.words)
        spoken = zip(output.words, output.delays, elapsed, strict=True)
        for place, own in zip(placed, spoken, strict=True):
            if place != NOWHERE:
                parts[place].append(own)
    return parts


def texts_of(parts: Sequence[Sequence[Said]], options: Options) -> list[str]:
    space = "" if options["characters"] else " "
    return [space.join(word for word, *_times in own) for own in parts]


def count(gold: Segments, system: Outputs, options: Options) -> Counts:
    """One row per segment. Raises UsageError without sacreBLEU."""
    parts = words_by_segment(gold, system, options)
    texts, references = texts_of(parts, options), references_of(gold, options)
    ngrams = np.concatenate(
        [
            bleu.statistics(texts, [references], _tokenizer(options)),
            chrf.statistics(texts, [references])[:, : len(chrf.CHRF)],
        ],
        axis=1,
    )
    columns = dict(
        zip((*bleu.COLUMNS, *chrf.CHRF), ngrams.astype(float).T, strict=True)
    )
    for name, values in lags(gold, parts, options, timed=system.has_times).items():
        lag, segments = lag_columns(name)
        columns |= fixed_point(lag, np.nan_to_num(values) / STEP)
        columns[segments] = np.isfinite(values).astype(np.float64)
    return Counts.of_rows(names_of(gold), columns, gold.groups)


def names_of(gold: Segments) -> tuple[str, ...]:
    """Segments by recording and number."""
    number: dict[int, int] = {}
    names = []
    for place in gold.of:
        number[place] = number.get(place, 0) + 1
        names.append(f"{gold.recordings[place]}:{number[place]:04d}")
    return tuple(names)


def lags(
    gold: Segments, parts: Sequence[Sequence[Said]], options: Options, *, timed: bool
) -> dict[str, Floats]:
    """Lags in milliseconds (segments,), nan where a segment has none."""
    ends = [0.0] * len(gold.recordings)
    for place, end in zip(gold.of, gold.ends, strict=True):
        ends[place] = max(ends[place], end)
    sizes = lengths_of(gold, options)
    values: dict[str, Floats] = {}
    for column, ending in ((1, ""), (2, ELAPSED))[: 1 + timed]:
        for name, lag in LAGS.items():
            own = [
                lag(
                    Timing(
                        [float(word[column]) - STEP * start for word in part],
                        STEP * (end - start),
                        STEP * (ends[place] - start),
                        size,
                    )
                )
                for part, start, end, place, size in zip(
                    parts, gold.starts, gold.ends, gold.of, sizes, strict=True
                )
            ]
            values[name + ending] = np.array(own, np.float64).round(DECIMALS)
    return values


def _tokenizer(options: Options) -> bleu.Tokenizer:
    metrics = import_library(NAME, "sacrebleu.metrics")
    tokenizer: bleu.Tokenizer = metrics.BLEU(tokenize=options["tokenize"]).tokenizer
    return tokenizer


def signatures(counts: Counts, options: Options) -> list[str]:
    """Signatures as sacreBLEU prints them."""
    metrics = import_library(NAME, "sacrebleu.metrics")
    named = {
        "BLEU": metrics.BLEU(tokenize=options["tokenize"]),
        "chrF2": metrics.CHRF(),
    }
    for metric in named.values():
        metric.num_refs = 1
    return [f"{n}|{m.get_signature().format()}" for n, m in named.items()]


def details(gold: Segments, system: Outputs, options: Options) -> Details:
    """One row per segment: its texts and lags."""
    parts = words_by_segment(gold, system, options)
    values = lags(gold, parts, options, timed=system.has_times)
    columns: dict[str, Sequence[Cell]] = {
        "id": names_of(gold),
        "start": gold.starts,
        "end": gold.ends,
        "gold": references_of(gold, options),
        "system": texts_of(parts, options),
    }
    for name, own in values.items():
        columns[name] = [None if np.isnan(v) else v for v in own.tolist()]

    def rows() -> DetailRows:
        return zip(*columns.values(), strict=True)

    return Details(tuple(columns), rows())


def inspect(gold: Segments, system: Outputs, options: Options) -> Inspection:
    """Words that differ from the reference of the segment they were laid on."""
    texts = texts_of(words_by_segment(gold, system, options), options)
    return TextInspection.of_closest(texts, [references_of(gold, options)]).inspection()


# Words of a recording that are looked at as one text: recordings are few.
PIECE = 12


def count_answers(asked: Segments, system: Outputs, options: Options) -> Answered:
    """How many recordings a system says something of, and what its texts have in
    common."""
    size = len(asked.recordings)
    silent = sum(not output.words for output in system.outputs)
    between = "" if options["characters"] else " "
    whole = Answered.of_texts([between.join(own.words) for own in system.outputs])
    pieces = [
        between.join(own.words[place : place + PIECE])
        for own in system.outputs
        for place in range(0, len(own.words), PIECE)
    ]
    odd = whole.odd or Answered.of_texts(pieces).odd
    return replace(whole, asked=size, met=size, empty=silent, odd=odd)
