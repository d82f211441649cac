"""Tables of judgements: checked whole, and cut into one for each submitted file."""

import json
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from scoring.elsewhere import (
    ID,
    JUDGE,
    PLACES,
    SUBMISSION,
    Judgements,
    Units,
    check_columns,
    in_own_names,
    judgements_of_rows,
    text_in,
)
from scoring.errors import Findings, Refused
from scoring.formats import records
from scoring.formats.records import Records
from scoring.messages import Messages, _
from scoring.sandbox.codec import Request, Values
from scoring.source import Source, brief
from scoring.statistics.ppi import LEAST_JUDGED

MESSAGES = Messages(
    no_submission=_("there is no submission '%(name)s' to be judged."),
    no_test_set=_("there is no test set '%(name)s' to be judged."),
    no_run=_("there is no run '%(name)s' to be judged."),
    submission=_("submission %(name)s"),
    test_set=_("test set %(name)s"),
    run=_("run %(name)s"),
    list=_("%(first)s, %(second)s"),
    no_line=_("the table has no line below its first."),
    no_column=_("no column '%(column)s' found, and there are several."),
    manifest=_("The manifest that comes with the files has what to write there."),
    as_in_manifest=_("Write it as the manifest has it."),
)

Part = tuple[str, str, str]


def judgements(request: Request) -> tuple[Values, Sequence[bytes]]:
    """`parts`: of each submitted file that has lines its place, with `judged` and
    `agreement` by column; the files are their tables.

    Given `name`, `columns`, `limits` (of columns, the least and the largest value),
    `complete`, the places of submitted files as `parts` (submission, test set, run),
    and `test_sets`, whose lists of units are the files after the table, in the order in
    which people judge them. `corrected` has columns of a judge model and of the people
    that correct it. Raises Refused with all that is wrong.
    """
    values = request.values
    source = Source.of_bytes(values["name"], request.files[0])
    units = {
        name: Units(tuple(json.loads(data)))
        for name, data in zip(values["test_sets"], request.files[1:], strict=True)
    }
    findings = Findings(source.name)
    table = records.read(source, findings, Refused)
    table = in_own_names(table, values["columns"])
    check_columns(table, values["columns"], findings, PLACES)
    places = [(part[0], part[1], str(part[2])) for part in values["parts"]]
    _check_places(table, places, findings)
    findings.raise_if_any(Refused)
    parts, tables = [], []
    for part, rows in _sorted_out(table, places, findings).items():
        judged = judgements_of_rows(
            table,
            np.array(rows, dtype=np.int64),
            units[part[1]],
            values["columns"],
            findings,
            models={model for model, _people in values["corrected"]},
            limits={name: (low, high) for name, low, high in values["limits"]},
            complete=values["complete"],
            whose=_name_in_messages(part, places),
        )
        for columns in values["corrected"]:
            check_sample(judged, columns, findings, _name_in_messages(part, places))
        parts.append([*part, judged.judged_units(), judged.agreement()])
        tables.append(_table_text(table, rows, values["columns"]))
    if not tables:
        findings.add("empty_file", MESSAGES("no_line"))
    findings.raise_if_any(Refused)
    return {"parts": parts}, tables


def check_sample(
    judged: Judgements, columns: Sequence[str], findings: Findings, whose: str = ""
) -> None:
    """Note a model that left units out, and people who judged others than the first of
    the drawn order, or too few of them. The units are in that order."""
    model, people = columns
    means = judged.means()
    lacking = np.flatnonzero(np.isnan(means[model]))
    if len(lacking):
        unit = brief(judged.units[int(lacking[0])])
        share = f"{len(lacking)} of {len(judged.units)} units"
        message = f"{whose}'{model}' lacks a value for {share}, as '{unit}'."
        hint = "A judge model judges every unit; people judge a sample."
        findings.add("judge_model", message, hint=hint)
    given = ~np.isnan(means[people])
    number = int(given.sum())
    gaps = np.flatnonzero(~given[:number])
    if len(gaps):
        gap = int(gaps[0])
        message = (
            f"{whose}'{people}' has values for {number} units, but not for "
            f"'{brief(judged.units[gap])}', number {gap + 1} of the list to judge."
        )
        hint = (
            "Judge from the top of sample.csv and leave none out: other units are no "
            "random sample, and a mean corrected by them could be wrong."
        )
        findings.add("sample", message, hint=hint)
    elif number < min(LEAST_JUDGED, len(given)):
        message = f"{whose}'{people}' has values for {number} units."
        hint = (
            f"People judge {LEAST_JUDGED} units at least, from the top of sample.csv."
        )
        findings.add("small_sample", message, hint=hint)


def _check_places(table: Records, parts: Sequence[Part], findings: Findings) -> None:
    """Note columns that are needed to tell whose values a line holds."""
    line = None if table.kind == "jsonl" else 1
    for i, name in enumerate(PLACES):
        if name not in table.columns and len({part[i] for part in parts}) > 1:
            message = MESSAGES("no_column", column=name)
            hint = MESSAGES("manifest")
            findings.add("header", message, line=line, hint=hint)


def _sorted_out(
    table: Records, parts: Sequence[Part], findings: Findings
) -> dict[Part, list[int]]:
    """Rows of each submitted file, in the order of the table."""
    only: list[Any] = [parts[0][i] if parts else "" for i in range(len(PLACES))]
    columns = [table.columns.get(name) for name in PLACES]
    listed = set(parts)
    places: dict[Any, Any] = {}
    names = {name: {part[i] for part in parts} for i, name in enumerate(PLACES)}
    for row in range(len(table)):
        own = [
            only[i] if cells is None else text_in(cells[row])
            for i, cells in enumerate(columns)
        ]
        part: Part = (own[0].lower(), own[1], own[2])
        if part in listed:
            places.setdefault(part, []).append(row)
            continue
        wrong = next(
            (n for n, text in zip(PLACES, part, strict=True) if text not in names[n]),
            SUBMISSION,
        )
        text = dict(zip(PLACES, part, strict=True))[wrong]
        message = MESSAGES(f"no_{wrong}", name=brief(text, 40))
        hint = MESSAGES("as_in_manifest")
        line = int(table.lines[row])
        findings.add("unknown_submission", message, line=line, hint=hint)
    return places


def _name_in_messages(part: Part, parts: Sequence[Part]) -> str:
    """The submitted file as a message calls it, where there are several."""
    names = [
        MESSAGES(name, name=part[i])
        for i, name in enumerate(PLACES)
        if len({part[i] for part in parts}) > 1
    ]
    if not names:
        return ""
    return reduce(lambda a, b: MESSAGES("list", first=a, second=b), names)


def _table_text(table: Records, rows: Sequence[int], columns: Sequence[str]) -> bytes:
    """The lines of one submitted file as a table of its own, cells as they were."""
    names = [ID, *([JUDGE] if JUDGE in table.columns else []), *columns]
    cells = {
        name: [text_in(table.columns[name][row]) for row in rows] for name in names
    }
    return records.write(cells, ",").encode()
