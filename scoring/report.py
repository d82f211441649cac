"""A result as text, JSON, CSV or LaTeX; rounding happens here and nowhere else."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scoring.engine import Result
from scoring.errors import Problem
from scoring.scorer import Details, Scorer

if TYPE_CHECKING:
    from scoring.statistics.comparison import Comparison
    from scoring.statistics.power import Separation

SHOWN = (
    "value",
    "low",
    "high",
    "percentile_low",
    "percentile_high",
    "bca_low",
    "bca_high",
    "mean",
    "variance",
    "stddev",
    "informative_units",
)


def as_json(result: Result) -> str:
    """One object with full precision; undefined is null (SCORING.md, command line)."""
    return json_text(result_object(result))


def result_object(result: Result, system: str = "") -> dict[str, Any]:
    """A result as plain values; `system` names the file among several."""
    measures = {name: estimate.as_dict() for name, estimate in result.measures.items()}
    return {
        "schema": schema("score"),
        **({"system": system} if system else {}),
        "scorer": result.scorer,
        "signature": result.signature,
        "signatures": result.signatures,
        "unit": result.unit,
        "units": result.units,
        "measures": measures,
        "counts": result.counts,
        "tables": result.tables,
        "design_effect": result.design_effect,
        "remarks": result.remarks,
    }


def schema(answer: str) -> str:
    """Name and version of the members of a JSON answer. The version goes up when a
    member is taken away or means something else."""
    return f"plumbline.scoring.{answer}/1"


def answer_json(answer: str, **members: Any) -> str:
    """A JSON object whose first key is `schema`."""
    return json_text({"schema": schema(answer)} | members)


def json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)


def as_text(result: Result) -> str:
    """A table for people: six decimals, the shown interval."""
    rows = [("measure", "value", "low", "high", "units")]
    for name, estimate in result.measures.items():
        ends = (score_text(estimate.low), score_text(estimate.high))
        cells = (score_text(estimate.value), *ends, str(estimate.informative_units))
        rows.append((name, *cells))
    lines = align_columns(rows)
    notes = [f"! {remark}" for remark in result.remarks]
    effects = [
        f"design effect of {group}: {effect:.2f}"
        for group, effect in result.design_effect.items()
    ]
    return "\n".join(
        [
            *lines,
            f"{result.units} units ({result.unit})",
            *effects,
            result.signature,
            *result.signatures,
            *notes,
        ]
    )


def score_text(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.6f}"


def align_columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """First column left, numbers right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def as_csv(result: Result) -> str:
    rows: list[tuple[str, ...]] = [("measure", *SHOWN)]
    for name, estimate in result.measures.items():
        numbers = estimate.as_dict()
        rows.append((name, *(_cell(numbers[key]) for key in SHOWN)))
    return csv_text(rows)


def _cell(value: float | int | None) -> str:
    return "n/a" if value is None else repr(value)


def csv_text(rows: Sequence[Sequence[object]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(map(guard_formulas, rows))
    return buffer.getvalue()


def guard_formulas(row: Sequence[object]) -> list[object]:
    """Text that a spreadsheet would run as a formula gets an apostrophe."""
    return [
        f"'{cell}" if isinstance(cell, str) and risky(cell) else cell for cell in row
    ]


def risky(text: str) -> bool:
    if not text.startswith(("=", "+", "-", "@", "\t", "\r")):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def as_latex(result: Result) -> str:
    """A booktabs table with intervals."""
    lines = [r"\begin{tabular}{lrr}", r"\toprule"]
    lines += [r"Measure & Value & 95\,\% interval \\", r"\midrule"]
    if "|level:0.95|" not in result.signature:
        lines[2] = r"Measure & Value & Interval \\"
    for name, estimate in result.measures.items():
        ends = f"{score_text(estimate.low)}--{score_text(estimate.high)}"
        interval = score_text(None) if estimate.low is None else ends
        lines.append(
            f"{latex_text(name)} & {score_text(estimate.value)} & {interval} \\\\"
        )
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def latex_text(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
    special |= {"^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    special |= {character: "\\" + character for character in "&%$#_{}"}
    special["\u2212"] = "$-$"  # a minus, which most fonts of LaTeX lack
    return "".join(special.get(character, character) for character in text)


FORMATS: dict[str, Callable[[Result], str]] = {
    "text": as_text,
    "json": as_json,
    "csv": as_csv,
    "latex": as_latex,
}


def details_csv(details: Details) -> str:
    return csv_text([details.columns, *details.rows])


def details_text(details: Details) -> str:
    rows = [details.columns, *(tuple(map(str, row)) for row in details.rows)]
    return "".join(f"{line}\n" for line in align_columns(rows))


def details_json(details: Details) -> str:
    rows = [dict(zip(details.columns, row, strict=True)) for row in details.rows]
    return answer_json("details", rows=rows) + "\n"


DETAILS: dict[str, Callable[[Details], str]] = {
    "csv": details_csv,
    "json": details_json,
    "text": details_text,
}


def refusal_json(problems: Sequence[Problem]) -> str:
    return json_text(refusal_object(problems))


def refusal_object(
    problems: Sequence[Problem], system: str = "", diagnosis: Problem | None = None
) -> dict[str, Any]:
    """The first problem as `error`, all of them as `problems`, what is wrong with the
    whole as `diagnosis`; `system` names the file among several."""
    from scoring.diagnosis import is_diagnosis  # Few files are refused.

    if len(problems) > 1 and is_diagnosis(problems[0]):
        diagnosis, *problems = problems
    first = problems[0].as_dict()
    error = {key: first[key] for key in ("code", "message", "file", "line")}
    return {
        "schema": schema("refusal"),
        **({"system": system} if system else {}),
        **({"diagnosis": diagnosis.as_dict()} if diagnosis else {}),
        "error": error,
        "problems": [problem.as_dict() for problem in problems],
    }


def refusal(problems: Sequence[Problem], terminal: bool) -> str:
    """Problems as JSON for programs, as lines to read on a terminal."""
    return refusal_text(problems) if terminal else refusal_json(problems)


def refusal_text(problems: Sequence[Problem]) -> str:
    """A paragraph for each problem: place and message, the line itself, the hint."""
    return "\n".join(line for problem in problems for line in _paragraph(problem))


def _paragraph(problem: Problem) -> Iterator[str]:
    numbers = (problem.line, problem.column if problem.line else None)
    place = ":".join([problem.file, *(str(n) for n in numbers if n is not None)])
    times = f" ({problem.count} times)" if problem.count > 1 else ""
    text = f"{problem.message}{times}"
    yield f"{place}: {text}" if place else text
    if problem.excerpt:
        yield f"    {problem.excerpt}"
        if problem.caret is not None:
            yield " " * (4 + problem.caret) + "^"
    if problem.hint:
        yield f"    {problem.hint}"


def comparisons_json(comparisons: "Sequence[Comparison]") -> str:
    named = {"schema": schema("comparison")}
    return json_text([named | comparison.as_dict() for comparison in comparisons])


COMPARED = ("difference", "low", "high", "probability")
JUDGED = ("p_value", "adjusted", "randomization")
UNITS = ("won", "lost", "tied")
EQUIVALENT = {True: "yes", False: "no", None: "n/a"}


def comparisons_text(comparisons: "Sequence[Comparison]") -> str:
    """One line a pair; `adjusted` is Holm's over all of them. Whether they are
    equivalent is told where a margin was stated."""
    few = any(_rests_on_few(pair) for pair in comparisons)
    stated = any(pair.margin is not None for pair in comparisons)
    more = [*(["equivalent"] if stated else []), *(["remark"] if few else [])]
    head = ("first", "second", "measure", *COMPARED, *JUDGED, *UNITS, *more)
    rows: list[tuple[str, ...]] = [head]
    for pair in comparisons:
        numbers = [score_text(getattr(pair, name)) for name in COMPARED]
        chances = [p_value_text(getattr(pair, name)) for name in JUDGED]
        units = [number_text(getattr(pair, name)) for name in UNITS]
        row = (pair.first, pair.second, pair.measure, *numbers, *chances, *units)
        row += (EQUIVALENT[pair.equivalent],) if stated else ()
        row += ("a few units decide" if _rests_on_few(pair) else "",) if few else ()
        rows.append(row)
    return "\n".join([*align_columns(rows), *compared_by(comparisons)])


def compared_by(comparisons: "Sequence[Comparison | Separation]") -> list[str]:
    """A line on each grouping by which systems were compared, and in what measures."""
    measures: dict[str, dict[str, None]] = {}
    for comparison in comparisons:
        if comparison.compared_by:
            measures.setdefault(comparison.compared_by, {})[comparison.measure] = None
    return [
        f"{', '.join(names)}: compared {group} by {group}, units inside one are alike"
        for group, names in measures.items()
    ]


def _rests_on_few(pair: "Comparison") -> bool:
    """Whether a difference that is found at .05 may be due to a few units."""
    differs = pair.p_value is not None and pair.p_value < 0.05
    return differs and bool(pair.few_units_decide)


def number_text(number: int | None) -> str:
    return "n/a" if number is None else str(number)


def p_value_text(p_value: float | None) -> str:
    """A p-value, never a plain 0 for what is only small."""
    small = p_value is not None and 0 < p_value < 1e-6
    return "<0.000001" if small else score_text(p_value)


def scorer_description(scorer: Scorer) -> dict[str, Any]:
    """Plain values: name, title, summary, units, formats, options and measures."""
    return {
        "name": scorer.name,
        "title": scorer.title,
        "summary": scorer.summary,
        "formats": list(scorer.formats),
        "units": list(scorer.units),
        "headline": scorer.headline,
        "options": [
            asdict(option) | {"choices": list(option.choices)}
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
        "package": scorer.package,
    }


def scorers_json(scorers: Sequence[Scorer]) -> str:
    named = {"schema": schema("scorer")}
    return json_text([named | scorer_description(scorer) for scorer in scorers])


def scorers_text(scorers: Sequence[Scorer]) -> str:
    return "\n\n".join(_scorer_text(scorer) for scorer in scorers)


def _scorer_text(scorer: Scorer) -> str:
    lines = [f"{scorer.name}: {scorer.summary}"]
    lines += [f"  package: {scorer.package}"] if scorer.package else []
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
