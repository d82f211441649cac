"""Questions to judges as an organizer writes them, in a form or in a bundle."""

import re
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.extras.judging.models import (
    HIGHEST,
    PENALTY,
    RATING,
    WINS,
    CampaignKind,
)
from scoring.elsewhere import RESERVED

WEIGHT = re.compile(r"\d{1,3}(\.\d{1,3})?\Z", re.ASCII)
NUMBER = re.compile(r"\d{1,6}(\.\d{1,3})?\Z", re.ASCII)
BAR = re.compile(r"\s+\|\s+")
COLUMN = re.compile(r"[a-z][a-z0-9_]{0,30}\Z")
MOST_QUESTIONS, MOST_STEPS, LONGEST = 5, 11, 500
MOST_KNOWN, LONGEST_KNOWN = 500, 20_000
MOST_CATEGORIES, MOST_SEVERITIES, HEAVIEST = 60, 6, 100
# Of MQM (Freitag et al. 2021), where a campaign names no others.
SEVERITIES = ("minor: 1", "major: 5")


def lines_in(text: str, longest: int = LONGEST) -> list[str]:
    return [line.strip()[:longest] for line in text.splitlines() if line.strip()]


def asked_in(kind: str, lines: Sequence[str]) -> tuple[list[list[str]], list[str]]:
    """Columns with questions, and sentences on what is wrong."""
    if kind == CampaignKind.PAIRS:
        wrong = [] if len(lines) == 1 else [_("Write one question, in one line.")]
        return [[RATING, line] for line in lines[:1]], wrong
    questions: list[list[str]] = []
    wrong = []
    for line in lines:
        column, colon, text = (part.strip() for part in line.partition(":"))
        if not (colon and text and COLUMN.match(column)):
            sentence = _(
                "“%(line)s”: expected a column of small letters, a colon, and a "
                "question."
            )
            wrong.append(sentence % {"line": line[:80]})
        elif column in (*RESERVED, RATING, WINS, PENALTY) or column in [
            x for x, _t in questions
        ]:
            sentence = _("“%(name)s” has another meaning, or stands here twice.")
            wrong.append(sentence % {"name": column})
        else:
            questions.append([column, text])
    least = 0 if kind == CampaignKind.SPANS else 1
    if not least <= len(lines) <= MOST_QUESTIONS:
        wrong.append(_("From %s to %s.") % (least, MOST_QUESTIONS))
    return questions, wrong


def steps_in(kind: str, lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Steps of a scale, none of another kind, and sentences on what is wrong."""
    if kind != CampaignKind.SCALE:
        return [], []
    fits = 2 <= len(lines) <= MOST_STEPS
    return list(lines), [] if fits else [_("From %s to %s.") % (2, MOST_STEPS)]


def categories_in(kind: str, lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Categories of errors, none of another kind, and sentences on what is wrong."""
    if kind != CampaignKind.SPANS:
        return [], []
    fits = len(set(lines)) == len(lines) <= MOST_CATEGORIES
    sentence = _("From %s to %s, no two alike.") % (0, MOST_CATEGORIES)
    return list(lines), [] if fits else [sentence]


def severities_in(kind: str, lines: Sequence[str]) -> tuple[list[list[Any]], list[str]]:
    """Severities with weights, of errors alone, and sentences on what is wrong."""
    if kind != CampaignKind.SPANS:
        return [], []
    severities: list[list[Any]] = []
    wrong = []
    for line in lines or SEVERITIES:
        name, _colon, text = (part.strip() for part in line.rpartition(":"))
        weight = float(text) if WEIGHT.match(text) else -1.0
        if not name or not 0 <= weight <= HEAVIEST or name in dict(severities):
            sentence = _(
                "“%(line)s”: expected a severity of its own, a colon, and a weight "
                "from 0 to %(most)s."
            )
            wrong.append(sentence % {"line": line[:80], "most": HEAVIEST})
        else:
            severities.append([name, weight])
    if len(lines) > MOST_SEVERITIES:
        wrong.append(_("From %s to %s.") % (1, MOST_SEVERITIES))
    return severities, wrong


def known_in(
    kind: str, lines: Sequence[str], steps: int = 0
) -> tuple[list[list[Any]], list[str]]:
    """Known answers, and sentences on what is wrong. Of pairs a unit, the better and
    the worse answer; of single answers a unit, the answer, and from what to what its
    first value has to be."""
    entries: list[list[Any]] = []
    wrong = []
    worst, best = {CampaignKind.SCALE: (1, steps), CampaignKind.SPANS: (0, 10**6)}.get(
        CampaignKind(kind), (0, HIGHEST)
    )
    for line in lines:
        parts: list[Any] = BAR.split(line.strip())
        sentence = ""
        if kind == CampaignKind.PAIRS:
            if len(parts) != 3 or not all(parts) or parts[1] == parts[2]:
                sentence = _(
                    "“%(line)s”: expected a unit, the better and the worse answer, "
                    "with “ | ” between them."
                )
        else:
            if fits := len(parts) == 4 and all(parts):
                ends = [float(x) if NUMBER.match(x) else -1.0 for x in parts[2:]]
                fits = worst <= ends[0] <= ends[1] <= best
                parts[2:] = ends
            if not fits:
                sentence = _(
                    "“%(line)s”: expected a unit, an answer, and the least and the "
                    "most of its first value, with “ | ” between them."
                )
        if sentence:
            wrong.append(sentence % {"line": line[:80]})
        else:
            entries.append(parts)
    if len(lines) > MOST_KNOWN:
        wrong.append(_("From %s to %s.") % (0, MOST_KNOWN))
    return entries, wrong


def known_lines(answers: Sequence[Sequence[Any]]) -> list[str]:
    """The lines again from which `known_in` makes these."""
    return [
        " | ".join(x if isinstance(x, str) else f"{x:.15g}" for x in line)
        for line in answers
    ]


def severity_lines(severities: Sequence[Sequence[Any]]) -> list[str]:
    """The lines again from which `severities_in` makes these."""
    return [f"{name}: {weight:.15g}" for name, weight in severities]


def written(kind: str, questions: Sequence[Sequence[str]]) -> list[str]:
    """The lines again from which `asked_in` makes these."""
    if kind == CampaignKind.PAIRS:
        return [text for _column, text in questions]
    return [f"{column}: {text}" for column, text in questions]
