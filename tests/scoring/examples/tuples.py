"""Opinions with their strength, and expressions of several words."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
{"id": "r1", "document": "inn", "text": "The soup was far too salty.",\
 "tuples": [{"aspect": "soup", "opinion": "far too salty", "strength": "2#7"}]}
{"id": "r2", "document": "inn", "text": "We ate.", "tuples": []}
{"id": "r3", "document": "ship", "text": "A fine view, a kind crew.",\
 "tuples": [{"aspect": "view", "opinion": "fine", "strength": "7#5"},\
 {"aspect": "crew", "opinion": "kind", "strength": "8#6"}]}
{"id": "r4", "document": "ship", "text": "It rocked.",\
 "tuples": [{"aspect": null, "opinion": "rocked", "strength": "4#5"}]}
"""
GOOD = """\
{"id": "r4", "tuples": [{"opinion": "rocked", "strength": "4#4"}]}
{"id": "r3", "tuples": [{"aspect": "crew", "opinion": "a kind", "strength": "8#6"},\
 {"aspect": "view", "opinion": "fine", "strength": "6.5#5"}]}
{"id": "r2", "tuples": []}
{"id": "r1", "tuples": [{"aspect": "soup", "opinion": "too salty", "strength": "2#7"}]}
"""
NOISY = """\
{"id": "r1", "tuples": [{"aspect": "salt", "opinion": "far", "strength": "1#9"}]}
{"id": "r2", "tuples": [{"aspect": "We", "opinion": "ate", "strength": "5#5"}]}
{"id": "r3", "tuples": [{"aspect": "view", "opinion": "fine", "strength": "9#9"},\
 {"aspect": "view", "opinion": "fine", "strength": "7#5"}]}
{"id": "r4", "tuples": []}
"""
HEADER = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"


def cupt(*sentences: tuple[str, ...]) -> str:
    """Sentences of words written as `form code`."""
    lines = [f"{HEADER} PARSEME:MWE"]
    for number, words in enumerate(sentences, 1):
        lines.append(f"# source_sent_id = harbour {number}")
        for place, word in enumerate(words, 1):
            form, _, code = word.partition(" ")
            lines.append("\t".join([str(place), form, *["_"] * 8, code or "*"]))
        lines.append("")
    return "\n".join([*lines, ""])


PEOPLE = cupt(
    ("They", "set 1:VID", "sail 1", "and", "gave 2:LVC", "us", "a", "wave 2"),
    ("Nothing", "happened"),
    ("He", "took 1:VID;2:VPC", "heart 1", "off 2"),
)
SYSTEM = cupt(
    ("They", "set 1:VID", "sail 1", "and 2:LVC", "gave 2", "us", "a", "wave"),
    ("Nothing", "happened 1:VID"),
    ("He", "took 1:VID", "heart 1", "off 1"),
)


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


EXAMPLES = [
    Example(
        source("gold.jsonl", GOLD),
        [source("good.jsonl", GOOD), source("noisy.jsonl", NOISY)],
        {
            "fields": ["aspect"],
            "overlap": ["opinion"],
            "numbers": ["strength"],
            "range": ["1,9"],
            "inputs": ["text"],
        },
    ),
    Example(
        source("gold.cupt", PEOPLE),
        [source("system.cupt", SYSTEM)],
        {"overlap": ["words"], "by": ["category"]},
    ),
]
