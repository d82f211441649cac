"""Right files of each scorer, mutated as people and their programs do it: what is said
first of them, and that nothing is scored in silence."""

import re
from collections.abc import Callable
from functools import partial

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
        (task, each_line("{}<br>".format), AROUND)
        for task in ("labels", "spans", "columns")
    ),
    *(
        (task, lambda text: re.sub(r"(?m)(.+)$", r"7\t\1", text), AROUND)
        for task in ("attachment", "columns", "coreference")
    ),
    *(
        (task, lambda text, end=end: f"{text.rstrip()}{end}\n", SIGNS)
        for task in ("spans", "columns", "edits")
        for end in ("</s>", "<unk>", "[SEP]")
    ),
    *(
        (task, every(7, LOGGED), f"{count} lines are program output")
        for task, count in (("labels", 49), ("attachment", 49), ("coreference", 49))
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
    ("senseval", turned(" "), "The first two columns are swapped"),
]


@loop_over(("task", "change", "beginning"), CAUSES, ids=map(str, range(len(CAUSES))))
def test_the_first_sentence_names_the_cause(
    task: str, change: Change, beginning: str
) -> None:
    said = first_sentence(task, change)
    assert said.startswith(beginning), said


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
