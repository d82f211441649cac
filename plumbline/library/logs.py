"""Logs of other harnesses: values of samples, which are units here.

Sources: `samples_*.jsonl` of lm-evaluation-harness 0.4 (`--log_samples`), `.eval` and
`.json` of Inspect, instance files (`*_samples.jsonl`) of Every Eval Ever 0.3. The
harness has counted; intervals and tests are those of the scorer `table`.
"""

import json
import math
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
from scoring.picks import likely
from scoring.source import brief

# What Inspect's scorers say of an answer, as its own metrics count it.
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
KNOWN = (
    "Give samples of lm-evaluation-harness, a log of Inspect (.eval or .json), or "
    "instances of Every Eval Ever."
)
KNOWN_VALUES = "Values are numbers, C, I, P, N (Inspect), yes and no."
SHARE = "score = share(score)"
Values = dict[str, list[float]]  # of each sample, one for each epoch or run


@dataclass(frozen=True)
class Log:
    """The log of one system by a harness: metric by metric the values of samples.

    A sample has several values where it was run several times.
    """

    name: str
    metrics: Mapping[str, Values]

    def score(self, metric: str = "", **options: Any) -> Score:
        """Mean and interval of a metric, over samples; `options` goes to `score`."""
        tables = _table(self, [self], metric)
        return score("table", *tables, **_measure([self], metric) | options)

    def values(self, metric: str = "") -> Values:
        """Raises UsageError for a metric that the log does not have."""
        return self.metrics[self.own_name(metric)]

    def own_name(self, metric: str) -> str:
        """The metric's name in full. Raises UsageError where there is none."""
        if not metric and len(self.metrics) == 1:
            return next(iter(self.metrics))
        if metric in self.metrics:
            return metric
        # The harness names the filter of answers behind the metric.
        filtered = [name for name in self.metrics if name.partition(",")[0] == metric]
        if len(filtered) == 1:
            return filtered[0]
        names = ", ".join(self.metrics) or "none"
        if filtered:
            several = ", ".join(f"'{name}'" for name in filtered)
            raise _wrong(
                f"{self.name}: '{metric}' has several filters; name one of {several}"
            )
        if not metric:
            raise _wrong(f"{self.name} has several metrics; name one of: {names}")
        near = likely(metric, list(self.metrics))
        hint = f"Did you mean '{near}'?" if near else ""
        raise _wrong(f"{self.name}: no metric '{metric}'; there are: {names}", hint)


def read_log(path: str | os.PathLike[str]) -> Log:
    """A log of lm-evaluation-harness, Inspect, or Every Eval Ever.

    >>> log = plumbline.read_log("samples_gsm8k_2026-11-26.jsonl")
    >>> log.score("exact_match")["score"].interval

    Raises UsageError for a file that is none of them.
    """
    place = Path(path)
    values: dict[str, Values] = {}
    try:
        for sample, metric, value in _read(place):
            values.setdefault(metric, {}).setdefault(sample, []).append(value)
    except _NoValue as error:
        raise _wrong(f"{place.name}: {error}", hint=KNOWN_VALUES) from None
    except (BadZipFile, NotImplementedError, KeyError, TypeError, ValueError) as error:
        raise _wrong(f"{place.name} is {_what(place, error)}", hint=KNOWN) from None
    if not values:
        raise _wrong(f"{place.name} has no scores of samples")
    return Log(place.stem, values)


def compare_logs(
    *logs: Log, metric: str = "", names: Sequence[str] = (), **options: Any
) -> Comparisons:
    """All pairs of systems, paired by sample; `options` goes to `compare`.

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
    options = _measure(logs, metric) | options
    return compare("table", gold, *tables, names=called, **options)


def _measure(logs: Sequence[Log], metric: str) -> dict[str, Any]:
    """The option that says that values are shares, where all are from 0 to 1."""
    samples = (sample for log in logs for sample in log.values(metric).values())
    inside = all(0 <= value <= 1 for values in samples for value in values)
    return {"measure": SHARE} if inside else {}


def _table(first: Log, logs: Sequence[Log], metric: str) -> list[Any]:
    """The samples of the first log, and of each log a table, or one for each run."""
    if metric:  # of several logs the same filter
        metric = first.own_name(metric)
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
        yield from _inspect(_logs_in_zip(path))
    elif path.suffix == ".json":
        yield from _inspect(json.loads(path.read_bytes())["samples"])
    else:
        with open(path, "rb") as file:
            for line in file:
                if line.strip():
                    yield from _line(json.loads(line))


def _logs_in_zip(path: Path) -> Iterator[Any]:
    with ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.startswith("samples/") and name.endswith(".json"):
                yield json.loads(archive.read(name))


def _inspect(samples: Iterable[Any]) -> Iterator[tuple[str, str, float]]:
    for sample in samples:
        for scorer, given in (sample.get("scores") or {}).items():
            value = given["value"]
            several = value if isinstance(value, Mapping) else {"": value}
            for key, part in several.items():
                metric = f"{scorer}/{key}" if key else scorer
                yield str(sample["id"]), metric, _number(part, sample["id"], metric)


def _line(line: Any) -> Iterator[tuple[str, str, float]]:
    """A sample of lm-evaluation-harness, or an instance of Every Eval Ever."""
    if "evaluation" in line:
        metric = line.get("evaluation_result_id") or line["evaluation_name"]
        sample = line["sample_id"]
        yield sample, metric, _number(line["evaluation"]["score"], sample, metric)
        return
    chosen = line.get("filter", "none")
    for metric in line["metrics"]:
        name = metric if chosen == "none" else f"{metric},{chosen}"
        # Others are not values of samples, but parts of corpus-level figures.
        if isinstance(line[metric], int | float | str):
            sample = str(line["doc_id"])
            yield sample, name, _number(line[metric], sample, name)


class _NoValue(Exception):
    """A score of a sample that is no number."""


def _number(value: Any, sample: object, metric: str) -> float:
    """Raises _NoValue for what is no value of a sample."""
    code = None
    if isinstance(value, str):
        code = LETTERS.get(value, WORDS.get(value.lower()))
    try:
        number = float(value) if code is None else code
        if math.isfinite(number):
            return number
    except (TypeError, ValueError):
        pass
    quoted = brief(str(value), 40)
    raise _NoValue(
        f"'{brief(metric)}' of sample '{brief(str(sample))}': expected a number, found "
        f"'{quoted}'"
    )


def _what(path: Path, error: Exception) -> str:
    """A name for a file that is no log, in the words of the file, not of Python."""
    if path.suffix == ".eval":
        return "no zip, which logs of Inspect in .eval are"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return "no JSON" if path.suffix == ".json" else "no JSON Lines"
    if isinstance(error, KeyError):
        return f"no log that is known here: it has no key '{error.args[0]}'"
    return "no log that is known here: its lines have another form"


def _wrong(message: str, hint: str = "") -> UsageError:
    return UsageError(Problem("log", message, hint=hint))
