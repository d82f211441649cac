"""The kit's job for every scorer: examples that pass, and what it works out."""

import pytest

from leaderboard.sandbox.jobs.examples import examples
from scoring import Source, check
from scoring.formats.bundle import is_zip, zip_files
from scoring.sandbox.codec import Request
from scoring.scorer import Scorer
from tests.loops import loop_over
from tests.scoring.examples import Example, all_examples, counting_scorers

CASES = {
    f"{name}-{number}": (scorer, example)
    for name, scorer in counting_scorers().items()
    for number, example in enumerate(all_examples()[name], 1)
}


@loop_over("case", CASES.values(), ids=CASES)
def test_an_example_of_every_scorer_is_one_file_that_passes(
    case: tuple[Scorer, Example],
) -> None:
    scorer, example = case
    options = example.parse_options(scorer)
    blind = scorer.blind(example.gold, options)
    if len(blind.files) > 1:
        blind = zip_files("blind.zip", blind.files)
    request = Request.scoring(scorer.name, example.options, names=["north"])
    request.add(blind, blind)
    answer, (data,) = examples(request)
    ((test_set, name),), worked = answer["files"], answer["worked"]
    assert test_set == "north"
    sent = Source.of_bytes(name, data)
    assert list(check(scorer, blind, sent, options)) == []
    assert is_zip(sent) == is_zip(blind)
    assert worked["blind"] and worked["guess"]
    # The valid file scores as gold does, 0 in errors; the trivial one not better.
    perfect = {"1.000000", "0.000000"}
    assert any(best in perfect for _, best, _, _ in worked["scores"])
    assert any(best != value for _, best, value, _ in worked["scores"])


@pytest.mark.parametrize("scorer", ["table", "texts", "classes"])
def test_a_column_that_only_the_tasks_gold_has_keeps_no_example_away(
    scorer: str,
) -> None:
    blind = Source.of_bytes("blind.csv", b"id,phrase\na,one\nb,two\n")
    options: dict[str, list[str | Source]] = {"inputs": ["phrase"]}
    if scorer == "table":
        options["answer"] = ["english"]
    request = Request.scoring(scorer, options, names=["north"])
    request.add(blind, blind)
    answer, _files = examples(request)
    worked = answer["worked"]
    assert worked["blind"] and worked["guess"]
    assert scorer != "table" or worked["guess"].startswith("id,english\n")
