"""Weights as a JSON object: name to number."""

import json
from typing import Any

from scoring.errors import Findings, Problem, SetupError
from scoring.formats.text import shown, text_of
from scoring.source import Source

MOST = 1000.0


def read(source: Source) -> dict[str, float]:
    """Names and their weights, 0 to 1000.

    Raises SetupError for anything but an object of numbers, or a repeated name.
    """
    found = _loaded(source)
    findings = Findings(source.name)
    weights: dict[str, float] = {}
    for name, value in found:
        if name in weights:
            findings.add("weights", f"'{shown(name)}' is weighted twice.")
        elif not _is_weight(value):
            message = f"the weight of '{shown(name)}' is no number from 0 to {MOST:g}."
            findings.add("weights", message)
        else:
            weights[name] = float(value)
    findings.raise_if_any(SetupError)
    return weights


def _is_weight(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= MOST


def _loaded(source: Source) -> list[tuple[str, Any]]:
    text = text_of(source, SetupError)
    try:
        # Pairs, not a dictionary: a repeated name must not vanish.
        found = json.loads(text, object_pairs_hook=list)
    except json.JSONDecodeError as error:
        place = error.lineno, error.colno
        raise _refused(source, f"not JSON: {error.msg}", *place) from None
    except (RecursionError, ValueError):
        raise _refused(source, "not JSON that can be read") from None
    # An array of the file stays a list too, but only pairs are tuples.
    if text.lstrip()[:1] != "{":
        raise _refused(source, 'expected an object such as {"Case": 8, "Gender": 3}')
    return list(found)


def _refused(
    source: Source, message: str, line: int | None = None, column: int | None = None
) -> SetupError:
    return SetupError(Problem("weights", message, source.name, line, column))
