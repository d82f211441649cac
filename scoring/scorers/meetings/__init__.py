"""Speech of several speakers: cpWER of what they say, DER of when each of them speaks.

Speakers of a system may have any names: for cpWER (Watanabe and others 2020) they are
paired for the fewest edits of all their words, for DER for the longest time in common,
as meeteval and pyannote.metrics do.
"""

from itertools import pairwise

import numpy as np

from scoring.counts import Floats
from scoring.errors import Problem
from scoring.formats.answers import GROUPS_OPTION
from scoring.measures import Measure, ratio
from scoring.messages import Messages, _
from scoring.options import Option, Options
from scoring.scorer import Scorer, answer_itself
from scoring.scorers import transcripts
from scoring.scorers.meetings import counts, turns
from scoring.scorers.texts import references
from scoring.source import brief

MESSAGES = Messages(
    laid=_(
        "%(count)s of %(all)s turns begin before the same speaker's turn above them "
        "ends."
    ),
    swapped=_("speakers are called by texts, such as '%(text)s': are two swapped?"),
    again=_("%(count)s of %(all)s turns stand there a second time."),
    once=_("Write each turn once: it counts as often as it is there."),
    each_another=_("every turn of a session has a speaker of its own."),
    end_or_length=_("Of RTTM, the fifth field is how long a turn is, not its end."),
)
# A system's last turn may end later than the gold's; one in other units, much later.
MOST_TIMES_LATER, MOST_TIMES_LONGER = 20, 2
LEAST_TURNS = 4  # of a session, in which somebody may well speak again
OPTIONS = (
    *(o for o in transcripts.OPTIONS if o.name in ("lowercase", "punctuation")),
    references.UNICODE_FORM,
    Option(
        "collar",
        "seconds on each side of a border of the gold that do not count for DER",
        "text",
        "0",
    ),
    GROUPS_OPTION,
)


def remarks(
    gold: turns.Sessions, system: turns.Sessions, _options: Options
) -> list[str]:
    """Times of another unit than the gold's."""
    last, own = (
        max((turn.end for turns in side.turns for turn in turns), default=0)
        for side in (gold, system)
    )
    speakers = [
        {(n, turn.speaker) for n, turns in enumerate(side.turns) for turn in turns}
        for side in (gold, system)
    ]
    remarks = []
    if len(gold) == len(speakers[1]) < len(speakers[0]):
        remarks = [
            f"each session has one speaker; the gold has {len(speakers[0])} in all"
        ]
    remarks += _other_script(gold, system)
    spoken = [
        sum(turn.end - turn.start for turns in side.turns for turn in turns)
        for side in (gold, system)
    ]
    late = own > MOST_TIMES_LATER * last
    if gold.times and not late and spoken[1] > MOST_TIMES_LONGER * spoken[0]:
        remarks.append(
            f"all turns together are more than {MOST_TIMES_LONGER} times as long as "
            "in the gold: is the end of a turn where its length is read?"
        )
    if gold.times and 0 < MOST_TIMES_LATER * own < last:
        remarks.append(
            f"the last turn ends at less than a {MOST_TIMES_LATER}th of the time of "
            "that of the gold: times are seconds from the beginning of the session"
        )
    if not gold.times or not late:
        return remarks
    return [
        *remarks,
        f"the last turn ends more than {MOST_TIMES_LATER} times as late as in the "
        "gold: times are seconds from the beginning of the session",
    ]


def _other_script(gold: turns.Sessions, system: turns.Sessions) -> list[str]:
    """A remark on sessions whose words are in another script than the gold's."""
    first, second = (
        [references.script_of(" ".join(t.text for t in own)) for own in side.turns]
        for side in (gold, system)
    )
    odd = sum(bool(a and b) and a != b for a, b in zip(first, second, strict=True))
    if 2 * odd <= len(gold):
        return []
    return [f"{odd} of {len(gold)} sessions are in another script than in the gold"]


def notes(system: turns.Sessions, _options: Options) -> list[Problem]:
    """A remark on turns of one speaker that lie on each other, as where the end of a
    turn stands for how long it is."""
    every = [turn for own in system.turns for turn in own if turn.text]
    if every and all(turn.speaker.count(" ") > turn.text.count(" ") for turn in every):
        message = MESSAGES("swapped", text=brief(every[0].speaker, 40))
        return [Problem("swapped", message)]
    if again := sum(len(own) - len({*own}) for own in system.turns):
        message = MESSAGES("again", count=again, all=sum(map(len, system.turns)))
        return [Problem("repeated", message, hint=MESSAGES("once"))]
    problems = []
    each = all(len({t.speaker for t in own}) == len(own) for own in system.turns)
    if each and sum(map(len, system.turns)) >= LEAST_TURNS * len(system):
        problems = [Problem("speakers", MESSAGES("each_another"))]
    both = laid = 0
    for own in system.turns:
        by_start = sorted(own, key=lambda turn: (turn.speaker, turn.start))
        after = [(a, b) for a, b in pairwise(by_start) if a.speaker == b.speaker]
        both += len(after)
        laid += sum(b.start < a.end for a, b in after)
    if not system.times or 2 * laid <= both or not both:
        return problems
    message = MESSAGES("laid", count=laid, all=both)
    return [Problem("times", message, hint=MESSAGES("end_or_length"))]


def require_options(options: Options) -> None:
    """Raises UsageError for a collar that is none."""
    counts.collar_of(options)


def cp_error_rate(counted: Floats, *counts: Floats) -> Floats:
    """Edits per word of the gold; n/a where there are no words to compare."""
    rate = transcripts.error_rate(*counts)
    return np.where(np.asarray(counted) > 0, rate, np.nan)


def _words(_counted: Floats, *counts: Floats) -> Floats:
    return transcripts.length(*counts)


def diarization_errors(_counted: Floats, speech: Floats, *parts: Floats) -> Floats:
    """Time that is wrong by speech of the gold."""
    return ratio(np.asarray(sum(parts)), speech)


def _speech(_counted: Floats, speech: Floats, *_parts: Floats) -> Floats:
    return speech


def _of_time(name: str, title: str, columns: tuple[str, ...], formula: str) -> Measure:
    return Measure(
        name,
        title,
        (counts.TIME_COUNTED, counts.SPEECH, *columns),
        diarization_errors,
        formula,
        higher_is_better=False,
        bounds=transcripts.RATE,
        sizes=_speech,
    )


MEASURES = (
    Measure(
        "cpwer",
        "cpWER",
        (counts.WORDS_COUNTED, *counts.WORDS),
        cp_error_rate,
        _(
            "(substitutions + deletions + insertions) / words of the gold, by speakers "
            "as they are paired best in each session"
        ),
        higher_is_better=False,
        bounds=transcripts.RATE,
        sizes=_words,
    ),
    _of_time(
        "der",
        "DER",
        counts.TIME[1:],
        _("(missed + false alarm + confusion) / speech of the gold, in time"),
    ),
    _of_time(
        "missed", "Missed speech", (counts.MISSED,), _("missed / speech of the gold")
    ),
    _of_time(
        "false_alarm",
        "False alarm",
        (counts.FALSE,),
        _("speech that is too much / speech of the gold"),
    ),
    _of_time(
        "confusion",
        "Confusion",
        (counts.CONFUSED,),
        _("speech under another speaker / speech of the gold"),
    ),
)

EXAMPLE = """\
session,speaker,start,end,text
harbour-1,A,0.0,2.4,the ferry leaves at noon
harbour-1,B,2.1,3.0,nobody waved
harbour-2,A,0.5,1.5,we sailed
"""

SCORER = Scorer(
    name="meetings",
    title=_("Meetings"),
    summary=_(
        "Speech of several speakers in sessions: word error rate with speakers paired "
        "as they fit best (cpWER), and diarization error rate (DER)."
    ),
    formats=("CSV", "TSV", "JSON Lines", "RTTM", "STM"),
    example=EXAMPLE,
    units=("session", "document"),
    headline="cpwer",
    options=OPTIONS,
    fixed_measures=MEASURES,
    require_options=require_options,
    read_gold=turns.read_gold,
    read_blind=turns.read_blind,
    read_system=turns.read_system,
    outline=turns.outline,
    count=counts.count,
    details=counts.details,
    blind=turns.blind,
    remarks=remarks,
    notes=notes,
    answered=counts.count_answers,
    guess=turns.guess,
    spoil=turns.spoil,
    inspect=counts.inspect,
    stand_in=answer_itself,
    called=("", turns.SESSION),
)
