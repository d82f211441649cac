"""What scorers there are, from the registry: for people and for programs."""

import json
from collections.abc import Sequence
from typing import Any

from scoring.scorer import Scorer


def described(scorer: Scorer) -> dict[str, Any]:
    """Plain values: name, title, summary, units, formats, options and measures."""
    return {
        "name": scorer.name,
        "title": scorer.title,
        "summary": scorer.summary,
        "formats": list(scorer.formats),
        "units": list(scorer.units),
        "headline": scorer.headline,
        "options": [
            {
                "name": option.name,
                "help": option.help,
                "kind": option.kind,
                "default": option.default,
                "choices": list(option.choices),
            }
            for option in scorer.options
        ],
        "measures": [
            {
                "name": measure.name,
                "title": measure.title,
                "formula": measure.formula,
                "higher_is_better": measure.higher_is_better,
            }
            for measure in scorer.measures(())
        ],
        "example": scorer.example,
    }


def as_json(scorers: Sequence[Scorer]) -> str:
    return json.dumps([described(s) for s in scorers], ensure_ascii=False, indent=1)


def as_text(scorers: Sequence[Scorer]) -> str:
    return "\n\n".join(_text(scorer) for scorer in scorers)


def _text(scorer: Scorer) -> str:
    lines = [f"{scorer.name}: {scorer.summary}"]
    lines.append(f"  format: {', '.join(scorer.formats)}")
    lines.append(f"  units: {', '.join(scorer.units)}")
    for measure in scorer.measures(()):
        arrow = "higher" if measure.higher_is_better else "lower"
        what = f"{measure.name} = {measure.formula}"
        lines.append(f"  measure {what} ({arrow} is better)")
    for option in scorer.options:
        choices = f" ({' | '.join(option.choices)})" if option.choices else ""
        default = f", default {option.default}" if option.default else ""
        lines.append(f"  -o {option.name}: {option.help}{choices}{default}")
    lines.append("  example:")
    lines += [f"    {line}" for line in scorer.example.splitlines()]
    return "\n".join(lines)
