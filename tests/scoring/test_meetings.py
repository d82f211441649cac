"""Meetings: cpWER and DER by their definitions, with all pairs of speakers tried."""

from collections.abc import Sequence
from itertools import permutations
from operator import itemgetter
from random import Random

import pytest
from rapidfuzz.distance import Levenshtein

from scoring.engine import Job, check, count, count_file, read_pair
from scoring.errors import Refused, SetupError, UsageError
from scoring.options import Options, parse
from scoring.scorers import get
from scoring.scorers.meetings import require_options
from scoring.source import Source
from scoring.statistics.runs import value_of
from tests.loops import loop_over

SCORER = get("meetings")
OPTIONS = parse(SCORER.options, {})
COLLAR = parse(SCORER.options, {"collar": ["0.5"]})
HEADER = "session,speaker,start,end,text\n"
Turn = tuple[str, float, float, str]
Session = Sequence[Turn]


def table(sessions: Sequence[Session]) -> Source:
    rows = [
        f"m{number},{speaker},{start},{end},{text}\n"
        for number, turns in enumerate(sessions)
        for speaker, start, end, text in (*turns, ("", "", "", ""))
    ]
    return Source.of_bytes("turns.csv", (HEADER + "".join(rows)).encode())


def values(
    gold: Source, system: Source, options: Options = OPTIONS
) -> dict[str, float]:
    counts = count(SCORER, read_pair(SCORER, gold, system, options), options)
    return {own.name: value_of(counts, own) for own in SCORER.fixed_measures}


def padded(own: Sequence[str], size: int) -> list[str]:
    return [*own, *(f"nobody-{place}" for place in range(size - len(own)))]


def pairings(gold: Session, system: Session) -> list[list[tuple[str, str]]]:
    """All ways to give speakers of both sides a partner, or nobody."""
    ours = sorted({turn[0] for turn in gold})
    theirs = sorted({turn[0] for turn in system})
    size = max(len(ours), len(theirs))
    ours, theirs = padded(ours, size), padded(theirs, size)
    return [list(zip(ours, other, strict=True)) for other in permutations(theirs)]


def words(turns: Session, speaker: str) -> list[str]:
    own = sorted((turn for turn in turns if turn[0] == speaker), key=itemgetter(1))
    return " ".join(turn[3] for turn in own).split()


def cpwer(pairs: Sequence[tuple[Session, Session]]) -> float:
    """Watanabe and others 2020."""
    edits, all_words = 0, 0
    for gold, system in pairs:
        edits += min(
            sum(
                Levenshtein.distance(words(gold, own), words(system, other))
                for own, other in pairing
            )
            for pairing in pairings(gold, system)
        )
        all_words += sum(len(turn[3].split()) for turn in gold)
    return edits / max(all_words, 1)


def der(pairs: Sequence[tuple[Session, Session]], collar: float) -> list[float]:
    """Missed, too much and confused, tenth of a second by tenth of a second."""
    sums, speech = [0, 0, 0], 0
    for gold, system in pairs:
        borders = [round(t * 10) for turn in gold for t in turn[1:3]]
        moments = []
        for place in range(120):
            middle = place + 0.5
            if any(abs(middle - border) < collar * 10 for border in borders):
                continue
            at = [
                {t[0] for t in side if t[1] * 10 <= middle < t[2] * 10}
                for side in (gold, system)
            ]
            moments.append((at[0], at[1]))
        right = max(
            sum(
                speaker in own and other in theirs
                for own, theirs in moments
                for speaker, other in pairing
            )
            for pairing in pairings(gold, system)
        )
        speech += sum(len(own) for own, _ in moments)
        sums[0] += sum(max(len(own) - len(other), 0) for own, other in moments)
        sums[1] += sum(max(len(other) - len(own), 0) for own, other in moments)
        sums[2] += sum(min(len(own), len(other)) for own, other in moments) - right
    return [part / speech if speech else float("nan") for part in sums]


def turns_of(random: Random) -> list[Turn]:
    turns = []
    for start in random.sample(range(100), random.choice((0, 1, 3, 6))):
        end = start + random.choice((1, 5, 20))
        text = " ".join(random.choice("abcd") for _ in range(random.randint(0, 4)))
        turns.append((random.choice("ABC"), start / 10, end / 10, text))
    return turns


def test_figures_are_those_of_their_definitions() -> None:
    for seed in range(300):
        random = Random(seed)
        pairs = [
            (turns_of(random), turns_of(random)) for _ in range(random.randint(1, 3))
        ]
        gold, system = (table([pair[at] for pair in pairs]) for at in (0, 1))
        for options, collar in ((OPTIONS, 0.0), (COLLAR, 0.5)):
            own = values(gold, system, options)
            parts = der(pairs, collar)
            expected = dict(
                zip(("missed", "false_alarm", "confusion"), parts, strict=True)
            )
            expected |= {"der": sum(parts), "cpwer": cpwer(pairs)}
            assert own == pytest.approx(expected, abs=1e-9, nan_ok=True), seed


def test_a_meeting_has_the_figures_of_other_programs() -> None:
    # cpWER: meeteval 0.4.3; DER: pyannote.metrics 4.2.0, by its parts.
    gold = [
        ("Ada", 0.0, 2.5, "the ferry leaves at noon"),
        ("Bo", 2.0, 4.0, "nobody waved"),
        ("Ada", 5.0, 6.5, "we wait"),
    ]
    system = [
        ("1", 0.0, 2.4, "the fairy leaves at noon"),
        ("2", 2.2, 4.1, "nobody waved"),
        ("3", 5.0, 6.5, "we wait"),
    ]
    own = values(table([gold]), table([system]))
    time = {"missed": 0.3 / 6, "false_alarm": 0.1 / 6, "confusion": 1.5 / 6}
    assert own == pytest.approx({"cpwer": 5 / 9, "der": 1.9 / 6, **time}, abs=1e-9)


def test_names_of_speakers_and_the_order_of_rows_change_nothing() -> None:
    random = Random(3)
    gold, system = turns_of(random), turns_of(random)
    other = [(name.lower() * 2, *rest) for name, *rest in reversed(system)]
    assert values(table([gold]), table([system])) == values(
        table([gold]), table([other])
    )


def test_turns_that_are_repeated_or_cut_gain_nothing() -> None:
    for seed in range(60):
        random = Random(seed)
        gold, system = turns_of(random), turns_of(random)
        before = values(table([gold]), table([system]))
        silent = [(name, start, end, "") for name, start, end, _ in system]
        again = values(table([gold]), table([[*system, *silent]]))
        assert again["cpwer"] == before["cpwer"]
        assert again["der"] == pytest.approx(before["der"], nan_ok=True)
        cut = [
            part
            for name, start, end, text in system
            for part in (
                (name, start, (start + end) / 2, text),
                (name, (start + end) / 2, end, ""),
            )
        ]
        pieces = values(table([gold]), table([cut]))
        assert pieces == pytest.approx(before, nan_ok=True)


def test_rttm_and_stm_are_read_as_tables_are() -> None:
    gold = [("A", 0.5, 2.5, "we sailed"), ("B", 2.0, 4.25, "yes")]
    rttm = "".join(
        f"SPEAKER m0 1 {a} {b - a} <NA> <NA> {name} <NA> <NA>\n"
        for name, a, b, _ in gold
    )
    stm = ";; ours\n" + "".join(
        f"m0 1 {name} {a} {b} <o,f0> {text}\n" for name, a, b, text in gold
    )
    times = Source.of_bytes("gold.rttm", rttm.encode())
    assert values(times, table([gold]))["der"] == 0
    own = values(table([gold]), Source.of_bytes("mine.stm", stm.encode()))
    assert (own["der"], own["cpwer"]) == (0, 0)


@loop_over(
    "row",
    [
        "m0,A,1,x,yes",
        "m0,A,2,1,yes",
        "m0,A,1,1,yes",
        "m0,A,-1,1,yes",
        "m0,A,1,1e9,yes",
        "m0,,1,2,yes",
        ",A,1,2,yes",
        "m7,A,1,2,yes",
        "m0,A,,,yes",
    ],
)
def test_a_turn_that_is_none_is_refused_with_its_line(row: str) -> None:
    gold = SCORER.read_gold(table([[("A", 0, 1, "yes")]]), OPTIONS)
    mine = f"{HEADER}m0,A,0,1,yes\n{row}\n"
    with pytest.raises(Refused) as caught:
        count_file(
            Job(SCORER, OPTIONS), gold, Source.of_bytes("mine.csv", mine.encode())
        )
    assert caught.value.problems[0].line == 3


def test_a_missing_session_is_refused_and_a_silent_one_is_not() -> None:
    gold = table([[("A", 0, 1, "yes")], [("B", 0, 1, "no")]])
    with pytest.raises(Refused, match="session 'm1' is missing"):
        values(gold, table([[("A", 0, 1, "yes")]]))
    own = values(gold, table([[("A", 0, 1, "yes")], []]))
    assert (own["cpwer"], own["der"], own["missed"]) == (0.5, 0.5, 0.5)


def test_gold_without_words_and_times_is_a_set_up_error() -> None:
    gold = Source.of_bytes("gold.csv", b"session,speaker\nm0,A\n")
    with pytest.raises(SetupError, match="'text', or columns 'start' and 'end'"):
        SCORER.read_gold(gold, OPTIONS)


def test_a_collar_that_is_none_is_a_wrong_option() -> None:
    with pytest.raises(UsageError, match="expected seconds"):
        require_options(parse(SCORER.options, {"collar": ["wide"]}))


def test_the_published_file_can_be_filled_and_is_a_silent_answer() -> None:
    gold = table([[("A", 0, 1, "yes")], [("B", 0, 1, "no")]])
    blind = SCORER.blind(gold, OPTIONS)
    assert blind.single().decode() == f"{HEADER}m0,,,,\nm1,,,,\n"
    assert not check(SCORER, blind, gold, OPTIONS)
    assert values(gold, blind)["cpwer"] == 1
