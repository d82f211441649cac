"""Attachment scores against worked cases and published figures."""

import csv
from typing import Any

import pytest

from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.errors import Refused, SetupError
from scoring.options import parse
from scoring.scorers.attachment import SCORER
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring import outside
from tests.scoring.conllu_cases import CASES, TREEBANKS, facts, files, treebank

REFUSED = tuple(
    f"{n:04}"
    for n in (*range(4, 7), *range(8, 16), *range(23, 27), 28, 29, 30, 33, 35, 41, 42)
)
ANSWERED = sorted(set(CASES) - set(REFUSED))


def counted(gold: Source, system: Source, **options: Any) -> Counts:
    raw = {name: [value] for name, value in options.items()}
    parsed = parse(SCORER.options, raw)
    return count(SCORER, read_pair(SCORER, gold, system, parsed), parsed)


def value(counts: Counts, measure: str) -> float:
    return float(SCORER.measure(measure).of(counts.totals, counts.columns))


def weights(case: str) -> Source:
    rows = facts(case)["wlas_weights"].items()
    text = "\n".join(f"{relation},{weight}" for relation, weight in rows)
    return Source.of_bytes("weights.csv", text.encode())


@loop_over("case", ANSWERED)
def test_worked_cases_come_out(case: str) -> None:
    expected = facts(case)["attach"]
    for labels, las in (("full", "fine"), ("coarse", "coarse")):
        for punctuation, kept in (("keep", "punct"), ("drop", "nopunct")):
            options = {"labels": labels, "punctuation": punctuation}
            found = counted(*files(case), **options)
            assert found.total("words") == expected[f"n_{kept}"]
            assert value(found, "uas") == expected[f"uas_{kept}"]
            assert value(found, "las") == expected[f"las_{las}_{kept}"]


@loop_over("case", ANSWERED)
def test_classes_and_weights_of_worked_cases_come_out(case: str) -> None:
    expected = facts(case)["attach"]
    options = {"labels": "coarse", "weights": weights(case)}
    found = counted(*files(case), **options)
    assert value(found, "wlas") == pytest.approx(expected["wlas"], abs=1e-9)
    for name in ("content", "function"):
        wanted = expected[name]
        parts = (found.total(f"{name}_{part}") for part in ("gold", "system", "right"))
        assert [*parts] == [wanted[key] for key in ("gold", "pred", "correct")]
        for part in ("precision", "recall", "f1"):
            defined = float("nan") if wanted[part] is None else wanted[part]
            got = value(found, f"{name}_{part}")
            assert got == pytest.approx(defined, abs=1e-9, nan_ok=True)


@loop_over("case", ANSWERED)
def test_relations_without_a_weight_are_named(case: str) -> None:
    expected = facts(case)["attach"]
    options = parse(SCORER.options, {"weights": [weights(case)]})
    pair = read_pair(SCORER, *files(case), options)
    [*remarks] = SCORER.gold_remarks(pair[0], options)
    missing = expected["labels_without_weight"]
    assert len(remarks) == bool(missing)
    assert all(remark.endswith(": " + ", ".join(missing)) for remark in remarks)


@loop_over("case", REFUSED)
def test_bad_files_of_worked_cases_are_refused_at_their_line(case: str) -> None:
    expected = facts(case)["attach"]
    gold, system = files(case)
    with pytest.raises(Refused) as refusal:
        counted(gold, system)
    problem, line = refusal.value.problems[0], expected["error"]["line"]
    assert problem.file == system.name
    if expected["error"]["code"] == "word_count":
        # The case names the sentence, we the first word that differs in it.
        text = system.single().decode().split("\n")
        assert problem.line and "" not in text[line - 1 : problem.line]
    else:
        assert line is None or problem.line == line


PUBLISHED = {
    "las": (0.8325313237697476, 0.6575870486958756, 0.8032876338585363),
    "wlas": (0.8168117558619699, 0.6406532356747137, 0.788654972437455),
    "content_precision": (0.784848690000677, 0.631937984496124, 0.7584035648551778),
    "content_recall": (0.7907912687585266, 0.635583970060814, 0.7698131760078663),
    "function_precision": (0.9214434420541291, 0.7614814814814815, 0.9009195402298851),
    "function_recall": (0.9196564621138662, 0.7620459599703484, 0.8806741573033708),
}
SHARES = {
    "content_gold": (0.5841568377430666, 0.7016411378555799, 0.6347522157034078),
    "function_gold": (0.2876554032515142, 0.1475929978118162, 0.27774310323305457),
}


@pytest.fixture(params=enumerate(TREEBANKS), ids=TREEBANKS)
def published(request: pytest.FixtureRequest) -> tuple[int, Counts]:
    place, language = request.param
    sides = treebank(language, "gold"), treebank(language, "malt-default-coarse")
    wde = Source.of_path(outside.published("ud12", "averaged_wde.csv"))
    return place, counted(*sides, labels="coarse", punctuation="drop", weights=wde)


@pytest.mark.published
def test_figures_the_authors_published_come_out(published: tuple[int, Counts]) -> None:
    place, found = published
    for measure, figures in PUBLISHED.items():
        exact = measure != "wlas"
        wanted = figures[place] if exact else pytest.approx(figures[place], abs=1e-13)
        assert value(found, measure) == wanted


@pytest.mark.published
def test_published_shares_of_relations_come_out(published: tuple[int, Counts]) -> None:
    place, found = published
    language = TREEBANKS[place]
    gold = treebank(language, "gold").single().decode().split("\n")
    words = sum(line.partition("\t")[0].isdigit() for line in gold)
    for column, figures in SHARES.items():
        assert found.total(column) / words == figures[place]


@pytest.mark.published
@pytest.mark.parametrize("language", ["English", "Finnish", "Persian"])
def test_several_roots_are_refused_only_where_the_task_says_so(language: str) -> None:
    gold, system = treebank(language, "gold"), treebank(language, "malt-default")
    assert counted(gold, system, roots="any").total("words") > 0
    with pytest.raises(Refused, match="roots; this task expects one"):
        counted(gold, system, roots="single")
    with pytest.raises(SetupError, match="roots; this task expects one"):
        counted(system, gold, roots="single")


@pytest.mark.published
def test_every_weight_the_authors_published_is_read() -> None:
    path = outside.published("ud12", "averaged_wde.csv")
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 41
