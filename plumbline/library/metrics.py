"""A scorer as a metric of Hugging Face's `evaluate`: the same call, plain numbers."""

from collections.abc import Sequence
from typing import Any

from plumbline.library.calls import score
from scoring.errors import Problem, UsageError

NOTHING = object()  # None may be an answer


class EvaluateMetric:
    """A scorer with the calls of `evaluate`: `compute`, `add` and `add_batch`.

    What was added is scored by the next `compute`, and then forgotten.
    """

    def __init__(self, name: str, **options: Any) -> None:
        self.name, self._options = name, options
        self._references: list[Any] = []
        self._predictions: list[Any] = []

    def add(
        self,
        *,
        reference: Any = NOTHING,
        prediction: Any = NOTHING,
        references: Any = NOTHING,
        predictions: Any = NOTHING,
    ) -> None:
        """One item. Both are called in the singular or, as there, in the plural."""
        given = [
            [name for name in names if name is not NOTHING]
            for names in ((reference, references), (prediction, predictions))
        ]
        if [len(part) for part in given] != [1, 1]:
            raise _wrong("give one reference and one prediction")
        self.add_batch(references=given[0], predictions=given[1])

    def add_batch(
        self, *, references: Sequence[Any], predictions: Sequence[Any]
    ) -> None:
        self._references += list(references)
        self._predictions += list(predictions)

    def compute(
        self, *, references: Any = None, predictions: Any = None, **options: Any
    ) -> dict[str, float | None]:
        """Each measure by name, with `_low` and `_high` where it has an interval.

        Raises what `score` raises, and UsageError without anything to score.
        """
        if (references is None) != (predictions is None):
            raise _wrong("give references and predictions, or neither")
        if references is not None:
            self.add_batch(references=references, predictions=predictions)
        if not self._references:
            raise _wrong("there is nothing to compute: no references were given")
        gold, answers = self._references, self._predictions
        self._references, self._predictions = [], []
        result = score(self.name, gold, answers, **self._options | options)
        values: dict[str, float | None] = {}
        for name, estimate in result.items():
            values[name] = estimate.value
            if (interval := estimate.interval) is not None:
                values[f"{name}_low"], values[f"{name}_high"] = interval
        return values


def metric(name: str, **options: Any) -> EvaluateMetric:
    """The scorer of that name as a metric of `evaluate`; `options` goes to `score`.

    >>> metric = plumbline.metric("classes", labels=["a", "b"])
    >>> metric.compute(references=["a", "b"], predictions=["a", "a"])
    """
    return EvaluateMetric(name, **options)


def _wrong(message: str) -> UsageError:
    return UsageError(Problem("metric", message))
