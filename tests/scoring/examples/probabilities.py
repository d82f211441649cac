"""Whether ships come in, as classes; and what five people say, as soft labels."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
id,document,text,label
a,log,Two masts to the west.,ship
b,log,Only gulls.,none
c,log,A lantern on the water.,ship
d,mail,Fog.,none
e,mail,A raft with a dog.,raft
f,mail,Somebody waves.,raft
"""
SURE = """\
id,none,raft,ship
a,0.05,0.05,0.9
b,0.8,0.1,0.1
c,0.2,0.2,0.6
d,0.7,0.2,0.1
e,0.1,0.7,0.2
f,0.3,0.4,0.3
"""
UNSURE = """\
{"id": "f", "ship": 0.5, "raft": 0.25, "none": 0.25}
{"id": "e", "ship": 0.5, "raft": 0.5, "none": 0}
{"id": "d", "ship": 0.3334, "raft": 0.3333, "none": 0.3333}
{"id": "c", "ship": 1, "raft": 0, "none": 0}
{"id": "b", "ship": 1.0, "raft": 0, "none": 0}
{"id": "a", "ship": "0.4", "raft": 0.3, "none": 0.3}
"""
ALIKE = "id\tship\traft\tnone\n" + "".join(f"{i}\t.34\t.33\t.33\n" for i in "abcdef")
PEOPLE = """\
{"id": "1", "yes": 0.8, "no": 0.2}
{"id": "2", "yes": 0.4, "no": 0.6}
{"id": "3", "yes": 1, "no": 0}
{"id": "4", "yes": 0.5, "no": 0.5}
{"id": "5", "yes": 0, "no": 1}
"""
SYSTEM = """\
id,no,yes
1,0.3,0.7
2,0.5,0.5
3,0.25,0.75
4,0.125,0.875
5,1,0
"""


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


EXAMPLES = [
    Example(
        source("gold.csv", GOLD),
        [
            source("sure.csv", SURE),
            source("unsure.jsonl", UNSURE),
            source("alike.tsv", ALIKE),
        ],
        {"inputs": ["text"]},
    ),
    Example(source("people.jsonl", PEOPLE), [source("system.csv", SYSTEM)]),
]
