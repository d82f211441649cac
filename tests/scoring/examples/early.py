"""Who is at risk, and when it was said."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
id,document,genre,posts,label
s1,a,forum,40,1
s2,a,forum,120,0
s3,b,blog,9,1
s4,b,blog,77,0
s5,c,forum,60,1
s6,c,blog,5,0
s7,d,blog,300,1
"""
EARLY = "id\tdelay\ns1\t2\ns2\t0\ns3\t1\ns4\t0\ns5\t0\ns6\t3\ns7\t7\n"
LATE = "".join(
    f'{{"id": "s{place}", "delay": {delay}}}\n'
    for place, delay in enumerate((40, 100, 9, 0, 55, 0, 260), 1)
)
NEVER = "id,delay\n" + "".join(f"s{place},0\n" for place in range(7, 0, -1))
ALWAYS = "id,delay\n" + "".join(f"s{place},1\n" for place in range(1, 8))


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


EXAMPLES = [
    Example(
        source("gold.csv", GOLD),
        [
            source("early.tsv", EARLY),
            source("late.jsonl", LATE),
            source("never.csv", NEVER),
            source("always.csv", ALWAYS),
        ],
        {"inputs": ["posts"], "groups": ["document,genre"]},
    )
]
