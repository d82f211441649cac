"""Example submissions: valid everywhere, and made of the blind file alone."""

from dataclasses import replace

import pytest

from scoring import Source, check
from scoring.examples import CannotGuess, make_guess
from scoring.options import parse
from scoring.scorer import Scorer
from scoring.scorers import get
from tests.loops import loop_over
from tests.scoring.examples import Example, all_examples, counting_scorers
from tests.scoring.examples.spans import GOLD, directory

CASES = {
    f"{name}-{number}": (scorer, example)
    for name, scorer in counting_scorers().items()
    for number, example in enumerate(all_examples()[name], 1)
}


@loop_over("case", CASES.values(), CASES)
def test_a_guess_of_every_scorer_passes_its_own_check(
    case: tuple[Scorer, Example],
) -> None:
    scorer, example = case
    options = example.parse_options(scorer)
    blind = scorer.blind(example.gold, options)
    guess = make_guess(scorer, blind, options)
    assert list(check(scorer, blind, guess, options)) == []
    assert make_guess(scorer, blind, options).files == guess.files


def test_every_registered_scorer_is_among_the_cases() -> None:
    assert {scorer.name for scorer, _ in CASES.values()} == set(counting_scorers())


def test_running_text_becomes_a_tree_per_line() -> None:
    scorer = get("conll18")
    blind = Source.of_bytes("boats.txt", b"Green boats drift\n\nthe end\n")
    guess = make_guess(scorer, blind, parse(scorer.options, {}))
    lines = guess.single().decode().split("\n")
    assert guess.name == "boats.conllu"
    assert lines[1] == "1\tGreen\tgreen\tX\t_\t_\t0\troot\t_\t_"
    assert lines[2] == "2\tboats\tboats\tX\t_\t_\t1\tdep\t_\t_"
    assert [line for line in lines if line.startswith("#")] == [
        "# sent_id = 1",
        "# sent_id = 2",
    ]


def test_a_text_names_the_words_of_its_graph() -> None:
    scorer = get("unl-text")
    blind = b"[S:1]\n{unl}\nagt(drift(icl>move), boat(icl>vessel).@pl)\n{/unl}\n[/S]"
    guess = make_guess(scorer, Source.of_bytes("b", blind), parse(scorer.options, {}))
    assert b"{en}\ndrift boat\n{/en}" in guess.single()


@pytest.mark.parametrize("wanted", ["mat-json", "xml-inline", "brat"])
def test_spans_are_written_in_the_format_of_submissions(wanted: str) -> None:
    scorer = get("spans")
    options = parse(scorer.options, {"format": [wanted]})
    blind = scorer.blind(directory("gold", GOLD), options)
    guess = make_guess(scorer, blind, options)
    assert list(check(scorer, blind, guess, options)) == []


def test_documents_get_the_ending_of_submissions() -> None:
    scorer = get("spans")
    raw = {"ref_suffix_off": [".out.json"], "ref_suffix_on": [".json"]}
    options = parse(scorer.options, raw)
    blind = scorer.blind(directory("gold", GOLD), options)
    guess = make_guess(scorer, blind, options)
    assert "calm.out.json" in guess.files
    assert list(check(scorer, blind, guess, options)) == []


def test_a_scorer_that_says_nothing_of_guesses_has_none() -> None:
    odd = replace(get("attachment"), guess=None)
    with pytest.raises(CannotGuess):
        make_guess(odd, Source.of_bytes("a", b"b"), parse(odd.options, {}))
