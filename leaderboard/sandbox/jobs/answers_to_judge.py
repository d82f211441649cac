"""Answers as people read them who judge: of each unit what was asked, and what systems
answered, out of the published file and the systems' files. Gold is not opened."""

from collections.abc import Mapping, Sequence

from scoring.errors import Findings, Problem, Refused, ScoringError
from scoring.formats import answers, records
from scoring.formats.answers import Answers
from scoring.inspection.own import own_units
from scoring.sandbox.codec import Request, Values
from scoring.source import Source, text_of

MOST_UNITS = 20_000
LONGEST = 20_000  # characters of an input or an answer
PICTURE, LONGEST_PICTURE = "data:image/", 120_000


def answers_to_judge(request: Request) -> tuple[Values, Sequence[bytes]]:
    """`inputs`: what was asked by unit, a list of names and texts; `answers`: of each
    pair of published and sent file the answer by unit. Raises Refused."""
    scorer, options, pairs = request.unpack()
    inputs: dict[str, list[tuple[str, str]]] = {}
    answers: list[dict[str, str]] = []
    for published, sent in pairs:
        read = scorer.read_submission or scorer.read_system
        blind = scorer.read_blind(published, options)
        system = read(sent, options, blind)
        if isinstance(system, Answers) and isinstance(blind, Answers):
            inputs = inputs or _inputs(published, blind)
            texts = {unit: _text(system, i) for i, unit in enumerate(system.ids)}
        else:
            names = request.values["units"]
            units = own_units(scorer, published, sent, options, names)
            texts = {unit: own["excerpt"] for unit, own in units.items()}
        answers.append(texts)
    if not any(answers) or len(inputs) > MOST_UNITS:
        message = f"answers of the scorer '{scorer.name}' cannot be shown to judges"
        hint = "Judge elsewhere, and upload a table of judgements."
        raise Refused([Problem("judging", message, hint=hint)])
    return {"inputs": inputs, "answers": answers}, []


def _text(system: Answers, item: int) -> str:
    return _cut("\n".join(system.of_item(item)))


def _cut(text: str) -> str:
    """So much of a text as is shown; of a picture all, or its beginning in words."""
    if not text.startswith(PICTURE):
        return text[:LONGEST]
    return text if len(text) <= LONGEST_PICTURE else f"{text[:30]}…"


def _inputs(published: Source, blind: Answers) -> dict[str, list[tuple[str, str]]]:
    """The columns of the published file beside the id; of lines of text, the line."""
    if blind.plain:
        lines = text_of(published, Refused).splitlines()
        return {str(i): [("", _cut(line))] for i, line in enumerate(lines, 1)}
    try:
        table = records.read(published, Findings(published.name), Refused)
    except ScoringError:
        return {}
    columns: Mapping[str, Sequence[object]] = table.columns
    offered = [name for name in columns if name != answers.ID]
    return {
        str(unit): [
            (name, _cut(str(columns[name][row])))
            for name in offered
            if columns[name][row] not in (None, "")
        ]
        for row, unit in enumerate(columns[answers.ID])
    }
