"""Files that people send to shared tasks by mistake: probabilities, translations, spans
and runs. The first sentence names the cause, and nothing is scored in silence."""

import json
from collections.abc import Callable, Sequence

from scoring.answered import is_not_there
from tests.loops import loop_over
from tests.scoring.test_diagnosis import PLAIN, RAW, TASKS, Task, data
from tests.scoring.test_mutated_files import said_of
from tests.scoring.wrong_files import SIZE, Lines, tags

IDS = [f"item-{number:03d}" for number in range(1, SIZE + 1)]
RUN = "topic Q0 document rank score tag"


def first_sentence(task: Task, lines: Sequence[str]) -> str:
    verdict = task.verdict(data([*lines]), "mine")
    assert verdict.problems, "the file was taken"
    return str(verdict.findings[0].message)


def hint_of(task: Task, lines: Sequence[str]) -> str:
    return str(task.verdict(data([*lines]), "mine").findings[0].hint)


def remarks(task: Task, lines: Sequence[str]) -> str:
    verdict = task.verdict(data([*lines]), "mine")
    assert not verdict.problems, verdict.problems
    return "\n".join(str(remark.message) for remark in verdict.remarks)


# Probabilities.

SHARES = TASKS["probabilities"]


@loop_over(
    ("header", "cells"),
    [
        ("id,0,1", "0.2,0.8"),
        ("id,LABEL_0,LABEL_1", "0.2,0.8"),
        ("id,label", "so"),
        ("id,probs", "[0.2 0.8]"),
        ("id,class,prob", "so,0.8"),
    ],
)
def test_other_columns_beside_the_ids_are_no_other_table(
    header: str, cells: str
) -> None:
    said = first_sentence(SHARES, [header, *(f"{name},{cells}" for name in IDS)])
    assert said.startswith("The columns are others than those asked for")
    assert said.endswith("expected 'id,no,yes'.")


@loop_over(
    "line",
    [
        "I would say yes to {0} with a confidence of 80%.",
        "Item {0}: the answer is yes and nothing else",
        "The model says no to {0} most of the time",
    ],
)
def test_prose_that_names_a_class_is_no_header(line: str) -> None:
    said = first_sentence(SHARES, [line.format(name) for name in IDS])
    assert "names no columns" in said


@loop_over("line", ["id no yes", "id|no|yes", "id: no: yes"])
def test_a_header_with_other_marks_is_still_one(line: str) -> None:
    rows = [line, *(line.replace("id", name) for name in IDS)]
    assert first_sentence(SHARES, rows).startswith("The first line is one column")


@loop_over(
    ("pair", "hint"),
    [
        ("1.0000001,0", "Write 0 for what is just below 0, and 1 for what"),
        ("-1e-9,1", "Write 0 for what is just below 0, and 1 for what"),
        ("-0.0002,1.0002", "Write 0 for what is just below 0, and 1 for what"),
        ("20.5%,79.5%", "Write shares of 1, as 0.25 for 25 percent."),
        ("20.5,79.5", "Write shares of 1, as 0.25 for 25 percent."),
        ("-1.2,0.7", "Turn the scores of a model into probabilities first"),
    ],
)
def test_what_is_no_probability_is_told_how_to_be_one(pair: str, hint: str) -> None:
    rows = ["id,no,yes", *(f"{name},{pair}" for name in IDS)]
    assert hint_of(SHARES, rows).startswith(hint)


def shares(count: int, pair: tuple[float, float]) -> Lines:
    """JSON Lines of shares that differ but for so many at the end."""
    own = [(n / 100, 1 - n / 100) for n in range(1, SIZE - count + 1)]
    pairs = zip(IDS, [*own, *[pair] * count], strict=True)
    return [json.dumps({"id": name, "no": a, "yes": b}) for name, (a, b) in pairs]


@loop_over(
    ("count", "pair", "said"),
    [
        (39, (0.3, 0.7), "39 of 40 answers are the same: '0.3, 0.7'."),
        (36, (0.25, 0.75), "36 of 40 answers are the same: '0.25, 0.75'."),
        (37, (1.0, 0.0), "37 of 40 answers are the same: '1, 0'."),
        (30, (0.5, 0.5), "30 of 40 items have one share for all classes."),
        (20, (0.5, 0.5), "20 of 40 items have one share for all classes."),
        (4, (0.501, 0.499), "4 of 40 items have one share for all classes."),
        (3, (0.5, 0.5), ""),
        (20, (0.3, 0.7), ""),
    ],
)
def test_shares_that_say_nothing_get_a_remark(
    count: int, pair: tuple[float, float], said: str
) -> None:
    assert remarks(SHARES, shares(count, pair)) == said


# Texts.


@loop_over(
    "text",
    [
        "Error code: 429 - {'error': {'message': 'Rate limit reached'}}",
        "HTTP Error 503: Service Unavailable",
        "APIError(503): overloaded",
        "OSError: no space left",
    ],
)
def test_what_a_service_writes_of_its_failure_is_no_answer(text: str) -> None:
    assert is_not_there(text)


@loop_over("text", ["Error rates: a study", "To err is human: errors", "An error code"])
def test_a_sentence_on_errors_is_an_answer(text: str) -> None:
    assert not is_not_there(text)


# Lines that moved, in the first part of a file or inside of it, whose number is right.
MOVED: list[Callable[[Lines], Lines]] = [
    lambda rows: [
        *rows[:5],
        "one more",
        *rows[5:20],
        " ".join(rows[20:22]),
        *rows[22:],
    ],
    lambda rows: [*rows[:4], " ".join(rows[4:6]), *rows[6:24], "", *rows[24:]],
    lambda rows: [*rows[:2], *rows[3:16], rows[2], *rows[16:]],
]


@loop_over("change", MOVED)
def test_some_lines_that_moved_get_a_remark(change: Callable[[Lines], Lines]) -> None:
    moved = change(RAW)
    assert len(moved) == len(RAW)
    gold = "\n".join(RAW) + "\n"
    said = said_of("translation", gold, "\n".join(moved) + "\n")
    assert "fit the references of the lines next to theirs" in said
    right = [f"{row} indeed" for row in RAW]
    said = said_of("translation", gold, "\n".join(right) + "\n")
    assert "lines next to theirs" not in said


@loop_over("times", [5, 8, 15])
def test_a_text_that_many_answers_are_is_not_told_to_be_given_once(times: int) -> None:
    same = [RAW[0] if n < times else text for n, text in enumerate(RAW)]
    verdict = Task("translation", PLAIN, same).verdict(data(same), "mine")
    told = [r for r in verdict.remarks if "answers are the same" in str(r.message)]
    assert [str(remark.hint) for remark in told] == [""]


# Spans.


@loop_over("size", [3, 4, 5])
def test_spans_that_end_with_the_tokens_a_model_takes_get_a_remark(size: int) -> None:
    rows = []
    for number in range(30):
        words = [f"w{number}-{n}\tO" for n in range(9)]
        words[number % 3] = f"Ada{number}\tB-PER"
        words[6] = f"Ore{number}\tB-LOC"
        rows.append(words)
    gold = "".join("\n".join(words) + "\n\n" for words in rows)
    cut = [
        [w if n < size else w.replace("B-LOC", "O") for n, w in enumerate(words)]
        for words in rows
    ]
    system = "".join("\n".join(words) + "\n\n" for words in cut)
    said = said_of("spans", gold, system)
    assert "behind token 3 of a sentence" in said
    assert "did the system" not in said_of("spans", gold, gold)


@loop_over("sentences", [12, 16, 20])
def test_sentences_without_a_span_at_the_end_get_a_remark(sentences: int) -> None:
    right = "\n".join(tags()).split("\n\n")
    empty = "\n".join(tags(filled=False)).split("\n\n")
    gold = "\n\n".join(right) + "\n"
    system = "\n\n".join([*right[:sentences], *empty[sentences:]]) + "\n"
    assert "did the system break off?" in said_of("spans", gold, system)
    assert "did the system break off?" not in said_of("spans", gold, gold)


@loop_over("tag", ["b-place", "b_place", "b-PLACE"])
def test_tags_in_small_letters_are_called_so(tag: str) -> None:
    rows = tags()
    small = [
        row.replace("B-PLACE", tag)
        .replace("I-PLACE", f"i{tag[1:]}")
        .replace("\tO", "\to")
        for row in rows
    ]
    said = first_sentence(TASKS["spans"], small)
    assert "lower-case prefixes" in said
    assert f"'B-{tag[2:]}'" in said


# Runs.

RETRIEVAL = TASKS["retrieval"]
TOPICS = [line.split()[0] for line in RETRIEVAL.blind]


def run(line: str) -> Lines:
    """A line for each of three documents of each topic."""
    return [
        line.format(topic=topic, document=f"d{n}-{topic}", rank=n, score=f"{9 - n}.5")
        for topic in TOPICS
        for n in range(1, 4)
    ]


@loop_over(
    ("line", "names"),
    [
        ("{topic} Q0 {document} {rank} {score}", "tag"),
        ("{topic} {document} {rank} {score} mine", "Q0"),
        ("{topic} Q0 {document} {score} mine", "rank"),
        ("{topic} {document} {score}", "Q0, rank, tag"),
        ("{topic} {document} {rank}", "Q0, score, tag"),
        ("{topic} 0 {document} {rank} mine", "score"),
    ],
)
def test_the_fields_that_a_run_has_not_are_named(line: str, names: str) -> None:
    said = first_sentence(RETRIEVAL, run(line))
    assert said.startswith(f"expected 6 fields, '{RUN}'; found ")
    assert said.endswith(f", without {names}.")


@loop_over("field", ["Q0", "q0"])
def test_q0_in_the_place_of_documents_is_no_repeated_document(field: str) -> None:
    line = f"{{topic}} {{document}} {field} {{rank}} {{score}} mine"
    said = first_sentence(RETRIEVAL, run(line))
    assert said == "'Q0' stands in the place of the document, in all lines."


@loop_over("words", ["red boat", "red boat sinks", "who sank boats"])
def test_a_topic_with_spaces_is_no_document_with_spaces(words: str) -> None:
    rows = run(f"{words} Q0 {{document}} {{rank}} {{score}} mine")
    said = first_sentence(RETRIEVAL, rows)
    assert said.startswith("the topic has spaces in its name: '")


@loop_over("topics", [6, 8, 10])
def test_the_same_documents_for_most_topics_get_a_remark(topics: int) -> None:
    rows = run("{topic} Q0 {document} {rank} {score} mine")
    assert "have the same documents" not in remarks(RETRIEVAL, rows)
    same = [
        row.replace(f"-{row.split()[0]} ", " ") if n < 3 * topics else row
        for n, row in enumerate(rows)
    ]
    said = remarks(RETRIEVAL, same)
    assert f"{topics} of {len(TOPICS)} topics have the same documents" in said


@loop_over("scores", [("1", "1", "0"), ("2", "1", "1"), ("0.5", "0.5", "0.5")])
def test_documents_of_one_score_get_a_remark(scores: tuple[str, str, str]) -> None:
    rows = [
        f"{topic} Q0 d{n}-{topic} {n + 1} {scores[min(n // 3, 2)]} mine"
        for topic in TOPICS
        for n in range(9)
    ]
    assert "score" in remarks(RETRIEVAL, rows)
    assert not remarks(RETRIEVAL, run("{topic} Q0 {document} {rank} {score} mine"))
