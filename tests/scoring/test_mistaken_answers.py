"""Answers that nobody means, and files that are right but for one mistake of a kind:
the first gets a remark, the second a first sentence that names its cause."""

import json
import re
from collections.abc import Callable, Sequence
from random import Random

import pytest

from scoring.answered import Answered
from scoring.engine import Job, Verdict, evaluate, examine
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over
from tests.scoring.test_diagnosis import TASKS, data
from tests.scoring.wrong_files import Lines, sentences

PLAIN = [" ".join(words[:-1]) + words[-1] for words in sentences()]
SESSIONS = 8
Change = Callable[[str], str]
OTHERS = dict(zip(PLAIN, [*PLAIN[1:], PLAIN[0]], strict=True))


def told(scorer: str, gold: bytes, system: bytes) -> str:
    """What is said beside a score."""
    one = get(scorer)
    job = Job(one, parse(one.options, {}), plan=Plan(resamples=0))
    asked, sent = Source.of_bytes("gold", gold), Source.of_bytes("mine", system)
    return "\n".join(map(str, evaluate(job, asked, sent).remarks))


def checked(scorer: str, blind: bytes, system: bytes) -> Verdict:
    one = get(scorer)
    asked, sent = Source.of_bytes("blind", blind), Source.of_bytes("mine", system)
    return examine(one, asked, sent, parse(one.options, {}))


def first(verdict: Verdict) -> str:
    assert verdict.problems
    return str(verdict.findings[0].message)


def remarks(verdict: Verdict) -> str:
    assert not verdict.problems, verdict.problems
    return "\n".join(str(remark.message) for remark in verdict.remarks)


def meeting(texts: Sequence[str], times: float = 1.0) -> bytes:
    """Turns of two speakers, five in each session."""
    rows = ["session,speaker,start,end,text"]
    for number, text in enumerate(texts):
        start = number % 5 * 3
        about = f"{start * times:g},{(start + 2) * times:g}"
        rows.append(f'meet-{number // 5},{"AB"[number % 2]},{about},"{text}"')
    return data(rows)


SILENT_MEETING = data(
    ["session,speaker,start,end,text", *(f"meet-{n},,,," for n in range(SESSIONS))]
)


def talk(texts: Sequence[str], delay: Callable[[int], float]) -> bytes:
    """What was said of recordings of five sentences each, and when each word came."""
    rows = []
    for place in range(0, len(texts), 5):
        text = " ".join(texts[place : place + 5])
        delays = [delay(n) for n in range(len(text.split()))]
        about = {"recording": f"talk-{place // 5}", "prediction": text}
        rows.append(json.dumps({**about, "delays": delays}))
    return data(rows)


def by_the_second(word: int) -> float:
    return 1000.0 * word + 900


SILENT_TALK = data(
    [
        json.dumps({"recording": f"talk-{n}", "prediction": "", "delays": []})
        for n in range(SESSIONS)
    ]
)
GOLD_TALK = data(
    [
        "recording,start,end,text",
        *(
            f"talk-{n // 5},{n % 5 * 9},{n % 5 * 9 + 8},{text}"
            for n, text in enumerate(PLAIN)
        ),
    ]
)
# What people and programs do to a text, and what is said of all of them.
MISTAKES: dict[str, Change] = {
    "each word stands twice": lambda text: " ".join(
        word for one in text.split() for word in (one, one)
    ),
    "words stand from the last to the first": lambda text: " ".join(text.split()[::-1]),
    "each word has something behind it": lambda text: " ".join(
        f"{word}_NN" for word in text.split()
    ),
    "every answer is a row of numbers": lambda text: " ".join(
        str(137 * len(word)) for word in text.split()
    ),
    "no answer has a space between words": lambda text: text.replace(" ", ""),
    "many answers name alternatives": lambda text: f"{text} OR {OTHERS[text]}",
    "marks stand twice at the end of words": lambda text: f"{text}.",
    "answers have signs of markup": lambda text: text.replace("river", "<i>river</i>"),
    "words are in pieces": lambda text: text.replace(".", "\uffed."),
}
SIBLINGS: dict[str, Sequence[Change]] = {
    "each word has something behind it": (
        lambda text: " ".join(f"{word}|VB" for word in text.split()),
        lambda text: " ".join(f"{word}:0.93" for word in text.split()),
        lambda text: " ".join(f"{word}/NNP" for word in text.split()),
    ),
    "no answer has a space between words": (
        lambda text: text.replace(" ", "_"),
        lambda text: text.replace(" ", "+"),
        lambda text: "".join(map(str.capitalize, text.split())),
    ),
    "many answers name alternatives": (
        lambda text: f"{text}|{OTHERS[text]}",
        lambda text: f"{text} || {OTHERS[text]}" if "river" in text else text,
        lambda text: f"{text} or {OTHERS[text]}" if "boat" in text else text,
    ),
    "every answer holds '": (
        lambda text: f"{text} / {OTHERS[text]}",
        lambda text: f"{text} or {OTHERS[text]}",
        lambda text: f"{text}; {OTHERS[text]}",
    ),
    "marks stand twice at the end of words": (
        lambda text: f"{text} .",
        lambda text: text.replace(" ", ",, ", 1),
        lambda text: f"{text}!",
    ),
    "answers have signs of markup": (
        lambda text: text.replace("wind", "<br/>wind"),
        lambda text: text.replace("boat", "<b>boat</b>"),
        lambda text: text.replace("water", '<span class="x">water</span>'),
    ),
}


ROWS = {text: number for number, text in enumerate(PLAIN)}
SIBLINGS |= {
    "every answer begins with the number of its line": (
        lambda text: f"{ROWS[text]} {text}",
        lambda text: f"{ROWS[text] + 1} {text}",
        lambda text: f" {ROWS[text]}   {text}",
    ),
    "every answer begins with the letter of a choice": (
        lambda text: f"{'ABCD'[ROWS[text] % 4]}. {text}",
        lambda text: f"({'abc'[ROWS[text] % 3]}) {text}",
        lambda text: f"{'BC'[ROWS[text] % 2]}) {text}",
    ),
    "answers refuse to answer": (
        lambda text: f"As an AI, I have no {text}" if ROWS[text] % 9 == 0 else text,
        lambda text: "I'm sorry, I can't do that." if ROWS[text] % 12 == 0 else text,
        lambda text: f"I cannot translate {text}" if ROWS[text] % 8 == 0 else text,
    ),
    "digits stand inside of words": (
        lambda text: text.replace("e", "3"),
        lambda text: text.replace("i", "1").replace("e", "3"),
        lambda text: text.replace("e", "3").replace("r", "7"),
    ),
    "words are broken by hyphens": (
        lambda text: text.replace("ter", "ter- tes"),
        lambda text: text.replace("tt", "tt- t").replace("ridge", "rid- ge"),
        lambda text: text.replace(" w", "n- wa"),
    ),
    "the first word stands twice": (
        lambda text: f"{text.split()[0]} {text}",
        lambda text: f"the the {text}",
        lambda text: f"{text.split()[0]}  {text.split()[0]} {text}",
    ),
    "are in capitals alone": (
        lambda text: text.upper() if ROWS[text] % 2 else text,
        lambda text: text.upper() if ROWS[text] % 3 else text,
        lambda text: text.upper() if ROWS[text] < 12 else text,
    ),
    "letters were lost within words": (
        lambda text: text.replace("ee", "?"),
        lambda text: text.replace("tt", "?"),
        lambda text: text.replace("reed", "r?ed's"),
    ),
    "answers have signs written out": (
        lambda text: text.replace("oa", "=C3=A9"),
        lambda text: text.replace("ee", "=D0=B5"),
        lambda text: text.replace("tt", "=C5=82"),
    ),
    "words, and no end: were they cut?": (
        lambda text: " ".join((f"{text.rstrip('.')} so far " * 4).split()[:15]),
        lambda text: " ".join((f"{text.rstrip('.')} then " * 4).split()[:16]),
        lambda text: " ".join((f"{text.rstrip('.')} and " * 4).split()[:19]),
    ),
}


@loop_over(
    ("said", "change"),
    [
        *MISTAKES.items(),
        *((said, change) for said, more in SIBLINGS.items() for change in more),
    ],
)
def test_texts_that_nobody_writes_so_get_a_remark(said: str, change: Change) -> None:
    odd = [*map(change, PLAIN)]
    asked = data([str(number) for number in range(len(PLAIN))])
    for scorer in ("texts", "translation", "transcripts"):
        assert said in remarks(checked(scorer, asked, data(odd))), scorer
        assert said not in remarks(checked(scorer, asked, data(PLAIN))), scorer


@loop_over("said", [*MISTAKES])
def test_turns_of_meetings_and_talks_get_the_same_remarks(said: str) -> None:
    change = MISTAKES[said]
    odd = [*map(change, PLAIN)]
    assert said in remarks(checked("meetings", SILENT_MEETING, meeting(odd)))
    assert remarks(checked("meetings", SILENT_MEETING, meeting(PLAIN))) == ""
    if said == "words stand from the last to the first":
        return  # of five sentences in one
    if "between words" not in said and "alternatives" not in said:
        sent = talk(odd, by_the_second)
        assert said in remarks(checked("simultaneous", SILENT_TALK, sent))
    right = talk(PLAIN, by_the_second)
    assert remarks(checked("simultaneous", SILENT_TALK, right)) == ""


def test_answers_that_come_again_or_are_nearly_all_one_get_a_remark() -> None:
    half = len(PLAIN) // 2
    asked = data([str(number) for number in range(len(PLAIN))])
    again = checked("translation", asked, data(PLAIN[:half] * 2))
    assert "the answers begin anew after 20 of them" in remarks(again)
    thrice = checked("translation", asked, data((PLAIN[:14] * 3)[:40]))
    assert "the answers begin anew after 14 of them" in remarks(thrice)
    one = checked("texts", asked, data([PLAIN[0]] * 39 + [PLAIN[1]]))
    assert f"39 of 40 answers are the same: '{PLAIN[0][:20]}" in remarks(one)
    for blank in ("-", "--", "?"):
        gaps = [blank if number % 4 == 0 else text for number, text in enumerate(PLAIN)]
        said = remarks(checked("texts", asked, data(gaps)))
        assert f"10 of 40 answers are '{blank}'" in said


@loop_over(
    "texts",
    [
        [" ".join(words) for words in sentences()],
        [text.rstrip(".").lower() for text in PLAIN],
        [f"{text.rstrip('.')}?" for text in PLAIN],
        [f"{number * 7} boats, 3.5 m. wide" for number in range(40)],
        ["yes", "no", "perhaps"] * 8,
        [f"这是第{number * 7}个答案的中文文本" for number in range(40)],
        [f"第{number * 3}章他说好。" for number in range(40)],
        [f"see https://example.org/{number}/page" for number in range(40)],
        [f"item_{number}_of_the_whole_list_{number}" for number in range(40)],
        [f"{text} (a/b)" if n % 5 == 0 else text for n, text in enumerate(PLAIN)],
        ["-" if number == 7 else text for number, text in enumerate(PLAIN)],
    ],
)
def test_texts_as_people_write_them_get_no_such_remark(texts: list[str]) -> None:
    coverage = Answered.of_texts(texts)
    said = coverage.odd[0] if coverage.odd else ""
    assert said in ("", "begin_alike", "end_alike")
    assert not coverage.not_there


@loop_over(
    "change",
    [
        lambda words: words[::-1],
        sorted,
        lambda words: [*words[1::2], *words[::2]][::-1],
    ],
)
def test_words_in_another_order_than_those_of_references_get_a_remark(
    change: Callable[[list[str]], list[str]],
) -> None:
    gold = [text.rstrip(".").lower() for text in PLAIN]
    odd = [" ".join(change(text.split())) for text in gold]
    for scorer in ("texts", "translation", "transcripts"):
        said = told(scorer, data(gold), data(odd))
        assert "the words of their references in another order" in said, scorer
        near = [" ".join([*text.split()[1:], "x"]) for text in gold]
        assert "another order" not in told(scorer, data(gold), data(near)), scorer


def test_turns_that_stand_twice_get_a_remark_of_their_own() -> None:
    lines = meeting(PLAIN).decode().splitlines()
    for sent, count in (
        ([*lines, lines[-1]], "1 of 41"),
        ([lines[0], *lines[1:] * 2], "40 of 80"),
        ([lines[0], *(line for one in lines[1:] for line in (one, one))], "40 of 80"),
    ):
        said = remarks(checked("meetings", SILENT_MEETING, data(sent)))
        assert f"{count} turns stand there a second time" in said
        assert "RTTM" not in said
    each = [line.replace(",A,", f",S{n},") for n, line in enumerate(lines)]
    each = [line.replace(",B,", f",S{n},") for n, line in enumerate(each)]
    said = remarks(checked("meetings", SILENT_MEETING, data(each)))
    assert "every turn of a session has a speaker of its own" in said


def test_times_in_minutes_get_a_remark() -> None:
    gold = meeting(PLAIN)
    for times in (1 / 60, 1 / 100, 1 / 3600):
        said = told("meetings", gold, meeting(PLAIN, times))
        assert "ends at less than a 20th of the time" in said
    assert "20th" not in told("meetings", gold, meeting(PLAIN, 0.9))


def test_sessions_in_another_script_get_a_remark() -> None:
    for other in ("это ответ", "这是 答案", "αυτό είναι"):
        said = told("meetings", meeting(PLAIN), meeting([other] * len(PLAIN)))
        assert "8 of 8 sessions are in another script" in said


RTTM = [
    f"SPEAKER meet-{n // 5} 1 {n % 5 * 3} 2 <NA> <NA> {'AB'[n % 2]} <NA> <NA>"
    for n in range(40)
]
SILENT_TURNS = data(
    ["session,speaker,start,end", *(f"meet-{n},,," for n in range(SESSIONS))]
)


@loop_over(
    ("stray", "said"),
    [
        ("INFO 12 of 40 done", "Line 8 is program output"),
        ("and so on", "Line 8 is no part of the format"),
        ("# made by a program", "Line 8 is no part of the format"),
        ("total 40", "Line 8 is no part of the format"),
    ],
)
def test_lines_that_are_none_of_rttm_are_named(stray: str, said: str) -> None:
    sent = [*RTTM[:7], stray, *RTTM[7:]]
    assert first(checked("meetings", SILENT_TURNS, data(sent))).startswith(said)
    for kind in ("SPKR-INFO meet-1 1 <NA> <NA>", "NON-SPEECH meet-1 1 0 2", ";; x y z"):
        assert remarks(checked("meetings", SILENT_TURNS, data([kind, *RTTM[1:]]))) == ""


def test_fields_of_rttm_that_are_no_times_are_quoted_as_they_stand() -> None:
    for wrong in ("0:00:01", "1,5", "2s"):
        sent = [line.replace(" 2 <NA>", f" {wrong} <NA>", 1) for line in RTTM]
        said = first(checked("meetings", SILENT_TURNS, data(sent)))
        assert said == f"'0' and '{wrong}' are no start and duration of a turn."
    spaced = [line.replace(" A ", " A B ").replace(" B ", " B C ") for line in RTTM]
    said = first(checked("meetings", SILENT_TURNS, data(spaced)))
    assert said.startswith("no line of RTTM: 'SPEAKER meet-0 1 0 2")


VALUES = [f"{Random(7 + n).uniform(1, 5):.2f}" for n in range(40)]


@loop_over(
    "change",
    [
        lambda rows: rows[::-1],
        lambda rows: [*rows[3:], *rows[:3]],
        lambda rows: [*rows[-11:], *rows[:-11]],
    ],
)
def test_numbers_in_another_order_get_a_remark(
    change: Callable[[Lines], Lines],
) -> None:
    said = told("numbers", data(VALUES), data(change(VALUES)))
    assert "the values fit the items of other rows better than their own" in said
    for right in (VALUES, [str(6 - float(value)) for value in VALUES]):
        assert "other rows" not in told("numbers", data(VALUES), data(right))


def test_numbers_that_come_again_are_nearly_one_or_stand_for_none_get_a_remark() -> (
    None
):
    asked = data(VALUES)
    assert remarks(checked("numbers", asked, data(VALUES[:20] * 2))).startswith(
        "the answers begin anew after 20 of them"
    )
    one = ["3.5"] * 38 + ["1.5", "2.5"]
    assert "38 of 40 answers are the same: '3.5'" in remarks(
        checked("numbers", asked, data(one))
    )
    for code in ("-100", "-500", "5000"):
        sent = [code if n % 5 == 0 else value for n, value in enumerate(VALUES)]
        said = remarks(checked("numbers", asked, data(sent)))
        assert f"8 of 40 values are {code}, far from all others" in said


def test_one_score_for_a_system_or_a_segment_gets_a_remark() -> None:
    pairs = [(a, b) for a in ("gull", "tern", "wren") for b in range(1, 9)]
    asked = data(["system,segment", *(f"{a},{b}" for a, b in pairs)])
    for score, said in (
        (lambda a, _b: len(a) + ord(a[0]), "each system has one score for all its"),
        (lambda _a, b: b * 3, "all systems have the same score for a segment"),
        (lambda a, b: b * 3 + ord(a[0]), ""),
    ):
        rows = (f"{a},{b},{score(a, b)}" for a, b in pairs)
        sent = data(["system,segment,score", *rows])
        assert said in remarks(checked("metrics", asked, sent))
        assert bool(said) == bool(remarks(checked("metrics", asked, sent)))


def test_two_runs_in_one_file_get_a_remark() -> None:
    runs = [
        f"q{topic} Q0 d{number}{topic} {number} {9 - number}.5 "
        for topic in range(1, 6)
        for number in (1, 2)
    ]
    asked = data([f"q{topic}" for topic in range(1, 6)])
    for tag in ("other", "run-2", "bm25 tuned"):
        more = [line.replace(" d", " e") + tag for line in runs]
        sent = data([*(f"{line}mine" for line in runs), *more])
        said = remarks(checked("retrieval", asked, sent))
        assert f"the tag of the last line, '{tag.split()[0]}', is not that" in said
    alone = data([f"{line}mine" for line in runs])
    assert "tag" not in remarks(checked("retrieval", asked, alone))


def test_one_score_for_all_documents_of_a_topic_gets_a_remark() -> None:
    asked = data([f"q{topic}" for topic in range(1, 6)])
    for score in (lambda n: n, lambda n: 1 / n, lambda n: 300 + n):
        rows = (
            f"q{topic} Q0 d{number} {number} {score(topic):.3f} mine"
            for topic in range(1, 6)
            for number in (1, 2, 3)
        )
        said = remarks(checked("retrieval", asked, data([*rows])))
        assert said.startswith("all documents of a topic have the same score")


def numbered(answers: Sequence[str]) -> Lines:
    """JSON Lines of items that are called by numbers."""
    rows = enumerate(answers, 1)
    return [json.dumps({"id": str(n), "text": text}) for n, text in rows]


@loop_over(
    ("lines", "said"),
    [
        (["# model: base", *numbered(PLAIN)], "Line 1 is no part of the format"),
        (["$ python run.py", *numbered(PLAIN)], "Line 1 is no part of the format"),
        (["Results of ours", "", *numbered(PLAIN)], "Line 1 is no part of the"),
        (numbered(PLAIN)[:20] * 2, "item 1 and others are there more than once (20"),
        (
            [
                f"{n}\n00:00:01,000 --> 00:00:02,000\n{x}\n"
                for n, x in enumerate(PLAIN, 1)
            ],
            "The file is in another format: it looks like subtitles",
        ),
        (
            [f"INSERT INTO x VALUES ('{n}', 'a');" for n in range(1, 41)],
            "The file is in another format: it looks like statements of SQL",
        ),
        (
            ["| id | text |", "|---|---|", *(f"| {n} | a |" for n in range(1, 41))],
            "The file is in another format: it looks like a table of Markdown",
        ),
        (
            [f"- id: {n}\n  text: a" for n in range(1, 41)],
            "The file is in another format: it looks like YAML",
        ),
        *(
            (
                [point % n for n in range(1, 41)],
                "The file is in another format: it looks like a list of points",
            )
            for point in ("- **%s**: a boat", "- %s is a boat", "- (%s) a boat")
        ),
    ],
)
def test_items_called_by_numbers_are_not_taken_for_lines(
    lines: Lines, said: str
) -> None:
    asked = data(["id,question", *(f"{n},what {n}" for n in range(1, 41))])
    assert first(checked("texts", asked, data(lines))).startswith(said)


@loop_over("above", ["# model: base", "$ python run.py", "Results of ours\n"])
def test_lines_above_those_of_speech_are_named(above: str) -> None:
    stm = [
        f"meet-{n // 5} 1 {'AB'[n % 2]} {n % 5 * 3}.0 {n % 5 * 3 + 2}.0 {text}"
        for n, text in enumerate(PLAIN)
    ]
    for blind, lines in ((SILENT_MEETING, stm), (SILENT_TURNS, RTTM)):
        said = first(checked("meetings", blind, data([above, *lines])))
        assert said.startswith(f"{STRAY}'{above.strip()}'")


def test_delays_in_another_unit_or_without_a_change_get_a_remark() -> None:
    for delay in (
        lambda word: by_the_second(word) / 1000,
        lambda word: by_the_second(word) * 1000,
        lambda word: word + 1,
    ):
        said = told("simultaneous", GOLD_TALK, talk(PLAIN, delay))
        assert "delays are milliseconds from the beginning" in said
    right = told("simultaneous", GOLD_TALK, talk(PLAIN, by_the_second))
    assert "milliseconds" not in right
    same = checked("simultaneous", SILENT_TALK, talk(PLAIN, lambda _word: 5000))
    assert "all words of a recording have the same delay" in remarks(same)


def each(change: Change) -> Callable[[Lines], Lines]:
    return lambda lines: [*map(change, lines)]


def below(change: Change) -> Callable[[Lines], Lines]:
    return lambda lines: [lines[0], *map(change, lines[1:])]


AROUND = "Something stands around every line that is no part of it: "
STRAY = "Line 1 is no part of the format: "
FIRST_SENTENCES: list[tuple[str, Callable[[Lines], Lines], str]] = [
    *(
        (task, each(change), AROUND)
        for task in ("numbers", "early", "texts", "metrics")
        for change in (
            lambda line: f"{line}<br>" if line else line,
            lambda line: f"<li>{line}</li>" if line else line,
            lambda line: f"<p>{line}</p>" if line else line,
        )
    ),
    *(
        (task, below(change), AROUND)
        for task in ("numbers", "early", "texts")
        for change in (
            lambda line: f"\u201c{line}\u201d",
            lambda line: f"\u00ab{line}\u00bb",
            lambda line: f'"{line}"',
        )
    ),
    *(
        (task, lambda lines: [f"{n}. {x}" for n, x in enumerate(lines, 1)], AROUND)
        for task in ("numbers", "early", "metrics")
    ),
    (
        "retrieval",
        lambda lines: [f"{n:>3}  {line}" for n, line in enumerate(lines)],
        AROUND,
    ),
    *(
        ("lines", lambda lines, head=head: [*head, *lines], f"{STRAY}'{head[0]}'")
        for head in (
            ["$ python predict.py"],
            ["# model: base, seed 3"],
            ["// made by a program", ""],
        )
    ),
    *(
        ("lines", lambda lines, tail=tail: [*lines, *tail], "Line 4")
        for tail in (["EOF"], ["(40 rows)"], ["", "real\t0m3.2s", "user\t0m2.1s"])
    ),
    (
        "lines",
        lambda lines: ["Sure! Here they are.", "", "```", *lines, "```", "", "Bye!"],
        STRAY,
    ),
    (
        "lines",
        lambda lines: [x for line in lines for x in (line, "")][:-1],
        "39 of the 79 lines are empty",
    ),
    *(
        (
            task,
            lambda lines: [
                f"@misc{{x{n},\n  title = {{{x}}}\n}}" for n, x in enumerate(lines)
            ],
            "this is a file of references (BibTeX, RIS)",
        )
        for task in ("numbers", "early", "metrics", "attachment")
    ),
    *(
        (
            task,
            lambda lines, begin=begin: [f"{begin} {json.dumps(lines)};"],
            "The file is in another format: it looks like a program",
        )
        for task, begin in (
            ("numbers", "const data ="),
            ("lines", "let answers ="),
            ("retrieval", "module.exports ="),
            ("early", "export default"),
        )
    ),
    *(
        (
            task,
            lambda lines, name=name: [json.dumps({name: "\n".join(lines)})],
            f"the whole file stands as one text in '{name}' of a JSON object",
        )
        for task, name in (
            ("numbers", "predictions"),
            ("texts", "output"),
            ("metrics", "content"),
        )
    ),
    *(
        (
            task,
            lambda lines: [
                ",".join(line.split(",")[0] for line in lines[1:]),
                ",".join(line.split(",")[-1] for line in lines[1:]),
            ],
            "The table lies on its side",
        )
        for task in ("numbers", "early", "texts")
    ),
    *(
        (
            task,
            lambda lines: [
                lines[0],
                *(f"{n},{line.split(',', 1)[1]}" for n, line in enumerate(lines[1:])),
            ],
            "The ids are the numbers of the rows, such as '0', where the input file",
        )
        for task in ("numbers", "early", "texts")
    ),
    *(
        (
            task,
            lambda lines: ["begin 644 mine", *lines, "`", "end"],
            "this is text in uu",
        )
        for task in ("lines", "numbers", "retrieval")
    ),
    *(
        (
            task,
            lambda lines: ["answers = {", *(f"  {x!r}: 1," for x in lines), "}"],
            "The file is in another format: it looks like a program",
        )
        for task in ("early", "metrics", "numbers")
    ),
    *(
        (
            task,
            lambda lines: [
                f'{{id: "{line.replace(",", chr(34) + ", value: ")}}}'
                for line in lines[1:]
            ],
            "The ids are in the lines, but the lines are no table",
        )
        for task in ("texts", "numbers", "translation")
    ),
    (
        "lines",
        lambda lines: [
            x for line in lines for x in (f"User: {line}?", f"Bot: {line}.")
        ],
        "Lines found: 80; expected: 40",
    ),
    *(
        (
            "retrieval",
            each(lambda line, shape=shape: re.sub(r"^(\S+)", shape, line)),
            said,
        )
        for shape, said in (
            (r"<\1>", "The ids are written differently: '<q1>'"),
            (r"(\1)", "The ids are written differently: '(q1)'"),
            ("12:00", "The ids are of another kind"),
            ("a-b-c", "The ids are of another kind"),
        )
    ),
    (
        "attachment",
        lambda lines: (
            lines[: len(lines) // 2] * 2
            if not lines[len(lines) // 2 - 1]
            else [*lines[: _half(lines)], *lines[: _half(lines)]]
        ),
        "sentence dev-1 and others are there more than once",
    ),
    (
        "attachment",
        each(lambda line: line.replace("e", "??") if "\t" in line else line),
        "Words of 40 of 40 sentences differ from the input file",
    ),
]


def _half(lines: Lines) -> int:
    """Where the second twenty sentences begin."""
    ends = [n for n, line in enumerate(lines) if not line]
    return ends[19] + 1


@loop_over(("task", "change", "said"), FIRST_SENTENCES)
def test_the_first_sentence_names_the_cause(
    task: str, change: Callable[[Lines], Lines], said: str
) -> None:
    verdict = TASKS[task].verdict(data(change(TASKS[task].right)))
    assert first(verdict).startswith(said)


def test_a_quote_with_spaces_behind_it_is_named() -> None:
    for spaces in (" ", "   "):
        sent = ["id,text", *(f'item-{n:03},"a, b"{spaces}' for n in range(1, 41))]
        verdict = TASKS["texts"].verdict(data(sent))
        assert first(verdict) == (
            "spaces stand behind the double quote that ends a text."
        )
    open_quote = ["id,text", *(f'item-{n:03},"a "b", c"' for n in range(1, 41))]
    verdict = TASKS["texts"].verdict(data(open_quote))
    assert "a quote in it is not doubled" in first(verdict)


def test_meetings_and_talks_are_read_from_tables_in_json() -> None:
    rows = [line.split(",", 4) for line in meeting(PLAIN).decode().splitlines()]
    names, cells = rows[0], [[x.strip('"') for x in row] for row in rows[1:]]
    objects = [dict(zip(names, row, strict=True)) for row in cells]
    columns = {name: [row[n] for row in cells] for n, name in enumerate(names)}
    spoken = [*map(json.loads, talk(PLAIN, by_the_second).decode().splitlines())]
    by_column = {name: [row[name] for row in spoken] for name in spoken[0]}
    for scorer, blind, forms in (
        ("meetings", SILENT_MEETING, (objects, columns, {"predictions": objects})),
        ("simultaneous", SILENT_TALK, (spoken, by_column, {"results": spoken})),
    ):
        for form in forms:
            said = remarks(checked(scorer, blind, json.dumps(form).encode()))
            assert said.startswith("The file is one JSON"), scorer
    lines = data([json.dumps(",".join(row)) for row in rows])
    listed = b"[" + lines.replace(b"\n", b",")[:-1] + b"]\n"
    said = first(checked("meetings", SILENT_MEETING, listed))
    assert said.startswith("the file is one JSON array of other things than objects")


@pytest.mark.parametrize("odd", ['{"recording": x}', '{"recording": "a"} <br>', "{'a'"])
def test_json_that_cannot_be_read_is_the_cause_and_not_its_columns(odd: str) -> None:
    said = first(checked("simultaneous", SILENT_TALK, data([odd] * SESSIONS)))
    assert "no column" not in said


def test_empty_names_of_sessions_are_counted() -> None:
    for scorer, blind, sent in (
        ("meetings", SILENT_MEETING, meeting(PLAIN)),
        ("simultaneous", SILENT_TALK, talk(PLAIN, by_the_second)),
    ):
        text = sent.decode()
        for number in range(SESSIONS):
            text = text.replace(f"meet-{number}", "").replace(f"talk-{number}", "")
        said = first(checked(scorer, blind, text.encode()))
        lines = 40 if scorer == "meetings" else SESSIONS
        assert said == f"The ids are empty, in all {lines} lines."
    renamed = talk(PLAIN, by_the_second).replace(b'"recording"', b'"rec"')
    said = first(checked("simultaneous", SILENT_TALK, renamed))
    assert said.startswith("no column 'recording' found; there are: 'rec'")
