"""Three systems and a weak one on six segments; one score is missing, some tie."""

from scoring.source import Source
from tests.scoring.examples import Example

SEGMENTS = ("1", "2", "3", "4", "5", "6")
PEOPLE = {
    "gull": (80, 75, 90, 60, 85, 70),
    "heron": (80, 60, 70, 62, 88, 45),
    "tern": (55, 60, 81, 40, 73, 66),
    "wren": (20, 35, None, 30, 41, 25),
}
EXACT = {
    "gull": (0.91, 0.83, 0.95, 0.64, 0.90, 0.79),
    "heron": (0.90, 0.66, 0.73, 0.65, 0.97, 0.52),
    "tern": (0.61, 0.65, 0.87, 0.44, 0.76, 0.71),
    "wren": (0.24, 0.37, 0.50, 0.33, 0.47, 0.29),
}
COARSE = {
    "gull": (3, 3, 3, 2, 3, 2),
    "heron": (3, 2, 2, 3, 3, 1),
    "tern": (2, 2, 3, 1, 1, 2),
    "wren": (0, 2, 1, 1, 2, 2),
}
# Far from 0 and of another size.
WRONG = {
    "gull": (1e6 + 1.5, 1e6 + 1, 1e6 + 2, 1e6, 1e6 + 7, 1e6 + 3),
    "heron": (1e6 + 3, 1e6 + 8, 1e6 + 1, 1e6 + 2, 1e6 - 4, 1e6 + 5),
    "tern": (1e6 + 4.5, 1e6 + 5, 1e6, 1e6 + 6, 1e6 + 1, 1e6 + 9.5),
    "wren": (1e6 + 9, 1e6 + 7, 1e6, 1e6 + 4, 1e6 + 6, 1e6 + 1.25),
}
SAME = dict.fromkeys(PEOPLE, (0.5,) * 6)


def rows(scores: dict[str, tuple[float | None, ...]]) -> list[tuple[str, str, float]]:
    return [
        (system, segment, score)
        for system, own in scores.items()
        for segment, score in zip(SEGMENTS, own, strict=True)
        if score is not None
    ]


def csv(scores: dict[str, tuple[float | None, ...]]) -> str:
    lines = [f"{system},{segment},{score}" for system, segment, score in rows(scores)]
    return "\n".join(["system,segment,score", *lines, ""])


def gold() -> str:
    lines = []
    for system, segment, score in rows(PEOPLE):
        genre = "news" if segment < "4" else "chat"
        cells = (system, segment, f"doc-{int(segment) % 3}", genre, str(score))
        lines.append("\t".join([*cells, f"line {segment}"]))
    header = "system\tsegment\tdocument\tgenre\tscore\tsource"
    return "\n".join([header, *lines, ""])


def json(scores: dict[str, tuple[float | None, ...]]) -> str:
    return "".join(
        f'{{"segment": {segment}, "system": "{system}", "score": {score}}}\n'
        for system, segment, score in reversed(rows(scores))
    )


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


EXAMPLES = [
    Example(
        source("gold.tsv", gold()),
        [
            source("exact.csv", csv(EXACT)),
            source("coarse.jsonl", json(COARSE)),
            source("wrong.csv", csv(WRONG)),
            source("same.csv", csv(SAME)),
        ],
        {"inputs": ["source"], "groups": ["document,genre"]},
    ),
]
