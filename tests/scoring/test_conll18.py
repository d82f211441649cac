"""CoNLL 2018 scores: pairing worked by hand, sentences, refusals, the raw text."""

from typing import Any

import pytest

from scoring.counts import Counts
from scoring.engine import check, count, read_pair
from scoring.errors import Refused, SetupError
from scoring.options import parse
from scoring.scorers.conll18 import SCORER, alignment
from scoring.scorers.conll18.alignment import common
from scoring.scorers.conll18.surface import SPACES, without_spaces
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.conllu_cases import conllu
from tests.scoring.examples.conll18 import GOLD, OTHER_TOKENS

ANY = parse(SCORER.options, {"roots": ["any"]})


def counted(gold: Source, system: Source, **options: Any) -> Counts:
    parsed = parse(SCORER.options, {name: [v] for name, v in options.items()})
    return count(SCORER, read_pair(SCORER, gold, system, parsed), parsed)


def chain(*tokens: str) -> Source:
    """Tokens as `form` or `form=word+word`, each word below the one before."""
    items, place = [], 0
    for token in tokens:
        form, _, inside = token.partition("=")
        words = inside.split("+") if inside else [form]
        if inside:
            items.append(f"{place + 1}-{place + len(words)}/{form}")
        for word in words:
            items.append(f"{word}/{place}/dep")
            place += 1
    return conllu(" ".join(items))


def pairs(gold: Source, system: Source) -> list[tuple[str, str]]:
    """Forms of the paired words."""
    found = SCORER.details(*read_pair(SCORER, gold, system, ANY), ANY)
    return [(row[2], row[4]) for row in found.rows if row[2] and row[4]]  # type: ignore[misc]


@loop_over(
    ("gold", "system", "expected"),
    [
        # No multiword tokens: words pair when they are the same characters.
        ("sea gull", "seagull", ""),
        ("sea gull s", "sea gulls", "sea"),
        # A multiword token on one side: its words against what it covers.
        ("wont=wo+nt", "wo nt", "wo nt"),
        ("wont=will+not", "wo nt", ""),
        ("wont=WO+not", "wo nt", "WO"),
        # What sticks out of a multiword token is no part of it.
        ("ab=a+b c", "a bc", "a"),
        ("ab=a+b cd=bc+d", "a bc d", "a d"),
        # Multiword tokens that overlap make one stretch.
        ("abc=a+b+c de=d+e", "a bcd=b+c+d e", "a b c d e"),
        ("ab=x+b cd=c+y", "a bc=b+c d", "b c"),
        # Different tokens just before a multiword token are drawn into it when they
        # lie behind it on the other side: here b and c.
        ("abcd ef=b+c", "a b c d e f", "b c"),
    ],
)
def test_words_are_paired(gold: str, system: str, expected: str) -> None:
    found = pairs(chain(*gold.split()), chain(*system.split()))
    assert " ".join(left for left, _ in found) == expected
    assert all(left.lower() == right.lower() for left, right in found)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "abc", []),
        ("abc", "abc", [(0, 0), (1, 1), (2, 2)]),
        ("abc", "xbz", [(1, 1)]),
        ("ab", "ba", [(1, 0)]),
        ("aab", "ab", [(0, 0), (2, 1)]),
    ],
)
def test_ties_of_common_subsequences_are_broken_in_order(
    first: str, second: str, expected: list[tuple[int, int]]
) -> None:
    assert common(first, second) == expected


def test_what_the_system_adds_counts_where_it_begins() -> None:
    counts = counted(GOLD, OTHER_TOKENS)
    system = counts.table[:, counts.columns.index("words_system")]
    # can, 't, wait! | the, har, bour, sleeps | dame, lo, .
    assert system.tolist() == [3, 4, 3]
    sentences = counts.table[:, counts.columns.index("sentences_system")]
    assert sentences.tolist() == [1, 1, 0]
    assert counts.total("sentences") == 0
    documents = counts.by("document")
    column = documents.table[:, documents.columns.index("words_system")]
    assert column.tolist() == [7, 3]


def test_a_gold_lemma_of_none_asks_for_nothing() -> None:
    gold = conllu("a/0/root/_/X/_ b/1/obj/b/X/_")
    system = conllu("a/0/root/anything/X/_ b/1/obj/_/X/_")
    found = counted(gold, system)
    assert found.total("lemmas") == 1
    assert found.total("blex") == 1


def test_only_universal_features_count_in_any_order() -> None:
    gold = conllu("a/0/root/a/X/Case=Nom|Own=1|Number=Sing")
    for feats, right in (
        ("Number=Sing|Case=Nom", 1),
        ("Number=Sing|Case=Nom|Mine=2", 1),
        ("Case=Nom", 0),
        ("Case=Nom|Case=Nom|Number=Sing", 0),
        ("_", 0),
    ):
        found = counted(gold, conllu(f"a/0/root/a/X/{feats}"))
        assert found.total("ufeats") == right


def test_function_words_below_decide_about_mlas() -> None:
    gold = conllu("the/2/det cat/0/root has/4/aux slept/2/acl")
    for system, right in (
        ("the/2/det cat/0/root has/4/aux slept/2/acl", 2),
        ("the/2/case cat/0/root has/4/aux slept/2/acl", 1),
        ("the/2/det cat/0/root has/2/aux slept/2/acl", 0),
        ("the/2/det cat/0/root has/4/obj slept/2/acl", 1),
    ):
        assert counted(gold, conllu(system)).total("mlas") == right


def test_nothing_at_all_is_zero() -> None:
    counts = counted(conllu("a/0/punct"), conllu("a/0/punct"))
    clas = SCORER.measure("clas")
    assert clas.of(counts.totals, counts.columns) == 0
    assert SCORER.tables(counts, {})["scores"]["clas"]["aligned_accuracy"] is None


def refusal(system: Source, gold: Source = GOLD) -> tuple[str, int | None, str]:
    with pytest.raises(Refused) as error:
        counted(gold, system)
    problem = error.value.problems[0]
    return problem.code, problem.line, problem.message


def changed(old: str, new: str) -> Source:
    text = GOLD.single().decode()
    assert old in text
    return Source.of_bytes("system.conllu", text.replace(old, new).encode())


def test_another_text_is_refused_at_the_token_where_it_parts() -> None:
    code, line, message = refusal(changed("harbour\th", "harbur\th"))
    assert (code, line) == ("text", 9)
    assert "found 'ursleepsd" in message and "expected 'oursleeps" in message


def test_a_text_that_ends_early_or_late_is_refused_at_its_end() -> None:
    text = GOLD.single()
    assert refusal(Source.of_bytes("s", text + text))[:2] == ("text", 20)
    code, line, message = refusal(Source.of_bytes("s", text.split(b"\n\n# newdoc")[0]))
    assert (code, line) == ("text", 10)
    assert "ends before 'dámelo.'" in message


@loop_over(
    ("old", "new", "line"),
    [
        ("1-2\tcan't", "1-3\tcan't", None),
        ("1-2\tcan't", "2-3\tcan't", 2),
        ("1-2\tcan't", "2-1\tcan't", 2),
        ("1-2\tcan't", "1-9\tcan't", 2),
        ("3\twait", "2-3\twait\t_\t_\t_\t_\t_\t_\t_\t_\n3\twait", 5),
        ("3\twait", "3.x\twait", 5),
    ],
)
def test_ranges_that_do_not_fit_their_words_are_refused(
    old: str, new: str, line: int | None
) -> None:
    code, found, _ = refusal(changed(old, new))
    if line is None:
        assert code == "text"
    else:
        assert (code, found) == ("word_id", line)


def test_cycles_and_empty_forms_are_refused() -> None:
    assert refusal(conllu("#sent_id=7 a/2/x b/1/x c/0/root"))[:2] == ("cycle", 1)
    text = GOLD.single().replace(b"3\twait\t", "3\t\u00a0\t".encode())
    assert refusal(Source.of_bytes("system", text))[:2] == ("empty_form", 5)


def test_a_deep_tree_is_no_cycle() -> None:
    size = 3000
    heads = " ".join(f"w/{i}/dep" for i in range(size))
    assert counted(conllu(heads), conllu(heads)).total("uas") == size


def test_spaces_of_any_kind_are_no_part_of_the_text() -> None:
    gold = conllu("10\u00a0000/0/root")
    system = Source.of_bytes("s", gold.single().replace("\u00a0".encode(), b" "))
    assert counted(gold, system).total("tokens") == 1
    kinds = [0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]
    text = "a".join(map(chr, kinds)).encode()
    assert without_spaces(text) == b"a" * (len(kinds) - 1)
    for kept in "\u200b\u200c\u2028\u0085\t":
        assert not SPACES.search(kept.encode())


def test_a_stretch_that_would_take_for_ever_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alignment, "MOST_CELLS", 3)
    system = chain("ab=a+x", "c")
    gold = chain("a", "bc=y+c")
    with pytest.raises(Refused, match="very many words") as error:
        counted(gold, system)
    assert error.value.problems[0].line == 2


BLIND = "can't wait ! the harbour sleeps\n\ndámelo .\n"


def test_the_published_file_is_running_text() -> None:
    blind = SCORER.blind(GOLD, {})
    assert blind.name == "gold.txt"
    assert blind.single().decode() == BLIND


def test_space_after_and_paragraphs_shape_the_running_text() -> None:
    lines = [
        "# newdoc",
        "# newpar",
        "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
        "1\tde\t_\t_\t_\t_\t2\tcase\t_\t_",
        "2\tel\t_\t_\t_\t_\t0\troot\t_\t_",
        "3\t.\t_\t_\t_\t_\t2\tpunct\t_\tA=b|SpaceAfter=No",
        "",
        "# newpar id = 2",
        "1\tSí\t_\t_\t_\t_\t0\troot\t_\t_",
        "1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_",
        "",
    ]
    gold = Source.of_bytes("gold.conllu", "\n".join(lines).encode())
    assert SCORER.blind(gold, {}).single().decode() == "del.\n\nSí\n"


@pytest.mark.parametrize("name", ["raw.txt", "words.conllu"])
def test_the_format_is_checked_without_the_gold(name: str) -> None:
    data = BLIND.encode() if name == "raw.txt" else GOLD.single()
    blind, options = Source.of_bytes(name, data), parse(SCORER.options, {})
    assert list(check(SCORER, blind, OTHER_TOKENS, options)) == []
    [problem] = check(SCORER, blind, conllu("can't/0/root"), options)
    assert problem.code == "text"


def test_several_roots_in_the_gold_are_a_matter_for_the_organizer() -> None:
    two = conllu("a/0/root b/0/root")
    with pytest.raises(SetupError, match="2 roots"):
        counted(two, two)
    assert counted(two, two, roots="any").total("uas") == 2


def test_details_show_unpaired_words_of_both_sides_in_order_of_the_text() -> None:
    found = SCORER.details(*read_pair(SCORER, GOLD, OTHER_TOKENS, ANY), ANY)
    rows = [(row[2], row[4]) for row in found.rows]
    assert len(found.columns) == len(
        SCORER.details(*read_pair(SCORER, GOLD, GOLD, ANY), ANY).columns
    )
    assert ("can", "can") in rows and ("n't", "") in rows and ("", "'t") in rows
    assert rows.index(("", "har")) > rows.index(("the", "the"))
