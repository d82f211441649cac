"""Transcripts of made-up recordings, for the laws."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
id,document,text,text.2
r1,tape,"The ferry leaves at noon, doesn't it?",The ferry departs at noon.
r2,tape,nobody waved,
r3,radio,,
r4,radio,чайки молчат,
"""
CLOSE = """\
id,text
r1,the ferry departs at  noon
r2,nobody waved back
r3,
r4,чайки молчат
"""
FAR = """\
id,text
r4,seagulls
r3,static
r2,
r1,The the ferry
"""


def file(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


TABLES = [file("close.csv", CLOSE), file("far.csv", FAR)]
LOOSE = {"lowercase": ["true"], "punctuation": ["drop"], "unicode_form": ["NFKC"]}
EXAMPLES = [
    Example(file("gold.csv", GOLD), TABLES),
    Example(file("gold.csv", GOLD), TABLES, LOOSE),
    Example(file("gold.txt", "one two\nthree\n"), [file("s.txt", "one\ntwo three\n")]),
]
