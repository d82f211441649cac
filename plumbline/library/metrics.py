"""A scorer as a metric of Hugging Face's `evaluate`: the same call, plain numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import Parameter, Signature, signature
from typing import Any

from plumbline.library.calls import score
from plumbline.library.scores import Score
from scoring import report
from scoring.errors import Problem, UsageError
from scoring.picks import likely
from scoring.scorer import Scorer
from scoring.scorers import all_scorers, get

VALUES = """
The values are yours: gold names the units, and predicted has a column for each measure,
as in table({"id": ["s1", "s2"]}, {"id": ["s1", "s2"], "score": [0.75, 0.5]}). Of values
from 0 to 1 give measure="score = share(score)", which keeps the interval there.
"""


class Scorers(Mapping[str, Callable[..., Score]]):
    """Scorers by name: `scorers["classes"](gold, predicted, ignore="NONE")`.

    `help(scorers["classes"])` has its options, measures and an example file; they are
    attributes, too (`scorers.classes`, `scorers.unl_graph`).
    """

    def __init__(self) -> None:
        # Kept: pickle wants the very function that stands under a name.
        self._made: dict[Scorer, Callable[..., Score]] = {}

    def __getitem__(self, name: str) -> Callable[..., Score]:
        if name not in all_scorers():
            near = likely(str(name), list(self))
            suggestion = f" Did you mean '{near}'?" if near else ""
            raise KeyError(
                f"no scorer '{name}'; there are: {', '.join(self)}.{suggestion}"
            )
        scorer = get(name)
        return self._made.setdefault(scorer, _function(scorer))

    def __getattr__(self, name: str) -> Callable[..., Score]:
        try:
            return self[name.replace("_", "-")]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(all_scorers())

    def __len__(self) -> int:
        return len(all_scorers())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in self)]

    def __repr__(self) -> str:
        lines = (f"{name}: {scorer.title}" for name, scorer in all_scorers().items())
        return "\n".join(lines)


def _function(scorer: Scorer) -> Callable[..., Score]:
    def score_files(gold: Any, predicted: Any, **given: Any) -> Score:
        return score(scorer.name, gold, predicted, **given)

    score_files.__name__ = scorer.name.replace("-", "_")
    score_files.__qualname__ = f"scorers.{score_files.__name__}"
    score_files.__doc__ = report.scorers_text([scorer])
    if scorer.counted_elsewhere:
        score_files.__doc__ += VALUES
    score_files.__signature__ = _signature(scorer)  # type: ignore[attr-defined]
    return score_files


def _signature(scorer: Scorer) -> Signature:
    """The signature of `score`, with the scorer's options by name."""
    of_score = list(signature(score).parameters.values())
    plan = [
        parameter for parameter in of_score if parameter.kind is Parameter.KEYWORD_ONLY
    ]
    files = [
        parameter for parameter in of_score if parameter.name in ("gold", "predicted")
    ]
    own = [
        Parameter(option.name, Parameter.KEYWORD_ONLY, default=option.default)
        for option in scorer.options
    ]
    return Signature([*files, *own, *plan], return_annotation=Score)


scorers = Scorers()


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
