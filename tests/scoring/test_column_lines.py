"""Comments, columns and tokens of column files, in `labels` and `spans`."""

import pytest
from seqeval.metrics import f1_score

from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.errors import Refused, SetupError, UsageError
from scoring.examples import spoiled
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source


def counted(scorer: str, gold: str, system: str, **options: str) -> Counts:
    one = get(scorer)
    parsed = parse(one.options, {name: [value] for name, value in options.items()})
    if one.require_options:
        one.require_options(parsed)
    sides = (Source.of_bytes(n, t.encode()) for n, t in (("g", gold), ("s", system)))
    return count(one, read_pair(one, *sides, parsed), parsed)


def value(scorer: str, gold: str, system: str, name: str, **options: str) -> float:
    counts = counted(scorer, gold, system, **options)
    measure = get(scorer).measure(name, counts.columns)
    return float(measure.of(counts.totals, counts.columns))


COMMENTED = "# sent_id = 1\n# text = Rome is\nRome\tPROPN\nis\tAUX\n"


def test_comments_before_a_sentence_are_no_tokens() -> None:
    wrong = COMMENTED.replace("AUX", "VERB")
    assert value("labels", COMMENTED, wrong, "accuracy") == 0.5
    assert value("labels", COMMENTED, wrong, "macro_f1") == pytest.approx(1 / 3)
    assert value("labels", COMMENTED, wrong, "sentence_accuracy") == 0


def test_comments_need_not_be_the_same_on_both_sides() -> None:
    plain = "Rome\tPROPN\nis\tAUX\n"
    assert value("labels", COMMENTED, plain, "accuracy") == 1
    other = "# global.columns = FORM UPOS\n\n# of mine\nRome PROPN\nis AUX\n"
    assert value("labels", plain, other, "accuracy") == 1


@pytest.mark.parametrize("line", ["#\tSYM", "#BREAKING\tX", "#1\tX"])
def test_a_hashtag_with_all_columns_is_a_token(line: str) -> None:
    gold = f"{line}\nnews\tNOUN\n\n# id 3\n{line}\n"
    counts = counted("labels", gold, gold)
    assert counts.total("tokens") == 3


def test_a_comment_within_a_sentence_is_refused_with_its_line() -> None:
    gold = "Rome\tPROPN\nis\tAUX\n"
    system = "Rome\tPROPN\n# here it is\nis\tAUX\n"
    with pytest.raises(Refused, match="found 4 columns, line 1 has 2") as caught:
        counted("labels", gold, system)
    assert [problem.line for problem in caught.value.problems] == [2]


def test_a_row_with_other_columns_is_refused_with_its_line() -> None:
    gold = "robert N\nkeane N\n\nlate R\n"
    for scorer, tag in (("labels", "N"), ("spans", "O")):
        fine = gold.replace("N", tag).replace("R", tag)
        odd = fine.replace(f"keane {tag}", f"keane {tag} x")
        with pytest.raises(Refused, match="found 3 columns, line 1 has 2") as caught:
            counted(scorer, fine, odd)
        assert [problem.line for problem in caught.value.problems] == [2]
        with pytest.raises(SetupError, match="found 3 columns"):
            counted(scorer, odd, fine)


MULTICONER = """\
# id 3f2a\tdomain=en
the _ _ O
robert _ _ B-Artist
keane _ _ I-Artist

# id 3f2b\tdomain=en
paris _ _ {}
"""


def test_files_of_four_columns_with_ids_in_comments_go_in_as_they_are() -> None:
    gold, system = (MULTICONER.format(tag) for tag in ("B-City", "O"))
    assert value("spans", gold, gold, "f1") == 1
    tags = (
        [["O", "B-Artist", "I-Artist"], ["B-City"]],
        [["O", "B-Artist", "I-Artist"], ["O"]],
    )
    assert value("spans", gold, system, "f1") == f1_score(*tags)


NUMBERED = """\
# sent_id = a-1
# text = Ada vive a Roma
1\tAda\tB-PER\t-\tann1
2-3\tviveva\t_\t_\t_
2\tvive\tO\t-\tann1
3\ta\tO\t-\tann1
3.1\tx\t_\t_\t_
4\tRoma\t{}\t-\tann2

# sent_id = a-2
1\tQui\tO\t-\tann1
"""


def test_numbered_tokens_have_their_tag_in_the_column_that_is_named() -> None:
    gold, system = (NUMBERED.format(tag) for tag in ("B-LOC", "B-ORG"))
    counts = counted("labels", gold, system, column="3")
    assert (counts.total("tokens"), counts.total("right")) == (5, 4)
    expected = (
        [["B-PER", "O", "O", "B-LOC"], ["O"]],
        [["B-PER", "O", "O", "B-ORG"], ["O"]],
    )
    assert value("spans", gold, system, "f1", column="3") == f1_score(*expected)


def test_a_submission_of_token_and_tag_alone_answers_a_gold_of_more_columns() -> None:
    gold = NUMBERED.format("B-LOC")
    options = parse(get("spans").options, {"column": ["3"]})
    blind = get("spans").blind(Source.of_bytes("g", gold.encode()), options)
    told = b"Ada\tO\nvive\tO\na\tO\nRoma\tO\n\nQui\tO\n"
    assert blind.single().lstrip(b"\n") == told
    right = (
        told.decode().replace("Ada\tO", "Ada\tB-PER").replace("Roma\tO", "Roma\tB-LOC")
    )
    assert value("spans", gold, right, "f1", column="3") == 1


@pytest.mark.parametrize("name", ["labels", "spans"])
def test_copies_with_mistakes_have_them_in_the_named_column(name: str) -> None:
    rows = (f"1\tw{i}\t{('B-A', 'B-B')[i % 2]}\t-\tann\n\n" for i in range(20))
    gold, scorer = Source.of_bytes("g", "".join(rows).encode()), get(name)
    options = parse(scorer.options, {"column": ["3"]})
    right = scorer.perfect(gold, options)
    assert right.single().startswith(b"w0\tB-A\n\nw1\tB-B\n")
    headline, text = scorer.headline, gold.single().decode()
    assert value(name, text, right.single().decode(), headline, column="3") == 1
    wrong = spoiled(scorer, gold, options, 0.7, 1).single().decode()
    assert value(name, text, wrong, headline, column="3") < 0.7


def test_without_a_named_column_the_numbers_stand_for_the_tokens() -> None:
    gold = "1-2\tdu\t_\n1\tde\tX\n2\tle\tY\n"
    options = parse(get("labels").options, {})
    blind = get("labels").blind(Source.of_bytes("g", gold.encode()), options)
    assert blind.single() == b"1\t_\n2\t_\n"
    assert counted("labels", gold, "1\tX\n2\tZ\n").total("right") == 1


def test_words_that_are_numbers_stay_tokens_in_two_columns() -> None:
    gold = "1\tNUM\n1-2\tNUM\n\n1\tNUM\n"
    assert counted("labels", gold, gold).total("tokens") == 3


def test_a_column_that_is_not_there_or_no_number_is_told() -> None:
    gold = NUMBERED.format("B-LOC")
    with pytest.raises(SetupError, match="there is no column 7: lines have 5"):
        counted("labels", gold, gold, column="7")
    for text in ("0", "-1", "tag", "1e9"):
        with pytest.raises(UsageError, match="expected a number from 1"):
            counted("labels", gold, gold, column=text)


def test_the_published_file_holds_no_comment_of_the_gold() -> None:
    gold = "# label = SECRET\nRome\tPROPN\n\n-DOCSTART-\n\n# of SECRET\nis\tAUX\n"
    for scorer, tag in (("labels", "_"), ("spans", "O")):
        source = Source.of_bytes("g", gold.encode())
        blind = get(scorer).blind(source, parse(get(scorer).options, {})).single()
        assert b"SECRET" not in blind
        assert (
            b"".join(blind.split(b"\n")) == f"Rome\t{tag}-DOCSTART-is\t{tag}".encode()
        )
