"""Values that the engine keeps in memory: the same work with them and without.

What buys less than a tenth is taken out (decision 13)."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from benchmarks._timing import Work, row
from benchmarks.bootstrap import PLAN, UNITS, made, measures
from scoring.statistics import bootstrap, intervals
from scoring.statistics.bootstrap import board_numbers, estimates

FEW, SYSTEMS = 500, 20


def rows() -> list[dict[str, Any]]:
    """Paired timings; medians, in milliseconds."""
    sentences = made(UNITS, 1)

    def resampled() -> None:
        estimates(sentences, measures(), PLAN)

    systems = [[(made(FEW, seed), PLAN)] for seed in range(SYSTEMS)]

    def board() -> None:
        board_numbers(systems, measures())

    draws = f"draws kept, of {PLAN.resamples} resamples of {UNITS} sentences"
    quantiles = f"quantiles of Student's t kept, {SYSTEMS} systems, {FEW} sentences"
    return [
        _row(draws, bootstrap, "_stored_weights", resampled),
        _row(quantiles, intervals, "t_quantile", board),
    ]


def _row(work: str, module: ModuleType, name: str, run: Work) -> dict[str, Any]:
    builder: Callable[..., Any] = getattr(module, name)

    def without() -> None:
        setattr(module, name, builder.__wrapped__)  # type: ignore[attr-defined]
        try:
            run()
        finally:
            setattr(module, name, builder)

    return row(work, run, ("not kept", without), 1.1)
