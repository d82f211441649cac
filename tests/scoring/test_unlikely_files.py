"""Files of shared tasks that went wrong on their way: what is said first of them, and
beside the score of those that are taken."""

import json
import re
from collections.abc import Callable

import pytest

from scoring import Source, evaluate, examine
from scoring.__main__ import main
from scoring.engine import Job
from scoring.errors import Refused, SetupError
from scoring.formats.bundle import zip_files
from scoring.gold_check import blind_of, read_gold, units_of
from scoring.options import parse
from scoring.scorers import get
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over
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


@pytest.mark.parametrize(("part", "start"), [(0.05, 0.0), (0.2, 0.1), (0.001, 0.0)])
def test_values_on_a_part_of_the_scale_of_the_gold_get_a_remark(
    part: float, start: float
) -> None:
    values = [1 + n / 2 for n in ROWS]
    gold = lines([str(x) for x in values])
    sent = lines([str(start + part * x) for x in values])
    assert "close together on one side" in remarks_of("numbers", gold, sent)


@pytest.mark.parametrize("part", [0.3, 0.6, 1.0])
def test_values_that_are_drawn_to_the_mean_of_the_gold_are_left_alone(
    part: float,
) -> None:
    values = [1 + n / 2 for n in ROWS]
    mean = sum(values) / len(values)
    sent = lines([str(mean + part * (x - mean)) for x in values])
    gold = lines([str(x) for x in values])
    assert "scale" not in remarks_of("numbers", gold, sent)


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


def each_line(pattern: str, to: str) -> Change:
    return lambda text: re.sub(pattern, to, text, flags=re.MULTILINE)


def around(before: str, behind: str) -> Change:
    return lambda text: before + text + behind


def numbered(first: int) -> Change:
    return lambda text: re.sub(
        r"item-(\d+)", lambda match: f"item-{int(match[1]) + first - 1:03d}", text
    )


def rows_of(write: str) -> Change:
    """Each row of a table of two columns in another way; its header is left out."""

    def written(text: str) -> str:
        pairs = (line.split(",", 1) for line in text.split("\n")[1:-1])
        return lines([write.format(*pair) for pair in pairs])

    return written


def columns_swapped(text: str) -> str:
    head, *rows = text.rstrip("\n").split("\n")
    turned = [",".join(reversed(row.split(","))) for row in rows]
    return lines([head, *turned])


def sentences_cut(size: int) -> Change:
    def cut(text: str) -> str:
        blocks = [block.split("\n")[:size] for block in text.strip().split("\n\n")]
        return "\n\n".join("\n".join(block) for block in blocks) + "\n\n"

    return cut


def sorted_lines(text: str) -> str:
    rows = {line for line in text.split("\n") if line}
    return lines(sorted(rows - {"-DOCSTART-\tO"}))


def parted(mark: str) -> Change:
    """Ids whose parts stand in two columns."""

    def changed(text: str) -> str:
        rows = text.replace("id,", "kind,number,", 1).replace("item-", "item,")
        return rows.replace(",", mark)

    return changed


def of_runs(*names: str) -> Change:
    """A table with the answers of several runs."""

    def changed(text: str) -> str:
        rows = [line.split(",", 1) for line in text.split("\n")[1:-1]]
        written = [",".join([name, *[cell] * len(names)]) for name, cell in rows]
        return lines([",".join(["id", *names]), *written])

    return changed


def as_lines_of_array(end: int) -> Change:
    """A table as an array of JSON, an object a line, that breaks off."""

    def lines_of(text: str) -> str:
        names, *rows = (line.split(",") for line in text.rstrip("\n").split("\n"))
        objects = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
        return ("[\n" + ",\n".join(objects) + "\n]")[:end]

    return lines_of


def as_array(end: int) -> Change:
    """A table as an array of JSON that breaks off."""

    def changed(text: str) -> str:
        head, *rows = [line.split(",", 1) for line in text.rstrip().split("\n")]
        return json.dumps([dict(zip(head, row, strict=True)) for row in rows])[:end]

    return changed


CTM = lines([f"call-1 1 {n}.25 0.30 boat" for n in range(30)])
CHAT = (
    "Certainly! Here are the answers:\n\n```\n",
    "```\n\nLet me know if more helps.\n",
)
SPOKEN = "I have labelled all of it for you.\n\n", "\nThat is all, as far as I see.\n"
NO_PART = "Line 1 is no part of the format: "
FIRST = [
    # What somebody says around answers.
    ("attachment", around(*CHAT), NO_PART),
    ("retrieval", around(*CHAT), NO_PART),
    ("labels", around(*CHAT), NO_PART),
    ("unl-graph", around(*SPOKEN), NO_PART),
    ("tuples", around(*SPOKEN), NO_PART),
    ("edits", around(*SPOKEN), NO_PART),
    # Lines that are no part of a file that is whole without them.
    ("attachment", around("", "EOF\n"), "Line 376 is no part of the format: 'EOF'"),
    ("retrieval", around("", "wc: 3 run\n"), "Line 31 is no part of the format: "),
    ("numbers", around("", "total 40\n"), "Line 42 is no part of the format: "),
    # Ids of another split, and ids that count from elsewhere.
    ("classes", each_line("item-", "dev-"), "This file belongs to something else"),
    ("numbers", each_line("^item-0", "train-1"), "This file belongs to something"),
    ("classes", numbered(0), "The ids count from 0, such as 'item-000'"),
    ("texts", numbered(0), "The ids count from 0, such as 'item-000'"),
    ("metrics", each_line(r",(\d),", r",x\1,"), "The ids are written differently"),
    # Ids of several columns.
    (
        "metrics",
        each_line(r"^(gull|tern|wren|heron),", r"m_\1.txt,"),
        "The ids are wri",
    ),
    ("metrics", each_line(r"^(\w+),(\d+),", r"\2,\1,"), "The first two columns are sw"),
    ("metrics", each_line(r"^(\w+),(\d+),(.*)$", r"\3,\2,\1"), "The ids stand in the"),
    (
        "retrieval",
        each_line(r"^(\S+) Q0 (\S+)", r"\2 Q0 \1"),
        "The topics stand in col",
    ),
    ("senseval", each_line(r"^(\S+) (\S+)", r"\2 \1"), "The first two columns are sw"),
    # Sentences that break off, or have more words.
    ("labels", sentences_cut(4), "40 of 40 sentences break off before their end"),
    ("spans", sentences_cut(3), "40 of 40 sentences break off before their end"),
    (
        "labels",
        each_line(r"^(\w+)\tNOUN", r"x\tX\n\1\tNOUN"),
        "There are words that the",
    ),
    # Forms that no scorer reads.
    ("classes", rows_of('[[item]]\nid = "{}"\nlabel = "{}"'), "The file is in another"),
    (
        "numbers",
        rows_of("- id: {}\n  value: {}"),
        "The file is in another format: it l",
    ),
    (
        "classes",
        rows_of("INSERT INTO a VALUES ('{}', '{}');"),
        "The file is in another",
    ),
    (
        "numbers",
        lambda _text: "[0.1 0.2 0.3\n 0.4 0.5]\n",
        "this is a value as R, NumPy",
    ),
    (
        "transcripts",
        lambda _text: CTM,
        "The file is in another format: it looks like C",
    ),
    ("classes", lambda _text: CTM, "The file is in another format: it looks like CTM"),
    ("texts", lambda _text: CTM, "The file is in another format: it looks like CTM"),
    (
        "retrieval",
        each_line(r"^(\S+) Q0 (\S+).*", r"\1 0 \2 1"),
        "These are judgements",
    ),
    ("lines", around("<doc>\n", "</doc>\n"), "The file is in another format: it looks"),
    # Tables.
    ("numbers", each_line(r"\.", ","), "Numbers have a decimal comma, such as '0,5'"),
    ("metrics", each_line(r"\.", ","), "Numbers have a decimal comma, such as '0,1'"),
    ("classes", parted(","), "The id stands in two columns, 'kind' and 'number'"),
    ("early", parted(","), "The id stands in two columns, 'kind' and 'number'"),
    ("texts", parted("\t"), "The id stands in two columns, 'kind' and 'number'"),
    ("classes", of_runs("run1", "run2"), "There are several columns of answers (run1,"),
    ("numbers", of_runs("s-01", "s-02"), "There are several columns of answers (s-01,"),
    ("texts", of_runs("seed 7", "seed 11"), "There are several columns of answers ("),
    ("classes", around("Section A,\n", ""), "The names of the columns stand in line 2"),
    ("numbers", each_line("^item-009", "Part B,\nitem-009"), "Line 10 is no item: 'P"),
    (
        "classes",
        each_line("^item-0(2|3)0", r"Part \1,\nitem-0\g<1>0"),
        "2 lines are no",
    ),
    ("early", each_line("^item-011", "Round 2,\nitem-011"), "Line 12 is no item: 'Ro"),
    ("classes", each_line("^id", ""), "The first column has no name, and none is 'id'"),
    ("early", each_line("^id", ""), "The first column has no name, and none is 'id'"),
    ("classes", each_line(r"^(.*),(.*)$", r"'\1','\2'"), "Single quotes stand around"),
    ("numbers", each_line(",-", ",\u2212"), "13 of 40 numbers have another sign than"),
    ("numbers", each_line(",-", ",\u2013"), "13 of 40 numbers have another sign than"),
    ("classes", columns_swapped, "The ids stand in the column of the answers."),
    ("transcripts", rows_of("{}"), "Each line has an id alone"),
    # Signs around lines, and lines in another order.
    ("classes", each_line("$(?!\\Z)", "$"), "The lines are as a terminal shows signs"),
    (
        "labels",
        each_line(r"^(.*)\t(.*)$|^$", r"\1^I\2$"),
        "The lines are as a terminal",
    ),
    ("labels", sorted_lines, "The lines are in the order of the alphabet"),
    ("spans", sorted_lines, "The lines are in the order of the alphabet"),
    ("documents", sorted_lines, "The lines are in the order of the alphabet"),
    ("spans", each_line(r"^$(?!\Z)", "---"), "There are lines of signs where blank"),
    ("labels", each_line(r"^$(?!\Z)", "====="), "There are lines of signs where blank"),
    ("spans", each_line(r"\t([BI])-", r"\t\1"), "Tags have no '-' after their prefix"),
    ("spans", each_line(r"\tO$", "\t0"), "Tags outside of spans are '0'"),
    # Sentences of another file, and words as numbers.
    ("labels", around("Hello\tVERB\n\n", ""), "sentence 1 is not in the input file"),
    ("spans", around("Go\tO\nwest\tO\n\n", ""), "sentence 1 is not in the input file"),
    ("labels", around("A\tNOUN\nB\tNOUN\n\n", ""), "sentence 1 is not in the input"),
    ("labels", each_line(r"^\S+\t", "7\t"), "Words of 40 of 40 sentences differ"),
    ("spans", each_line(r"^\S+\t", "<unk>\t"), "Words of 40 of 40 sentences differ"),
    ("attachment", each_line(r"^(\d+\t)\S+", r"\1x"), "Words of 40 of 40 sentences"),
    ("senseval", each_line(r"^(\S+ \S+) (\S+)", r"\2 \1"), "The instances stand in c"),
    ("multilabel", each_line(r"\|", "+"), "Several labels are separated by '+'"),
    ("multilabel", each_line(r"\|", "/"), "Several labels are separated by '/'"),
    ("multilabel", each_line(r"\|", "&"), "Several labels are separated by '&'"),
    ("multilabel", each_line(r"\|", ","), "Several labels are separated by ','"),
    (
        "texts",
        each_line("^(item-007),", r"\1,a long\n"),
        "Line 9 goes on with the text",
    ),
    ("translation", each_line("(?<=a) (?=boat)", "\n"), "Line 3 goes on with the text"),
    ("transcripts", each_line("$(?!\\Z)", "\nmore"), "expected 2 columns as in the"),
    ("texts", each_line(",", "   "), "The first line is one column, 'id   text'"),
    ("translation", each_line(",", "  "), "The first line is one column, 'id  text'"),
    ("transcripts", each_line(",", " : "), "The first line is one column, 'id : text'"),
    ("free", as_array(-30), "The file ends in the middle of line 1: "),
    ("numbers", as_array(-9), "The file ends in the middle of line 1: "),
    ("texts", as_array(-50), "The file ends in the middle of line 1: "),
    ("classes", as_lines_of_array(-1), "The file ends in the middle of line "),
    ("numbers", as_lines_of_array(-9), "The file ends in the middle of line "),
    ("texts", as_lines_of_array(-40), "The file ends in the middle of line "),
    # What is read in another format than was sent.
    (
        "columns",
        each_line("^#.*\n", ""),
        "the line '#begin document' is missing above.",
    ),
    ("edits", lambda text: "A boat waits.\n" * 40, "expected a line that begins with"),
]


@loop_over(("task", "change", "beginning"), FIRST)
def test_the_cause_comes_first_also_of_these(
    task: str, change: Change, beginning: str
) -> None:
    said = first_sentence(task, change)
    assert said.startswith(beginning), said


def table_of(column: str, cells: list[str]) -> str:
    return f"id,{column}\n" + lines([f"s{n},{cell}" for n, cell in enumerate(cells)])


def records_of(field: str, value: str = "tea") -> str:
    rows = [{"id": str(n), "tuples": [{field: value, "b": "x"}]} for n in ROWS]
    return lines([json.dumps(row) for row in rows])


def spans_at(places: list[tuple[int, int]], text: str) -> str:
    spans = [{"start": a, "end": b, "label": "X"} for a, b in places]
    return json.dumps({"id": "a", "text": text, "spans": spans}) + "\n"


def marked_up(slots: str, classes: str) -> str:
    rows = [
        f"{n}\tw{n}\tw\tNOUN\t_\t_\t{n - 1}\tdep\t{slot}\t{name}"
        for n, (slot, name) in enumerate(zip(slots, classes, strict=True), 1)
    ]
    return "# sent_id = 1\n" + lines(rows) + "\n"


def graphs_of(written: str) -> str:
    block = "[S:{}]\n{{unl}}\n{}\n{{/unl}}\n[/S]\n"
    return "".join(block.format(n, written.format(n)) for n in range(1, 5))


UNITS = [1, 0] * 6
SAILS = "Zoë sails to Kiel, and Åse rows to Bergen with tea."
WORDS = [(0, 3), (4, 9), (13, 17), (23, 26), (35, 41)]
GRAPH = "agt(sail(icl>go).@entry, boat{}(icl>thing))"
BESIDE = [
    # Delays that are none.
    ("early", "label", UNITS, "delay", UNITS, "every delay is 0 or 1, as labels are"),
    ("early", "label", UNITS, "delay", [0, 1] * 6, "every delay is 0 or 1"),
    ("early", "label", UNITS, "delay", [1, *UNITS[1:]], "every delay is 0 or 1"),
    (
        "early",
        "label",
        UNITS,
        "delay",
        [3, 1] * 6,
        "an alarm is raised about everybody",
    ),
    (
        "early",
        "label",
        UNITS,
        "delay",
        [*range(1, 13)],
        "an alarm is raised about ever",
    ),
    ("early", "label", UNITS, "delay", [4, 0] * 6, ""),
    # Clusters of one item each.
    ("clusterings", "cluster", UNITS, "cluster", [*ROWS], "a cluster of its own (12)"),
    ("clusterings", "cluster", UNITS, "cluster", [*range(3), *range(9, 18)], "its own"),
    ("clusterings", "cluster", UNITS, "cluster", [*range(11), 10], ""),
    # Texts that are one, are in capitals, or have signs written out.
    (
        "texts",
        "text",
        ENGLISH,
        "text",
        [*ENGLISH[:9], *["I do not know it."] * 3],
        "3 of",
    ),
    (
        "translation",
        "text",
        ENGLISH,
        "text",
        [*ENGLISH[:8], *["I can not do so now."] * 4],
        "4 of",
    ),
    (
        "transcripts",
        "text",
        ENGLISH,
        "text",
        [*ENGLISH[:7], *["it is not clear at all"] * 5],
        "5 of",
    ),
    ("texts", "text", ENGLISH, "text", [x.upper() for x in ENGLISH], "capitals alone"),
    (
        "translation",
        "text",
        ENGLISH,
        "text",
        [x.upper() for x in ENGLISH],
        "in capitals",
    ),
    (
        "transcripts",
        "text",
        ENGLISH,
        "text",
        [x.upper() for x in ENGLISH],
        "in capitals",
    ),
    (
        "texts",
        "text",
        ENGLISH,
        "text",
        [f"{x}\\n" for x in ENGLISH],
        "signs written out",
    ),
    ("texts", "text", ENGLISH, "text", [f"\\u00e9{x}" for x in ENGLISH], "written out"),
    (
        "translation",
        "text",
        ENGLISH,
        "text",
        [f"a\\t{x}" for x in ENGLISH],
        "written out",
    ),
    ("texts", "text", ENGLISH, "text", ENGLISH, ""),
    (
        "transcripts",
        "text",
        [x.lower() for x in ENGLISH],
        "text",
        ENGLISH,
        "none of the references has a capital",
    ),
]


@loop_over(
    ("scorer", "asked", "gold", "answered", "system", "remark"),
    BESIDE,
)
def test_answers_that_nobody_means_get_a_remark(
    scorer: str,
    asked: str,
    gold: list[object],
    answered: str,
    system: list[object],
    remark: str,
) -> None:
    sides = table_of(asked, [*map(str, gold)]), table_of(answered, [*map(str, system)])
    said = remarks_of(scorer, *sides)
    signs = ("every delay", "an alarm", "its own", "capital", "written out", "the same")
    assert remark in said if remark else not any(sign in said for sign in signs)


@loop_over(("size", "told"), [(10, True), (12, True), (40, True), (3, False)])
def test_lines_that_were_sorted_get_a_remark(size: int, told: bool) -> None:
    texts = [f"{name} sails" for name in "tsrqponmlkjihgfedcba"[:size] * 2][:size]
    texts = [f"{text} {n}" for n, text in enumerate(texts)]
    said = remarks_of("translation", lines(texts), lines(sorted(texts)))
    assert ("in the order of the alphabet" in said) == told
    assert "alphabet" not in remarks_of("translation", lines(texts), lines(texts))


@loop_over("field", ["Aspect", "aspekt", "target"])
def test_fields_that_the_answer_key_has_not_are_named(field: str) -> None:
    said = remarks_of("tuples", records_of("aspect"), records_of(field))
    assert f"the answer key has nothing that is called '{field}'" in said
    assert "called" not in remarks_of("tuples", *[records_of("aspect")] * 2)


@loop_over(
    ("places", "remark"),
    [
        ([(1, 2), (5, 7), (14, 15), (24, 25)], "Most spans begin or end inside a word"),
        ([(0, 2), (4, 8), (13, 16)], "The ends seem to be those of the last character"),
        ([(3, 4), (9, 10), (12, 13)], "Most spans begin or end inside a word"),
        (WORDS, ""),
    ],
)
def test_spans_that_cut_words_get_a_remark(
    places: list[tuple[int, int]], remark: str
) -> None:
    sides = spans_at(WORDS, SAILS), spans_at(places, SAILS)
    said = remarks_of("spans", *sides)
    assert remark in said if remark else "spans" not in said


@loop_over("text", ["Äh, ja.", "Über Öl", "naïve Zoë"])
def test_offsets_that_count_bytes_are_called_so_behind_the_text(text: str) -> None:
    end = len(text.encode())
    record = {"id": "a", "spans": [{"start": end - 2, "end": end, "label": "X"}]}
    said = spans_of(json.dumps(record) + "\n", text)
    assert "the offsets seem to count bytes" in said


@loop_over("name", ["predictions", "output", "ner"])
def test_spans_under_another_name_are_refused_with_it(name: str) -> None:
    record = {"id": "a", name: [{"start": 0, "end": 3, "label": "X"}]}
    said = spans_of(json.dumps(record) + "\n")
    assert f"no object has a list 'spans', but there is '{name}'" in said


@loop_over(
    ("slots", "remark"),
    [
        ("_" * 11, "SemSlot is '_' for every token"),
        ("A" * 11, "SemSlot is 'A' for every token"),
        ("B" * 12, "SemSlot is 'B' for every token"),
        ("A" * 11 + "B", ""),
    ],
)
def test_a_column_of_one_value_gets_a_remark(slots: str, remark: str) -> None:
    gold = marked_up("AB" * 5 + "C" * (len(slots) - 10), "_" * len(slots))
    said = remarks_of("semarkup", gold, marked_up(slots, "_" * len(slots)))
    assert remark in said if remark else "SemSlot is" not in said


@loop_over(
    ("written", "count"),
    [("agt(sail.@entry boat{})", 4), ("sail -> boat{}", 0), ("agt(sail, boat{}", 4)],
)
def test_graphs_that_cannot_be_read_are_counted_before_they_are_sent(
    written: str, count: int
) -> None:
    said = remarks_of("unl-graph", graphs_of(GRAPH), graphs_of(written))
    assert (f"{count} of the first 4 graphs" in said) == bool(count)


@loop_over(
    ("scores", "ranks", "remark"),
    [
        ("123", "987", "ranks stand in the place of scores"),
        ("012", "543", "ranks stand in the place of scores"),
        ("123", "321", "ranks stand in the place of scores"),
        ("321", "123", ""),
        ("123", "123", "the ranks and the scores put the documents in other orders"),
    ],
)
def test_a_run_whose_columns_are_swapped_gets_a_remark(
    scores: str, ranks: str, remark: str
) -> None:
    rows = zip("abc", ranks, scores, strict=True)
    run = lines([f"q1 Q0 {d} {r} {s} mine" for d, r, s in rows])
    said = remarks_of("retrieval", "q1 0 a 1\n", run)
    assert remark in said if remark else "rank" not in said


@loop_over("name", ["The old", "a b", "Kiel (port)"])
def test_a_document_with_spaces_in_its_name_is_quoted(name: str) -> None:
    own = get("retrieval")
    options = parse(own.options, {})
    topics = own.read_blind(Source.of_bytes("t", b"q1\nq2\n"), options)
    run = f"q1 Q0 {name} harbour 1 9.5 mine\nq2 Q0 d 1 9.5 mine\n"
    with pytest.raises(Refused, match="the document has spaces in its name: '"):
        own.read_system(Source.of_bytes("s", run.encode()), options, topics)


def gold_of(scorer: str, text: str) -> str:
    """What is said of an answer key: its problems, or its remarks."""
    own = get(scorer)
    job = Job(own, parse(own.options, {}), plan=Plan(resamples=0))
    gold = Source.of_bytes("gold", text.encode())
    try:
        units_of(job, gold, blind_of(job, gold))
    except SetupError as error:
        return error.problems[0].message
    return "\n".join(own.gold_remarks(read_gold(job, gold), job.options))


@loop_over(
    ("scorer", "column", "cells"),
    [
        ("classes", "label", ["a", "b", "a"]),
        ("texts", "text", ["a b", "c d", "e"]),
        ("clusterings", "cluster", ["x", "y", "x"]),
        ("early", "label", ["1", "0", "0"]),
    ],
)
def test_gold_whose_header_stands_in_it_twice_is_refused(
    scorer: str, column: str, cells: list[str]
) -> None:
    half = table_of(column, cells)
    other = re.sub("(?m)^s", "t", half)
    said = gold_of(scorer, half + other)
    assert "names of the columns" in said
    assert "a second time" in said
    assert "second" not in gold_of(scorer, half)


@loop_over(
    ("scorer", "text"),
    [
        ("early", '{"s1": 1, "s2": 0, "s3": 0}\n'),
        ("early", '{"s1": {"label": 1}, "s2": {"label": 0}}\n'),
        ("early", "subject,label\ns1,1\ns2,0\n"),
        ("probabilities", "subject,label\ns1,x\ns2,y\n"),
    ],
)
def test_gold_under_other_names_can_be_set_up(scorer: str, text: str) -> None:
    own = get(scorer)
    given = {"id": ["subject"]} if "subject" in text else {}
    job = Job(own, parse(own.options, given), plan=Plan(resamples=0))
    gold = Source.of_bytes("gold", text.encode())
    assert units_of(job, gold, blind_of(job, gold)) > 1


@loop_over(
    ("scorer", "text", "said"),
    [
        ("retrieval", lines([f"q{n} Q0 d 1 2.5 me" for n in ROWS]), "This is a run of"),
        ("edits", "A boat waits.\n" * 3, "expected a line that begins with 'S '"),
        ("texts", "id,text,text.2\na,x y,x y\nb,u v,u v\n", "the same reference twice"),
        ("texts", "id,text\na,\nb,\nc,\n", "no segment of 3 has a reference"),
        ("clusterings", "id,cluster\na,x\nb,x\n", "all 2 items of the gold are in one"),
        ("clusterings", "id,cluster\na,x\nb,y\n", "every item of the gold has a clus"),
        ("retrieval", "q1 0 a 1\nq1 0 a 1\n", "document 'a' stands twice"),
        ("spans", "boat\tO\n" * 160, "the gold is one sentence of 160 tokens"),
        ("numbers", "id,value\na,1,5\nb,2,25\nc,3,5\n", "Numbers have a decimal comma"),
    ],
)
def test_what_is_odd_about_an_answer_key_is_said(
    scorer: str, text: str, said: str
) -> None:
    assert said in gold_of(scorer, text)


@loop_over("name", ["README.md", "readme.txt", "LICENSE"])
def test_a_zip_of_nothing_but_a_note_holds_no_answers(name: str) -> None:
    own = get("texts")
    options = parse(own.options, {})
    blind = own.read_blind(Source.of_bytes("b", b"id\na\nb\n"), options)
    with pytest.raises(Refused, match="answers"):
        packed = zip_files("s.zip", {name: b"our system\n"})
        own.read_system(packed, options, blind)


@loop_over("names", [("a.txt", "a.ann"), ("x/a.txt", "x/a.ann"), ("b.txt", "b.ann")])
def test_a_zip_of_documents_has_no_odd_characters(names: tuple[str, str]) -> None:
    text, marks = b"Ada sails\n", b"T1\tNAME 0 3\tAda\n"
    own = get("spans")
    blind, system = (
        zip_files("s.zip", {names[0]: text, names[1]: own_marks})
        for own_marks in (b"", marks)
    )
    verdict = examine(own, blind, system, parse(own.options, {}))
    assert not verdict.problems
    assert not [remark for remark in verdict.remarks if remark.code == "characters"]


@pytest.mark.parametrize("broken", ["#NAME?", "#REF!", "#DIV/0!", "#VALUE!", "#N/A"])
@pytest.mark.parametrize("every", [2, 5])
def test_cells_that_a_spreadsheet_could_not_compute_are_counted(
    broken: str, every: int
) -> None:
    gold = "id,text\n" + lines([f"{n},the boat {n}" for n in ROWS])
    rows = [f"{n},{broken if n % every else f'boat {n}'}" for n in ROWS]
    count = sum(bool(n % every) for n in ROWS)
    assert f"{count} of 12 answers are '{broken}'" in remarks_of(
        "texts", gold, "id,text\n" + lines(rows)
    )


@pytest.mark.parametrize("name", ["Answer: ", "Final answer: ", "Translation: "])
def test_a_name_and_a_colon_before_every_answer_get_a_remark(name: str) -> None:
    texts = [f"The boat of {word} is late" for word in "ABCDEFGHIJKL"]
    said = remarks_of(
        "translation", lines(texts), lines([f"{name}{text}" for text in texts])
    )
    assert f"every answer begins with '{name}" in said


@pytest.mark.parametrize("letter", ["\u0435", "\u0430", "\u043e"])
def test_labels_in_letters_of_another_alphabet_are_told_with_the_letter(
    letter: str,
) -> None:
    latin = {"\u0435": "e", "\u0430": "a", "\u043e": "o"}[letter]
    own = get("classes")
    options = parse(own.options, {"labels": ["sea,road,lane"]})
    rows = [f"{n},{('sea', 'road', 'lane')[n % 3]}" for n in ROWS]
    blind, system = (
        Source.of_bytes("s", f"id,label\n{lines(texts)}".encode())
        for texts in (
            [f"{n}," for n in ROWS],
            [row.replace(latin, letter) for row in rows],
        )
    )
    said = examine(own, blind, system, options).findings[0].message
    assert f"{letter} <U+{ord(letter):04X}> for '{latin}'" in said


@pytest.mark.parametrize(
    ("task", "text", "kind"),
    [
        ("lines", "1\n00:00:01,000 --> 00:00:02,000\nwe sail\n\n", "subtitles"),
        ("lines", "S-0\tWir\nT-0\tWe\nH-0\t-0.4\tWe\nD-0\t-0.4\tWe\n", "fairseq"),
        ("lines", "https://example.org/file?id=3\n", "the address of a page"),
        ("lines", "# run 3\nimport os\n\nprint(os.name)\n", "a program"),
        ("retrieval", "from json import load\n\nrun = load(open('r'))\n", "a program"),
        (
            "classes",
            "| id | label |\n|---|---|\n| 1 | pos |\n| 2 | neg |\n",
            "Markdown",
        ),
        ("classes", "library(dplyr)\nx <- 3\n", "a program"),
    ],
)
def test_a_file_of_another_kind_is_named_where_lines_are_read(
    task: str, text: str, kind: str
) -> None:
    scorer = {"lines": "translation"}.get(task, task)
    own = get(scorer)
    asked = {"lines": lines([str(n) for n in ROWS]), "retrieval": "301\n302\n"}
    blind = asked.get(task, "id\n1\n2\n3\n")
    sides = (Source.of_bytes(n, t.encode()) for n, t in (("b", blind), ("s", text)))
    said = examine(own, *sides, parse(own.options, {})).findings[0].message
    assert said.startswith("The file is in another format: it looks like")
    assert kind in said


@pytest.mark.parametrize("mark", ["\t", " ", ", "])
def test_ids_before_numbers_are_told_where_numbers_alone_are_read(mark: str) -> None:
    own = get("numbers")
    texts = [str(n) for n in ROWS], [f"pair-{n}{mark}{n}.25" for n in ROWS]
    sides = (Source.of_bytes("s", lines([*side]).encode()) for side in texts)
    said = examine(own, *sides, parse(own.options, {})).findings[0].message
    assert said.startswith("Something stands around every line")


@pytest.mark.parametrize("scorer", ["texts", "translation", "transcripts"])
def test_both_files_of_a_zip_are_named(scorer: str) -> None:
    packed = zip_files("s.zip", {"run1.txt": b"a\n", "run2.txt": b"b\n"})
    own = get(scorer)
    blind = Source.of_bytes("b", b"1\n")
    said = examine(own, blind, packed, parse(own.options, {})).findings[0].message
    assert said == "expected one file, found a zip of 2: 'run1.txt', 'run2.txt'"


@pytest.mark.parametrize("field", ["aspect", "holder", "polarity"])
def test_a_field_that_no_record_or_not_every_record_has_is_told(field: str) -> None:
    record = {"aspect": "boat", "holder": "crew", "polarity": "bad"}
    rows = [{"id": str(n), "tuples": [record]} for n in ROWS]
    fewer = {name: value for name, value in record.items() if name != field}
    gold = lines([json.dumps(row) for row in rows])
    without = [{**row, "tuples": [fewer]} for row in rows]
    said = remarks_of("tuples", gold, lines([json.dumps(row) for row in without]))
    assert "no record has 1 of the fields that records of the answer key have" in said
    mixed = [*without[:3], *rows[3:]]
    said = remarks_of("tuples", gold, lines([json.dumps(row) for row in mixed]))
    assert f"3 of 12 records have no field '{field}'" in said


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("items", [1, 4])
def test_a_record_that_an_item_has_twice_is_told_before_it_is_sent(
    times: int, items: int
) -> None:
    rows = [{"id": str(n), "tuples": [{"a": "x", "b": f"{n}"}]} for n in ROWS]
    own = get("tuples")
    more = [{**r, "tuples": r["tuples"] * times} for r in rows[:items]]
    sides = (
        Source.of_bytes("s", lines([json.dumps(row) for row in side]).encode())
        for side in (
            [{"id": str(n)} for n in ROWS],
            [*more, *rows[items:]],
        )
    )
    verdict = examine(own, *sides, parse(own.options, {}))
    assert [remark.message for remark in verdict.remarks] == [
        f"{items} of 12 items have one record twice, first '0': the second counts as "
        "a wrong one."
    ]


@pytest.mark.parametrize("missing", ["null", '"y"'])
def test_a_field_without_a_value_is_told_before_it_is_sent(missing: str) -> None:
    rows = [f'{{"id": "{n}", "tuples": [{{"a": {missing}}}]}}' for n in ROWS]
    own = get("tuples")
    blind = lines([f'{{"id": "{n}"}}' for n in ROWS])
    sides = (Source.of_bytes("s", t.encode()) for t in (blind, lines(rows)))
    verdict = examine(own, *sides, parse(own.options, {}))
    said = " ".join(remark.message for remark in verdict.remarks)
    assert ("12 of 12 records have no value (null)" in said) == (missing == "null")


@pytest.mark.parametrize("place", [1, 5, 9])
def test_delays_that_fall_get_a_remark(place: int) -> None:
    def output(delays: list[int]) -> str:
        words = " ".join("abcdefghij")
        return json.dumps({"recording": "r", "prediction": words, "delays": delays})

    gold = "recording,start,end,text\nr,0,20,a b c d e f g h i j\n"
    rising = [1000 * n for n in range(10)]
    falling = [*rising[:place], 0, *rising[place + 1 :]]
    falling = falling if place > 1 else rising[::-1]
    assert "delays fall in 1 of 1 recordings" in remarks_of(
        "simultaneous", gold, output(falling)
    )
    assert "delays fall" not in remarks_of("simultaneous", gold, output(rising))


@pytest.mark.parametrize("refusal", ["I cannot say.", "unknown", "As a model, no"])
def test_a_label_that_the_gold_has_not_is_named_beside_all_of_the_golds(
    refusal: str,
) -> None:
    rows = [f"{n},{'pos' if n % 2 else 'neg'}" for n in ROWS]
    gold = "id,label\n" + lines(rows)
    system = "id,label\n" + lines(
        [*rows[:9], *(f'{n},"{refusal}"' for n in (9, 10, 11))]
    )
    assert f"labels of the system that the gold has not: '{refusal}'" in remarks_of(
        "classes", gold, system
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: " ".join(text.replace(" ", "|")), "letter by letter"),
        (lambda text: f"utt 1 spk 0.00 2.50 <o> {text}", "times before its text"),
        (lambda text: text.replace(" ", "%20"), "signs written out"),
        (lambda text: f"{text[:9]}...", "every answer ends with '...'"),
        (lambda text: f"{text[:9]}\u2026", "every answer ends with '\u2026'"),
    ],
)
@pytest.mark.parametrize("scorer", ["transcripts", "translation"])
def test_texts_in_a_form_of_their_own_get_a_remark(
    scorer: str, change: Change, said: str
) -> None:
    texts = [
        f"the {word} boat sails to {word}" for word in ["red", "blue", "old", "new"]
    ]
    texts = [f"{text} {n}" for n in range(3) for text in texts]
    told = remarks_of(scorer, lines(texts), lines([*map(change, texts)]))
    assert said in told
    assert said not in remarks_of(scorer, lines(texts), lines(texts))


@pytest.mark.parametrize("scorer", ["translation", "transcripts"])
def test_chinese_words_of_one_sign_are_no_letters(scorer: str) -> None:
    texts = [" ".join("\u6e2f\u53e3\u7684\u706f\u7b3c" + c) for c in "\u7532\u4e59" * 6]
    assert "letter by letter" not in remarks_of(scorer, lines(texts), lines(texts))


@pytest.mark.parametrize("name", ["-1", "noise", "outlier"])
def test_items_that_are_in_no_cluster_are_told_to_count_as_one(name: str) -> None:
    gold = "id,cluster\n" + lines([f"{n},c{n % 3}" for n in ROWS])
    system = "id,cluster\n" + lines(
        [f"{n},{name if n % 4 == 0 else f'c{n % 3}'}" for n in ROWS]
    )
    said = remarks_of("clusterings", gold, system)
    assert f"3 of 12 items are in the cluster '{name}'" in said


@pytest.mark.parametrize("highest", [1, 5, 100])
def test_numbers_on_a_scale_that_is_turned_get_a_remark(highest: int) -> None:
    gold = "id,value\n" + lines([f"{n},{highest * n / 12:.3f}" for n in ROWS])
    system = "id,value\n" + lines(
        [f"{n},{highest - highest * n / 12:.3f}" for n in ROWS]
    )
    assert "are they turned round?" in remarks_of("numbers", gold, system)
    assert "are they turned round?" not in remarks_of("numbers", gold, gold)


@pytest.mark.parametrize("share", [0.9, 0.75, 1.0])
def test_columns_of_two_classes_that_are_swapped_get_a_remark(share: float) -> None:
    gold = "id,label\n" + lines([f"{n},{'no' if n % 3 else 'yes'}" for n in ROWS])
    pairs = [(share, 1 - share) if n % 3 else (1 - share, share) for n in ROWS]
    right, turned = (
        "id,no,yes\n"
        + lines([f"{n},{a:.2f},{b:.2f}" for n, (a, b) in zip(ROWS, side, strict=True)])
        for side in (pairs, [pair[::-1] for pair in pairs])
    )
    assert "are the columns swapped?" in remarks_of("probabilities", gold, turned)
    assert "are the columns swapped?" not in remarks_of("probabilities", gold, right)


@pytest.mark.parametrize("topics", [5, 12, 40])
def test_a_run_of_one_document_for_each_topic_gets_a_remark(topics: int) -> None:
    gold = lines([f"q{n} 0 d{n} 1" for n in range(topics)])
    run = lines([f"q{n} Q0 d{n} 1 {n}.5 mine" for n in range(topics)])
    said = f"each topic has one document ({topics} topics)"
    assert said in remarks_of("retrieval", gold, run)
    assert said not in remarks_of("retrieval", gold, f"{run}q1 Q0 x 2 0.1 mine\n")


@pytest.mark.parametrize(
    ("value", "kind"),
    [(["boat"], "lists"), ({"is": "boat"}, "objects"), (True, "flags")],
)
def test_a_field_of_other_values_than_the_golds_is_told(
    value: object, kind: str
) -> None:
    def rows(given: object) -> str:
        records = [{"id": f"{n}", "tuples": [{"a": given}]} for n in ROWS]
        return lines([json.dumps(record) for record in records])

    said = f"the field 'a' holds {kind}, and in the answer key texts"
    assert said in remarks_of("tuples", rows("boat"), rows(value))
    assert "holds" not in remarks_of("tuples", rows("boat"), rows("ship"))


@pytest.mark.parametrize("name", ["prob_no", "p(no)", "score.no", "no_prob"])
def test_a_column_with_the_name_in_a_longer_one_is_meant(name: str) -> None:
    own = get("probabilities")
    options = parse(own.options, {"labels": ["no,yes"]})
    other = name.replace("no", "yes")
    texts = "id\n" + lines([str(n) for n in ROWS]), f"id,{name},{other}\n0,.5,.5\n"
    sides = (Source.of_bytes("s", text.encode()) for text in texts)
    said = examine(own, *sides, options).findings[0].message
    assert said == f"There is no column 'no', but there is '{name}': did you mean it?"


@pytest.mark.parametrize("scorer", ["texts", "translation", "transcripts"])
@pytest.mark.parametrize("root", ["tstset", "answers", "doc"])
def test_xml_is_named_where_a_table_is_read(scorer: str, root: str) -> None:
    own = get(scorer)
    blind = "id\n" + lines([f"{n}" for n in ROWS])
    body = lines([f'<seg id="{n}">the boat {n}</seg>' for n in ROWS])
    sides = (
        Source.of_bytes("s", text.encode())
        for text in (blind, f"<{root}>\n{body}</{root}>\n")
    )
    said = examine(own, *sides, parse(own.options, {})).findings[0].message
    assert "it looks like XML or HTML" in said


@pytest.mark.parametrize("written", ["1.0", "01", "+1"])
def test_a_label_that_is_a_number_in_another_form_is_meant(written: str) -> None:
    own = get("classes")
    options = parse(own.options, {"labels": ["0,1"]})
    texts = [f"{n}," for n in ROWS], [f"{n},{written}" for n in ROWS]
    sides = (
        Source.of_bytes("s", f"id,label\n{lines(side)}".encode()) for side in texts
    )
    said = examine(own, *sides, options).findings[0].message
    assert "did you mean '1'?" in said and "where the task has labels" not in said


@pytest.mark.parametrize(
    ("scorer", "column", "answer", "below"),
    [
        ("classes", "label", "pos", ["Sheet2", "a,b"]),
        ("numbers", "value", "3.5", ["Totals", "mean,n/a"]),
        ("classes", "label", "neg", ["Legend:", "x,unknown"]),
    ],
)
def test_lines_of_another_table_below_the_answers_are_no_answers(
    scorer: str, column: str, answer: str, below: list[str]
) -> None:
    own = get(scorer)
    options = parse(own.options, {"labels": ["pos,neg"]} if scorer == "classes" else {})
    rows = [f"{n},{answer}" for n in ROWS]
    texts = [f"{n}," for n in ROWS], [*rows, *below]
    sides = (
        Source.of_bytes("s", f"id,{column}\n{lines(side)}".encode()) for side in texts
    )
    first = examine(own, *sides, options).findings[0]
    assert first.line == 14 and first.message.startswith("expected 2 columns")


@pytest.mark.parametrize("documents", [3, 6, 10])
def test_a_list_of_documents_in_one_line_is_no_document_with_spaces(
    documents: int,
) -> None:
    run = [f"q{n} " + " ".join(f"d{k}" for k in range(documents)) for n in ROWS]
    own = get("retrieval")
    blind = lines([f"q{n}" for n in ROWS])
    sides = (Source.of_bytes("s", t.encode()) for t in (blind, lines(run)))
    said = examine(own, *sides, parse(own.options, {})).findings[0].message
    assert said.startswith("expected 6 fields") and f"found {documents + 1}" in said


@pytest.mark.parametrize("member", ["triplets", "aspect", "opinions"])
def test_objects_without_the_list_of_records_are_told_first(member: str) -> None:
    own = get("tuples")
    rows = [{"id": f"{n // 2}", member: "boat"} for n in ROWS]
    texts = [{"id": f"{n}"} for n in ROWS], rows
    sides = (
        Source.of_bytes("s", lines([json.dumps(row) for row in side]).encode())
        for side in texts
    )
    said = examine(own, *sides, parse(own.options, {})).findings[0].message
    assert said == "no object has the member 'tuples' (option records)."


@pytest.mark.parametrize("name", ["out.txt:", "runs/best.tsv:", "a-1.log:"])
def test_the_name_of_a_file_before_every_line_gets_a_remark(name: str) -> None:
    texts = [f"The boat {word} is late" for word in "ABCDEFGHIJKL"]
    said = remarks_of(
        "translation", lines(texts), lines([f"{name}{text}" for text in texts])
    )
    assert f"every answer begins with '{name}" in said


@pytest.mark.parametrize("between", [" ", "  ", " \t"])
def test_an_answer_that_says_the_same_twice_gets_a_remark(between: str) -> None:
    texts = [f"the boat {word} sails" for word in "abcdefghijkl"]
    twice = [f"{text}{between}{text}" for text in texts]
    told = remarks_of("transcripts", lines(texts), lines(twice))
    assert "says the same twice" in told
    assert "same twice" not in remarks_of("transcripts", lines(texts), lines(texts))


@pytest.mark.parametrize("scorer", ["numbers", "metrics"])
@pytest.mark.parametrize("code", ["-99", "-999", "9999.0"])
def test_a_number_far_from_all_others_may_stand_for_none(
    scorer: str, code: str
) -> None:
    def table(values: list[str]) -> str:
        if scorer == "numbers":
            return "id,value\n" + lines([f"{n},{v}" for n, v in enumerate(values)])
        rows = [f"s{n % 2},{n // 2},{v}" for n, v in enumerate(values)]
        return "system,segment,score\n" + lines(rows)

    right = [f"{n * 7 % 12 / 12:.2f}" for n in ROWS]
    missing = [code if n in (2, 7) else value for n, value in enumerate(right)]
    said = f"2 of 12 values are {float(code):g}, far from all others"
    assert said in remarks_of(scorer, table(right), table(missing))
    assert "far from all" not in remarks_of(scorer, table(right), table(right))


@pytest.mark.parametrize("scale", [1, 100, 0.01])
def test_a_metric_of_errors_with_its_sign_gets_a_remark(scale: float) -> None:
    rows = [(f"s{n % 3},{n // 3}", n * 7 % 12) for n in ROWS]
    gold = "system,segment,score\n" + lines([f"{key},{v}" for key, v in rows])
    errors = "system,segment,score\n" + lines(
        [f"{key},{(12 - v) * scale:g}" for key, v in rows]
    )
    assert "send the negative scores" in remarks_of("metrics", gold, errors)
    assert "send the negative" not in remarks_of("metrics", gold, gold)


@pytest.mark.parametrize("delay", [2, 100, 999999])
def test_alarms_that_all_come_after_the_same_time_get_a_remark(delay: int) -> None:
    people = range(24)
    gold = "id,label\n" + lines([f"s{n},{n % 2}" for n in people])
    system = "id,delay\n" + lines([f"s{n},{delay * (n % 2)}" for n in people])
    said = f"every alarm comes after the same number of texts: {delay}."
    assert said in remarks_of("early", gold, system)
    other = system.replace(f",{delay}\n", ",1\n", 1)
    assert "every alarm" not in remarks_of("early", gold, other)


@pytest.mark.parametrize("name", ["elapsed", "Elapsed"])
def test_times_of_computing_are_not_called_a_column_that_nobody_reads(
    name: str,
) -> None:
    row = {"recording": "r", "prediction": "a b", "delays": [1, 2], name: [3, 4]}
    own = get("simultaneous")
    blind = '{"recording": "r", "prediction": "", "delays": []}\n'
    sides = (Source.of_bytes("s", t.encode()) for t in (blind, json.dumps(row) + "\n"))
    assert not examine(own, *sides, parse(own.options, {})).remarks
