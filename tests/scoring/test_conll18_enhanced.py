"""ELAS and EULAS: worked by hand, and the counts of udtools 0.2.9 on made-up files."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.errors import Refused, SetupError
from scoring.laws import LAWS, Case, findings
from scoring.options import parse
from scoring.scorers import get, of_task
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.examples.conll18 import EXAMPLES
from tests.scoring.test_conllu_fuzz import mutant

RAW = {"roots": ["any"], "enhanced": ["true"]}
SCORER = of_task("conll18", RAW)
STORED = Path(__file__).with_name("udtools_counts.json")
PAIRS: list[dict[str, Any]] = json.loads(STORED.read_text("utf-8"))["enhanced"]


def counted(gold: Source, system: Source) -> Counts:
    options = parse(SCORER.options, RAW)
    return count(SCORER, read_pair(SCORER, gold, system, options), options)


def graph(*dependencies: str) -> Source:
    """A sentence of as many words, with these DEPS."""
    lines = [
        f"{i}\tw{i}\t_\t_\t_\t_\t{i - 1}\tdep\t{deps}\t_"
        for i, deps in enumerate(dependencies, 1)
    ]
    return Source.of_bytes("graph.conllu", ("\n".join(lines) + "\n\n").encode())


def value(counts: Counts, name: str) -> float:
    measure = SCORER.measure(name)
    return float(measure.of(counts.totals, counts.columns))


@loop_over("pair", PAIRS)
def test_counts_of_udtools_come_out(pair: dict[str, Any]) -> None:
    sides = (Source.of_bytes(n, pair[n].encode()) for n in ("gold", "system"))
    rows = SCORER.tables(counted(*sides), {})["scores"]
    for name, counts in pair["counts"].items():
        assert [rows[name][key] for key in ("correct", "gold", "system")] == counts


def test_a_case_worked_by_hand() -> None:
    gold = graph("0:root", "1:obl:in|3:nsubj", "1:conj:and>obl:in")
    system = graph("0:root|2:dep", "1:obl:on|3:nsubj", "1:conj>obl")
    counts = counted(gold, system)
    # The root and 3:nsubj; without subtypes the other two as well. 4 and 5 in all.
    assert (counts.total("elas"), counts.total("eulas")) == (2, 4)
    assert value(counts, "elas") == 4 / 9
    assert value(counts, "elas_precision") == 2 / 5
    assert value(counts, "eulas_recall") == 1


def test_dependencies_on_nodes_that_are_not_collapsed_are_left_out() -> None:
    gold = graph("0:root", "1:obj|1.1:nsubj")
    assert counted(gold, gold).total("edges_gold") == 2


def test_a_dependency_that_is_written_twice_counts_once() -> None:
    once, twice = graph("0:root", "1:obj"), graph("0:root", "1:obj|01:obj|1:obj")
    for gold, system in ((once, twice), (twice, once), (twice, twice)):
        counts = counted(gold, system)
        assert (counts.total("elas"), counts.total("edges_system")) == (2, 2)
        assert value(counts, "elas") == value(counts, "elas_precision") == 1


def test_variants_of_a_dependency_are_right_once_and_too_many_otherwise() -> None:
    gold = graph("0:root", "1:obl", "1:obj")
    system = graph("0:root", "1:obl|1:obl:x|1:obl:y", "2:obj")
    counts = counted(gold, system)
    assert (counts.total("eulas"), counts.total("edges_system")) == (2, 5)
    assert value(counts, "eulas") == 4 / 8


def test_as_many_variants_of_a_dependency_are_right_as_the_gold_has() -> None:
    gold = graph("0:root", "1:conj:and|1:conj:or")
    system = graph("0:root", "1:conj:x|1:conj:y|1:conj:z")
    counts = counted(gold, system)
    assert (counts.total("elas"), counts.total("eulas")) == (1, 3)


@pytest.mark.parametrize("deps", ["7:obj", "obj", "-1:obj", "x:obj", "1:obj|9:nsubj"])
def test_dependencies_on_no_word_are_refused_with_their_line(deps: str) -> None:
    gold = graph("0:root", "1:obj")
    with pytest.raises(Refused, match="expected a word from 0 to 2") as caught:
        counted(gold, graph("0:root", deps))
    assert caught.value.problems[0].line == 2
    with pytest.raises(SetupError, match="expected a word from 0 to 2"):
        counted(graph("0:root", deps), gold)


def test_deps_are_not_read_where_the_task_does_not_ask_for_them() -> None:
    scorer = get("conll18")
    options = parse(scorer.options, {})
    gold = graph("0:root", "nothing")
    counts = count(scorer, read_pair(scorer, gold, gold, options), options)
    assert "elas" not in counts.columns
    assert "elas" not in [one.name for one in of_task("conll18", {}).fixed_measures]


@loop_over("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_holds_for_enhanced_graphs(law: Any) -> None:
    assert findings(law, Case(SCORER, EXAMPLES[-1])) == []


@loop_over("seed", range(300))
def test_a_mutant_is_scored_or_refused_with_its_place(seed: int) -> None:
    gold, system = EXAMPLES[-1].gold, EXAMPLES[-1].systems[seed % 2]
    data = mutant(seed, system.single())
    try:
        counts = counted(gold, Source.of_bytes("mutant", data))
    except Refused as refusal:
        assert all(problem.file == "mutant" for problem in refusal.problems)
    else:
        assert 0 <= value(counts, "elas") <= value(counts, "eulas") <= 1
