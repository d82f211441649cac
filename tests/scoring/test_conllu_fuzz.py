"""Mutants of valid files: each one is scored or refused with an address."""

from collections.abc import Callable
from random import Random

import pytest

from scoring.engine import count, read_pair
from scoring.errors import Refused, SetupError
from scoring.options import parse
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.scorers.treebanks import relations
from scoring.scorers.treebanks.commands import type_token_ratio, word_entropies
from scoring.source import Source
from tests.scoring.conllu_cases import TREEBANKS, treebank
from tests.scoring.examples.attachment import GOLD as TREES
from tests.scoring.examples.conll18 import GOLD as TEXT

JUNK = (
    b"\t",
    b"\n",
    b"\n\n",
    b"\r",
    b"\r\n",
    b"#",
    b"-",
    b".",
    b"_",
    b"0",
    b"99999999999",
    b"-1",
    b"1-2",
    b"2-1",
    b"1.1",
    b" ",
    b"\xc2\xa0",
    b"\xe2\x80\xa8",
    b"\x0b",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"# newdoc\n",
    b"# sent_id = 1\n",
    b"0\troot",
    b"'",
    b"=",
    b"\xcc\x81",
    b"e" * 600,
)
STEP: dict[str, Callable[[Random, bytearray], None]] = {}
GOLDS = {"attachment": TREES, "conll18": TEXT}
RUNS = [("attachment", "any"), ("attachment", "single"), ("conll18", "any")]


def step(change: Callable[[Random, bytearray], None]) -> None:
    STEP[change.__name__] = change


@step
def insert(random: Random, data: bytearray) -> None:
    place = random.randint(0, len(data))
    data[place:place] = random.choice(JUNK)


@step
def remove(random: Random, data: bytearray) -> None:
    place = random.randint(0, len(data))
    del data[place : place + random.choice((1, 1, 2, 5, 40))]


@step
def replace(random: Random, data: bytearray) -> None:
    if data:
        data[random.randrange(len(data))] = random.choice(b"\t\n\r0129-._#a\x80 ")


@step
def swap_lines(random: Random, data: bytearray) -> None:
    lines = data.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    data[:] = b"\n".join(lines)


@step
def repeat_line(random: Random, data: bytearray) -> None:
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    lines.insert(place, lines[place])
    data[:] = b"\n".join(lines)


@step
def change_field(random: Random, data: bytearray) -> None:
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    fields = lines[place].split(b"\t")
    fields[random.randrange(len(fields))] = random.choice(JUNK)
    lines[place] = b"\t".join(fields)
    data[:] = b"\n".join(lines)


def mutant(seed: int, data: bytes) -> bytes:
    random = Random(seed)
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        STEP[random.choice(sorted(STEP))](random, changed)
    return bytes(changed)


def outcome(scorer: Scorer, gold: Source, system: Source, roots: str) -> str:
    """The outcome of a file; anything but a score or a refusal is raised."""
    options = parse(scorer.options, {"roots": [roots]})
    try:
        pair = read_pair(scorer, gold, system, options)
        counts = count(scorer, pair, options)
        assert list(scorer.details(*pair, options).rows) != []
    except Refused as refusal:
        assert all(problem.file == system.name for problem in refusal.problems)
        assert refusal.problems[0].message
        return "refused"
    assert (counts.table >= 0).all()
    return "scored"


def campaign(gold: Source, name: str, roots: str, seeds: range) -> set[str]:
    scorer, data = get(name), gold.single()
    return {
        outcome(scorer, gold, Source.of_bytes("system", mutant(seed, data)), roots)
        for seed in seeds
    }


@pytest.mark.parametrize(("name", "roots"), RUNS)
@pytest.mark.parametrize(
    "seeds", [range(400), pytest.param(range(400, 1500), marks=pytest.mark.thorough)]
)
def test_a_mutant_is_scored_or_refused(name: str, roots: str, seeds: range) -> None:
    assert campaign(GOLDS[name], name, roots, seeds) == {"scored", "refused"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "roots"), RUNS)
def test_ten_thousand_mutants_are_scored_or_refused(name: str, roots: str) -> None:
    seeds = range(10_000, 20_000)
    assert campaign(GOLDS[name], name, roots, seeds) == {"scored", "refused"}


@pytest.mark.slow
@pytest.mark.parametrize("name", GOLDS)
@pytest.mark.parametrize("language", TREEBANKS)
def test_mutants_of_real_files_are_scored_or_refused(language: str, name: str) -> None:
    text = treebank(language, "gold").single()
    start = b"\n\n".join(text.split(b"\n\n")[:8]) + b"\n\n"
    gold = Source.of_bytes("gold", start)
    assert campaign(gold, name, "any", range(5000)) == {"scored", "refused"}


@pytest.mark.parametrize("name", GOLDS)
def test_a_mutant_of_the_gold_is_read_or_a_matter_for_the_organizer(name: str) -> None:
    scorer = get(name)
    options = parse(scorer.options, {})
    for seed in range(400):
        source = Source.of_bytes("gold", mutant(seed, GOLDS[name].single()))
        for read in (scorer.read_gold, scorer.read_blind, scorer.blind):
            try:
                read(source, options)
            except SetupError as error:
                assert error.problems[0].message


@pytest.mark.parametrize("figure", [word_entropies, type_token_ratio])
def test_a_mutant_of_a_treebank_is_read_or_refused(
    figure: Callable[[Source], object],
) -> None:
    for seed in range(300):
        source = Source.of_bytes("treebank", mutant(seed, TEXT.single()))
        try:
            figure(source)
        except SetupError as error:
            assert error.problems[0].message


def test_a_mutant_of_the_weights_is_read_or_refused() -> None:
    rows = b'relation,weight\nnsubj,0.7\nobj,1\n"det",0.25\n'
    for seed in range(600):
        source = Source.of_bytes("weights.csv", mutant(seed, rows))
        try:
            weights = relations.read_weights(source)
        except SetupError as error:
            assert error.problems[0].file == "weights.csv"
        else:
            assert all(0 <= weight < 1000 for weight in weights.values())
