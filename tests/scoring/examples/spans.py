"""A harbour's log in the four formats, with flat and nested spans."""

import io
import json
import zipfile

from scoring.source import Source
from tests.scoring.examples import Example

Annotations = dict[str, list[list[object]]]

COLUMNS_GOLD = """\
-DOCSTART- -X- O

Mira NN B-PERSON
Tollen NN I-PERSON
left VB O
Port NN B-PLACE
Anser NN I-PLACE
at IN O
noon NN O
. . O

The DT O
Gull NN B-SHIP
waited VB O

-DOCSTART- -X- O

Anser NN B-PLACE
Pilots NN O
cheered VB O

-DOCSTART- -X- O

Fog NN O
again RB O
"""
COLUMNS_SYSTEM = """\
-DOCSTART-

Mira\tI-PERSON
Tollen\tO
left\tO
Port\tB-SHIP
Anser\tI-SHIP
at\tO
noon\tB-TIME
.\tO

The\tB-SHIP
Gull\tI-SHIP
waited\tO

-DOCSTART-

Anser\tB-PLACE
Pilots\tO
cheered\tO

-DOCSTART-

Fog\tO
again\tO
"""

LOGS = {
    "calm": "Mira Tollen of Port Anser rows. \N{SAILBOAT} Calm.",
    "gale": "Port Anser Harbour Office closed",
    "still": "Nothing at all",
}
GOLD: dict[str, Annotations] = {
    "calm": {"PERSON": [[0, 11]], "PLACE": [[15, 25]]},
    "gale": {"PLACE": [[0, 10], [0, 18]], "OFFICE": [[0, 25]]},
    "still": {},
}
SYSTEM: dict[str, Annotations] = {
    "calm": {"PERSON": [[0, 4], [5, 11]], "SHIP": [[15, 25]]},
    "gale": {"PLACE": [[0, 10]], "OFFICE": [[0, 25], [19, 32]]},
    "still": {"TIME": [[0, 7]]},
}
SILENT: dict[str, Annotations] = {name: {} for name in LOGS}


def mat_json(name: str, annotations: Annotations, attribute: str = "") -> bytes:
    """Version 2; with `attribute` all are NAME elements that say their label in it."""
    lex = {"type": "lex", "annots": words(LOGS[name])}
    sets: list[dict[str, object]] = [lex]
    for label, rows in annotations.items():
        if attribute:
            attrs = [{"name": attribute, "type": "string"}]
            rows = [[*row, label] for row in rows]
            sets.append({"type": "NAME", "attrs": attrs, "annots": rows})
        else:
            sets.append({"type": label, "attrs": [], "annots": rows})
    value = {"signal": LOGS[name], "asets": sets, "metadata": {}, "version": 2}
    return json.dumps(value).encode()


def words(text: str) -> list[list[int]]:
    found, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        found.append([place, place + len(word)])
        place += len(word)
    return found


def directory(name: str, logs: dict[str, Annotations], attribute: str = "") -> Source:
    files = {f"{n}.json": mat_json(n, a, attribute) for n, a in logs.items()}
    return Source(name, files)


def zipped(name: str, source: Source) -> Source:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in source.files.items():
            archive.writestr(f"answers/{member}", data)
    return Source.of_bytes(name, buffer.getvalue())


def brat(name: str, logs: dict[str, Annotations]) -> Source:
    files = {f"{n}.txt": text.encode() for n, text in LOGS.items()}
    for n, annotations in logs.items():
        rows = [(label, *row) for label, given in annotations.items() for row in given]
        lines = [
            f"T{i}\t{label} {start} {end}\t{LOGS[n][start:end]}\n"
            for i, (label, start, end) in enumerate(rows, 1)
        ]
        files[f"{n}.ann"] = "".join(lines).encode()
    return Source(name, files)


XML_GOLD = (
    "<log><PERSON>Mira Tollen</PERSON> of <PLACE>Port <PLACE>Anser</PLACE></PLACE> "
    "rows &amp; rests.</log>"
)
XML_SYSTEM = (
    "<log><PERSON>Mira</PERSON> Tollen of <PLACE>Port Anser</PLACE> "
    "rows &amp; <TIME>rests</TIME>.</log>"
)

LOG = {
    "log-1": ("Mira and Ada Tollen left Port Anser at noon.", "morning"),
    "log-2": ("The Gull waited in Anser, the old port.", "morning"),
    "log-3": ("Fog again.", "evening"),
}
# "Mira Tollen" is in two pieces, a place lies within a longer name.
GOLD_RECORDS: Annotations = {
    "log-1": [
        [[[0, 4], [13, 19]], "PERSON"],
        [[[9, 19]], "PERSON"],
        [[[25, 35]], "PLACE"],
    ],
    "log-2": [[[[4, 8]], "SHIP"], [[[19, 24]], "PLACE"], [[[19, 38]], "PLACE"]],
}
SYSTEM_RECORDS: Annotations = {
    "log-1": [[[[0, 19]], "PERSON"], [[[25, 35]], "PERSON"]],
    "log-2": [[[[0, 8]], "SHIP"], [[[19, 24]], "PLACE"], [[[30, 38]], "PLACE"]],
    "log-3": [[[[0, 3]], "SHIP"]],
}


def with_weights(name: str, weights: dict[str, list[list[float]]]) -> Source:
    """JSON Lines with severities, and weights of characters."""
    severe = {"log-1": [[0, 4, "minor"], [9, 19, "major"]], "log-2": [[4, 8, "major"]]}
    if name != "gold.jsonl":
        severe = {"log-1": [[0, 4, "major"], [9, 12, "major"], [13, 19, "major"]]}
    rows = [
        {"id": key, "text": text, "spans": severe.get(key, [])}
        | {"soft": weights.get(key, [])}
        for key, (text, _) in LOG.items()
    ]
    return Source.of_bytes(name, "\n".join(map(json.dumps, rows)).encode())


def records(name: str, spans: Annotations) -> Source:
    """JSON Lines with offsets."""
    rows = [
        {"id": key, "text": text, "genre": genre, "spans": []}
        | {"spans": [{"pieces": p, "label": label} for p, label in spans.get(key, [])]}
        for key, (text, genre) in LOG.items()
    ]
    return Source.of_bytes(name, "\n".join(map(json.dumps, rows)).encode())


EXAMPLES = [
    Example(
        Source.of_bytes("gold.conll", COLUMNS_GOLD.encode()),
        [Source.of_bytes("system.conll", COLUMNS_SYSTEM.encode())],
        {"format": ["conll"], "scheme": ["iob2"]},
    ),
    Example(
        directory("gold", GOLD),
        [
            directory("system", SYSTEM),
            directory("silent", SILENT),
            zipped("system.zip", directory("system", SYSTEM)),
        ],
    ),
    Example(
        directory("gold", GOLD, "kind"),
        [directory("system", SYSTEM, "kind")],
        {
            "alias": ["PERSON=NAME[kind=PERSON]", "SITE=NAME[kind=PLACE]"],
            "equivalence": ["SPOT=SITE,NAME"],
            "tags": ["PERSON,SPOT,NOBODY"],
            "empty": ["na"],
        },
    ),
    Example(
        Source.of_bytes("gold.xml", XML_GOLD.encode()),
        [Source.of_bytes("system.xml", XML_SYSTEM.encode())],
        {"format": ["xml-inline"], "empty": ["zero"]},
    ),
    Example(
        brat("gold", GOLD),
        [brat("system", SYSTEM), brat("silent", SILENT)],
        {"format": ["brat"]},
    ),
    Example(
        records("gold.jsonl", GOLD_RECORDS),
        [records("system.jsonl", SYSTEM_RECORDS), records("none.jsonl", {})],
    ),
    Example(
        with_weights("gold.jsonl", {"log-1": [[0, 4, 0.4], [9, 19, 0.8]]}),
        [
            with_weights("near.jsonl", {"log-1": [[0, 19, 0.7]], "log-2": [[0, 3, 1]]}),
            with_weights("none.jsonl", {}),
        ],
        {"severities": ["true"], "plagdet": ["true"], "weights": ["soft"]},
    ),
]
