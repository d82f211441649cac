"""The short string that goes with every number: same signature, same number."""

from typing import Any

from scoring.bootstrap import Plan
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source
from scoring.version import VERSION


def signature(scorer: Scorer, options: Options, unit: str, plan: Plan) -> str:
    """scorer|options that differ from the default|unit|resamples|seed|level|versions.

    The versions are the engine's, for what it makes of counts, and the scorer's own.
    """
    parts = [scorer.name]
    for option in scorer.options:
        value = options[option.name]
        if value is not None and value != option.default:
            parts.append(f"{option.name}:{_printed(value)}")
    parts += [f"unit:{unit}", f"bs:{plan.resamples}", f"seed:{plan.seed}"]
    versions = f"v:{VERSION}", f"scorer:{scorer.version}"
    return "|".join([*parts, f"level:{plan.level}", *versions])


def _printed(value: Any) -> str:
    if isinstance(value, Source):
        return value.sha256[:12]
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
