"""BLEU, chrF, chrF++ and TER are sacreBLEU's, from file to file."""

# ruff: noqa: RUF001 - Cyrillic words are what some of it is about

import json
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from scoring import Job, Plan, Refused, SetupError, Source, UsageError, check, evaluate
from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.formats.bundle import zip_files
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.translation import bleu

SCORER = get("translation")
WORDS = [
    "the",
    "a",
    "ferry",
    "boat",
    "boats",
    "sea",
    "sea,",
    "harbour.",
    "noon",
    "3.5",
    "3,000",
    "it's",
    "don't",
    "(gulls)",
    "wind-blown",
    "&quot;fog&quot;",
    "&amp;lt;",
    "чайка",
    "море,",
    "«гавань»",
    "渡船",
    "港口。",
    "naïve",
    "5%",
    "$7",
    "U.S.",
    "-",
    "...",
]
ORACLES = {
    "bleu": lambda o: BLEU(
        tokenize=o.get("tokenize", "13a"), lowercase="lowercase" in o
    ),
    "chrf": lambda o: CHRF(
        lowercase="lowercase" in o, whitespace="chrf_whitespace" in o
    ),
    "chrfpp": lambda o: CHRF(
        word_order=2, lowercase="lowercase" in o, whitespace="chrf_whitespace" in o
    ),
    "ter": lambda o: TER(
        normalized="ter_normalized" in o,
        no_punct="ter_no_punct" in o,
        asian_support="ter_asian_support" in o,
        case_sensitive="ter_case_sensitive" in o,
    ),
}
Column = Sequence[str | None]


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


def options(**raw: str) -> Mapping[str, Any]:
    return parse(SCORER.options, {name: [value] for name, value in raw.items()})


def counted(gold: Source, system: Source, **raw: str) -> Counts:
    return count(
        SCORER, read_pair(SCORER, gold, system, options(**raw)), options(**raw)
    )


def value(counts: Counts, name: str) -> float:
    return float(SCORER.measure(name).of(counts.totals, counts.columns))


def table(columns: Sequence[Column]) -> Source:
    """Segments with all of their texts as JSON Lines."""
    rows = zip(*columns, strict=True)
    lines = (
        json.dumps({"id": f"{i:04}", "text": [t for t in row if t is not None]})
        for i, row in enumerate(rows)
    )
    return source("gold.jsonl", "\n".join(lines))


def answers(texts: Sequence[str]) -> Source:
    lines = (json.dumps({"id": f"{i:04}", "text": t}) for i, t in enumerate(texts))
    return source("system.jsonl", "\n".join(lines))


def corpus(
    references: int, segments: int, longest: int
) -> tuple[list[str], list[Column]]:
    """Sentences, near and far from each other, some of them empty or shuffled."""
    dice = Random(references * 1000 + longest)

    def sentence() -> list[str]:
        words = dice.choices(WORDS, k=dice.randint(1, longest))
        return [word.capitalize() if dice.random() < 0.2 else word for word in words]

    def like(words: list[str]) -> list[str]:
        near = [w if dice.random() < 0.8 else dice.choice(WORDS) for w in words]
        start, size, to = (dice.randrange(len(words)) for _ in range(3))
        part = near[start : start + size % 4]
        del near[start : start + size % 4]
        return [*near[:to], *part, *near[to:]]

    first = [sentence() for _ in range(segments)]
    columns: list[Column] = [[" ".join(words) for words in first]]
    for _ in range(references - 1):
        others = (like(w) if dice.random() < 0.7 else sentence() for w in first)
        columns.append(
            [" ".join(words) if dice.random() < 0.8 else None for words in others]
        )
    texts = [" ".join(like(w) if dice.random() < 0.8 else sentence()) for w in first]
    return ["" if dice.random() < 0.05 else f"{t} " for t in texts], columns


CASES = [
    (1, 80, 24, {}),
    (1, 8, 60, {"tokenize": "intl"}),
    (3, 40, 14, {"tokenize": "zh", "lowercase": "true", "ter_normalized": "true"}),
    (
        2,
        40,
        14,
        {
            "tokenize": "char",
            "chrf_whitespace": "true",
            "ter_no_punct": "true",
            "ter_case_sensitive": "true",
        },
    ),
    (
        2,
        20,
        20,
        {
            "tokenize": "none",
            "ter_normalized": "true",
            "ter_no_punct": "true",
            "ter_asian_support": "true",
        },
    ),
]


@pytest.mark.parametrize(("references", "segments", "longest", "raw"), CASES)
def test_scores_of_files_and_segments_are_those_of_sacrebleu(
    references: int, segments: int, longest: int, raw: dict[str, str]
) -> None:
    texts, columns = corpus(references, segments, longest)
    counts = counted(table(columns), answers(texts), **raw)
    for name, metric in ORACLES.items():
        oracle = metric(raw)
        expected = oracle.corpus_score(texts, columns).score
        assert 100 * value(counts, name) == pytest.approx(expected, abs=1e-9), name
        measure = SCORER.measure(name)
        alone = measure.of(counts.table, counts.columns)
        statistics = oracle._extract_corpus_statistics(texts, columns)
        of_segments = [oracle._aggregate_and_compute([s]).score for s in statistics]
        assert np.allclose(100 * alone, of_segments, rtol=0, atol=1e-9), name


def test_long_segments_keep_to_the_beam_of_ter() -> None:
    dice = Random(5)
    first = [" ".join(dice.choices("abcdefghijklmnop", k=55))]
    texts = [" ".join(dice.choices("abcdefghijklmnop", k=38))]
    expected = TER().corpus_score(texts, [first]).score
    found = value(counted(table([first]), answers(texts)), "ter")
    assert 100 * found == pytest.approx(expected, abs=1e-9)


def test_a_score_worked_by_hand() -> None:
    """Five words of six right, 3 of 5 pairs, 2 of 4, 1 of 3; the lengths are equal."""
    gold = source("gold.txt", "the gulls sat on the pier\n")
    system = source("system.txt", "the gulls sat on a pier\n")
    counts = counted(gold, system)
    by_hand = (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25
    assert value(counts, "bleu") == pytest.approx(by_hand)
    assert value(counts, "ter") == pytest.approx(1 / 6)
    assert counts.total("bleu_correct2") == 3


def test_bleu_has_the_same_digits_with_every_version_of_numpy() -> None:
    """numpy's logarithms and exponentials differ between its versions in the last one;
    Python's own roots and exponential do not."""
    rng = np.random.default_rng(1)
    right = np.sort(rng.integers(1, 900, (4, 500)), axis=0)[::-1] * 1.0
    whole = right + rng.integers(0, 90, 500)
    lengths = whole[0], whole[0] * rng.uniform(0.8, 1.3, 500)
    found = bleu.score(*right, *whole, *lengths).tolist()
    for i, value in enumerate(found):
        product = math.prod((right[:, i] / whole[:, i]).tolist())
        short = min(0.0, 1 - float(lengths[1][i]) / float(lengths[0][i]))
        assert value == math.exp(short) * math.sqrt(math.sqrt(product))


def test_the_closest_length_counts_and_the_shorter_of_two() -> None:
    gold = table([["a b c d e f g h", "a b"], ["a b c d", "a b c d"]])
    counts = counted(gold, answers(["a b c d e f", "a b c"]))
    assert counts.table[:, counts.columns.index("bleu_ref_len")].tolist() == [4, 2]


def test_references_are_columns_a_list_or_members_of_a_zip() -> None:
    columns = source("gold.csv", "id,text,text.2\n1,one ferry,a ferry\n2,fog,\n")
    listed = table([["one ferry", "fog"], ["a ferry", None]])
    lines = {"ref.a.txt": b"one ferry\nfog\n", "ref.b.txt": b"a ferry\n\n"}
    system = "a ferry\nthick fog\n"
    found = [
        counted(columns, source("s.csv", "id,text\n1,a ferry\n2,thick fog\n")),
        counted(listed, answers(system.splitlines())),
        counted(zip_files("gold.zip", lines), source("s.txt", system)),
        counted(Source("gold", lines), source("s.txt", system)),
    ]
    assert all(np.array_equal(found[0].table, one.table) for one in found[1:])
    assert found[2].units == ("000001", "000002")


def test_members_of_a_zip_may_name_source_and_documents() -> None:
    files = {
        "source.ru.txt": "чайки\nякорь\n".encode(),
        "document.txt": b"log\nletter\n",
        "reference.txt": b"gulls\nfog\n",
    }
    gold = zip_files("gold.zip", files)
    blind = SCORER.blind(gold, options())
    assert blind.single().decode() == "чайки\nякорь\n"
    system = source("s.txt", "gulls\nfog\n")
    assert check(SCORER, blind, system, options()) == ()
    assert counted(gold, system).groups == {"document": ("log", "letter")}
    assert SCORER.perfect(gold, options()).single() == b"gulls\nfog\n"


def test_the_blind_file_shows_the_source_and_no_reference() -> None:
    gold = source(
        "g.csv", "id,source,text,text.2\n1,чайки,gulls,seagulls\n2,якорь,fog,\n"
    )
    blind = SCORER.blind(gold, options()).single().decode()
    assert blind == "id,source\n1,чайки\n2,якорь\n"
    lines = SCORER.blind(source("g.txt", "gulls\nfog\n"), options())
    assert lines.single() == b"1\n2\n"


def test_a_first_line_may_begin_with_a_bracket() -> None:
    gold = source("gold.txt", "[Wind] The gulls\n{fog}\n")
    assert value(counted(gold, gold), "chrf") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one\ntwo\nthree\n", "expected 2 lines, found 3"),
        ("id,text\n1,one\n2,two\n", "expected plain text with a segment a line"),
        (f"one\n{'x' * 20_001}\n", "a text of 20001 characters"),
    ],
)
def test_lines_that_do_not_fit_are_refused(text: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        counted(source("gold.txt", "gulls\nfog\n"), source("s.txt", text))


def test_lines_are_refused_where_ids_are_asked_for() -> None:
    with pytest.raises(Refused, match=r"expected a table with ids.*id,text"):
        counted(source("g.csv", "id,text\n1,gulls\n"), source("s.txt", "gulls\n"))


def test_a_system_sends_one_text_for_a_segment() -> None:
    gold = table([["gulls"]])
    twice = zip_files("two.zip", {"a.txt": b"gulls\n", "b.txt": b"gulls\n"})
    with pytest.raises(Refused, match="expected one file, found a zip of 2"):
        counted(gold, twice)
    with pytest.raises(Refused, match="expected a text"):
        counted(gold, table([["gulls"], ["seagulls"]]))


def test_members_of_different_lengths_are_an_error_of_the_gold() -> None:
    gold = zip_files("g.zip", {"a.txt": b"one\ntwo\n", "b.txt": b"one\n"})
    with pytest.raises(SetupError, match=r"a\.txt 2, b\.txt 1"):
        SCORER.read_gold(gold, options())


def test_the_signatures_are_those_that_sacrebleu_prints() -> None:
    columns: list[Column] = [["gulls", "fog"], ["seagulls", None]]
    raw = options(lowercase="true", tokenize="intl", ter_no_punct="true")
    job = Job(SCORER, raw, "", Plan(10, 1))
    found = evaluate(job, table(columns), answers(["gulls", "fog"])).signatures
    asked = {"lowercase": "true", "tokenize": "intl", "ter_no_punct": "true"}
    names = {"bleu": "BLEU", "chrf": "chrF2", "chrfpp": "chrF2++", "ter": "TER"}
    for name, metric in ORACLES.items():
        oracle = metric(asked)
        oracle.corpus_score(["gulls", "fog"], columns)
        assert f"{names[name]}|{oracle.get_signature()}" in found
        assert "|nrefs:var|" in found[0]
    assert (
        "nrefs:2"
        in SCORER.signatures(counted(table([["a"]] * 2), answers(["a"])), raw)[0]
    )
    plain = SCORER.signatures(counted(table([["a"]]), answers(["a"])), options())
    assert plain[0].startswith("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|")
    assert plain[1].startswith("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|")


def test_a_task_may_leave_ter_out() -> None:
    counts = counted(table([["gulls"]]), answers(["gulls"]), ter="false")
    assert np.isnan(value(counts, "ter"))
    assert value(counts, "chrf") == 1
    prefixes = [
        s.split("|")[0] for s in SCORER.signatures(counts, options(ter="false"))
    ]
    assert prefixes == ["BLEU", "chrF2", "chrF2++"]


def test_segments_without_a_reference_are_told() -> None:
    gold = SCORER.read_gold(source("g.csv", "id,text\n1,\n2,fog\n"), options())
    notes = SCORER.remarks(gold, gold, options())
    assert notes[0] == "1 of 2 segments have no reference or an empty one"


def test_words_that_differ_are_marked_against_the_closest_reference() -> None:
    gold = table([["Gulls sat on the pier.", "雾很大"], ["The gulls sleep.", None]])
    pair = read_pair(SCORER, gold, answers(["The gulls sat here.", "雾大"]), options())
    assert SCORER.inspect is not None
    found = SCORER.inspect(*pair, options())
    picture = found.picture(0)
    assert picture.texts == ("The gulls sleep.", "The gulls sat here.")
    assert [picture.texts[1][p.start : p.end] for p in picture.pieces[1]] == [
        "sat",
        "here",
    ]
    assert found.picture(1).sheet.rows[1] == ("deletion", "很", "")
    assert {kind: flags.sum() for kind, flags in found.wrong.items()} == {
        "substitution": 1,
        "deletion": 1,
        "insertion": 1,
    }


def test_details_give_every_segment_its_own_scores() -> None:
    gold = table([["one ferry", "fog"], ["a ferry", None]])
    pair = read_pair(SCORER, gold, answers(["a ferry", "mist"]), options())
    found = SCORER.details(*pair, options())
    rows = list(found.rows)
    assert found.columns[:3] == ("id", "references", "system")
    assert rows[0][:3] == ("0000", "one ferry\na ferry", "a ferry")
    assert rows[0][found.columns.index("ter")] == 0
    assert rows[1][found.columns.index("ter")] == 1


def test_a_missing_library_is_named_with_the_way_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with pytest.raises(UsageError, match=r"package sacrebleu.*pip install sacrebleu"):
        counted(table([["fog"]]), answers(["fog"]))


def test_listing_scorers_imports_no_library_of_one_scorer() -> None:
    code = "import sys, scoring.scorers as s; s.all_scorers(); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "scoring.scorers.translation" in loaded
    assert {"sacrebleu", "nltk"} & set(loaded) == set()
