"""The short string that goes with every number: same signature, same number."""

from typing import Any

from scoring.bootstrap import Plan
from scoring.options import Option, Options
from scoring.source import Source
from scoring.version import VERSION


def signature(
    scorer: str, declared: tuple[Option, ...], options: Options, unit: str, plan: Plan
) -> str:
    """scorer|options that differ from the default|unit|resamples|seed|level|version."""
    parts = [scorer]
    for option in declared:
        value = options[option.name]
        if value is not None and value != option.default:
            parts.append(f"{option.name}:{_printed(value)}")
    parts += [f"unit:{unit}", f"bs:{plan.resamples}", f"seed:{plan.seed}"]
    return "|".join([*parts, f"level:{plan.level}", f"v:{VERSION}"])


def _printed(value: Any) -> str:
    if isinstance(value, Source):
        return value.sha256[:12]
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
