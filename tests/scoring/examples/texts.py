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
SIMPLER = """\
id,source,document,text,text.2
s1,The vessel left the harbour at noon.,log,The ship left at noon.,A ship left at noon.
s2,"Notwithstanding the gale, we sailed.",log,We left in the storm.,"In wind, we left."
s3,The crew was fatigued.,tale,The crew was tired.,
"""
SIMPLE = """\
id,text
s1,The ship left the harbour at noon.
s2,"We left, the gale notwithstanding."
s3,The crew was fatigued.
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
        file("gold.csv", GOLD),
        TABLES,
        {"gleu": ["true"], "unicode_form": ["NFC"]},
    ),
    Example(
        file("simpler.csv", SIMPLER), [file("simple.csv", SIMPLE)], {"sari": ["true"]}
    ),
    Example(
        file("gold.txt", LINES),
        [file("answer.txt", "чайки\nwind\nboats\n")],
        {"normalisation": ["none"], "unicode_form": ["NFC"], "tokenizer": ["unicode"]},
    ),
]
