"""Talks in a harbour, translated while they are given: words, and characters."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
recording,start,end,text,genre
pier,0.0,2.5,"The ferry leaves at noon.",news
pier,3.0,5.0,nobody waved,news
quay,0.5,2.0,we sailed,log
quay,2.0,6.0,"and the gulls slept, on the pier",log
"""
NEAR = """\
{"recording": "pier", "prediction": "The fairy leaves at noon. nobody waved", \
"delays": [900, 1500, 2200, 2200, 2600, 4000, 5100], \
"elapsed": [1000, 1700, 2500, 2500.5, 2900, 4400, 5600]}
{"recording": "quay", "prediction": "we sailed gulls slept on a pier", \
"delays": [1200, 2000, 4000, 4100, 5000, 5000, 6500], \
"elapsed": [1300, 2200, 4300, 4300, 5400, 5400, 7000]}
"""
LOG = """\
{"source": ["talks/quay.wav", "samplerate: 16000"], "prediction": "pier the", \
"delays": [9000, 9000]}
{"source": ["talks/pier.wav"], "prediction": "", "delays": []}
"""
CHARACTERS = """\
{"recording": "a", "start": 0, "end": 2, "text": "我们 出海。"}
{"recording": "a", "start": 2, "end": 4.5, "text": "海鸥睡了"}
"""
SPOKEN = """\
recording,prediction,delays
a,我出海。海鸥,500 1000 1500 2000 3000 4000
"""


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


EXAMPLES = [
    Example(
        source("gold.csv", GOLD), [source("near.jsonl", NEAR), source("log.jsonl", LOG)]
    ),
    Example(
        source("gold.jsonl", CHARACTERS),
        [source("mine.csv", SPOKEN)],
        {"characters": ["true"], "tokenize": ["char"]},
    ),
]
