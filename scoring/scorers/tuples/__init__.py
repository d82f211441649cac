"""Tuples: sets of records of named fields, as in opinions, relations and arguments."""

from scoring.formats.answers import GROUPS_OPTION, INPUTS_OPTION
from scoring.messages import _
from scoring.options import Option
from scoring.scorer import Scorer, answer_itself
from scoring.scorers.tuples import counts, sets
from scoring.scorers.tuples.figures import MEASURES, of_kinds

EXAMPLE = """\
{"id": "r1", "tuples": [{"aspect": "soup", "opinion": "far too salty"}]}
{"id": "r2", "tuples": []}
{"id": "r3", "tuples": [{"aspect": "view", "opinion": "fine"},\
 {"aspect": "staff", "opinion": "kind"}]}
"""
OPTIONS = (
    Option("records", "member of an object that has its records", "text", "tuples"),
    Option(
        "fields",
        "fields that must be equal (default: all but those of 'numbers', where "
        "'overlap' names none)",
        "list",
    ),
    Option(
        "overlap",
        "fields that earn partial credit: words of texts, or members of lists, that "
        "both have, twice, by those of both",
        "list",
    ),
    Option(
        "numbers",
        "fields that earn partial credit by their distance: a number, or several as in "
        "7.5#6.25",
        "list",
    ),
    Option("range", "lowest and highest number, as in 1,9 (default: 0,1)", "list"),
    Option("by", "field whose values get measures of their own", "text"),
    Option("lowercase", "take capitals for small letters", "flag"),
    INPUTS_OPTION,
    GROUPS_OPTION,
)

SCORER = Scorer(
    name="tuples",
    title=_("Tuples"),
    summary=_(
        "Sets of records of named fields for each item, as opinions with their target "
        "and strength, relations, arguments, or multiword expressions: F1 of equal "
        "records, with partial credit by overlap or distance, and of overlapping "
        "parts."
    ),
    formats=("JSON Lines", "cupt"),
    example=EXAMPLE,
    units=("item", "document"),
    headline="f1",
    options=OPTIONS,
    fixed_measures=MEASURES,
    tag_measures=of_kinds,
    read_gold=sets.read_gold,
    read_blind=sets.read_blind,
    read_system=sets.read_system,
    count=counts.count,
    details=counts.details,
    blind=sets.blind,
    remarks=counts.remarks,
    notes=counts.notes,
    answered=counts.count_answers,
    labels=counts.labels,
    guess=sets.guess,
    spoil=sets.spoil,
    inspect=counts.inspect,
    stand_in=answer_itself,
    outline=sets.outline,
)
