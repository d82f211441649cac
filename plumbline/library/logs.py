"""Logs of other harnesses: values of samples, which are units here.

Sources: `samples_*.jsonl` of lm-evaluation-harness 0.4 (`--log_samples`), `.eval` and
`.json` of Inspect, instance files (`*_samples.jsonl`) of Every Eval Ever 0.3. The
harness has counted; intervals and tests are those of the scorer `table`.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from plumbline.library.calls import Runs, compare, score
from plumbline.library.comparisons import Comparisons
from plumbline.library.scores import Score
from scoring.errors import Problem, UsageError

# What Inspect's scorers say of an answer, as its own metrics count it.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
Values = dict[str, list[float]]  # of each sample, one for each epoch or run


@dataclass(frozen=True)
class Log:
    """The log of one system by a harness: metric by metric the values of samples.

    A sample has several values where it was run several times.
    """

    name: str
    metrics: Mapping[str, Values]

    def score(self, metric: str = "", **asked: Any) -> Score:
        """Mean and interval of a metric, over samples; `asked` goes to `score`."""
        return score("table", *_table(self, [self], metric), **asked)

    def values(self, metric: str = "") -> Values:
        """Raises UsageError for a metric that the log does not have."""
        if not metric and len(self.metrics) == 1:
            return next(iter(self.metrics.values()))
        if metric not in self.metrics:
            known = ", ".join(self.metrics) or "none"
            raise _wrong(f"{self.name}: no metric '{metric}'; there are: {known}")
        return self.metrics[metric]


def read_log(path: str | os.PathLike[str]) -> Log:
    """A log of lm-evaluation-harness, Inspect, or Every Eval Ever.

    >>> log = plumbline.read_log("samples_gsm8k_2026-11-26.jsonl")
    >>> log.score("exact_match")["score"].interval

    Raises UsageError for a file that is none of them.
    """
    place = Path(path)
    found: dict[str, Values] = {}
    try:
        for sample, metric, value in _read(place):
            found.setdefault(metric, {}).setdefault(sample, []).append(value)
    except (BadZipFile, NotImplementedError, KeyError, TypeError, ValueError) as error:
        raise _wrong(
            f"{place.name} is no log that is known here ({type(error).__name__}: "
            f"{error}); expected samples of lm-evaluation-harness, a log of Inspect "
            "(.eval or .json), or instances of Every Eval Ever"
        ) from None
    if not found:
        raise _wrong(f"{place.name} has no scores of samples")
    return Log(place.stem, found)


def compare_logs(
    *logs: Log, metric: str = "", names: Sequence[str] = (), **asked: Any
) -> Comparisons:
    """All pairs of systems, paired by sample; `asked` goes to `compare`.

    >>> compared = plumbline.compare_logs(mine, other, metric="exact_match")
    >>> compared["score"].difference, compared["score"].p_value

    Raises UsageError where logs have not the same samples.
    """
    if len(logs) < 2:
        raise _wrong("expected two logs or more")
    called = list(names) or [log.name for log in logs]
    if not names and len(set(called)) < len(called):
        called = [f"{name} {place}" for place, name in enumerate(called, start=1)]
    gold, *tables = _table(logs[0], logs, metric)
    return compare("table", gold, *tables, names=called, **asked)


def _table(first: Log, logs: Sequence[Log], metric: str) -> list[Any]:
    """The samples of the first log, and of each log a table, or one for each run."""
    samples = sorted(first.values(metric))
    tables: list[Any] = [{"id": samples}]
    for log in logs:
        values = log.values(metric)
        if other := sorted(set(values) ^ set(samples)):
            raise _wrong(
                f"{log.name} and {first.name} have not the same samples: "
                f"{len(other)} are in one alone, as '{other[0]}'"
            )
        runs = {len(of_sample) for of_sample in values.values()}
        if len(runs) > 1:
            raise _wrong(
                f"{log.name}: samples have {min(runs)} to {max(runs)} values; expected "
                "as many of each"
            )
        (number,) = runs
        each = [
            {"id": samples, "score": [values[sample][run] for sample in samples]}
            for run in range(number)
        ]
        tables.append(each[0] if number == 1 else Runs(*each))
    return tables


def _read(path: Path) -> Iterator[tuple[str, str, float]]:
    """Sample, metric and value, one by one."""
    if path.suffix == ".eval":
        yield from _inspect(_in_zip(path))
    elif path.suffix == ".json":
        yield from _inspect(json.loads(path.read_bytes())["samples"])
    else:
        with open(path, "rb") as file:
            for line in file:
                if line.strip():
                    yield from _line(json.loads(line))


def _in_zip(path: Path) -> Iterator[Any]:
    with ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.startswith("samples/") and name.endswith(".json"):
                yield json.loads(archive.read(name))


def _inspect(samples: Iterable[Any]) -> Iterator[tuple[str, str, float]]:
    for sample in samples:
        for scorer, given in (sample.get("scores") or {}).items():
            value = given["value"]
            several = value if isinstance(value, Mapping) else {"": value}
            for key, one in several.items():
                metric = f"{scorer}/{key}" if key else scorer
                yield str(sample["id"]), metric, _number(one)


def _line(line: Any) -> Iterator[tuple[str, str, float]]:
    """A sample of lm-evaluation-harness, or an instance of Every Eval Ever."""
    if "evaluation" in line:
        metric = line.get("evaluation_result_id") or line["evaluation_name"]
        yield line["sample_id"], metric, _number(line["evaluation"]["score"])
        return
    chosen = line.get("filter", "none")
    for metric in line["metrics"]:
        name = metric if chosen == "none" else f"{metric},{chosen}"
        # Others are not values of samples, but parts of corpus-level figures.
        if isinstance(line[metric], int | float | str):
            yield str(line["doc_id"]), name, _number(line[metric])


def _number(value: Any) -> float:
    """Raises ValueError for what is no value of a sample."""
    if isinstance(value, str):
        known = LETTERS.get(value, WORDS.get(value.lower()))
        return float(value) if known is None else known
    return float(value)


def _wrong(message: str) -> UsageError:
    return UsageError(Problem("log", message))
