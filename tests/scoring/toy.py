"""The smallest whole scorer: one answer per line, `id answer`, right or wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from scoring.counts import Counts
from scoring.errors import Findings, Refused, ScoringError, SetupError
from scoring.measures import Measure, ratio, simple_share
from scoring.options import Option, Options
from scoring.scorer import Details, Scorer, Tables
from scoring.scorers import all_scorers
from scoring.source import Source, decode

Answers = dict[str, str]
ACCURACY = Measure(
    "accuracy", "Accuracy", ("right", "all"), ratio, "right / all", share=simple_share
)


def read(source: Source, kind: type[ScoringError]) -> Answers:
    findings = Findings(source.name)
    answers: Answers = {}
    lines = decode(source.name, source.single()).rstrip("\n").split("\n")
    for number, line in enumerate(lines, 1):
        name, space, answer = line.partition(" ")
        if not space:
            findings.add("columns", "expected an id and an answer", line=number)
        answers[name] = answer
    findings.raise_if_any(kind)
    return answers


def read_gold(source: Source, options: Options) -> Answers:
    return read(source, SetupError)


def read_system(source: Source, options: Options, gold: Answers) -> Answers:
    answers = read(source, Refused)
    findings = Findings(source.name)
    for number, name in enumerate(answers, 1):
        if name not in gold:
            findings.add("unknown_id", f"unknown id '{name}'", line=number, unit=name)
    findings.raise_if_any()
    return answers


def count(gold: Answers, system: Answers, options: Options) -> Counts:
    fold = str.lower if options["lower"] else str
    right = [fold(gold[name]) == fold(system.get(name, "")) for name in gold]
    items = {"right": np.array(right), "all": np.ones(len(gold))}
    groups = {"document": tuple(name.partition(".")[0] for name in gold)}
    return Counts.per_unit(tuple(gold), np.arange(len(gold)), items, groups)


def details(gold: Answers, system: Answers, options: Options) -> Details:
    rows = ((name, answer, system.get(name)) for name, answer in gold.items())
    return Details(("id", "gold", "system"), rows)


def tables(counts: Counts, options: Options) -> Tables:
    return {"all": {"<all>": counts.as_numbers()}}


def remarks(gold: Answers, system: Answers, options: Options) -> list[str]:
    missing = len(gold.keys() - system.keys())
    return [f"{missing} answers are missing"] * bool(missing)


def blind(gold: Source, options: Options) -> Source:
    lines = (f"{name} ?\n" for name in read_gold(gold, options))
    return Source.of_bytes(gold.name, "".join(lines).encode())


TOY = Scorer(
    name="toy",
    title="Toy",
    summary="Answers that are right or wrong.",
    formats=("lines",),
    example="d1.1 yes\n",
    units=("item", "document"),
    headline="accuracy",
    options=(Option("lower", "ignore case", "flag", False),),
    fixed_measures=(ACCURACY,),
    read_gold=read_gold,
    read_blind=read_gold,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind,
    tables=tables,
    remarks=remarks,
)

GOLD = Source.of_bytes("gold.txt", b"d1.1 yes\nd1.2 no\nd2.1 yes\nd2.2 no\n")
SYSTEM = Source.of_bytes("system.txt", b"d1.1 yes\nd1.2 NO\nd2.1 no\n")


@contextmanager
def registered(name: str = "toy", scorer: Scorer = TOY) -> Iterator[Scorer]:
    """A scorer, the toy unless another is given, in the registry under this name while
    the block runs."""
    scorers, scorer = all_scorers(), replace(scorer, name=name)
    scorers[name] = scorer
    try:
        yield scorer
    finally:
        del scorers[name]
