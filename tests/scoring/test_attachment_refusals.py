"""What `attachment` refuses, on which side and where."""

from typing import Any

import pytest

from scoring.errors import Refused, SetupError
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.conllu_cases import conllu
from tests.scoring.test_attachment import GOLD, SYSTEM, counted, scores


def refusal(system: Source, gold: Source = GOLD, **options: Any) -> tuple[str, Any]:
    with pytest.raises(Refused) as error:
        counted(gold, system, **options)
    problem = error.value.problems[0]
    return problem.code, problem.line


def changed(old: str, new: str) -> Source:
    text = GOLD.single().decode()
    assert old in text
    return Source.of_bytes("system.conllu", text.replace(old, new).encode())


def test_the_first_other_word_is_refused_at_its_line() -> None:
    assert refusal(changed("pier", "quay")) == ("form", 5)
    assert refusal(changed("fog", "fo\u0301g")) == ("form", 8)


def test_another_normal_form_is_refused_and_told() -> None:
    with pytest.raises(Refused) as error:
        counted(changed("fog", "fóg"), changed("fog", "fo\u0301g"))
    (problem,) = error.value.problems
    assert (problem.line, problem.code) == (8, "form")
    assert "Unicode normal form" in problem.hint


@loop_over("head", ["7", "-1", "_", "", "1.0", "two", "99999999999999999"])
def test_a_head_that_is_no_word_of_the_sentence_is_refused_at_its_line(
    head: str,
) -> None:
    assert refusal(changed("\t5\tamod", f"\t{head}\tamod")) == ("head", 4)


def test_a_padded_head_is_the_same_number() -> None:
    for head in ("02", " 2", "+2"):
        system = changed("\t2\tnsubj:pass", f"\t{head}\tnsubj:pass")
        assert scores(GOLD, system)["uas"] == 1


@loop_over("identity", ["7", "a", "", "0", "-4", "4-", "4.5.6"])
def test_words_that_are_not_numbered_in_a_row_are_refused(identity: str) -> None:
    assert refusal(changed("4\told", f"{identity}\told")) == ("word_id", 4)


def test_missing_and_further_words_are_refused() -> None:
    longer = conllu(
        "gulls/2/nsubj circle/0/root the/4/det old/5/amod pier/2/nmod ./2/punct x/0/x",
        "fog/2/nsubj:pass lifted/0/root ./2/punct",
    )
    assert refusal(longer) == ("words", 6)
    shorter = conllu(
        "gulls/2/nsubj circle/0/root the/4/det old/5/amod pier/2/nmod ./2/punct",
        "fog/2/nsubj:pass lifted/0/root",
    )
    assert refusal(shorter) == ("words", 9)


def test_missing_and_further_sentences_are_refused() -> None:
    text = GOLD.single()
    more = Source.of_bytes("system", text + text)
    assert refusal(more) == ("sentences", 12)
    fewer = Source.of_bytes("system", text.split(b"\n\n")[0])
    assert refusal(fewer) == ("sentences", 6)


def test_a_sentence_without_words_is_refused() -> None:
    text = GOLD.single() + b"1.1\tx" + b"\t_" * 8 + b"\n\n"
    assert refusal(Source.of_bytes("system", text)) == ("no_words", 12)


def test_single_roots_are_asked_of_both_sides() -> None:
    two, one = conllu("a/0/root b/0/root"), conllu("a/0/root b/1/dep")
    assert refusal(two, one, roots="single") == ("roots", 1)
    with pytest.raises(SetupError):
        counted(two, one, roots="single")


def test_several_files_are_refused() -> None:
    several = Source("upload", {"a.conllu": b"", "b.conllu": b""})
    assert refusal(several) == ("one_file", None)
    with pytest.raises(SetupError):
        counted(several, SYSTEM)


@loop_over(
    ("rows", "lines"),
    [
        (b"nsubj,0.5\nnsubj,0.6", [2]),
        (b"relation,weight\nnsubj,-1\nobj,nan\ndet,x\nroot", [2, 3, 4, 5]),
        (b",0.5\nobj,1001", [1, 2]),
        (b"relation,weight\n", [None]),
        (b"\n", [None]),
        (b"nsubj,\xff", [1]),
    ],
)
def test_bad_weights_are_a_matter_for_the_organizer(
    rows: bytes, lines: list[int | None]
) -> None:
    with pytest.raises(SetupError) as error:
        counted(GOLD, SYSTEM, weights=Source.of_bytes("weights.csv", rows))
    assert [problem.line for problem in error.value.problems] == lines


def test_a_weight_that_is_too_large_is_told_the_largest() -> None:
    weights = Source.of_bytes("weights.csv", b"root,1000\nobj,1001")
    with pytest.raises(SetupError, match="from 0 to 1000,") as error:
        counted(GOLD, SYSTEM, weights=weights)
    assert [problem.line for problem in error.value.problems] == [2]


@pytest.mark.parametrize(
    "lists", [{"content": "det,obj", "function": "det"}, {"function": "nmod:of"}]
)
def test_lists_that_cannot_be_meant_are_a_matter_for_the_organizer(
    lists: dict[str, str],
) -> None:
    with pytest.raises(SetupError):
        counted(GOLD, SYSTEM, **lists)
