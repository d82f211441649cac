"""Sequence labels: figures as of seqeval and scikit-learn, tokens that must agree."""

from itertools import chain
from random import Random

import pytest
from seqeval.metrics import accuracy_score
from sklearn import metrics

from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.errors import Refused, SetupError
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from tests.loops import loop_over

LABELS = get("labels")
Sentences = list[list[str]]
CLOSE = 1e-12


def columns(sentences: Sentences) -> Source:
    blocks = (
        "".join(f"w{i}\t{tag}\n" for i, tag in enumerate(tags)) for tags in sentences
    )
    return Source.of_bytes("file", "\n".join(blocks).encode())


def tagged(seed: int) -> tuple[Sentences, Sentences]:
    random = Random(seed)
    tags = ["NOUN", "VERB", "DET", "O"]
    gold = [random.choices(tags, k=random.randint(1, 7)) for _ in range(30)]
    system = [
        [tag if random.random() < 0.8 else random.choice([*tags, "X"]) for tag in own]
        for own in gold
    ]
    return gold, system


def values(counts: Counts) -> dict[str, float]:
    return {
        measure.name: float(measure.of(counts.totals, counts.columns))
        for measure in LABELS.measures(counts.columns)
    }


def counted(gold: Source, system: Source, **raw: str) -> Counts:
    options = parse(LABELS.options, {name: [value] for name, value in raw.items()})
    return count(LABELS, read_pair(LABELS, gold, system, options), options)


def test_figures_are_those_of_seqeval_and_scikit_learn() -> None:
    gold, system = tagged(1)
    found = values(counted(columns(gold), columns(system)))
    one, other = [*chain(*gold)], [*chain(*system)]
    pairs = list(zip(gold, system, strict=True))
    expected = {
        "accuracy": accuracy_score(gold, system),
        "sentence_accuracy": sum(own == tags for own, tags in pairs) / len(pairs),
        "f1[X]": 0,
    }
    for name in sorted({*one}):
        f1 = metrics.f1_score(one, other, labels=[name], average="macro")
        expected[f"f1[{name}]"] = f1
    for average in ("macro", "micro", "weighted"):
        f1 = metrics.f1_score(one, other, average=average)
        expected[f"{average}_f1"] = f1
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=CLOSE), name


def test_a_tag_may_be_left_out_of_averages() -> None:
    gold, system = tagged(2)
    found = values(counted(columns(gold), columns(system), ignore="O"))
    one, other = [*chain(*gold)], [*chain(*system)]
    labels = sorted({*one, *other} - {"O"})
    for average in ("macro", "micro"):
        f1 = metrics.f1_score(one, other, labels=labels, average=average)
        assert found[f"{average}_f1"] == pytest.approx(f1, abs=CLOSE)
    assert found["accuracy"] == pytest.approx(accuracy_score(gold, system), abs=CLOSE)


GOLD = "The DT DET\nlamp NN NOUN\n\nIt PR PRON\nburns VB VERB\n"


def text(words: str) -> Source:
    return Source.of_bytes("file", words.encode())


def test_the_last_column_is_the_tag_whatever_parts_the_columns() -> None:
    counts = counted(text(GOLD), text("The\tDET\nlamp\tX\n\nIt\tPRON\nburns\tVERB"))
    assert counts.units == ("000001", "000002")
    places = [counts.columns.index(name) for name in ("tokens", "right")]
    assert counts.table[:, places].tolist() == [[2, 1], [2, 2]]


DOCUMENTS = "-DOCSTART- O\n\na X\n\n-DOCSTART- O\n\nb X\n"


@loop_over(
    ("gold", "system", "said"),
    [
        (GOLD, "The D\nlamps N\n\nIt P\nburns V\n", "file:2: expected 'lamp' as in"),
        (GOLD, "The D\nlamp N\nIt P\nburns V\n", "file:3: expected a new sentence"),
        (
            GOLD,
            "The D\n\nlamp N\n\nIt P\nburns V\n",
            "file:3: expected no new sentence",
        ),
        (GOLD, "The D\nlamp N\n", "file:2: expected 'It' as in the input file, found"),
        (GOLD, f"{GOLD}now RB ADV\n", "file:6: expected the end of the file as in the"),
        (GOLD, "The\n", "file:1: expected a token and its tag"),
        (GOLD, "\n-DOCSTART- O\n", "file: there is no token in the file."),
        (DOCUMENTS, "a X\n\nb X\n", "file:3: expected a new document before 'b'"),
    ],
)
def test_other_tokens_are_refused_at_the_first(
    gold: str, system: str, said: str
) -> None:
    with pytest.raises(Refused) as caught:
        counted(text(gold), text(system))
    assert said in str(caught.value.problems[0])


def test_tags_that_are_not_the_tasks_are_refused_with_their_lines() -> None:
    with pytest.raises(Refused) as caught:
        counted(
            text(GOLD), text(GOLD.replace("NOUN", "noun")), labels="DET,NOUN,PRON,VERB"
        )
    assert str(caught.value.problems[0]).startswith(
        "file:2: the label 'noun' is not one of the task's."
    )
    with pytest.raises(SetupError, match="the label 'VERB' is not one of the task's"):
        counted(text(GOLD), text(GOLD), labels="DET,NOUN,PRON")


def test_each_token_is_shown_with_both_tags() -> None:
    options = parse(LABELS.options, {})
    system = text(GOLD.replace("VERB", "NOUN"))
    pair = read_pair(LABELS, text(GOLD), system, options)
    assert LABELS.inspect is not None
    found = LABELS.inspect(*pair, options)
    assert found.wrong["wrong"].tolist() == [False, False, False, True]
    assert found.picture(1).sheet.rows == (
        ("It", "PRON", "PRON"),
        ("burns", "VERB", "NOUN"),
    )
    assert list(LABELS.details(*pair, options).rows)[3] == (
        2,
        "burns",
        "VERB",
        "NOUN",
        0,
    )
