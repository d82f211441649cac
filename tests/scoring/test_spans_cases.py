"""Worked cases and published figures for spans, which lie beside the repository."""

import itertools
import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from scoring import Job, Refused, Result, Source, evaluate
from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.options import Options, parse
from scoring.scorers import get
from tests.loops import loop_over
from tests.scoring import outside

SPANS = get("spans")
CASES = tuple(f"{number:04}" for number in range(16))
TOTAL = "<all>"


@cache
def facts(case: str) -> dict[str, Any]:
    text = (outside.cases("spans", case) / "case.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def options_of(given: dict[str, Any]) -> Options:
    classes = given.get("equiv", {}).items()
    raw = {
        "format": [given["format"]],
        "scheme": [given["scheme"]] if given["scheme"] else [],
        "alias": given["aliases"],
        "tags": given.get("tags", []),
        "equivalence": [f"{name}={','.join(labels)}" for name, labels in classes],
    }
    return parse(SPANS.options, raw)


def pair_of(case: str, options: Options) -> tuple[Any, Any]:
    folder = outside.cases("spans", case)
    gold, system = (Source.of_path(folder / side) for side in ("ref", "hyp"))
    return read_pair(SPANS, gold, system, options)


def runs(case: str) -> list[tuple[Options, dict[str, Any]]]:
    return [(options_of(run["options"]), run) for run in facts(case)["runs"]]


def scored(case: str) -> list[tuple[Options, tuple[Any, Any], dict[str, Any]]]:
    """Runs that have an answer, files read."""
    return [
        (options, pair_of(case, options), run["expected"])
        for options, run in runs(case)
        if "expected" in run
    ]


@loop_over("case", CASES)
def test_tables_of_the_worked_cases(case: str) -> None:
    for options, pair, expected in scored(case):
        tables = SPANS.tables(count(SPANS, pair, options), options)
        for level in ("tag", "token"):
            assert list(tables[level]) == [row["tag"] for row in expected[level]]
            for row in expected[level]:
                found = tables[level][row["tag"]]
                named = {k.replace(" ", "_"): v for k, v in row.items() if k != "tag"}
                assert found == pytest.approx(named, abs=1e-9)


@loop_over("case", CASES)
def test_details_of_the_worked_cases(case: str) -> None:
    for options, pair, expected in scored(case):
        details = SPANS.details(*pair, options)
        found = [dict(zip(details.columns, row, strict=True)) for row in details.rows]
        if expected["details_unique"]:
            assert found == expected["details"]
        else:
            assert in_order(found) == in_order(expected["details"])


def in_order(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


@loop_over("case", CASES)
def test_every_resample_at_once_gives_the_exact_bootstrap(case: str) -> None:
    for options, pair, expected in scored(case):
        counts = count(SPANS, pair, options)
        size = len(counts.units)
        draws = itertools.product(range(size), repeat=size)
        weights = np.array([np.bincount(d, minlength=size) for d in draws])
        totals = weights.astype(np.float64) @ counts.table
        for level, rows in expected["bootstrap_exact"].items():
            for tag, metrics in rows.items():
                for metric, figures in metrics.items():
                    found = exact(counts, totals, name_of(level, tag, metric))
                    assert found == pytest.approx(figures, abs=1e-7)


def name_of(level: str, tag: str, metric: str) -> str:
    name = "f1" if metric == "fmeasure" else metric
    ratio = metric in ("precision", "recall", "fmeasure")
    before = "token_" if level == "token" and ratio else ""
    return before + name + ("" if tag == TOTAL else f"[{tag}]")


def exact(counts: Counts, totals: Any, name: str) -> list[float] | None:
    """Mean, variance and deviation over the resamples that are not left out."""
    measure = SPANS.measure(name, counts.columns)
    values = measure.resampled(totals, counts.columns)
    kept = values[np.isfinite(values)]
    return [kept.mean(), kept.var(), kept.std()] if len(kept) else None


@loop_over("case", CASES)
def test_invalid_cases_are_refused_with_their_document(case: str) -> None:
    for options, run in runs(case):
        if "error" in run:
            document = run["error"].partition(":")[0]
            with pytest.raises(Refused, match=document):
                pair_of(case, options)


def published(gold: str, system: str, **options: str | list[str]) -> Result:
    raw = {k: [v] if isinstance(v, str) else v for k, v in options.items()}
    files = (
        Source.of_path(outside.published("spans", *f.split("/")))
        for f in (gold, system)
    )
    return evaluate(Job(SPANS, parse(SPANS.options, raw)), *files)


VOA = {
    ("hyp_lexicon", "tag"): (46, 26, 169, 27, 17, 0.5111, 0.1909, 0.2779),
    ("hyp_lexicon", "token"): (58, 17, 288, 17, 17, 0.6304, 0.1598, 0.2549),
    ("hyp_caps", "tag"): (89, 123, 29, 124, 92, 0.2918, 0.3693, 0.3260),
    ("hyp_caps", "token"): (166, 145, 52, 145, 192, 0.3300, 0.4573, 0.3834),
}
COLUMNS = (
    "match",
    "refclash",
    "missing",
    "hypclash",
    "spurious",
    "precision",
    "recall",
    "fmeasure",
)
ACCURACY = {"hyp_lexicon": (0.9131, 0.9177), "hyp_caps": (0.8950, 0.9342)}
ENAMEX = [f"{t}=ENAMEX[type={t}]" for t in ("PERSON", "LOCATION", "ORGANIZATION")]


@pytest.mark.published
@pytest.mark.parametrize(("system", "level"), VOA)
def test_figures_of_the_news_stories(system: str, level: str) -> None:
    row = published("voa/ref", f"voa/{system}").tables[level][TOTAL]
    assert [row[c] for c in COLUMNS] == pytest.approx(VOA[system, level], abs=6e-5)
    assert (row["test_docs"], row["test_toks"]) == (10, 3706)


@pytest.mark.published
@pytest.mark.parametrize("system", ACCURACY)
def test_token_accuracies_of_the_news_stories(system: str) -> None:
    measures = published("voa/ref", f"voa/{system}").measures
    found = [measures[f"tag_{kind}_accuracy"].value for kind in ("sensitive", "blind")]
    assert found == pytest.approx(ACCURACY[system], abs=6e-5)


@pytest.mark.published
def test_confidence_of_the_news_stories() -> None:
    f1 = published("voa/ref", "voa/hyp_caps").measures["f1"]
    assert f1.mean == pytest.approx(0.3243, abs=0.005)
    assert f1.stddev == pytest.approx(0.0464, abs=0.005)


@pytest.mark.published
def test_attributes_of_one_label_score_as_labels_do() -> None:
    plain = published("voa/ref", "voa/hyp_caps")
    aliased = published("voa/ref_enamex", "voa/hyp_caps", alias=ENAMEX)
    assert aliased.tables == plain.tables


@pytest.mark.published
@pytest.mark.parametrize("given", [{}, {"format": "mat-json"}])
def test_a_reference_in_another_format_scores_the_same_spans(
    given: dict[str, str],
) -> None:
    suffixes = {"ref_suffix_off": ".txt.json", "ref_suffix_on": ".xml"}
    inline = published("voa/ref_xml", "voa/hyp_caps", **suffixes, **given)
    plain = published("voa/ref", "voa/hyp_caps")
    assert inline.measures["f1"] == plain.measures["f1"]


@pytest.mark.published
def test_a_brat_reference_scores_the_same_spans() -> None:
    options = parse(SPANS.options, {"ref_suffix_off": [".txt.json"]})
    gold = Source.of_path(outside.published("spans", "voa", "ref_brat"))
    system = Source.of_path(outside.published("spans", "voa", "ref"))
    three = {n: d for n, d in system.files.items() if n[:4] in ("voa2", "voa3", "voa8")}
    result = evaluate(Job(SPANS, options), gold, Source("three", three))
    assert result.measures["f1"].value == 1
    with pytest.raises(Refused, match=r"voa1\.txt\.json"):
        evaluate(Job(SPANS, options), gold, system)


WNUT = {
    "uh_ritual": (0.575365, 0.329008, 0.418632, 355, 617, 589, 168, 983, 183, 0.942977),
    "drexel_cci": (0.503937, 0.177943, 0.263014, 192, 381, 285, 68, 1387, 69, 0.934855),
}


@pytest.mark.published
@pytest.mark.parametrize("system", WNUT)
@pytest.mark.parametrize("given", [{}, {"format": "conll", "scheme": "iob2"}])
def test_figures_of_the_emerging_entities(system: str, given: dict[str, str]) -> None:
    tables = published("wnut17/gold.conll", f"wnut17/{system}.conll", **given).tables
    tag, token = tables["tag"][TOTAL], tables["token"][TOTAL]
    found = [tag[c] for c in ("precision", "recall", "fmeasure", "match", "hyptotal")]
    found += [token[c] for c in ("match", "refclash", "missing", "spurious")]
    found.append(token["tag_sensitive_accuracy"])
    assert found == pytest.approx(WNUT[system], abs=1e-6)
    assert (tag["reftotal"], tag["test_toks"]) == (1079, 23394)
