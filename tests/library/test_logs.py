"""Logs of other harnesses: samples are units, and numbers those of their values."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

import plumbline

SIZE = 60
CHANCE = np.random.default_rng(5)
MINE = CHANCE.integers(0, 2, SIZE).tolist()
OTHER = CHANCE.integers(0, 2, SIZE).tolist()


def of_lm_eval(path: Path, values: list[int]) -> Path:
    """As `--log_samples` writes them: a line for each document and filter."""
    lines = [
        {
            "doc_id": number,
            "doc": {"question": "?"},
            "target": "7",
            "resps": [["7"]],
            "filtered_resps": ["7"],
            "filter": chosen,
            "metrics": ["exact_match"],
            "exact_match": float(value) if chosen == "strict-match" else 1.0,
        }
        for number, value in enumerate(values)
        for chosen in ("strict-match", "flexible-extract")
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def of_inspect(path: Path, *epochs: list[int]) -> Path:
    samples: list[Any] = [
        {
            "id": f"s{number}",
            "epoch": epoch,
            "scores": {
                "match": {"value": "CI"[1 - value], "answer": "7"},
                "parts": {"value": {"form": value, "content": True}},
            },
        }
        for epoch, values in enumerate(epochs, start=1)
        for number, value in enumerate(values)
    ]
    if path.suffix == ".json":
        path.write_text(json.dumps({"version": 2, "samples": samples}))
        return path
    with ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
        for one in samples:
            name = f"samples/{one['id']}_epoch_{one['epoch']}.json"
            archive.writestr(name, json.dumps(one))
    return path


def of_every_eval_ever(path: Path, values: list[int]) -> Path:
    lines = [
        {
            "schema_version": "0.3.0",
            "evaluation_id": "gsm8k/a/b/1",
            "model_id": "a/b",
            "evaluation_name": "gsm8k",
            "evaluation_result_id": "accuracy",
            "sample_id": f"s{number}",
            "interaction_type": "single_turn",
            "evaluation": {"score": value, "is_correct": bool(value)},
        }
        for number, value in enumerate(values)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_every_kind_of_log_has_the_mean_of_its_samples(tmp_path: Path) -> None:
    logs = [
        (of_lm_eval(tmp_path / "samples_a.jsonl", MINE), "exact_match,strict-match"),
        (of_inspect(tmp_path / "a.eval", MINE), "match"),
        (of_inspect(tmp_path / "a.json", MINE), "parts/form"),
        (of_every_eval_ever(tmp_path / "b_samples.jsonl", MINE), "accuracy"),
    ]
    for path, metric in logs:
        result = plumbline.read_log(path).score(metric)
        assert result["score"].value == pytest.approx(np.mean(MINE))
        assert result.units == SIZE
        low, high = result["score"].interval
        # The standard error of a share, by hand.
        error = np.sqrt(np.mean(MINE) * (1 - np.mean(MINE)) / SIZE)
        assert high - low == pytest.approx(2 * 1.96 * error, rel=0.15)


def test_two_logs_are_compared_sample_by_sample(tmp_path: Path) -> None:
    mine = plumbline.read_log(of_lm_eval(tmp_path / "samples_a.jsonl", MINE))
    other = plumbline.read_log(of_lm_eval(tmp_path / "samples_b.jsonl", OTHER))
    metric = "exact_match,strict-match"
    pair = plumbline.compare_logs(mine, other, metric=metric)["score"]
    assert pair.difference == pytest.approx(np.mean(MINE) - np.mean(OTHER))
    won = sum(a > b for a, b in zip(MINE, OTHER, strict=True))
    lost = sum(a < b for a, b in zip(MINE, OTHER, strict=True))
    assert (pair.won, pair.lost, pair.tied) == (won, lost, SIZE - won - lost)


def test_epochs_are_runs_of_one_system(tmp_path: Path) -> None:
    log = plumbline.read_log(of_inspect(tmp_path / "a.eval", MINE, OTHER))
    result = log.score("match")
    assert [one["score"].value for one in result.runs] == [
        pytest.approx(np.mean(MINE)),
        pytest.approx(np.mean(OTHER)),
    ]


def test_what_cannot_be_read_or_compared_is_said(tmp_path: Path) -> None:
    mine = plumbline.read_log(of_every_eval_ever(tmp_path / "a.jsonl", MINE))
    less = plumbline.read_log(of_every_eval_ever(tmp_path / "b.jsonl", MINE[:-2]))
    with pytest.raises(plumbline.UsageError, match="2 are in one alone, as 's58'"):
        plumbline.compare_logs(mine, less)
    with pytest.raises(plumbline.UsageError, match="there are: accuracy"):
        mine.score("bleu")
    uneven = plumbline.read_log(of_inspect(tmp_path / "u.eval", MINE, OTHER[:3]))
    with pytest.raises(plumbline.UsageError, match="1 to 2 values"):
        uneven.score("match")
    for name, text in (
        ("x.eval", "no zip"),
        ("x.json", "[]"),
        ("x.jsonl", '{"a": 1}'),
        ("y.jsonl", ""),
        ("z.json", "{}"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(plumbline.UsageError, match=name):
            plumbline.read_log(tmp_path / name)


def test_nothing_of_python_is_in_a_sentence(tmp_path: Path) -> None:
    line = '{"doc_id": 1, "filter": "none", "metrics": ["acc"], "acc": "high"}'
    for name, text, said in (
        ("x.eval", "no zip", "no zip"),
        ("x.json", "[]", "lines have another form"),
        ("x.json", "{", "no JSON"),
        ("x.jsonl", '{"a": 1}', "it has no key 'metrics'"),
        ("y.jsonl", "accuracy 0.5", "no JSON Lines"),
        ("z.jsonl", line, "'acc' of sample '1': expected a number, found 'high'"),
        ("z.jsonl", line.replace('"high"', "NaN"), "expected a number, found 'nan'"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(plumbline.UsageError) as refused:
            plumbline.read_log(tmp_path / name)
        assert said in str(refused.value)
        assert "Error" not in str(refused.value) and "float" not in str(refused.value)


def test_a_metric_is_found_without_its_only_filter(tmp_path: Path) -> None:
    own = "exact_match,strict-match"
    both = plumbline.read_log(of_lm_eval(tmp_path / "samples_a.jsonl", MINE))
    log = plumbline.Log("a", {own: both.metrics[own], "length": {"1": [2.0]}})
    assert log.values("exact_match") == log.values(own)
    with pytest.raises(plumbline.UsageError, match="several filters"):
        both.score("exact_match")
    with pytest.raises(plumbline.UsageError, match="Did you mean 'accuracy'"):
        plumbline.Log("a", {"accuracy": {}, "f1": {}}).values("acuracy")
    # Another filter is another metric.
    other = plumbline.Log("b", {"exact_match,flexible": log.values(own)})
    with pytest.raises(plumbline.UsageError, match="no metric"):
        plumbline.compare_logs(log, other, metric="exact_match")


def test_intervals_of_shares_stay_between_0_and_1() -> None:
    """They are Wilson's of `classes` for right and wrong answers."""
    for right, of in ((99, 100), (29, 30), (9, 10), (0, 12), (12, 12)):
        values = [1] * right + [0] * (of - right)
        log = plumbline.Log("a", {"acc": {str(i): [v] for i, v in enumerate(values)}})
        found = log.score("acc")["score"]
        classes = plumbline.score("classes", ["y"] * of, ["ny"[v] for v in values])
        assert found.interval == pytest.approx(classes["accuracy"].interval)
        assert 0 <= found.low <= found.high <= 1
    halves = [1, 1, 1, 0.5, 1, 0.9, 1, 1, 0.75, 1, 1, 1]
    log = plumbline.Log("b", {"f1": {str(i): [v] for i, v in enumerate(halves)}})
    assert log.score("f1")["score"].high <= 1
    ids = list(range(30))
    table = {"id": ids, "score": [1] * 29 + [0]}
    found = plumbline.score("table", {"id": ids}, table, measure="score = share(score)")
    assert found["score"].high <= 1
    # Lengths are no shares.
    lengths = plumbline.Log("c", {"words": {str(i): [3.0 + i] for i in range(9)}})
    assert lengths.score("words")["score"].value == 7


def test_a_metric_is_called_as_those_of_evaluate() -> None:
    gold, mine = ["a", "b", "b", "a"] * 10, ["a", "b", "a", "a"] * 10
    expected = plumbline.score("classes", gold, mine)["macro_f1"]
    metric = plumbline.metric("classes", resamples=1000)
    found = metric.compute(references=gold, predictions=mine)
    assert found["macro_f1"] == expected.value
    assert (found["macro_f1_low"], found["macro_f1_high"]) == expected.interval
    for one, other in zip(gold, mine, strict=True):
        metric.add(references=one, predictions=other)
    assert metric.compute() == found
    with pytest.raises(plumbline.UsageError, match="nothing to compute"):
        metric.compute()
    with pytest.raises(plumbline.UsageError, match="or neither"):
        metric.compute(references=gold)
