"""check and verify: whether a file can be scored, and whether a receipt holds."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scoring import report
from scoring.commands import (
    FILES,
    PAIR,
    REFUSED,
    argument,
    check_standard_input,
    command,
    files_of,
    options_of,
    raw_options,
    scorer_of,
    source_of,
)
from scoring.engine import Verdict, examine
from scoring.receipt import load, verify
from scoring.scorers import get
from scoring.source import Source

# For answers that say yes or what is wrong: programs read JSON, people lines.
VERDICT = argument(
    "--format",
    choices=("text", "json"),
    help="how to print the answer (default: text on a terminal; elsewhere problems "
    "as JSON)",
)


def _print(verdicts: Mapping[str, Verdict], fine: str, layout: str | None) -> int:
    """Print what is wrong with each file, or that nothing is; the exit code. Of several
    files each is named."""
    several = len(verdicts) > 1
    if layout == "json" or (several and layout is None and not sys.stdout.isatty()):
        objects = [_verdict_object(file, verdict) for file, verdict in verdicts.items()]
        print(report.json_text(objects if several else objects[0]))
    else:
        as_lines = layout == "text" or sys.stdout.isatty()
        for file, verdict in verdicts.items():
            print(_verdict_text(file if several else "", verdict, fine, as_lines))
    return REFUSED if any(verdict.problems for verdict in verdicts.values()) else 0


def _verdict_text(file: str, verdict: Verdict, fine: str, as_lines: bool) -> str:
    if not verdict.problems:
        verdict_line = f"{file}: {fine}" if file else fine
        remarks = report.refusal_text(verdict.remarks)
        return f"{verdict_line}\n{remarks}" if remarks else verdict_line
    if as_lines:
        return report.refusal_text(verdict.findings)
    return report.json_text(
        report.refusal_object(verdict.problems, "", verdict.diagnosis)
    )


def _verdict_object(file: str, verdict: Verdict) -> dict[str, Any]:
    if verdict.problems:
        return report.refusal_object(verdict.problems, file, verdict.diagnosis)
    return {
        "schema": report.schema("check"),
        "system": file,
        "problems": [],
        "remarks": [remark.as_dict() for remark in verdict.remarks],
    }


@command(
    "check",
    "check the format of files against the input file, which has no answers",
    *FILES,
    VERDICT,
    example="attachment --gold blind.conllu --system mine.conllu",
)
def check_format(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options = options_of(scorer, called)
    check_standard_input([called.gold, *called.systems])
    blind = source_of(called.gold)
    verdicts = {
        str(path): examine(scorer, blind, source_of(path), options)
        for path in called.systems
    }
    return _print(verdicts, "fine", called.format)


@command(
    "verify",
    "check that a receipt holds for these files",
    argument("receipt", type=Path, metavar="RECEIPT", help="receipt of a score"),
    *PAIR,
    VERDICT,
    example="receipt.json --gold gold.conllu --system mine.conllu",
)
def verify_receipt(called: argparse.Namespace) -> int:
    receipt = load(called.receipt.name, called.receipt.read_bytes())
    raw = raw_options(get(receipt.scorer, receipt.package), called.option)
    files = {n: v[-1] for n, v in raw.items() if isinstance(v[-1], Source)}
    gold, system = files_of(called)
    verdict = Verdict(verify(receipt, gold, system, files))
    return _print({str(called.systems[0]): verdict}, "the receipt holds", called.format)
