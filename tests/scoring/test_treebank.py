"""WDE and STTR: worked by hand, from the formulas, and on the command line."""

import csv
import io
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.__main__ import main
from scoring.errors import SetupError
from scoring.scorers.treebanks import relations
from scoring.scorers.treebanks.commands import average, type_token_ratio, word_entropies
from scoring.source import Source
from tests.scoring import outside
from tests.scoring.conllu_cases import conllu, treebank

BANK = conllu(
    "the/2/det cat/0/root saw/2/acl:relcl the/5/det dog/3/obj",
    "the/2/det dog/0/root !/2/punct",
)


def test_a_relation_with_one_word_is_no_surprise() -> None:
    found = word_entropies(BANK)
    assert found.words == 8
    assert found.vocabulary == 5
    # root: cat and dog, one bit, of log2(5) bits.
    root = 1 / math.log2(5)
    expected = {"acl": 0, "det": 0, "obj": 0, "punct": 0, "root": root}
    assert found.relations == pytest.approx(expected, abs=1e-15)


def test_words_are_case_sensitive_and_subtypes_are_one_relation() -> None:
    found = word_entropies(conllu("The/0/x:a the/1/x:b THE/1/x"))
    assert found.vocabulary == 3
    assert found.relations == pytest.approx({"x": 1.0})


def test_a_treebank_of_one_word_form_has_entropy_zero() -> None:
    assert word_entropies(conllu("a/0/root a/1/dep")).relations == {"dep": 0, "root": 0}


def test_ranges_and_empty_nodes_are_no_words() -> None:
    bank = conllu("1-2/can't can/0/root n't/1/advmod 2.1/x")
    assert (word_entropies(bank).words, word_entropies(bank).vocabulary) == (2, 2)


def test_a_relation_that_a_treebank_lacks_counts_a_half_in_the_average() -> None:
    other = conllu("a/0/root b/1/nsubj c/1/nsubj")
    found = average({"one": word_entropies(BANK), "two": word_entropies(other)})
    assert found["nsubj"] == pytest.approx((0.5 + 1 / math.log2(3)) / 2)
    assert found["det"] == pytest.approx((0 + 0.5) / 2)
    assert found["root"] == pytest.approx((1 / math.log2(5) + 0) / 2)


WORDS = st.lists(
    st.tuples(st.sampled_from("abcdeABC"), st.sampled_from(["x", "y", "y:z"])),
    min_size=1,
)


@given(WORDS, st.randoms())
def test_the_formula_said_plainly_gives_the_same_and_order_no_other_digit(
    words: list[tuple[str, str]], random: Any
) -> None:
    def bank(pairs: list[tuple[str, str]]) -> Source:
        return conllu(" ".join(f"{form}/0/{relation}" for form, relation in pairs))

    found = word_entropies(bank(words)).relations
    vocabulary = len({form for form, _ in words})
    for relation in {relation[0] for _, relation in words}:
        met = Counter(form for form, r in words if r[0] == relation)
        shares = [count / met.total() for count in met.values()]
        bits = -sum(share * math.log(share) for share in shares)
        expected = bits / math.log(vocabulary) if vocabulary > 1 else 0
        assert found[relation] == pytest.approx(expected, abs=1e-12)
    shuffled = random.sample(words, len(words))
    assert word_entropies(bank(shuffled)).relations == found


def tokens(count: int, form: str = "w") -> Source:
    return conllu(" ".join(f"{form}{i % 400}/0/dep" for i in range(count)))


@pytest.mark.parametrize(
    ("count", "chunks", "ratio"),
    [(1, 0, None), (999, 0, None), (1000, 1, 0.4), (1999, 1, 0.4), (2000, 2, 0.4)],
)
def test_only_full_chunks_count(count: int, chunks: int, ratio: float | None) -> None:
    found = type_token_ratio(tokens(count))
    assert (found.tokens, found.chunks, found.sttr) == (count, chunks, ratio)


def test_chunks_run_over_the_ends_of_sentences() -> None:
    halves = [tokens(500).single(), tokens(500, "v").single()]
    found = type_token_ratio(Source.of_bytes("bank", b"".join(halves)))
    assert (found.chunks, found.sttr) == (1, 0.8)


def test_a_multiword_token_is_one_token() -> None:
    bank = conllu(
        " ".join(f"{2 * i + 1}-{2 * i + 2}/ab a/0/x b/0/x" for i in range(1000))
    )
    found = type_token_ratio(bank)
    assert (found.tokens, found.sttr) == (1000, 0.001)


def test_a_broken_treebank_is_refused_with_its_line() -> None:
    for figure in (word_entropies, type_token_ratio):
        with pytest.raises(SetupError) as error:
            figure(Source.of_bytes("bank", b"1\ta\n"))
        assert error.value.problems[0].line == 1


@pytest.fixture
def bank(tmp_path: Path) -> str:
    path = tmp_path / "bank.conllu"
    path.write_bytes(BANK.single())
    return f"one={path}"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def test_wde_prints_every_treebank_and_the_average(
    bank: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, "wde", bank)
    assert text.split("\n")[0].split() == ["relation", "weight", "one"]
    assert "one: 8 words, 5 distinct" in text
    found = json.loads(printed(capsys, "wde", bank, "--format", "json"))
    assert found["treebanks"]["one"]["words"] == 8
    assert found["average"] == found["treebanks"]["one"]["wde"]


def test_the_csv_of_wde_can_serve_as_weights(
    bank: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.conllu"
    other.write_bytes(conllu("a/0/root b/1/nsubj").single())
    text = printed(capsys, "wde", bank, f"two={other}", "--format", "csv")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["relation", "weight", "one", "two"]
    assert ["nsubj", "0.25", "n/a", "0.0"] in rows
    weights = relations.read_weights(Source.of_bytes("wde.csv", text.encode()))
    assert weights["nsubj"] == 0.25


def test_sttr_shows_the_number_of_chunks(
    bank: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "n/a" in printed(capsys, "sttr", bank)
    rows = list(
        csv.reader(io.StringIO(printed(capsys, "sttr", bank, "--format", "csv")))
    )
    assert rows == [["treebank", "sttr", "chunks", "tokens"], ["one", "n/a", "0", "8"]]
    found = json.loads(printed(capsys, "sttr", bank, "--format", "json"))
    assert found["treebanks"]["one"] == {"sttr": None, "chunks": 0, "tokens": 8}


@pytest.mark.parametrize("given", ["bank.conllu", "=bank.conllu", "name="])
def test_a_treebank_without_a_name_or_file_is_a_wrong_call(given: str) -> None:
    assert main(["wde", given]) == 64


def test_one_name_for_two_files_and_a_missing_file_are_wrong_calls(bank: str) -> None:
    assert main(["sttr", bank, bank]) == 64
    assert main(["sttr", "one=/nowhere/bank.conllu"]) == 64


@pytest.mark.published
def test_real_treebanks_give_function_relations_less_than_content_relations() -> None:
    found = word_entropies(treebank("English", "gold")).relations
    weights = relations.read_weights(
        Source.of_path(outside.published("ud12", "averaged_wde.csv"))
    )
    function = [found[r] for r in ("det", "case", "cc", "mark", "neg", "aux")]
    content = [found[r] for r in ("nmod", "conj", "root", "amod", "dobj", "acl")]
    assert max(function) < min(content)
    assert all(
        abs(found[r] - weights[r]) < 0.2 for r in ("nmod", "conj", "nsubj", "cc")
    )
