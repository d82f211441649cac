"""A few made-up sentences with one or more references, for the laws."""

from scoring.formats.bundle import zip_files
from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
id,source,document,text,text.2
s1,Паром уходит.,log,The ferry leaves the harbour at noon.,"At noon, the ferry goes."
s2,"Чайки молчали.",log,"Nobody waved, and the gulls kept quiet.",
s3,Мы взяли рифы.,letter,We reefed the mainsail before the wind.,We reefed the sail.
s4,...,letter,...,
"""
CLOSE = """\
id,text
s4,
s2,"Nobody waved, and the gulls were quiet."
s1,The ferry departs from the harbour at noon.
s3,The wind rose before we reefed the mainsail.
"""
FAR = """\
id,text
s1,Ferry noon
s2,И чайки молчали & нет.
s3,We reefed the sail.
s4,... ... ...
"""
LINES = "The ferry leaves the harbour at noon.\n\n[Wind] We reefed the mainsail.\n"
OTHER = "The harbour is left by the ferry.\n\nWe reefed.\n"
ANSWER = "[The] ferry leaves, at noon.\nNobody waved.\nWe reefed the mainsail.\n"
CHINESE = '{"id": "a", "text": ["渡船中午离开港口。", "渡船在中午离开。"]}\n'


def file(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


TABLES = [file("close.csv", CLOSE), file("far.csv", FAR)]
LOWER = {"lowercase": ["true"], "ter_normalized": ["true"], "ter_no_punct": ["true"]}
EXAMPLES = [
    Example(file("gold.csv", GOLD), TABLES),
    Example(file("gold.csv", GOLD), TABLES, {"tokenize": ["intl"], **LOWER}),
    Example(
        zip_files("gold.zip", {"a.txt": LINES.encode(), "b.txt": OTHER.encode()}),
        [file("answer.txt", ANSWER)],
    ),
    Example(
        file("gold.jsonl", CHINESE + CHINESE.replace('"a"', '"b"')),
        [
            file(
                "zh.jsonl",
                '{"id": "b", "text": "渡船离港。"}\n{"id": "a", "text": ""}\n',
            )
        ],
        {"tokenize": ["zh"], "chrf_whitespace": ["true"]},
    ),
]
