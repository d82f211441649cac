"""Files that people send by mistake: each kind in several spellings, with what is said
of it first, or asked of it; and files in odd spellings that are right."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.loops import loop_over
from tests.scoring.test_diagnosis import TASKS
from tests.scoring.wrong_files import SIZE, sentences, trees

IDS = [f"item-{n:03d}" for n in range(1, SIZE + 1)]
SENTENCES = [" ".join(words) for words in sentences()]
NUMBERED = [*enumerate(SENTENCES)]
TREES = [
    [line.split("\t") for line in block.split("\n")]
    for block in "\n".join(TASKS["attachment"].right).split("\n\n")
]


def tabled(header: str, *columns: Sequence[object], mark: str = ",") -> str:
    rows = [mark.join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([header, *rows, ""])


def written(blocks: Sequence[Sequence[Sequence[str]]]) -> str:
    return "\n\n".join("\n".join("\t".join(r) for r in b) for b in blocks) + "\n\n"


def each_word(change: Callable[[Sequence[str]], Sequence[str]]) -> str:
    """The right trees with each of their words changed."""
    return written(
        [[change(row) if row[0].isdigit() else row for row in b] for b in TREES]
    )


def in_place(column: int, change: Callable[[str], str]) -> str:
    return each_word(lambda r: [*r[:column], change(r[column]), *r[column + 1 :]])


def in_pieces(begin: str, end: str) -> str:
    """Trees of which the longer words of the first sentences are in two pieces."""
    blocks = []
    for number, block in enumerate(TREES):
        pieces: list[Sequence[str]] = []
        for row in filter(lambda row: row[0].isdigit(), block):
            long = len(row[1]) > 5 and number < SIZE // 4
            own = [row[1][:4] + end, begin + row[1][4:]] if long else row[1:2]
            pieces += [[row[0], piece, *row[2:]] for piece in own]
        rows = [row for row in block if not row[0].isdigit()]
        rows += [[str(place), *row[1:]] for place, row in enumerate(pieces, 1)]
        blocks.append(rows)
    return written(blocks)


def without_words(*words: str) -> str:
    """Trees without these words, their numbers counted anew, each on the word above."""
    blocks = []
    for block in TREES:
        kept = [row for row in block if not row[0].isdigit() or row[1] not in words]
        counted = iter(range(len(kept)))
        blocks.append(
            [
                [str(n := next(counted) + 1), *row[1:6], str(n - 1), *row[7:]]
                if row[0].isdigit()
                else row
                for row in kept
            ]
        )
    return written(blocks)


def first(task: str, text: str) -> str:
    verdict = TASKS[task].verdict(text.encode(), "mine")
    assert verdict.problems, f"{task}: the file was taken"
    return str(verdict.findings[0].message)


def remarks(task: str, text: str) -> str:
    verdict = TASKS[task].verdict(text.encode(), "mine")
    assert not verdict.problems, verdict.problems
    return "\n".join(str(remark.message) for remark in verdict.remarks)


VALUES = [f"{n * 37 % 40 + 1}.{n:02d}" for n in range(SIZE)]
PARTED = [f"{n * 7 % 40 + 1},{n * 53 % 900 + 100}" for n in range(SIZE)]
LABELS = ["positive", "negative", "neutral", "neutral"] * (SIZE // 4)
FIRST_SENTENCES: list[tuple[str, str, str]] = [
    *(
        ("attachment", in_pieces(*signs), "Words are in pieces")
        for signs in (("##", ""), ("", "@@"), ("##", "@@"))
    ),
    *(
        ("attachment", without_words(*words), "Words of the input file are missing in")
        for words in (("river",), ("river", "boat"), ("reed", "over", "."))
    ),
    *(
        ("texts", tabled("id\ttext", IDS, texts, mark="\t"), "Line 3 goes on with")
        for texts in (
            [text.replace(" ", ' "\n', 1) + '"' for text in SENTENCES],
            [f'{text}\n"so" it said' for text in SENTENCES],
            [f'"{text}\nand "{text}' for text in SENTENCES],
        )
    ),
    *(
        ("numbers", tabled("id\tvalue", IDS, values, mark="\t"), f"40 of 40 {said}")
        for values, said in (
            (PARTED, "numbers have a sign that seems to part thousands"),
            ([f"{v},000.5" for v in PARTED], "numbers have a sign that seems to part"),
            ([f"-{v}" for v in PARTED], "numbers have a sign that seems to part thous"),
            ([f"0{v[1:]}" for v in PARTED], "numbers have a decimal comma, such as '0"),
            ([v[:-1] for v in PARTED], "numbers have a decimal comma, such as '1,10'"),
        )
    ),
    *(
        ("free", tabled(f"id,{names}", IDS, *cells), said)
        for names, cells, said in (
            (
                "gold,pred",
                (LABELS, LABELS),
                "no column 'label' found; there are: 'id',",
            ),
            ("a,b,c", (LABELS,) * 3, "no column 'label' found; there are: 'id', 'a'"),
            ("run,team", (LABELS,) * 2, "no column 'label' found; there are: 'id', 'r"),
        )
    ),
    *(
        ("classes", text, "The ids are in the lines, but the lines are no table")
        for text in (
            tabled("", IDS, LABELS, mark=": ")[1:],
            tabled("", IDS, LABELS, mark=" -> ")[1:],
            tabled("", IDS, LABELS, mark="=")[1:],
        )
    ),
    *(
        (task, "\n".join(lines), "No line has an id; expected the 40 items")
        for task, lines in (
            ("classes", LABELS),
            ("classes", [",".join(LABELS)]),
            ("numbers", [f"{v}\t{a}" for v, a in zip(VALUES, SENTENCES, strict=True)]),
            ("numbers", [f"{v},{v}" for v in VALUES]),
        )
    ),
    *(
        (task, text, "this is a table as a program shows it on a screen")
        for task in ("classes", "numbers", "texts")
        for text in (
            "      id value\n0  item-1    0.5\n..   ..  ..\n\n[40 rows x 2 columns]\n",
            "0    0.5\n1    0.7\nName: value, Length: 40, dtype: float64\n",
            "item-1    yes\nitem-2    no\ndtype: object\n",
        )
    ),
]


@loop_over(("task", "text", "begins"), FIRST_SENTENCES)
def test_the_first_sentence_names_what_happened(
    task: str, text: str, begins: str
) -> None:
    assert first(task, text)[: len(begins)] == begins


def test_numbers_that_run_through_a_document_are_no_blank_lines() -> None:
    numbered = [
        [[str(int(r[0]) + 9 * n), *r[1:]] if r[0].isdigit() else r for r in block]
        for n, block in enumerate(TREES)
    ]
    verdict = TASKS["attachment"].verdict(written(numbered).encode())
    assert not any("blank line" in problem.hint for problem in verdict.problems)
    cut = in_place(0, str).replace("\n3\t", "\n\n3\t", 1)
    verdict = TASKS["attachment"].verdict(cut.encode())
    assert any("blank line within" in problem.hint for problem in verdict.problems)


def test_a_table_printed_below_answers_is_a_line_too_many() -> None:
    text = "\n".join(TASKS["classes"].right) + "\n[40 rows x 2 columns]\n"
    assert "[40 rows x 2 columns]" in first("classes", text)


def test_cells_in_quotes_and_spaces_are_no_broken_quotes() -> None:
    for answer in ("a boat", 'reeds \\"and\\" stones', 'tall ""reeds""'):
        rows = [f'"{n}" "{name}" "{answer}"' for n, name in enumerate(IDS, 1)]
        said = first("texts", "\n".join(['"id" "text"', *rows, ""]))
        assert said.startswith("The first line is one column")


def flat(block: Sequence[Sequence[str]], root: int) -> list[Sequence[str]]:
    """A tree whose words all hang on one of them."""

    def head(word: str) -> str:
        return "0" if int(word) == root else str(root)

    return [[*r[:6], head(r[0]), *r[7:]] if r[0].isdigit() else r for r in block]


REMARKS: list[tuple[str, str, str]] = [
    *(
        ("attachment", written([flat(b, root) for b in TREES]), "have one head")
        for root in (1, 2, 4)
    ),
    *(
        (
            "attachment",
            written(
                [
                    [[*r[:6], "0", *r[7:]] if r[0].isdigit() else r for r in b]
                    if number % share == 0
                    else b
                    for number, b in enumerate(TREES)
                ]
            ),
            "HEAD is 0 for every word of",
        )
        for share in (2, 3, 8)
    ),
    *(
        ("texts", tabled("id,text", IDS, answers), "answers are the same")
        for answers in (
            [
                f"{t}" if n % 5 else "Please try this again later"
                for n, t in enumerate(SENTENCES)
            ],
            [
                t if n < 30 else "The model is overloaded now."
                for n, t in enumerate(SENTENCES)
            ],
            [
                t if n % 8 else "your quota has been used up"
                for n, t in enumerate(SENTENCES)
            ],
        )
    ),
    *(
        ("numbers", tabled("id,value", IDS, values), "rise or fall")
        for values in (
            [n // 3 * 2 + n % 2 for n in range(0, 3 * SIZE, 3)],
            [max(0, n - 5) / 7 for n in range(SIZE)],
            [min(30, SIZE - n) * 0.5 for n in range(SIZE)],
        )
    ),
]


@loop_over(("task", "text", "said"), REMARKS)
def test_something_is_said_of_files_that_nobody_means(
    task: str, text: str, said: str
) -> None:
    assert said in remarks(task, text)


RELATIONS: list[tuple[Callable[[int], str], str]] = [
    (lambda n: str(n % 4 + 3), "every label has a number in it"),
    (lambda n: f"LABEL_{n % 4}", "every label has a number in it"),
    (lambda n: f"b'{'abcd'[n % 4]}'", "every answer begins with 'b''"),
]


@loop_over(("name", "said"), RELATIONS)
def test_relations_that_are_no_names_are_asked_about(
    name: Callable[[int], str], said: str
) -> None:
    counted = iter(range(10_000))
    text = in_place(7, lambda _name: name(next(counted)))
    assert said in remarks("attachment", text)


def test_short_answers_sorted_grades_and_small_trees_are_left_alone() -> None:
    texts = [t if n % 4 else "not at all" for n, t in NUMBERED]
    assert not remarks("texts", tabled("id,text", IDS, texts))
    grades = [n // 10 for n in range(SIZE)]
    assert not remarks("numbers", tabled("id,value", IDS, grades))
    assert not remarks("attachment", written(TREES))


@loop_over("column", ["text", "summary", "answer"])
def test_a_map_of_ids_is_read_where_answers_are_collected(column: str) -> None:
    task = replace(TASKS["texts"], scorer="table", options={"answer": column})
    answers = dict(zip(IDS, SENTENCES, strict=True))
    for text in (json.dumps(answers), json.dumps([{k: v} for k, v in answers.items()])):
        verdict = task.verdict(text.encode())
        assert not verdict.problems and "id" in verdict.remarks[0].message
    assert re.search("no column", task.verdict(b'{"a": {"b": 1}}').findings[0].message)


def rows_of(change: Callable[[Sequence[str]], Sequence[str]], mark: str = "\t") -> str:
    """The lines of words of the right trees, each with other cells."""
    return each_word(change).replace("\t", mark)


RECORDS = [{"id": i, "text": t} for i, t in zip(IDS, SENTENCES, strict=True)]
COUNTED = [
    f"{n * 37 % 40 + 1}{mark}{n * 53 % 900 + 100}"
    for mark in (" ", "'", "\u2019")
    for n in range(SIZE)
]
MORE_SENTENCES: list[tuple[str, str, str]] = [
    *(
        ("attachment", each_word(change), f"The words stand in column {said}")
        for change, said in (
            (lambda r: r[1:], "1 of 9; this format has them in the second."),
            (lambda r: ["d1", *r], "3 of 11; this format has them in the second."),
            (lambda r: [r[0], "_", *r[1:9]], "3 of 10; this format has them in the"),
        )
    ),
    *(
        ("attachment", f"{names}\n" + "\n".join(TASKS["attachment"].right), "Line 1 is")
        for names in (
            "ID\tFORM\tLEMMA\tUPOS",
            "id\tform\tlemma\tupos\txpos\tfeats\thead\tdeprel\tdeps\tmisc",
            "token\tword\thead\trelation",
        )
    ),
    (
        "attachment",
        rows_of(lambda r: r, " | "),
        "The columns are separated by ' | '",
    ),
    *(
        ("attachment", in_place(1, change), "Something stands around words")
        for change in (
            lambda word: f'"{word}"',
            lambda word: f" {word} ",
        )
    ),
    *(
        ("texts", text, "not readable as JSON")
        for text in (
            json.dumps(RECORDS, indent=1)[:-2] + ",\n]",
            "[" + ",\n".join(f'{{"id": "{i}" "text": "a"}}' for i in IDS) + "]",
            json.dumps(RECORDS)[:-1] + ",]",
        )
    ),
    *(
        ("numbers", tabled("id\tvalue", IDS, cells, mark="\t"), said)
        for cells, said in (
            *(
                (COUNTED[place:][:SIZE], "40 of 40 numbers have a sign that seems to")
                for place in (0, SIZE, 2 * SIZE)
            ),
            ([f"{v},5" for v in COUNTED[:SIZE]], "40 of 40 numbers have a deci"),
            (
                [f"1.{n:03d},5" for n in range(SIZE)],
                "40 of 40 numbers have a decimal c",
            ),
            ([f"1'{n:03d},25" for n in range(SIZE)], "40 of 40 numbers have a decimal"),
        )
    ),
    *(
        (
            "numbers",
            tabled(first_line, *cells, mark="\t"),
            "No line has an id; expected",
        )
        for first_line, cells in (
            ("main\t1\t3.5\tA boat.", (SENTENCES, VALUES, VALUES, SENTENCES)),
            ("2.5\tA boat.\tA ship.", (VALUES, SENTENCES, SENTENCES)),
            ("set\t1.5\tx", (SENTENCES, VALUES, SENTENCES)),
        )
    ),
    *(
        ("classes", tabled("id,label", glued, [""] * SIZE), "The ids are in the lines")
        for glued in (
            [f"{i}{label}" for i, label in zip(IDS, LABELS, strict=True)],
            [f"{i}: {label}" for i, label in zip(IDS, LABELS, strict=True)],
            [f"<{i}>" for i in IDS],
        )
    ),
    *(
        (task, text, said)
        for task in ("classes", "texts", "numbers")
        for text, said in (
            (
                "<pandas.core.frame.DataFrame object at 0x7f0c>\n",
                "this is a value as R",
            ),
            ("<generator object predict at 0x7f0c12ab>\n", "this is a value as R"),
            ("<bound method Model.run at 0x7f>\n", "this is a value as R"),
            ("\0\5\x16\7\0\2\0\0Mac OS X", "this is a file that an operating system"),
        )
    ),
]


@loop_over(("task", "text", "begins"), MORE_SENTENCES)
def test_the_first_sentence_names_what_happened_to_columns_and_signs(
    task: str, text: str, begins: str
) -> None:
    assert first(task, text)[: len(begins)] == begins


@loop_over("ids", [range(100, 140), range(6, 46), range(2002, 2042)])
def test_ids_that_are_one_off_were_counted_from_another_number(ids: range) -> None:
    task = replace(TASKS["free"], blind=["id", *(f"item-{n}" for n in ids)])
    for step in (-1, 1):
        names = [f"item-{n + step}" for n in ids]
        sent = tabled("id,label", names, LABELS)
        said = str(task.verdict(sent.encode()).findings[0].message)
        assert said.startswith(f"The ids begin with 'item-{ids[0] + step}'")


NAMES: list[tuple[Sequence[str], str]] = [
    (("nmod-4", "obj-2", "det-7"), "every label has a number in it"),
    (("nmod:0.93", "obj:0.5", "det:0.71"), "every label has a number in it"),
    (("deprel=obj", "deprel=det", "deprel=nmod"), "begins with 'deprel='"),
    (("dep_obj", "dep_det", "dep_nmod"), "begins with 'dep_'"),
    (("ud:obj", "ud:det", "ud:nmod"), "begins with 'ud:'"),
    (("nmod", "nmod_poss", "nmod_tmod"), "no colon before their subtype"),
    (("nmod", "nmod-poss", "nmod-tmod"), "no colon before their subtype"),
    (("nmod", "nmod.poss", "nmod.tmod"), "no colon before their subtype"),
]


@loop_over(("names", "said"), NAMES)
def test_relations_in_another_spelling_are_told(
    names: Sequence[str], said: str
) -> None:
    counted = iter(range(10_000))
    text = in_place(7, lambda _name: names[next(counted) % len(names)])
    assert said in remarks("attachment", text)


@loop_over("names", [("nmod", "nmod:poss"), ("nmod", "pre_det"), ("obj", "obj_x")])
def test_relations_with_colons_and_words_with_signs_are_left_alone(
    names: Sequence[str],
) -> None:
    counted = iter(range(10_000))
    text = in_place(7, lambda _name: names[next(counted) % len(names)])
    assert not remarks("attachment", text)


def test_many_words_that_hang_on_the_next_are_told() -> None:
    blind = [*trees(1, filled=False), *trees(2, "more", filled=False)]
    task = replace(TASKS["attachment"], blind=blind)
    sent = "\n".join([*trees(1), *trees(2, "more")]) + "\n"
    said = [str(remark.message) for remark in task.verdict(sent.encode()).remarks]
    assert "The head of every word is the word behind it" in "\n".join(said)


@loop_over("change", [lambda t: f"b'{t}'", lambda t: f'u"{t}"', lambda t: f"r'{t}'"])
def test_texts_as_python_prints_them_are_asked_about(
    change: Callable[[str], str],
) -> None:
    cells = [json.dumps(change(text)) for text in SENTENCES]
    rows = [f'{{"id": "{i}", "text": {c}}}' for i, c in zip(IDS, cells, strict=True)]
    assert "as Python prints a text" in remarks("texts", "\n".join(rows))


@loop_over("names", ["Nr;Klasse", "nummer;meinung", "case;verdict"])
def test_ids_under_another_name_are_no_other_table(names: str) -> None:
    said = first("free", tabled(names, IDS, LABELS, mark=";"))
    assert said.startswith(f"There is no column 'id', but there is '{names[:2]}")


def test_names_of_another_table_are_those_of_another_table() -> None:
    others = [f"doc-{n}" for n in range(SIZE)]
    said = first("free", tabled("Nr;Klasse", others, LABELS, mark=";"))
    assert said.startswith("The header is of another table")


@loop_over("width", [20, 24, 30])
def test_broken_lines_of_words_are_no_words_too_many(width: int) -> None:
    text = in_place(5, lambda _cell: "Case=Nom|Number=Sing|Person=3|Tense=Past")
    lines = [line[n : n + width] for line in text.split("\n") for n in (0, width)]
    assert first("attachment", "\n".join(lines)).startswith("expected ten columns")


FILLED: list[tuple[str, Sequence[object], str]] = [
    ("texts", [t if n % 6 else "504 Gateway Time-out" for n, t in NUMBERED], "missing"),
    (
        "texts",
        [t if n % 5 else "429 Too Many Requests" for n, t in NUMBERED],
        "missing",
    ),
    ("texts", [t if n % 9 else "500: Internal Error" for n, t in NUMBERED], "missing"),
    ("texts", [t if n % 5 else "[filtered]" for n, t in NUMBERED], "are the same"),
    ("texts", [t if n % 6 else "<redacted text>" for n, t in NUMBERED], "are the same"),
    ("texts", [t if n % 7 else '{"error": 1}' for n, t in NUMBERED], "are the same"),
    ("numbers", [n if n < 30 else 2.5 for n in range(SIZE)], "hardly any other stands"),
    ("numbers", [7.25 if n % 6 == 1 else n for n in range(SIZE)], "hardly any other"),
    (
        "numbers",
        [0.5 if n % 9 == 2 else n - 9 for n in range(SIZE)],
        "hardly any other",
    ),
]


@loop_over(("task", "answers", "said"), FILLED)
def test_what_programs_fill_in_is_told(
    task: str, answers: Sequence[object], said: str
) -> None:
    column = TASKS[task].right[0].split(",")[1]
    rows = [json.dumps({"id": i, column: x}) for i, x in zip(IDS, answers, strict=True)]
    assert said in remarks(task, "\n".join(rows))


@loop_over("limit", [3.0, 4.0, 5.0])
def test_values_at_the_limit_of_a_scale_are_left_alone(limit: float) -> None:
    values = [min(limit, n * 37 % 40 / 7) for n in range(SIZE)]
    assert not remarks("numbers", tabled("id,value", IDS, values))


@loop_over("mark", [".", "river", "boat"])
def test_words_that_are_empty_are_no_doubled_tabs(mark: str) -> None:
    empty = in_place(1, lambda word: "" if word == mark else word)
    assert "Several tabs" not in first("attachment", empty)
    doubled = re.sub(r"(?m)^(\d+)\t", r"\1\t\t", rows_of(lambda row: row))
    assert first("attachment", doubled).startswith("Several tabs")


ROWS: list[tuple[str, Sequence[object], str]] = [
    *(
        (
            "texts",
            [SENTENCES[n // times] for n in range(SIZE)],
            f"{times} times in a row",
        )
        for times in (2, 4, 5)
    ),
    *(
        ("numbers", [n // times * 37 % 41 for n in range(SIZE)], f"{times} times in a")
        for times in (2, 4, 5)
    ),
    *(
        (
            "texts",
            [f"{i}{mark}{t}" for i, t in zip(IDS, SENTENCES, strict=True)],
            "'id'",
        )
        for mark in (" ", ": ", " - ")
    ),
]


@loop_over(("task", "answers", "said"), ROWS)
def test_answers_several_times_in_a_row_and_behind_their_ids_are_told(
    task: str, answers: Sequence[object], said: str
) -> None:
    column = TASKS[task].right[0].split(",")[1]
    rows = [json.dumps({"id": i, column: x}) for i, x in zip(IDS, answers, strict=True)]
    assert said in remarks(task, "\n".join(rows))


def test_answers_that_stand_twice_here_and_there_are_left_alone() -> None:
    texts = [SENTENCES[n - (n % 7 == 3)] for n in range(SIZE)]
    assert not remarks("texts", tabled("id,text", IDS, texts))
    grades = [n // 10 for n in range(SIZE)]
    assert not remarks("numbers", tabled("id,value", IDS, grades))


@loop_over("middle", [0.5, 34.2, -7.1])
def test_values_that_are_hardly_apart_are_told(middle: float) -> None:
    values = [f"{middle * (1 + n * 7 % 40 / 90_000):.9f}" for n in range(SIZE)]
    assert "all values lie between" in remarks(
        "numbers", tabled("id,value", IDS, values)
    )


@loop_over("first_one", [7.1, 36.4, 1990.0])
def test_values_of_a_narrow_scale_are_left_alone(first_one: float) -> None:
    values = [
        first_one + n * 7 % 40 / (10 if first_one < 1000 else 1) for n in range(SIZE)
    ]
    assert not remarks("numbers", tabled("id,value", IDS, values))


@loop_over("sign", ["\\emph{%s}", "\\textbf{%s}", "\\texttt{%s}"])
def test_commands_of_a_typesetter_are_told(sign: str) -> None:
    texts = [t.replace("river", sign % "river") for t in SENTENCES]
    assert "signs written out" in remarks("texts", tabled("id,text", IDS, texts))


def joined_heads(place: int, mark: str) -> str:
    """The right trees with their heads and relations in one column, and in no other."""
    return each_word(
        lambda r: [
            f"{r[6]}{mark}{r[7]}" if n == place else "_" if n in (6, 7) else cell
            for n, cell in enumerate(r)
        ]
    )


def in_rows(*columns: int) -> str:
    """The right trees with a row for each column of a sentence."""
    blocks = [[r for r in block if r[0].isdigit()] for block in TREES]
    return written([[[r[c] for r in block] for c in columns] for block in blocks])


def asked_again(*columns: str, fill: Callable[[int], str]) -> tuple[str, str]:
    """A blind file with these columns, and one with answers written over the last."""
    others = [[f"{c} {t}" for t in SENTENCES] for c in columns]
    names = ",".join(["id", *columns])
    answers = [*others[:-1], [*map(fill, range(SIZE))]]
    return tabled(names, IDS, *others), tabled(names, IDS, *answers)


HEADS: list[tuple[str, str]] = [
    *(
        (joined_heads(place, mark), f"HEAD is '_' in all 295 words, and {column} has")
        for place, mark, column in (
            (8, ":", "DEPS"),
            (7, ":", "DEPREL"),
            (9, "|", "MISC"),
        )
    ),
    *(
        (in_rows(*columns), "The file is in another format: it looks like a row of w")
        for columns in ((1, 3, 7, 6), (1, 7, 6), (1, 3, 4, 7, 6))
    ),
]


@loop_over(("text", "begins"), HEADS)
def test_heads_in_another_place_are_found(text: str, begins: str) -> None:
    assert first("attachment", text)[: len(begins)] == begins


@loop_over("columns", [("source",), ("first", "second"), ("prompt",)])
def test_answers_written_over_the_input_are_no_input_file(
    columns: Sequence[str],
) -> None:
    for boat in ("a boat of {}", "{}", "b{}"):
        blind, sent = asked_again(*columns, fill=lambda n, b=boat: b.format(n % 3))
        options = {"inputs": columns[0]} if len(columns) == 1 else {}
        task = replace(TASKS["texts"], blind=blind.split("\n")[:-1], options=options)
        said = str(task.verdict(sent.encode()).findings[0].message)
        name = columns[-1]
        assert said.startswith(f"There is no column 'text', but there is '{name}'")
    turned = "\n".join([blind.split("\n")[0], *blind.split("\n")[:0:-1]])
    for again in (blind, blind.replace(",", "\t"), turned.replace("\n\n", "\n")):
        said = str(task.verdict(again.encode()).findings[0].message)
        assert said.startswith("This is the input file itself")


@loop_over(
    ("asked", "sent"),
    [
        ("s{}", "s10{:02d}"),
        ("pair-{:02d}", "dev-pair-{:02d}"),
        ("item{:03d}", "train_item{:03d}"),
        ("{}", "validation/{}"),
        ("test.{}", "dev.{}"),
    ],
)
def test_ids_of_another_part_of_the_data_belong_to_something_else(
    asked: str, sent: str
) -> None:
    numbers = range(1, SIZE + 1)
    task = replace(TASKS["texts"], blind=["id", *map(asked.format, numbers)])
    text = tabled("id,text", [*map(sent.format, numbers)], SENTENCES)
    said = str(task.verdict(text.encode()).findings[0].message)
    assert said.startswith("This file belongs to something else")


@loop_over(("before", "behind"), [("x-", ""), ("", "_v2"), ("test-", "")])
def test_ids_with_a_part_more_are_written_differently(before: str, behind: str) -> None:
    names = [f"{before}{name}{behind}" for name in IDS]
    said = first("texts", tabled("id,text", names, SENTENCES))
    assert said.startswith("The ids are written differently")


@loop_over(
    ("times", "said"),
    [
        ([3] * SIZE, "40 items are there up to 3 times, first item item-001"),
        ([1, 2, 5] + [1] * (SIZE - 3), "2 items are there up to 5 times, first item"),
        ([1, 4] + [1] * (SIZE - 2), "item item-002 is there 4 times; the input file"),
        ([2] * SIZE, "40 items are there twice, first item item-001"),
        ([1, 2] + [1] * (SIZE - 2), "item item-002 is there twice"),
    ],
)
def test_items_that_are_there_again_are_counted_once(
    times: Sequence[int], said: str
) -> None:
    rows = [(i, x) for i, x, n in zip(IDS, LABELS, times, strict=True) for _ in [0] * n]
    assert first("classes", tabled("id,label", *zip(*rows, strict=True))).startswith(
        said
    )


@loop_over(
    ("text", "said"),
    [
        ('{"pearson": 0.83, "spearman": 0.81}', "this is the settings or figures of"),
        ('{"rmse": 0.4}', "this is the settings or figures of"),
        ('[{"kendall_tau": 0.7, "n": 40}]', "this is the settings or figures of"),
        (json.dumps({"predictions": VALUES}), "No line has an id"),
        (json.dumps({"scores": [*map(float, VALUES)]}), "No line has an id"),
        (json.dumps({"a": [*map(float, VALUES)]}, indent=1), "No line has an id"),
    ],
)
def test_figures_and_bare_lists_in_json_are_no_other_ids(text: str, said: str) -> None:
    assert first("numbers", text).startswith(said)
    others = json.dumps({f"doc{n}x": ["a boat"] for n in range(SIZE)})
    assert first("texts", others).startswith("The ids are of another kind")


@loop_over(
    "values",
    [
        [32 if n % 6 == 1 else n // 2 for n in range(SIZE)],
        [9 if n % 8 == 1 else n % 33 for n in range(SIZE)],
        [0 if n % 9 == 1 else n // 3 - 4 for n in range(SIZE)],
    ],
)
def test_values_that_stand_again_like_others_are_left_alone(
    values: Sequence[float],
) -> None:
    assert not remarks("numbers", tabled("id,value", IDS, values))


@loop_over(("header", "mark"), [("id,value", ","), ("id\tvalue", "\t")])
def test_a_table_where_lines_are_asked_for_is_told(header: str, mark: str) -> None:
    task = replace(TASKS["numbers"], blind=[*map(str, range(SIZE))])
    for ids in (IDS, [*range(SIZE)], [f"x{n}" for n in range(SIZE)]):
        sent = tabled(header, ids, VALUES, mark=mark)
        said = str(task.verdict(sent.encode()).findings[0].message)
        assert said.startswith("This is a table with ids, such as")
    assert not task.verdict("\n".join([*VALUES, ""]).encode()).findings


@loop_over("task", ["translation", "transcripts"])
def test_a_table_where_lines_of_text_are_asked_for_is_told_by_its_reader(
    task: str,
) -> None:
    one = replace(TASKS[task], blind=SENTENCES)
    sent = tabled("id,text", IDS, SENTENCES)
    said = one.verdict(sent.encode()).findings[0]
    assert said.message.startswith("expected plain text with a segment a line")


def of_inputs(cells: Sequence[str], answers: Sequence[str]) -> str:
    """The remarks on answers to a table that asks with these cells."""
    rows = zip(IDS, cells, strict=True)
    blind = ["id,source", *(f"{i},{c}" for i, c in rows)]
    task = replace(TASKS["texts"], blind=blind, options={"inputs": "source"})
    task = replace(task, scorer="table")
    verdict = task.verdict(tabled("id,text", IDS, answers).encode())
    assert not verdict.problems
    return "\n".join(str(remark.message) for remark in verdict.remarks)


ASKED = [f"{('Where', 'When', 'Why')[n % 3]} is {t}" for n, t in NUMBERED]
TURNED = [f"{t[:-2]}." for t in SENTENCES]
OTHERWISE: list[tuple[Sequence[str], Sequence[str], str]] = [
    (ASKED, [*map(str.lower, ASKED)], "has in 'source', in other capitals"),
    (ASKED, [*map(str.upper, ASKED)], "has in 'source', in other capitals"),
    (TURNED, [*map(str.lower, TURNED)], "has in 'source', in other capitals"),
    (ASKED, [*map(str.upper, SENTENCES)], "every text is in capitals"),
    (SENTENCES, [*map(str.upper, TURNED)], "every text is in capitals"),
    ([*map(str.lower, ASKED)], [*map(str.upper, TURNED)], "every text is in capitals"),
    (ASKED, [t[::-1] for t in TURNED], "letters stand from the last to the first"),
    (
        ASKED,
        [f"{t[:-1]}?"[::-1] for t in TURNED],
        "letters stand from the last to the first",
    ),
    (ASKED, [f"So {t}"[::-1] for t in TURNED], "letters stand from the last to the"),
    *(
        (ASKED, [signs[n * n % 3] for n in range(SIZE)], "no answer has a letter or")
        for signs in ((".", "?", "!"), ("!!", "?!", "."), ("(.)", "...!", "?"))
    ),
    *(
        (ASKED, [b64encode(t.encode()).decode() for t in texts], "as in Base64")
        for texts in (ASKED, SENTENCES, TURNED)
    ),
    *(
        (
            ASKED,
            [f"{mark} {t}" if n % 2 else t for n, t in NUMBERED],
            f"many answers, and not all, begin with '{mark}",
        )
        for mark in ("Translation:", "Answer:", "Summary:")
    ),
    *(
        (
            ASKED,
            [said if n % 10 == 1 else t for n, t in NUMBERED],
            f"4 of 40 answers are the same: '{said}'",
        )
        for said in ("Request timed out.", "Connection refused", "Rate limit exceeded.")
    ),
]


@loop_over(("cells", "answers", "said"), OTHERWISE)
def test_texts_in_other_letters_than_those_of_people_are_told(
    cells: Sequence[str], answers: Sequence[str], said: str
) -> None:
    assert said in of_inputs(cells, answers)


CAPITALS = [*map(str.upper, ASKED)]
LOWERED = [*map(str.lower, ASKED)]


@loop_over(
    ("cells", "answers"),
    [
        (CAPITALS, [*map(str.upper, TURNED)]),
        (LOWERED, ASKED),
        (CAPITALS, ASKED),
        (LOWERED, LOWERED[1:] + LOWERED[:1]),
        (IDS, [f"CODE {n * 37 % 41}" for n in range(SIZE)]),
        (ASKED, ["\U0001f600\U0001f622"[n % 2] for n in range(SIZE)]),
        (ASKED, ["+-<="[n % 3] for n in range(SIZE)]),
        (IDS, [".?"[n % 2] for n in range(SIZE)]),
        (ASKED, ["YES" if n % 3 else "NO" for n in range(SIZE)]),
        (ASKED, [f"Doctor: {t}" if n % 2 else t for n, t in NUMBERED]),
        (ASKED, ["Not at all." if n % 8 == 1 else t for n, t in NUMBERED]),
        (ASKED, [f"...and {t}" for t in TURNED]),
        (ASKED, [f"Seventeen{chr(97 + n % 26)}Boats" for n in range(SIZE)]),
    ],
)
def test_capitals_and_signs_that_people_write_are_left_alone(
    cells: Sequence[str], answers: Sequence[str]
) -> None:
    said = of_inputs(cells, answers)
    for odd in (
        "capitals",
        " letter",
        "Base64",
        "begin with 'D",
        "are the same",
    ):
        assert odd not in said


@loop_over("start", [12, 20, 29])
def test_one_value_to_the_end_is_told(start: int) -> None:
    values = [n * 37 % 40 / 7 for n in range(SIZE)]
    stuck = [v if n < start else values[start] for n, v in enumerate(values)]
    said = remarks("numbers", tabled("id,value", IDS, stuck))
    assert f"the last {SIZE - start} answers are the same" in said


@loop_over("limit", [0.0, 9.0])
def test_a_limit_that_stands_at_the_end_is_left_alone(limit: float) -> None:
    values = [n * 37 % 40 / 7 + 1 if n < 29 else limit for n in range(SIZE)]
    assert "the last" not in remarks("numbers", tabled("id,value", IDS, values))
