"""Pairing a system's file with the gold, sentence by sentence and token by token."""

from collections import Counter

import numpy as np

from scoring.errors import MOST_PROBLEMS, Findings, Refused
from scoring.formats.conllu import FORM, capped
from scoring.formats.text import look_alike, shown
from scoring.options import Options
from scoring.scorers.semarkup import markup
from scoring.scorers.semarkup.markup import Markup, MarkupGold
from scoring.source import Source


def read_system(source: Source, _options: Options, gold: MarkupGold) -> Markup:
    """Read a system's file.

    Raises Refused when it has not the sentences and tokens of the gold.
    """
    found = markup.read(source, Refused)
    pair(found, gold.markup)
    return found


def pair(found: Markup, gold: Markup) -> None:
    """Check that both have the same tokens in the same sentences.

    Raises Refused with every sentence that is missing, extra or of another length,
    else every form that differs; forms and sent_ids are in the published file too.
    """
    findings = Findings(found.table.name)
    if found.ids != gold.ids:
        _report_sentences(found, gold, findings)
        findings.raise_if_any(Refused)
    for sentence in capped(np.flatnonzero(found.sizes != gold.sizes), findings):
        size, wanted = int(found.sizes[sentence]), int(gold.sizes[sentence])
        message = f"the sentence has {size} tokens; expected {wanted}."
        line, unit = found.line_of(sentence), shown(gold.ids[sentence])
        findings.add("tokens", message, line=line, unit=unit)
    findings.raise_if_any(Refused)
    _compare_forms(found, gold, findings)
    findings.raise_if_any(Refused)


def _report_sentences(found: Markup, gold: Markup, findings: Findings) -> None:
    """Missing and extra sentences in the order of the file, else what is misplaced."""
    places = sorted([*_missing(found, gold), *_extra(found, gold)])
    if not places:
        pairs = enumerate(zip(found.ids, gold.ids, strict=True))
        place, (name, wanted) = next((i, pair) for i, pair in pairs if len({*pair}) > 1)
        places = [(place, name, f"where '{shown(wanted)}' was expected")]
    findings.left_out += len(places[MOST_PROBLEMS:])
    for place, name, text in places[:MOST_PROBLEMS]:
        inside = place < len(found.ids)
        line = found.line_of(place) if inside else int(found.table.lines[-1])
        message = f"sentence '{shown(name)}' {text}."
        findings.add("sentences", message, line=line, unit=shown(name))


def _missing(found: Markup, gold: Markup) -> list[tuple[int, str, str]]:
    """Missing ids, each with the sentence of the file it should stand before."""
    missing = Counter(gold.ids) - Counter(found.ids)
    where = {name: place for place, name in enumerate(found.ids)}
    place, places = len(found.ids), []
    for name in reversed(gold.ids):
        if missing[name] > 0:
            missing[name] -= 1
            places.append((place, name, _before(found, place)))
        else:
            place = where[name]
    return places


def _before(found: Markup, place: int) -> str:
    if place == len(found.ids):
        return "is missing at the end"
    return f"is missing before '{shown(found.ids[place])}'"


def _extra(found: Markup, gold: Markup) -> list[tuple[int, str, str]]:
    """Ids that the gold has not, or not so often; the last ones are too many."""
    extra = Counter(found.ids) - Counter(gold.ids)
    places = []
    for place in range(len(found.ids) - 1, -1, -1):
        name = found.ids[place]
        if extra[name] > 0:
            extra[name] -= 1
            places.append((place, name, "is not expected"))
    return places


def _compare_forms(found: Markup, gold: Markup, findings: Findings) -> None:
    alike = markup.same(found, gold, FORM, slice(0, len(found.table)))
    for row in capped(np.flatnonzero(~alike), findings):
        pair = [_form(side, row) for side in (found, gold)]
        message = f"form '{shown(pair[0])}'; expected '{shown(pair[1])}'."
        line, unit = int(found.table.lines[row]), gold.ids[found.table.sentence_of[row]]
        findings.add(
            "form", message, line=line, unit=shown(unit), hint=look_alike(*pair)
        )


def _form(side: Markup, row: int) -> str:
    return side.field(FORM, np.array([row])).texts()[0]
