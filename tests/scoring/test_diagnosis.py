"""Wrong files get the sentence that a colleague would say first."""

import json
from dataclasses import dataclass, field, replace
from random import Random

import pytest

from scoring import Source, Verdict, examine
from scoring.options import parse
from scoring.scorers import get
from tests.loops import loop_over
from tests.scoring.wrong_files import (
    SIZE,
    Lines,
    Mistake,
    at,
    body,
    cell,
    columns_of_mentions,
    corrections,
    doubled,
    dropped,
    each,
    first_sentences,
    grades,
    last_sentences,
    mentions,
    opinions,
    parts,
    repeated,
    run,
    sentences,
    table,
    tags,
    together,
    trees,
    turned,
    without,
    zipped,
)

Others = dict[str, Lines]


@dataclass(frozen=True)
class Task:
    """A scorer with options, its blind file, a right file and that of another phase."""

    scorer: str
    blind: Lines
    right: Lines
    others: Others = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    def verdict(self, sent: bytes, name: str = "mine") -> Verdict:
        scorer = get(self.scorer)
        options = parse(scorer.options, {k: [v] for k, v in self.options.items()})
        blind = Source.of_bytes("blind", data(self.blind))
        others = {n: Source.of_bytes(n, data(x)) for n, x in self.others.items()}
        return examine(scorer, blind, Source.of_bytes(name, sent), options, others)


def data(lines: Lines) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def anything(lines: Lines) -> Mistake:
    """Another file altogether."""
    return lambda _lines: lines


def unstopped(lines: Lines) -> Lines:
    """Text without full stops, as of verse, speech and headings."""
    return [line.replace("\t.\t", "\tand\t") for line in lines]


LABELS = ["positive", "negative", "neutral"]
RAW = [" ".join(words) for words in sentences()]
PLAIN = [f"answer {number}" for number in range(SIZE)]
TOPICS = [f"q{number}" for number in range(1, 11)]
SENSES = [f"bank.n bank.n.{number}" for number in range(1, 21)]
GRAPHS = [
    line
    for number in range(1, 6)
    for line in (f"[S:{number}]", "{unl}", "agt(row(icl>do), boat)", "{/unl}", "[/S]")
]
ASKED = [line for line in GRAPHS if line[0] == "["]
TREES = {"Test": trees(2, "test", filled=False)}
COLUMNS = {"Test": tags(2, filled=False)}
ITEMS = {"Test": table([], name="test")}
TASKS = {
    "attachment": Task("attachment", trees(filled=False), trees(), TREES),
    "semarkup": Task("semarkup", trees(filled=False), trees(), TREES),
    "conll18": Task(
        "conll18", RAW, trees(), {"Test": [" ".join(words) for words in sentences(2)]}
    ),
    "verse": Task(
        "conll18", [line.replace(" .", " and") for line in RAW], unstopped(trees())
    ),
    "early": Task("early", table([]), table(["3", "0", "12"], "delay"), ITEMS),
    "spans": Task("spans", tags(filled=False), tags(), COLUMNS, {"scheme": "iob2"}),
    "documents": Task(
        "spans",
        tags(filled=False, marks=True),
        tags(marks=True),
        {},
        {"scheme": "iob2"},
    ),
    "labels": Task(
        "labels",
        parts(filled=False),
        parts(),
        {"Test": parts(2, filled=False)},
        {"labels": "NOUN,VERB,PUNCT"},
    ),
    "classes": Task(
        "classes",
        table([]),
        table(LABELS, "label"),
        ITEMS,
        {"labels": ",".join(LABELS)},
    ),
    "free": Task("classes", table([]), table(LABELS, "label"), ITEMS),
    "multilabel": Task(
        "multilabel",
        table([]),
        table(["comedy|drama", "drama", ""], "label"),
        ITEMS,
        {"labels": "comedy,drama"},
    ),
    "numbers": Task("numbers", table([]), table(["0.5", "1.25", "-3"], "value"), ITEMS),
    "texts": Task("texts", table([]), table(["a boat", "reeds"], "text"), ITEMS),
    "transcripts": Task(
        "transcripts", table([]), table(["a boat", "reeds"], "text"), ITEMS
    ),
    "translation": Task(
        "translation", table([]), table(["a boat", "reeds"], "text"), ITEMS
    ),
    "lines": Task("translation", [str(n) for n in range(1, SIZE + 1)], PLAIN),
    "retrieval": Task(
        "retrieval", TOPICS, run(), {"Test": [f"t{n}" for n in range(1, 11)]}
    ),
    "senseval": Task("senseval", SENSES, [f"{one} bank:1" for one in SENSES]),
    "unl-graph": Task(
        "unl-graph",
        ASKED,
        GRAPHS,
        {"Test": [line.replace("[S:", "[S:10") for line in ASKED]},
    ),
    "coreference": Task(
        "coreference",
        mentions(filled=False),
        mentions(),
        {"Test": mentions(2, "test", filled=False)},
    ),
    "columns": Task(
        "coreference",
        columns_of_mentions(filled=False),
        columns_of_mentions(),
        {"Test": columns_of_mentions(2, filled=False)},
    ),
    "edits": Task(
        "edits",
        corrections(filled=False),
        corrections(),
        {"Test": corrections(2, filled=False)},
    ),
    "corrected": Task(
        "edits",
        corrections(filled=False),
        corrections(),
        {},
        {"matching": "maxmatch"},
    ),
    "tuples": Task(
        "tuples",
        opinions(filled=False),
        opinions(),
        {"Test": opinions("test", filled=False)},
    ),
    "fields": Task(
        "tuples",
        opinions(filled=False),
        opinions(),
        {},
        {"fields": "aspect,opinion"},
    ),
    "probabilities": Task(
        "probabilities",
        table([","], "no,yes"),
        table(["0.25,0.75", "1,0"], "no,yes"),
        {"Test": table([","], "no,yes", "test")},
    ),
    "metrics": Task(
        "metrics",
        grades(filled=False),
        grades(),
        {"Test": grades("test-", filled=False)},
    ),
}
# Cells of the formats.
form, head = (lambda change, c=c: cell(c, change) for c in (1, 6))
token, tag = (lambda change, c=c: cell(c, change) for c in (0, 1))


def item(change: object) -> Mistake:
    return body(cell(0, change, ","))  # type: ignore[arg-type]


def answer(change: object) -> Mistake:
    return body(cell(1, change, ","))  # type: ignore[arg-type]


def put(old: str, new: str) -> object:
    return lambda line: line.replace(old, new)


def drawn(line: str) -> str:
    return f"| {line.replace(',', ' | ')} |"


OTHER = "This is the file of Test: 40 of its 40 {} are in it, and 0 of the 40 of this "
OTHER += "test set."
BLIND = "This is the input file itself: nothing is filled in."
ORDER = "All 40 of 40 sentences are there, in another order."
FEW = "The file ends after sentence {}: the last 10 of 40 sentences are missing."
ITEM = "item item-013 is missing; 39 of 40 found."
IDS = "The ids are written differently: '{}' where the input file has 'item-001', "
IDS += "and so for 40 of 40."
NO_IDS = "No line has an id; expected the 40 items of the input file with theirs, such "
NO_IDS += "as 'item-001'."
LATE = (
    "The names of the columns stand in line {}; what is above them is no part of the "
)
LATE += "table."
KINDS = "The file is in another format: it looks like {}, and this task takes {}."
TABLES = "CSV, TSV, JSON Lines"
AROUND = "Something stands around every line that is no part of it: '{}'."
WRITTEN = "Signs are written out, such as '{}' in line {}."
INSIDE = "The ids are in the lines, but the lines are no table: '{}'."
UNSEEN = "There are characters in the file that nobody sees ({}), {} in all, first in "
UNSEEN += "line {}."
IDS_OF = "The ids are written differently: '{}' where the input file has '{}', and so "
IDS_OF += "for {} of 40."
FIRST_TEN = (
    "The file begins with sentence 11: the first 10 of 40 sentences are missing."
)
NO_HEADER = "The first line is an answer already: the names of the columns are missing."
FAILED = (
    "this is the error message of a program, and not its output; expected a text file"
)
NAMELESS = "The first line, '{}', names no columns; expected 'id,label'."
ONE_COLUMN = "The first line is one column, '{}'."
ONE_LINE = "The whole file is one line: its line ends are lost."
EMPTY_LINES = "{} of the {} lines are empty; the others are as many as expected (40)."
PRINTED = "this is a text as programs print it, in quotes"
GAP = "Words of the input file are missing ({} of 295), first '{}"
LEFT_OUT = "Line {} is '{}"
FROM_0 = "The ids count from 0, such as '{}', where the input file counts from 1: '{}'."


def minus_1(cell: str) -> str:
    return f"item-{int(cell[5:]) - 1}"


def transposed(lines: Lines) -> Lines:
    rows = [line.split(",") for line in lines]
    return [",".join(column) for column in zip(*rows, strict=True)]


def tag_first(line: str) -> str:
    return "\t".join(line.split("\t")[::-1])


def slashed(mark: str) -> Mistake:
    """A sentence a line, of tokens with their tags."""

    def joined(lines: Lines) -> Lines:
        parts = "\n".join(lines).strip().split("\n\n")
        return [part.replace("\t", mark).replace("\n", " ") for part in parts]

    return joined


CASES: list[tuple[str, Mistake, str]] = [
    # Trees.
    ("attachment", without(11), "sentence dev-12 is missing; 39 of 40 found."),
    (
        "attachment",
        without(3, 17),
        "2 sentences are missing, first sentence dev-4; 38 of 40 found.",
    ),
    ("attachment", first_sentences(30), FEW.format("dev-30")),
    (
        "attachment",
        last_sentences(30),
        "The file begins with sentence dev-11: the first 10 of 40 sentences are "
        "missing.",
    ),
    ("attachment", turned, ORDER),
    (
        "attachment",
        doubled(4),
        "sentence dev-5 is there twice; the input file has it once.",
    ),
    ("attachment", anything(trees(filled=False)), BLIND),
    ("attachment", anything(trees(2, "test")), OTHER.format("sentences")),
    (
        "attachment",
        anything(trees(3, "other")),
        "This file belongs to something else: none of the 40 sentences of this test "
        "set is in it.",
    ),
    (
        "attachment",
        form(str.upper),
        "The words differ from the input file in capitals only, in 40 of 40 sentences: "
        "'WAITS' where it has 'Waits'.",
    ),
    (
        "attachment",
        at(3, put("light", "lite")),
        "One word of 295 differs from the input file, in sentence dev-1: 'lite' where "
        "it has 'light'.",
    ),
    (
        "attachment",
        together(at(3, put("light", "lite")), at(11, put("evening", "night"))),
        "Words of 2 of 40 sentences differ from the input file, first in sentence "
        "dev-1: 'lite' where it has 'light'.",
    ),
    (
        "attachment",
        dropped(3),
        "A word is missing in sentence dev-1: 'light'; the other sentences have "
        "theirs.",
    ),
    (
        "attachment",
        at(2, put("\t2\t", "\t99\t")),
        "HEAD is '99'; expected a number from 0 to 6.",
    ),
    (
        "attachment",
        each(put("\t", " ")),
        "The columns are separated by spaces; this format separates them with tabs.",
    ),
    (
        "attachment",
        head(lambda _: "_"),
        "Nothing is filled in: HEAD is '_' in all 295 words.",
    ),
    (
        "attachment",
        together(without(5), at(2, put("\t2\t", "\t99\t"))),
        "sentence dev-6 is missing; 39 of 40 found.",
    ),
    (
        "attachment",
        lambda lines: [line for i, line in enumerate(lines) if line or i % 2],
        "The sentences are divided differently: 22 where the input file has 40, "
        "first at sentence dev-3.",
    ),
    (
        "attachment",
        anything(table(LABELS, "label")),
        KINDS.format("a table with commas", "CoNLL-U"),
    ),
    *(
        ("attachment", anything(lines), KINDS.format(kind, "CoNLL-U"))
        for kind, lines in (
            ("a table with commas", ["sep=,", *table(LABELS, "label")]),
            ("a table with semicolons", ["sep=;", "id;head", "1;0", "2;1"]),
            ("a table with semicolons", ["SEP=;\r", "id;head;deprel", "1;0;root"]),
            ("a table with semicolons", ["id;head;deprel", "1;0;root", "2;1;obj"]),
            ("plain text", ["The boat is late; the fog stays.", "It leaves at nine."]),
        )
    ),
    ("attachment", anything(["{}"]), KINDS.format("JSON", "CoNLL-U")),
    (
        "attachment",
        anything(["[", "  {", '    "id": 1', "  }", "]"]),
        KINDS.format("JSON with 'id'", "CoNLL-U"),
    ),
    (
        "attachment",
        anything(["{", '  "u1": [0, 1]', "}"]),
        KINDS.format("JSON with 'u1'", "CoNLL-U"),
    ),
    (
        "spans",
        anything(["[ ", '  {"id": 1, "spans": []}', "]"]),
        KINDS.format("JSON with 'id', 'spans'", "columns of tokens and tags"),
    ),
    ("attachment", anything([""]), "the file is empty"),
    (
        "attachment",
        together(at(2, put("\t2\t", "\t99\t")), at(10, put("\t2\t", "\tx\t"))),
        "HEAD is '99'; expected a number from 0 to 6.",
    ),
    ("semarkup", without(11), "sentence dev-12 is missing; 39 of 40 found."),
    ("semarkup", turned, ORDER),
    ("semarkup", anything(trees(2, "test")), OTHER.format("sentences")),
    (
        "semarkup",
        at(3, put("light", "lite")),
        "One word of 295 differs from the input file, in sentence dev-1: 'lite' where "
        "it has 'light'.",
    ),
    (
        "semarkup",
        lambda lines: [line for line in lines if line[:1] != "#"],
        "The lines '# sent_id = ...' are missing, in 40 of 40 sentences.",
    ),
    (
        "conll18",
        without(11),
        "the passage 'Shore sleeps boat turns evening heron' is missing; 39 of 40 "
        "found.",
    ),
    ("conll18", anything(trees(2)), OTHER.format("passages")),
    (
        "conll18",
        at(3, put("light", "lite")),
        "The text differs in 1 of 40 passages: 'Waits lite bends wind evening .' where "
        "the input file has 'Waits light bends wind evening .'.",
    ),
    ("conll18", turned, "All 40 of 40 passages are there, in another order."),
    (
        "conll18",
        first_sentences(30),
        "The file ends after the passage 'Mill lantern bridge water boat turns': the "
        "last 10 of 40 passages are missing.",
    ),
    # Spans and tags.
    ("spans", without(11), "sentence 12 is missing; 39 of 40 found."),
    ("spans", first_sentences(30), FEW.format("30")),
    ("spans", turned, ORDER),
    ("spans", anything(tags(2)), OTHER.format("sentences")),
    (
        "spans",
        tag(put("-", "_")),
        "Tags have '_' after their prefix, such as 'B_PLACE' (80 of 80); expected "
        "'B-PLACE'.",
    ),
    (
        "spans",
        tag(lambda text: text.lower() if text != "O" else text),
        "Tags have lower-case prefixes, such as 'b-place' (80 of 80); expected "
        "'B-place'.",
    ),
    (
        "spans",
        tag(lambda _: "0.87"),
        "There are numbers where tags are expected, such as '0.87' (295 of 295).",
    ),
    (
        "spans",
        tag(lambda text: text[2:] or text),
        "Tags have no prefix, such as 'PLACE' (80 of 80); expected 'B-PLACE'.",
    ),
    (
        "spans",
        tag(put("I-", "E-")),
        "The tags look like BIOES, such as 'E-PLACE' (40 of 80); this task takes "
        "IOB2 (B-, "
        "I-).",
    ),
    (
        "spans",
        token(lambda text: text.split("\t")[0]),
        "",
    ),
    (
        "spans",
        each(lambda line: line.split("\t")[0]),
        "There are no tags: each line has only a token, such as 'Waits'.",
    ),
    (
        "spans",
        each(lambda line: line.split("\t")[1]),
        "There are no tokens: each line has only a tag, such as 'O'.",
    ),
    (
        "spans",
        at(3, put("bends", "bonds")),
        "One word of 295 differs from the input file, in sentence 1: 'bonds' where it "
        "has 'bends'.",
    ),
    (
        "spans",
        dropped(3),
        "A word is missing in sentence 1: 'bends'; the other sentences have theirs.",
    ),
    (
        "spans",
        repeated(3),
        "sentence 1 has a word too many: 'bends'; the other sentences have theirs.",
    ),
    (
        "spans",
        lambda lines: [line for line in lines if line],
        "The sentences are divided differently: 1 where the input file has 40, first "
        "at sentence 1.",
    ),
    (
        "spans",
        anything(trees()),
        KINDS.format(
            "CoNLL-U", "mat-json, xml-inline, CoNLL columns, brat, JSON Lines"
        ),
    ),
    (
        "spans",
        anything(['{"a": 1}']),
        KINDS.format("JSON with 'a'", "columns of tokens and tags"),
    ),
    (
        "spans",
        anything(['{"id": "1", "text": "a", "spans": []}']),
        KINDS.format("JSON with 'id', 'text', 'spans'", "columns of tokens and tags"),
    ),
    (
        "spans",
        tag(lambda text: "O" if text == "O" else "LABEL_3"),
        "Tags are a model's numbers of labels, such as 'LABEL_3' (80 of 80): it was "
        "saved without their names.",
    ),
    (
        "spans",
        tag(lambda text: "O" if text == "O" else f"{text[2:]}-{text[0]}"),
        "Tags have their prefix behind the label, such as 'PLACE-B' (80 of 80); "
        "expected 'B-PLACE'.",
    ),
    (
        "spans",
        tag(lambda text: "O" if text == "O" else f"M{text[1:]}"),
        "The tags look like BMES, such as 'M-PLACE' (80 of 80); this task takes IOB2 "
        "(B-, I-).",
    ),
    # What follows from one wrong line, or is said of every line.
    (
        "attachment",
        head(lambda text: f"{text}.0"),
        "HEADs are decimals: '2.0' for 2, and so for 295 of 295 words.",
    ),
    (
        "classes",
        lambda lines: [*lines[:9], lines[0], *lines[9:]],
        "The names of the columns are there a second time, in line 10.",
    ),
    (
        "classes",
        at(3, lambda line: f"{line},x,y"),
        "expected 2 columns as in the first line, found 4.",
    ),
    (
        "classes",
        at(3, put(",", ',"')),
        "a text in double quotes begins here and does not end.",
    ),
    ("classes", each(put(",", "|")), "The first line is one column, 'id|label'."),
    (
        "spans",
        anything(["T1\tNAME 0 3\tAda"]),
        "These are brat's annotations (.ann), without their text.",
    ),
    # Lines where ids are expected.
    *(
        (task, anything(PLAIN), NO_IDS)
        for task in ("translation", "texts", "transcripts")
    ),
    ("translation", anything(["log: done", *PLAIN]), NO_IDS),
    ("translation", anything(PLAIN[1:]), NO_IDS),
    # What programs print above a table, and ids that were lost.
    ("translation", lambda lines: ["our second run", *lines], LATE.format(2)),
    ("texts", lambda lines: ["they are", "as follows", *lines], LATE.format(3)),
    ("classes", lambda lines: ["of 40, all 40", *lines], LATE.format(2)),
    ("numbers", lambda lines: ["", "done", *lines], LATE.format(3)),
    ("classes", item(lambda _text: ""), "The ids are empty, in all 40 lines."),
    ("translation", item(lambda _text: ""), "The ids are empty, in all 40 lines."),
    ("probabilities", item(lambda _text: ""), "The ids are empty, in all 40 lines."),
    (
        "senseval",
        lambda lines: [line.partition(" ")[2] for line in lines],
        "the lines begin with the instance, without a lexelt: 'bank.n.1 bank:1', where "
        "the test set has 'bank.n bank.n.1'.",
    ),
    (
        "spans",
        lambda lines: ["of our model", *lines],
        "Line 1 is no part of the format: 'of our model'.",
    ),
    (
        "translation",
        lambda lines: lines[1:],
        "The first line is an answer already: the names of the columns are missing.",
    ),
    (
        "documents",
        lambda lines: tags(),
        "The lines -DOCSTART- are missing: 4 expected, 0 found.",
    ),
    ("documents", without(1), "sentence 1 is missing; 39 of 40 found."),
    ("labels", without(11), "sentence 12 is missing; 39 of 40 found."),
    ("labels", turned, ORDER),
    ("labels", anything(parts(2)), OTHER.format("sentences")),
    ("labels", anything(parts(filled=False)), BLIND),
    (
        "labels",
        tag(str.lower),
        "Labels differ in capitals only: 'verb' where the task has 'VERB', and so "
        "for 295 of 295.",
    ),
    (
        "labels",
        at(3, put("VERB", "VREB")),
        "Labels are not those of the task, 1 of 295, such as 'VREB'; did you mean "
        "'VERB'?",
    ),
    (
        "labels",
        tag(lambda _: "7"),
        "295 of 295 answers are numbers, such as '7', where the task has labels: NOUN, "
        "VERB, PUNCT.",
    ),
    (
        "labels",
        token(str.lower),
        "The words differ from the input file in capitals only, in 40 of 40 sentences: "
        "'waits' where it has 'Waits'.",
    ),
    (
        "labels",
        dropped(4),
        "A word is missing in sentence 1: 'wind'; the other sentences have theirs.",
    ),
    # Tables.
    ("classes", dropped(14), ITEM),
    (
        "classes",
        dropped(14, 15, 20),
        "3 items are missing, first item item-013; 37 of 40 found.",
    ),
    (
        "classes",
        repeated(14),
        "item item-013 is there twice; the input file has it once.",
    ),
    (
        "classes",
        lambda lines: [*lines, "item-999,neutral"],
        "item item-999 is not in the input file; all 40 of 40 are there.",
    ),
    (
        "classes",
        dropped(1),
        "The first line is an answer already: the names of the columns are missing.",
    ),
    ("classes", anything(table([])), BLIND),
    (
        "classes",
        at(1, lambda _: "id,labels"),
        "There is no column 'label', but there is 'labels': did you mean it?",
    ),
    (
        "classes",
        at(1, lambda _: "item,label"),
        "There is no column 'id', but there is 'item': did you mean it?",
    ),
    (
        "classes",
        at(1, lambda _: "lemma,pos"),
        "There is no column 'id', but there is 'lemma': did you mean it?",
    ),
    (
        "classes",
        anything(table(["0.1,0.2,0.7"], ",".join(LABELS))),
        "There is a column for each label (positive, negative, neutral); expected one, "
        "'label'.",
    ),
    (
        "free",
        anything(table(["0.1,0.2,0.7"], ",".join(LABELS))),
        "There is a column for each label (positive, negative, neutral); expected one, "
        "'label'.",
    ),
    (
        "free",
        anything(table(["0.1\t0.2"], "yes\tno", separator="\t")),
        "There is a column for each label (yes, no); expected one, 'label'.",
    ),
    (
        "free",
        anything(table(["a boat,7"], "text,length")),
        "no column 'label' found; there are: 'id', 'text', 'length'.",
    ),
    (
        "classes",
        answer(str.capitalize),
        "Labels differ in capitals only: 'Positive' where the task has 'positive', "
        "and so for 40 of 40.",
    ),
    (
        "classes",
        answer(lambda _: "2"),
        "40 of 40 answers are numbers, such as '2', where the task has labels: "
        "positive, "
        "negative, neutral.",
    ),
    (
        "classes",
        at(5, put("positive", "postive")),
        "Labels are not those of the task, 1 of 40, such as 'postive'; did you mean "
        "'positive'?",
    ),
    ("classes", answer(lambda _: ""), "Answers are empty: 40 of 40."),
    ("classes", item(str.upper), IDS.format("ITEM-001")),
    (
        "classes",
        item(lambda text: text.replace("-00", "-").replace("-0", "-")),
        IDS.format("item-1"),
    ),
    ("classes", item(lambda text: f"{text}.txt"), IDS.format("item-001.txt")),
    ("classes", anything(table(LABELS, "label", "test")), OTHER.format("items")),
    ("classes", anything(trees()), KINDS.format("CoNLL-U", TABLES)),
    (
        "classes",
        anything(["<html>", "<body>"]),
        "this is an HTML page; expected a text file",
    ),
    (
        "classes",
        answer(lambda text: f"{text},x"),
        "expected 2 columns as in the first line, found 3.",
    ),
    # What names no columns, or not where it should.
    ("classes", anything(["404: Not Found"]), FAILED),
    ("lines", anything(["curl: (6) Could not resolve host: example.org"]), FAILED),
    ("spans", anything(["cat: out.csv: No such file or directory"]), FAILED),
    ("tuples", anything(['{"detail": "Not found."}']), FAILED),
    # Tables that are drawn, and lines with the ids inside.
    (
        "translation",
        each(drawn),
        KINDS.format("a table of Markdown", f"{TABLES}, lines of text"),
    ),
    (
        "numbers",
        each(drawn),
        KINDS.format("a table of Markdown", f"{TABLES}, a number a line"),
    ),
    ("translation", each(put(",", ": ")), ONE_COLUMN.format("id: text")),
    ("numbers", each(put(",", "\\t")), WRITTEN.format("\\t", 1)),
    ("translation", each("~ {}".format), INSIDE.format("~ item-001,a boat")),
    (
        "texts",
        together(dropped(1), each(lambda line: f'["{line}"]')),
        INSIDE.format('["item-001,a boat"]'),
    ),
    (
        "transcripts",
        together(dropped(1), each("({})".format)),
        INSIDE.format("(item-001,a boat)"),
    ),
    # What stands around lines, or for signs.
    ("translation", each("- {}".format), AROUND.format("- id,text")),
    ("attachment", each("9:{}".format), AROUND.format("9:# sent_id = dev-1")),
    ("spans", each("    {}".format), AROUND.format("    Waits\\tO")),
    ("retrieval", each('"{}"'.format), AROUND.format('"q1 Q0 d11 1 8.5 mine"')),
    ("labels", each(put("\t", "\\t")), WRITTEN.format("\\t", 1)),
    ("coreference", each(put("\t", "&#9;")), WRITTEN.format("&#9;", 3)),
    ("tuples", each(put('"', "&quot;")), WRITTEN.format("&quot;", 1)),
    ("numbers", dropped(1), NO_HEADER),
    # Characters that nobody sees.
    ("classes", at(1, "\ufeff\ufeff{}".format), UNSEEN.format("<U+FEFF>", 1, 1)),
    ("spans", at(2, "\x1b[1m{}\x1b[0m".format), UNSEEN.format("<U+001B>[1m", 2, 2)),
    ("attachment", lambda lines: [*lines, "\x1a"], UNSEEN.format("<U+001A>", 1, 376)),
    ("tuples", at(3, "\x0c{}".format), UNSEEN.format("<U+000C>", 1, 3)),
    ("retrieval", at(1, "\u200b{}".format), UNSEEN.format("<U+200B>", 1, 1)),
    ("free", anything(["a thing", "b"]), NAMELESS.format("a thing")),
    ("classes", anything(["item-001: pos", "b: c"]), NAMELESS.format("item-001: pos")),
    ("classes", each(put(",", "\uff0c")), ONE_COLUMN.format("id\uff0clabel")),
    ("free", each(put(",", "\\t")), WRITTEN.format("\\t", 1)),
    ("classes", each('"{}"'.format), AROUND.format('"id,label"')),
    ("classes", lambda lines: [" ".join(lines)], ONE_LINE),
    ("free", lambda lines: ["\\n".join(lines)], ONE_LINE),
    (
        "translation",
        lambda lines: ["\x85".join(lines)],
        "Lines end with <U+0085>, which ends no line, first in line 1.",
    ),
    ("classes", lambda lines: ["Predictions of A", "", *lines], LATE.format(3)),
    ("free", lambda lines: ["By: us, here", *lines], LATE.format(2)),
    (
        "numbers",
        lambda lines: [*lines, "", "[40 rows x 2 columns]"],
        "Line 43 is program output, not an answer: '[40 rows x 2 columns]'.",
    ),
    (
        "classes",
        anything([f'{{"id": "item-{n:03}", "labels": "neutral"}}' for n in (1, 2)]),
        "No object has 'label', but there is 'labels': did you mean it?",
    ),
    (
        "translation",
        anything(['{"id": "item-001", "txt": "x"}', '{"id": "item-002", "txt": "y"}']),
        "No object has 'text', but there is 'txt': did you mean it?",
    ),
    (
        "probabilities",
        each(lambda line: line.split(",")[0]),
        "no column 'no' or 'yes' found; there are: 'id'.",
    ),
    # Ids.
    ("classes", item(lambda text: f"test-{text}"), IDS.format("test-item-001")),
    ("numbers", item(lambda text: f"{text}_b"), IDS.format("item-001_b")),
    ("free", item(lambda text: f"a:{text}:b"), IDS.format("a:item-001:b")),
    ("classes", item(lambda text: text.replace("-", "%2D")), IDS.format("item%2D001")),
    (
        "classes",
        item(lambda _: "item-007"),
        "item item-007 is there 40 times, and 39 of 40 items are missing, first item "
        "item-001.",
    ),
    (
        "free",
        body(lambda lines: [",".join(line.split(",")[::-1]) for line in lines]),
        "The ids stand in the column of the answers.",
    ),
    ("multilabel", dropped(14), ITEM),
    (
        "multilabel",
        answer(put("|", ";")),
        "Several labels are separated by ';'; this task separates them with '|'.",
    ),
    (
        "multilabel",
        answer(str.upper),
        "Labels differ in capitals only: 'COMEDY' where the task has 'comedy', and "
        "so for 41 of 41.",
    ),
    ("numbers", dropped(14), ITEM),
    (
        "numbers",
        each(lambda line: line.replace(",", ";", 1).replace(".", ",")),
        "27 of 40 numbers have a decimal comma, such as '0,5'.",
    ),
    (
        "numbers",
        answer(lambda _: "high"),
        "40 of 40 answers are not numbers, such as 'high'.",
    ),
    (
        "numbers",
        at(1, lambda _: "id,score"),
        "There is no column 'value', but there is 'score': did you mean it?",
    ),
    # Texts.
    ("texts", dropped(14), ITEM),
    (
        "texts",
        at(1, lambda _: "id,translation"),
        "There is no column 'text', but there is 'translation': did you mean it?",
    ),
    ("transcripts", anything(table(["x"], "text", "test")), OTHER.format("items")),
    ("translation", item(str.upper), IDS.format("ITEM-001")),
    ("lines", dropped(3), "Lines found: 39; expected: 40."),
    ("lines", lambda lines: [*lines, ""], EMPTY_LINES.format(1, 41)),
    ("lines", each(lambda line: f"{line}\n"), EMPTY_LINES.format(40, 80)),
    ("lines", lambda lines: [" ", "", *lines, "\t"], EMPTY_LINES.format(3, 43)),
    ("lines", repeated(3), "Lines found: 41; expected: 40."),
    # Runs, senses, graphs.
    (
        "retrieval",
        anything(run("t")),
        "This is the file of Test: 10 of its 10 topics are in it, and 0 of the 10 of "
        "this test set.",
    ),
    (
        "retrieval",
        cell(0, str.upper, " "),
        "The ids are written differently: 'Q1' where the input file has 'q1', and so "
        "for 10 of 10.",
    ),
    (
        "retrieval",
        each(put(" ", "\xa0")),
        "There are no-break spaces (<U+00A0>) in the file, 150 in all, first in line "
        "1.",
    ),
    (
        "retrieval",
        lambda lines: ["<?xml version='1.0'?>", *lines],
        "Line 1 is no part of the format: '<?xml version='1.0'?>'.",
    ),
    (
        "retrieval",
        each(put(" Q0", "")),
        "expected 6 fields, 'topic Q0 document rank score tag'; found 5, without Q0.",
    ),
    (
        "senseval",
        anything(["a,b"]),
        KINDS.format("a table with commas", "SENSEVAL answers"),
    ),
    (
        "unl-graph",
        each(put("[S:", "[S:10")),
        "This is the file of Test: 5 of its 5 sentences are in it, and 0 of the 5 of "
        "this test set.",
    ),
    (
        "unl-graph",
        lambda lines: [*lines, *lines[:5]],
        "sentence 1 is there twice; the input file has it once.",
    ),
    # Mentions, corrections, records, probabilities, metrics.
    ("coreference", without(11), "sentence dev-12 is missing; 39 of 40 found."),
    ("coreference", anything(mentions(2, "test")), OTHER.format("sentences")),
    (
        "coreference",
        at(4, put("light", "lite")),
        "One word of 295 differs from the input file, in sentence dev-1: 'lite' where "
        "it has 'light'.",
    ),
    (
        "coreference",
        body(turned),
        ORDER,
    ),
    ("columns", without(11), "sentence 12 is missing; 39 of 40 found."),
    ("columns", anything(columns_of_mentions(2)), OTHER.format("sentences")),
    (
        "columns",
        at(3, put("light", "lite")),
        "One word of 295 differs from the input file, in sentence 1: 'lite' where it "
        "has 'light'.",
    ),
    ("edits", without(11), "sentence 12 is missing; 39 of 40 found."),
    ("edits", turned, ORDER),
    ("edits", first_sentences(30), FEW.format("30")),
    ("edits", anything(corrections(2)), OTHER.format("sentences")),
    (
        "edits",
        anything(RAW),
        "expected a line that begins with 'S ' or 'A ', found 'Waits light bends wi…'.",
    ),
    ("corrected", anything(RAW[:39]), "Lines found: 39; expected: 40."),
    ("tuples", dropped(13), "item review-013 is missing; 39 of 40 found."),
    ("tuples", anything(opinions("test")), OTHER.format("items")),
    (
        "tuples",
        repeated(13),
        "item review-013 is there twice; the input file has it once.",
    ),
    (
        "tuples",
        each(put("review-", "Review_")),
        "The ids are written differently: 'Review_001' where the input file has "
        "'review-001', and so for 40 of 40.",
    ),
    (
        "tuples",
        anything(table(LABELS, "label")),
        KINDS.format("a table with commas", "JSON Lines, cupt"),
    ),
    ("probabilities", dropped(14), ITEM),
    ("probabilities", item(str.upper), IDS.format("ITEM-001")),
    (
        "probabilities",
        anything(table(["1,0"], "no,yes", "test")),
        OTHER.format("items"),
    ),
    (
        "probabilities",
        at(1, put("yes", "Yeah")),
        "There is no column 'yes', but there is 'Yeah': did you mean it?",
    ),
    (
        "probabilities",
        anything(table(["yes", "no"], "label")),
        "The columns are others than those asked for: 'label'; expected 'id,no,yes'.",
    ),
    (
        "metrics",
        dropped(13),
        "item heron 2 is missing; 39 of 40 found.",
    ),
    (
        "metrics",
        together(dropped(13), lambda lines: [*lines, "reference,1,0.9"]),
        "item heron 2 is missing; 39 of 40 found.",
    ),
    ("metrics", anything(grades("test-")), OTHER.format("items")),
    (
        "metrics",
        at(1, put("score", "scores")),
        "There is no column 'score', but there is 'scores': did you mean it?",
    ),
    (
        "metrics",
        dropped(1),
        "The first line is an answer already: the names of the columns are missing.",
    ),
]
BROKE = "The program that wrote the file broke off: line {} is '{}'."
TRACE = "Traceback (most recent call last):"
ENDED = [TRACE, '  File "run.py", line 3, in <module>', "KeyError: 'x'"]
TAGGED = "CoNLL columns"
CASES += [
    # A program that broke off, and what it printed on its way.
    ("attachment", lambda x: [*x[:-9], *ENDED], BROKE.format(367, TRACE)),
    ("classes", lambda x: [*x[:-9], *ENDED], BROKE.format(33, TRACE)),
    ("tuples", lambda x: [*x[:-9], "Killed"], BROKE.format(32, "Killed")),
    (
        "metrics",
        lambda x: [*x[:5], "/lib/x.py:12: UserWarning: no GPU", *x[5:]],
        "Line 6 is program output, not an answer: '/lib/x.py:12: UserWarning: no GPU'.",
    ),
    # No kind of file is called another than itself.
    (
        "documents",
        lambda x: x[:1],
        "The lines -DOCSTART- are missing: 4 expected, 0 found.",
    ),
    ("columns", lambda x: x[1:], "the line '#begin document' is missing above."),
    ("columns", last_sentences(30), FIRST_TEN),
    (
        "labels",
        anything(table(LABELS, "x")),
        KINDS.format("a table with commas", TAGGED),
    ),
    ("labels", anything(run("zz")), KINDS.format("a TREC run", TAGGED)),
    ("labels", anything(corrections(9)), KINDS.format("M2", TAGGED)),
    ("tuples", anything(run("zz")), KINDS.format("a TREC run", "JSON Lines, cupt")),
    # Names that head another table, above ids that are the task's.
    (
        "texts",
        at(1, lambda _: "doc,output"),
        "There is no column 'id', but there is 'doc': did you mean it?",
    ),
    (
        "translation",
        at(1, lambda _: "ID_number,text"),
        "There is no column 'id', but there is 'ID_number': did you mean it?",
    ),
    (
        "numbers",
        at(1, lambda _: "id,pred"),
        "There is no column 'value', but there is 'pred': did you mean it?",
    ),
    # Digits of full width, capitals among names that may be more.
    (
        "classes",
        item(put("00", "\uff10\uff10")),
        IDS_OF.format("item-\uff10\uff101", "item-001", 9),
    ),
    (
        "tuples",
        each(put("review-00", "review-\uff10\uff10")),
        IDS_OF.format("review-\uff10\uff101", "review-001", 9),
    ),
    ("metrics", each(put("gull", "GULL")), IDS_OF.format("GULL 1", "gull 1", 10)),
    # What is written in all places, and is an answer.
    (
        "attachment",
        head(lambda _: "boat"),
        "HEAD is 'boat'; expected a number from 0 to 6.",
    ),
    (
        "attachment",
        head(lambda _: "_"),
        "Nothing is filled in: HEAD is '_' in all 295 words.",
    ),
    # A line of M2 that is broken, where texts may be sent as well.
    (
        "corrected",
        lambda x: [*x, "Total: 40"],
        "Line 121 is no part of the format: 'Total: 40'.",
    ),
    (
        "corrected",
        at(1, lambda line: f'"{line}'),
        "expected a line that begins with 'S ' or 'A ', found '\"S Waits light "
        "bends…'.",
    ),
    (
        "corrected",
        anything(PLAIN),
        "the file answers none of the 40 sentences of this test set.",
    ),
    # Line ends that are lost.
    ("attachment", lambda x: [" ".join(x)], ONE_LINE),
    ("spans", lambda x: ["\\n".join(x).replace("\\n", " ")], ONE_LINE),
    ("edits", lambda x: [" ".join(x)], ONE_LINE),
    ("labels", lambda x: [str(x)], KINDS.format("a list as Python prints it", TAGGED)),
    # Lines above what is read.
    ("classes", lambda x: ["<think>", "well", "</think>", *x], LATE.format(4)),
    ("numbers", lambda x: ["<answers>", *x, "</answers>"], LATE.format(2)),
    (
        "conll18",
        lambda x: ["// version 2", *x],
        "Line 1 is no part of the format: '// version 2'.",
    ),
    (
        "labels",
        lambda x: ["made by a model of ours", *x],
        "Line 1 is no part of the format: 'made by a model of ours'.",
    ),
    (
        "columns",
        lambda x: ["// version 2", *x],
        "Line 1 is no part of the format: '// version 2'.",
    ),
]
CASES = [case for case in CASES if case[2]]
BEGINNINGS = [
    # Text that is one passage, or few.
    ("verse", without(11), GAP.format(9, "Shore sleeps boat turns evening heron'.")),
    (
        "verse",
        without(20, 21, 22),
        GAP.format(25, "Quiet turns river shore reed mill'."),
    ),
    ("verse", doubled(4), "There are words"),
    ("verse", turned, "The text has the words of the input file in another order"),
    ("verse", form(str.upper), "The text differs from the input file in capitals only"),
    ("verse", first_sentences(30), "The text ends after '"),
    ("verse", last_sentences(30), "The text begins with '"),
    ("verse", at(3, put("light", "lite")), "The text differs from the input file: "),
    # Every line in a frame.
    ("labels", each("+{}".format), AROUND.format("+Waits\\tVERB")),
    ("classes", each("out.csv:{}".format), AROUND.format("out.csv:id,label")),
    ("tuples", each("predictions.jsonl:7:{}".format), AROUND[:-5]),
    ("retrieval", each("[3] {}".format), AROUND.format("[3] q1")[:-2]),
    # What a screen shows.
    (
        "attachment",
        lambda lines: [*lines[:20], "...", *lines[-20:]],
        LEFT_OUT.format(21, "..."),
    ),
    ("edits", at(9, lambda _line: "[... 40 lines]"), LEFT_OUT.format(9, "[... 40")),
    ("numbers", at(9, lambda _line: "<output truncated>"), LEFT_OUT.format(9, "<out")),
    ("lines", lambda lines: ["```", "", *lines, "", "```"], "2 lines are program"),
    ("lines", lambda lines: ["<pre>", *lines, "</pre>"], "2 lines are program output"),
    ("tuples", lambda lines: ["# run 2", *lines], "Line 1 is no part of the format: "),
    ("retrieval", lambda lines: ["% a b c 2 d", *lines], "Line 1 is no part of the"),
    # Ids that are numbered from 0.
    ("classes", item(minus_1), FROM_0.format("item-0", "item-001")),
    ("early", item(minus_1), FROM_0.format("item-0", "item-001")),
    (
        "texts",
        item(lambda cell: str(int(cell[5:]) - 1)),
        "The ids are the numbers of the rows, such as '0', where the input file has",
    ),
    # Tokens and tags in other places.
    ("labels", each(tag_first), "The columns are swapped: the tag stands first"),
    ("spans", each(tag_first), "The columns are swapped: the tag stands first"),
    ("labels", slashed("/"), "There is a sentence in each line: '"),
    ("spans", slashed("_"), "There is a sentence in each line: '"),
    ("labels", each(lambda line: line.partition("\t")[2]), "There are no tokens: each"),
    ("spans", tag(put("O", "o")), "Tags outside of spans are 'o' "),
    # Tables.
    ("metrics", at(9, lambda line: line + ",x"), "expected 3 columns as in the first"),
    (
        "metrics",
        at(9, put(",0", ',"0')),
        "a text in double quotes begins here and does",
    ),
    ("metrics", lambda lines: lines * 2, "The names of the columns are there a second"),
    ("probabilities", anything(table(["0.5"], "yes")), "no column 'no' found; there"),
    # Signs that nobody sees.
    ("lines", at(9, "{}\0\0".format), "a NUL is not text"),
    ("senseval", lambda lines: [*lines, "\0\0"], UNSEEN.format("<U+0000>", 2, 21)),
    (
        "attachment",
        each(put("\t", "\u00a0")),
        "There are no-break spaces (<U+00A0>) in",
    ),
    ("labels", each(put("a", "\u0430")), "There are letters of another alphabet"),
    ("classes", each(put("e", "\u0435")), "There are letters of another alphabet"),
    ("tuples", each(put("i", "\u0456")), "There are letters of another alphabet"),
    # Texts as programs print them.
    ("labels", lambda lines: [repr("\n".join(lines))], PRINTED),
    ("texts", lambda lines: [repr("\n".join(lines).encode())], PRINTED),
    ("retrieval", lambda lines: [json.dumps("\n".join(lines))], PRINTED),
    ("edits", each("2025-03-01 12:00:01,123 INFO {}".format), AROUND[:-5]),
    (
        "numbers",
        lambda lines: [*lines[:20], "a.OomError: no memory"],
        "The program that",
    ),
    ("classes", transposed, "The table lies on"),
    # Fields.
    ("fields", each(put('"aspect"', '"Aspect"')), "no record has the field 'aspect',"),
]


@loop_over("task", TASKS)
def test_a_right_file_has_nothing_wrong(task: str) -> None:
    one = TASKS[task]
    assert one.verdict(data(one.right)).findings == []


@loop_over(
    ("task", "mistake", "wanted"),
    CASES,
    ids=[f"{task}-{number}" for number, (task, *_rest) in enumerate(CASES)],
)
def test_the_first_sentence_is_what_a_colleague_would_say(
    task: str, mistake: Mistake, wanted: str
) -> None:
    one = TASKS[task]
    verdict = one.verdict(data(mistake(one.right)))
    assert verdict.problems and verdict.findings[0].message == wanted


@loop_over(
    ("task", "mistake", "beginning"),
    BEGINNINGS,
    ids=[f"{task}-{number}" for number, (task, *_rest) in enumerate(BEGINNINGS)],
)
def test_the_first_sentence_begins_with_the_cause(
    task: str, mistake: Mistake, beginning: str
) -> None:
    verdict = TASKS[task].verdict(data(mistake(TASKS[task].right)))
    assert verdict.problems
    assert verdict.findings[0].message.startswith(beginning)


def test_what_a_file_is_packed_with_changes_no_finding() -> None:
    """A mark of the encoding, line ends of Windows, and a zip around all."""
    mark, differing = b"\xef\xbb\xbf", []
    for task, mistake, _said in (*CASES, *BEGINNINGS):
        sent = data(mistake(TASKS[task].right))
        if b"\r" in sent or mark in sent:
            continue
        first, second = (
            [(x.message, x.excerpt) for x in TASKS[task].verdict(given).findings]
            for given in (sent, zipped(mark + sent.replace(b"\n", b"\r\n")))
        )
        if first != second:
            differing.append((task, first, second))
    assert differing == []


@loop_over(
    ("task", "lost", "line", "shown"),
    [
        ("attachment", 7, 374, "7\\t.\\t_\\t_\\t_\\t_\\t0\\tde"),
        ("spans", 3, 334, ".\\t"),
        ("numbers", 7, 41, "item-0"),
        ("early", 2, 41, "item-040,"),
        ("retrieval", 7, 30, "q10 Q0 d103 3 6."),
        ("edits", 3, 119, "2|||R:NOUN|||boat|||REQUIRED|||-NONE-|||"),
        ("probabilities", 3, 41, "item-040,1"),
    ],
)
def test_a_file_that_was_cut_off_within_a_line_is_told_so(
    task: str, lost: int, line: int, shown: str
) -> None:
    one = TASKS[task]
    verdict = one.verdict(data(one.right)[:-lost])
    wanted = f"The file ends in the middle of line {line}: '{shown}'."
    assert verdict.findings[0].message == wanted


@pytest.mark.parametrize("size", [11, 110, 300])
def test_columns_that_break_off_before_the_last_one_were_cut_off(size: int) -> None:
    """What stands there is no tag, and none of another column either."""
    rows = [line.split("\t") for line in TASKS["spans"].right]
    four = [row if row == [""] else [row[0], "NN", "I-NP", row[1]] for row in rows]
    while four[size] == [""]:
        size += 1
    sent = data(["\t".join(row) for row in [*four[:size], four[size][:2]]])[:-1]
    message = TASKS["spans"].verdict(sent).findings[0].message
    assert message.startswith(f"The file ends in the middle of line {size + 1}: ")


@pytest.mark.parametrize(
    "columns", [["tb", "tc", "td"], ["Ta", "Tb", "Td"], ["ta", "tc"]]
)
def test_classes_beside_others_of_the_task_are_no_runs(columns: list[str]) -> None:
    own = Task("probabilities", table([]), [], {}, {"labels": "ta,tb,tc"})
    share = ",".join([str(1 / len(columns))] * len(columns))
    rows = [f"{line},{share}" for line in table([])[1:]]
    verdict = own.verdict(data([f"id,{','.join(columns)}", *rows]))
    assert "several columns of answers" not in verdict.findings[0].message


@loop_over(
    ("labels", "columns"),
    [
        ("entailed,not_entailed", "entailed"),
        ("hate,no_hate,neither", "hate,neither"),
        ("1,2,3", "0,1,2"),
        ("like,dislike", "like"),
    ],
)
def test_a_column_of_the_task_is_not_meant_for_another(
    labels: str, columns: str
) -> None:
    own = Task("probabilities", table([]), [], {}, {"labels": labels})
    shares = ",".join(["0.5"] * len(columns.split(",")))
    verdict = own.verdict(
        data([f"id,{columns}", *(f"{line},{shares}" for line in table([])[1:])])
    )
    assert "did you mean it?" not in verdict.findings[0].message


@pytest.mark.parametrize("size", [10, 38, 45])
def test_numbers_alone_have_no_ids_even_where_ids_are_numbers(size: int) -> None:
    asked = ["id", *map(str, range(1, 41))]
    sent = [str(n * 7 % 40) for n in range(size)]
    verdict = Task("numbers", asked, []).verdict(data(sent))
    assert verdict.findings[0].message.startswith("No line has an id; ")


@pytest.mark.parametrize("turn", ["I-PLACE", "B-PLACE"])
def test_spans_without_their_end_are_called_so_in_the_scheme_of_ends(
    turn: str,
) -> None:
    blind = ["Ada\tO", "met\tO", "Bob\tO", ""]
    own = Task("spans", blind, [], {}, {"scheme": "bioes"})
    sent = ["Ada\tB-PLACE", f"met\t{turn}", "Bob\tO", ""]
    message = own.verdict(data(sent)).remarks[0].message
    assert message.startswith("Spans that do not go from B- to E-")


def test_a_last_line_with_its_end_was_not_cut_off() -> None:
    one = TASKS["numbers"]
    verdict = one.verdict(data([*one.right[:-1], "item-0"]))
    assert "in the middle" not in verdict.findings[0].message


def test_there_are_ninety_five_wrong_files_and_more() -> None:
    assert len(CASES) >= 95


@loop_over(
    ("task", "mistake"), [case[:2] for case in CASES], ids=map(str, range(len(CASES)))
)
def test_problems_come_by_line_and_none_twice(task: str, mistake: Mistake) -> None:
    one = TASKS[task]
    listed = [
        (problem.line or 0, problem.message, problem.hint)
        for problem in one.verdict(data(mistake(one.right))).problems
        if problem.code != "more_problems"
    ]
    assert [row[0] for row in listed] == sorted(row[0] for row in listed)
    assert len(set(listed)) == len(listed) <= 20


NONE = ("no_spans", 1)
REMARKS: list[tuple[str, Mistake, dict[str, str], list[tuple[str, int]]]] = [
    ("attachment", at(3, put("\t3\t", "\t2\t")), {}, [("own_head", 1)]),
    ("attachment", cell(7, lambda _: "_"), {}, [("no_deprel", 295)]),
    ("spans", anything(tags(filled=False)), {}, [NONE]),
    ("spans", tag(put("B-", "I-")), {}, [("repaired", 1)]),
    ("spans", tag(put("B-", "I-")), {"strict": "true"}, [NONE, ("left_out", 1)]),
    ("spans", tag(put("PLACE", "V")), {"tags": "PLACE"}, [NONE, ("unscored", 1)]),
    ("spans", at(10, put("PLACE", "Place")), {}, [("repaired", 1), ("alike", 1)]),
    ("classes", each(put(",", ", ")), {}, [("trimmed", 40)]),
    ("classes", at(3, put("negative", "Negative")), {"labels": ""}, [("alike", 1)]),
    ("classes", each(lambda line: f"{line},x"), {}, [("unused_columns", 1)]),
    ("senseval", lambda lines: lines[1:], {}, [("all_equal", 1), ("some_answered", 1)]),
]


@loop_over(
    ("task", "mistake", "options", "wanted"), REMARKS, ids=map(str, range(len(REMARKS)))
)
def test_what_is_accepted_and_looks_wrong_gets_a_remark(
    task: str,
    mistake: Mistake,
    options: dict[str, str],
    wanted: list[tuple[str, int]],
) -> None:
    one = TASKS[task]
    given = {k: v for k, v in (one.options | options).items() if v}
    verdict = replace(one, options=given).verdict(data(mistake(one.right)))
    assert not verdict.problems
    assert [(remark.code, remark.count) for remark in verdict.remarks] == wanted


def test_a_file_that_meets_no_unit_is_refused() -> None:
    for task, mistake in [("senseval", each(put("bank.n.", "x.n.")))]:
        one = TASKS[task]
        (problem,) = one.verdict(data(mistake(one.right))).problems
        assert problem.code == "unknown_id"


def test_an_unused_second_text_is_named() -> None:
    lines = [f"{line},more" for line in TASKS["texts"].right]
    lines[0] = "id,text,text2"
    (remark,) = TASKS["texts"].verdict(data(lines)).remarks
    assert remark.message == "These columns are not read: 'text2'."


def test_six_hundred_equal_labels_are_one_problem_with_its_number() -> None:
    rows = [f"i{number}" for number in range(600)]
    task = Task("classes", ["id", *rows], [], {}, {"labels": ",".join(LABELS)})
    sent = ["id,label", *(f"{row},Positive" for row in rows)]
    (problem,) = task.verdict(data(sent)).problems
    assert (problem.line, problem.count) == (2, 600)
    assert problem.hint.startswith("Did you mean 'positive'?")


def test_five_faults_of_spans_are_five_problems() -> None:
    mistake = together(
        at(3, put("I-", "I_")),
        at(10, lambda _: "other\tO"),
        dropped(20),
        without(30),
        repeated(40),
    )
    problems = TASKS["spans"].verdict(data(mistake(tags()))).problems
    assert [(one.code, one.line) for one in problems] == [
        ("tag", 3),
        ("form", 10),
        ("form", 20),
        ("form", 41),
        ("sentences", 255),
    ]


def mutilated(text: bytes, random: Random) -> bytes:
    """The text with a few cuts, insertions and repetitions anywhere."""
    for _ in range(random.randint(1, 5)):
        i = random.randrange(len(text) + 1)
        j = min(len(text), i + random.randint(0, 80))
        new = random.choice(
            [b"", b"\n\n", b"\t", b"-DOCSTART-\n", b"\xff", b"9" * 50, b"{", b"[S:"]
        )
        text = text[:i] + random.choice([new, text[i:j] * 2]) + text[j:]
    return text


@loop_over("task", TASKS)
def test_no_mutilated_file_breaks_the_check(task: str) -> None:
    random, one = Random(task), TASKS[task]
    for _ in range(15):
        verdict = one.verdict(mutilated(data(one.right), random))
        assert verdict.problems or not verdict.diagnosis


@pytest.mark.parametrize(
    ("sent", "first"),
    [
        (data(trees()).replace(b"\n", b"\r"), "Lines end with CR alone"),
        (b"PK\x05\x06" + b"\0" * 18, "This is an empty zip"),
    ],
)
def test_what_keeps_the_lines_from_being_read_is_no_other_format(
    sent: bytes, first: str
) -> None:
    verdict = TASKS["attachment"].verdict(sent)
    (problem,) = verdict.findings
    assert not verdict.diagnosis
    assert problem.code in ("line_ends", "encoding")
    assert problem.message.casefold().startswith(first.casefold())
