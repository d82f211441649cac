"""Attachment scores: rows worked by hand, options, refusals, the published file."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.counts import Counts
from scoring.engine import check, count, read_pair
from scoring.options import parse
from scoring.scorers.attachment import SCORER
from scoring.scorers.treebanks.relations import CONTENT, FUNCTION
from scoring.source import Source
from tests.scoring.conllu_cases import conllu


def counted(gold: Source, system: Source, **options: Any) -> Counts:
    raw = {name: [value] for name, value in options.items()}
    parsed = parse(SCORER.options, raw)
    return count(SCORER, read_pair(SCORER, gold, system, parsed), parsed)


def scores(gold: Source, system: Source, **options: Any) -> dict[str, float]:
    counts = counted(gold, system, **options)
    measures = SCORER.measures(())
    return {m.name: float(m.of(counts.totals, counts.columns)) for m in measures}


GOLD = conllu(
    "gulls/2/nsubj circle/0/root the/4/det old/5/amod pier/2/nmod:at ./2/punct",
    "fog/2/nsubj:pass lifted/0/root ./2/punct",
    name="gold.conllu",
)
SYSTEM = conllu(
    "gulls/2/nsubj circle/0/root the/5/det old/5/nmod pier/2/nmod ./5/punct",
    "fog/0/root lifted/1/nsubj ./2/dobj",
)
# Right heads: gulls, circle, old, pier, the last full stop: 5 of 9. With the label:
# gulls, circle, and pier where subtypes do not matter.


def test_heads_and_labels_are_counted_over_all_words() -> None:
    found = scores(GOLD, SYSTEM)
    assert found["uas"] == 5 / 9
    assert found["las"] == 2 / 9
    assert scores(GOLD, SYSTEM, labels="coarse")["las"] == 3 / 9


def test_dropped_punctuation_is_what_the_gold_calls_so() -> None:
    found = scores(GOLD, SYSTEM, punctuation="drop", labels="coarse")
    assert found["uas"] == 4 / 7
    assert found["las"] == 3 / 7


def test_precision_is_over_the_words_of_the_system_even_where_gold_says_punct() -> None:
    # Content in the gold: nsubj root amod nmod nsubj root; in the system: the same
    # places and dobj. Right with labels cut: gulls, circle, pier.
    for punctuation in ("keep", "drop"):
        found = scores(GOLD, SYSTEM, labels="coarse", punctuation=punctuation)
        assert found["content_precision"] == 3 / 7
        assert found["content_recall"] == 3 / 6
        assert found["content_f1"] == 6 / 13
        assert found["function_precision"] == 0 / 1


def test_the_class_of_a_relation_is_that_of_its_part_before_the_colon() -> None:
    gold, system = conllu("a/0/root b/1/nmod:of"), conllu("a/0/root b/1/nmod:to")
    assert scores(gold, system)["content_precision"] == 1 / 2
    assert scores(gold, system, labels="coarse")["content_precision"] == 1


def test_a_class_that_one_side_lacks_has_an_f1_and_one_that_both_lack_has_none() -> (
    None
):
    gold, system = conllu("a/0/dep b/1/dep"), conllu("a/0/dep b/1/nsubj")
    found = scores(gold, system)
    assert found["content_precision"] == 0
    assert math.isnan(found["content_recall"])
    assert found["content_f1"] == 0
    assert math.isnan(found["function_f1"])


WEIGHTS = Source.of_bytes("weights.csv", b"nsubj,0.75\nroot,1\npunct,0.9\nnmod,0.25\n")


def test_words_weigh_what_their_gold_relation_weighs() -> None:
    # Weights: .75 1 .5 .5 .25 0 .75 1 0; right with labels cut: .75 1 .25.
    found = scores(GOLD, SYSTEM, weights=WEIGHTS, labels="coarse")
    assert found["wlas"] == 2 / 4.75


def test_relations_without_a_weight_are_named_once_and_without_subtype() -> None:
    options = parse(SCORER.options, {"weights": [WEIGHTS]})
    gold, _system = read_pair(SCORER, GOLD, SYSTEM, options)
    [remark] = SCORER.gold_remarks(gold, options)
    assert remark.endswith("count 0.5 in WLAS: amod, det")
    [without] = SCORER.gold_remarks(gold, parse(SCORER.options, {}))
    assert "no relation weights" in without


def test_a_task_may_name_its_own_relations() -> None:
    found = counted(GOLD, SYSTEM, content="det,amod", function="nsubj")
    assert found.total("content_gold") == 2
    assert found.total("function_gold") == 2
    ud2 = counted(GOLD, SYSTEM, relations="ud2")
    assert ud2.total("content_system") == 6


@pytest.mark.parametrize("version", ["ud1", "ud2"])
def test_shipped_lists_do_not_overlap(version: str) -> None:
    content, function = CONTENT[version].split(), FUNCTION[version].split()
    assert len({*content, *function}) == len(content) + len(function)


def test_several_roots_and_cycles_are_scored_as_they_are() -> None:
    gold, system = conllu("a/0/root b/1/dep c/1/dep"), conllu("a/2/x b/1/dep c/0/root")
    assert scores(gold, system)["uas"] == 1 / 3


def test_ranges_and_empty_nodes_are_passed_by() -> None:
    system = conllu(
        "1-2/gullscircle gulls/2/nsubj circle/0/root 2.1/_ the/4/det old/5/amod "
        "pier/2/nmod:at ./2/punct",
        "fog/2/nsubj:pass lifted/0/root ./2/punct",
    )
    assert scores(GOLD, system)["las"] == 1


def test_the_published_file_holds_no_analysis_and_checks_the_format() -> None:
    gold = conllu(
        "#newdoc=7 #note=secret 1-2/gulls'll gulls/3/nsubj/gull 'll/3/aux/will/AUX/A=B "
        "circle/0/root 3.1/ellipsis",
        name="gold.conllu",
    )
    blind = SCORER.blind(gold, {})
    text = blind.single().decode()
    for secret in ("nsubj", "aux", "gull\t", "AUX", "A=B", "secret", "ellipsis"):
        assert secret not in text
    assert "# newdoc id = 7" in text and "gulls'll" in text
    options = parse(SCORER.options, {})
    assert list(check(SCORER, blind, gold, options)) == []
    [problem] = check(SCORER, blind, conllu("gulls/0/root"), options)
    assert problem.code == "form" or problem.code == "words"


def test_space_after_is_published() -> None:
    line = "1\ta\ta\tX\t_\t_\t0\troot\t_\tSpaceAfter=No|Gloss=secret\n"
    text = SCORER.blind(Source.of_bytes("g", line.encode()), {}).single().decode()
    assert text.startswith("1\ta\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n")


def test_details_have_a_row_per_word() -> None:
    options = parse(SCORER.options, {})
    found = SCORER.details(*read_pair(SCORER, GOLD, SYSTEM, options), options)
    rows = list(found.rows)
    assert len(rows) == 9
    assert rows[4] == ("0000001", 5, "pier", 2, 2, "nmod:at", "nmod", 1, 0)


def test_slices_are_documents_genres_and_lengths() -> None:
    gold = conllu("#newdoc=a #genre=log x/0/root", "#newdoc=b y/0/root")
    assert counted(gold, gold).groups == {
        "length": ("1-10", "1-10"),
        "document": ("a", "b"),
        "genre": ("log", ""),
    }


RELATIONS = st.sampled_from(["nsubj", "nsubj:pass", "case", "punct", "dep", "obl:x"])
WORDS = st.tuples(st.sampled_from("abc"), st.integers(0, 3), RELATIONS)
PAIRS = st.lists(st.lists(st.tuples(WORDS, WORDS), min_size=3, max_size=5), min_size=1)


@given(PAIRS, st.sampled_from(["full", "coarse"]), st.sampled_from(["keep", "drop"]))
def test_a_plain_scorer_gets_the_same_scores(
    pairs: Any, labels: str, punctuation: str
) -> None:
    gold, system = (file_of(pairs, side) for side in (0, 1))
    found = scores(gold, system, labels=labels, punctuation=punctuation)
    words = [(g, (g[0], s[1], s[2])) for sentence in pairs for g, s in sentence]
    for name, value in plainly(words, labels, punctuation).items():
        assert found[name] == pytest.approx(value, abs=1e-12, nan_ok=True)


def file_of(pairs: Any, side: int) -> Source:
    """Heads and relations of one side, the forms of the gold."""
    return conllu(
        *(
            " ".join(f"{p[0][0]}/{p[side][1]}/{p[side][2]}" for p in sentence)
            for sentence in pairs
        )
    )


def plainly(words: Any, labels: str, punctuation: str) -> dict[str, float]:
    def cut(relation: str) -> str:
        return relation.split(":")[0]

    def right(g: Any, s: Any) -> bool:
        same = g[2] == s[2] if labels == "full" else cut(g[2]) == cut(s[2])
        return bool(same and g[1] == s[1])

    def share(part: int | float, whole: int | float) -> float:
        return part / whole if whole else math.nan

    kept = [w for w in words if punctuation == "keep" or cut(w[0][2]) != "punct"]
    found = {
        "uas": share(sum(g[1] == s[1] for g, s in kept), len(kept)),
        "las": share(sum(right(g, s) for g, s in kept), len(kept)),
        "wlas": share(
            sum(right(g, s) for g, s in kept if cut(g[2]) != "punct") / 2,
            sum(cut(g[2]) != "punct" for g, _ in kept) / 2,
        ),
    }
    for name, listed in (("content", CONTENT), ("function", FUNCTION)):
        members = listed["ud1"].split()
        gold = [(g, s) for g, s in words if cut(g[2]) in members]
        system = [(g, s) for g, s in words if cut(s[2]) in members]
        found[f"{name}_precision"] = share(sum(right(*w) for w in system), len(system))
        found[f"{name}_recall"] = share(sum(right(*w) for w in gold), len(gold))
    return found
