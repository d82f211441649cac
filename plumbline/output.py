"""Answers of the site as lines for people."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Values = Mapping[str, Any]


def as_json(values: Any) -> str:
    return json.dumps(values, ensure_ascii=False, indent=1)


def told(problem: Values) -> str:
    """file:line:column: message, as compilers say it."""
    place = ":".join(
        str(problem[key]) for key in ("file", "line", "column") if problem.get(key)
    )
    hint = f" {problem['hint']}" if problem.get("hint") else ""
    text = f"{problem['message']}{hint}"
    return f"{place}: {text}" if place else text


def table(rows: Iterable[Sequence[Any]]) -> str:
    """Columns as wide as their widest cell."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in texts
    )
    return "\n".join(line.rstrip() for line in lines)


def score(found: Values | None) -> str:
    """As "0.8750 [0.80, 0.93]": as the API gives it; a dagger for few units."""
    if not found or found["value"] is None:
        return "n/a"
    text = f"{found['value']:.4f}"
    if found["low"] is None or found["high"] is None:
        return f"{text} [n/a]"
    few = "\u2020" if found.get("few_units") else ""
    return f"{text} [{found['low']:.4f}, {found['high']:.4f}]{few}"


def submission(found: Values) -> str:
    lines = [f"{found['id']}  {found['system']}  {found['state']}"]
    if found["text"]:
        lines.append(f"  {found['text']}")
    lines += [f"  {told(one)}" for one in found["problems"]]
    lines += [f"  {name}  {score(one)}" for name, one in found["scores"].items()]
    if not found["scores"]:
        # Entered for several test sets that have a board each.
        lines += [
            f"  {title}: {name}  {score(one)}"
            for title, of in found.get("test_sets", {}).items()
            for name, one in of["scores"].items()
        ]
    lines += [f"  {line}" for line in found["withheld"]]
    return "\n".join(lines)


def board(found: Values) -> str:
    names = [measure["name"] for measure in found["measures"]]
    head = ["rank", "team", "system", *names]
    rows = [
        [
            "–" if row["rank"] is None else row["rank"],
            row["team"],
            row["system"],
            *(score(row["scores"].get(name)) for name in names),
        ]
        for row in found["rows"]
    ]
    words = [found["rule"], *found["withheld"]]
    return "\n".join([table([head, *rows]), "", *words])
