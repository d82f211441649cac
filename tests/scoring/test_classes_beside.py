"""F-beta, hierarchical F1 and the worst group of `classes` and `multilabel`."""

import random
from typing import Any

import pytest
from sklearn.metrics import fbeta_score

from scoring import SetupError, Source
from scoring.engine import Job, evaluate
from scoring.options import parse
from scoring.scorers import get
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over

# Worked by hand below: what an animal is.
PARENTS = (
    "label,parent\ncat,mammal\ndog,mammal\nmammal,animal\nwren,bird\nbird,animal\n"
)


def table(cells: list[str], **more: list[str]) -> Source:
    names = ["id", "label", *more]
    columns = zip(*(cells, *more.values()), strict=True)
    rows = (",".join((f"i{i:03d}", *row)) for i, row in enumerate(columns))
    return Source.of_bytes("t.csv", "\n".join([",".join(names), *rows]).encode())


def values(
    scorer: str, gold: Source, system: Source, resamples: int = 0, **options: Any
) -> dict[str, Any]:
    one = get(scorer)
    raw = {name: [value] for name, value in options.items()}
    job = Job(one, parse(one.options, raw), plan=Plan(resamples=resamples))
    return dict(evaluate(job, gold, system).measures)


def parents(text: str = PARENTS) -> Source:
    return Source.of_bytes("parents.csv", text.encode())


@loop_over("seed", range(12))
def test_f_with_a_weight_is_that_of_scikit_learn(seed: int) -> None:
    chance = random.Random(seed)
    labels = [chance.choice("abcd"[: 2 + seed % 3]) for _ in range(40)]
    answers = [chance.choice("abcde"[: 2 + seed % 4]) for _ in range(40)]
    found = values("classes", table(labels), table(answers))
    for name, beta in (("f05", 0.5), ("f2", 2.0)):
        for average in ("macro", "micro"):
            expected = fbeta_score(
                labels, answers, beta=beta, average=average, zero_division=0
            )
            assert found[f"{average}_{name}"].value == pytest.approx(expected, 1e-12)


@loop_over("seed", range(12))
def test_f_with_a_weight_of_several_labels_is_that_of_scikit_learn(seed: int) -> None:
    chance = random.Random(seed)
    names = "abcd"

    def some() -> list[str]:
        return [one for one in names if chance.random() < 0.4]

    gold, system = [some() for _ in range(30)], [some() for _ in range(30)]
    gold[0] = list(names)  # each label is known
    found = values(
        "multilabel", *(table(["|".join(one) for one in s]) for s in (gold, system))
    )
    rows = [[[int(n in one) for n in names] for one in side] for side in (gold, system)]
    for name, beta in (("f05", 0.5), ("f2", 2.0)):
        for average in ("macro", "micro"):
            expected = fbeta_score(*rows, beta=beta, average=average, zero_division=0)
            assert found[f"{average}_{name}"].value == pytest.approx(expected, 1e-12)


def test_hierarchical_f1_worked_by_hand() -> None:
    """cat for cat: 3 common of 3 and 3; dog for cat: mammal and animal of 3 and 3; wren
    for cat: animal of 3 and 3; mammal for cat: 2 common, 2 of the system, 3 of gold."""
    gold, system = table(["cat"] * 4), table(["cat", "dog", "wren", "mammal"])
    found = values("classes", gold, system, parents=parents())
    assert found["hierarchical_precision"].value == 8 / 11
    assert found["hierarchical_recall"].value == 8 / 12
    assert found["hierarchical_f1"].value == 16 / 23


def test_labels_above_several_answers_count_once() -> None:
    """cat and dog: cat, dog, mammal, animal; cat and wren: cat, mammal, animal, wren,
    bird. Common are cat, mammal and animal; the second item is empty on both sides."""
    gold, system = table(["cat|dog", ""]), table(["cat|wren", ""])
    found = values("multilabel", gold, system, parents=parents())
    assert found["hierarchical_f1"].value == 6 / 9


def test_a_label_with_two_parents_stands_for_both() -> None:
    both = parents("label,parent\nbat,mammal\nbat,flyer\nwren,flyer\n")
    found = values("classes", table(["bat"]), table(["wren"]), parents=both)
    assert found["hierarchical_precision"].value == 1 / 2
    assert found["hierarchical_recall"].value == 1 / 3


def test_without_parents_there_is_no_hierarchical_score() -> None:
    found = values("classes", table(["cat"]), table(["cat"]))
    assert found["hierarchical_f1"].value is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("label,parent\na,b\nb,a\n", "'a' is above itself"),
        ("label,parent\na,\n", "parents.csv:2: 'parent' is empty"),
        ("label,above\na,b\n", "no column 'parent' found"),
        ("label,parent\na,b,c\n", "parents.csv:2"),
    ],
)
def test_parents_that_make_no_tree_are_refused_when_a_task_is_set_up(
    text: str, said: str
) -> None:
    scorer = get("classes")
    options = parse(scorer.options, {"parents": [parents(text)]})
    with pytest.raises(SetupError) as raised:
        scorer.read_gold(table(["a"]), options)
    assert said in str(raised.value)


@pytest.mark.parametrize("scorer", ["classes", "multilabel"])
def test_the_worst_group_is_the_one_with_the_lowest_accuracy(scorer: str) -> None:
    """Of de 2 of 3 are right, of en 1 of 2, of fr 1 of 1."""
    languages = ["de", "de", "de", "en", "en", "fr"]
    gold = table(["a", "b", "a", "b", "a", "b"], language=languages)
    system = table(["a", "b", "b", "b", "b", "b"])
    found = values(scorer, gold, system, worst="language", resamples=200)
    one = found["worst_group_accuracy"]
    assert one.value == 1 / 2
    assert 0 <= one.low <= 1 / 2 <= one.high <= 1


def test_without_such_a_group_there_is_no_worst_and_organizers_are_told() -> None:
    scorer = get("classes")
    options = parse(scorer.options, {"worst": ["dialect"]})
    gold = scorer.read_gold(table(["a"]), options)
    assert "no group is called 'dialect'" in scorer.gold_remarks(gold, options)[0]
    found = values("classes", table(["a"]), table(["a"]), worst="dialect")
    assert found["worst_group_accuracy"].value is None
