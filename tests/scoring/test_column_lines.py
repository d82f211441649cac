"""Comments, columns and tokens of column files, in `labels` and `spans`."""

from collections.abc import Callable, Sequence
from random import Random

import pytest
from seqeval.metrics import accuracy_score, f1_score, precision_score, recall_score

from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.errors import Refused, SetupError, UsageError
from scoring.examples import spoil_some
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
    wrong = spoil_some(scorer, gold, options, 0.7, 1).single().decode()
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


def _universal_ner(tags: Sequence[Sequence[str]]) -> str:
    """Sentences as UniversalNER publishes them, with a multiword token in each."""
    return "".join(
        f"# sent_id = reviews-{number}\n# text = w1 w2 # O\n1-2\tw1w2\t_\t_\t_\n"
        + "".join(f"{i}\tw{i}\t{x}\t-\tann3\n" for i, x in enumerate(own, 1))
        + "\n"
        for number, own in enumerate(tags, 1)
    )


def _multiconer(tags: Sequence[Sequence[str]]) -> str:
    """Sentences as MultiCoNER publishes them: spaces, and two blank lines between."""
    return "\n".join(
        f"# id 9d1c-{number}\tdomain=train\n"
        + "".join(f"w{i} _ _ {x}\n" for i, x in enumerate(own, 1))
        + "\n"
        for number, own in enumerate(tags, 1)
    )


def _conll_2003(tags: Sequence[Sequence[str]]) -> str:
    return "-DOCSTART- -X- -X- O\n\n" + "".join(
        "".join(f"w{i} NN B-NP {x}\n" for i, x in enumerate(own, 1)) + "\n"
        for own in tags
    )


def _disrpt(tags: Sequence[Sequence[str]], nothing: str = "Conn=O") -> str:
    """Documents as DISRPT publishes them for tokens without sentences."""
    return "".join(
        f"# newdoc_id = wsj_{number}\n"
        + "".join(
            f"{i}\tw{i}\t_\t_\t_\t_\t_\t_\t_\t{nothing if x == 'O' else f'Conn={x}'}\n"
            for i, x in enumerate(own, 1)
        )
        + "\n"
        for number, own in enumerate(tags, 1)
    )


def _disrpt_of_2019(tags: Sequence[Sequence[str]]) -> str:
    return _disrpt(tags, "_")


@pytest.mark.parametrize(
    ("written", "labels", "options"),
    [
        (_universal_ner, ["PER", "LOC", "ORG"], {"column": "3"}),
        (_multiconer, ["Artist", "HumanSettlement", "OtherPROD"], {}),
        (_conll_2003, ["PER", "MISC"], {}),
        (_disrpt, ["conn"], {}),
        (_disrpt_of_2019, ["Conn"], {}),
    ],
)
def test_published_shapes_have_the_figures_of_seqeval(
    written: Callable[[Sequence[Sequence[str]]], str],
    labels: list[str],
    options: dict[str, str],
) -> None:
    random = Random(len(labels))
    known = ["O", "O", *(f"{p}-{x}" for x in labels for p in "BI")]
    gold = [random.choices(known, k=random.randint(1, 9)) for _ in range(60)]
    system = [[x if random.random() < 0.8 else "O" for x in own] for own in gold]
    system[0] = random.choices(known, k=len(gold[0]))
    for name, figure in (
        ("f1", f1_score),
        ("precision", precision_score),
        ("recall", recall_score),
    ):
        found = value("spans", written(gold), written(system), name, **options)
        assert found == pytest.approx(figure(gold, system), abs=1e-12)
    accuracy = value("labels", written(gold), written(system), "accuracy", **options)
    assert accuracy == pytest.approx(accuracy_score(gold, system), abs=1e-12)


SEGMENTED = """\
# newdoc_id = news-1
1\tAs\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg
2\tit\t_\t_\t_\t_\t_\t_\t_\tSeg=O
3\trained\t_\t_\t_\t_\t_\t_\t_\tSeg=O
4\tshe\t_\t_\t_\t_\t_\t_\t_\tSeg={}
5\tleft\t_\t_\t_\t_\t_\t_\t_\tSeg={}
"""


def test_beginnings_of_segments_are_right_by_hand() -> None:
    gold, system = SEGMENTED.format("B-seg", "O"), SEGMENTED.format("O", "B-seg")
    assert value("labels", gold, system, "accuracy") == 3 / 5
    # Two segments begin on each side, one of them in both.
    assert value("labels", gold, system, "f1[Seg=B-seg]") == 0.5
    assert value("spans", gold, system, "f1") == 0.5


@pytest.mark.parametrize("odd", ["Seg=Q-seg", "Conn=B-conn", "B-seg", "seg"])
def test_tags_of_several_features_are_refused_with_their_line(odd: str) -> None:
    right = SEGMENTED.format("B-seg", "O")
    with pytest.raises(Refused, match="the tag is") as caught:
        counted("spans", right, right.replace("Seg=O", odd, 1))
    assert caught.value.problems


BARE = "Ada\tB\nBrook\tI\nsails\tO\nRome\tB\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BARE, True),
        (BARE.replace("B", "I"), True),
        (BARE.replace("\tI", "\tE").replace("Rome\tB", "Rome\tS"), True),
        (BARE.replace("\tB", "\tB-PER").replace("\tI", "\tI-PER"), False),
        (BARE.replace("\tB", "\tO").replace("\tI", "\tO"), False),
    ],
)
def test_tags_without_labels_are_remarked(text: str, said: bool) -> None:
    scorer = get("spans")
    options = parse(scorer.options, {})
    gold, system = (Source.of_bytes(n, text.encode()) for n in "gs")
    _gold, read = read_pair(scorer, gold, system, options)
    told = [one.code for one in scorer.notes(read, options)]
    assert ("nameless" in told) is said


@pytest.mark.parametrize("tag", ["Seg=B-seg", "B", "B-seg"])
def test_mistakes_are_made_in_tags_of_every_form(tag: str) -> None:
    outside = "Seg=O" if "=" in tag else "O"
    gold = "".join(f"{i}\tw\t{tag if i % 3 == 1 else outside}\n" for i in range(1, 40))
    scorer = get("spans")
    options = parse(scorer.options, {})
    wrong = spoil_some(scorer, Source.of_bytes("g", gold.encode()), options, 0.5, 1)
    assert 0 < value("spans", gold, wrong.single().decode(), "f1") < 1
