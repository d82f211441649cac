"""Span annotations: MATScore's tag, token and details tables (seed 002)."""

from scoring.options import Option, Options
from scoring.scorer import Scorer, published_file
from scoring.scorers.spans.corpus import SpanAnswer, SpanReference
from scoring.scorers.spans.counts import EMPTY, count
from scoring.scorers.spans.details import details, inspection
from scoring.scorers.spans.documents import (
    AUTO,
    FORMATS,
    blind,
    read_blind,
    read_gold,
    read_system,
)
from scoring.scorers.spans.examples import guessed_spans, spoiled_spans
from scoring.scorers.spans.figures import measures_of, measures_of_tags, tables

OPTIONS = (
    Option(
        "format",
        "format of the submissions; a reference whose file names say json, xml or ann "
        "is read as such",
        "choice",
        AUTO,
        (AUTO, *FORMATS),
    ),
    Option(
        "scheme",
        "tags that CoNLL columns may hold",
        "choice",
        "any",
        ("any", "iob1", "iob2", "bioes"),
    ),
    Option(
        "strict",
        "count spans in CoNLL columns only where they are written as the scheme, iob2 "
        "or bioes, asks: I-NAME after O is none",
        "flag",
        False,
    ),
    Option("tags", "the only tags scored, each with a row", "list", ()),
    Option("alias", "a name for a label with attributes: NAME=LABEL[a=v]", "lines", ()),
    Option("equivalence", "labels scored as one: CLASS=LABEL,LABEL", "lines", ()),
    Option("empty", "what a ratio over nothing is", "choice", "one", tuple(EMPTY)),
    Option("ref_suffix_off", "ending taken off a submission's file names", "text", ""),
    Option("ref_suffix_on", "ending then put on to find the reference", "text", ""),
)


def remarks(gold: SpanReference, _system: SpanAnswer, _options: Options) -> list[str]:
    text = "the reference brings no tokens: runs without white space are its tokens"
    return [text] * gold.by_white_space


def gold_remarks(gold: SpanReference, options: Options) -> list[str]:
    """Tags that are to be scored and that no span of the gold has."""
    absent = [tag for tag in options["tags"] if tag not in gold.spans.labels]
    return [f"no span of the gold has the tag {tag}" for tag in absent]


EXAMPLE = """\
Ada\tB-PERSON
Brook\tI-PERSON
sails\tO
to\tO
Elmhaven\tB-PLACE
.\tO
"""

SCORER = Scorer(
    name="spans",
    title="Spans",
    summary="Labelled spans of text, such as names: precision, recall and F1 of spans "
    "and of the tokens in them, and a verdict for every span.",
    formats=("mat-json", "xml-inline", "CoNLL columns", "brat"),
    example=EXAMPLE,
    units=("sentence", "document"),
    version=2,  # 2: sentences of columns
    finest=lambda gold: str(gold.units.kind),
    headline="f1",
    options=OPTIONS,
    fixed_measures=measures_of(None),
    tag_measures=measures_of_tags,
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=blind,
    tables=tables,
    remarks=remarks,
    gold_remarks=gold_remarks,
    guess=guessed_spans,
    spoil=spoiled_spans,
    inspect=inspection,
    stand_in=published_file,
)
