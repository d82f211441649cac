"""A file that is read in parts comes out as it does in one piece."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from scoring.engine import Job, Plan, evaluate
from scoring.errors import Refused, ScoringError
from scoring.options import parse
from scoring.report import result_object
from scoring.scorers.attachment import SCORER, read_gold
from scoring.scorers.treebanks import large_trees, lines
from scoring.scorers.treebanks.large_trees import LargeTrees
from scoring.source import Source
from tests.scoring.conllu_cases import CASES, files
from tests.scoring.damage import mutant
from tests.scoring.test_conllu_fuzz import JUNK

WORD = "{}\tw{}\t_\t_\t_\t_\t{}\t{}\t_\t_\n"


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Every file counts as large, a part has few sentences."""
    monkeypatch.setattr(large_trees, "LARGE", 1)
    monkeypatch.setattr(large_trees, "PART", 300)
    yield monkeypatch


def sentence(size: int, name: str = "", own: int = 0) -> str:
    head = {own: own}
    comment = f"# sent_id = {name}\n" if name else ""
    words = (
        WORD.format(i, i, head.get(i, i - 1), ("root", "dep", "obj:x")[i % 3])
        for i in range(1, size + 1)
    )
    return comment + "".join(words) + "\n"


def outcome(gold: Source, system: Source, **options: Any) -> Any:
    parsed = parse(SCORER.options, {name: [value] for name, value in options.items()})
    job = Job(SCORER, parsed, plan=Plan(resamples=20))
    try:
        return result_object(evaluate(job, gold, system))
    except ScoringError as error:
        return type(error), [problem.as_dict() for problem in error.problems]


def both(patch: pytest.MonkeyPatch, *sides: Source, **options: Any) -> list[Any]:
    found = [outcome(*sides, **options)]
    with patch.context() as whole:
        whole.setattr(large_trees, "LARGE", 1 << 40)
        return [*found, outcome(*sides, **options)]


def source(*sentences: str) -> Source:
    return Source.of_bytes("x.conllu", "".join(sentences).encode())


@pytest.mark.parametrize("case", sorted(CASES))
def test_worked_cases_come_out_the_same(
    case: str, in_parts: pytest.MonkeyPatch
) -> None:
    parts, whole = both(in_parts, *files(case), labels="coarse")
    assert parts == whole


def test_mutants_come_out_the_same(in_parts: pytest.MonkeyPatch) -> None:
    dice = Random(20)
    text = "".join(
        "# newdoc id = d\n" * (i % 4 == 1)
        + f"# genre = {'ab'[i % 2]}\n" * (i % 3 == 1)
        + sentence(1 + i * 7 % 13, f"s{i}", i % 5)
        for i in range(20)
    ).encode()
    seen = set()
    for _ in range(150):
        sides = [text, mutant(dice, text, JUNK)]
        if not dice.randrange(3):
            sides.reverse()
        pair = (Source.of_bytes(*one) for one in zip("gs", sides, strict=True))
        parts, whole = both(in_parts, *pair)
        assert parts == whole
        seen.add(type(parts))
    assert seen == {dict, tuple}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# newdoc id = a\n\n" + sentence(9), id="a comment alone"),
        pytest.param("\n" * 700 + sentence(9), id="a part of blank lines"),
        pytest.param(sentence(9) + "\n" * 700, id="blank lines at the end"),
        pytest.param("\ufeff" + sentence(30), id="a mark in the middle"),
        pytest.param(sentence(9, "s1"), id="a name met before"),
        pytest.param(sentence(60, "long"), id="a sentence longer than a part"),
        pytest.param(sentence(9).replace("\n", "\r\n"), id="other ends of lines"),
    ],
)
def test_what_reaches_over_parts_comes_out_the_same(
    text: str, in_parts: pytest.MonkeyPatch
) -> None:
    around = [sentence(4 + i % 9, f"s{i}") for i in range(30)]
    for place in (0, 11, 30):
        side = source(*around[:place], text, *around[place:])
        parts, whole = both(in_parts, side, side)
        assert parts == whole


def test_gold_and_system_may_be_cut_at_different_sentences(
    in_parts: pytest.MonkeyPatch,
) -> None:
    gold = source(*(sentence(3 + i % 5) for i in range(50)))
    text = gold.single().decode().replace("_\t_\n", "_\tSpaceAfter=No\n")
    system = source(text)
    assert isinstance(read_gold(gold, parse(SCORER.options, {})), LargeTrees)
    parts, whole = both(in_parts, gold, system)
    assert parts == whole
    assert parts["measures"]["las"]["value"] == 1
    for cut in (17, 41):
        fewer = source(*(sentence(3 + i % 5) for i in range(cut)))
        for sides in ((gold, fewer), (fewer, gold)):
            parts, whole = both(in_parts, *sides)
            assert parts == whole


def test_more_lines_than_are_read_at_once_are_told_with_their_lines(
    in_parts: pytest.MonkeyPatch,
) -> None:
    in_parts.setattr(lines, "MOST_LINES", 100)
    texts = [sentence(3 + i % 5) for i in range(50)]
    gold = source(*texts)

    def refusal(*sentences: str) -> tuple[str, int | None]:
        found, problems = outcome(gold, source(*sentences))
        assert found is Refused
        return problems[0]["code"], problems[0].get("line")

    assert outcome(gold, gold)["measures"]["las"]["value"] == 1
    line = "".join(texts[:30]).count("\n") + 1
    odd = texts[30].replace("w1", "v1")
    assert refusal(*texts[:30], odd, *texts[31:]) == ("form", line)
    wrong = texts[30].replace("\t0\t", "\t77\t")
    assert refusal(*texts[:30], wrong, *texts[31:]) == ("head", line)
    assert refusal(*texts[:30]) == ("sentences", line - 2)
    more = "".join(texts).count("\n") + 1
    assert refusal(*texts, texts[0]) == ("sentences", more)


def test_no_more_lines_are_read_in_parts_than_that(
    in_parts: pytest.MonkeyPatch,
) -> None:
    in_parts.setattr(lines, "MOST_LINES", 100)
    in_parts.setattr(large_trees, "MOST_LINES", 200)
    gold = source(*(sentence(3 + i % 5) for i in range(50)))
    assert outcome(gold, gold)[1][0]["code"] == "size"
