"""`edits` with matching=maxmatch: edits found in corrected texts."""

from typing import Any

import pytest

from scoring import Refused, Source
from scoring.engine import Job, check, count, evaluate, read_pair
from scoring.inspection import Inspection
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.edits.maxmatch import Lattice, found_edits, gold_edits
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over

EDITS = get("edits")
OPTIONS = parse(EDITS.options, {"matching": ["maxmatch"]})
JOB = Job(EDITS, OPTIONS, plan=Plan(resamples=0))


def edit(start: int, end: int, text: str, kind: str = "R:X", annotator: int = 0) -> str:
    return f"A {start} {end}|||{kind}|||{text}|||REQUIRED|||-NONE-|||{annotator}"


def gold(*sentences: list[str]) -> Source:
    """Sentences of M2, each with its lines of edits."""
    text = "\n\n".join("\n".join([f"S {one[0]}", *one[1:]]) for one in sentences)
    return Source.of_bytes("gold.m2", f"{text}\n".encode())


def texts(*lines: str) -> Source:
    return Source.of_bytes(
        "system.txt", "".join(f"{line}\n" for line in lines).encode()
    )


def counts(reference: Source, *lines: str) -> tuple[int, int, int]:
    """Right, too many and lacking."""
    pair = read_pair(EDITS, reference, texts(*lines), OPTIONS)
    found = count(EDITS, pair, OPTIONS).as_numbers()
    return int(found["tp"]), int(found["fp"]), int(found["fn"])


SAILS = gold(["The boats sails at noon", edit(2, 3, "sail"), edit(3, 4, "before")])


@loop_over(
    ("line", "expected"),
    [
        ("The boats sail before noon", (2, 0, 0)),
        ("The boats sail at noon", (1, 0, 1)),
        ("The boats sails at noon", (0, 0, 2)),
        # Another word, and one edit more: changes side by side are one edit.
        ("The boats sank before noon", (1, 1, 1)),
        ("The boat sank on noon", (0, 1, 2)),
        # Two unchanged words between changes: one edit; three: two.
        ("A boats sails on noon", (0, 1, 2)),
        ("A boats sails at dawn", (0, 2, 2)),
    ],
)
def test_edits_are_found_in_a_text_as_worked_by_hand(
    line: str, expected: tuple[int, int, int]
) -> None:
    assert counts(SAILS, line) == expected


def test_an_edit_of_the_gold_is_found_whatever_its_extent() -> None:
    """The annotator took two words together, and one unchanged word among them."""
    wide = gold(["They has went home", edit(1, 3, "have gone")])
    assert counts(wide, "They have gone home") == (1, 0, 0)
    unchanged = gold(["They has went home", edit(0, 2, "They have")])
    assert counts(unchanged, "They have went home") == (1, 0, 0)
    narrow = gold(["They has went home", edit(1, 2, "have"), edit(2, 3, "gone")])
    assert counts(narrow, "They have gone home") == (2, 0, 0)


def test_insertions_and_deletions_are_edits() -> None:
    both = gold(["Ada buy lamp now now", edit(2, 2, "a"), edit(3, 4, "-NONE-")])
    assert counts(both, "Ada buy a lamp now") == (2, 0, 0)
    assert counts(both, "Ada buy lamp now") == (1, 0, 1)


def test_any_of_several_corrections_is_right_and_an_insertion_counts_once() -> None:
    either = gold(["Ada buy lamp", edit(2, 2, "a||the")])
    assert counts(either, "Ada buy the lamp") == (1, 0, 0)
    once = gold(["Ada buy lamp", edit(2, 2, "a")])
    assert counts(once, "Ada buy a a lamp") == (1, 1, 0)


def test_the_annotator_counts_who_gives_the_best_score_so_far() -> None:
    two = gold(
        ["The boats sails", edit(2, 3, "sail"), edit(1, 2, "boat", annotator=1)],
        ["It is late", edit(-1, -1, "-NONE-", "noop"), edit(2, 3, "dark", annotator=1)],
    )
    assert counts(two, "The boat sails", "It is late") == (1, 0, 0)


def test_scores_are_those_of_the_counts() -> None:
    """Of 3 edits found 2 are right, of 4 of the gold 2."""
    reference = gold(
        ["The boats sails at noon", edit(2, 3, "sail"), edit(3, 4, "before")],
        ["Ada buy lamp", edit(1, 2, "buys"), edit(2, 2, "a")],
    )
    system = texts("The boats sail before noon", "Ada bought lamp")
    found = evaluate(JOB, reference, system).measures
    assert found["precision"].value == 2 / 3
    assert found["recall"].value == 2 / 4
    assert found["f05"].value == pytest.approx(1.25 * 2 / (0.25 * 4 + 3))


def test_a_submission_in_m2_is_the_text_that_it_makes() -> None:
    assert evaluate(JOB, SAILS, SAILS).measures["f05"].value == 1


def test_sentences_without_a_correction_of_any_word() -> None:
    nothing = gold(["It is late", edit(-1, -1, "-NONE-", "noop")])
    assert counts(nothing, "It is late") == (0, 0, 0)
    assert counts(nothing, "It is dark") == (0, 1, 0)
    assert counts(gold(["It is late"], ["Yes"]), "It is late", "") == (0, 1, 0)


def test_another_number_of_lines_is_refused() -> None:
    (problem,) = check(EDITS, EDITS.blind(SAILS, OPTIONS), texts("a", "b"), OPTIONS)
    assert (problem.line, problem.message) == (2, "lines found: 2; expected: 1.")


def test_texts_that_are_too_long_to_be_aligned_are_refused_with_their_lines() -> None:
    long = " ".join("ab" * 200)
    with pytest.raises(Refused, match=r"system\.txt:1: the text has 400 words"):
        read_pair(EDITS, gold([long]), texts(long), OPTIONS)


def test_while_gold_is_hidden_the_view_shows_the_edits_of_the_text_alone() -> None:
    blind = EDITS.read_blind(EDITS.blind(SAILS, OPTIONS), OPTIONS)
    system = EDITS.read_system(texts("The boats sank before noon"), OPTIONS, blind)
    assert EDITS.stand_in and EDITS.inspect
    own = EDITS.stand_in(blind, system, OPTIONS)
    shown: Inspection = EDITS.inspect(own, system, OPTIONS)
    rows = shown.picture(0).sheet.rows
    assert [row[:2] for row in rows] == [("match", "2-4 sails at")]


def best(words: str, text: str, edits: list[tuple[int, int, str, str]]) -> Any:
    lattice = Lattice(tuple(words.split()), tuple(text.split()))
    return found_edits(lattice, gold_edits(edits))


def test_many_equal_words_take_no_long_time() -> None:
    found = best("a " * 250, "a " * 200, [(0, 1, "R:X", "a")])
    assert sum(end - start - len(words) for start, end, words, _ in found) == 50


def test_a_corrected_text_of_very_many_words_is_refused_with_its_line() -> None:
    scorer = get("edits")
    options = parse(scorer.options, {"matching": ["maxmatch"]})
    gold = scorer.read_gold(Source.of_bytes("gold", b"S a b\n\n"), options)
    with pytest.raises(Refused) as caught:
        scorer.read_system(Source.of_bytes("mine", b"x " * 1_001), options, gold)
    assert [(one.code, one.line) for one in caught.value.problems] == [("size", 1)]
