"""`python -m tests.scoring.mutant_runs NUMBER`: hurt files of formats with structure.

Each mutant is checked against the blind file and scored, and ends in an answer or in a
refusal whose problems have places. The process prints what became of them, the slowest
in processor seconds, and the most memory that it held at any time, in MiB.
"""

import json
import random
import resource
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from time import process_time

import numpy as np

from scoring.engine import check
from scoring.errors import Problem, ScoringError
from scoring.laws import Case, Example
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.source import Source
from tests.scoring.damage import mutant
from tests.scoring.examples import examples_of

SCORERS = (
    *("coreference", "spans", "tuples", "probabilities", "metrics", "edits"),
    *("clusterings", "early", "meetings", "simultaneous"),
)
FOREIGN = (
    b"\0",
    b"\xff\xfe",
    b"\r",
    b"\n\n",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"(e1--1)",
    b"(",
    b")",
    b"Entity=(e1-x",
    b"||",
    b"|||",
    b"S a\n",
    b"A 0 1|||X|||y|||REQUIRED|||-NONE-|||0\n",
    b"T1\tX 0 1\ta\n",
    b"A1\tY T1\n",
    b";0 1",
    b"-1",
    b"1e400",
    b"NaN",
    b"-0",
    b"9" * 400,
    b"1,5",
    b",",
    b"\t",
    b" ",
    b"#",
    b"# newdoc\n",
    b"1.1\ta\n",
    b"1-2\ta\n",
    b"null",
    b"[[",
    b'{"a":',
    b"true",
    b"0.5",
    b"id",
    b"score",
    b"\xd9\xa3",
    b"e\xcc\x81",
)
LONG = 200_000  # times that a short piece stands at once


def hurt(dice: random.Random, data: bytes, times: int) -> bytes:
    """A file with wounds; in one of twelve a short piece stands so many times, too."""
    data = mutant(dice, data, FOREIGN)
    if not dice.randrange(12):
        place = dice.randrange(len(data) + 1)
        data = data[:place] + dice.choice(FOREIGN)[:9] * times + data[place:]
    return data


def wrong_with(problems: Sequence[Problem], source: Source) -> str:
    """The fault of a refusal of a file; empty where it has none."""
    if not problems:
        return "a refusal without a problem"
    for problem in problems:
        if not problem.message.isprintable() or not problem.unit.isprintable():
            return f"not printable: {problem.message!r}"
        sizes = {data.count(b"\n") + 1 for data in source.files.values()}
        if problem.line is not None and not 1 <= problem.line <= max(sizes):
            return f"a line that the file lacks: {problem}"
    first = problems[0]
    # A file of mat-json is one value, which has no lines worth a word.
    of_lines = not first.file.endswith(".json")
    if of_lines and first.line is None and first.code not in WITHOUT_LINE:
        return f"no line: {first.code}: {first}"
    return ""


# Problems of a whole file, or of something that is not in it.
WITHOUT_LINE = {
    *("empty_file", "empty", "missing_id", "missing_document", "documents", "encoding"),
    *("size", "lines", "missing", "zip", "one_file", "format", "text", "extra"),
    "header",  # of JSON Lines, which have none
}


@cache
def _files_of(name: str, place: int) -> tuple[Scorer, Example, object, Source]:
    scorer, example = get(name), examples_of(name)[place]
    gold = scorer.read_gold(example.gold, example.parse_options(scorer))
    return scorer, example, gold, Case(scorer, example).blind


def outcome(name: str, dice: random.Random, times: int) -> tuple[str, str, str]:
    """The outcome of one mutant, what is wrong with that, and the mutant itself."""
    place = dice.randrange(len(examples_of(name)))
    scorer, example, gold, blind = _files_of(name, place)
    options, system = example.parse_options(scorer), dice.choice(example.systems)
    member = dice.choice(sorted(system.files))
    data = hurt(dice, system.files[member], times)
    source = replace(system, files={**system.files, member: data})
    told = f"{name} {place} {member} {data[:300]!r} ({len(data)} bytes)"
    try:
        if dice.random() < 0.3:
            problems = check(scorer, blind, source, options)
            if not problems:
                return "accepted", "", told
            return "refused", wrong_with(problems, source), told
        answers = scorer.read_system(source, options, gold)
        counts = scorer.count(gold, answers, options)
        totals = counts.table.sum(axis=0)
        if not np.isfinite(counts.table).all():
            return "scored", "counts that are no numbers", told
        for measure in scorer.measures(counts.columns):
            if measure.weighted is None:
                value = float(measure.of(totals, counts.columns))
                if np.isinf(value):
                    return "scored", f"{measure.name} is infinite", told
        return "scored", "", told
    except ScoringError as error:
        return "refused", wrong_with(error.problems, source), told
    except Exception as error:  # whatever a mutant brings about is to be told
        return "failed", f"{type(error).__name__}: {error}", told


def main(number: int, seed: int = 1, times: int = LONG) -> dict[str, object]:
    """The figures of so many mutants of each scorer's files together."""
    dice, became = random.Random(seed), Counter[str]()
    wrong: list[str] = []
    slowest, slow = 0.0, ""
    for turn in range(number):
        name = SCORERS[turn % len(SCORERS)]
        begun = process_time()
        what, fault, told = outcome(name, dice, times)
        took = process_time() - begun
        became[f"{name} {what}"] += 1
        if fault:
            wrong.append(f"{fault} | {told}")
        if took > slowest:
            slowest, slow = took, told
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {
        "became": dict(sorted(became.items())),
        "wrong": wrong,
        "slowest": round(slowest, 2),
        "slow": slow,
        "mebibytes": most,
    }


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1])), indent=1))
