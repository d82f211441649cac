"""Problems of a file that the reader would meet in later passes are listed at once."""

import pytest

from scoring import Source, check
from scoring.options import parse
from scoring.scorers import get

WORDS = ("The", "reed", "bends", "in", "wind")


def row(place: int, form: str, head: str = "0", relation: str = "dep") -> str:
    return f"{place}\t{form}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_"


def tree(number: int, head: str, relation: str) -> list[str]:
    rows = [row(i, form, head, relation) for i, form in enumerate(WORDS, 1)]
    return [f"# sent_id = s{number}", *rows, ""]


def conllu(head: str = "0", relation: str = "dep", sentences: int = 4) -> list[str]:
    return [line for n in range(sentences) for line in tree(n, head, relation)]


def problems(
    lines: list[str], blind: list[str], name: str = "attachment", **options: list[str]
) -> list[tuple[str, int | None]]:
    scorer = get(name)
    text = [
        Source.of_bytes(n, "\n".join(side).encode() + b"\n")
        for n, side in (("blind.conllu", blind), ("mine.conllu", lines))
    ]
    found = check(scorer, *text, parse(scorer.options, options))
    return [(p.code, p.line) for p in found]


BLIND = conllu("_", "_")


def test_one_upload_shows_columns_heads_and_words_that_are_wrong() -> None:
    lines = conllu()
    lines[1] = "\t".join(lines[1].split("\t")[:8])
    lines[9] = row(2, "reed", "99")
    lines[17] = row(3, "bends", "_")
    lines[24] = row(3, "bands")
    assert problems(lines, BLIND) == [
        ("columns", 2),
        ("head", 10),
        ("head", 18),
        ("form", 25),
    ]


def test_every_changed_word_is_listed_also_in_one_sentence() -> None:
    lines = conllu()
    lines[2], lines[4], lines[19] = (
        row(2, "rood"),
        row(4, "on"),
        row(5, "winds"),
    )
    assert problems(lines, BLIND) == [("form", 3), ("form", 5), ("form", 20)]


def test_a_repair_adds_no_problem_of_its_own() -> None:
    """The guess in place of a bad line makes a second root, which is nobody's fault."""
    lines = [line.replace("\t0\t", "\t1\t") for line in conllu()]
    for first in range(1, len(lines), 7):
        lines[first] = row(1, "The", "0")
    lines[10] = row(3, "bends", "99")
    assert problems(lines, BLIND, "attachment", roots=["single"]) == [("head", 11)]


def test_a_missing_sentence_is_named_beside_what_else_is_wrong() -> None:
    lines = conllu()
    lines[3] = row(3, "bends", "99")
    del lines[7:14]
    assert problems(lines, BLIND) == [("head", 4), ("sentences", 9)]


def test_at_most_twenty_are_listed_and_the_rest_counted() -> None:
    blind, lines = conllu("_", "_", 40), conllu("0", "dep", 40)
    for first in range(1, len(lines), 7):
        lines[first] = row(1, f"Tha{first}")
    found = problems(lines, blind)
    assert len(found) == 21 and found[-1][0] == "more_problems"


@pytest.mark.parametrize("reordered", [False, True])
def test_items_in_another_order_get_no_problem_that_is_not_theirs(
    reordered: bool,
) -> None:
    ids = [f"i{n}" for n in range(6)]
    sent = [f"{i},red" for i in (reversed(ids) if reordered else ids)]
    sent[2] = sent[2].replace("red", "")
    found = problems(
        ["id,label", *sent], ["id", *ids], "classes", labels=["red", "blue"]
    )
    assert found and {line for _code, line in found} == {4}


def test_what_is_packed_by_gzip_is_to_be_unpacked() -> None:
    zipped = Source.of_bytes("mine.conllu", b"\x1f\x8b\x08\xff")
    blind = Source.of_bytes("blind.conllu", "\n".join(BLIND).encode() + b"\n")
    (found,) = check(
        get("attachment"), blind, zipped, parse(get("attachment").options, {})
    )
    assert found.hint == "Unpack it and send the file that is in it."
