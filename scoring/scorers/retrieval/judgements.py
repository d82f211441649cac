"""The sides of retrieval: topics with judgements, topics alone, and runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from scoring.counts import Floats, Integers
from scoring.errors import Findings, Problem, Refused, SetupError
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorers.retrieval import trec
from scoring.scorers.retrieval.trec import Grades, Run
from scoring.source import Source, brief

MESSAGES = Messages(
    cutoffs=_(
        "cutoffs are '%(cutoffs)s'; expected at most %(count)s whole "
        "numbers from 1 to %(most)s, as in 50,200."
    ),
    no_group=_("topic '%(topic)s' has no group here."),
    group_lines=_("Write a line 'topic group' for every topic of the judgements."),
)

MOST_CUTOFFS, LARGEST_CUTOFF = 20, 10_000


@dataclass(frozen=True)
class Topics:
    """The topics of a published file."""

    topics: tuple[str, ...]


@dataclass(frozen=True)
class JudgedTopics(Topics):
    """Topics with the grades of judged documents, and the kind of each if there are."""

    grades: Mapping[str, Grades] = field(default_factory=dict)
    groups: tuple[str, ...] = ()

    @cached_property
    def sorted_grades(self) -> tuple[Integers, Integers, Integers]:
        """Place of the topic, rank from 0 and grade of every judged document, those of
        each topic by falling grades: the best ranking there is."""
        sizes = np.array([len(self.grades[topic]) for topic in self.topics])
        topic = np.repeat(np.arange(len(self.topics)), sizes)
        chained = (g for name in self.topics for g in self.grades[name].values())
        grades = np.fromiter(chained, dtype=np.int64, count=len(topic))
        grades = grades[np.lexsort((-grades, topic))]
        starts = np.cumsum(sizes) - sizes
        return topic, np.arange(len(topic)) - starts[topic], grades


def gains(grades: Integers, options: Options) -> Floats:
    """The gain of each grade; none of those below 1."""
    positive = np.maximum(grades, 0).astype(np.float64)
    return np.exp2(positive) - 1 if options["gain"] == "exponential" else positive


def read_gold(source: Source, options: Options) -> JudgedTopics:
    """Raises SetupError for what are no judgements. Topics without any relevant
    document score 0, as in trec_eval."""
    require_cutoffs(options)
    grades = trec.read_qrels(source, SetupError)
    return JudgedTopics(tuple(grades), grades, _groups(tuple(grades), options))


def gold_remarks(gold: JudgedTopics, options: Options) -> list[str]:
    """A remark where no document is relevant, of a topic or of all."""
    least = int(options["rel"])
    bare = [
        topic
        for topic, of in gold.grades.items()
        if not any(grade >= least for grade in of.values())
    ]
    if not bare:
        return []
    if len(bare) < len(gold.grades):
        return [
            f"{len(bare)} of {len(gold.grades)} topics have no relevant document, "
            f"first '{brief(bare[0])}': they count 0 in every run"
        ]
    if all(grade <= 0 for of in gold.grades.values() for grade in of.values()):
        return ["no document of any topic is relevant: every run scores 0"]
    return [
        f"no document of any topic has the grade {least} or a higher one: what counts "
        "relevant documents is 0 for every run. Choose a lower 'rel', or see whether "
        "this is the file you meant"
    ]


def require_cutoffs(options: Options) -> None:
    """Raises SetupError for cutoffs that are no ranks, or too many."""
    wrong = [
        name
        for name in options["cutoffs"]
        if not (name.isascii() and name.isdecimal() and str(int(name)) == name)
        or not 1 <= int(name) <= LARGEST_CUTOFF
    ]
    if wrong or len(options["cutoffs"]) > MOST_CUTOFFS:
        message = MESSAGES(
            "cutoffs",
            cutoffs=brief(",".join(options["cutoffs"])),
            count=MOST_CUTOFFS,
            most=LARGEST_CUTOFF,
        )
        raise SetupError(Problem("option", message))


def _groups(topics: Iterable[str], options: Options) -> tuple[str, ...]:
    """The kind of each topic, in their order; none where the task gives none."""
    source = options["groups"]
    if source is None:
        return ()
    judged = trec.read_topics(source, SetupError)
    findings = Findings(source.name)
    for topic in topics:
        if not judged.get(topic):
            message = MESSAGES("no_group", topic=brief(topic))
            hint = MESSAGES("group_lines")
            findings.add("groups", message, unit=brief(topic), hint=hint)
    findings.raise_if_any(SetupError)
    return tuple(judged[topic] for topic in topics)


def read_blind(source: Source, options: Options) -> Topics:
    """Published topics, with their texts or without: the first field of each line."""
    return Topics(tuple(trec.read_topics(source, SetupError)))


def read_system(source: Source, options: Options, gold: Topics) -> Run:
    """A run. Raises Refused for what is none and, with a published file, for topics
    that are not in it. Not all that are published must have been judged: scoring leaves
    those out, as trec_eval does."""
    allowed = None if isinstance(gold, JudgedTopics) else frozenset(gold.topics)
    return trec.read_run(source, int(options["depth"]), Refused, allowed)


def blind(gold: Source, options: Options) -> Source:
    topics = read_gold(gold, options).topics
    return Source.of_bytes(gold.name, "".join(f"{name}\n" for name in topics).encode())


def ideal(gold: Source, options: Options) -> Source:
    """The run that has the judged documents of every topic by falling grades."""
    lines = []
    for topic, grades in read_gold(gold, options).grades.items():
        # Of equal grades in a fixed order, so that equal judgements give equal bytes.
        best = sorted(grades, key=lambda name: (-grades[name], name))
        best = best[: int(options["depth"])]
        lines += [
            f"{topic} Q0 {name.decode()} {rank} {len(best) - rank + 1} ideal\n"
            for rank, name in enumerate(best, 1)
        ]
    return Source.of_bytes(gold.name, "".join(lines).encode())
