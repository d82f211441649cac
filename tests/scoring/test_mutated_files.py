"""Right files of each scorer, mutated as people and their programs do it: what is said
first of them, and that nothing is scored in silence."""

import json
import re
from collections.abc import Callable
from functools import partial

from scoring import Source, evaluate, examine
from scoring.engine import Job
from scoring.formats.bundle import zip_files
from scoring.options import parse
from scoring.scorers import get
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over
from tests.scoring.test_diagnosis import TASKS, data
from tests.scoring.wrong_files import SIZE

Change = Callable[[str], str]


def first_sentence(task: str, change: Change) -> str:
    text = data(TASKS[task].right).decode()
    verdict = TASKS[task].verdict(change(text).encode(), "mine")
    assert verdict.problems, f"{task}: the file was taken"
    return verdict.findings[0].message


def instead(text: str) -> Change:
    return lambda _right: text


def each_line(change: Change) -> Change:
    return lambda text: re.sub(r"(?m)^.+$", lambda line: change(line[0]), text)


def every(lines: int, put: str) -> Change:
    """A line between others, again and again."""

    def changed(text: str) -> str:
        rows = text.split("\n")
        return "\n".join(
            f"{put}\n{row}" if number % lines == 3 else row
            for number, row in enumerate(rows)
        )

    return changed


def turned(mark: str) -> Change:
    """The fields of each line from the last to the first."""
    return each_line(lambda line: mark.join(line.split(mark)[::-1]))


BIBTEX = "@article{key%s,\n  title = {A title},\n  year = {20%s}\n}\n"
LOGGED = "2024-05-01 10:00:00,123 - INFO - batch done"
AROUND = "Something stands around every line"
SIGNS = "There are signs of a model or of markup in the file"
# Task, change, and how the first sentence begins.
CAUSES: list[tuple[str, Change, str]] = [
    *(
        (task, instead(text), "this is a file of references")
        for task in ("classes", "labels", "unl-graph", "coreference")
        for text in (
            "@inproceedings{ada2024,\n  title = {A system},\n  year = {2024},\n}\n",
            "".join(BIBTEX % (n, n) for n in range(10, 40)),
            "TY  - JOUR\nAU  - Ada, A.\nPY  - 2020\nER  - \n",
        )
    ),
    *(
        (task, instead(text), begins)
        for task in ("classes", "spans", "edits")
        for text, begins in (
            ("MODEL=bert\nSEED=4\nOUT=/tmp/x\n", "this is the settings or figures"),
            ("BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n", "this is a calendar"),
        )
    ),
    *(
        (task, instead(text), "The file is in another format: it looks like TOML")
        for task in ("classes", "numbers", "attachment")
        for text in ('[model]\nname = "bert"\n', "[DEFAULT]\nname=bert\nlr=0.1\n")
    ),
    *(
        (task, each_line(change), AROUND)
        for task in ("labels", "spans", "attachment", "columns", "edits")
        for change in (
            "<p>{}</p>".format,
            "<s> {} </s>".format,
            "2024-05-01 10:00:00,123 INFO predict: {}".format,
        )
    ),
    *(
        ("columns", each_line(f"{{}}{end}".format), AROUND)
        for end in ("<br>", "</p>", "</code>")
    ),
    *(
        (task, lambda text: re.sub(r"(?m)(.+)$", r"7\t\1", text), AROUND)
        for task in ("attachment", "columns", "coreference")
    ),
    *(
        (task, lambda text, end=end: f"{text.rstrip()}{end}\n", SIGNS)
        for task in ("spans", "edits")
        for end in ("</s>", "<unk>", "[SEP]")
    ),
    *(
        (task, every(7, LOGGED), r"\d+ lines are program output")
        for task in ("labels", "attachment", "coreference")
    ),
    *(
        ("unl-graph", instead(text), f"The file is in another format: it looks {kind}")
        for text, kind in (
            (
                "| id | answer |\n|---|---|\n| [S:1] | {unl} a(b, c) {/unl} |\n",
                "like a",
            ),
            ('{"id": "[S:1]", "answer": "{unl} a(b, c) {/unl}"}\n', "like JSON"),
            ("INSERT INTO a VALUES ('[S:1]', '{unl} {/unl}');\n", "like statements"),
        )
    ),
    *(
        (task, instead("-- MySQL dump 10.13\n--\nCREATE TABLE `a` (`id` int);\n"), sql)
        for task in ("classes", "labels", "senseval")
        for sql in ("The file is in another format: it looks like statements of SQL",)
    ),
    *(
        ("spans", instead(text), "This file belongs to something else")
        for text in ("test\n", "/home/ada/runs/mine.txt\n", "one\ntwo\nthree\n")
    ),
    *(
        (task, lambda text, to=to: text.replace("NOUN", to), "Labels are not those")
        for task in ("labels",)
        for to in ("None", "NULL", "nan")
    ),
    ("senseval", turned(" "), "The instances stand in column 2"),
]


@loop_over(("task", "change", "beginning"), CAUSES, ids=map(str, range(len(CAUSES))))
def test_the_first_sentence_names_the_cause(
    task: str, change: Change, beginning: str
) -> None:
    said = first_sentence(task, change)
    assert re.match(beginning, said), said


@loop_over("task", ["labels", "spans", "attachment", "edits"])
def test_a_file_whose_first_half_is_there_twice_is_called_so(task: str) -> None:
    def twice(text: str) -> str:
        rows = text.rstrip("\n").split("\n\n")
        return "\n\n".join([*rows[: SIZE // 2]] * 2) + "\n\n"

    said = first_sentence(task, twice)
    assert f"there more than once ({SIZE // 2} too many)" in said
    assert said.startswith("sentence ")


@loop_over("missing", ["None", "NULL", "nan"])
def test_a_missing_value_is_no_misspelt_label(missing: str) -> None:
    text = data(TASKS["labels"].right).decode().replace("NOUN", missing)
    verdict = TASKS["labels"].verdict(text.encode(), "mine")
    assert "did you mean" not in verdict.findings[0].message


@loop_over("missing", ["None", "NULL", "nan"])
def test_a_missing_value_is_no_tag_without_a_prefix(missing: str) -> None:
    said = first_sentence(
        "spans", lambda text: re.sub(r"\t[BI]-.+", f"\t{missing}", text)
    )
    assert "not in the scheme" in said


@loop_over("tag", ["{0} or {0}", "{0} {0}", "{0} (0.93)"])
def test_a_tag_of_several_words_is_no_other_column(tag: str) -> None:
    change = partial(re.sub, r"\t(.+)", lambda match: "\t" + tag.format(match[1]))
    assert "The tags stand in column" not in first_sentence("spans", change)


@loop_over("between", [" ", ";", "|"])
def test_ids_in_lists_are_no_misnamed_column(between: str) -> None:
    names = [f"item-{n:03d}" for n in range(1, SIZE + 1)]
    rows = [f"{n}\t{between.join(names[n::4])}" for n in range(4)]
    said = first_sentence("classes", instead("\n".join(["label\titems", *rows, ""])))
    assert said.startswith("The ids stand in the answers")


@loop_over("lexelt", ["bank", "bank-n", "bank#n"])
def test_lexelts_in_another_spelling_are_ids_written_otherwise(lexelt: str) -> None:
    change = partial(re.sub, r"(?m)^\S+ ", f"{lexelt} ")
    said = first_sentence("senseval", change)
    assert said.startswith("The ids are written differently")


# Heads.


def tree(heads: list[int]) -> str:
    rows = (
        f"{n}\tw{n}\t_\t_\t_\t_\t{head}\t{'root' if head == 0 else 'dep'}\t_\t_\n"
        for n, head in enumerate(heads, 1)
    )
    return "".join(rows) + "\n"


TREES = [[2, 0, 2, 5, 3], [3, 3, 0, 3], [2, 5, 2, 5, 0], [0, 1, 2]] * 3
Count = Callable[[int, int], int]
# How heads are counted: of the word's number and its head, counted from 1.
COUNTED: list[tuple[Count, str]] = [
    (lambda _word, head: head - 1, "Are heads counted from 0?"),
    (lambda word, head: (head or word) - 1, "Are heads counted from 0?"),
    (lambda _word, head: head + 1, "Are heads counted from 2?"),
    (lambda word, head: head - word if head else 0, "Are heads counted from each"),
    (lambda word, _head: word, "Every word is its own head"),
    (lambda word, _head: word - 1, "The head of every word is the word before it"),
]


def said_of(scorer: str, gold: str, system: str, **raw: str) -> str:
    """All that is said of a file: before it is sent, and beside its score."""
    own = get(scorer)
    options = parse(own.options, {name: [value] for name, value in raw.items()})
    pair = [Source.of_bytes(n, t.encode()) for n, t in (("g", gold), ("s", system))]
    verdict = examine(own, own.blind(pair[0], options), pair[1], options)
    told = [p.message for p in (*verdict.findings, *verdict.remarks)]
    if not verdict.problems:
        told += evaluate(Job(own, options, plan=Plan(resamples=0)), *pair).remarks
    return "\n".join(told)


@loop_over(("count", "said"), COUNTED, ids=map(str, range(len(COUNTED))))
def test_heads_that_are_counted_otherwise_are_asked_about(
    count: Count, said: str
) -> None:
    gold = "".join(map(tree, TREES))
    otherwise = ([count(n, h) for n, h in enumerate(own, 1)] for own in TREES)
    system = "".join(map(tree, otherwise))
    for scorer in ("conll18", "attachment"):
        assert said in said_of(scorer, gold, system)
        assert said not in said_of(scorer, gold, gold)


@loop_over("step", [1, -1])
def test_heads_that_moved_by_a_line_are_asked_about(step: int) -> None:
    gold = "".join(map(tree, TREES))
    column = [head for own in TREES for head in own]
    moved = iter([*column[-step:], *column[:-step]])
    system = "".join(tree([next(moved) for _head in own]) for own in TREES)
    for scorer in ("conll18", "attachment"):
        assert "Have the heads moved by one line?" in said_of(scorer, gold, system)


@loop_over("feats", ["Case=Nom,Number=Sing", "Case=Nom; Number=Sing", '{"Case": "N"}'])
def test_features_that_are_parted_otherwise_get_a_remark(feats: str) -> None:
    empty, filled = "_\t_\t_\t_\t", "_\t_\t_\tCase=Nom|Number=Sing\t"
    gold = tree([2, 0, 2]).replace(empty, filled) * 4
    system = gold.replace("Case=Nom|Number=Sing", feats)
    assert "FEATS are written otherwise" in said_of("conll18", gold, system)
    assert "FEATS are written otherwise" not in said_of("conll18", gold, gold)


@loop_over("relation", ["nsubj", "0", "LABEL_0"])
def test_one_relation_in_all_words_gets_a_remark(relation: str) -> None:
    gold = "".join(map(tree, TREES))
    system = gold.replace("\tdep\t", f"\t{relation}\t")
    system = system.replace("\troot\t", f"\t{relation}\t")
    for scorer in ("conll18", "attachment"):
        assert f"DEPREL is '{relation}' for every word" in said_of(scorer, gold, system)


# Signs that nobody sees.


@loop_over("sign", ["\u200c", "\u200d", "\ufe0f"])
@loop_over("task", ["conll18", "labels", "senseval", "edits"])
def test_joiners_in_words_are_named(sign: str, task: str) -> None:
    for text in (data(TASKS[task].right).decode(),):
        changed = re.sub(r"([a-z]{3})([a-z])", rf"\1{sign}\2", text)
        verdict = TASKS[task].verdict(changed.encode(), "mine")
        told = [p.message for p in (*verdict.findings, *verdict.remarks)]
        assert any(f"<U+{ord(sign):04X}>" in one for one in told)


@loop_over("text", ["می\u200cروم", "क्\u200dष", "👩\u200d🔬", "1\ufe0f\u20e3"])
def test_joiners_that_words_need_are_no_odd_signs(text: str) -> None:
    gold = "".join(f"{text}{n}\tA{n % 2}\n" for n in range(4)) + "\n"
    system = gold.replace("A1", "A0")
    assert "nobody sees" not in said_of("labels", gold, system)
    table = "id,text,label\n" + "".join(f"i{n},a,{text}{n % 2}\n" for n in range(4))
    assert "nobody sees" not in said_of("classes", table, table)


# Spans.

WORDS = "Ada Brook sails to Elmhaven and Rufus Lane waves from New Harbour today ."
PLACES = [(0, 9, "PER"), (19, 27, "LOC"), (32, 42, "PER"), (54, 65, "LOC")]


def spans(change: Callable[[int, int, str], tuple[int, int, str]], kind: str) -> str:
    """Six texts in JSON Lines or mat-json, each with the same spans, changed."""
    own = [change(*place) for place in PLACES]
    rows = (
        {
            "id": f"d{n}",
            "text": WORDS,
            "spans": [{"start": a, "end": b, "label": c} for a, b, c in own],
        }
        for n in range(6 if kind == "jsonl" else 1)
    )
    if kind == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows)
    sets = [
        {"type": name, "attrs": [], "annots": [[a, b] for a, b, c in own if c == name]}
        for name in ("PER", "LOC")
    ]
    return json.dumps({"signal": WORDS, "asets": sets, "version": 2, "metadata": {}})


CHANGED: list[tuple[Callable[[int, int, str], tuple[int, int, str]], str]] = [
    (lambda a, b, c: (a + 1, b + 1, c), "seem to count from 1"),
    (lambda a, b, c: (a, b - 1, c), "seem to be those of the last character"),
    (lambda a, b, c: (a, b - 3, c), "begin or end inside a word"),
    (lambda a, b, c: (a, b + 1, c), "begin or end with a space"),
    (lambda a, b, c: (max(a - 1, 0), b + 1, c), "begin or end with a space"),
]


@loop_over(("change", "said"), CHANGED, ids=map(str, range(len(CHANGED))))
def test_offsets_that_are_hardly_those_of_words_get_a_remark(
    change: Callable[[int, int, str], tuple[int, int, str]], said: str
) -> None:
    for kind in ("jsonl", "mat-json"):
        gold = spans(lambda a, b, c: (a, b, c), kind)
        assert said in said_of("spans", gold, spans(change, kind), format=kind)
        assert said not in said_of("spans", gold, gold, format=kind)


OTHERS: list[tuple[Callable[[int, int, str], tuple[int, int, str]], str]] = [
    (lambda a, b, c: (a, b, "LOC" if c == "PER" else "PER"), "have another label"),
    (lambda a, b, c: (a, b, "PER" if c == "LOC" else "LOC"), "have another label"),
    (lambda a, b, c: (a, b - 4, c), "have other ends"),
    (lambda a, b, c: (max(a - 4, 0), b, c), "have other ends"),
    (lambda _a, _b, c: (0, len(WORDS), c), "go over a whole sentence or text"),
]


@loop_over(("change", "said"), OTHERS, ids=map(str, range(len(OTHERS))))
def test_spans_in_the_places_of_others_get_a_remark(
    change: Callable[[int, int, str], tuple[int, int, str]], said: str
) -> None:
    gold = spans(lambda a, b, c: (a, b, c), "jsonl")
    assert said in said_of("spans", gold, spans(change, "jsonl"), format="jsonl")
    assert said not in said_of("spans", gold, gold, format="jsonl")


@loop_over("label", ["PERS", "B-PER", "1"])
def test_spans_of_other_labels_are_not_called_none(label: str) -> None:
    gold = "Ada\tB-PER\nsails\tO\n\nRufus\tB-PER\nwaves\tO\n\n"
    system = gold.replace("B-PER", f"B-{label}")
    said = said_of("spans", gold, system, tags="PER").split("\n")[0]
    assert said == "There is no span with a label of this task in the file."


# Edits.

VERBS = ["visits", "paints", "leaves", "reads", "mends", "sails", "waves", "digs"]


def m2(change: Callable[[int, int, str, str], str]) -> str:
    edits = (
        f"S Yesterday she {verb[:-1]} to that place .\n"
        f"A {change(2, 3, verb[:-1], verb)}|||REQUIRED|||-NONE-|||0\n\n"
        for verb in VERBS
    )
    return "".join(edits)


def edit(a: int, b: int, text: str) -> str:
    return f"{a} {b}|||R:VERB|||{text}"


EDITS: list[tuple[Callable[[int, int, str, str], str], str]] = [
    (lambda a, b, _old, new: edit(a + 1, b + 1, new), "seem to count tokens from 1"),
    (lambda a, b, _old, new: edit(a - 1, b - 1, new), "of the token before the one"),
    (lambda a, b, _old, new: edit(a, b - 1, new), "are of no token"),
    (lambda a, b, old, _new: edit(a, b, old), "write what stands there already"),
    (lambda _a, _b, _old, new: edit(0, 7, new), "are of all tokens"),
    (lambda a, b, _old, _new: edit(a, b, "???"), "every edit has the same correction"),
    (lambda a, b, _old, _new: edit(a, b, ""), "that replaces words has a correction"),
]


@loop_over(("change", "said"), EDITS, ids=map(str, range(len(EDITS))))
def test_edits_that_are_hardly_meant_get_a_remark(
    change: Callable[[int, int, str, str], str], said: str
) -> None:
    gold = m2(lambda a, b, _old, new: edit(a, b, new))
    assert said in said_of("edits", gold, m2(change))
    assert said not in said_of("edits", gold, gold)


@loop_over("offsets", [(14, 19), (20, 22), (8, 30)])
def test_offsets_of_characters_are_told_to_count_tokens(
    offsets: tuple[int, int],
) -> None:
    gold = m2(lambda a, b, _old, new: edit(a, b, new))
    own = get("edits")
    sources = [
        Source.of_bytes("m2", text.encode())
        for text in (gold, m2(lambda _a, _b, _old, new: edit(*offsets, new)))
    ]
    options = parse(own.options, {})
    verdict = examine(own, own.blind(sources[0], options), sources[1], options)
    first = verdict.problems[0]
    assert first.hint == "Count tokens, not characters, from 0."


# Coreference.


@loop_over("written", ["entity=", "ENTITY=", "Entity:"])
def test_an_attribute_that_is_like_entity_is_quoted(written: str) -> None:
    gold = data(TASKS["coreference"].right).decode()
    system = gold.replace("Entity=", written).replace("global.", "global.")
    said = said_of("coreference", gold, system, singletons="true")
    assert "where 'Entity=' is read" in said


@loop_over("behind", ["/x", ":0.9", ";"])
def test_what_stands_behind_a_mention_neither_opens_nor_closes_one(behind: str) -> None:
    said = first_sentence("columns", lambda text: text.replace("(1)", f"(1){behind}"))
    assert said == f"'{behind}' neither opens nor closes a mention."


@loop_over("files", [1, 2, 3])
def test_a_zip_is_no_text_that_has_lost_its_first_line(files: int) -> None:
    text = data(TASKS["columns"].right)
    packed = zip_files("z", {f"r{n}/mine.conll": text for n in range(files)}).single()
    verdict = TASKS["columns"].verdict(packed, "mine.zip")
    told = "\n".join(problem.message for problem in verdict.findings)
    assert "is missing above" not in told
    assert bool(verdict.problems) == (files > 1)


# Files that are scored.


@loop_over("end", [" (0.93)", ":0.5", "\t.25"])
def test_a_score_behind_each_answer_gets_a_remark(end: str) -> None:
    gold = "".join(
        f"[S:{n}] {{en}} w{n} lies at quay {{/en}} [/S]\n" for n in range(12)
    )
    system = gold.replace(" {/en}", f"{end} {{/en}}")
    assert "a number like that of a score" in said_of("unl-text", gold, system)


@loop_over("change", [str.upper, lambda text: text[::-1], lambda _text: "nothing"])
def test_a_file_that_agrees_with_nothing_is_told_so(change: Change) -> None:
    hours = ("dawn", "noon", "dusk")
    rows = [f"w{n} mends nets on a quay at {hours[n % 3]}" for n in range(6)]
    gold, system = (
        "".join(
            f"[S:{n}] {{en}} {text} {n} {{/en}} [/S]\n" for n, text in enumerate(side)
        )
        for side in (rows, map(change, rows))
    )
    assert "nothing in the file agrees" in said_of("unl-text", gold, system)
    assert "nothing in the file agrees" not in said_of("unl-text", gold, gold)


@loop_over("turn", [1, -1])
def test_records_and_shares_that_moved_by_an_item_get_a_remark(turn: int) -> None:
    names = ["no", "so", "yes"]
    labels = [names[n * n % 7 % 3] for n in range(24)]
    moved = [*labels[turn:], *labels[:turn]]
    gold = "id,label\n" + "".join(f"i{n},{c}\n" for n, c in enumerate(labels))
    shares = (",".join("0.8" if c == n else "0.1" for n in names) for c in moved)
    table = "id,no,so,yes\n" + "".join(f"i{n},{own}\n" for n, own in enumerate(shares))
    assert "fit the items next to theirs" in said_of("probabilities", gold, table)
    rows = (
        "".join(
            json.dumps({"id": str(n), "tuples": [{"kind": c, "of": "x"}]}) + "\n"
            for n, c in enumerate(side)
        )
        for side in (labels, moved)
    )
    assert "fit the items next to theirs" in said_of("tuples", *rows)


@loop_over("turn", [1, -1])
def test_clusters_that_moved_by_an_item_get_a_remark(turn: int) -> None:
    names = [str(n * n % 7 % 3) for n in range(24)]
    gold, system, right = (
        "id,cluster\n" + "".join(f"i{n},c{c}\n" for n, c in enumerate(side))
        for side in (names, [*names[turn:], *names[:turn]], [*names[:20], *"0120"])
    )
    assert "fit the items next to theirs" in said_of("clusterings", gold, system)
    assert "fit the items next to theirs" not in said_of("clusterings", gold, right)


@loop_over("turned", [{0: 2, 2: 0}, {0: 1, 1: 0}, {1: 2, 2: 1}])
def test_columns_of_two_of_several_classes_that_are_swapped_get_a_remark(
    turned: dict[int, int],
) -> None:
    names = ["no", "so", "yes"]
    labels = [[*turned][n % 2] for n in range(24)]
    gold = "id,label\n" + "".join(f"i{n},{names[c]}\n" for n, c in enumerate(labels))
    gold += "".join(f"j{n},{name}\n" for n, name in enumerate(names))
    table = "id,no,so,yes\n"
    for n, own in enumerate(turned[c] for c in labels):
        cells = ["0.1" if c in turned else "0.2" for c in range(3)]
        cells[own] = "0.7"
        table += f"i{n},{','.join(cells)}\n"
    table += "".join(f"j{n},0.4,0.3,0.3\n" for n in range(3))
    assert "are the columns swapped?" in said_of("probabilities", gold, table)


# What is read otherwise than a person expects.


@loop_over("column", [2, 3, 5])
def test_a_column_that_the_gold_has_filled_and_the_system_not_is_named(
    column: int,
) -> None:
    row = ["1", "Boats", "boat", "NOUN", "_", "Number=Plur", "0", "root", "_", "_"]
    bare = [*row[:column], "_", *row[column + 1 :]]
    gold, system = ("\t".join(side) + "\n\n" for side in (row, bare))
    assert "for every word, and not in the answer key" in said_of(
        "conll18", gold * 3, system * 3
    )
    assert "not in the answer key" not in said_of("conll18", system * 3, system * 3)


@loop_over("word", ["_", "boot", "Boats"])
def test_words_of_cupt_that_are_others_get_a_remark(word: str) -> None:
    head = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC "
    rows = "\n".join(
        f"{n}\t{w}" + "\t_" * 8 + f"\t{code}"
        for n, (w, code) in enumerate((("boats", "1:VID"), ("sail", "1")), 1)
    )
    gold = f"{head}PARSEME:MWE\n# source_sent_id = . . s1\n{rows}\n\n"
    said = said_of("tuples", gold, gold.replace("boats", word))
    assert f"'{word}' where it has 'boats'" in said
    assert "where it has" not in said_of("tuples", gold, gold)


def sentences_of_cupt(text: str) -> str:
    """Sentences of CoNLL-U as those of .cupt, without an expression."""
    head = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC "
    body = re.sub(r"(?m)^(\d+\t.*)$", r"\1\t*", text)
    return f"{head}PARSEME:MWE\n{body.replace('sent_id', 'source_sent_id')}"


LOST: list[tuple[Change, str]] = [
    (lambda text: re.sub(r"# source_sent.*\n", "", text), "The lines '# sent_id"),
    (lambda text: re.sub(r"\n\n+", "\n", text), "The sentences are divided"),
    (lambda text: "\n".join(sorted(text.split("\n"))).lstrip(), "The lines are in the"),
]


@loop_over(("change", "beginning"), LOST, ids=map(str, range(len(LOST))))
def test_sentences_of_cupt_are_told_apart_as_those_of_trees(
    change: Change, beginning: str
) -> None:
    right = sentences_of_cupt(data(TASKS["attachment"].right).decode())
    own = get("tuples")
    options = parse(own.options, {})
    gold = Source.of_bytes("gold", right.replace("\t*", "\t1:VID", 1).encode())
    system = Source.of_bytes("mine", change(right).encode())
    verdict = examine(own, own.blind(gold, options), system, options)
    assert verdict.findings[0].message.startswith(beginning)


@loop_over("text", ["Killed", "KeyboardInterrupt", "RuntimeError: CUDA out of memory"])
def test_a_program_that_broke_off_is_told_where_its_words_are_read(text: str) -> None:
    right = data(TASKS["unl-graph"].right).decode()
    system = right.replace("{/unl}", f"{text}\n{{/unl}}", 1)
    verdict = TASKS["unl-graph"].verdict(system.encode(), "mine")
    assert any("broke off" in problem.message for problem in verdict.remarks)


@loop_over("relation", ["agt", "obj", "mod:01"])
def test_graphs_of_one_relation_are_no_odd_answers(relation: str) -> None:
    graph = f"{relation}(%dsail(icl>do).@entry, boat(icl>thing))"
    gold = "".join(f"[S:{n}] {{unl}} {graph % n} {{/unl}} [/S]\n" for n in range(12))
    assert "every answer" not in said_of("unl-graph", gold, gold)
    quoted = gold.replace(f"{relation}(", f'"{relation}(')
    assert "every answer begins with" in said_of("unl-graph", gold, quoted)


@loop_over("end", [" ./other", " !/other", ".|x"])
def test_a_word_behind_the_end_of_every_answer_gets_a_remark(end: str) -> None:
    gold = "".join(
        f"[S:{n}] {{en}} w{n} sails away today {{/en}} [/S]\n" for n in range(12)
    )
    system = gold.replace(" {/en}", f"{end} {{/en}}")
    assert "every answer ends with '" in said_of("unl-text", gold, system)


@loop_over("prefix", ["B-", "I-", "B-"])
def test_spans_that_end_with_their_first_word_get_a_remark(prefix: str) -> None:
    rows = "".join(
        f"Port{n}\tB-PLACE\nAnser\tI-PLACE\nlies\tO\nhere\tO\n\n" for n in range(9)
    )
    system = rows.replace("I-PLACE", "O").replace("B-", prefix)
    assert "no span of the file has several tokens" in said_of("spans", rows, system)
    assert "no span of the file" not in said_of("spans", rows, rows)


@loop_over("count", [2, 3, 5])
def test_texts_that_share_no_word_are_told_by_what_they_share(count: int) -> None:
    gold = "".join(
        f"S Boat{n} sail away now .\nA 1 2|||R:VERB|||sails|||REQUIRED|||-NONE-|||0\n\n"
        for n in range(3 * count)
    )
    raw = {"matching": "maxmatch"}
    same = said_of("edits", gold, "nan\n" * 3 * count, **raw)
    assert same.startswith(f"every answer is the same ({3 * count}): 'nan'.")


@loop_over("line", ["```", "Done in 3 seconds", "100%|####| 24/24 [00:01<00:00]"])
def test_printed_lines_are_told_where_corrected_lines_are_read(line: str) -> None:
    gold = "".join(f"S Boat{n} sail away .\n\n" for n in range(6))
    gold = gold.replace(".\n", ".\nA 1 2|||R:VERB|||sails|||REQUIRED|||-NONE-|||0\n")
    system = "".join(f"Boat{n} sails away .\n" for n in range(6)) + f"{line}\n"
    said = said_of("edits", gold, system, matching="maxmatch")
    assert said.startswith("Line 7 is program output")


@loop_over("size", [3, 5, 8])
def test_instances_without_a_sense_are_empty_answers(size: int) -> None:
    gold = "".join(f"a.n a.{n} a%{n % 2}\n" for n in range(size))
    system = "".join(f"a.n a.{n}\n" for n in range(size))
    said = said_of("senseval", gold, system)
    assert said.startswith(f"every answer is empty ({size}).")


@loop_over("task", ["lines", "corrected"])
def test_lines_that_are_there_twice_are_no_broken_texts(task: str) -> None:
    said = first_sentence(task, lambda text: text + text)
    assert (
        said
        == f"{SIZE} lines are there twice, first line 1; the input file has each once."
    )


# A second round of others.


@loop_over("mark", ["// {}", "# {}", "-- {}", "      1 {}"])
@loop_over("task", ["labels", "spans", "senseval"])
def test_marks_of_comments_and_counts_before_each_line_are_named(
    mark: str, task: str
) -> None:
    said = first_sentence(task, each_line(mark.format))
    assert said.startswith(AROUND), said


@loop_over("task", ["labels", "spans", "coreference"])
def test_lines_in_quotes_of_json_are_named(task: str) -> None:
    said = first_sentence(task, each_line(json.dumps))
    assert said.startswith(AROUND), said


@loop_over("task", ["labels", "spans", "columns"])
def test_lines_from_the_last_to_the_first_are_in_another_order(task: str) -> None:
    said = first_sentence(task, lambda text: "\n".join(text.split("\n")[::-1]))
    assert said.endswith("are there, in another order."), said


@loop_over("tag", ["TODO", "XXX", "tag"])
def test_one_word_in_place_of_all_tags_is_no_label_without_a_prefix(tag: str) -> None:
    said = first_sentence("spans", lambda text: re.sub(r"\t.+", f"\t{tag}", text))
    assert "not in the scheme" in said


@loop_over("mark", [",", ";"])
def test_a_mark_behind_each_tag_makes_no_table(mark: str) -> None:
    said = first_sentence("spans", lambda text: re.sub(r"(\t.+)", rf"\1{mark}", text))
    assert "a table" not in said


@loop_over("code", ["&eacute;", "\\u00e9", "=C3=A9"])
def test_words_whose_letters_are_written_out_are_words_that_differ(code: str) -> None:
    for task in ("labels", "attachment", "edits"):
        change = partial(re.sub, "e(?=[a-z])", lambda _letter: code)
        said = first_sentence(task, change)
        assert not said.startswith("Missing"), said


@loop_over("start", [0, 1])
def test_trees_upside_down_are_not_asked_about_the_counting_of_heads(
    start: int,
) -> None:
    said = first_sentence(
        "attachment", lambda text: "\n".join(text.split("\n")[start:][::-1])
    )
    assert "heads" not in said
