"""Causes behind what a file shows first: each kind in several spellings, with the
sentence that names it; and right files that look alike."""

import json
from collections.abc import Callable
from dataclasses import replace

from scoring import Source, examine
from scoring.options import parse
from scoring.scorers import get
from tests.loops import loop_over
from tests.scoring.test_diagnosis import TASKS
from tests.scoring.test_files_by_mistake import (
    IDS,
    LABELS,
    SENTENCES,
    VALUES,
    each_word,
    first,
    remarks,
    tabled,
)
from tests.scoring.test_unlikely_files import remarks_of

RUN = TASKS["retrieval"].right
ZEROS = sum("0" in value for value in VALUES)
SHARES = [(n % 9 + 1) / 10 for n in range(len(IDS))]


def hint(task: str, text: str) -> str:
    return str(TASKS[task].verdict(text.encode(), "mine").findings[0].hint)


OTHER_HEADERS = [
    # The only other column is not what the name stands for.
    *(
        ("classes", tabled(f"{name},label", column, LABELS), "No line has an id")
        for name, column in (
            ("text", SENTENCES),
            ("review", [f'"{text}, he said"' for text in SENTENCES]),
            ("score", VALUES),
        )
    ),
    *(
        ("translation", tabled(f"id,{name}", IDS, VALUES), "no column 'text' found")
        for name in ("score", "bleu", "seconds")
    ),
    # The first line of a text, by its comma, is no header of two columns.
    *(
        ("classes", "\n".join([f"{mark} so it was, {SENTENCES[0]}", *rows, ""]), said)
        for mark, rows, said in (
            ("__label__neutral", SENTENCES, "The first line, '__label__neutral"),
            ("neutral: the boat", SENTENCES, "The first line, 'neutral: the boat"),
            ("1 = neutral because", SENTENCES, "The first line, '1 = neutral"),
        )
    ),
    # The index of a list without ids.
    *(
        (task, tabled(f",{name}", range(40), column), "The first column has no name")
        for task, name, column in (
            ("numbers", "0", VALUES),
            ("numbers", "1", VALUES),
            ("classes", "neutral", LABELS),
        )
    ),
    # Columns of several systems.
    *(
        ("classes", tabled(f"id,{names}", IDS, LABELS, LABELS), "There are several col")
        for names in ("label_a,label_b", "label-svm,label-bert", "label x,label y")
    ),
    # A table where lines are asked for.
    *(
        ("lines", tabled(header, SENTENCES, TASKS["lines"].right, mark=mark), said)
        for header, mark, said in (
            ("source,translation", ",", "The first line, 'source,translation'"),
            ("src\thypothesis", "\t", "The first line, 'src"),
            ("text;output", ";", "The first line, 'text;output'"),
        )
    ),
    # Rows that are broken in a text that nobody reads.
    *(
        (
            "classes",
            tabled("id\ttext\tlabel", IDS, texts, LABELS, mark="\t"),
            f"Line {line} goes on with the text above it",
        )
        for texts, line in (
            ([t.replace(" ", "\n", n == 4) for n, t in enumerate(SENTENCES)], 7),
            ([f"so{chr(10) * (n == 8)}{t}" for n, t in enumerate(SENTENCES)], 11),
            ([f"{t}{chr(10)}{t}" if n == 2 else t for n, t in enumerate(SENTENCES)], 5),
        )
    ),
    # Ids in a member beside one of a program.
    *(
        (
            "texts",
            "".join(
                json.dumps({"id": f"{own}{n}", name: IDS[n], "text": text}) + "\n"
                for n, text in enumerate(SENTENCES)
            ),
            f"The ids stand in the column '{name}'",
        )
        for own, name in (("batch_req_", "custom_id"), ("r", "key"), ("", "item"))
    ),
    # Signs that look like digits.
    *(
        (
            "numbers",
            tabled("id,value", IDS, [v.replace("0", sign) for v in VALUES]),
            f"{ZEROS} of 40 numbers have another sign than '0': {sign} <U+",
        )
        for sign in ("O", "\u041e", "o")
    ),
    # Quotes around all fields.
    *(
        (
            "retrieval",
            "\n".join(
                " ".join(
                    f'"{field}"' if place in quoted else field
                    for place, field in enumerate(line.split(" "))
                )
                for line in RUN
            )
            + "\n",
            "Something stands around words",
        )
        for quoted in (range(6), (0, 2), (0, 1, 2, 5))
    ),
    # HEAD and DEPREL.
    *(
        (
            "attachment",
            each_word(lambda r, end=end: [*r[:6], r[7] + end, r[6], *r[8:]]),
            "HEAD and DEPREL are swapped",
        )
        for end in ("", ":x", "_9")
    ),
    *(
        (
            task,
            json.dumps(figures) + "\n",
            "this is the settings or figures of a run",
        )
        for task in ("probabilities", "classes")
        for figures in (
            {"auc": 0.9, "brier": 0.1},
            {"roc_auc": 0.8, "time": 3},
            {"mcc": 0.4, "n": 40},
        )
    ),
]


@loop_over(("task", "text", "begins"), OTHER_HEADERS)
def test_the_first_sentence_names_the_cause(task: str, text: str, begins: str) -> None:
    assert first(task, text)[: len(begins)] == begins


@loop_over(
    ("task", "text", "says"),
    [
        *(
            ("classes", tabled("", LABELS, IDS, mark=mark)[1:], f"line: label{mark}id")
            for mark in (",", "\t", ";")
        ),
        *(
            (
                "probabilities",
                tabled(f"id,{name}", IDS, SHARES),
                "each of these",
            )
            for name in ("no", "yes", "No")
        ),
        *(
            (
                "translation",
                tabled(f"id,{names}", IDS, *columns),
                "each of these",
            )
            for names, columns in (
                ("gpt,llama", (SENTENCES,) * 2),
                ("score", (VALUES,)),
                ("one,two,three", (SENTENCES,) * 3),
            )
        ),
        *(
            (
                "probabilities",
                tabled(names, IDS, SHARES, SHARES, mark=mark),
                "name the first column, too",
            )
            for names, mark in (("no,yes", ","), ("yes;no", ";"), ("NO,YES", ","))
        ),
        *(
            (
                "probabilities",
                tabled("id,no,yes", IDS, zeros, zeros),
                "Give every item an answer.",
            )
            for zeros in ([0] * 40, ["0.0"] * 40, [0] * 39 + ["0e0"])
        ),
    ],
)
def test_the_hint_leads_to_a_right_file(task: str, text: str, says: str) -> None:
    assert says in hint(task, text)


@loop_over(
    ("own", "asked"),
    [("\u0410", "A"), ("C", "\u0421"), ("k\u043e\u0434", "\u043a\u043e\u0434")],
)
def test_ids_in_letters_that_look_alike_are_written_differently(
    own: str, asked: str
) -> None:
    scorer = get("classes")
    files = (tabled("id,label", names_of(n), LABELS) for n in (asked, own))
    blind, system = (Source.of_bytes("table", text.encode()) for text in files)
    problem = examine(scorer, blind, system, parse(scorer.options, {})).findings[0]
    assert f"written differently: '{own}-1' where the input file has '{asked}-1'" in (
        problem.message
    )


def names_of(letter: str) -> list[str]:
    return [f"{letter}-{n}" for n in range(1, len(IDS) + 1)]


@loop_over("word", ["boat", "over the bridge", "so."])
def test_a_text_that_goes_on_is_not_to_be_taken_out(word: str) -> None:
    texts = [f"{t}\n{word}" if n in (3, 9) else t for n, t in enumerate(SENTENCES)]
    said = first("texts", tabled("id\ttext", IDS, texts, mark="\t"))
    assert said.startswith("Line 6 goes on with the text above it")


@loop_over("mark", ["[NAME]", "<unk>", "[PLACE]"])
def test_signs_are_the_cause_only_where_nothing_else_is(mark: str) -> None:
    scorer = get("spans")
    texts = [
        " ".join(words) for words in (("Ada", "Brook", "sails"), ("so", "it", "is"))
    ]
    blind, masked = (
        "".join(
            json.dumps({"id": f"m{n}", "text": text, "spans": []}) + "\n"
            for n, text in enumerate(side)
        )
        for side in (texts, [f"{mark} sails", f"so {mark}"])
    )
    files = (Source.of_bytes("m", text.encode()) for text in (blind, masked))
    options = parse(scorer.options, {"format": ["jsonl"]})
    verdict = examine(scorer, *files, options)
    assert verdict.findings[0].message.startswith("the text differs from the reference")


@loop_over("encoding", ["latin-1", "cp1252", "iso8859-15"])
def test_letters_of_another_encoding_are_told_before_signs_in_them(
    encoding: str,
) -> None:
    snow = "\u0441\u043d\u0435\u0433 \u00e9t\u00e9"
    texts = [t.replace("boat", snow).replace("reed", "\u043b") for t in SENTENCES]
    wrong = [text.encode().decode(encoding, "replace") for text in texts]
    wrong = [text.replace("\ufffd", "") for text in wrong]
    said = remarks("translation", tabled("id\ttext", IDS, wrong, mark="\t"))
    assert said.startswith("Letters were read in another encoding")
    assert "nobody sees" not in said


@loop_over("limit", [0, 0.05, 0.3])
def test_a_0_next_to_other_values_is_the_end_of_a_scale(limit: float) -> None:
    right = [n * 0.11 + 0.02 for n in range(40)]
    own = [max(0, value - 0.6) for value in right]
    gold, system = (
        tabled("id,value", IDS, side)
        for side in (right, [v * (1 - limit) for v in own])
    )
    assert "counts as a value" not in remarks_of("numbers", gold, system)


@loop_over("mark", [",", ";", "|"])
def test_labels_that_are_several_others_get_a_remark(mark: str) -> None:
    several = [
        f'"neutral{mark}negative"' if n % 7 == 3 else x for n, x in enumerate(LABELS)
    ]
    said = remarks("free", tabled("id,label", IDS, several))
    assert f"'neutral{mark}negative' counts as one label" in said
    assert "counts as one label" not in remarks("free", tabled("id,label", IDS, LABELS))


@loop_over("label", ["neutral+negative", "neutral/negative", "neutral, or so"])
def test_labels_with_parts_are_left_alone(label: str) -> None:
    own = [f'"{label}"' if n % 7 == 3 else x for n, x in enumerate(LABELS)]
    assert "counts as one label" not in remarks("free", tabled("id,label", IDS, own))


@loop_over(
    ("change", "said"),
    [
        (lambda texts: sorted(texts), "in the order of the alphabet"),
        (lambda texts: sorted(map(str.upper, texts)), "in capitals alone"),
        (lambda texts: ["", *texts[:-1]], "fit the items next to theirs"),
        (lambda texts: [*texts[1:], texts[0]], "fit the items next to theirs"),
        (lambda texts: [texts[0], *texts[:-1]], "fit the items next to theirs"),
        (list, ""),
        (lambda texts: [text.replace("a", "e") for text in texts], ""),
    ],
)
def test_answers_without_a_key_are_compared_with_what_is_asked(
    change: Callable[[list[str]], list[str]], said: str
) -> None:
    scorer = get("table")
    options = parse(scorer.options, {"inputs": ["source"]})
    words = [text.rsplit(" ", 2)[0] + "!" for text in SENTENCES]
    own = [word or "so" for word in change(words)]
    files = (
        tabled(f"id\t{n}", IDS, side, mark="\t")
        for n, side in (("source", SENTENCES), ("text", own))
    )
    verdict = examine(
        scorer, *(Source.of_bytes("t", t.encode()) for t in files), options
    )
    told = " ".join(str(remark.message) for remark in verdict.remarks)
    assert not verdict.problems and said in told
    assert said or not told


@loop_over("note", [" (Anmerkung: frei)", " [sic]", " (unsure about it)"])
def test_a_note_behind_many_answers_gets_a_remark(note: str) -> None:
    own = [f"{t}{note}" if n % 3 == 0 else t for n, t in enumerate(SENTENCES)]
    said = remarks("translation", tabled("id\ttext", IDS, own, mark="\t"))
    assert f"many answers, and not all, end with '{note}'" in said
    few = [f"{t}{note}" if n % 9 == 0 else t for n, t in enumerate(SENTENCES)]
    assert not remarks("translation", tabled("id\ttext", IDS, few, mark="\t"))


@loop_over("swap", [("e", "\u0435"), ("o", "\u043e"), ("a", "\u0430")])
def test_words_that_differ_in_letters_that_look_alike_are_told_the_letter(
    swap: tuple[str, str],
) -> None:
    latin, other = swap
    for task in ("attachment", "spans", "labels"):
        own = TASKS[task]
        words = {word for text in SENTENCES for word in text.split() if latin in word}

        def spelled(lines: list[str], by: dict[str, str]) -> list[str]:
            return [
                "\t".join(by.get(cell, cell) for cell in line.split("\t"))
                for line in lines
            ]

        cyrillic = {word: "".join(LOOKS.get(c, c) for c in word) for word in words}
        blind, right = (spelled(side, cyrillic) for side in (own.blind, own.right))
        mixed = {w: c.replace(other, latin) for w, c in cyrillic.items()}
        meant = replace(own, blind=blind, right=right)
        sent = "\n".join(spelled(own.right, mixed)) + "\n"
        problem = meant.verdict(sent.encode()).findings[0]
        assert f"look like those expected: {latin} <U+" in problem.message, task


LOOKS = dict(zip("aeocpx", "\u0430\u0435\u043e\u0441\u0440\u0445", strict=True))


@loop_over("shape", ["b'{}'", 'b"{}"', "'{}'"])
def test_lines_as_python_shows_bytes_have_something_around_them(shape: str) -> None:
    text = "".join(f"{shape.format(line)}\n" for line in TASKS["classes"].right)
    assert first("classes", text).startswith("Something stands around every line")


@loop_over("code", ["-1", "-99", "-1.0"])
def test_a_code_for_none_is_no_score_of_a_model(code: str) -> None:
    shares = [code if n % 7 == 2 else "0.5" for n in range(len(IDS))]
    said = hint("probabilities", tabled("id,no,yes", IDS, shares, shares))
    assert said == "Give every item an answer."
    logits = [f"-{n}.5" for n in range(len(IDS))]
    said = hint("probabilities", tabled("id,no,yes", IDS, logits, shares))
    assert said.startswith("Turn the scores of a model into probabilities")


@loop_over("corner", ["", " ", '""'])
def test_a_table_of_counts_of_labels_has_no_ids(corner: str) -> None:
    counts = tabled(f"{corner},positive,negative", ["positive", "negative"], "12", "34")
    assert first("classes", counts).startswith("No line has an id")
    assert "no name" in first("classes", f"{corner},label\n")


@loop_over(
    ("task", "text", "begins"),
    [
        *(
            (
                "numbers",
                tabled("id,value", IDS, rows),
                "10 items are not in the input f",
            )
            for rows in (
                [f"{v}\n{word}" if n % 4 == 3 else v for n, v in enumerate(VALUES)]
                for word in ("subtotal,30.1", "batch,1", "---,0")
            )
        ),
        *(
            (
                "classes",
                tabled(
                    f"id{mark}label\tscore",
                    [*map(mark.join, zip(IDS, LABELS, strict=True))],
                    VALUES,
                    mark="\t",
                ),
                "The header is of another table",
            )
            for mark in ";,|"
        ),
        *(
            ("lines", text, "The file is in another format")
            for text in (
                json.dumps(SENTENCES),
                repr(SENTENCES),
                json.dumps({"hypotheses": SENTENCES}),
            )
        ),
    ],
)
def test_the_first_sentence_of_these_names_the_cause_too(
    task: str, text: str, begins: str
) -> None:
    assert first(task, text)[: len(begins)] == begins
    assert task != "lines" or "this task takes lines of text" in first(task, text)


@loop_over("some", [slice(0, 15), slice(25, 40), slice(12, 28)])
def test_answers_in_a_row_without_a_word_of_their_references_get_a_remark(
    some: slice,
) -> None:
    texts = [f"{text[:-2]}!" for text in SENTENCES]
    own = [*texts]
    own[some] = ["ala bala nica turska gora"] * len(texts[some])
    own = [f"{text} {n}" for n, text in enumerate(own)]
    gold, wrong, few = (
        "".join(f"{text}\n" for text in side)
        for side in (texts, own, [*own[:3], *texts[3:35], *own[35:]])
    )
    assert "no word of their references" in remarks_of("translation", gold, wrong)
    assert "no word of their references" not in remarks_of("translation", gold, few)
