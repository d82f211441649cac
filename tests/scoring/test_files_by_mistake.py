"""Files that people send by mistake: each kind in several spellings, with what is said
of it first, or asked of it; and files in odd spellings that are right."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.loops import loop_over
from tests.scoring.test_diagnosis import TASKS
from tests.scoring.wrong_files import SIZE, sentences

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
            (PARTED, "numbers have a comma that seems to part thousands"),
            ([f"{v},000.5" for v in PARTED], "numbers have a comma that seems to part"),
            ([f"-{v}" for v in PARTED], "numbers have a comma that seems to part thou"),
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
    (lambda n: str(n % 4 + 3), "every label is a number"),
    (lambda n: f"LABEL_{n % 4}", "every answer begins with 'LABEL_'"),
    (lambda n: f"b'{'abcd'[n % 4]}'", "every answer ends with '''"),
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
