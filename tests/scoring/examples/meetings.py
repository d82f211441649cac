"""Meetings of a harbour: a table, RTTM and STM."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
session,speaker,start,end,text,genre
m1,Ada,0.0,2.5,the ferry leaves at noon,council
m1,Bo,2.0,4.0,nobody waved,council
m1,Ada,5.0,6.5,we wait,council
m2,Cy,0.5,3.0,the gulls sleep on the pier,crew
m2,Ada,3.5,4.0,yes,crew
m3,,,,,crew
"""
NEAR = """\
session\tspeaker\tstart\tend\ttext
m1\t1\t0\t2.4\tthe fairy leaves at noon
m1\t2\t2.2\t4.1\tnobody waved
m1\t1\t5\t6.5\twe wait
m2\t1\t0.5\t3\tgulls sleep on the pier
m2\t2\t3.5\t4.1\tyes
m3\t\t\t\t
"""
FAR = """\
{"session": "m3", "speaker": "x", "start": 1, "end": 2.5, "text": "what"}
{"session": "m2", "speaker": "", "start": "", "end": "", "text": ""}
{"session": "m1", "speaker": "x", "start": 0.0, "end": 9, "text": "noon the noon"}
"""
RTTM = """\
SPEAKER m1 1 0.0 2.5 <NA> <NA> Ada <NA> <NA>
SPEAKER m1 1 2.0 2.0 <NA> <NA> Bo <NA> <NA>
SPEAKER m2 1 0.5 2.5 <NA> <NA> Cy <NA> <NA>
SPEAKER m2 1 3.5 2.5 <NA> <NA> Ada <NA> <NA>
"""
RTTM_NEAR = """\
SPEAKER m2 1 0.75 2.5 <NA> <NA> 9 <NA> <NA>
SPEAKER m1 1 0.0 4 <NA> <NA> 1 <NA> <NA>
SPEAKER m1 1 3.0 2.0 <NA> <NA> 2 <NA> <NA>
"""
STM = """\
;; a comment
m1 1 Ada 0.0 2.5 <o,f0> The ferry leaves, at noon
m1 1 Bo 2.0 4.0 <o,m0> nobody waved
m2 1 Cy 0.5 3.0 gulls sleep
"""
WORDS = "session,speaker,text\nm1,B,Nobody\nm1,A,the ferry leaves\nm2,A,gulls sleep\n"


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


EXAMPLES = [
    Example(
        source("gold.csv", GOLD), [source("near.tsv", NEAR), source("far.jsonl", FAR)]
    ),
    Example(
        source("gold.rttm", RTTM),
        [source("near.rttm", RTTM_NEAR)],
        {"collar": ["0.25"]},
    ),
    Example(
        source("gold.csv", WORDS),
        [source("mine.stm", STM)],
        {"lowercase": ["true"], "punctuation": ["drop"]},
    ),
]
