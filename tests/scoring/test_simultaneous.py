"""Simultaneous translation: figures of OmniSTEval, files, and what gains nothing."""

import json
from collections.abc import Sequence

import pytest

from scoring.engine import Job, check, count, count_file, evaluate, read_pair
from scoring.errors import Refused, SetupError
from scoring.options import Options, parse
from scoring.scorers import get
from scoring.scorers.simultaneous import recordings
from scoring.scorers.simultaneous.alignment import segments_of
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from scoring.statistics.runs import value_of
from tests.loops import loop_over
from tests.scoring.make_simultaneous_cases import CASES, STORED, Talks, case

SCORER = get("simultaneous")
OPTIONS = parse(SCORER.options, {})
CHARACTERS = parse(SCORER.options, {"characters": ["true"], "tokenize": ["char"]})
GOLD = "recording,start,end,text\na,0,2,we sailed at noon\na,2,4,nobody waved\n"
Line = dict[str, object]


def log(lines: Sequence[Line]) -> Source:
    return Source.of_bytes("log.jsonl", "\n".join(map(json.dumps, lines)).encode())


def gold_of(talks: Talks) -> Source:
    rows = [
        json.dumps({"recording": name, "start": at, "end": at + length, "text": text})
        for name, at, length, text in talks.segments
    ]
    return Source.of_bytes("gold.jsonl", "\n".join(rows).encode())


def table(text: str) -> Source:
    return Source.of_bytes("gold.csv", text.encode())


def values(
    gold: Source, system: Source, options: Options = OPTIONS
) -> dict[str, float]:
    counts = count(SCORER, read_pair(SCORER, gold, system, options), options)
    return {own.name: value_of(counts, own) for own in SCORER.fixed_measures}


def test_figures_are_those_of_omnisteval() -> None:
    expected = json.loads(STORED.read_text("utf-8"))
    assert len(expected) == CASES
    for seed, figures in enumerate(expected):
        talks = case(seed)
        options = CHARACTERS if talks.characters else OPTIONS
        own = values(gold_of(talks), log(talks.lines), options)
        known = {n: float("nan") if v is None else v for n, v in figures.items()}
        assert own == pytest.approx(known, rel=1e-9, abs=1e-6, nan_ok=True), seed


def test_lags_worked_by_hand() -> None:
    # The reference says four words in two seconds, one in half a second, and then two
    # in two seconds. "we" comes 1 s behind, "sailed" 1.5 s, "noon" after the segment.
    delays = [1000, 2000, 2500, 3000, 4500]
    line = {"recording": "a", "prediction": "we sailed noon nobody waved"}
    own = values(table(GOLD), log([{**line, "delays": delays}]))
    first = (1000 + (2000 - 500) + (2500 - 1000)) / 3
    up_to_the_end = (1000 + (2000 - 500)) / 2
    # The recording ends at 4 s: "waved" comes too late for LongYAAL.
    second, whole = 1000.0, (1000 + (2500 - 1000)) / 2
    assert own["yaal"] == pytest.approx((first + second) / 2)
    assert own["laal"] == pytest.approx((up_to_the_end + whole) / 2)


def test_words_without_a_partner_go_to_the_neighbour_they_are_like() -> None:
    reference, of = ["the", "gulls", "slept", "we", "sailed"], [0, 0, 0, 1, 1]
    words = ["the", "gulls", "slept", "sleepily", "wed", "we", "sailed"]
    placed = segments_of(reference, of, words, characters=False)
    assert placed == [0, 0, 0, 0, 1, 1, 1]


def test_a_mark_before_all_words_is_in_no_segment() -> None:
    assert segments_of(["we"], [3], [".", "we"], characters=False) == [-1, 3]


def test_words_that_are_said_twice_gain_nothing_of_the_text() -> None:
    for seed in range(60):
        talks = case(seed)
        options = CHARACTERS if talks.characters else OPTIONS
        whole = SCORER.perfect(gold_of(talks), options)
        lines = [json.loads(row) for row in whole.single().decode().splitlines()]
        space = "" if talks.characters else " "
        for line in lines:
            line["prediction"] = space.join([line["prediction"]] * 2)
            line["delays"] = line["delays"] * 2
            line["elapsed"] = line["elapsed"] * 2
        own, again = (values(gold_of(talks), s, options) for s in (whole, log(lines)))
        assert again["chrf"] < own["chrf"] == 1
        # Of a file without four words in a row it is 0, as sacreBLEU has it.
        assert own["bleu"] in (0, 1)
        assert again["bleu"] < 1


def test_later_words_never_lag_less() -> None:
    line = {"recording": "a", "prediction": "we sailed at noon nobody waved"}
    soon, late = (
        values(table(GOLD), log([{**line, "delays": [500 + more] * 6}]))
        for more in (0, 250)
    )
    for name in ("yaal", "laal"):
        assert late[name] > soon[name]


def test_time_that_had_gone_by_has_figures_of_its_own() -> None:
    line = {"recording": "a", "prediction": "we", "delays": [500]}
    assert values(table(GOLD), log([{**line, "elapsed": [700]}])) == pytest.approx(
        {
            **values(table(GOLD), log([line])),
            "yaal_elapsed": 700.0,
            "laal_elapsed": 700.0,
        }
    )


def test_a_log_of_simuleval_and_a_table_are_read_alike() -> None:
    line = {"prediction": "we sailed", "delays": [500.5, 900]}
    named = values(table(GOLD), log([{"recording": "a", **line}]))
    file = {"source": ["talks/a.wav", "samplerate: 16000"], "source_length": 4e3}
    text = b"recording,prediction,delays\na,we sailed,500.5 900\n"
    for other in (log([{**file, **line}]), Source.of_bytes("mine.csv", text)):
        assert values(table(GOLD), other) == pytest.approx(named, nan_ok=True)


def test_every_measure_has_an_interval() -> None:
    talks = next(
        talks
        for talks in map(case, range(CASES))
        if len(talks.segments) > 10 and not talks.characters
    )
    job = Job(SCORER, OPTIONS, plan=Plan(resamples=200))
    result = evaluate(job, gold_of(talks), log(talks.lines))
    for name in ("bleu", "chrf", "yaal", "laal"):
        own = result.measures[name]
        assert own.low is not None
        assert own.high is not None
        assert own.value is not None
        assert own.low < own.value < own.high


@loop_over(
    "line",
    [
        {"prediction": "we sailed", "delays": [1]},
        {"prediction": "we", "delays": [-1]},
        {"prediction": "we", "delays": ["soon"]},
        {"prediction": "we sailed", "delays": 7},
        {"prediction": "we", "delays": [1e12]},
        {"prediction": "we"},
        {"prediction": None, "delays": [1]},
        {"prediction": "we", "delays": [[1]]},
        {"prediction": "we", "delays": [1], "recording": "x"},
        {"prediction": "we", "delays": [1], "recording": ""},
        {"prediction": "we", "delays": [1], "recording": "a"},
        {"prediction": "we", "delays": [1], "elapsed": [1, 2]},
        {"prediction": "we", "delays": [1], "elapsed": "later"},
    ],
)
def test_a_line_that_is_none_is_refused_with_its_number(line: Line) -> None:
    text = GOLD + "b,0,1,yes\n"
    gold = SCORER.read_gold(table(text), OPTIONS)
    lines = [
        {"recording": "a", "prediction": "we", "delays": [1]},
        {"recording": "b", **line},
    ]
    if "elapsed" in line:
        lines[0]["elapsed"] = [1]
    with pytest.raises(Refused) as caught:
        count_file(Job(SCORER, OPTIONS), gold, log(lines))
    assert caught.value.problems[0].line == 2


def test_elapsed_stands_everywhere_or_nowhere() -> None:
    line = {"prediction": "we", "delays": [1]}
    lines = [{"recording": "a", **line, "elapsed": [2]}, {"recording": "b", **line}]
    with pytest.raises(Refused, match="'elapsed' stands in some recordings"):
        values(table(GOLD + "b,0,1,yes\n"), log(lines))


def test_a_missing_recording_is_refused_and_a_silent_one_is_not() -> None:
    gold = table(GOLD + "b,0,1,yes\n")
    line = {"recording": "a", "prediction": "we", "delays": [1]}
    with pytest.raises(Refused, match="recording 'b' is missing"):
        values(gold, log([line]))
    silent = {"recording": "b", "prediction": "", "delays": []}
    assert values(gold, log([line, silent]))["yaal"] == pytest.approx(1)


def test_what_is_too_long_to_align_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "MOST_CELLS", 30)
    for size, fine in ((5, True), (6, False)):
        line = {"recording": "a", "prediction": "x " * size, "delays": [1] * size}
        if fine:
            values(table(GOLD), log([line]))
            continue
        with pytest.raises(Refused, match="expected at most 5"):
            values(table(GOLD), log([line]))


@loop_over(
    "row", ["a,1,1,yes", "a,2,1,yes", "a,x,1,yes", "a,0,1e9,yes", ",0,1,yes", "b,0,1,"]
)
def test_a_gold_that_is_none_is_a_set_up_error(row: str) -> None:
    with pytest.raises(SetupError):
        SCORER.read_gold(table(f"{GOLD}{row}\n"), OPTIONS)


def test_the_published_file_can_be_filled_and_says_nothing() -> None:
    blind = SCORER.blind(table(GOLD), OPTIONS)
    row = json.loads(blind.single())
    assert row == {"recording": "a", "prediction": "", "delays": []}
    assert not check(SCORER, blind, blind, OPTIONS)
    assert values(table(GOLD), blind)["bleu"] == 0


def test_seconds_for_milliseconds_are_remarked() -> None:
    gold = GOLD + "a,4,60,we slept\n"
    for unit, said in ((1, True), (1000, False)):
        line = {"recording": "a", "prediction": "we sailed", "delays": [unit, 3 * unit]}
        pair = read_pair(SCORER, table(gold), log([line]), OPTIONS)
        assert bool(SCORER.remarks(*pair, OPTIONS)) is said
