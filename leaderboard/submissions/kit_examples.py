"""Example submissions and a worked example, made in a confined child.

No gold is at hand here: the blind files come in, and the example of the scorer is ours.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.submissions.packing import Packed, unpacked
from leaderboard.tasks.manifest import zipped
from scoring import Plan, Source, check, report
from scoring.engine import Job, evaluate
from scoring.errors import ScoringError
from scoring.guessing import CannotGuess, guessed
from scoring.options import Options, parse
from scoring.scorer import Scorer

PLAN = Plan(resamples=200)
# What a scorer's own example cannot do without when it plays the gold.
TAXONOMY = """\
ID,ParentID,Depth,Name
1,,0,THING
2,1,1,VESSEL
3,1,1,COLOUR
4,,0,EVENT
5,4,1,MOTION
"""
CLASSES = {"taxonomy": [Source.of_bytes("taxonomy.csv", TAXONOMY.encode())]}
NEEDS: Mapping[str, Mapping[str, Sequence[str | Source]]] = {"semarkup": CLASSES}
# Answers may carry weights and leave instances out; a key has neither.
KEYS = {"senseval": "bank.n bank.n.17 bank%1\nbank.n bank.n.18 bank%1\n"}
Examples = dict[str, tuple[str, bytes]]
Worked = dict[str, Any]


def packed(
    scorer: str, options: Mapping[str, Sequence[Any]], blinds: Mapping[str, Source]
) -> Packed:
    """Head and files of the job; `options` as `Packed` takes them."""
    found = Packed(scorer, options)
    for blind in blinds.values():
        found.add(blind, blind)
    found.head |= {"kind": "examples", "names": list(blinds)}
    return found


def work(head: Mapping[str, Any], files: Sequence[bytes]) -> bytes:
    """A line of JSON, then the files. What fails the scorer's check is left out."""
    scorer, options, pairs = unpacked(head, files)
    sizes, parts = [], []
    for name, (blind, _) in zip(head["names"], pairs, strict=True):
        example = _example(scorer, blind, options)
        if example is not None:
            sizes.append([name, example.name, len(example.single())])
            parts.append(example.single())
    line = {"files": sizes, "worked": _worked(scorer, options)}
    return b"\n".join((json.dumps(line).encode(), b"".join(parts)))


def answer(data: bytes) -> tuple[Examples, Worked]:
    """Name and bytes of each example by test set, and the worked example."""
    line, _, rest = data.partition(b"\n")
    head = json.loads(line)
    found, start = {}, 0
    for name, file, size in head["files"]:
        found[name] = file, rest[start : start + size]
        start += size
    return found, head["worked"]


def _example(scorer: Scorer, blind: Source, options: Options) -> Source | None:
    """A guess as one file that passes the check; None where there is no such."""
    try:
        guess = guessed(scorer, blind, options)
        if len(guess.files) > 1 or guess.name not in guess.files:
            stem = guess.name.removesuffix(".zip")
            guess = zipped(f"{stem}.zip", guess.files)
        return None if check(scorer, blind, guess, options) else guess
    except (CannotGuess, ScoringError):
        return None


def _worked(scorer: Scorer, options: Options) -> Worked:
    """The scorer's own example as gold: its blind file, a guess, and the scores.

    Under the task's options where none is a file, which would be about other words,
    else under the usual ones; empty where neither fits it.
    """
    text = KEYS.get(scorer.name, scorer.example)
    gold = Source.of_bytes("example", text.encode())
    usual = parse(scorer.options, NEEDS.get(scorer.name, {}))
    about_others = any(isinstance(value, Source) for value in options.values())
    for chosen in (usual,) if about_others else (options, usual):
        try:
            return _scored(scorer, gold, chosen)
        except (CannotGuess, ScoringError):
            continue
    return {}


def _scored(scorer: Scorer, gold: Source, options: Options) -> Worked:
    blind = scorer.blind(gold, options)
    guess = guessed(scorer, blind, options)
    job = Job(scorer, options, "", PLAN)
    best, found = (evaluate(job, gold, one).measures for one in (gold, guess))
    titles = {measure.name: measure for measure in scorer.measures(())}
    return {
        "gold": gold.single().decode(),
        "blind": blind.single().decode(),
        "guess": guess.single().decode(),
        "scores": [
            [
                titles[name].title,
                report.shown(best[name].value),
                report.shown(estimate.value),
                titles[name].formula,
            ]
            for name, estimate in found.items()
            if name in titles
        ],
    }
