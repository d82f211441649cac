"""Answers shown by themselves: everything of the answer, and nothing of the gold."""

import json

from scoring.engine import count, read_pair
from scoring.inspection import ItemTable, Picture
from scoring.inspection.own import LONGEST, excerpt, own_side, own_units
from scoring.scorers import get
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.examples import Example, counting_scorers, examples_of

# Their units are stretches of the gold, and where they begin is part of the answer.
WITHOUT = {"conll18", "simultaneous"}


@loop_over("name", sorted({*counting_scorers()} - WITHOUT))
def test_every_scorer_shows_an_answer_by_itself_under_the_names_of_its_units(
    name: str,
) -> None:
    scorer = get(name)
    for example in examples_of(name):
        options = example.parse_options(scorer)
        blind, system = scorer.blind(example.gold, options), example.systems[-1]
        pair = read_pair(scorer, example.gold, system, options)
        names = count(scorer, pair, options).units
        found = own_units(scorer, blind, system, options, names)
        assert found
        assert {*found} <= {*names}
        for unit in found.values():
            sheet = unit["picture"]["sheet"]
            assert not any(c.startswith("gold_") for c in sheet["columns"])
            assert not any(sheet["wrong"])
            assert len(unit["excerpt"]) <= LONGEST + 1
            json.dumps(unit, allow_nan=False)


def test_what_was_asked_stands_before_the_label_that_was_given() -> None:
    scorer, options = get("classes"), Example(Source("gold", {}), []).options
    blind = Source.of_bytes("blind.csv", b"id,text\nq1,Where is the pier?\n")
    system = Source.of_bytes("sent.csv", b"id,label\nq1,question\n")
    parsed = Example(blind, [system], options).parse_options(scorer)
    found = own_units(scorer, blind, system, parsed, ["q1"])
    assert found["q1"]["excerpt"] == "Where is the pier? \N{MIDDLE DOT} question"


def test_a_file_that_cannot_be_read_against_the_published_one_shows_nothing() -> None:
    scorer = get("classes")
    blind = Source.of_bytes("blind.csv", b"id\nq1\n")
    system = Source.of_bytes("sent.csv", b"id,label\nq2,question\n")
    options = Example(blind, [system]).parse_options(scorer)
    assert own_units(scorer, blind, system, options, ["q1"]) == {}


def test_columns_of_gold_and_verdicts_are_left_out() -> None:
    sheet = ItemTable(
        ("verdict", "gold_tag", "system_tag", "grade"),
        (("match", "secret", "A", 3), ("missing", "secret", None, 2)),
        ((), ("missing",)),
        ("verdict", "grade"),
    )
    picture = Picture(sheet, lines=(("secret",), ("A",)), texts=("secret", "plain"))
    own = own_side(picture)
    assert own.sheet.columns == ("system_tag",) and own.sheet.rows == (("A",),)
    assert "secret" not in repr(own)


def test_a_long_text_is_cut() -> None:
    long = excerpt(Picture(ItemTable((), (), ()), text="tide " * 100))
    assert len(long) <= LONGEST + 1 and long.endswith("\N{HORIZONTAL ELLIPSIS}")
