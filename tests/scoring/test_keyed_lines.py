"""Lines that begin with their ids: Kaldi's text files, and numbers before a tab."""

from random import Random
from typing import Any

import pytest

from scoring.engine import Job, evaluate, examine
from scoring.errors import Refused
from scoring.formats.text_forms import with_keys
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over

NAMES = ("transcripts", "translation", "texts")
KALDI = "utt1 the cat sat\nutt2 on mat\n"
TURNED = "utt2 on mat\nutt1 the cat sat\n"
FILES = {
    "Kaldi": (KALDI, TURNED),
    "Kaldi with dashes": (
        "1089-13-0 so it is\n1089-13-1 then\n",
        "1089-13-1 then\n1089-13-0 so it is\n",
    ),
    "numbers and tabs": ("1\tso it is\n2\tthen\n", "2\tthen\n1\tso it is\n"),
    "ids and tabs": ("s-1\tso it\ns-2\tthen\n", "s-2\tthen\ns-1\tso it\n"),
    "trn": ("so it is (s-u1)\nthen (s-u2)\n", "then (s-u2)\nso it is (s-u1)\n"),
    "a noise in parentheses": ("u1 so (noise)\nu2 then\n", "u2 then\nu1 so (noise)\n"),
    "a table": ("id,text\nutt1,the cat sat\nutt2,on mat\n", TURNED),
    "against a table": (KALDI, "id\ttext\nutt2\ton mat\nutt1\tthe cat sat\n"),
}
OTHERS = {
    "no digits": "the cat\non mat\n",
    "one line": "utt1 the cat\n",
    "a key twice": "utt1 the cat\nutt1 the mat\n",
    "numbers and spaces": "3 cats\n4 mats\n",
    "numbered, with a space": "1. so it is\n2. then\n",
    "keys alone": "b2b\ng20\n",
    "a header": "id\ttext\nutt1\tthe cat\n",
    "not all": "utt1 the cat\nand a mat\n",
    "other parentheses": "so (he said)\nthen (laughs)\n",
    "two tabs": "1\ta\tb\n2\tc\td\n",
}


def source(text: str) -> Source:
    return Source.of_bytes("a.txt", text.encode())


def result(name: str, gold: str, sent: str) -> Any:
    scorer = get(name)
    job = Job(scorer, parse(scorer.options, {}), plan=Plan(resamples=0))
    return evaluate(job, source(gold), source(sent))


@loop_over("case", FILES)
def test_lines_are_paired_by_their_ids(case: str) -> None:
    gold, sent = FILES[case]
    assert result("transcripts", gold, sent).measures["wer"].value == 0
    assert result("translation", gold, sent).measures["chrf"].value == 1
    assert result("texts", gold, sent).measures["exact_match"].value == 1


def test_the_ids_are_no_words() -> None:
    found = result("transcripts", KALDI, "utt1 the cat sat\nutt2 a\n")
    # Two of five words are wrong: one replaced, one left out.
    assert found.measures["wer"].value == 2 / 5
    assert any("its own" in remark for remark in found.remarks)


@loop_over("case", OTHERS)
def test_other_lines_stay_lines(case: str) -> None:
    assert with_keys(OTHERS[case], "text") == ""


@loop_over("name", NAMES)
def test_a_task_of_such_lines_can_be_set_up(name: str) -> None:
    scorer = get(name)
    options = parse(scorer.options, {})
    blind = scorer.blind(source(KALDI), options)
    assert b"cat" not in blind.single()
    assert scorer.guess and scorer.spoil
    guess = Source(blind.name, scorer.guess({blind.name: blind.single()}, options))
    for sent in (source(TURNED), guess, scorer.perfect(source(KALDI), options)):
        assert not examine(scorer, blind, sent, options).problems
        assert result(name, KALDI, sent.single().decode()).units == 2
    spoiled = scorer.spoil({"a.txt": KALDI}, 1.0, Random(1))["a.txt"]
    assert result(name, KALDI, spoiled).units == 2


@loop_over("sent", [KALDI, "1\tso\n2\tthen\n"])
def test_ids_are_refused_where_lines_alone_are_expected(sent: str) -> None:
    with pytest.raises(Refused, match="each line has an id"):
        result("translation", "the cat sat\non mat\n", sent)
