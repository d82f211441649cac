"""Files that people send to shared tasks by mistake: probabilities, translations, spans
and runs. The first sentence names the cause, and nothing is scored in silence."""

import json
from collections.abc import Callable, Sequence

from scoring import Source, examine
from scoring.answered import is_not_there
from scoring.errors import Findings, Refused
from scoring.formats.bundle import zip_files
from scoring.formats.records import read
from scoring.options import parse
from scoring.scorers import get
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
    parts = [7 * n % 101 for n in range(1, SIZE - count + 1)]
    own = [(part / 101, 1 - part / 101) for part in parts]
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
        (20, (0.3, 0.7), "the last 20 of 40 answers are the same: '0.3, 0.7'."),
        (9, (0.3, 0.7), ""),
        (2, (0.3, 0.7), ""),
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
    swapped = "stands in the place of the document: its fields are swapped."
    assert said == f"'{field}' {swapped}"


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


# A second round of others.


@loop_over("turn", [lambda key: str(int(float(key))), lambda key: f"{key[:16]}000"])
def test_long_ids_that_a_program_read_as_decimals_are_rounded(
    turn: Callable[[str], str],
) -> None:
    ids = [str(1147878634899930000 + 7919 * n) for n in range(SIZE)]
    asked = ["id,no,yes", *(f"{name},," for name in ids)]
    own = [turn(name) for name in ids]
    sent = ["id,no,yes", *(f"{name},0.2,0.8" for name in own)]
    said = first_sentence(Task("probabilities", asked, sent), sent)
    assert said.startswith("A spreadsheet has rounded the ids")


@loop_over("line", ["nohup: ignoring input", "yes we can", "no such file"])
def test_a_sentence_is_no_column_that_is_like_one(line: str) -> None:
    said = first_sentence(SHARES, [line, "step 1 loss 0.6", "step 2 loss 0.5"])
    assert "did you mean it?" not in said


@loop_over("size", [4, 5, 8])
def test_one_answer_for_each_batch_gets_a_remark(size: int) -> None:
    rows = ["id,no,yes"]
    for number, name in enumerate(IDS):
        share = number // size / 40 + 0.1
        rows.append(f"{name},{share:.3f},{1 - share:.3f}")
    assert "answers are those of the item before" in remarks(SHARES, rows)
    assert remarks(SHARES, shares(0, (0.5, 0.5))) == ""


# What a program did to some of the texts, and what is said of them.
DONE: list[tuple[Callable[[str], str], str]] = [
    (lambda _text: "...", "as programs write what is missing"),
    (lambda _text: "\u2026", "as programs write what is missing"),
    (lambda text: text.replace("e", r"\xe9"), "signs written out"),
    (lambda text: " ".join(text.split()[:-1] + text.split()[-4:-1]), "again and again"),
    (lambda text: text + " " + " ".join(text.split()[-5:]), "again and again"),
    (lambda _text: "Thanks for watching!", "answers are the same: 'Thanks for"),
    (lambda _text: "To be continued", "answers are the same: 'To be"),
    (lambda _text: "No translation", "answers are the same: 'No translation'"),
]


@loop_over(("change", "said"), DONE, ids=map(str, range(len(DONE))))
def test_what_happened_to_some_texts_gets_a_remark(
    change: Callable[[str], str], said: str
) -> None:
    changed = [change(text) if n % 3 == 0 else text for n, text in enumerate(RAW)]
    gold = "\n".join(RAW) + "\n"
    assert said in said_of("translation", gold, "\n".join(changed) + "\n")
    assert said not in said_of("translation", gold, gold)


@loop_over("some", [range(4), range(20, 30), range(0, 40, 3)])
def test_lines_that_were_not_translated_get_a_remark(some: Sequence[int]) -> None:
    asked = [f"quelle {text}" for text in RAW]
    sent = [asked[n] if n in some else text for n, text in enumerate(RAW)]
    said = remarks(Task("translation", asked, sent), sent)
    assert f"{len(some)} of {SIZE} answers are what the input file has" in said
    assert "input file has" not in remarks(Task("translation", asked, RAW), RAW)


@loop_over("places", [{1}, {1, 8, 15}, {5, 6, 7, 8}])
def test_texts_that_go_on_in_lines_of_their_own_are_called_so(
    places: set[int],
) -> None:
    texts = [f"{text} they say and more" for text in RAW]
    texts[9] = texts[9].replace(" and", ", and")
    cut = [
        text.replace(" they", "\nthey say so of it all and") if n in places else text
        for n, text in enumerate(texts)
    ]
    rows = ["id,text", *(f"{a},{b}" for a, b in zip(IDS, cut, strict=True))]
    task = Task("translation", ["id,source", *(f"{name},x" for name in IDS)], rows)
    sent = "\n".join(rows).split("\n")
    said = first_sentence(task, sent)
    assert said.startswith(f"Line {min(places) + 3} goes on with the text above it")


@loop_over(
    "line",
    ['Sentence[{1}]: "{0}" -> ["x"/PER]', "text: {0} [{1} tokens]", "({1}) {0} / O"],
)
def test_text_with_other_words_around_it_is_that_text(line: str) -> None:
    rows = [line.format(text, len(text)) for text in RAW]
    said = first_sentence(TASKS["spans"], rows)
    assert said.startswith("The text stands there, and not in columns"), said


@loop_over("share", [2, 3, 4])
def test_spans_that_lie_inside_of_others_get_a_remark(share: int) -> None:
    rows = [
        {
            "id": f"d{number}",
            "text": "Ada Brook sails to New Harbour today",
            "spans": [[0, 9, "PER"], [19, 30, "LOC"]],
        }
        for number in range(12)
    ]
    gold = "".join(json.dumps(row) + "\n" for row in rows)
    for number, row in enumerate(rows):
        if number % share == 0:
            row["spans"] = [*row["spans"], [0, 3, "PER"], [23, 30, "LOC"]]
    system = "".join(json.dumps(row) + "\n" for row in rows)
    assert "inside others of the same label" in said_of(
        "spans", gold, system, format="jsonl"
    )
    assert "inside others" not in said_of("spans", gold, gold, format="jsonl")


@loop_over("line", ["{document} {rank}", "{rank} {document}", "{topic} {rank}"])
def test_a_rank_in_the_place_of_the_document_is_called_so(line: str) -> None:
    first, second = line.split()
    if first == "{rank}":
        rows = run(f"{{topic}} Q0 {first} {second} {{score}} mine")
        said = first_sentence(RETRIEVAL, rows)
        assert (
            said == "'1' stands in the place of the document: its fields are swapped."
        )
    else:
        rows = run(f"{{topic}} Q0 {{document}} {second} {{score}} mine")
        assert remarks(RETRIEVAL, rows) == ""


@loop_over(
    ("line", "names"),
    [
        ("Q0 {document} {rank} {score} mine", "topic"),
        ("{score}", "topic, Q0, document, rank, tag"),
        ("Q0 {document} {score} mine", "topic, rank"),
    ],
)
def test_a_run_without_topics_is_called_so(line: str, names: str) -> None:
    said = first_sentence(RETRIEVAL, run(line))
    assert said.endswith(f", without {names}."), said


@loop_over("header", ["query-id\tcorpus-id\tscore", "qid docid score", "a b c"])
def test_a_header_above_lines_of_too_few_fields_is_not_the_cause(header: str) -> None:
    said = first_sentence(RETRIEVAL, [header, *run("{topic} {document} {score}")])
    assert said.endswith("found 3, without Q0, rank, tag."), said


@loop_over("line", ["1 qid:{0} 1:0.5 2:1 # d1", "-1 1:0.25 7:1e-3", "0 3:1 9:2"])
def test_lines_of_features_are_called_so(line: str) -> None:
    rows = [line.format(number) for number in range(30)]
    for task in ("retrieval", "classes", "probabilities"):
        assert "lines of features" in first_sentence(TASKS[task], rows)


# A third round.


@loop_over("name", ["other", "rest", "unclear"])
def test_a_share_that_nobody_reads_is_named(name: str) -> None:
    rows = [f"id,no,yes,{name}", *(f"{key},0.2,0.7,0.1" for key in IDS)]
    assert first_sentence(SHARES, rows) == f"These columns are not read: '{name}'."
    rows = [f"id,no,yes,{name}", *(f"{key},0.2,0.7,dull" for key in IDS)]
    assert first_sentence(SHARES, rows).startswith("the probabilities add up to 0.9")


@loop_over("column", ["text", "source", "question"])
def test_a_column_of_the_input_file_is_no_misnamed_id(column: str) -> None:
    asked = [f"id,{column},no,yes", *(f"{key},a boat,," for key in IDS)]
    rows = [f"{column},no,yes", *("a boat,0.2,0.8" for _key in IDS)]
    said = first_sentence(Task("probabilities", asked, rows), rows)
    assert said.startswith("no column 'id' found"), said


@loop_over("value", [{"no": 0.2}, [0.2, 0.8], "yes"])
def test_ids_that_are_names_in_json_are_called_so(value: object) -> None:
    rows = [json.dumps({key: value}) for key in IDS]
    said = first_sentence(SHARES, rows)
    assert said.startswith("The ids stand as names in the JSON, such as 'item-001'")


# What is done to every text, and what is said of it.
TO_ALL: list[tuple[Callable[[str], str], str]] = [
    (lambda text: f"{text[:-2]} (or: nothing)", "name alternatives"),
    (lambda text: f"{text[:-2]} (alternatively: nothing)", "name alternatives"),
    (lambda text: f"{text} Explanation: {text[::-1]}", "such as 'Explanation:'"),
    (lambda text: f"{text} (Note: {text[::-1]})", "such as '(Note:'"),
    (lambda text: f"{text} Reasoning: {len(text)} signs.", "such as 'Reasoning:'"),
    (lambda text: text.replace("w", "\ufb01"), "no reference has: '\ufb01'"),
    (lambda text: text.replace("w", "\ufb02"), "no reference has: '\ufb02'"),
    (lambda text: text.replace("w", "\uff57"), "'\uff57'"),
    (str.title, "begin each word with a capital letter"),
]


@loop_over(("change", "said"), TO_ALL, ids=map(str, range(len(TO_ALL))))
def test_what_is_done_to_texts_gets_a_remark(
    change: Callable[[str], str], said: str
) -> None:
    gold = "\n".join(RAW) + "\n"
    changed = [
        change(text) if n % 2 or text[0] == "W" else text for n, text in enumerate(RAW)
    ]
    if change is str.title:
        changed = [change(text) for text in RAW]
    assert said in said_of("translation", gold, "\n".join(changed) + "\n")
    assert said not in said_of("translation", gold, gold)
    assert said not in said_of("translation", "\n".join(changed) + "\n", gold)


@loop_over("tag", ["True", "NOUN", "yes"])
def test_words_in_each_line_are_no_labels_without_a_prefix(tag: str) -> None:
    said = first_sentence(
        TASKS["spans"],
        [
            row.replace("B-PLACE", tag).replace("I-PLACE", tag).replace("\tO", "\tno")
            for row in tags()
        ],
    )
    assert "not in the scheme" in said


@loop_over("task", ["spans", "labels", "attachment"])
def test_what_conlleval_prints_is_called_figures(task: str) -> None:
    printed = "processed 46435 tokens with 5648 phrases; found: 5600 phrases;"
    said = first_sentence(TASKS[task], [printed, "accuracy:  97.09%; FB1:  85.10"])
    assert said.startswith("this is the settings or figures of a run")


@loop_over("tag", ["{score}", "1e-3", "17"])
def test_numbers_behind_the_score_are_no_tags_of_two_runs(tag: str) -> None:
    rows = run("{topic} Q0 {document} {rank} {score} " + tag)
    assert remarks(RETRIEVAL, rows) == ""


# A fourth round: what a stranger sent.


@loop_over("score", ["-0.{0}", "{0}.5", "-1.{0}e-3"])
def test_scores_before_lines_of_text_are_no_ids(score: str) -> None:
    task = Task("translation", PLAIN, PLAIN)
    rows = [f"{score.format(100 + n)}\t{text}" for n, text in enumerate(RAW)]
    said = first_sentence(task, rows)
    number = score.format(100)
    assert said.startswith(f"a score stands before the text of each line, '{number}'")
    keyed = [f"s{n}\t{text}" for n, text in enumerate(RAW)]
    assert first_sentence(task, keyed).startswith("each line has an id beside its text")


@loop_over("name", ["doc_id", "ID", "docid", "name"])
def test_another_name_of_the_ids_is_told(name: str) -> None:
    rows = [json.dumps({name: f"d{n}", "spans": [[0, 3, "PER"]]}) for n in range(6)]
    asked = [json.dumps({"id": f"d{n}", "text": "Ada sails"}) for n in range(6)]
    task = Task("spans", asked, rows, options={"format": "jsonl"})
    assert first_sentence(task, rows) == f"the object has no 'id', but '{name}'."


@loop_over(
    "nest",
    [
        lambda spans: {"predictions": [{"spans": spans}]},
        lambda spans: {"result": {"entities": spans}},
        lambda spans: {"data": {"ner": {"spans": spans}}},
    ],
)
def test_spans_inside_of_something_else_are_found(
    nest: Callable[[object], dict[str, object]],
) -> None:
    spans = [{"start": 0, "end": 3, "label": "PER"}]
    rows = [json.dumps({"id": f"d{n}", **nest(spans)}) for n in range(6)]
    asked = [json.dumps({"id": f"d{n}", "text": "Ada sails"}) for n in range(6)]
    task = Task("spans", asked, rows, options={"format": "jsonl"})
    name = next(iter(nest(spans)))
    assert first_sentence(task, rows) == (
        f"the spans stand inside of '{name}'; expected a list 'spans' beside the id."
    )
    none = [json.dumps({"id": f"d{n}", **nest([])}) for n in range(6)]
    assert not task.verdict(data(none), "mine").problems


@loop_over(
    "files",
    [
        ("model/config.json", "model/pytorch_model.bin"),
        ("config.json", "model-00001-of-00002.safetensors", "tokenizer.json"),
        ("vocab.txt", "merges.txt", "tokenizer_config.json", "README.md"),
        ("checkpoint-500/trainer_state.json", "checkpoint-500/optimizer.pt"),
    ],
)
def test_a_model_in_a_zip_is_called_one(files: Sequence[str]) -> None:
    said = "this is a model, and not its answers"
    for name in ("spans", "classes", "translation"):
        task = TASKS[name]
        sent = zip_files("mine.zip", dict.fromkeys(files, b'{"a": 1}')).single()
        assert task.verdict(sent, "mine.zip").findings[0].message == said
        beside = {"answers.txt": data(task.right), files[-1]: b'{"a": 1}'}
        right = task.verdict(zip_files("mine.zip", beside).single(), "mine.zip")
        assert said not in [problem.message for problem in right.findings]


TEXT = "Ada sails.\nBo waits.\nCy rows to Elm Bay.\nDi sleeps.\nEd sings.\n"
NAMES = ("Ada", "Bo", "Cy", "Elm Bay", "Di", "Ed")


def quotes(text: str, shift: tuple[int, int]) -> Lines:
    """Lines of brat for names at their places in a text, moved by so many."""
    places = [(name, text.index(name)) for name in NAMES]
    return [
        f"T{n}\tX {at + shift[0]} {at + len(name) + shift[1]}\t{name}"
        for n, (name, at) in enumerate(places, 1)
    ]


@loop_over(
    ("text", "shift", "hint"),
    [
        (TEXT.replace("\n", "\r\n"), (0, 0), "The offsets seem to count line ends as"),
        (f" {TEXT}", (0, 0), "The offsets seem to count from 1: take 1 off each."),
        (TEXT, (0, -1), "The ends seem to be those of the last character"),
        (f"  {TEXT}", (0, 0), "Offsets count characters from 0; "),
    ],
)
def test_a_way_to_count_is_told_where_it_mends_all(
    text: str, shift: tuple[int, int], hint: str
) -> None:
    files = {"a.txt": TEXT.encode(), "a.ann": data(quotes(text, shift))}
    asked = zip_files("asked.zip", {"a.txt": TEXT.encode(), "a.ann": b""})
    scorer = get("spans")
    options = parse(scorer.options, {"format": ["brat"]})
    verdict = examine(scorer, asked, zip_files("mine.zip", files), options)
    hints = {str(problem.hint)[: len(hint) or None] for problem in verdict.problems}
    assert hints == {hint}


@loop_over("text", [TEXT, f"\n{TEXT}", TEXT.replace(". ", ".\n")])
def test_line_ends_that_count_as_two_are_told_without_quotes(text: str) -> None:
    def rows(own: str) -> str:
        spans = [[own.index(n), own.index(n) + len(n), "X"] for n in NAMES]
        return json.dumps({"id": "a", "text": text, "spans": spans}) + "\n"

    sent = json.loads(rows(text.replace("\n", "\r\n")))
    del sent["text"]
    told = said_of("spans", rows(text), json.dumps(sent) + "\n", format="jsonl")
    assert "count line ends as two characters" in told
    assert "line ends" not in said_of("spans", rows(text), rows(text), format="jsonl")


@loop_over("first", [0, 1, 7])
def test_topics_counted_anew_are_not_paired_by_a_part_of_their_numbers(
    first: int,
) -> None:
    asked = [str(topic) for topic in range(301, 313)]
    sent = [
        f"{topic} Q0 d{n} {n} {9 - n}.5 mine"
        for topic in range(first, first + 12)
        for n in range(1, 4)
    ]
    said = first_sentence(Task("retrieval", asked, sent), sent)
    if first < 2:
        row = f"The ids are the numbers of the rows, such as '{first}', where the"
        assert said == f"{row} input file has '301'."
    else:
        assert said.startswith(
            ("The ids begin with '7', where those", "This file belongs to something")
        )
    turned = sent[::-1]
    said = first_sentence(Task("retrieval", asked, turned), turned)
    assert "are written differently" not in said


@loop_over("name", ["ropes {0}", "red boat {0}", "gull {0}"])
def test_documents_with_a_space_before_a_number_are_called_so(name: str) -> None:
    rows = [
        f"{topic} Q0 {name.format(10 * n)} {n} {9 - n}.5 mine"
        for topic in TOPICS
        for n in range(1, 4)
    ]
    said = first_sentence(RETRIEVAL, rows)
    shown = " ".join(name.format(10).split()[:2])
    assert said == f"the document has spaces in its name: '{shown}'."
    right = run("{topic} Q0 {document} {rank} {score} 2 runs 3")
    assert remarks(RETRIEVAL, right) == ""


@loop_over("quoted", ["id text", "text", "id"])
def test_cells_in_quotes_below_names_without_them_are_read(quoted: str) -> None:
    def rows(marked: Sequence[str]) -> Lines:
        cells = [
            [f'"{cell}"' if name in marked else cell for name, cell in pair]
            for n, text in enumerate(RAW)
            for pair in [(("id", IDS[n]), ("text", text))]
        ]
        return ["id\ttext", *("\t".join(row) for row in cells)]

    asked = ["id\tsource", *(f"{name}\tquelle" for name in IDS)]
    task = Task("translation", asked, rows([]))
    verdict = task.verdict(data(rows(quoted.split())), "mine.tsv")
    assert not [*verdict.problems, *verdict.remarks]
    some = [*rows([])[:3], *rows(["text"])[3:]]
    source = Source.of_bytes("mine.tsv", data(some))
    texts = read(source, Findings("mine.tsv"), Refused).columns["text"]
    assert [text[:1] == '"' for text in texts] == [False, False, *[True] * (SIZE - 2)]


@loop_over("quoted", ['""', "''", "\u201c\u201d"])
def test_quotes_with_nothing_between_are_no_answers(quoted: str) -> None:
    rows = [text if n % 2 else quoted for n, text in enumerate(RAW)]
    task = Task("translation", PLAIN, RAW)
    assert f"20 of 40 answers are '{quoted}', as programs write" in remarks(task, rows)
    assert remarks(task, RAW) == ""


def of_three(table: Sequence[Sequence[float]]) -> str:
    """What is said of shares of three classes."""
    names = ["no", "so", "yes"]
    rows = [
        json.dumps({"id": key, **dict(zip(names, row, strict=True))})
        for key, row in zip(IDS, table, strict=False)
    ]
    asked = ["id,no,so,yes", *(f"{key},,," for key in IDS[: len(table)])]
    return remarks(Task("probabilities", asked, rows), rows)


# Three shares of each item, in no order.
MIXED = [
    [round(part / sum(parts), 6) for part in parts]
    for n in range(24)
    for parts in [(7 * n % 23 + 1, 11 * n % 19 + 2, 5 * n % 17 + 3)]
]
LAST = "answers are the same: '"


@loop_over(
    ("change", "said"),
    [
        (lambda rows: [*rows[:10], *[[0.3, 0.4, 0.3]] * 14], f"last 14 of 24 {LAST}"),
        (lambda rows: [*rows[:16], *[[1.0, 0.0, 0.0]] * 8], f"last 8 of 24 {LAST}"),
        (lambda rows: [*rows[:18], *[[0.1, 0.2, 0.7]] * 6], f"last 6 of 24 {LAST}"),
        (lambda rows: rows[:6] * 4, "begin anew after 6 of them"),
        (lambda rows: rows[:8] * 3, "begin anew after 8 of them"),
        (lambda rows: [*rows[:10] * 2, *rows[:4]], "begin anew after 10 of them"),
        (sorted, "of 'no' rise or fall from each item to the next"),
        (lambda rows: sorted(rows, key=lambda row: -row[1]), "of 'so' rise or fall"),
        (lambda rows: sorted(rows, key=lambda row: row[2]), "of 'yes' rise or fall"),
        (lambda rows: [sorted(row) for row in rows], "rise from the first class"),
        (lambda rows: [sorted(row)[::-1] for row in rows], "fall from the first class"),
        (lambda rows: [sorted(r)[::-1] for r in rows[:12]], "fall from the first"),
    ],
)
def test_shares_that_no_model_gives_in_these_places_get_a_remark(
    change: Callable[[list[list[float]]], list[list[float]]], said: str
) -> None:
    assert said in of_three(change(MIXED))
    assert of_three(MIXED) == ""
    assert of_three([*MIXED[:20], *[[0.3, 0.4, 0.3]] * 4]) == ""


def texts_of_three_lines(spans: Callable[[int, list[object]], object]) -> str:
    """Records of texts of three lines, each with two spans, as `spans` has them."""
    lines = "Ada met Bo.\nCy met Di.\nEd met Flo.\n"
    places = [lines.index(n) for n in ("Ada", "Bo", "Cy", "Di", "Ed", "Flo")]
    own: list[object] = [[at, at + 2 + (at in (0, 27, 30)), "X"] for at in places]
    return "".join(
        json.dumps({"id": f"d{n}", "text": lines, "spans": spans(n, own)}) + "\n"
        for n in range(8)
    )


@loop_over(
    ("spans", "said"),
    [
        (lambda _n, own: own[:2], "only in the first sentence or line of each text"),
        (lambda _n, own: own[:1], "only in the first sentence or line of each text"),
        (lambda n, own: own[n % 2 : 2], "only in the first sentence or line of each"),
        (lambda n, own: own if n % 2 else None, "4 texts have no span, and the gold"),
        (lambda n, own: own if n < 5 else [], "3 texts have no span, and the gold"),
        (lambda n, own: own[1:] if n < 4 else None, "4 texts have no span, and the"),
    ],
)
def test_texts_that_a_system_left_get_a_remark(
    spans: Callable[[int, list[object]], object], said: str
) -> None:
    gold = texts_of_three_lines(lambda _n, own: own)
    told = said_of("spans", gold, texts_of_three_lines(spans), format="jsonl")
    assert said in told
    right = texts_of_three_lines(lambda n, own: own[n % 3 : 5])
    told = said_of("spans", gold, right, format="jsonl")
    assert "no span" not in told
    assert "only in" not in told


@loop_over("size", [5, 8, 12])
def test_documents_in_the_order_of_their_names_get_a_remark(size: int) -> None:
    def rows(turn: int) -> Lines:
        return [
            f"{topic} Q0 d{n * turn % 13:02d}-{topic} {n} {90 - n}.5 mine"
            for topic in TOPICS
            for n in range(1, size + 1)
        ]

    said = "the documents of each topic stand in the order of their names"
    assert said in remarks(RETRIEVAL, rows(1))
    assert remarks(RETRIEVAL, rows(5)) == ""


@loop_over("size", [2, 3, 6])
def test_few_documents_where_more_are_relevant_get_a_remark(size: int) -> None:
    def rows(line: str, count: int) -> str:
        numbers = range(1, count + 1)
        return "".join(
            line.format(topic, 3 * n % 11, n) for topic in TOPICS for n in numbers
        )

    gold = rows("{0} 0 d{1} 1\n", 8)
    said = f"no topic has more than {size} documents, and most have more relevant ones"
    line = "{0} Q0 d{1} {2} -{2}.5 mine\n"
    assert said in said_of("retrieval", gold, rows(line, size))
    assert "relevant ones" not in said_of("retrieval", gold, rows(line, 9))
