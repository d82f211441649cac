"""Ranked retrieval: runs against relevance judgements, as trec_eval scores them."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import PurePosixPath
from random import Random

import numpy as np

from scoring.answered import Answered
from scoring.errors import Problem, Refused
from scoring.messages import Messages, _
from scoring.options import Option, Options
from scoring.outlines import first_fields
from scoring.picks import each_file, some
from scoring.scorer import DetailRows, Scorer, details_of
from scoring.scorers.retrieval.figures import FIXED, at_cutoffs, count
from scoring.scorers.retrieval.inspection import grades_of_topic, inspect
from scoring.scorers.retrieval.judgements import (
    JudgedTopics,
    Topics,
    blind,
    gold_remarks,
    ideal,
    read_blind,
    read_gold,
    read_system,
    require_cutoffs,
)
from scoring.scorers.retrieval.trec import Grades, Run, name_text, read_topics
from scoring.source import Source, brief

LEAST_TOPICS, FIRST_PAGE = 5, 10
MESSAGES = Messages(
    single=_("each topic has one document (%(count)s topics), and could have more."),
    other_tag=_(
        "the tag of the last line, '%(tag)s', is not that of the first: are there two "
        "runs in the file?"
    ),
    one_score=_("all documents have the same score."),
    tied=_(
        "%(count)s of %(all)s documents have the score of the one before: by their "
        "names they are put in order."
    ),
    one_list=_("%(count)s of %(all)s topics have the same documents: '%(text)s', ..."),
    by_topic=_("Rank the documents for each topic on its own."),
    by_name=_("the documents of each topic stand in the order of their names."),
    one_each=_("all documents of a topic have the same score."),
    swapped=_("ranks stand in the place of scores: are the columns swapped?"),
    misranked=_("the ranks and the scores put the documents in other orders."),
    by_score=_(
        "Documents are ordered by their scores, the highest first; ranks are not read."
    ),
)

OPTIONS = (
    Option(
        "rel",
        "lowest grade that is relevant, for measures that tell only whether it is",
        "choice",
        "1",
        ("1", "2", "3", "4", "5"),
    ),
    Option(
        "gain",
        "gain of a grade g in nDCG: g itself, as trec_eval has it, or 2^g - 1",
        "choice",
        "linear",
        ("linear", "exponential"),
    ),
    Option(
        "cutoffs",
        "ranks to cut at beside 1, 3, 5, 10, 20, 100 and 1000: with 50 a task may name "
        "ndcg@50, map@50, mrr@50, p@50, r@50, success@50 and judged@50",
        "list",
    ),
    Option(
        "depth",
        "most documents that a run may have for a topic",
        "choice",
        "1000",
        ("10", "20", "50", "100", "200", "500", "1000", "2000", "5000", "10000"),
    ),
    Option("groups", "kinds of topics, for slices: lines of 'topic group'", "file"),
)
# The published file names no documents: these show the format.
INVENTED = ("document-1", "document-2", "document-3")


def guessed_run(members: Mapping[str, bytes], _options: Options) -> dict[str, bytes]:
    """The same few invented documents for every topic."""
    files = {}
    for name, data in members.items():
        lines = [
            f"{topic} Q0 {document} {rank} {1 / rank:.4f} example\n"
            for topic in read_topics(Source.of_bytes(name, data), Refused)
            for rank, document in enumerate(INVENTED, 1)
        ]
        stem = PurePosixPath(name).with_suffix("")
        files[f"{stem}.run.txt"] = "".join(lines).encode()
    return files


@each_file
def spoiled_run(text: str, share: float, random: Random) -> str:
    """A copy in which some documents are others, which nobody judged."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    for number in some(range(len(lines)), share, random):
        lines[number][2] = f"unjudged-{number}"
    return "".join(" ".join(fields) + "\n" for fields in lines)


@details_of("topic", "rank", "document", "score", "grade")
def details(gold: JudgedTopics, system: Run, _options: Options) -> DetailRows:
    """One row per document of the run, best first, then the relevant ones it lacks."""
    for topic in gold.topics:
        for row in grades_of_topic(gold, system, topic):
            yield topic, row.rank, row.document, row.score, row.grade


def count_answers(asked: Topics, system: Run, _options: Options) -> Answered:
    """How many of the topics are in the run; which are not, the remarks say."""
    met = sum(topic in system.places for topic in asked.topics)
    return Answered(len(asked.topics), met, units="topics")


def notes(system: Run, _options: Options) -> list[Problem]:
    """Remarks on scores that put no document before another, or not as the ranks do."""
    problems, scores = [], system.scores
    if len(scores) == len(system.topics) >= LEAST_TOPICS:
        text = MESSAGES("single", count=len(system.topics))
        problems.append(Problem("single", text, system.name))
    if len(scores) > len(system.topics) and scores.min() == scores.max():
        message, hint = MESSAGES("one_score"), MESSAGES("by_score")
        problems.append(Problem("all_equal", message, system.name, hint=hint))
    elif len(scores) > len(system.topics) and system.one_each:
        message, hint = MESSAGES("one_each"), MESSAGES("by_score")
        problems.append(Problem("all_equal", message, system.name, hint=hint))
    elif 2 * (ties := system.ties) > len(scores):
        message, hint = (
            MESSAGES("tied", count=ties, all=len(scores)),
            MESSAGES("by_score"),
        )
        problems.append(Problem("tied", message, system.name, hint=hint))
    elif system.swapped:
        text, hint = MESSAGES("swapped"), MESSAGES("by_score")
        problems.append(Problem("misranked", text, system.name, hint=hint))
    elif system.misranked:
        message, hint = MESSAGES("misranked"), MESSAGES("by_score")
        line = system.misranked
        problems.append(Problem("misranked", message, system.name, line, hint=hint))
    firsts = Counter(
        tuple(system.documents[system.of_topic(place)][:LEAST_TOPICS])
        for place in range(len(system.topics))
    )
    [(first, count)] = firsts.most_common(1) or [((), 0)]
    if count >= LEAST_TOPICS and 2 * count > len(system.topics):
        about = {"count": count, "all": len(system.topics)}
        text = MESSAGES("one_list", **about, text=name_text(first[0]))
        hint = MESSAGES("by_topic")
        problems.append(Problem("one_list", text, system.name, hint=hint))
    parts = map(system.of_topic, range(len(system.topics)))
    by_name = len(system.topics) >= LEAST_TOPICS and all(
        len(own) >= LEAST_TOPICS and own == sorted(own)
        for own in map(system.documents.__getitem__, parts)
    )
    if by_name:
        text, hint = MESSAGES("by_name"), MESSAGES("by_topic")
        problems.append(Problem("sorted", text, system.name, hint=hint))
    if system.other_tag:
        text = MESSAGES("other_tag", tag=brief(system.other_tag, 40))
        problems.append(Problem("tags", text, system.name))
    return problems


def remarks(gold: JudgedTopics, system: Run, _options: Options) -> list[str]:
    """Topics that only one side has."""
    unjudged = sum(topic not in gold.grades for topic in system.topics)
    lacking = len(gold.topics) - (len(system.topics) - unjudged)
    remarks = []
    if unjudged:
        remarks.append(f"{unjudged} topics of the run have no judgements: left out")
    if lacking:
        remarks.append(f"{lacking} topics have no documents in the run: they count 0")
    most = int(np.diff(system.starts).max(initial=0))
    if 1 < most < FIRST_PAGE and len(gold.topics) >= LEAST_TOPICS:
        relevant = [sum(map((0).__lt__, own.values())) for own in gold.grades.values()]
        more = sum(count > most for count in relevant)
        few = (
            f"no topic has more than {most} documents, and most have more relevant "
            "ones in the gold"
        )
        remarks += [few] * (2 * more > len(gold.topics))
    if not unjudged < len(system.topics) or any(
        document in gold.grades.get(topic, {})
        for topic, place in system.places.items()
        for document in system.documents[system.of_topic(place)]
    ):
        return remarks
    return [
        *remarks,
        "no document of the run is judged: are their names written alike?",
    ]


def stand_in(published: Topics, system: Run, _options: Options) -> JudgedTopics:
    """Every ranked document as judged, and none as relevant."""
    grades = {
        topic: dict.fromkeys(system.documents[system.of_topic(place)], 0)
        for topic, place in system.places.items()
    }
    nothing: Grades = {}
    by_topic = {topic: grades.get(topic, nothing) for topic in published.topics}
    return JudgedTopics(published.topics, by_topic)


EXAMPLE = """\
q1 Q0 ports-07 1 9.25 example
q1 Q0 tides-31 2 8.5 example
q1 Q0 ports-12 3 8.125 example
q2 Q0 reefs-02 1 4.75 example
"""
QRELS = """\
q1 0 ports-12 2
q1 0 ports-07 1
q1 0 tides-31 0
q2 0 reefs-02 0
q2 0 reefs-19 1
"""

SCORER = Scorer(
    name="retrieval",
    title=_("Retrieval"),
    summary=_(
        "Ranked documents for each topic: nDCG, MAP, MRR, precision and recall of TREC "
        "runs against relevance judgements, as trec_eval computes them."
    ),
    formats=("TREC run",),
    example=EXAMPLE,
    example_gold=QRELS,
    units=("topic", "group"),
    headline="ndcg@10",
    options=OPTIONS,
    fixed_measures=FIXED,
    tag_measures=at_cutoffs,
    require_options=require_cutoffs,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    outline=partial(first_fields, kind="topic", count=1, whole=False),
    count=count,
    details=details,
    gold_remarks=gold_remarks,
    blind=blind,
    ideal=ideal,
    remarks=remarks,
    answered=count_answers,
    notes=notes,
    guess=guessed_run,
    spoil=spoiled_run,
    inspect=inspect,
    stand_in=stand_in,
)
