"""Hostile span files: a result or a refusal with an address, never a traceback."""

import json
import random
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import Source
from scoring.counts import Counts
from scoring.errors import MOST_PROBLEMS, Refused
from scoring.options import Options
from tests.loops import loop_over
from tests.properties import at_night
from tests.scoring import outside
from tests.scoring.damage import LONGEST_SECONDS, mutant
from tests.scoring.examples import Example
from tests.scoring.examples.spans import EXAMPLES
from tests.scoring.harbour import SPANS, document

SNIPPETS = [
    *(b"\n", b"\r\n", b"\r", b" ", b"\t", b"\0", b"\xff", b"\xc0\x80", b"\xef\xbb\xbf"),
    *(
        b"\xed\xa0\x80",
        b"\\ud800",
        b"\\u0000",
        "\u2028\x85\x0b\U0001f600e\u0301".encode(),
    ),
    *(b"[", b"]", b"{", b"}", b",", b'"', b"null", b"NaN", b"1e999", b"-1", b"9" * 30),
    *(
        b"<",
        b"</",
        b"/>",
        b"&",
        b"&#0;",
        b"<![CDATA[",
        b"<!DOCTYPE r>",
        b"<lex>",
        b"]]>",
    ),
    *(b"-DOCSTART-\n", b"B-", b"I-X", b"O", b"T1\tX 0 1\t", b"A1\tk T1", b"0;1 2"),
    *(b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"signal", b"asets", b"annots"),
]


def outcome(system: Source, options: Options, gold: Any) -> None:
    """Read and count in good time, or refuse with an address."""
    begun = process_time()
    try:
        answer = SPANS.read_system(system, options, gold)
    except Refused as refusal:
        assert 0 < len(refusal.problems) <= MOST_PROBLEMS + 1
        for problem in refusal.problems:
            assert problem.file and problem.message and problem.code
            assert str(problem).encode()
    else:
        counts: Counts = SPANS.count(gold, answer, options)
        assert SPANS.tables(counts, options)["tag"]
        assert all(len(row) == 10 for row in SPANS.details(gold, answer, options).rows)
    assert process_time() - begun < LONGEST_SECONDS


def attack(example: Example, mutants: int, seed: int) -> None:
    chance = random.Random(seed)
    options = example.parse_options(SPANS)
    gold = SPANS.read_gold(example.gold, options)
    sources = [example.gold, *example.systems]
    for _ in range(mutants):
        source = chance.choice(sources)
        name = chance.choice(list(source.files))
        broken = mutant(chance, source.files[name], SNIPPETS)
        outcome(Source(source.name, {**source.files, name: broken}), options, gold)


@loop_over("number", range(len(EXAMPLES)))
def test_mutated_files_are_scored_or_refused(number: int) -> None:
    attack(EXAMPLES[number], 150, number)


@pytest.mark.campaign
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_thousands_of_mutated_files_are_scored_or_refused(number: int) -> None:
    attack(EXAMPLES[number], 4000, 100 + number)


REAL_FILES = {
    "mat-json": ("voa", "ref"),
    "xml-inline": ("voa", "ref_xml"),
    "brat": ("voa", "ref_brat"),
    "conll": ("wnut17", "gold.conll"),
}


def real(kind: str, mutants: int) -> None:
    path = outside.published("spans", *REAL_FILES[kind])
    source = Source.of_path(path)
    attack(Example(source, [], {"format": [kind]}), mutants, 7)


@pytest.mark.published
@pytest.mark.parametrize("kind", REAL_FILES)
def test_mutated_real_files_are_scored_or_refused(kind: str) -> None:
    real(kind, 12)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", REAL_FILES)
def test_thousands_of_mutated_real_files_are_scored_or_refused(kind: str) -> None:
    real(kind, 1500)


LEAF = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
VALUE = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "name", "annots", "x"]), inner)
    ),
    max_leaves=8,
)
ROW = st.lists(st.integers(-2, 30) | VALUE, max_size=4) | VALUE
ASET = st.fixed_dictionaries(
    {"type": st.sampled_from(["X", "lex", "zone", "", "<all>", "Y"]) | VALUE},
    optional={
        "attrs": st.lists(st.sampled_from(["a", "b"]) | VALUE, max_size=2) | VALUE,
        "annots": st.lists(ROW, max_size=4) | VALUE,
        "hasID": st.booleans() | VALUE,
        "hasSpan": st.booleans() | VALUE,
    },
)
MAT = st.fixed_dictionaries(
    {
        "signal": st.just("Port Anser hailed Mira") | VALUE,
        "asets": st.lists(ASET, max_size=3) | VALUE,
        "version": st.sampled_from([1, 2]) | VALUE,
    }
)


@settings(max_examples=at_night(200))
@given(MAT | VALUE)
def test_any_json_is_scored_or_refused(value: Any) -> None:
    data = json.dumps(value).encode()
    example = Example(Source("gold", {"a.json": document({"X": [[0, 4]]})}), [])
    options = Example(example.gold, [], {"alias": ["Z=X[a=1]"]}).parse_options(SPANS)
    gold = SPANS.read_gold(example.gold, options)
    outcome(Source("system", {"a.json": data}), options, gold)


LINES = st.lists(
    st.sampled_from(["\n", "a\tB-X\n", "b I-Y\n", "-DOCSTART-\n"]) | st.text()
)
FORMATS = st.sampled_from(["conll", "brat", "xml-inline", "mat-json", "auto"])


@settings(max_examples=at_night(200))
@given(LINES, FORMATS)
def test_any_text_is_scored_or_refused_in_every_format(
    lines: list[str], kind: str
) -> None:
    data = "".join(lines).encode("utf-8", "surrogatepass")
    options = Example(Source("", {}), [], {"format": [kind]}).parse_options(SPANS)
    reference = Source("gold", {"a.json": document({"X": [[0, 4]]})})
    gold = SPANS.read_gold(reference, options)
    for source in (
        Source.of_bytes("a", data),
        Source("s", {"a.ann": data, "a.txt": b"Port Anser hailed Mira"}),
        Source.of_bytes("a.zip", data),
    ):
        outcome(source, options, gold)
