"""A participant's own answer, unit by unit, without anything of the gold.

The scorer's comparison is run against a stand-in for the gold that is made of the
published file and the answer alone (`Scorer.stand_in`), and only the answer's side of
it is taken.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from scoring.errors import ScoringError
from scoring.inspection import EMPTY, ItemTable, Picture
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source

LONGEST = 140  # characters of an excerpt
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def own_units(
    scorer: Scorer,
    blind: Source,
    system: Source,
    options: Options,
    names: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """Excerpt, length and picture of the named units of an answer, as plain values.

    A unit that the published file does not tell apart is left out. Empty for a scorer
    without a stand-in, and for files that cannot be read.
    """
    if scorer.stand_in is None or scorer.inspect is None:
        return {}
    try:
        published = scorer.read_blind(blind, options)
        answer = scorer.read_system(system, options, published)
    except ScoringError:
        return {}
    gold = scorer.stand_in(published, answer, options)
    inspection = scorer.inspect(gold, answer, options)
    places = {n: i for i, n in enumerate(scorer.count(gold, answer, options).units)}
    units = {}
    for name in names:
        if name in places:
            picture = own_side(inspection.picture(places[name]))
            units[name] = {
                "size": int(inspection.sizes[places[name]]),
                "excerpt": excerpt(picture),
                "picture": asdict(picture),
            }
    return units


def own_side(picture: Picture) -> Picture:
    """The system's side of a picture, with no verdict on anything."""
    trees = tuple(replace(word, wrong=()) for word in picture.trees[1])
    pieces = tuple(replace(piece, verdict="own") for piece in picture.pieces[1])
    net = picture.nets[1]
    nodes = tuple(
        replace(
            node,
            lacking=(),
            attributes=tuple((name, ()) for name, _ in node.attributes),
        )
        for node in net.nodes
    )
    links = tuple(replace(link, wrong="") for link in net.links)
    return Picture(
        _own_table(picture.sheet),
        trees=((), trees),
        text=picture.text,
        # Pieces of `texts` are marks of differences from the other side.
        pieces=((), () if any(picture.texts) else pieces),
        lines=((), picture.lines[1]),
        nets=(EMPTY, replace(net, nodes=nodes, links=links)),
        texts=("", picture.texts[1]),
    )


def _own_table(table: ItemTable) -> ItemTable:
    """Columns of the answer and of the input, in rows in which they say anything."""
    taken = [
        place
        for place, name in enumerate(table.columns)
        if not name.startswith("gold_") and name not in table.judged
    ]
    cells = (tuple(row[place] for place in taken) for row in table.rows)
    rows = tuple(row for row in cells if any(cell not in (None, "") for cell in row))
    columns = tuple(table.columns[place] for place in taken)
    return ItemTable(columns, rows, ((),) * len(rows))


def excerpt(picture: Picture) -> str:
    """The beginning of a unit by which a reader knows it again: its text or words of
    the answer, else its first cells."""
    words = picture.trees[1] or picture.trees[0]
    nodes = picture.nets[1].nodes or picture.nets[0].nodes
    columns = picture.sheet.columns
    forms = columns.index("form") if "form" in columns else None
    if picture.text or any(picture.texts):
        text = picture.text or picture.texts[1] or picture.texts[0]
    elif words:
        text = " ".join(word.form for word in words)
    elif forms is not None:
        text = " ".join(str(row[forms]) for row in picture.sheet.rows)
    elif len(picture.sheet.rows) == 1:  # what was asked stands last
        cells = [c for c in reversed(picture.sheet.rows[0]) if c not in (None, "")]
        text = " · ".join(map(str, cells))
    elif any(picture.lines):
        text = " · ".join(picture.lines[1] or picture.lines[0])
    elif nodes:
        text = " · ".join(node.name for node in nodes if node.name)
    else:
        cells = [
            c for row in picture.sheet.rows[:5] for c in row if c not in (None, "")
        ]
        text = " · ".join(map(str, cells))
    text = " ".join(text[: LONGEST * 4].split())
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + ELLIPSIS
