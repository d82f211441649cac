"""Which uses of a word belong together."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
id,document,genre,text,cluster
u1,a,sea,the bank of the river,shore
u2,a,sea,a steep bank,shore
u3,a,land,the bank lends,money
u4,b,land,a bank account,money
u5,b,sea,on the left bank,shore
u6,b,land,the bank closed,money
u7,c,sea,a bank of fog,mass
u8,c,land,bank holiday,money
u9,c,sea,a cloud bank,mass
"""
CLOSE = "id\tcluster\n" + "".join(
    f"u{i}\t{cluster}\n" for i, cluster in enumerate("112212313", 1)
)
SPLIT = "".join(
    f'{{"id": "u{i}", "cluster": "{cluster}"}}\n'
    for i, cluster in enumerate("abccbdefe", 1)
)
ALONE = "id,cluster\n" + "".join(f"u{i},{i}\n" for i in range(9, 0, -1))
WHOLE = "id,cluster\n" + "".join(f"u{i},x\n" for i in range(1, 10))
TWO = "id,cluster\na,1\nb,2\nc,2\nd,1\ne,3\n"
ONE = "id,cluster\n" + "".join(f"{name},x\n" for name in "edcba")


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


EXAMPLES = [
    Example(
        source("gold.csv", GOLD),
        [
            source("close.tsv", CLOSE),
            source("split.jsonl", SPLIT),
            source("alone.csv", ALONE),
            source("whole.csv", WHOLE),
        ],
        {"inputs": ["text"], "groups": ["document,genre"]},
    ),
    Example(source("two.csv", TWO), [source("one.csv", ONE)]),
]
