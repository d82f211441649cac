"""Word senses against a key, as SENSEVAL scored them (seed 001; SCORING.md)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from scoring.answered import Answered, is_not_there
from scoring.counts import Counts, fixed_point
from scoring.errors import Problem, Refused
from scoring.inspection import Inspection
from scoring.measures import f1_measure, mean_of_fractions, share_measure
from scoring.messages import _
from scoring.options import Option, Options
from scoring.outlines import Outline, first_fields
from scoring.picks import another, each_file, each_published_file, some
from scoring.scorer import DetailRows, Details, Scorer, published_file
from scoring.scorers.senseval import credit, reader
from scoring.scorers.senseval.answers import (
    MESSAGES,
    Guesses,
    SenseGold,
    blind,
    read_blind,
    read_gold,
    read_system,
)
from scoring.scorers.senseval.credit import SenseComparison, compare, scale, scores
from scoring.scorers.senseval.reader import is_bare
from scoring.source import Source, brief, decode, text_of
from scoring.spellings import Kinds

ANY_SENSE = "1"
COMMENT = "!!"


@each_published_file
def guessed_senses(blind: Source, options: Options) -> str:
    text, known = decode(blind.name, blind.single()), options["sensemap"]
    sense = min(reader.read_sense_map(known).known) if known is not None else ANY_SENSE
    size = 1 if reader.is_bare(text) else 2
    instances = (line.partition(COMMENT)[0].split()[:size] for line in text.split("\n"))
    return "".join(f"{' '.join(words)} {sense}\n" for words in instances if words)


def _spoil(text: str, share: float, random: Random) -> str:
    if reader.is_bare(text):
        changed = _spoil(reader.with_lexelts(text), share, random).split("\n")
        return "\n".join(reader.without_lexelts(changed))
    lines = text.split("\n")
    filled = [i for i, line in enumerate(lines) if len(line.split()) > 2]
    senses: dict[str, set[str]] = {}
    for i in filled:
        lexelt, _, *answers = lines[i].partition(COMMENT)[0].split()
        senses.setdefault(lexelt, set()).update(answers)
    gone = set()
    for i in some(filled, share, random):
        lexelt, instance, *answers = lines[i].partition(COMMENT)[0].split()
        other = another(senses[lexelt] - set(answers), "", random)
        if other is None:
            gone.add(i)
        else:
            lines[i] = f"{lexelt} {instance} {other}"
    if len(gone) == len(filled):  # an empty file is no answer at all
        gone.discard(min(gone, default=-1))
    return "\n".join(line for i, line in enumerate(lines) if i not in gone)


spoiled_senses = each_file(_spoil)


# A weight that stands by itself, and two keys of senses in one.
WITHOUT_TAG = "without a tag"
DECIMAL = re.compile(r"[01]?\.[0-9]+(?:[eE]-?[0-9]+)?|1\.0*")
END_SIGNS = frozenset(";,.|")
JOINED = re.compile(r"%[^,;|]*[,;|][^,;|]*%")
OPTIONS = (
    Option(
        "granularity",
        "how finely senses are told apart",
        "choice",
        "fine",
        ("fine", "coarse", "mixed"),
    ),
    Option(
        "policy",
        "several senses in the key: one of them will do, or all are asked for",
        "choice",
        "disjunctive",
        ("disjunctive", "conjunctive"),
    ),
    Option("minimal", "score only instances with exactly one sense in the key", "flag"),
    Option("sensemap", "lines of 'sense [branching parent ...]'", "file"),
    Option(
        "instances",
        "score only these: lines of 'lexelt instance' or the instance alone",
        "file",
    ),
    Option("senses", "score only these senses: one per line", "file"),
    Option(
        "unknown_senses",
        "answers with a sense not in the map",
        "choice",
        "wrong",
        ("wrong", "discard"),
    ),
)


MEASURES = (
    mean_of_fractions(
        "precision",
        "Precision",
        ("score", "attempted"),
        _("score / what was attempted"),
    ),
    mean_of_fractions(
        "recall",
        "Recall",
        ("score", "total"),
        _("score / all instances (conjunctive: all senses of the key)"),
    ),
    replace(
        f1_measure(
            "f1",
            "F1",
            ("score", "attempted", "total"),
            _("harmonic mean of precision and recall"),
        ),
        fractions=True,
    ),
    share_measure(
        "attempted",
        "Attempted",
        ("attempted", "total"),
        _(
            "what was attempted / all instances (conjunctive: all senses of the "
            "key, so that it may exceed 1)"
        ),
    ),
)


def count(gold: SenseGold, system: Guesses, options: Options) -> Counts:
    """One row per scored instance, answered or not; grouped by lexelt and its POS."""
    of_instances = scores(compare(gold, system, options), options)
    columns = {
        **fixed_point("score", of_instances["score"]),
        **fixed_point("attempted", of_instances["attempted"]),
        "total": of_instances["total"],
        "instances": np.ones(len(gold.key.names)),
    }
    groups = {"lexelt": gold.key.lexelts, "pos": parts_of_speech(gold.key.lexelts)}
    return Counts.of_rows(gold.key.names, columns, groups)


def parts_of_speech(lexelts: Sequence[str]) -> tuple[str, ...]:
    """Text behind the last dot of each lexelt, "n" of bank.n; "" without one."""
    tags = {n: n.rpartition(".")[2] if "." in n else "" for n in set(lexelts)}
    return tuple(map(tags.__getitem__, lexelts))


def details(gold: SenseGold, system: Guesses, options: Options) -> Details:
    """The verbose trace: one row per scored instance, in the order of the key. Senses
    and weights are given as they were compared: collapsed, normalised."""
    compared = compare(gold, system, options)
    columns = ("lexelt", "instance", "score", "attempted", "key", "guess")
    return Details(columns, _trace(gold, compared, options))


def _trace(gold: SenseGold, compared: SenseComparison, options: Options) -> DetailRows:
    of_instances = scores(compared, options)
    weights = compared.weight / scale(compared, options)[compared.guess_of]
    keys: list[list[str]] = [[] for _ in gold.key.names]
    guesses: list[list[str]] = [[] for _ in gold.key.names]
    for row, code in zip(compared.key_of, compared.key, strict=True):
        keys[row].append(compared.names[code])
    for row, code, weight in zip(
        compared.guess_of, compared.guess, weights.tolist(), strict=True
    ):
        guesses[row].append(f"{compared.names[code]}/{weight!r}")
    for row, name in enumerate(gold.key.names):
        lexelt, instance = gold.key.lexelts[row], name.rpartition(" ")[2]
        score, attempted = (
            float(of_instances["score"][row]),
            float(of_instances["attempted"][row]),
        )
        texts = " ".join(keys[row]), " ".join(guesses[row])
        yield lexelt, instance, score, attempted, *texts


def inspect(gold: SenseGold, system: Guesses, options: Options) -> Inspection:
    return credit.inspection(compare(gold, system, options), options)


def gold_remarks(gold: SenseGold, _options: Options) -> list[str]:
    """Odd things about filters and map."""
    return list(gold.notes)


def remarks(gold: SenseGold, system: Guesses, _options: Options) -> list[str]:
    """Instances without an answer; that there is none at all is told of any scorer."""
    asked = len(gold.key.names)
    lacking = asked - len(np.unique(system.instance_of))
    told = f"{lacking} of {asked} instances have no answer"
    return [told] if 0 < lacking < asked else []


def notes(system: Guesses, _options: Options) -> list[Problem]:
    """Answers that do not count, and what is read as a sense and looks like none."""
    uncounted = [Problem("uncounted", text) for text in system.remarks]
    return uncounted + [
        Problem("sense", MESSAGES(name, tag=brief(odd)), "", int(system.lines[row]))
        for name, odd, row in _odd_senses(system.tags)
    ]


def _odd_senses(tags: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Numbers among other senses, and senses with a comma between them."""
    numbers = [row for row, tag in enumerate(tags) if DECIMAL.fullmatch(tag)]
    if 0 < len(numbers) < len(tags):
        yield "number", tags[numbers[0]], numbers[0]
    signs = (row for row, tag in enumerate(tags) if not re.search(r"\w", tag))
    if (row := next(signs, None)) is not None:
        yield "sign", tags[row], row
    joined = (row for row, tag in enumerate(tags) if JOINED.search(tag))
    if (row := next(joined, None)) is not None:
        yield "joined", tags[row], row


def count_answers(asked: SenseGold, system: Guesses, _options: Options) -> Answered:
    """How many instances are answered, and whether by one sense."""
    met = len(np.unique(system.instance_of))
    tags = set(system.tags)
    last = np.flatnonzero(np.diff(system.instance_of, append=-1))
    ends = {system.tags[row][-1:] for row in last.tolist()}
    end = ends.pop() if len(ends) == 1 else ""
    odd = ("end_alike", end) if end in END_SIGNS and len(last) > 1 else None
    single = system.tags[0] if len(tags) == 1 else None
    size = len(asked.key.names)
    absent = [tag for tag in system.tags if is_not_there(tag)]
    if not met and any(WITHOUT_TAG in remark for remark in system.remarks):
        return Answered(size, size, size, units="instances")
    return Answered(
        size, met, single=single, units="instances", odd=odd, not_there=absent
    )


def labels(read: SenseGold | Guesses, options: Options) -> Kinds:
    """The distinct senses, where they have to be those of the key themselves."""
    if options["granularity"] != "fine":
        return {}
    tags = read.tags if isinstance(read, Guesses) else read.key.tags
    return {"": [*dict.fromkeys(tags)]}


def outline(source: Source, options: Options) -> Outline:
    """Instances by the fields that name them."""
    bare = is_bare(text_of(source, Refused))
    return first_fields(source, options, "instance", 1 if bare else 2, whole=False)


EXAMPLE = """\
bank.n bank.n.17 bank%1
bank.n bank.n.18 bank%1/0.75 bank%2.1/0.25 !! unsure
plant.v plant.v.3 plant%3 plant%4
"""

# Answers may carry weights and leave instances out; a key has neither.
KEY = "bank.n bank.n.17 bank%1\nbank.n bank.n.18 bank%1\n"

SCORER = Scorer(
    name="senseval",
    title="SENSEVAL",
    summary=_(
        "Word senses of single instances, weighted guesses allowed: precision and "
        "recall in fine, coarse or mixed grain over a sense map."
    ),
    formats=("SENSEVAL answers",),
    example=EXAMPLE,
    example_gold=KEY,
    units=("instance", "lexelt"),
    headline="recall",
    options=OPTIONS,
    fixed_measures=MEASURES,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    outline=outline,
    count=count,
    details=details,
    blind=blind,
    remarks=remarks,
    notes=notes,
    answered=count_answers,
    labels=labels,
    gold_remarks=gold_remarks,
    guess=guessed_senses,
    spoil=spoiled_senses,
    inspect=inspect,
    stand_in=published_file,
    version=2,  # keys of instance and senses without a lexelt
)
