"""Files of other programs, of models and of another order: what is said first of them,
or beside the score of those that are taken."""

import json
from collections.abc import Callable

import pytest

from scoring import Source, examine
from scoring.engine import Job
from scoring.errors import SetupError
from scoring.formats.bundle import zip_files
from scoring.gold_check import read_gold
from scoring.options import parse
from scoring.scorers import get
from tests.scoring.test_diagnosis import TASKS, data
from tests.scoring.test_unlikely_files import (
    first_sentence,
    lines,
    remarks_of,
    spans_of,
)

ROWS = range(12)
OTHERS = ["classes", "numbers", "lines", "attachment", "spans", "retrieval", "tuples"]


def test_a_file_of_a_tool_for_annotation_is_called_so() -> None:
    labels = '[{"id": 1, "data": {}, "annotations": [{"id": 2, "result": []}]}]\n'
    for said, begin in (
        ("a file of WebAnno or INCEpTION", "#FORMAT=WebAnno TSV 3.3\n\n#Text=a b\n"),
        ("a TextGrid of Praat or a file of ELAN", 'File type = "ooTextFile"\n'),
        ("an export of Label Studio", labels),
    ):
        for task in OTHERS:
            sentence = first_sentence(task, lambda _text, own=begin: own)
            assert sentence == f"this is {said}", task


@pytest.mark.parametrize("task", OTHERS)
@pytest.mark.parametrize(
    "text",
    [
        '{"accuracy": 0.83, "macro_f1": 0.79}\n',
        '{\n  "_name_or_path": "bert",\n  "id2label": {"0": "a"}\n}\n',
        '{"loss": 0.5, "epoch": 1}\n{"loss": 0.3, "epoch": 2}\n',
        "              precision    recall  f1-score   support\n\n    a   1 1 1 3\n",
    ],
)
def test_settings_and_figures_of_a_run_are_called_so(task: str, text: str) -> None:
    said = first_sentence(task, lambda _text: text)
    assert said == "this is the settings or figures of a run, and not its answers"


@pytest.mark.parametrize("task", OTHERS)
@pytest.mark.parametrize("level", ["INFO", "WARNING", "DEBUG"])
def test_a_log_is_called_so(task: str, level: str) -> None:
    log = lines([f"2026-01-02 10:00:0{n},1 {level} step {n}" for n in range(4)])
    said = first_sentence(task, lambda _text: log)
    assert said == "this is the log of a program, and not its output"


@pytest.mark.parametrize("first", ["model", "loss", "accuracy"])
def test_answers_with_figures_beside_them_are_answers(first: str) -> None:
    rows = [{first: 0.5, "id": str(n), "label": "ab"[n % 2]} for n in ROWS]
    gold = "id,label\n" + lines([f"{n},{'ab'[n % 2]}" for n in ROWS])
    assert remarks_of("classes", gold, lines([json.dumps(row) for row in rows])) == ""


@pytest.mark.parametrize(
    "mark", ["[-{}-]{{+x+}}", "{{--{}--}}{{++x++}}", "<del>{}</del>"]
)
def test_marks_of_a_comparison_are_named(mark: str) -> None:
    said = first_sentence(
        "attachment", lambda text: text.replace("\t.\t", f"\t{mark.format('.')}\t")
    )
    assert said.startswith("Marks show how two versions differ, first in line ")
    texts = [f"boat {name} sails {name}" for name in "abcdefghijkl"]
    marked = [text.replace("sails", mark.format("sails")) for text in texts]
    for scorer in ("translation", "texts", "transcripts"):
        said = remarks_of(scorer, lines(texts), lines(marked))
        assert "answers have marks of how two versions differ" in said


@pytest.mark.parametrize("endings", [("ann", "txt"), ("json",)])
@pytest.mark.parametrize("folders", [("run1", "run2"), ("a/x", "a/y", "b")])
def test_documents_in_several_folders_are_told_with_their_names(
    endings: tuple[str, ...], folders: tuple[str, ...]
) -> None:
    own = get("spans")
    options = parse(own.options, {})
    texts = {"ann": b"T1\tLOC 0 3\tOsby\n".replace(b"3", b"4"), "txt": b"Osby sleeps"}
    texts["json"] = b'{"signal": "Osby sleeps", "asets": [], "version": 2}'
    files = {f"d{n}.{end}": texts[end] for n in range(2) for end in endings}
    several = {f"{f}/{name}": text for f in folders for name, text in files.items()}
    verdict = examine(
        own, Source("gold", files), zip_files("mine.zip", several), options
    )
    assert verdict.findings[0].message == (
        "The documents are there once in each of several folders: "
        f"{', '.join(sorted(folders))}."
    )


@pytest.mark.parametrize("task", ["classes", "numbers", "texts", "early", "metrics"])
@pytest.mark.parametrize("between", ["", " ", '"'])
def test_a_header_that_the_first_row_follows_in_its_line_is_told(
    task: str, between: str
) -> None:
    said = first_sentence(task, lambda text: text.replace("\n", between, 1))
    assert said.startswith("The names of the columns and the first answer are one line")


@pytest.mark.parametrize("summary", [{"bleu": 30.1}, {"total": 2, "seconds": 3.5}])
def test_a_last_object_without_an_id_is_no_item(summary: dict[str, float]) -> None:
    own = get("simultaneous")
    names = [f"talk-{n}" for n in range(4)]
    rows = [{"recording": n, "prediction": "a b", "delays": [1, 2]} for n in names]
    gold = "recording,start,end,text\n" + lines([f"{name},0,1,a b" for name in names])
    options = parse(own.options, {})
    blind = own.blind(Source.of_bytes("gold", gold.encode()), options)
    system = lines([json.dumps(row) for row in [*rows, summary]])
    sent = Source.of_bytes("s", system.encode())
    said = examine(own, blind, sent, options).findings[0].message
    assert said == f"Line 5 is no item: '{json.dumps(summary)}'."


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("step", [2, 3, 7])
def test_numbers_of_rows_for_other_numbers_are_called_so(start: int, step: int) -> None:
    own = get("classes")
    blind, system = (
        Source.of_bytes("s", f"id,label\n{lines(rows)}".encode())
        for rows in (
            [f"{step * n + 3}," for n in ROWS],
            [f"{n + start},a" for n in ROWS],
        )
    )
    said = examine(own, blind, system, parse(own.options, {})).findings[0].message
    assert said.startswith("The ids are the numbers of the rows, such as")


def test_capitals_that_simultaneous_output_lost_get_a_remark() -> None:
    gold = "recording,start,end,text\n" + lines(
        [f"talk,{n}.0,{n}.9,The boat {n} waits" for n in range(1, 5)]
    )
    for words, lost in (("the boat waits", True), ("The boat waits", False)):
        row = {"recording": "talk", "prediction": words, "delays": [900, 1000, 4000]}
        said = remarks_of("simultaneous", gold, json.dumps(row) + "\n")
        assert ("no word has a capital letter, and 4 of 4" in said) == lost


def test_delays_that_are_all_0_get_a_remark() -> None:
    gold = "recording,start,end,text\ntalk,0.0,2.0,a boat waits\n"
    for delays in ([0, 0, 0], [0.0, 0, 0], [0, 0, 1]):
        row = {"recording": "talk", "prediction": "a boat waits", "delays": delays}
        said = remarks_of("simultaneous", gold, json.dumps(row) + "\n")
        assert ("every delay is 0" in said) == (not any(delays))


@pytest.mark.parametrize("scorer", ["classes", "numbers", "texts", "multilabel"])
@pytest.mark.parametrize("mark", [",", "\t"])
@pytest.mark.parametrize("places", [(0, 1), (1, 0), (1, 2, 0)])
def test_a_gold_without_header_is_told_wherever_its_ids_stand(
    scorer: str, mark: str, places: tuple[int, ...]
) -> None:
    mark = "," if scorer == "texts" else mark  # lines of id, tab and text are read
    cells = [(f"rev-{7 * n:03d}", "abc"[n % 3], "x y") for n in ROWS]
    text = lines([mark.join(row[place] for place in places) for row in cells])
    own = get(scorer)
    job = Job(own, parse(own.options, {}))
    with pytest.raises(SetupError) as refused:
        read_gold(job, Source.of_bytes("gold", text.encode()))
    said = str(refused.value.problems[0])
    assert "columns have no names" in said or "names of the columns are missing" in said


@pytest.mark.parametrize("text", ["May 5, 19{}", "well, {} boats", "a, b{}, c"])
def test_lines_with_a_comma_are_lines(text: str) -> None:
    own = get("texts")
    gold = lines([text.format(10 + n) for n in ROWS])
    job = Job(own, parse(own.options, {}))
    assert len(read_gold(job, Source.of_bytes("gold", gold.encode()))) == len(ROWS)


def test_a_gold_whose_tags_stand_first_gets_a_remark() -> None:
    own = get("labels")
    options = parse(own.options, {})
    right = data(TASKS["labels"].right).decode()
    rows = [line.split("\t") for line in right.split("\n")]
    turned = "\n".join("\t".join(row[::-1]) for row in rows)
    for text, odd in ((turned, True), (right, False)):
        gold = own.read_gold(Source.of_bytes("gold", text.encode()), options)
        remarks = own.gold_remarks(gold, options)
        assert any("are the columns turned round?" in r for r in remarks) == odd


@pytest.mark.parametrize("task", ["attachment", "conll18"])
def test_a_sign_before_heads_is_told_before_the_attempt(task: str) -> None:
    raw = data(TASKS[task].right).decode()
    rows = [line.split("\t") for line in raw.split("\n")]
    signed = [[*r[:6], f"+{r[6]}", *r[7:]] if len(r) == 10 else r for r in rows]
    text = "\n".join("\t".join(row) for row in signed)
    for sent, odd in ((text, True), (raw, False)):
        verdict = TASKS[task].verdict(sent.encode())
        assert not verdict.problems
        said = " ".join(remark.message for remark in verdict.remarks)
        assert ("HEADs have a sign, such as '+2'" in said) == odd


PLACES = ("pier", "reef", "cape", "quay", "mill", "dune")
MORE_PLACES = ("lock", "ford", "weir", "isle", "bank", "port")
VERBS = ("wait", "sail", "burn", "lean", "hide", "rock")
MORE_VERBS = ("turn", "rot", "sink", "roll", "pass", "creak")
TEXTS = [
    f"{first} boats {verb} near the {place} until dawn"
    for first, verb, place in zip(
        ["Two", "Old", "Few"] * 4,
        VERBS + MORE_VERBS,
        PLACES + MORE_PLACES,
        strict=True,
    )
]


@pytest.mark.parametrize("scorer", ["translation", "texts", "transcripts"])
@pytest.mark.parametrize(
    ("system", "said"),
    [
        ([f"{t} <unk>" if n % 3 else t for n, t in enumerate(TEXTS)], "'<unk>'"),
        ([f"<think>a</think> {t}" for t in TEXTS], "signs of a model or of markup"),
        ([f"{t}<|endoftext|>" for t in TEXTS], "'<|endoftext|>'"),
        ([t.replace(" boats", "\\nboats") for t in TEXTS], "signs written out"),
        ([t[:24] if n else "Two." for n, t in enumerate(TEXTS)], "one length, 24"),
        ([f"en_XX {t}" for t in TEXTS], "begins with 'en_XX '"),
        ([f"<2de> {t}" for t in TEXTS], "begins with '<"),
        ([f"ala bala nica turska gora {n}" for n in ROWS], "no word of their ref"),
        (TEXTS, None),
        ([t.replace("boats", "ships") for t in TEXTS], None),
    ],
)
def test_what_a_model_leaves_in_texts_gets_a_remark(
    scorer: str, system: list[str], said: str | None
) -> None:
    remarks = remarks_of(scorer, lines(TEXTS), lines(system))
    assert (said in remarks) if said else remarks == ""


@pytest.mark.parametrize("scorer", ["translation", "texts", "transcripts"])
@pytest.mark.parametrize(
    "order", [TEXTS[::-1], [*TEXTS[5:], *TEXTS[:5]], TEXTS[::2] + TEXTS[1::2]]
)
def test_texts_in_another_order_get_a_remark(scorer: str, order: list[str]) -> None:
    words = [
        "oak",
        "ash",
        "elm",
        "yew",
        "fir",
        "box",
        "bay",
        "fig",
        "may",
        "sea",
        "ivy",
    ]
    own = [f"{word} {word}s {word}ed {word}ing" for word in [*words, "pea"]]
    moved = [own[TEXTS.index(text)] for text in order]
    said = remarks_of(scorer, lines(own), lines(moved))
    assert "fit the references of other lines better than their own" in said
    assert "better than their own" not in remarks_of(scorer, lines(own), lines(own))


@pytest.mark.parametrize(
    ("scorer", "column", "answers"),
    [
        ("classes", "label", ["a", "b", "c", "b", "a", "c", "c", "b"]),
        ("multilabel", "label", ["a|b", "b", "c", "b|c", "a", "c", "c|a", "b"]),
        ("numbers", "value", ["1", "9", "3", "7", "2", "8", "4", "6"]),
    ],
)
@pytest.mark.parametrize("turn", [1, -1])
def test_answers_that_are_right_for_the_row_next_to_theirs_get_a_remark(
    scorer: str, column: str, answers: list[str], turn: int
) -> None:
    gold = answers * 3
    shifted = gold[turn:] + gold[:turn]
    files = (
        f"id,{column}\n" + lines([f"r{n},{x}" for n, x in enumerate(side)])
        for side in (gold, shifted, gold)
    )
    first, second, same = files
    assert "fit the items next to theirs" in remarks_of(scorer, first, second)
    assert "next to theirs" not in remarks_of(scorer, first, same)


@pytest.mark.parametrize("code", ["-1", "-1.0", "-1.00"])
def test_the_only_number_below_0_is_told_where_it_comes_several_times(
    code: str,
) -> None:
    right = [f"r{n},{n / 4}" for n in ROWS]
    for times in (0, 1, 3):
        own = [f"r{n},{code}" for n in range(times)] + right[times:]
        gold, system = ("id,value\n" + lines(rows) for rows in (right, own))
        said = remarks_of("numbers", gold, system)
        assert (f"{times} of 12 values are" in said) == (times > 1)


def test_turns_whose_length_is_their_end_get_a_remark() -> None:
    def speech(ends: Callable[[int], float]) -> str:
        start = "SPEAKER m 1"
        behind = "<NA> <NA> A <NA> <NA>"
        return lines([f"{start} {3 * n} {ends(n)} {behind}" for n in range(1, 8)])

    right, wrong = speech(lambda _n: 2.0), speech(lambda n: 3 * n + 2.0)
    said = remarks_of("meetings", right, wrong)
    assert "6 of 6 turns begin before the same speaker's turn above them ends" in said
    assert "more than 2 times as long as in the gold" in said
    assert remarks_of("meetings", right, right) == ""


@pytest.mark.parametrize("task", ["classes", "numbers", "early", "metrics"])
@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I cannot answer this without the texts.\n",
        "As a language model, I have no access to these files, sadly.\n",
        "Here is what I think, in short; it is all one class.\nIt is good.\n",
    ],
)
def test_a_sentence_in_the_place_of_a_header_is_quoted(task: str, text: str) -> None:
    said = first_sentence(task, lambda _text: text)
    assert said.startswith(f"The first line, '{text[:25]}")
    assert "names no columns" in said


@pytest.mark.parametrize("task", ["classes", "numbers", "texts"])
@pytest.mark.parametrize("numbered", [True, False])
def test_quoted_cells_with_spaces_between_them_are_one_column(
    task: str, numbered: bool
) -> None:
    def by_spaces(text: str) -> str:
        rows = [row.split(",") for row in text.rstrip("\n").split("\n")]
        cells = [" ".join(f'"{cell}"' for cell in row) for row in rows]
        if numbered:
            cells[1:] = [f'"{n}" {row}' for n, row in enumerate(cells[1:], 1)]
        return lines(cells)

    said = first_sentence(task, by_spaces)
    assert said.startswith('The first line is one column, \'"id" "')


@pytest.mark.parametrize("joined", [" ", "  ", ", "])
def test_lines_that_became_one_are_told(joined: str) -> None:
    said = first_sentence("lines", lambda text: text.replace("\n", joined) + "\n")
    assert said == "The whole file is one line: its line ends are lost."


@pytest.mark.parametrize("sign", ["##", "@@"])
@pytest.mark.parametrize("task", ["spans", "labels"])
def test_words_in_pieces_are_told_with_the_first(task: str, sign: str) -> None:
    def in_pieces(text: str) -> str:
        made = []
        for line in text.split("\n"):
            word, tab, tag = line.partition("\t")
            first, last = (f"{word[:2]}", f"##{word[2:]}")
            if sign == "@@":
                first, last = f"{word[:2]}@@", word[2:]
            whole = len(word) < 4
            made += [line] if whole else [f"{first}{tab}{tag}", f"{last}{tab}{tag}"]
        return "\n".join(made)

    assert first_sentence(task, in_pieces).startswith("Words are in pieces")


@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize("task", ["classes", "texts"])
def test_answers_of_several_lines_are_told_with_the_first(
    task: str, between: str
) -> None:
    def long(text: str) -> str:
        head, *rows = text.rstrip("\n").split("\n")
        return lines([head, *(f"{row}{between}since it, they say, is" for row in rows)])

    said = first_sentence(task, long)
    line = 2 + len(between)
    assert said.startswith(f"Line {line} goes on with the text above it")


def test_other_forms_of_whole_files_are_named() -> None:
    best = lines([f"{n} ||| a boat ||| LM0= -3 ||| -2" for n in ROWS for _k in "ab"])
    quads = lines(["the soup is salty####[['soup', 'food', 'negative', 'salty']]"] * 9)
    trees = lines(["(S (NP (DT The) (NN boat)) (VP (VBZ waits)))"] * 9)
    for task, text, said in (
        ("lines", best, "lists of the best answers (Moses)"),
        ("tuples", quads, "texts with their tuples behind ####"),
        ("attachment", trees, "trees in brackets"),
        ("retrieval", "qid,docid,score\nq1,d1,2\nq1,d2,1\n", "a table with commas"),
    ):
        assert f"it looks like {said}, and this task" in first_sentence(
            task, lambda _text, own=text: own
        )


@pytest.mark.parametrize("task", ["classes", "numbers", "attachment", "spans"])
@pytest.mark.parametrize(
    "shown",
    [
        "shape: (2, 2)\n┌────┬───┐\n│ id ┆ x │\n└────┴───┘\n",
        "+----+---+\n| id | x |\n+----+---+\n| a  | 1 |\n+----+---+\n",
        " id | x\n----+---\n a  | 1\n(1 row)\n",
        "┏━━━━┳━━━┓\n┃ id ┃ x ┃\n┡━━━━╇━━━┩\n",
    ],
)
def test_a_table_as_a_screen_shows_it_is_called_so(task: str, shown: str) -> None:
    said = first_sentence(task, lambda _text: shown)
    assert said == "this is a table as a program shows it on a screen"


@pytest.mark.parametrize("task", ["classes", "numbers", "tuples"])
@pytest.mark.parametrize("begin", ["// run 3\n", "/* run 3 */\n", "predictions:\n"])
def test_a_line_above_an_array_of_json_is_quoted(task: str, begin: str) -> None:
    ids = [f"item-{n:03d}" for n in range(1, 41)]
    if task == "tuples":
        ids = [f"review-{n:03d}" for n in range(1, 41)]
    rows = [{"id": name, "label": "neutral", "value": 1, "tuples": []} for name in ids]
    said = first_sentence(task, lambda _text: begin + json.dumps(rows, indent=1))
    assert said == f"Line 1 is no part of the format: '{begin.strip()}'."


@pytest.mark.parametrize("task", ["classes", "numbers", "texts"])
@pytest.mark.parametrize("between", [" ", "  ", "; "])
def test_rows_that_became_one_line_below_the_header_are_told(
    task: str, between: str
) -> None:
    def joined(text: str) -> str:
        head, *rows = text.rstrip("\n").split("\n")
        return f"{head}\n{between.join(rows)}\n"

    said = first_sentence(task, joined)
    assert said == "The whole file is one line: its line ends are lost."


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("place", [0, 5, 40])
def test_a_line_among_numbers_that_is_none_is_quoted(count: int, place: int) -> None:
    own = get("numbers")
    options = parse(own.options, {})
    numbers = [f"{n}.5" for n in range(40)]
    strays = ["# mean of them"] * count
    blind = own.blind(Source.of_bytes("gold", lines(numbers).encode()), options)
    sent = lines([*numbers[:place], *strays, *numbers[place:]])
    verdict = examine(own, blind, Source.of_bytes("s", sent.encode()), options)
    assert verdict.findings[0].message == (
        f"Line {place + 1} is no part of the format: '# mean of them'."
    )


def test_figures_and_screens_of_programs_are_named_among_lines() -> None:
    for task, text, said in (
        ("lines", "Pearson: 0.83\nSpearman = 0.79\n", "figures of a run"),
        ("lines", "test accuracy: 83.1 %\nmacro f1: 79\n", "figures of a run"),
        ("retrieval", "num_q \tall\t8\nmap  \tall\t0.5\n", "figures of a run"),
        (
            "lines",
            "SENT 1: a\nPRED 1: b\nPRED SCORE: -1.0\n\n" * 3,
            "what OpenNMT shows on a screen",
        ),
        ("classes", "@relation x\n@attribute id string\n", "ARFF (Weka)"),
    ):
        sentence = first_sentence(task, lambda _text, own=text: own)
        assert f"it looks like {said}, and this task" in sentence, (text, sentence)


@pytest.mark.parametrize("between", [" ||| ", "\t", " -> ", "\n", "\n\n"])
@pytest.mark.parametrize("space", [" ", ""])
def test_tags_behind_their_whole_sentence_are_told(between: str, space: str) -> None:
    def whole(text: str) -> str:
        made = []
        for sentence in text.strip().split("\n\n"):
            rows = [line.split("\t") for line in sentence.split("\n")]
            words, tags = zip(*rows, strict=True)
            made.append(f"{space.join(words)}{between}{' '.join(tags)}")
        return lines(made)

    assert first_sentence("spans", whole).startswith("There is a sentence in each line")


def test_a_row_with_a_comma_in_its_text_is_not_to_be_taken_out() -> None:
    own = get("meetings")
    options = parse(own.options, {})
    rows = [f"m{n // 4},A,{n}.0,{n}.5,we sail" for n in range(12)]
    head = "session,speaker,start,end,text"
    gold = Source.of_bytes("gold", lines([head, *rows]).encode())
    blind = own.blind(gold, options)
    rows[5] += ", they say"
    sent = Source.of_bytes("s", lines([head, *rows]).encode())
    said = examine(own, blind, sent, options).findings[0].message
    assert said == "expected 5 columns as in the first line, found 6."


def documents(text: bytes, ending: str) -> dict[str, bytes]:
    if ending == "json":
        signal = json.dumps({"signal": text.decode(), "asets": [], "version": 2})
        return {f"d{n}.json": signal.encode() for n in range(3)}
    brat = {f"d{n}.txt": text for n in range(3)}
    return brat | {f"d{n}.ann": b"T1\tLOC 0 4\tOsby\n" for n in range(3)}


def test_documents_in_another_form_than_the_input_file_are_called_so() -> None:
    own = get("spans")
    options = parse(own.options, {})
    for asked, sent, said in (
        ("json", "ann", "it looks like brat, and this task takes mat-json."),
        ("ann", "json", "it looks like mat-json, and this task takes brat."),
    ):
        blind = Source("gold", documents(b"Osby sleeps", asked))
        mine = zip_files("mine.zip", documents(b"Osby sleeps", sent))
        verdict = examine(own, blind, mine, options)
        assert verdict.findings[0].message.endswith(said)


@pytest.mark.parametrize("text", [b"Osby wakes", b"In Osby sleeps", b"Osby  sleeps"])
def test_a_changed_text_of_brat_is_told_before_the_offsets_in_it(text: bytes) -> None:
    own = get("spans")
    blind = Source("gold", documents(b"Osby sleeps", "ann"))
    verdict = examine(
        own,
        blind,
        zip_files("mine.zip", documents(text, "ann")),
        parse(own.options, {}),
    )
    said = verdict.findings[0].message
    assert said.startswith("The text of d0.txt differs from the input file: '")


@pytest.mark.parametrize("label", [["LOC"], {"name": "LOC"}, []])
def test_a_label_that_is_no_text_is_not_called_missing(label: object) -> None:
    span = json.dumps({"start": 8, "end": 12, "label": label})
    said = spans_of(f'{{"id": "a", "spans": [{span}]}}\n')
    assert "the label of span 1 is a list or an object, not a text." in said


@pytest.mark.parametrize("value", [[0.2, 0.8], ["yes"], 0.5])
def test_ids_that_are_the_names_of_one_object_are_called_so(value: object) -> None:
    ids = [f"item-{n:03d}" for n in range(1, 41)]
    said = first_sentence(
        "probabilities", lambda _text: json.dumps(dict.fromkeys(ids, value))
    )
    assert said.startswith("The ids stand as names in the JSON")


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("task", ["spans", "labels"])
def test_tags_that_moved_by_one_token_get_a_remark(task: str, turn: int) -> None:
    words = [f"w{n}" for n in range(60)]
    kinds = (
        ["A", "B", "C", "D", "E", "F", "G"]
        if task == "labels"
        else ["O", "O", "O", "B-X", "O", "O"]
    )
    tags = [kinds[n % len(kinds)] for n in range(60)]
    moved = tags[turn:] + tags[:turn]
    gold, wrong = (
        lines([f"{w}\t{t}" for w, t in zip(words, side, strict=True)])
        for side in (tags, moved)
    )
    assert "next to theirs better than their own" in remarks_of(task, gold, wrong)
    assert "next to theirs" not in remarks_of(task, gold, gold)


@pytest.mark.parametrize("turn", [1, -1])
def test_values_that_were_sorted_get_a_remark(turn: int) -> None:
    values = [3, 9, 1, 7, 12, 5, 2, 10, 4, 8, 11, 6]
    gold, wrong = (
        "id,value\n" + lines([f"r{n},{value}" for n, value in enumerate(side)])
        for side in (values, sorted(values)[::turn])
    )
    assert "were they sorted?" in remarks_of("numbers", gold, wrong)
    assert "were they sorted?" not in remarks_of("numbers", gold, gold)


@pytest.mark.parametrize("times", [3, 4, 6])
def test_a_0_that_stands_for_many_numbers_gets_a_remark(times: int) -> None:
    right = [f"r{n},{n / 4 + 1}" for n in ROWS]
    own = [f"r{n},0" for n in range(times)] + right[times:]
    gold, system = ("id,value\n" + lines(rows) for rows in (right, own))
    said = remarks_of("numbers", gold, system)
    assert ("hardly any other stands twice" in said) == (times > 3)


@pytest.mark.parametrize("scorer", ["translation", "texts", "transcripts"])
@pytest.mark.parametrize(
    ("system", "said"),
    [
        ([f"{t} no no no no no no" for t in TEXTS], "the same again and again"),
        (
            [f"Let us think of it. {t}" for t in TEXTS[:4]] + TEXTS[4:],
            "Let us think of",
        ),
        ([t.replace("boats", "__NUM__") for t in TEXTS], "'__NUM__'"),
        ([t.replace(" ", " Ġ") for t in TEXTS], "words are in pieces"),
        ([t.replace("t", "ŧ") for t in TEXTS], "no reference has: 'ŧ'"),
        ([TEXTS[0]] * 10 + TEXTS[10:], "10 of 12 answers are the same"),
    ],
)
def test_more_that_a_model_leaves_in_texts_gets_a_remark(
    scorer: str, system: list[str], said: str
) -> None:
    remarks = remarks_of(scorer, lines(TEXTS), lines(system))
    assert said in remarks
    assert "of other lines better" not in remarks


@pytest.mark.parametrize("word", ["None", "NULL", "nan"])
def test_corrections_that_stand_for_none_get_a_remark(word: str) -> None:
    texts = [f"The {kind} boat sails ." for kind in ("old", "red", "big", "new")]
    edit = "A 1 2|||R|||{}|||REQUIRED|||-NONE-|||0"
    gold, system = (
        "".join(f"S {text}\n{edit.format(own)}\n\n" for text in texts)
        for own in ("fine", word)
    )
    system = system.replace(word, "fine", 1)
    said = remarks_of("edits", gold, system)
    assert f"3 of 4 answers are '{word}', as programs write what is missing" in said


@pytest.mark.parametrize("cells", ["0.2 0.8", "[0.1, 0.9]", ".5;.5"])
def test_clusters_called_by_several_shares_get_a_remark(cells: str) -> None:
    gold = "id\tcluster\n" + lines([f"r{n}\t{'ab'[n % 2]}" for n in ROWS])
    other = cells.replace("0.", "0.3").replace(";.", ";.4")
    system = "id\tcluster\n" + lines([f"r{n}\t{(cells, other)[n % 2]}" for n in ROWS])
    assert "clusters are called by several numbers" in remarks_of(
        "clusterings", gold, system
    )


@pytest.mark.parametrize("scorer", ["translation", "texts", "transcripts"])
@pytest.mark.parametrize(
    ("system", "said"),
    [
        (
            [t.replace("near", "\\emph{near}") for t in TEXTS],
            "no reference has: '\\', '{', '}'",
        ),
        (
            [f"{t} (laughs)" if n % 3 else t for n, t in enumerate(TEXTS)],
            "'(', ')', 'g'",
        ),
        ([t if n % 3 else "<eps>" for n, t in enumerate(TEXTS)], "'<', '>', the first"),
        ([t.replace("e", "?") for t in TEXTS], "no reference has: '?'"),
        (
            [f"{t[:14]}..." if n % 2 else t for n, t in enumerate(TEXTS)],
            "end with '...'",
        ),
    ],
)
def test_characters_that_no_reference_has_are_told(
    scorer: str, system: list[str], said: str
) -> None:
    assert said in remarks_of(scorer, lines(TEXTS), lines(system))


@pytest.mark.parametrize("mark", [".", "!", "\u3002"])
def test_a_sign_that_all_references_have_and_no_answer_gets_a_remark(mark: str) -> None:
    gold, system = lines([f"{t}{mark}" for t in TEXTS]), lines(TEXTS)
    said = f"no answer has '{mark}', and 12 references have it."
    assert said in remarks_of("translation", gold, system)
    assert said in remarks_of("transcripts", gold, system)
    assert said not in remarks_of("transcripts", gold, system, punctuation="drop")
    assert "no answer has" not in remarks_of("texts", gold, system)


def test_texts_that_lost_their_first_letter_get_a_remark() -> None:
    said = remarks_of("translation", lines(TEXTS), lines([t[1:] for t in TEXTS]))
    assert "no answer" not in said and "none of the first 12 answers has a cap" in said
    texts = [f"{t} of Ada" for t in TEXTS]
    said = remarks_of("translation", lines(texts), lines([t[1:] for t in texts]))
    assert "12 of the first 12 answers begin with a small letter" in said
    said = remarks_of("translation", lines(texts), lines(texts), lowercase="true")
    assert "small letter" not in said


@pytest.mark.parametrize("task", ["classes", "numbers", "early"])
def test_a_quote_that_nobody_closed_is_told_without_words_of_a_program(
    task: str,
) -> None:
    said = first_sentence(task, lambda text: text.replace(",", ',"'))
    assert said.startswith("a text in double quotes begins here")


@pytest.mark.parametrize("task", ["classes", "numbers", "tuples"])
@pytest.mark.parametrize("row", ['["a", "b"]', '"a"', "17"])
def test_lines_of_json_that_are_no_objects_are_told(task: str, row: str) -> None:
    said = first_sentence(task, lambda _text: f"{row}\n" * 3)
    assert "column 'id'" not in said or row == "17" or row == '"a"'


@pytest.mark.parametrize("name", ["start", "begin"])
def test_a_span_in_each_object_is_told(name: str) -> None:
    rows = [{"id": "a", name: n, "end": n + 2, "label": "LOC"} for n in (0, 4)]
    said = spans_of(lines([json.dumps(row) for row in rows]))
    assert ("each object is one span" in said) == (name == "start")


def test_a_word_in_each_line_and_alignments_are_named() -> None:
    words = lines(
        ["a", "boat", "sails", "and", "the", "gulls", "wait", "for", "herring"] * 20
    )
    assert first_sentence("lines", lambda _text: words).startswith("There is a word in")
    aligned = "id: (s-1)\nScores: (#C #S) 5 1\nREF:  a b\nHYP:  a b\nEval:\n\n" * 9
    said = first_sentence("lines", lambda _text: aligned)
    assert "it looks like alignments as sclite prints them" in said


@pytest.mark.parametrize("blank", [" ", "  ", "\t"])
@pytest.mark.parametrize("task", ["attachment", "semarkup"])
def test_spaces_in_blank_lines_are_told(task: str, blank: str) -> None:
    said = first_sentence(task, lambda text: text.replace("\n\n", f"\n{blank}\n"))
    assert "between sentences that is no part" in said


def test_edits_of_no_type_get_a_remark_where_types_decide() -> None:
    edit = "A 1 2|||{}|||fine|||REQUIRED|||-NONE-|||0"
    gold, system = (
        "".join(f"S The {n} boat sails .\n{edit.format(kind)}\n\n" for n in "abcd")
        for kind in ("R:ADJ", "UNK")
    )
    said = "4 of 4 edits are of the type UNK and do not count"
    assert said in remarks_of("edits", gold, system)
    assert said not in remarks_of("edits", gold, system, level="span")
    assert said not in remarks_of("edits", gold, gold)


@pytest.mark.parametrize("task", ["classes", "numbers", "lines"])
def test_single_quotes_around_every_line_are_told_in_tables(task: str) -> None:
    said = first_sentence(
        "classes" if task == "lines" else task,
        lambda text: "".join(f"{row!r}\n" for row in text.rstrip("\n").split("\n")),
    )
    assert said.startswith("Something stands around every line that is no part of it")


@pytest.mark.parametrize(
    ("task", "column"), [("classes", "label"), ("numbers", "value"), ("early", "delay")]
)
def test_a_column_without_a_name_is_not_called_by_an_empty_one(
    task: str, column: str
) -> None:
    said = first_sentence(task, lambda text: text.replace(f",{column}", ",", 1))
    assert said == f"A column has no name, and none is '{column}'."


@pytest.mark.parametrize("value", ["1e6", "-40000", "9999999"])
def test_one_value_far_outside_of_all_gets_a_remark(value: str) -> None:
    right = [f"r{n},{n / 4 + n % 3}" for n in ROWS]
    gold, system = (
        "id,value\n" + lines(rows) for rows in (right, [f"r0,{value}", *right[1:]])
    )
    said = "1 of 12 values lie outside of the gold's by more than 100 times"
    assert said in remarks_of("numbers", gold, system)
    assert said not in remarks_of("numbers", gold, gold)


def test_types_in_the_place_of_corrections_get_a_remark() -> None:
    both = "A 1 2|||{}|||{}|||REQUIRED|||-NONE-|||0"
    gold, system = (
        "".join(f"S The {n} boat sails .\n{both.format(*pair)}\n\n" for n in "abcd")
        for pair in (("R:ADJ", "fine"), ("fine", "R:ADJ"))
    )
    assert "are the two swapped?" in remarks_of("edits", gold, system)
    assert "are the two swapped?" not in remarks_of("edits", gold, gold)


def test_speakers_that_are_texts_get_a_remark() -> None:
    head = "session,speaker,start,end,text"
    right = [f"m,Ada,{2 * n}.0,{2 * n}.9,we sail {n}" for n in range(6)]
    wrong = [f"m,we sail {n},{2 * n}.0,{2 * n}.9,Ada" for n in range(6)]
    gold, system = (lines([head, *rows]) for rows in (right, wrong))
    said = "speakers are called by texts, such as 'we sail 0'"
    assert said in remarks_of("meetings", gold, system)
    assert said not in remarks_of("meetings", gold, gold)


def test_labels_in_the_order_of_the_alphabet_get_a_remark_where_gold_is_not() -> None:
    answers = ["b", "a", "c", "b", "c", "a"] * 2
    gold, system = (
        "id,label\n" + lines([f"r{n},{x}" for n, x in enumerate(side)])
        for side in (answers, sorted(answers))
    )
    assert "were they sorted?" in remarks_of("classes", gold, system)
    assert "were they sorted?" not in remarks_of("classes", system, system)


def test_spans_of_single_words_get_a_remark_where_gold_has_longer_ones() -> None:
    words = ["Ada", "Maria", "Brook", "sails", "away", "."] * 4
    tags = ["B-PER", "I-PER", "I-PER", "O", "O", "O"] * 4
    gold = lines([f"{w}\t{t}" for w, t in zip(words, tags, strict=True)])
    said = "is each word a span of its own?"
    assert said in remarks_of("spans", gold, gold.replace("I-", "B-"))
    assert said not in remarks_of("spans", gold, gold)


def test_lemmas_in_capitals_get_a_remark() -> None:
    text = data(TASKS["conll18"].right).decode()
    rows = [line.split("\t") for line in text.split("\n")]
    for change, odd in ((str.upper, True), (str.lower, False)):
        cells = [[*r[:2], change(r[1]), *r[3:]] if len(r) == 10 else r for r in rows]
        sent = "\n".join("\t".join(row) for row in cells)
        verdict = TASKS["conll18"].verdict(sent.encode())
        said = " ".join(remark.message for remark in verdict.remarks)
        assert ("lemmas are in capitals" in said) == odd


@pytest.mark.parametrize("at", [1, 4, 7])
def test_a_label_on_a_line_of_its_own_is_not_to_be_taken_out(at: int) -> None:
    def broken(text: str) -> str:
        rows = text.split("\n")
        rows[at] = rows[at].replace("|", "\n") if "|" in rows[at] else rows[at]
        return "\n".join(rows)

    said = first_sentence("multilabel", broken)
    assert said == (
        f"Line {at + 2} goes on with the text above it, or is no part of the table: "
        "'drama'."
    )
