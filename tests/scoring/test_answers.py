"""Answers by id: the formats, several answers, what is refused, the published file."""

from random import Random

import pytest

from scoring.errors import Refused, ScoringError, SetupError
from scoring.formats import answers
from scoring.formats.answers import Answers, Layout
from scoring.source import Source
from tests.loops import loop_over

LABELS = Layout("label")
SEVERAL = Layout("label", several=True)
LINES = Layout("text", plain=True, empty=True)


def file(text: str, name: str = "answers") -> Source:
    return Source.of_bytes(name, text.encode())


def gold(text: str, layout: Layout = LABELS) -> Answers:
    return answers.read_gold(file(text, "gold"), layout)


def system(text: str, against: str, layout: Layout = LABELS) -> Answers:
    return answers.read_system(file(text), layout, gold(against, layout))


def each(found: Answers) -> dict[str, list[str]]:
    return {name: found.of_item(item) for item, name in enumerate(found.ids)}


def refusal(
    text: str, against: str = "id,label\na,x\nb,y\nc,x\n", layout: Layout = LABELS
) -> list[str]:
    with pytest.raises(Refused) as caught:
        system(text, against, layout)
    return [str(problem) for problem in caught.value.problems]


SAME = {"a": ["yes"], "b": ["no, thanks"]}


@loop_over(
    "text",
    [
        'id,label\na,yes\nb,"no, thanks"\n',
        'id,label\r\na,yes\r\nb,"no, thanks"\r\n',
        "\ufeffid\tlabel\na\tyes\nb\tno, thanks",
        "id;label\na;yes\nb;no, thanks\n",
        "id\tlabel\n\na\tyes\n\nb\tno, thanks\n\n",
        '"ID","other","Label"\n"a","","yes"\n"b","1","no, thanks"\n',
        '{"id": "a", "label": "yes"}\n\n{"label": "no, thanks", "id": "b"}\n',
    ],
    ids=["CSV", "CRLF", "TSV", "semicolons", "blank lines", "columns", "JSON Lines"],
)
def test_every_format_gives_the_same_answers(text: str) -> None:
    assert each(gold(text)) == SAME


def test_a_quoted_text_may_hold_quotes_and_line_breaks() -> None:
    found = gold('id,label\na,"two\nlines"\nb,"a ""word"""\nc,z\n')
    assert each(found) == {"a": ["two\nlines"], "b": ['a "word"'], "c": ["z"]}
    assert found.lines.tolist() == [2, 4, 5]


def test_quotes_in_a_tsv_are_text() -> None:
    assert each(gold('id\tlabel\na\t"so" it goes\n')) == {"a": ['"so" it goes']}


def test_quotes_in_a_tsv_go_with_those_around_its_names() -> None:
    found = gold('"id"\t"label"\r\n"a"\t"a ""word"""\r\nb\t"x\ty"\r\n')
    assert each(found) == {"a": ['a "word"'], "b": ["x\ty"]}


def test_numbers_of_json_stay_as_they_are_written() -> None:
    found = gold('{"id": 7, "label": 0.50}\n{"id": "07", "label": true}\n')
    assert each(found) == {"7": ["0.50"], "07": ["true"]}


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ('{"id": "a", "label": ["x", "y"]}\n{"id": "b", "label": []}\n', SEVERAL),
        ("id,label\na,x|y\nb,\n", Layout("label", several=True, separator="|")),
        ("id,label\na,x\nb,\na,y\n", Layout("label", several=True, separator="|")),
    ],
    ids=["list", "cell", "rows"],
)
def test_an_item_may_have_several_answers_or_none(text: str, layout: Layout) -> None:
    assert each(gold(text, layout)) == {"a": ["x", "y"], "b": []}


def test_references_in_further_columns_are_answers_of_the_gold_only() -> None:
    text = "id,text,text.2,text.3\na,one,two,\nb,three,four,five\n"
    several = Layout("text", several=True)
    both = {"a": ["one", "two"], "b": ["three", "four", "five"]}
    assert each(gold(text, several)) == both
    read = answers.read_system(file(text), Layout("text"), gold(text, several))
    assert each(read) == {"a": ["one"], "b": ["three"]}


def test_answers_are_put_in_the_order_of_the_gold() -> None:
    found = system("id,label\nc,1\na,2\nb,3\n", "id,label\na,x\nb,x\nc,x\n")
    assert each(found) == {"a": ["2"], "b": ["3"], "c": ["1"]}
    assert found.lines.tolist() == [3, 4, 2]
    assert [found.line_of(0), found.coded.values] == [3, ["2", "3", "1"]]


def test_missing_unknown_and_repeated_ids_are_refused_together() -> None:
    assert refusal("id,label\na,x\nd,y\na,y\n") == [
        "answers:4: id 'a' stands in line 2 already. Give each id once.",
        "answers: 2 of 3 items have no answer: 'b', 'c'. "
        "Answer every id of the input file.",
        "answers:3: there is no item 'd'. "
        "Answer the ids of the input file, and no others.",
    ]


@loop_over(
    ("text", "said"),
    [
        ("a,x\nb,y\nc,x\n", "answers:1: no column 'id' or 'label' found"),
        ("id,class\na,x\n", "found; there are: 'id', 'class'. Give every item a"),
        ('{"id": "a"}\n', "no column 'label' found; there are: 'id'. Write one object"),
        ("id,label,label\na,x,x\n", "two columns are called 'label'"),
        ("id,label\na,x\nb,y,z\nc,x\n", "answers:3: expected 2 columns as in"),
        ("id\tlabel\na\tx\nb y\nc\tx\n", "Separate the columns by single tabs."),
        (
            'id,label\na,x\nb,"y\nc,x\n',
            "answers:3: a text in double quotes begins here",
        ),
        ("id,label\na,x\n,y\nb,y\nc,x\n", "answers:3: the record has no id."),
        ("id,label\na, \nb,y\nc,x\n", "answers:2: 'label' is empty."),
        (f"id,label\n{'a' * 201},x\n", "the id is longer than 200 characters."),
        ("id,label\na\u200b,x\n", "the id 'a<U+200B>' holds a character that cannot"),
        ('{"id": "a", "label": ["x"]}\n', "is a list or an object; expected a text."),
        ('{"id": "a", "label": null}\n', "answers:1: 'label' is missing."),
        ('{"id": "a", "label": "x"}\n["b"]\n', "answers:2: expected a JSON object."),
        ('{"id": "a", "label": "x"}\n{"id"\n', "answers:2: not readable as JSON"),
        ('{"id": "a", "label": "\\ud800"}\n', "stands for a NUL or for half"),
        ('{"id": "a\\u0000", "label": "x"}\n', "stands for a NUL or for half"),
        ('{"id": "a", "label": ' + "[" * 99_999 + "\n", "answers:1: "),
        ("id,label\n", "the file has no record below its first line."),
        ("id,label\na,\0\n", "answers:2: a NUL is not text"),
        ("\n\n", "the file is empty"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_place(
    text: str, said: str
) -> None:
    assert said in "\n".join(refusal(text))


def test_a_gold_with_a_column_that_is_not_there_is_a_matter_of_the_setup() -> None:
    with pytest.raises(SetupError, match="no column 'topic' found") as caught:
        gold("id,label\na,x\n", Layout("label", groups=("topic",), inputs=("text",)))
    assert len(caught.value.problems) == 2
    with pytest.raises(SetupError, match="'label' cannot be one of the inputs"):
        gold("id,label\na,x\n", Layout("label", inputs=("label",)))


def test_usual_columns_group_items_where_they_are_there() -> None:
    text = '{"id": 1, "label": "x", "genre": "news", "year": 1990}\n'
    found = gold(text, Layout("label", groups=answers.GROUPS))
    assert found.groups == {"genre": ("news",)}
    assert gold(text, Layout("label", groups=("year",))).groups == {"year": ("1990",)}


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ('id,text,label\na,Hello,x\nb,"O, my",y\n', 'id,text\na,Hello\nb,"O, my"\n'),
        ("label\ttext\tid\nx\tHello\ta\n", "id\ttext\na\tHello\n"),
        (
            '{"id": "a", "text": "Ünd", "label": ["x"]}\n',
            '{"id": "a", "text": "Ünd"}\n',
        ),
    ],
)
def test_the_published_file_has_ids_and_inputs_and_no_answer(
    text: str, published: str
) -> None:
    layout = Layout("label", several=True, inputs=("text",))
    blind = answers.blind(file(text), layout)
    assert blind.single().decode() == published
    assert answers.read_blind(blind, layout).ids[0] == "a"


def test_lines_of_plain_text_are_called_by_their_numbers() -> None:
    against = gold("One.\n\nThree.", LINES)
    assert each(against) == {"000001": ["One."], "000002": [""], "000003": ["Three."]}
    assert system("1\n2\n3\n", "a\nb\nc\n", LINES).texts == ["1", "2", "3"]
    assert answers.blind(file("One.\nTwo.\n"), LINES).single() == b"1\n2\n"


def test_a_text_of_another_length_is_refused() -> None:
    assert refusal("1\n2\n", "a\nb\nc\n", LINES) == [
        "answers: expected 3 lines, found 2. Write one answer for each line of the "
        "input file."
    ]
    assert "expected 3 lines, found 4" in refusal("1\n2\n3\n4\n", "a\nb\nc\n", LINES)[0]


def test_answers_by_id_serve_a_gold_of_plain_lines_too() -> None:
    found = system("id,text\n000002,two\n000001,one\n", "a\nb\n", LINES)
    assert found.texts == ["one", "two"]


BLINDS = ["id,text\na,Hello\nb,So\n", '{"id": "a"}\n{"id": "b"}\n', "1\n2\n"]


@pytest.mark.parametrize("text", BLINDS)
def test_a_guess_answers_every_id_in_the_format_of_the_blind_file(text: str) -> None:
    guess = answers.guesser(LINES, lambda _: "well, yes")({"blind": text.encode()}, {})
    blind = answers.read_blind(file(text), LINES)
    found = answers.read_system(Source("guess", guess), LINES, blind)
    assert found.texts == ["well, yes", "well, yes"]


GOLDS = [
    "id,label\na,x\nb,y\nc,x\nd,y\n",
    '{"id": "a", "label": ["x"]}\n{"id": "b", "label": ["x", "y"]}\n',
]


@pytest.mark.parametrize("text", GOLDS)
def test_a_copy_with_mistakes_is_wrong_where_it_should_be(text: str) -> None:
    def wrong(share: float) -> int:
        copy = answers.spoiler(SEVERAL)({"gold": text}, share, Random(1))["gold"]
        right = each(gold(text, SEVERAL))
        return sum(
            own != right[name] for name, own in each(gold(copy, SEVERAL)).items()
        )

    size = len(gold(text, SEVERAL))
    assert [wrong(0), wrong(0.5), wrong(1)] == [0, size // 2, size]


@pytest.mark.parametrize("kind", [Refused, SetupError])
def test_a_folder_of_files_is_one_too_many(kind: type[ScoringError]) -> None:
    folder = Source("folder", {"a.csv": b"id,label\n", "b.csv": b"id,label\n"})
    with pytest.raises(kind, match="expected one file, found 2"):
        if kind is Refused:
            answers.read_system(folder, LABELS, gold("id,label\na,x\n"))
        else:
            answers.read_gold(folder, LABELS)


@pytest.mark.parametrize("names", ["text,text.2,text.3", "text,text2,text3"])
def test_further_references_may_be_numbered_with_a_dot_or_without(names: str) -> None:
    layout = Layout("text", several=True)
    found = gold(f"id,{names},text5\na,one,two,three,\nb,one,,three,five\n", layout)
    assert each(found) == {"a": ["one", "two", "three"], "b": ["one", "three"]}
    assert found.unused == ("text5",)


def test_a_text_of_json_lines_has_the_parts_that_a_cell_has() -> None:
    layout = Layout("label", several=True, separator="|")
    lines = [
        '{"id": "a", "label": "x | y"}',
        '{"id": "b", "label": ""}',
        '{"id": "c", "label": ["x|y"]}',
    ]
    found = each(gold("\n".join(lines), layout))
    assert found == {"a": ["x", "y"], "b": [], "c": ["x|y"]}
    assert each(gold("id,label\na,x | y\nb,\n", layout)) == {"a": ["x", "y"], "b": []}


@loop_over(
    ("line", "column", "words"),
    [
        ('{"id": "b" "label": "y"}', 12, "expected a comma"),
        ('{"id": "b", "label" "y"}', 21, "expected a colon"),
        ('{"id": "b", label: "y"}', 13, "a name in double quotes"),
        ('{"id": "b", "label": y}', 22, "expected a text in double quotes"),
        ('{"id": "b", "label": "y}', 22, "lacks its closing double quote"),
        ('{"id": "b", "label": "\\y"}', 23, "a backslash that begins no escape"),
        ('{"id": "b", "label": "y\t"}', 24, "a tab, line end or other control"),
        ('{"id": "b", "label": "y"} x', 27, "more text after the end"),
    ],
)
def test_broken_json_is_told_in_plain_words_at_its_place(
    line: str, column: int, words: str
) -> None:
    with pytest.raises(Refused) as caught:
        system(f'{{"id": "a", "label": "x"}}\n{line}\n', "id,label\na,x\nb,y\n")
    problem = caught.value.problems[0]
    assert (problem.code, problem.line, problem.column) == ("json", 2, column)
    assert words in problem.message
    assert "char " not in problem.message and "line 1" not in problem.message


def test_a_number_of_thousands_of_digits_is_refused_in_its_line() -> None:
    long = "9" * 5000
    with pytest.raises(Refused) as caught:
        system(f'{{"id": {long}, "label": {{\n', "id,label\na,x\n")
    assert "json" in {problem.code for problem in caught.value.problems}


@loop_over(
    "text",
    ['{"id": "a", "label": "x"}\n', "id,label\na,x\n", "id\tlabel\na\tx\n"],
)
def test_of_very_many_lines_that_are_no_records_the_rest_is_not_read(text: str) -> None:
    # Each took long enough that a file of 200,000 held a worker for five seconds.
    lines = text + "S a\n" * 20_000
    with pytest.raises(Refused) as caught:
        system(lines, "id,label\na,x\n")
    first, *_, last = caught.value.problems
    assert (first.line, last.code) == (1 + text.count("\n"), "more_problems")
    assert "4980" in last.message.replace(",", "")
