"""list, score and details: the scorers, and files against gold."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scoring import report
from scoring.commands import (
    FILES,
    REFUSED,
    RESAMPLING,
    argument,
    check_standard_input,
    command,
    diagnosing,
    files_of,
    layouts,
    options_of,
    plan_of,
    raw_options,
    scorer_of,
    source_of,
)
from scoring.engine import Job, Result, evaluate, read_pair
from scoring.errors import Problem, Refused, UsageError
from scoring.measure_names import own_names
from scoring.options import parse
from scoring.scorers import all_scorers, plugins

Problems = Sequence[Problem]


@command("list", "scorers with options and measures", layouts("text", "json"))
def list_scorers(called: argparse.Namespace) -> int:
    scorers = list(all_scorers().values())
    show = report.scorers_json if called.format == "json" else report.scorers_text
    print(show(scorers))
    for plugin in plugins():
        if plugin.fault:
            print(f"scoring: left out: {plugin}", file=sys.stderr)
    return 0


@command(
    "score",
    "score one file or several against gold",
    *FILES,
    *RESAMPLING,
    layouts(*report.FORMATS),
    argument(
        "--measure",
        action="append",
        default=[],
        metavar="NAME",
        help="only this measure; as text, the bare number; may be repeated",
    ),
    argument(
        "--receipt", type=Path, metavar="FILE", help="write a receipt to this file"
    ),
    example="attachment --gold gold.conllu --system mine.conllu --format json",
)
def score_file(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    raw = raw_options(scorer, called.option)
    plan = plan_of(called)
    if called.measure and called.format == "text" and not called.receipt:
        plan = replace(plan, resamples=0)  # a bare number has no interval
    job = Job(scorer, parse(scorer.options, raw), called.unit, plan)
    if called.receipt or len(called.systems) == 1:
        files = files_of(called)
        with diagnosing(scorer, *files, job.options):
            result = evaluate(job, *files)
        if called.receipt:
            from scoring.receipt import receipt_of  # Few scores have one.

            text = receipt_of(job, raw, files, result).as_json() + "\n"
            # File names need not be UTF-8; JSON reads the escape of a byte back.
            called.receipt.write_bytes(text.encode("utf-8", "backslashreplace"))
        print(_one(_chosen(result, called.measure), called))
        return 0
    return _score_several(job, called)


def _score_several(job: Job, called: argparse.Namespace) -> int:
    """Print the result of every system, or in its place why it has none."""
    if called.format not in ("text", "json"):
        message = f"--format {called.format} takes one --system; text and json several"
        raise UsageError(Problem("format", message))
    check_standard_input([called.gold, *called.systems])
    gold = source_of(called.gold)
    answers: list[Result | Problems] = []
    for path in called.systems:
        system = source_of(path)
        try:
            with diagnosing(job.scorer, gold, system, job.options):
                answers.append(_chosen(evaluate(job, gold, system), called.measure))
        except Refused as refusal:
            answers.append(refusal.problems)
    names = list(map(str, called.systems))
    if called.format == "json":
        objects = [
            report.result_object(answer, name)
            if isinstance(answer, Result)
            else report.refusal_object(answer, name)
            for name, answer in zip(names, answers, strict=True)
        ]
        print(report.json_text(objects))
    else:
        texts = (
            _one(a, called) if isinstance(a, Result) else report.refusal_text(a)
            for a in answers
        )
        if called.measure:
            print("\n".join(f"{n}\t{t}" for n, t in zip(names, texts, strict=True)))
        else:
            print("\n\n".join(f"{n}\n{t}" for n, t in zip(names, texts, strict=True)))
    return 0 if all(isinstance(answer, Result) for answer in answers) else REFUSED


def _chosen(result: Result, names: Sequence[str]) -> Result:
    """The result with the named measures alone, all without names. Raises UsageError
    for a measure that it does not have."""
    if not names:
        return result
    own = own_names(names, list(result.measures))
    return replace(result, measures={name: result.measures[name] for name in own})


def _one(result: Result, called: argparse.Namespace) -> str:
    """A result in the format asked for; as text, of named measures their values."""
    if called.measure and called.format == "text":
        values = [estimate.value for estimate in result.measures.values()]
        return "\t".join("n/a" if value is None else repr(value) for value in values)
    return report.FORMATS[called.format](result)


@command(
    "details",
    "print what is right and wrong, item by item",
    *FILES,
    layouts("csv", "json", "text"),
    example="classes --gold gold.tsv --system mine.tsv",
)
def print_details(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options = options_of(scorer, called)
    gold, system = files_of(called)
    with diagnosing(scorer, gold, system, options):
        pair = read_pair(scorer, gold, system, options)
    details = scorer.details(*pair, options)
    print(report.DETAILS[called.format](details), end="")
    return 0
