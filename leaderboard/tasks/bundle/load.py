"""A bundle is read: every mistake is named with its file and line."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from leaderboard.tasks.bundle.files import (
    MANIFEST,
    YamlTable,
    manifest_of,
)
from leaderboard.tasks.bundle.schema import A_TIME, TaskPlan, keys_of, one_of
from scoring.engine import Job, check
from scoring.errors import Findings, SetupError
from scoring.formats.bundle import as_one_file
from scoring.gold_check import blind_of, unit_of, units_of
from scoring.picks import likely
from scoring.scorers.program.conventions import code_of
from scoring.source import Source, brief

Place = tuple[str | int, ...]
# Kinds of errors of the schema, and what a field expects where they come up.
EXPECTED = {
    "string_type": "some text",
    "string_too_short": "some text",
    "string_too_long": "at most {max_length} characters",
    "too_short": "at least {min_length} of them",
    "too_long": "at most {max_length} of them",
    "string_pattern_mismatch": "small letters, digits, '-' and '_', at most 40",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "int_from_float": "a whole number",
    "int_parsing_size": "a number of fewer digits",
    "finite_number": "a number",
    "greater_than_equal": "a number of {ge:g} or more",
    "less_than_equal": "a number of {le:g} or less",
    "less_than": "a number below {lt:g}",
    "literal_error": "{expected}",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "datetime_type": A_TIME,
}
OF_LENGTH = ("string_too_short", "string_too_long")
QUOTED = (str, int, float, date)
NAMES = re.compile("'([^']*)'")
# What YAML makes of texts such as yes, 1.0 and 2026-12-20.
YAML_KINDS = (bool, int, float, date)
IN_QUOTES = "some text: put words such as yes, numbers and dates between quotes"


def load(source: Source) -> TaskPlan:
    """Read a bundle and check it whole, gold against itself included.

    Raises SetupError with every problem of the manifest and its line, or with those
    of the gold files.
    """
    return with_gold(declared_plan(source))


def declared_plan(source: Source) -> TaskPlan:
    """The plan in a bundle's manifest; gold and baselines are not read.

    Raises SetupError with every problem of the manifest and its line.
    """
    manifest = manifest_of(source)
    manifest.table.setdefault("plumbline", None)
    try:
        plan = TaskPlan.whole().model_validate(manifest.table, context=manifest)
    except ValidationError as error:
        findings = Findings(MANIFEST)
        for place, kind, words in _errors(error):
            line, message = _message(manifest.table, place, kind, words)
            findings.add("manifest", message, line=line)
        findings.raise_if_any(SetupError)
        raise
    for phase, table in zip(plan.phases, manifest.table.get("phases", ()), strict=True):
        phase.lines.update(table.lines)
    plan.strays.extend(manifest.strays)
    return plan


def with_gold(plan: TaskPlan) -> TaskPlan:
    """The plan with its gold tried, units counted, missing blind files made and
    baselines checked."""
    plan = with_units(plan)
    scorer, options = plan.scoring.scorer, plan.scoring.parsed_options
    blinds = {test_set.name: test_set.blind for test_set in plan.test_sets}
    for baseline in plan.baselines:
        is_code = plan.brings_code(baseline)
        for name, file in baseline.files.items():
            if is_code:
                code_of(file)
                continue
            blind = blinds[name]
            assert blind is not None
            if problems := check(scorer, blind, file, options):
                raise SetupError(problems)
    return plan


def with_units(plan: TaskPlan) -> TaskPlan:
    """The plan with its gold tried, units counted and missing blind files made.

    Where no unit is stated, that of the first gold is the task's.
    """
    scorer, options = plan.scoring.scorer, plan.scoring.parsed_options
    unit = plan.scoring.unit
    test_sets = []
    for test_set in plan.test_sets:
        gold = test_set.gold
        unit = unit or unit_of(Job(scorer, options, unit), gold)
        job = Job(scorer, options, unit)
        blind = test_set.blind or as_one_file(blind_of(job, gold))
        units = units_of(job, gold, blind)
        test_sets.append(test_set.with_values(blind=blind, units=units))
    return plan.with_unit(unit).with_values(test_sets=tuple(test_sets))


def _errors(error: ValidationError) -> Iterator[tuple[Place, str, str]]:
    """Place, kind and words of each error, in the order of the manifest."""
    for details in error.errors(include_url=False):
        place, kind, words = details["loc"], details["type"], details["msg"]
        if kind == "extra_forbidden":
            kind, words = "unknown", "\n".join(keys_of(_model(place[:-1])))
        elif kind == "missing":
            kind, words = "refused", "it has to be there"
        elif kind not in ("expected", "refused", "unknown"):
            words = _expectation(kind, details)
            if kind == "string_type" and isinstance(details["input"], YAML_KINDS):
                words = IN_QUOTES
            if isinstance(number := place[-1], int):
                is_table = kind == "model_type"
                words = (
                    f"a table as number {number + 1}" if is_table else "a list of words"
                )
            kind = "expected"
        yield place[:-1] if isinstance(place[-1], int) else place, kind, words


def _expectation(kind: str, details: ErrorDetails) -> str:
    """The words for what a field expects where an error of that kind comes up."""
    given, about = details["input"], details.get("ctx", {})
    if kind == "enum":
        return one_of(NAMES.findall(about["expected"]), given)
    of_text = f"string_{kind}"
    kind = of_text if isinstance(given, str) and of_text in EXPECTED else kind
    words = EXPECTED.get(kind, "another value").format(**about)
    quotes = isinstance(given, QUOTED) and not isinstance(given, bool)
    quotes = quotes and kind not in OF_LENGTH and str(given) != ""
    return f"{words}; not '{brief(str(given))}'" if quotes else words


def _message(table: YamlTable, place: Place, kind: str, words: str) -> tuple[int, str]:
    """The line of a place, and the message about it."""
    inner: Any = table
    where, key = "", str(place[-1])
    for step, name in enumerate(place[:-1]):
        inner = inner[name]
        if isinstance(inner, YamlTable):
            table, where = inner, str(name)
        if isinstance(name, int):
            where = f"{place[step - 1]}, number {name + 1}"
    line = table.lines.get(key, table.line)
    if kind == "unknown":
        message = f"'{key}': unknown key in {where or 'it'}"
        if near := likely(key, words.split("\n")):
            return line, f"{message}. Did you mean '{near}'?"
        if homes := _homes(key):
            return line, f"{message}; it belongs {' or '.join(homes)}."
        return line, f"{message}; expected one of {', '.join(words.splitlines())}."
    text = f"expected {words}." if kind == "expected" else words
    return line, f"{where}: '{key}': {text}" if where else f"'{key}': {text}"


def _homes(key: str) -> list[str]:
    """The places of a manifest where a key belongs."""
    whole = TaskPlan.whole()
    homes = ["at the top"] if key in keys_of(whole) else []
    for name, field in whole.model_fields.items():
        if any(key in keys_of(model) for model in _models(field.annotation)):
            homes.append(f"into {field.alias or name}")
    return homes


def _model(place: Place) -> type[BaseModel]:
    """The innermost table of the schema at a place."""
    model: type[BaseModel] = TaskPlan.whole()
    for key in place:
        for name, field in model.model_fields.items():
            if key == (field.alias or name):
                model = next(_models(field.annotation), model)
                break
    return model


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
