"""Files of columns and of trees as people send them by mistake: what is said first, and
beside the score of those that are taken."""

import csv
import io
import json
import re
from collections.abc import Callable

import pytest

from scoring import Source, examine
from scoring.engine import Job, count_file
from scoring.gold_check import blind_of
from scoring.options import parse
from scoring.scorers import get
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over
from tests.scoring.test_diagnosis import TASKS, data
from tests.scoring.test_unlikely_files import Change, each_line, first_sentence, lines

TEXTS = [f"boat {n} sails to Kiel , and back ." for n in range(12)]


def said_of(scorer: str, gold: str, system: str, **options: str) -> str:
    """All that a site says to a team: the refusal, or the remarks of both ways."""
    own = get(scorer)
    chosen = parse(own.options, {name: [value] for name, value in options.items()})
    job = Job(own, chosen, plan=Plan(resamples=0))
    key, sent = (
        Source.of_bytes(n, t.encode()) for n, t in (("g", gold), ("s", system))
    )
    verdict = examine(own, blind_of(job, key), sent, chosen)
    if verdict.problems:
        return verdict.findings[0].message
    remarks: list[str] = []
    count_file(job, own.read_gold(key, chosen), sent, remarks)
    return "\n".join([*(remark.message for remark in verdict.remarks), *remarks])


def joined_by(mark: str, quoted: bool) -> Change:
    """A table of tokens with another sign between its cells, as a spreadsheet saves
    it."""

    def changed(text: str) -> str:
        if not quoted:
            return text.replace("\t", mark)
        sheet = io.StringIO()
        rows = (line.split("\t") for line in text.split("\n")[:-1])
        csv.writer(sheet, delimiter=mark, lineterminator="\n").writerows(rows)
        return sheet.getvalue()

    return changed


@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize("mark", [",", ";", "|"])
@pytest.mark.parametrize("task", ["attachment", "semarkup", "coreference", "labels"])
def test_another_sign_between_the_cells_of_a_tree_is_named(
    task: str, mark: str, quoted: bool
) -> None:
    said = first_sentence(task, joined_by(mark, quoted))
    wanted = f"The columns are separated by '{mark}'; this format separates them with "
    assert said == wanted + "tabs."


@pytest.mark.parametrize("empty", ["\t", "\t\t", "\t" * 9])
@pytest.mark.parametrize("task", ["attachment", "conll18", "coreference", "semarkup"])
def test_empty_lines_of_tabs_are_named(task: str, empty: str) -> None:
    text = data(TASKS[task].right).decode()
    verdict = TASKS[task].verdict(text.replace("\n\n", f"\n{empty}\n").encode())
    said = verdict.findings[0].message
    assert "between sentences that is no part of them: '\\t" in said


@pytest.mark.parametrize("key", ["sent_id", "text", "newdoc id"])
@pytest.mark.parametrize("task", ["attachment", "conll18", "coreference"])
def test_comments_that_lost_their_sign_are_named(task: str, key: str) -> None:
    def unmarked(text: str) -> str:
        named = text.replace("# sent_id", f"# {key} = x\n# sent_id")
        return re.sub(r"(?m)^# (?=sent_id|text|newdoc)", "", named)

    said = first_sentence(task, unmarked)
    assert said.startswith("Comment lines have no # in front, such as '")


@loop_over(
    ("task", "change", "beginning"),
    [
        # Lines that were sorted, and those of a tree of their own.
        (
            "attachment",
            lambda t: lines(sorted({*t.split("\n")} - {""})),
            "The lines ar",
        ),
        (
            "coreference",
            lambda t: lines(sorted({*t.split("\n")} - {""})),
            "The lines a",
        ),
        (
            "semarkup",
            lambda t: lines(sorted(t.split("\n"))),
            "The lines are in the ord",
        ),
        (
            "conll18",
            lambda t: f"1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n{t}",
            "The text differs in 1 of 40 passages: 'Go",
        ),
        # One line.
        ("labels", lambda t: t.replace("\n", " "), "The whole file is one line: its"),
        (
            "attachment",
            lambda t: t.replace("\n", " "),
            "The whole file is one line: it",
        ),
        (
            "edits",
            lambda t: t.replace("\n", " "),
            "The whole file is one line: its lin",
        ),
        ("columns", lambda t: t.replace("\n", "\\n"), "The whole file is one line: it"),
        ("labels", lambda t: t.replace("\n", "\\n"), "The whole file is one line: its"),
        # What somebody says in place of answers.
        (
            "attachment",
            lambda _t: "Sorry, but I can't, as it is long.\n",
            "The file is",
        ),
        ("unl-graph", lambda _t: "No, I will not, thanks.\n", "The file is in another"),
        (
            "coreference",
            lambda _t: "No, really, it can not be.\n",
            "The file is in ano",
        ),
        # Data of programs.
        ("labels", lambda _t: "[('a', 'X'), ('b', 'Y')]\n", "The file is in another"),
        (
            "spans",
            lambda _t: "[['O', 'O'], ['O']]\n",
            "The file is in another format: ",
        ),
        (
            "labels",
            lambda _t: "{'a': ['X', 'Y']}\n",
            "The file is in another format: i",
        ),
        (
            "spans",
            lambda _t: '[["O", "O"], ["O"]]\n',
            "The file is in another format: ",
        ),
        ("unl-graph", lambda t: json.dumps(t), "this is a text as programs print it"),
        # Tags that are not there, and heads that are none.
        (
            "spans",
            each_line("\tO$", ""),
            "215 of 295 lines have a token and no tag, su",
        ),
        ("labels", each_line("\tNOUN$", ""), "expected a token and its tag, separated"),
        (
            "conll18",
            each_line(r"\t0\tdep", "\t-1\tdep"),
            "HEAD is '-1'; expected a num",
        ),
        (
            "conll18",
            each_line(r"\t0\tdep", "\t99\tdep"),
            "HEAD is '99'; expected a num",
        ),
        (
            "conll18",
            each_line(r"\t0\tdep", "\tx\tdep"),
            "HEAD is 'x'; expected a numbe",
        ),
        # CoNLL-2012 without the lines around it.
        (
            "columns",
            lambda t: re.sub("(?m)^#.*\n", "", t).replace(" ", "\t"),
            "the line '#begin document' is missing above.",
        ),
    ],
)
def test_the_cause_comes_first(task: str, change: Change, beginning: str) -> None:
    said = first_sentence(task, change)
    assert said.startswith(beginning), said


@pytest.mark.parametrize("task", ["labels", "spans", "texts", "senseval"])
def test_a_table_of_markdown_is_called_so(task: str) -> None:
    def drawn(text: str) -> str:
        rows = [re.split(r"[\t, ]", line) for line in text.split("\n") if line]
        return lines([f"| {' | '.join(row)} |" for row in rows])

    assert "looks like a table of Markdown" in first_sentence(task, drawn)


@pytest.mark.parametrize("first", ["```", "Here are the senses:", "instance sense"])
def test_lines_above_senses_are_not_called_missing_answers(first: str) -> None:
    key = lines([f"d0.s{n} bank%1:17:0{n % 3}::" for n in range(9)])
    said = said_of("senseval", key, f"{first}\n{key}")
    assert "Only" not in said
    assert "ine 1 is no part" in said or "Line 1 is program output" in said


@pytest.mark.parametrize("senses", [["bank"], ["bn:1", "shore"], ["17", "x.y"]])
def test_senses_in_another_inventory_are_answers(senses: list[str]) -> None:
    key = [f"d0.s{n} bank%1:17:0{n % 3}::" for n in range(9)]
    sent = [f"{k.split()[0]} {senses[n % len(senses)]}" for n, k in enumerate(key)]
    assert "are answered" not in said_of("senseval", lines(key), lines(sent))


@pytest.mark.parametrize("end", [" ", "\\n"])
def test_senses_whose_line_ends_are_lost_are_told_so(end: str) -> None:
    for lexelt in ("", "bank.n "):
        key = [f"{lexelt}d0.s{n} bank%1:17:0{n % 3}::" for n in range(9)]
        assert "its line ends are lost" in said_of(
            "senseval", lines(key), end.join(key)
        )


@pytest.mark.parametrize("scorer", ["senseval", "translation", "retrieval"])
def test_signs_of_a_terminal_get_a_remark_where_the_file_is_taken(scorer: str) -> None:
    key = {
        "senseval": lines([f"b.n b.{n} bank%{n % 3}" for n in range(9)]),
        "translation": lines(TEXTS),
        "retrieval": lines([f"q{n} 0 d{n} 1" for n in range(9)]),
    }[scorer]
    right = (
        key if scorer != "retrieval" else re.sub(" 0 (d.) 1", r" Q0 \1 1 2.5 x", key)
    )
    assert "as a terminal shows signs" in said_of(
        scorer, key, right.replace("\n", "$\n")
    )
    assert "terminal" not in said_of(scorer, key, right)


@pytest.mark.parametrize("word", ["nan", "None", "<NA>"])
@pytest.mark.parametrize("column", [2, 3, 5])
@pytest.mark.parametrize("scorer", ["conll18", "attachment"])
def test_cells_that_a_program_fills_with_nothing_get_a_remark(
    scorer: str, column: int, word: str
) -> None:
    right = data(TASKS[scorer].right).decode()
    rows = [line.split("\t") for line in right.split("\n")]
    for row in rows:
        if len(row) == 10:
            row[column] = word
    said = said_of(scorer, right, "\n".join("\t".join(row) for row in rows))
    assert f"295 cells are '{word}', as programs write what is missing" in said
    assert "cells" not in said_of(scorer, right, right)


@pytest.mark.parametrize("head", ["9", "33", "1000"])
def test_a_head_outside_of_its_sentence_is_no_root(head: str) -> None:
    row = "{}\tw\tw\tX\t_\t_\t{}\tdep\t_\t_\n"
    trees = [
        "".join(row.format(n, h) for n, h in enumerate(x, 1)) for x in ("012", head)
    ]
    gold, system = (f"# sent_id = 1\n{trees[0]}\n", f"# sent_id = 1\n{trees[0]}\n")
    system = system.replace("3\tw\tw\tX\t_\t_\t2", f"3\tw\tw\tX\t_\t_\t{head}")
    said = said_of("semarkup", gold, system)
    assert f"HEAD is '{head}' in line 4, and the sentence has no such token" in said
    assert "roots" not in said


@pytest.mark.parametrize("numbers", [["0.91", "0.87"], ["1", "2"], ["-3.5", "1e-3"]])
def test_numbers_behind_tags_get_a_remark(numbers: list[str]) -> None:
    right = data(TASKS["labels"].right).decode()
    rows = [line for line in right.split("\n")]
    sent = [f"{x}\t{numbers[n % 2]}" if x else "" for n, x in enumerate(rows)]
    said = said_of("labels", right, "\n".join(sent))
    assert "the last of 3 columns is read as the tags, and has numbers" in said
    assert said_of("labels", right, right) == ""


def corrections() -> str:
    edit = "A 2 3|||R:VERB|||rows|||REQUIRED|||-NONE-|||0"
    return "".join(f"S {text}\n{edit}\n\n" for text in TEXTS)


@pytest.mark.parametrize(
    ("change", "remark"),
    [
        (
            lambda x: x.replace(" ,", ",").replace(" .", "."),
            "signs are not parted from",
        ),
        (lambda x: x.replace(" .", "."), ""),
        (
            lambda x: re.sub("(?m)^(.+)$", r'{"text": "\1"}', x),
            "every answer begins wit",
        ),
        (lambda x: re.sub(r"(?m)^(.+)$", r"\1\t\1", x), "or twice as many"),
        (lambda x: re.sub(r"(?m)^(.+)$", r"\1 ||| \1", x), "or twice as many"),
        (lambda x: x, "every answer is what the input file asks"),
    ],
)
def test_corrected_lines_that_nobody_means_get_a_remark(
    change: Callable[[str], str], remark: str
) -> None:
    said = said_of("edits", corrections(), change(lines(TEXTS)), matching="maxmatch")
    assert remark in said if remark else "parted" not in said


@pytest.mark.parametrize("tags", [["O", "B-X"], [0, 1], ["X", "X"]])
@pytest.mark.parametrize("name", ["tags", "ner_tags", "pos"])
def test_tags_of_tokens_are_no_spans(name: str, tags: list[object]) -> None:
    gold = "".join(
        json.dumps({"id": f"t{n}", "text": "a boat", "spans": [[2, 6, "X"]]}) + "\n"
        for n in range(3)
    )
    sent = "".join(
        json.dumps({"id": f"t{n}", "tokens": ["a", "boat"], name: tags}) + "\n"
        for n in range(3)
    )
    said = said_of("spans", gold, sent)
    assert (
        said
        == f"no object has a list 'spans'; '{name}' is a list without start and end."
    )


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_what_an_answer_calls_the_original_is_no_answer(language: str) -> None:
    gold = f"[S:1]\n{{{language}}}\ncalm sea\n{{/{language}}}\n[/S]\n"
    system = f"[S:1]\n{{org:{language}}}\ncalm sea\n{{/org}}\n[/S]\n"
    assert "is read" in said_of("unl-text", gold, system, language=language)
    assert said_of("unl-text", gold, gold, language=language).count("same") == 0
