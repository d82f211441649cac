"""Documents about a harbour with entities, gaps and words left out, for the laws."""

from scoring.source import Source
from tests.scoring.examples import Example

WORDS = (
    "The old harbour sleeps .",
    "Ada loves it , and so does Ben .",
    "They walk along its quay .",
    "A lamp burns .",
    "The keeper trims it , Ada says .",
    "She knows her .",
)
# Sentences before which a document begins.
DOCUMENTS = {0: "harbour", 3: "lighthouse", 5: "end"}
# By sentence: from, to, entity, head; parts of a mention with gaps follow each other.
Mentions = dict[int, list[tuple[int, int, str, int]]]
# What stands behind a word and is not in the text, with what it depends on.
ZEROS = {1: (6, "8:nsubj"), 4: (5, "7:nsubj")}


def corefud(name: str, mentions: Mentions, zeros: Mentions | None = None) -> Source:
    """A file in which each sentence has these mentions; `zeros` are those behind."""
    lines = ["# global.Entity = eid-etype-head-other"]
    for number, sentence in enumerate(WORDS):
        if number in DOCUMENTS:
            lines += [
                f"# newdoc id = {DOCUMENTS[number]}",
                f"# genre = {'sea' if number < 5 else 'talk'}",
            ]
        lines.append(f"# sent_id = {number + 1}")
        opened, closed = brackets(mentions.get(number, []))
        for place, word in enumerate(sentence.split(), 1):
            value = closed.get(place, "") + opened.get(place, "")
            rest = f"Entity={value}" if value else "_"
            lines.append(f"{place}\t{word}\t_\t_\t_\t_\t0\t_\t_\t{rest}")
            for behind, _to, entity, _head in (zeros or {}).get(number, []):
                if behind == place:
                    _place, dependency = ZEROS[number]
                    rest = f"Entity=({entity}-x-1-)"
                    lines.append(
                        f"{place}.1\t_\t_\t_\t_\t_\t_\t_\t{dependency}\t{rest}"
                    )
        lines.append("")
    return Source.of_bytes(name, ("\n".join(lines) + "\n").encode())


def brackets(
    mentions: list[tuple[int, int, str, int]],
) -> tuple[dict[int, str], dict[int, str]]:
    """Brackets that open and close at each word; longer mentions open first."""
    opened: dict[int, str] = {}
    closed: dict[int, str] = {}
    for start, end, entity, head in sorted(mentions, key=lambda m: (m[0], -m[1])):
        single = ")" if start == end else ""
        opened[start] = opened.get(start, "") + f"({entity}-x-{head}-{single}"
        if not single:
            closed[end] = f"{entity})" + closed.get(end, "")
    return opened, closed


GOLD_MENTIONS: Mentions = {
    0: [(1, 3, "e1", 3)],
    1: [(1, 1, "e2", 1), (3, 3, "e1", 1), (8, 8, "e3", 1)],
    2: [(1, 1, "e4", 1), (4, 5, "e5", 2), (4, 4, "e1", 1)],
    3: [(1, 2, "e6", 2)],
    4: [(1, 1, "e8[1/2]", 1), (3, 3, "e8[2/2]", 2), (4, 4, "e6", 1), (6, 6, "e7", 1)],
    5: [(1, 1, "e9", 1), (3, 3, "e10", 1)],
}
GOLD = corefud(
    "gold.conllu",
    GOLD_MENTIONS,
    {1: [(6, 6, "e3", 1)], 4: [(5, 5, "e7", 1)]},
)
SHORTER = corefud(
    "shorter.conllu",
    {
        0: [(2, 3, "a", 2)],
        1: [(1, 1, "b", 1), (3, 3, "a", 1), (8, 8, "b", 1)],
        2: [(1, 1, "b", 1), (4, 4, "a", 1)],
        3: [(2, 2, "c", 1)],
        4: [(4, 4, "c", 1), (6, 6, "d", 1)],
        5: [(1, 1, "d", 1), (3, 3, "d", 1)],
    },
    {4: [(4, 4, "d", 1)]},
)
ONE = corefud(
    "one.conllu",
    {number: [(1, 1, "all", 1), (3, 3, "all", 1)] for number in range(6)},
)
NOTHING = corefud("nothing.conllu", {})

COLUMNS = """\
#begin document (sea/harbour); part 000
sea/harbour 0 0 Ada * - (0)
sea/harbour 0 1 loves * - -
sea/harbour 0 2 the * - (1
sea/harbour 0 3 harbour * - 1)|(2)

sea/harbour 0 0 She * - (0)
sea/harbour 0 1 sees * - -
sea/harbour 0 2 it * - (1)
sea/harbour 0 3 there * - (2)
#end document
#begin document (sea/harbour); part 001
sea/harbour 1 0 It * - (0)
sea/harbour 1 1 and * - -
sea/harbour 1 2 it * - (0)
#end document
"""
LOST = COLUMNS.replace("there * - (2)", "there * - -").replace(
    "She * - (0)", "She * - -"
)

EXAMPLES = [
    Example(GOLD, [SHORTER, ONE, NOTHING], {"singletons": ["true"]}),
    Example(GOLD, [SHORTER, ONE], {"match": ["head"]}),
    Example(GOLD, [SHORTER, ONE], {"match": ["partial"], "singletons": ["true"]}),
    Example(
        Source.of_bytes("gold.conll", COLUMNS.encode()),
        [Source.of_bytes("lost.conll", LOST.encode())],
    ),
]
