"""Simultaneous translation of long speech: how good it is, and how far behind.

A system says its words one after another and how much of the recording it had heard at
each. They are laid out on the segments of the reference (`alignment`), and scored there
by BLEU, chrF and mean lags, as OmniSTEval does.
"""

from itertools import pairwise

import numpy as np

from scoring.counts import Floats
from scoring.errors import Problem
from scoring.formats.answers import GROUPS_OPTION
from scoring.measures import Measure, ratio
from scoring.messages import Messages, _
from scoring.options import Option, Options
from scoring.scorer import Scorer
from scoring.scorers import translation
from scoring.scorers.simultaneous import counts, recordings

MESSAGES = Messages(
    capitals=_(
        "no word has a capital letter, and %(count)s of %(all)s segments of the "
        "reference have one."
    ),
    fall=_(
        "delays fall in %(count)s of %(all)s recordings, first in '%(name)s': how "
        "much had been heard can only grow."
    ),
    one_delay=_("all words of a recording have the same delay."),
    no_delay=_(
        "every delay is 0: each word was said before any of the recording was heard."
    ),
    write_delays=_(
        "Write for each word how many milliseconds of the recording had been heard."
    ),
    in_order=_("Give the delays in the order of the words."),
)
# Delays are milliseconds; all of them below this are probably seconds.
LEAST_DELAY = 5.0
MOST_TIMES = 20  # as late as the recording ends, or as early
LONG_SEGMENT = 300.0  # seconds
OPTIONS = (
    Option(
        "characters",
        "one unit is a character, not a word, as in Chinese and Japanese",
        "flag",
    ),
    *(option for option in translation.OPTIONS if option.name == "tokenize"),
    GROUPS_OPTION,
)


def mean_lag(lag: Floats, segments: Floats) -> Floats:
    """Milliseconds; n/a where no segment has a lag."""
    return ratio(counts.STEP * np.asarray(lag), segments)


def _lag(name: str, title: str, formula: str) -> Measure:
    return Measure(
        name,
        title,
        counts.lag_columns(name),
        mean_lag,
        formula,
        higher_is_better=False,
        percent=False,
        decimals=0,
    )


OF_TEXT = {measure.name: measure for measure in translation.MEASURES}
MEASURES = (
    OF_TEXT["bleu"],
    OF_TEXT["chrf"],
    _lag(
        "yaal",
        "LongYAAL",
        _(
            "mean over segments of the mean lag in ms behind words at an even pace, of "
            "the words before the recording ends"
        ),
    ),
    _lag(
        "laal",
        "LongLAAL",
        _(
            "mean over segments of the mean lag in ms behind words at an even pace, of "
            "the words up to the first after the end of the segment"
        ),
    ),
    _lag(
        f"yaal{counts.ELAPSED}",
        "LongYAAL (CA)",
        _("LongYAAL of the time that had gone by, with that of computing"),
    ),
    _lag(
        f"laal{counts.ELAPSED}",
        "LongLAAL (CA)",
        _("LongLAAL of the time that had gone by, with that of computing"),
    ),
)


def remarks(
    gold: recordings.Segments, system: recordings.Outputs, _options: Options
) -> list[str]:
    """Delays in another unit, and capitals that are lost."""
    small = all(w == w.lower() for output in system.outputs for w in output.words)
    upper = sum(text != text.lower() for text in gold.texts)
    lost = small and 4 * upper >= len(gold)
    own = [MESSAGES("capitals", count=upper, all=len(gold))] if lost else []
    return [*own, *_unit_of_delays(gold, system)]


def _unit_of_delays(gold: recordings.Segments, system: recordings.Outputs) -> list[str]:
    last = max(gold.ends, default=0.0)
    latest = max((max(o.delays, default=0.0) for o in system.outputs), default=0.0)
    seconds = latest / 1000
    far = seconds * MOST_TIMES < last or seconds > last * MOST_TIMES
    if not latest or not far or last < LEAST_DELAY:
        return []
    return [
        f"the last word comes after {latest:g} ms, and the recordings have {last:g} "
        "seconds: delays are milliseconds from the beginning of the recording"
    ]


def gold_remarks(gold: recordings.Segments, _options: Options) -> list[str]:
    """A remark on times that are hardly seconds."""
    pairs = zip(gold.starts, gold.ends, strict=True)
    lengths = sorted(end - start for start, end in pairs)
    middle = lengths[len(lengths) // 2]
    if middle < LONG_SEGMENT:
        return []
    return [
        f"half of the segments last {middle:g} seconds or more: 'start' and 'end' are "
        "seconds, and not milliseconds"
    ]


def notes(system: recordings.Outputs, _options: Options) -> list[Problem]:
    """A remark on delays that fall, as time does not, or are 0."""
    delays = [delay for output in system.outputs for delay in output.delays]
    if delays and not any(delays):
        hint = MESSAGES("write_delays")
        return [Problem("delays", MESSAGES("no_delay"), "", hint=hint)]
    several = [own.delays for own in system.outputs if len(own.delays) > 1]
    if len(several) > 1 and all(min(own) == max(own) for own in several):
        hint = MESSAGES("write_delays")
        return [Problem("delays", MESSAGES("one_delay"), "", hint=hint)]
    pairs = zip(system.names, system.outputs, strict=True)
    fall = [name for name, own in pairs if any(a > b for a, b in pairwise(own.delays))]
    if not fall:
        return []
    message = MESSAGES("fall", count=len(fall), all=len(system.names), name=fall[0])
    return [Problem("delays", message, "", hint=MESSAGES("in_order"))]


EXAMPLE_GOLD = """\
recording,start,end,text
harbour-1,0.0,2.5,the ferry leaves at noon
harbour-1,3.0,5.0,nobody waved
harbour-2,0.5,2.0,we sailed
"""
EXAMPLE = """\
{"recording": "harbour-1", "prediction": "the ferry sails at noon nobody waved", \
"delays": [900, 1500, 2200, 2200, 2600, 4000, 4400]}
{"recording": "harbour-2", "prediction": "we sailed", "delays": [1200, 2000]}
"""

SCORER = Scorer(
    name=counts.NAME,
    title=_("Simultaneous translation"),
    summary=_(
        "Translation of long speech while it is spoken: BLEU and chrF of the segments "
        "that words are laid out on, and how far behind the speaker the words come."
    ),
    formats=("JSON Lines", "CSV", "TSV"),
    example=EXAMPLE,
    example_gold=EXAMPLE_GOLD,
    units=("segment", "document"),
    headline="bleu",
    options=OPTIONS,
    fixed_measures=MEASURES,
    read_gold=recordings.read_gold,
    read_blind=recordings.read_blind,
    read_system=recordings.read_system,
    outline=recordings.outline,
    count=counts.count,
    details=counts.details,
    blind=recordings.blind,
    ideal=recordings.ideal,
    signatures=counts.signatures,
    remarks=remarks,
    gold_remarks=gold_remarks,
    notes=notes,
    answered=counts.count_answers,
    guess=recordings.guess,
    spoil=recordings.spoil,
    inspect=counts.inspect,
    requires=("sacrebleu",),
    called=("prediction", "recording"),
)
