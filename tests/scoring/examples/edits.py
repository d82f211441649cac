"""Sentences of learners by the harbour, corrected by two annotators, for the laws."""

from scoring.source import Source
from tests.scoring.examples import Example


def m2(name: str, *sentences: str) -> Source:
    """A file of sentences "tokens / from to type text annotator / ..."; "-" is none."""
    blocks = []
    for sentence in sentences:
        tokens, *edits = (part.strip() for part in sentence.split("/"))
        lines = [f"S {tokens}"]
        for edit in edits:
            start, end, kind, text, annotator = edit.split()
            text = {"-": "", "none": "-NONE-"}.get(text, text.replace("_", " "))
            fields = (f"A {start} {end}", kind, text, "REQUIRED", "-NONE-", annotator)
            lines.append("|||".join(fields))
        blocks.append("\n".join(lines) + "\n")
    return Source.of_bytes(name, ("\n".join(blocks) + "\n").encode())


TOKENS = (
    "The boats sails on noon .",
    "Ada buy lamp in harbour .",
    "It is late .",
    "They has went at home .",
)
GOLD = m2(
    "gold.m2",
    f"{TOKENS[0]} / 2 3 R:VERB:SVA sail 0 / 3 4 R:PREP at 0 / 3 4 R:PREP at 1",
    f"{TOKENS[1]} / 1 2 R:VERB:SVA buys 0 / 2 2 M:DET a 0 / 4 4 M:DET the 0",
    f"{TOKENS[2]} / -1 -1 noop none 0 / 2 3 R:OTHER too_late 1",
    f"{TOKENS[3]} / 1 3 R:VERB went 0 / 3 4 U:PREP - 0 / 3 3 UNK - 0",
)
FAIR = m2(
    "fair.m2",
    f"{TOKENS[0]} / 3 4 R:PREP at 0",
    f"{TOKENS[1]} / 1 2 R:VERB bought 0 / 2 2 M:DET a 0",
    f"{TOKENS[2]} / -1 -1 noop none 0",
    f"{TOKENS[3]} / 1 3 R:VERB went 0 / 3 4 U:PREP - 0",
)
EAGER = m2(
    "eager.m2",
    f"{TOKENS[0]} / 0 1 R:DET A 0 / 2 3 R:VERB:SVA sail 0",
    f"{TOKENS[1]} / 2 3 R:NOUN lamps 0 / 2 2 M:DET the 0 / 4 4 M:DET the 0",
    f"{TOKENS[2]} / 0 1 R:PRON That 0",
    f"{TOKENS[3]}",
)
CORRECTED = Source.of_bytes(
    "corrected.txt",
    b"The boats sail at noon .\nAda buys a lamp in harbour .\nIt is late .\n"
    b"They went home .\n",
)

EXAMPLES = [
    Example(GOLD, [FAIR, EAGER]),
    Example(GOLD, [FAIR, EAGER], {"level": ["classification"], "types": ["main"]}),
    Example(GOLD, [FAIR, EAGER], {"level": ["token"], "leave_out": ["U:PREP"]}),
    Example(GOLD, [CORRECTED, EAGER], {"matching": ["maxmatch"]}),
]
