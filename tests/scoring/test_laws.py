"""Laws that hold for every registered scorer, on the examples beside them."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from scoring.__main__ import main
from scoring.counts import Counts
from scoring.laws import LAWS, Case, Law, findings, own_example
from scoring.options import Options
from tests.loops import loop_over
from tests.scoring.examples import all_examples, counting_scorers
from tests.scoring.toy import TOY, Answers, registered


@cache
def cases() -> dict[str, Case]:
    return {
        f"{name}:{number}": Case(scorer, example)
        for name, scorer in counting_scorers().items()
        for number, example in enumerate(all_examples().get(name, ()), 1)
    }


def test_every_scorer_has_examples() -> None:
    examples = all_examples()
    assert [name for name in counting_scorers() if not examples.get(name)] == []


def test_every_example_has_a_scorer_and_systems() -> None:
    for name, examples in all_examples().items():
        assert name in counting_scorers()
        assert all(example.systems for example in examples)


def test_every_scorer_offers_slices_of_an_example() -> None:
    sliced: set[str] = set()
    for case in cases().values():  # the first that has some is enough
        name = case.scorer.name
        if name not in sliced and case.counts(case.perfect).groups:
            sliced.add(name)
    assert set(counting_scorers()) - sliced == set()


@pytest.mark.sampled(7, by="case")
@pytest.mark.parametrize("case", cases())
@loop_over("law", LAWS)
def test_a_law_holds(case: str, law: Law) -> None:
    assert findings(law, cases()[case]) == []


# The classes of its example stand in a taxonomy, which is an option.
SHOWN = [name for name in counting_scorers() if name != "semarkup"]


@pytest.mark.sampled(4, by="name")
@pytest.mark.parametrize("name", SHOWN)
def test_laws_hold_for_the_example_that_a_scorer_shows(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["laws", name]) == 0, capsys.readouterr().out
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"{len(LAWS)} of {len(LAWS)} laws hold for {name}"
    assert len(own_example(counting_scorers()[name]).systems) > 1


def test_files_of_the_author_are_taken_with_their_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, system = tmp_path / "gold.csv", tmp_path / "system.csv"
    gold.write_text("id,label\na,yes\nb,no\n", "utf-8")
    system.write_text("id,label\na,no\nb,no\n", "utf-8")
    words = ["laws", "classes", "--gold", str(gold), "-o", "labels=yes,no"]
    assert main(words) == 0
    assert main([*words, "--system", str(system)]) == 0
    assert main(["laws", "classes", "--system", str(system)]) == 64
    assert "needs the --gold" in capsys.readouterr().err


def test_a_gold_that_cannot_be_read_is_told_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["laws", "semarkup"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"]


def test_what_counts_nothing_has_no_laws(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["laws", "program"]) == 64
    assert "counts nothing by itself" in capsys.readouterr().err


def test_a_scorer_that_breaks_laws_is_told_which_and_where(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def count(gold: Answers, system: Answers, options: Options) -> Counts:
        found = TOY.count(gold, system, options)
        return replace(found, table=found.table / 3)

    with registered(scorer=replace(TOY, count=count)):
        assert main(["laws", "toy"]) == 1
    found = capsys.readouterr().out
    assert "failed  counts are whole and small enough to be exact" in found
    assert "example: all holds 0.3333333333333333: see fixed_point" in found
    assert "ok      nothing beats the gold itself" in found
