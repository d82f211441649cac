"""Example submissions and a worked example, made in the sandbox.

No gold is at hand here: the blind files come in, and the example of the scorer is ours.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring import Plan, Source, check, report
from scoring.engine import Job, evaluate
from scoring.errors import ScoringError
from scoring.examples import CannotGuess, make_guess
from scoring.formats.bundle import zip_files
from scoring.options import Options, parse
from scoring.sandbox.codec import Request, Values
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
OF_THE_GOLD = ("inputs", "groups")  # options that name its columns
Worked = dict[str, Any]


def examples(request: Request) -> tuple[Values, Sequence[bytes]]:
    """An example for each of `names`, and what the scorer's own example is worked out.

    What fails the scorer's check is left out.
    """
    scorer, options, pairs = request.unpack()
    made = {
        name: _example(scorer, blind, options)
        for name, (blind, _) in zip(request.values["names"], pairs, strict=True)
    }
    usable = {name: example for name, example in made.items() if example is not None}
    names = [[name, example.name] for name, example in usable.items()]
    files = [example.single() for example in usable.values()]
    return {"files": names, "worked": _work_example(scorer, options)}, files


def _example(scorer: Scorer, blind: Source, options: Options) -> Source | None:
    """A guess as one file that passes the check; None where there is no such."""
    try:
        guess = make_guess(scorer, blind, options)
        if len(guess.files) > 1 or guess.name not in guess.files:
            stem = guess.name.removesuffix(".zip")
            guess = zip_files(f"{stem}.zip", guess.files)
        return None if check(scorer, blind, guess, options) else guess
    except (CannotGuess, ScoringError):
        return None


def _work_example(scorer: Scorer, options: Options) -> Worked:
    """The scorer's own example as gold: its blind file, a guess, and the scores.

    Under the task's options where none is a file, which would be about other words,
    else under the usual ones; empty where neither fits it.
    """
    text = scorer.example_gold or scorer.example
    gold = Source.of_bytes("example", text.encode())
    usual = parse(scorer.options, NEEDS.get(scorer.name, {}))
    about_others = any(isinstance(value, Source) for value in options.values())
    # Columns of the task's own gold, which our example has not.
    bare = {**options} | {name: usual[name] for name in OF_THE_GOLD if name in options}
    for chosen in (usual,) if about_others else (options, bare, usual):
        try:
            # What is counted elsewhere has no score by itself.
            show = _without_score if scorer.counted_elsewhere else _with_score
            return show(scorer, gold, chosen)
        except (CannotGuess, ScoringError):
            continue
    return {}


def _without_score(scorer: Scorer, gold: Source, options: Options) -> Worked:
    blind = scorer.blind(gold, options)
    guess = make_guess(scorer, blind, options)
    return {
        "blind": blind.single().decode(),
        "guess": guess.single().decode(),
        "scores": [],
    }


def _with_score(scorer: Scorer, gold: Source, options: Options) -> Worked:
    blind = scorer.blind(gold, options)
    guess = make_guess(scorer, blind, options)
    ideal = scorer.perfect(gold, options)
    job = Job(scorer, options, "", PLAN)
    best, second = (evaluate(job, gold, answer).measures for answer in (ideal, guess))
    titles = {measure.name: measure for measure in scorer.measures(())}
    return {
        "gold": gold.single().decode(),
        "blind": blind.single().decode(),
        "guess": guess.single().decode(),
        "scores": [
            [
                titles[name].title,
                report.score_text(best[name].value),
                report.score_text(estimate.value),
                titles[name].formula,
            ]
            for name, estimate in second.items()
            if name in titles
        ],
    }
