"""Files of shared tasks that went wrong on their way: what is said first of them, and
beside the score of those that are taken."""

import json
from collections.abc import Callable

import pytest

from scoring import Source, evaluate, examine
from scoring.__main__ import main
from scoring.engine import Job
from scoring.errors import Refused
from scoring.options import parse
from scoring.scorers import get
from scoring.statistics.bootstrap import Plan
from tests.scoring.test_diagnosis import TASKS, data

Change = Callable[[str], str]
ROWS = range(12)


def first_sentence(task: str, change: Change) -> str:
    raw = change(data(TASKS[task].right).decode())
    verdict = TASKS[task].verdict(raw.encode(), "mine")
    assert verdict.problems, f"{task}: the file was taken"
    return verdict.findings[0].message


def with_ids(change: Callable[[int, str], str]) -> Change:
    """A table whose ids are changed, by their place."""

    def changed(text: str) -> str:
        head, *rows = text.rstrip("\n").split("\n")
        cells = [row.split(",", 1) for row in rows]
        rows = [f"{change(n, name)},{rest}" for n, (name, rest) in enumerate(cells)]
        return "\n".join([head, *rows]) + "\n"

    return changed


def remarks_of(scorer: str, gold: str, system: str, **options: str) -> str:
    own = get(scorer)
    chosen = parse(own.options, {name: [value] for name, value in options.items()})
    job = Job(own, chosen, plan=Plan(resamples=0))
    pair = (Source.of_bytes(n, t.encode()) for n, t in (("g", gold), ("s", system)))
    return "\n".join(evaluate(job, *pair).remarks)


def lines(texts: list[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


@pytest.mark.parametrize("task", ["classes", "numbers", "texts", "early"])
def test_ids_that_merged_cells_left_out_are_named_with_their_line(task: str) -> None:
    first = with_ids(lambda n, name: name if n % 3 == 0 else "")
    assert "The id is empty in" in (said := first_sentence(task, first))
    assert said.endswith("first in line 3.")


@pytest.mark.parametrize(
    ("scorer", "column"),
    [("classes", "label"), ("numbers", "value"), ("texts", "text")],
)
@pytest.mark.parametrize(
    ("ids", "named"), [(range(6), True), (range(1, 7), True), (range(3, 9), False)]
)
def test_numbers_of_rows_in_place_of_ids_are_called_so(
    scorer: str, column: str, ids: range, named: bool
) -> None:
    own = get(scorer)
    blind, system = (
        Source.of_bytes("s", f"id,{column}\n{lines(rows)}".encode())
        for rows in ([f"rec_{7 * n}a," for n in ids], [f"{n},1" for n in ids])
    )
    verdict = examine(own, blind, system, parse(own.options, {}))
    said = verdict.findings[0].message
    assert ("The ids are the numbers of the rows" in said) == named


@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029", "\x1e"])
@pytest.mark.parametrize("task", ["classes", "lines", "attachment", "labels"])
def test_signs_that_end_no_line_are_named(task: str, sign: str) -> None:
    said = first_sentence(task, lambda text: text.replace("\n", sign, 3))
    name = f"<U+{ord(sign):04X}>"
    assert said == f"Lines end with {name}, which ends no line, first in line 1."


@pytest.mark.parametrize("task", ["attachment", "conll18", "coreference"])
def test_numbers_of_words_that_became_decimals_are_named(task: str) -> None:
    def decimals(text: str) -> str:
        rows = [line.split("\t") for line in text.split("\n")]
        cells = [[f"{r[0]}.0", *r[1:]] if len(r) == 10 else r for r in rows]
        return "\n".join("\t".join(row) for row in cells)

    assert "numbers of words are decimals, such as '1.0'" in first_sentence(
        task, decimals
    )


@pytest.mark.parametrize("letter", ["\u0412", "\u041e"])
def test_a_tag_in_letters_of_another_alphabet_is_named_with_its_letter(
    letter: str,
) -> None:
    latin = {"\u0412": "\tB-", "\u041e": "\tO"}[letter]
    odd = latin.replace(latin[1], letter)
    said = first_sentence("spans", lambda text: text.replace(latin, odd))
    assert f"{letter} <U+{ord(letter):04X}> for '{latin[1]}'" in said


@pytest.mark.parametrize("word", ["OUT", "OTHER", "Outside"])
def test_another_word_for_tags_outside_of_spans_is_called_so(word: str) -> None:
    said = first_sentence("spans", lambda text: text.replace("\tO", f"\t{word}"))
    assert said.startswith(f"Tags outside of spans are '{word}'")


@pytest.mark.parametrize("behind", ["0.98", "X", "ok"])
@pytest.mark.parametrize("between", ["", "NN\t"])
def test_tags_before_the_last_column_are_told_with_their_column(
    behind: str, between: str
) -> None:
    def more(text: str) -> str:
        rows = [line.replace("\t", f"\t{between}") for line in text.split("\n")]
        return "\n".join(f"{row}\t{behind}" if row else "" for row in rows)

    place, size = (3, 4) if between else (2, 3)
    assert first_sentence("spans", more) == (
        f"The tags stand in column {place} of {size}; the last one is read, with "
        f"'{behind}'."
    )


@pytest.mark.parametrize(
    "printed",
    [
        "array([0.12, 0.88, 0.41,\n       0.77, 0.03, 0.56])\n",
        "tensor([[0.1, 0.9],\n        [0.8, 0.2]])\n",
        '[1] "a" "b" "c"\n[4] "d" "e"\n',
        'structure(list(id = c("a", "b")), class = "data.frame")\n',
    ],
)
@pytest.mark.parametrize("task", ["classes", "numbers", "lines", "attachment"])
def test_a_printed_value_of_a_program_is_called_so(task: str, printed: str) -> None:
    said = first_sentence(task, lambda _text: printed)
    assert "a value as R, NumPy or PyTorch prints it" in said


@pytest.mark.parametrize(
    "first", ["[1] a\n[2] b\n", "array([1, 2])\nb\n", "[1] the list\nof boats\n"]
)
def test_answers_that_begin_like_printed_values_are_answers(first: str) -> None:
    system = first + "c\n" * 10
    assert remarks_of("texts", "x\n" * 12, system) is not None


@pytest.mark.parametrize("task", ["tuples", "classes", "texts"])
def test_objects_within_quotes_are_called_so(task: str) -> None:
    made = json.dumps(json.dumps({"id": "1", "label": "a", "tuples": []}))
    assert "JSON written as texts" in first_sentence(task, lambda _t: f"{made}\n" * 3)


def spans_of(record: str, text: str = "Ada saw Rome") -> str:
    blind = json.dumps({"id": "a", "text": text, "spans": []}) + "\n"
    own = get("spans")
    options = parse(own.options, {"format": ["jsonl"]})
    gold = own.read_blind(Source.of_bytes("blind", blind.encode()), options)
    with pytest.raises(Refused) as refused:
        own.read_system(Source.of_bytes("s", record.encode()), options, gold)
    return str(refused.value)


@pytest.mark.parametrize(
    ("start", "end"), [("8.0", "12.0"), ("NaN", "12"), ("8", "12.5"), ("-1", "3")]
)
def test_offsets_that_are_no_whole_numbers_are_quoted(start: str, end: str) -> None:
    span = f'{{"start": {start}, "end": {end}, "label": "LOC"}}'
    said = spans_of(f'{{"id": "a", "spans": [{span}]}}\n')
    assert f"span 1 goes from {start} to {end}; expected whole numbers from 0." in said


@pytest.mark.parametrize("value", ["[1]", "{}", "null"])
def test_an_id_that_is_no_text_is_not_called_missing_under_its_own_name(
    value: str,
) -> None:
    said = spans_of(f'{{"id": {value}, "text": "Ada saw Rome", "spans": []}}\n')
    assert "the object has no id that is a text" in said


@pytest.mark.parametrize("name", ["ID", "Id", "iD"])
def test_a_name_of_the_id_in_capitals_is_quoted(name: str) -> None:
    said = spans_of(f'{{"{name}": "a", "text": "Ada saw Rome", "spans": []}}\n')
    assert f"no 'id', but '{name}'" in said


@pytest.mark.parametrize("size", [1, 3, 4])
def test_an_id_that_stands_for_others_is_not_called_foreign(size: int) -> None:
    def some_twice(text: str) -> str:
        rows = text.rstrip("\n").split("\n")
        return "\n".join([*rows[: -size - 1], *rows[1 : size + 2], *rows[1:3]]) + "\n"

    said = first_sentence("tuples", some_twice)
    assert "are there more than once" in said
    assert "are missing, first" in said


@pytest.mark.parametrize("command", ["score", "details", "check"])
@pytest.mark.parametrize("found", ["9,a\n8,b\n7,a", "first,a\n2,b\n3,a", "1,a\n2,b"])
def test_each_command_says_the_same_of_a_file_that_is_refused(
    command: str,
    found: str,
    tmp_path: object,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(str(tmp_path))
    for name, rows in {"g": "1,a\n2,b\n3,a", "b": "1,\n2,\n3,", "s": found}.items():
        with open(name, "w") as file:
            file.write(f"id,label\n{rows}\n")
    gold = "b" if command == "check" else "g"
    said = []
    for name in (command, "score"):
        key = gold if name == command else "g"
        layout = "json" if name != "details" else "csv"
        words = [name, "classes", "--gold", key, "--system", "s", "--format", layout]
        assert main(words) == 2
        answer = json.loads(capsys.readouterr().out)
        said.append((answer["diagnosis"]["message"], answer["error"]["message"]))
    assert said[0] == said[1]


ENGLISH = [f"The {w} boat sails to Kiel at {n}" for n, w in enumerate("abcdefghijkl")]
RUSSIAN = [f"Лодка {n} идёт в Киль" for n in ROWS]


@pytest.mark.parametrize("scorer", ["translation", "texts", "transcripts"])
@pytest.mark.parametrize(
    ("system", "said"),
    [
        ([*RUSSIAN[:3], *ENGLISH[3:]], "3 of the first 12 answers are in"),
        ([text[:9] for text in ENGLISH], "percent as many characters"),
        ([text * 3 for text in ENGLISH], "300 percent as many characters"),
        ([text.replace(" ", "") for text in ENGLISH], None),
        ([f"{text} &amp; more" for text in ENGLISH], "such as '&amp;'"),
        ([f"&quot;{text}&quot;" for text in ENGLISH], "such as '&quot;'"),
        (ENGLISH, None),
    ],
)
def test_answers_unlike_their_references_get_a_remark(
    scorer: str, system: list[str], said: str | None
) -> None:
    remarks = remarks_of(scorer, lines(ENGLISH), lines(system))
    assert (said in remarks) if said else "percent" not in remarks


@pytest.mark.parametrize("scorer", ["translation", "texts"])
def test_words_that_ran_together_get_a_remark(scorer: str) -> None:
    texts = [f"a quiet ferry crosses near {name}" for name in "abcdefghijkl"]
    for system in (texts, [text.title() for text in texts]):
        joined = lines([text.replace(" ", "") for text in system])
        assert "no answer has a space" in remarks_of(scorer, lines(texts), joined)
    chinese = [f"渡船在黎明前驶过安静的港口而人们都还在睡觉{n}" for n in ROWS]
    assert "space" not in remarks_of(scorer, lines(chinese), lines(chinese))


def test_capitals_that_were_lost_get_a_remark_where_they_count() -> None:
    small = lines([text.lower() for text in ENGLISH])
    remarks = remarks_of("translation", lines(ENGLISH), small)
    assert "none of the first 12 answers has a capital" in remarks
    said = remarks_of("translation", lines(ENGLISH), small, lowercase="true")
    assert "capital" not in said
    assert "capital" not in remarks_of("texts", lines(ENGLISH), small)


@pytest.mark.parametrize("turn", [1, -1])
def test_lines_that_are_shifted_by_one_get_a_remark(turn: int) -> None:
    words = [
        "tea",
        "salt",
        "rope",
        "oil",
        "lamp",
        "crate",
        "mast",
        "sail",
        "oar",
        "net",
        "bell",
        "deck",
    ]
    texts = [f"{word} {word}s for {word}" for word in words]
    shifted = texts[turn:] + texts[:turn]
    assert "lines next to theirs" in remarks_of(
        "translation", lines(texts), lines(shifted)
    )
    assert "next to" not in remarks_of("translation", lines(texts), lines(texts))


@pytest.mark.parametrize("share", ["1,0", "0,1", "1.0,0.0"])
def test_shares_that_are_all_0_or_1_get_a_remark(share: str) -> None:
    gold = "id,label\n" + lines([f"{n},{'no' if n % 2 else 'yes'}" for n in ROWS])
    system = "id,no,yes\n" + lines([f"{n},{share}" for n in ROWS])
    assert "every share is 0 or 1" in remarks_of("probabilities", gold, system)
    system = system.replace(f"0,{share}", "0,0.5,0.5", 1)
    assert "every share" not in remarks_of("probabilities", gold, system)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_records_without_a_value_are_counted(count: int) -> None:
    rows = [{"id": str(n), "tuples": [{"aspect": "x", "word": "y"}]} for n in ROWS]
    gold = lines([json.dumps(row) for row in rows])
    system = gold.replace('"y"', "null", count)
    assert f"{count} of 12 records have no value (null) in the field 'word'" in (
        remarks_of("tuples", gold, system)
    )


@pytest.mark.parametrize("factor", [1000, 1000000, 60])
def test_times_in_another_unit_get_a_remark(factor: int) -> None:
    def turns(times: int) -> str:
        rows = [f"m,A,{2 * n * times},{(2 * n + 1) * times}" for n in range(3)]
        return "session,speaker,start,end\n" + lines(rows)

    remark = "times are seconds"
    if factor * 5 <= 1_000_000:
        assert remark in remarks_of("meetings", turns(1), turns(factor))
    assert remark not in remarks_of("meetings", turns(1), turns(2))


def tree(heads: str) -> str:
    rows = [f"{n}\tw{n}\t_\t_\t_\t_\t{h}\tdep\t_\t_" for n, h in enumerate(heads, 1)]
    return (
        "# sent_id = 1\n# text = "
        + " ".join(f"w{n}" for n, _ in enumerate(heads, 1))
        + ("\n" + "\n".join(rows) + "\n\n")
    )


@pytest.mark.parametrize("scorer", ["attachment", "semarkup"])
@pytest.mark.parametrize("heads", ["0011", "0003", "2010"])
def test_several_roots_get_a_remark_where_the_gold_has_one(
    scorer: str, heads: str
) -> None:
    remark = "1 of 1 sentences have several roots"
    assert remark in remarks_of(scorer, tree("0111"), tree(heads))
    assert remark not in remarks_of(scorer, tree(heads), tree(heads))


@pytest.mark.parametrize("heads", ["0344", "0324", "2110"])
def test_circles_of_heads_get_a_remark(heads: str) -> None:
    assert "go round in circles" in remarks_of("semarkup", tree("0111"), tree(heads))
    assert "circles" not in remarks_of("semarkup", tree(heads), tree(heads))


@pytest.mark.parametrize("count", [2, 6, 12])
def test_corrected_lines_that_are_of_other_sentences_are_counted(count: int) -> None:
    words = [f"boat {n} sails out at noon ." for n in ROWS]
    gold = "".join(
        f"S {text}\nA 0 1|||R|||boats|||REQUIRED|||-NONE-|||0\n\n" for text in words
    )
    system = [f"Лодка {n} {n}" if n < count else text for n, text in enumerate(words)]
    said = remarks_of("edits", gold, lines(system), matching="maxmatch")
    if count < 12:
        assert f"{count} of 12 texts have less than half" in said
    assert "half" not in remarks_of("edits", gold, lines(words), matching="maxmatch")


@pytest.mark.parametrize("task", ["classes", "numbers", "texts", "probabilities"])
def test_a_header_that_names_a_column_twice_is_the_first_fault(task: str) -> None:
    def side_by_side(text: str) -> str:
        head, *rows = text.rstrip("\n").split("\n")
        pairs = zip(rows[::2], rows[1::2], strict=True)
        return lines([f"{head},{head}", *(f"{a},{b}" for a, b in pairs)])

    assert first_sentence(task, side_by_side) == "Two columns are called 'id'."


@pytest.mark.parametrize("task", ["classes", "numbers", "probabilities"])
def test_a_header_of_numbers_is_no_answer(task: str) -> None:
    def numbered(text: str) -> str:
        head, below = text.split("\n", 1)
        return ",".join(str(n) for n, _ in enumerate(head.split(","))) + f"\n{below}"

    said = "The names of the columns are numbers, such as '0', and none is 'id'."
    assert first_sentence(task, numbered) == said


@pytest.mark.parametrize("task", ["classes", "early", "texts"])
@pytest.mark.parametrize("made", ["{n}.00E+02", "a text of {n} words", "9f{n}c-11-e"])
def test_ids_of_another_kind_do_not_make_a_file_of_another_test_set(
    task: str, made: str
) -> None:
    said = first_sentence(task, with_ids(lambda n, _name: made.format(n=n)))
    assert said.startswith("The ids are of another kind than those of the input file")
    said = first_sentence(task, with_ids(lambda n, name: f"dev-{9 * n + 100}"))
    assert said.startswith("This file belongs to something else")


@pytest.mark.parametrize("task", ["spans", "labels", "attachment", "coreference"])
@pytest.mark.parametrize("around", ['"{}"', "{} ", " {}  "])
def test_what_stands_around_words_is_named(task: str, around: str) -> None:
    column = 1 if task in ("attachment", "coreference") else 0

    def wrapped(text: str) -> str:
        rows = [line.split("\t") for line in text.split("\n")]
        for row in rows:
            if len(row) > 1:
                row[column] = around.format(row[column])
        return "\n".join("\t".join(row) for row in rows)

    said = first_sentence(task, wrapped)
    assert said.startswith("Something stands around words or between sentences")


@pytest.mark.parametrize("tag", ["O", "X", "[SEP]"])
@pytest.mark.parametrize("task", ["spans", "labels"])
def test_tags_of_empty_lines_are_named(task: str, tag: str) -> None:
    said = first_sentence(task, lambda text: text.replace("\n\n", f"\n\t{tag}\n"))
    assert f"no part of them: '\\t{tag}', first in line" in said


@pytest.mark.parametrize("mark", [".", "–", "~", "/", ":"])
def test_another_sign_after_the_prefix_of_a_tag_is_named(mark: str) -> None:
    said = first_sentence("spans", lambda text: text.replace("-PLACE", f"{mark}PLACE"))
    assert f"such as 'B{mark}PLACE'" in said
    assert said.endswith("expected 'B-PLACE'.")


@pytest.mark.parametrize("task", ["classes", "lines", "attachment", "labels"])
def test_a_lone_carriage_return_between_two_lines_is_named(task: str) -> None:
    def joined(text: str) -> str:
        rows = text.split("\n")
        place = next(n for n in range(4, len(rows)) if rows[n] and rows[n + 1])
        return "\n".join(rows[: place + 1]) + "\r" + "\n".join(rows[place + 1 :])

    assert first_sentence(task, joined).startswith("Lines end with \\r, which ends no")


@pytest.mark.parametrize("names", [("ids", "labels"), ("ids", "predictions")])
@pytest.mark.parametrize("size", [3, 40])
def test_lists_of_ids_and_answers_are_columns_under_other_names(
    names: tuple[str, str], size: int
) -> None:
    def by_columns(text: str) -> str:
        rows = [row.split(",") for row in text.rstrip("\n").split("\n")[1:]][:size]
        columns = zip(names, zip(*rows, strict=True), strict=True)
        return json.dumps({name: [*column] for name, column in columns})

    said = first_sentence("classes", by_columns)
    assert f"there are: 'ids', '{names[1]}'" in said


@pytest.mark.parametrize("scale", [100, -1, 1000])
def test_values_outside_of_the_scale_of_the_gold_get_a_remark(scale: int) -> None:
    values = [1 + n / 2 for n in ROWS]
    gold, system = (lines([str(x) for x in side]) for side in (values, values[::-1]))
    assert "are they on its scale?" in remarks_of(
        "numbers", gold, lines([str(scale * x) for x in values])
    )
    assert "scale" not in remarks_of("numbers", gold, system)


@pytest.mark.parametrize("speakers", ["AB", "ABC"])
def test_one_speaker_for_all_gets_a_remark(speakers: str) -> None:
    def turns(names: str) -> str:
        rows = [f"m,{name},{n},{n + 1}" for n, name in enumerate(names)]
        return "session,speaker,start,end\n" + lines(rows)

    one = "each session has one speaker"
    assert one in remarks_of("meetings", turns(speakers), turns("X" * len(speakers)))
    assert one not in remarks_of("meetings", turns("AA"), turns("XX"))


@pytest.mark.parametrize("text", ["ERROR: rate limit", "ValueError: no", "Error: 429"])
@pytest.mark.parametrize("scorer", ["classes", "texts"])
def test_errors_in_place_of_answers_are_counted(scorer: str, text: str) -> None:
    column = {"classes": "label", "texts": "text"}[scorer]
    gold = f"id,{column}\n" + lines([f"{n},{'a' if n % 2 else 'b'}" for n in ROWS])
    system = gold.replace("1,a", f"1,{text}").replace("4,b", f"4,{text}")
    assert f"answers are '{text}'" in remarks_of(scorer, gold, system)


@pytest.mark.parametrize("sign", ["<s>", "<BOS>", "<start/>"])
def test_a_sign_of_a_model_before_each_sentence_is_no_markup(sign: str) -> None:
    def begun(text: str) -> str:
        units = text.rstrip("\n").split("\n\n")
        return "\n\n".join(f"{sign}\tO\n{unit}" for unit in units) + "\n\n"

    for task in ("spans", "labels"):
        said = first_sentence(task, begun)
        assert "XML" not in said
        assert sign in said
