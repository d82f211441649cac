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
from scoring.errors import Refused
from scoring.gold_check import blind_of
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.spans import offsets
from scoring.scorers.spans.annotations import ReaderOptions
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

    def change(text: str) -> str:
        if not quoted:
            return text.replace("\t", mark)
        sheet = io.StringIO()
        rows = (line.split("\t") for line in text.split("\n")[:-1])
        csv.writer(sheet, delimiter=mark, lineterminator="\n").writerows(rows)
        return sheet.getvalue()

    return change


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
    def take_signs_off(text: str) -> str:
        named = text.replace("# sent_id", f"# {key} = x\n# sent_id")
        return re.sub(r"(?m)^# (?=sent_id|text|newdoc)", "", named)

    said = first_sentence(task, take_signs_off)
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
    def as_table(text: str) -> str:
        rows = [re.split(r"[\t, ]", line) for line in text.split("\n") if line]
        return lines([f"| {' | '.join(row)} |" for row in rows])

    assert "looks like a table of Markdown" in first_sentence(task, as_table)


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


@pytest.mark.parametrize("heads", ["0230", "0214", "2110"])
@pytest.mark.parametrize("above", ["", "# newdoc\n", "# global.columns = ID FORM\n"])
def test_what_is_wrong_with_the_first_tree_is_not_its_name(
    heads: str, above: str
) -> None:
    row = "{}\tw{}\tw\tX\t_\t_\t{}\tdep\t_\t_\n"
    name = f"{above}# sent_id = 1\n"
    gold, system = (
        name + "".join(row.format(n, n, h) for n, h in enumerate(x, 1))
        for x in ("0111", heads)
    )
    said = said_of("conll18", gold, system)
    assert "roots" in said or "HEAD" in said or "circle" in said


def numbered_sentences(mark: str, header: str) -> Change:
    """Each token behind the number of its sentence, without blank lines."""

    def change(text: str) -> str:
        units = text.strip().split("\n\n")
        rows = [f"{n}\t{x}" for n, unit in enumerate(units) for x in unit.split("\n")]
        return header.replace("\t", mark) + lines(rows).replace("\t", mark)

    return change


@loop_over(
    ("task", "change", "beginning"),
    [
        # Tokens in another column, or in none.
        (
            "labels",
            numbered_sentences("\t", "id\ttoken\ttag\n"),
            "The tokens stand in c",
        ),
        ("spans", numbered_sentences("\t", ""), "The tokens stand in column 2 of 3; t"),
        ("labels", numbered_sentences(" ", ""), "The tokens stand in column 2 of 3; t"),
        (
            "labels",
            lambda t: re.sub(r"\t\w+\n", " ", t) + "\n",
            "The text stands there,",
        ),
        (
            "spans",
            lambda t: re.sub(r"\t\S+\n", " ", t) + "\n",
            "The text stands there, and not in columns of tokens and tags: 'Waits",
        ),
        (
            "spans",
            lambda t: (
                re.sub(r"(\S+)\tB-(\S+)\n", r"<\2>\1</\2>\tO\n", t)
                .replace("\tO\n", " ")
                .replace("\tI-PLACE\n", " ")
            ),
            "The text stands there, and not in columns of tokens and tags: 'Waits",
        ),
        # Signs around and between cells.
        (
            "labels",
            lambda t: t.replace("\n", ",,\n"),
            "Something stands around every li",
        ),
        (
            "spans",
            lambda t: t.replace("\n", ";;;\n"),
            "Something stands around every li",
        ),
        (
            "attachment",
            lambda t: t.replace("\n", ",\n"),
            "Something stands around every",
        ),
        (
            "attachment",
            lambda t: t.replace("\t", "\t\t"),
            "Several tabs stand between tw",
        ),
        (
            "semarkup",
            lambda t: t.replace("\t", "\t\t"),
            "Several tabs stand between two",
        ),
        (
            "coreference",
            lambda t: t.replace("\t", "\t\t\t"),
            "Several tabs stand betwee",
        ),
        (
            "senseval",
            lambda t: t.replace(" ", "="),
            "The columns are separated by '='; ",
        ),
        (
            "senseval",
            lambda t: t.replace(" ", "|"),
            "The columns are separated by '|'; ",
        ),
        (
            "senseval",
            lambda t: t.replace(" ", ";"),
            "The columns are separated by ';'; ",
        ),
        # Signs of full width, and letters of another alphabet in labels.
        (
            "unl-graph",
            lambda t: t.replace("[", "\uff3b"),
            "There are signs of full width: \uff3b",
        ),
        (
            "labels",
            lambda t: t.replace(".", "\uff0e"),
            "There are signs of full width: \uff0e",
        ),
        (
            "edits",
            lambda t: t.replace("|", "\uff5c"),
            "There are signs of full width: \uff5c",
        ),
        (
            "labels",
            lambda t: t.replace("NO", "N\u041e"),
            "There are letters of another",
        ),
        (
            "classes",
            lambda t: t.replace("pos", "p\u043es"),
            "There are letters of anoth",
        ),
        # Lines of documents in other places.
        (
            "documents",
            lambda t: "-DOCSTART-\tO\n\n" * 4 + t.replace("-DOCSTART-\tO\n\n", ""),
            "The lines -DOCSTART- stand in other places than in the input file.",
        ),
        # Other formats.
        (
            "attachment",
            lambda _t: "model: bert\nseed: 4\nrate: 0.1\n",
            "The file is in",
        ),
        (
            "conll18",
            each_line(r"^\d+\t(\S+)\t.*$", r"\1\tX"),
            "The file is in another ",
        ),
        (
            "labels",
            lambda _t: "0000000: 5468 6520 6861 7262 6f75 7220 736c 6565  T\n",
            "t",
        ),
        (
            "senseval",
            lambda _t: "id,sense\na.b,c%1,d%1\na.c,c%1\n",
            "The file is in anot",
        ),
    ],
)
def test_the_cause_comes_first_of_these_too(
    task: str, change: Change, beginning: str
) -> None:
    said = first_sentence(task, change)
    assert said.startswith(beginning), said


@pytest.mark.parametrize("behind", [" 0.93", " .5", " 1.0"])
@pytest.mark.parametrize("lexelt", ["", "bank.n "])
def test_a_weight_that_stands_by_itself_gets_a_remark(lexelt: str, behind: str) -> None:
    key = [f"{lexelt}d0.s{n} bank%1:17:0{n % 3}::" for n in range(9)]
    sent = [f"{line}{behind}" for line in key]
    remark = f"'{behind[1:]}' is read as a sense; a weight is written with a slash"
    assert remark in said_of("senseval", lines(key), lines(sent))
    assert "read as" not in said_of("senseval", lines(key), lines(key))


@pytest.mark.parametrize("mark", [",", ";", "|"])
def test_senses_that_are_joined_get_a_remark(mark: str) -> None:
    key = [f"d0.s{n} bank%1:17:0{n % 3}::" for n in range(9)]
    sent = [f"{line}{mark}bank%1:14:00::" for line in key]
    assert "is read as one sense" in said_of("senseval", lines(key), lines(sent))


@pytest.mark.parametrize("sign", ["&gt;", "&lt;", "&#39;", "&amp;"])
def test_signs_written_out_get_a_remark_where_the_file_is_taken(sign: str) -> None:
    gold = "".join(
        f"[S:{n}]\n{{unl}}\nagt(go(icl>do), boat(icl>thing))\n{{/unl}}\n[/S]\n"
        for n in range(3)
    )
    assert f"such as '{sign}' in line 3" in said_of(
        "unl-graph", gold, gold.replace(">", sign)
    )
    capitals = said_of("unl-graph", gold, gold.replace("agt", "AGT"))
    assert "no label of relation in the file occurs" in capitals


@pytest.mark.parametrize("language", ["fr", "de", "ru"])
def test_the_original_as_an_answer_is_a_copy(language: str) -> None:
    block = (
        "[S:{0}]\n{{org:%s}}\nle port {0}\n{{/org}}\n{{en}}\n{1} {0}\n{{/en}}\n[/S]\n"
    )
    gold, system = (
        "".join((block % language).format(n, text) for n in range(4))
        for text in ("the harbour", "le port")
    )
    assert "every answer is what the input file asks" in said_of(
        "unl-text", gold, system
    )
    assert "asks" not in said_of("unl-text", gold, gold)


@pytest.mark.parametrize(("column", "name"), [(2, "LEMMA"), (3, "UPOS")])
@pytest.mark.parametrize("value", ["X", "dep", "0"])
def test_one_value_in_all_words_gets_a_remark(
    column: int, name: str, value: str
) -> None:
    right = data(TASKS["conll18"].right).decode()
    rows = [line.split("\t") for line in right.split("\n")]
    for row in rows:
        if len(row) == 10:
            row[column] = value
    sent = "\n".join("\t".join(row) for row in rows)
    assert f"{name} is '{value}' for every word" in said_of("conll18", right, sent)
    assert "every word" not in said_of("conll18", right, right)


@pytest.mark.parametrize("joined", ["[{0}, {0}]", "{0}\n{0}\n", "{0} {0}"])
def test_documents_of_mat_in_one_file_are_counted_as_several(joined: str) -> None:
    gold = json.dumps({"signal": "a boat", "asets": [], "metadata": {}, "version": 1})
    own = get("spans")
    options = parse(own.options, {"format": ["mat-json"]})
    sent = Source.of_bytes("s", joined.replace("{0}", gold).encode())
    verdict = examine(own, Source.of_bytes("b", gold.encode()), sent, options)
    assert verdict.findings[0].message == "several documents stand in one file."


def below_each(line: str, every: int = 5) -> Change:
    """A line at the end of some sentences."""

    def change(text: str) -> str:
        units = text.rstrip("\n").split("\n\n")
        spoken = [
            f"{unit}\n{line}" * (not n % every) or unit for n, unit in enumerate(units)
        ]
        return "\n\n".join(spoken) + "\n\n"

    return change


@loop_over(
    ("task", "change", "beginning"),
    [
        # Signs for tabs and for blank lines.
        (
            "labels",
            lambda t: t.replace("\t", "<TAB>"),
            "The columns are separated by '<T",
        ),
        (
            "attachment",
            lambda t: t.replace("\t", "<tab>"),
            "The columns are separated by",
        ),
        (
            "semarkup",
            lambda t: t.replace("\t", "\u2192"),
            "The columns are separated by",
        ),
        (
            "labels",
            lambda t: t.replace("\n\n", "\nEOS\n"),
            "There are lines of signs whe",
        ),
        (
            "spans",
            lambda t: t.replace("\n\n", "\n</s>\n"),
            "There are lines of signs wher",
        ),
        (
            "documents",
            lambda t: t.replace("\n\n", "\nBREAK\n"),
            "There are lines of sign",
        ),
        # Lines of somebody who speaks, inside.
        (
            "attachment",
            below_each("Note: seen by hand."),
            "Line 8 is no part of the form",
        ),
        (
            "coreference",
            below_each("Note: seen by hand."),
            "Line 9 is no part of the form",
        ),
        (
            "semarkup",
            below_each("Please look at this."),
            "Line 8 is no part of the form",
        ),
        # Words in another order, and behind numbers.
        (
            "labels",
            lambda t: (
                "\n\n".join(
                    "\n".join(unit.split("\n")[::-1])
                    for unit in t.strip().split("\n\n")
                )
                + "\n\n"
            ),
            "The words of 40 of 40 sentences stand in another order",
        ),
        (
            "spans",
            lambda t: (
                "\n\n".join(
                    "\n".join(sorted(unit.split("\n")))
                    for unit in t.strip().split("\n\n")
                )
                + "\n\n"
            ),
            "The words of 40 of 40 sentences stand in another order",
        ),
        (
            "labels",
            each_line(r"^(\S+)\t", r'"7" "\1" '),
            "The tokens stand in column 2 o",
        ),
        (
            "spans",
            each_line(r"^(\S+)\t(\S+)$", r"  3  \1   \2"),
            "The tokens stand in col",
        ),
    ],
)
def test_the_cause_comes_first_of_lines_between(
    task: str, change: Change, beginning: str
) -> None:
    said = first_sentence(task, change)
    assert said.startswith(beginning), said


@pytest.mark.parametrize(("sign", "each"), [(";", True), (",", True), (" |", False)])
def test_signs_at_senses_get_a_remark(sign: str, each: bool) -> None:
    key = [f"d0.s{n} bank%1:17:0{n % 3}::" for n in range(9)]
    sent = [f"{line}{sign}" if each or n == 4 else line for n, line in enumerate(key)]
    said = said_of("senseval", lines(key), lines(sent))
    end = f"every answer ends with '{sign}'"
    assert (end if each else "'|' is read as a sense") in said


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("mark", [" ", "\t"])
def test_numbers_of_lines_before_corrected_texts_get_a_remark(
    first: int, mark: str
) -> None:
    sent = lines([f"{n}{mark}{text}" for n, text in enumerate(TEXTS, first)])
    said = said_of("edits", corrections(), sent, matching="maxmatch")
    assert "begins with the number of its line" in said


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_edits_that_count_tokens_from_1_get_a_remark(shift: int) -> None:
    pairs = [("sail", "sails"), ("rose", "rows"), ("wait", "waits"), ("goes", "going")]
    gold, system = (
        "".join(
            f"S The {a} at {b} noon\n"
            f"A {1 + by} {2 + by}|||R:VERB|||{b}|||REQUIRED|||-NONE-|||0\n\n"
            for a, b in pairs
        )
        for by in (0, shift)
    )
    said = said_of("edits", gold, system)
    assert ("count tokens from 1" in said) == (shift == 1)
    assert said_of("edits", gold, gold) == ""


@pytest.mark.parametrize("endings", [(".txt",), (".ann.txt", ".txt"), (".ann",)])
def test_documents_of_brat_without_their_annotations_are_told_so(
    endings: tuple[str, ...],
) -> None:
    files = {"a": "Ada rows", "b": "Bo swims"}
    ann = "T1\tX 0 {0}\t{1}\n"

    def archive(ends: tuple[str, ...]) -> Source:
        members = {}
        for name, text in files.items():
            word = text.split()[0]
            annotation = ann.format(len(word), word)
            for end in ends:
                own = text if end == ".txt" else annotation
                members[f"{name}{end}"] = own.encode()
        return Source("s", members)

    own = get("spans")
    options = parse(own.options, {})
    verdict = examine(own, archive((".ann", ".txt")), archive(endings), options)
    said = verdict.findings[0].message
    assert said.startswith(
        {
            (".txt",): "There are texts, and no annotations of brat",
            (
                ".ann.txt",
                ".txt",
            ): "'a.ann.txt' ends in .txt; annotations of brat end in",
            (".ann",): "there is no a.txt beside it",
        }[endings]
    )


@pytest.mark.parametrize("ending", [".xml", ".json", ".txt.json"])
def test_one_document_for_several_is_called_so(ending: str) -> None:
    def document(text: str) -> bytes:
        if ending == ".xml":
            return f"<doc>{text}</doc>".encode()
        return json.dumps({"signal": text, "asets": [], "version": 1}).encode()

    blind = Source("b", {f"{n}{ending}": document(f"boat {n}") for n in "cde"})
    sent = Source.of_bytes(f"all{ending}", document("boat c boat d boat e"))
    own = get("spans")
    verdict = examine(own, blind, sent, parse(own.options, {}))
    said = verdict.findings[0].message
    assert said.startswith("The file is one document, 'all'; expected the 3 of the ")


@pytest.mark.parametrize("first", ["1", "2 3", "x y z"])
def test_lines_of_too_few_columns_do_not_make_the_first_line_wrong(first: str) -> None:
    right = data(TASKS["columns"].right).decode()
    rows = [line.split() for line in right.split("\n")]
    short = [row if row[:1] != ["shore"] else [*first.split(), row[3]] for row in rows]
    sent = "\n".join(" ".join(row) for row in short)
    said = TASKS["columns"].verdict(sent.encode()).findings[0].message
    assert "#begin" not in said


@pytest.mark.parametrize("label", ["NaN", "Infinity", "-Infinity"])
def test_a_label_that_is_no_text_is_none(label: str) -> None:
    for span in ('[2, 6, "X"]', '{"start": 2, "end": 6, "label": "X"}'):
        gold = f'{{"id": "a", "text": "a boat", "spans": [{span}]}}\n'
        said = said_of("spans", gold, gold.replace('"X"', label))
        assert said == "span 1 lacks start, end or label, as in [0, 5, 'NAME']."


@pytest.mark.parametrize("between", [" ||| ", "|||  ", "\t|||"])
def test_blanks_around_a_correction_are_none_of_it(between: str) -> None:
    own = get("edits")
    options = parse(own.options, {})
    key, sent = (
        Source.of_bytes("s", text.encode())
        for text in (corrections(), corrections().replace("|||", between))
    )
    gold = own.read_gold(key, options)
    counted = [
        own.count(gold, own.read_system(file, options, gold), options).table.tolist()
        for file in (key, sent)
    ]
    assert counted[0] == counted[1]


@pytest.mark.parametrize("tags", [["noun", "verb"], ["NN", "VBZ"], ["N", "V", "."]])
def test_parts_of_speech_of_another_scheme_get_a_remark(tags: list[str]) -> None:
    def filled(names: list[str]) -> str:
        rows = [
            line.split("\t")
            for line in data(TASKS["conll18"].right).decode().split("\n")
        ]
        for n, row in enumerate(rows):
            if len(row) == 10:
                row[3] = names[n % len(names)]
        return "\n".join("\t".join(row) for row in rows)

    right = filled(["NOUN", "VERB", "X"])
    said = said_of("conll18", right, filled(tags))
    assert (
        "295 of the first 295 words have another UPOS than those of Universal" in said
    )
    assert "UPOS" not in said_of("conll18", right, right)


@pytest.mark.parametrize(
    "change", [str.lower, lambda x: x.replace("B", "b"), str.casefold]
)
def test_corrected_lines_in_small_letters_get_a_remark(
    change: Callable[[str], str],
) -> None:
    gold = corrections().replace("S boat", "S Boat")
    sent = lines([text.capitalize() for text in TEXTS]).replace("kiel", "kiel")
    said = said_of("edits", gold, change(sent), matching="maxmatch")
    assert ("no text has a capital letter" in said) == (change("K B") != "K B")
    assert "capital" not in said_of("edits", gold, sent, matching="maxmatch")


@pytest.mark.parametrize("word", ["null", "None", "NaN"])
def test_senses_that_are_not_there_are_counted(word: str) -> None:
    key = [f"d0.s{n} bank%1:17:0{n % 3}::" for n in range(9)]
    sent = [f"{x.split()[0]} {word}" if n % 4 == 0 else x for n, x in enumerate(key)]
    said = said_of("senseval", lines(key), lines(sent))
    assert f"3 of 9 answers are '{word}', as programs write what is missing" in said


@pytest.mark.parametrize("heads", ["2310", "2314", "2112"])
@pytest.mark.parametrize("scorer", ["attachment", "semarkup"])
def test_gold_without_a_root_gets_a_remark(scorer: str, heads: str) -> None:
    row = "{}\tw\tw\tX\t_\t_\t{}\tdep\t_\t_\n"
    trees = [
        f"# sent_id = {k}\n" + "".join(row.format(n, h) for n, h in enumerate(x, 1))
        for k, x in enumerate(("0111", heads))
    ]
    own = get(scorer)
    options = parse(own.options, {})
    gold = own.read_gold(Source.of_bytes("g", "\n".join(trees).encode()), options)
    remark = "1 of 2 sentences have no root"
    assert (remark in own.gold_remarks(gold, options)) == ("0" not in heads)


@pytest.mark.parametrize("mark", ["\uff0c", "\uff01", "\uff10"])
@pytest.mark.parametrize("scorer", ["translation", "transcripts", "texts"])
def test_answers_in_scripts_with_wide_signs_get_no_remark(
    scorer: str, mark: str
) -> None:
    key = lines([f"the boat {n} is here" for n in range(12)])
    sent = lines([f"\u8239{mark}{n}" for n in range(12)])
    assert "full width" not in said_of(scorer, key, sent)


@pytest.mark.parametrize("column", [0, 6])
@pytest.mark.parametrize("task", ["attachment", "conll18"])
def test_numbers_in_digits_of_full_width_get_a_remark(task: str, column: int) -> None:
    right = data(TASKS[task].right).decode()
    wide = {48 + n: 0xFF10 + n for n in range(10)}
    rows = [line.split("\t") for line in right.split("\n")]
    for row in rows:
        if len(row) == 10:
            row[column] = row[column].translate(wide)
    said = said_of(task, right, "\n".join("\t".join(row) for row in rows))
    assert "There are signs of full width: \uff11 <U+FF11> for '1', first in line" in (
        said.replace("\uff12 <U+FF12> for '2'", "\uff11 <U+FF11> for '1'")
    )
    assert "width" not in said_of(task, right, right)


@pytest.mark.parametrize("sent", [b"{}", b"{}\n{}\n{}", b"[{}, {}]"])
def test_objects_without_any_member_have_no_text(sent: bytes) -> None:
    with pytest.raises(Refused, match="text"):
        list(offsets.read({"a.jsonl": sent}, ReaderOptions()))
