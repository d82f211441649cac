"""Answers of the site as lines for people."""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from shutil import get_terminal_size
from typing import Any

Values = Mapping[str, Any]


def as_json(values: Any) -> str:
    return json.dumps(values, ensure_ascii=False, indent=1)


def problem_line(problem: Values) -> str:
    """file:line:column: message, as compilers say it."""
    place = ":".join(
        str(problem[key]) for key in ("file", "line", "column") if problem.get(key)
    )
    count = problem.get("count", 1)
    times = f" ({count} times)" if count > 1 else ""
    text = f"{problem['message']}{times}"
    if hint := problem.get("hint"):
        stop = "" if text.endswith((".", "!", "?", ":", ")")) else "."
        text = f"{text}{stop} {hint}"
    return f"{place}: {text}" if place else text


def second(moment: str) -> str:
    """A time of the site without what is less than a second."""
    return re.sub(r"\.\d+", "", moment)


GAP, SHORTEST = 2, 12  # between columns; of a cell that is cut


def terminal_width() -> int | None:
    """Columns of the terminal; None where the answer goes to a file or a program."""
    return get_terminal_size().columns if sys.stdout.isatty() else None


def table(
    rows: Iterable[Sequence[Any]], spare: Iterable[int] = (), named: Sequence[int] = ()
) -> str:
    """Columns as wide as their widest cell.

    On a terminal that is narrower, columns of `spare` are left out, one by one, and
    then the longest cells of the columns of `named` are cut.
    """
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    room = terminal_width()
    if room is not None:
        for place in spare:
            if _width(widths) > room:
                widths[place] = 0
        while named and _width(widths) > room:
            longest = max(named, key=widths.__getitem__)
            if widths[longest] <= SHORTEST:
                break
            widths[longest] -= 1
    lines = (
        "  ".join(
            _cut(cell, width).ljust(width)
            for cell, width in zip(row, widths, strict=True)
            if width
        )
        for row in texts
    )
    return "\n".join(line.rstrip() for line in lines)


def _width(widths: Sequence[int]) -> int:
    """The width of a line with columns of these widths; 0 is no column."""
    columns = [width for width in widths if width]
    return sum(columns) + GAP * (len(columns) - 1)


def _cut(cell: str, width: int) -> str:
    return cell if len(cell) <= width else f"{cell[: width - 1]}…"


# Decimals of a value and of the ends of its interval, as the pages have them.
PERCENT, PLAIN = (2, 1), (3, 3)


def score(submission: Values | None, percent: bool = False, ends: bool = True) -> str:
    """The score as "82.61 [81.2, 84.0]", a share in percent as on the pages; a dagger
    for few units. Without `ends` the value alone."""
    if not submission or submission["value"] is None:
        return "n/a"
    (of_value, of_ends), factor = (PERCENT, 100) if percent else (PLAIN, 1)
    text = f"{submission['value'] * factor:.{of_value}f}"
    if not ends:
        return text
    if submission["low"] is None or submission["high"] is None:
        return f"{text} [n/a]"
    few = "\u2020" if submission.get("few_units") else ""
    around = (f"{submission[end] * factor:.{of_ends}f}" for end in ("low", "high"))
    return f"{text} [{', '.join(around)}]{few}"


def submission(submission: Values, percents: Mapping[str, bool]) -> str:
    lines = [f"{submission['id']}  {submission['system']}  {submission['state']}"]
    if submission["text"]:
        lines.append(f"  {submission['text']}")
    lines += [f"  {problem_line(problem)}" for problem in submission["problems"]]

    def scores(of: Values, before: str = "") -> list[str]:
        return [
            f"  {before}{name}  {score(number, percents.get(name, False))}"
            for name, number in of["scores"].items()
        ]

    lines += scores(submission)
    of_test_sets = submission.get("test_sets", {})
    if not submission["scores"]:
        # Entered for several test sets that have a board each.
        for title, of in of_test_sets.items():
            lines += scores(of, f"{title}: ")
    remarks = [text for of in of_test_sets.values() for text in of.get("remarks", ())]
    lines += [f"  {text}" for text in dict.fromkeys(remarks)]
    lines += [f"  {line}" for line in submission["withheld"]]
    return "\n".join(lines)


def board(board: Values) -> str:
    """The table of a board; a line separates groups that differ significantly. The
    measure that ranks has its interval, and --json all of them."""
    measures = board["measures"]
    ranks = board.get("ranked_by") or (measures[0]["name"] if measures else "")
    head = [
        "rank",
        "range",
        "team",
        "system",
        *(measure["name"] for measure in measures),
    ]
    cells = [head]
    for row in board["rows"]:
        scores = (
            score(
                row["scores"].get(measure["name"]),
                measure.get("percent", False),
                ends=measure["name"] == ranks,
            )
            for measure in measures
        )
        rank = "–" if row["rank"] is None else str(row["rank"])
        cells.append([rank, _range(row), row["team"], row["system"], *scores])
    others = [
        4 + place for place, measure in enumerate(measures) if measure["name"] != ranks
    ]
    lines = table(cells, reversed(others), named=(2, 3)).split("\n")
    groups = [row.get("cluster") for row in board["rows"]]
    for place in range(len(groups) - 1, 0, -1):
        one, other = groups[place - 1], groups[place]
        if one is not None and other is not None and one != other:
            lines.insert(place + 1, "-" * max(map(len, lines)))
    words = [board["rule"], *board["withheld"]]
    return "\n".join([*lines, "", *words])


def _range(row: Values) -> str:
    low, high = row.get("rank_range") or (None, None)
    if low is None or high is None:
        return ""
    return str(low) if low == high else f"{low}–{high}"
