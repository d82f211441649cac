"""Answers and summaries with one or more references, for the laws."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
id,question,document,text,text.2
q1,Who saw the wreck?,tale,The lighthouse keeper,the keeper
q2,When did the ferry leave?,tale,At noon,
q3,What was the dog's name?,log,,
q4,What happened?,log,The boats were moored and the gulls slept on the pier.,
"""
GOOD = """\
id,text
q4,"The boat was moored, and gulls sleep on a pier"
q3,
q2,noon
q1,A keeper.
"""
POOR = """\
id,text
q1,чайки
q2,
q3,Rex
q4,the the the
"""
LINES = "чайки спят\n\nboats\n"


def file(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


TABLES = [file("good.csv", GOOD), file("poor.csv", POOR)]
EXAMPLES = [
    Example(file("gold.csv", GOLD), TABLES),
    Example(
        file("gold.csv", GOLD),
        TABLES,
        {"tokenizer": ["unicode"], "stems": ["true"], "normalisation": ["words"]},
    ),
    Example(
        file("gold.txt", LINES),
        [file("answer.txt", "чайки\nwind\nboats\n")],
        {"normalisation": ["none"], "unicode_form": ["NFC"], "tokenizer": ["unicode"]},
    ),
]
