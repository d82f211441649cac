"""Which answers of a file count, paired with the instances that are scored."""

from dataclasses import dataclass
from functools import cached_property
from itertools import compress, repeat

import numpy as np
import numpy.typing as npt

from scoring.counts import Floats, Integers
from scoring.errors import Findings, Refused
from scoring.formats import sense_answers
from scoring.formats.sense_answers import Answers
from scoring.formats.senseval import shown
from scoring.options import Options
from scoring.scorers.senseval.gold import SHOWN, SenseGold
from scoring.source import Source

Flags = npt.NDArray[np.bool_]

WHY_NOT = {
    "unknown": "for an instance that does not exist",
    "empty": "without a tag (not attempted)",
    "discarded": "with an unknown sense (not attempted)",
    "duplicate": "for an instance answered before (the first answer counts)",
}


@dataclass(frozen=True)
class Guesses:
    """The `g` guesses of the answers that count.

    `instance_of` (g,) is the row in the key, `lines` (g,) count from 1, `tags` (g,)
    are the senses, `weights` (g,) as written, nan where missing.
    """

    instance_of: Integers
    lines: Integers
    tags: list[str]
    weights: Floats
    remarks: list[str]


class Passed:
    """Answers that do not count, by reason: how many, and the first few by name."""

    def __init__(self) -> None:
        self.sizes = dict.fromkeys(WHY_NOT, 0)
        self.named: dict[str, list[str]] = {why: [] for why in WHY_NOT}

    def add(self, why: str, answers: Answers, which: Flags) -> None:
        rows = np.flatnonzero(which).tolist()
        self.sizes[why] += len(rows)
        for row in rows[: SHOWN - len(self.named[why])]:
            text = f"{shown(answers.names[row])} (line {answers.lines[row]})"
            self.named[why].append(text)

    def remarks(self) -> list[str]:
        found = []
        for why, size in self.sizes.items():
            if size:
                named = ", ".join(self.named[why]) + (", …" if size > SHOWN else "")
                noun = "answer" if size == 1 else "answers"
                found.append(f"{size} {noun} {WHY_NOT[why]}: {named}")
        return found


class AnswerPairing:
    """Finds the answers that count, block after block of one file."""

    def __init__(self, gold: SenseGold, options: Options) -> None:
        self.names = gold.key.names
        self.next = 0
        self.left_out = gold.left_out
        self.answered = np.zeros(len(self.names), dtype=bool)
        self.first = np.zeros(len(self.names), dtype=np.int64)
        self.passed = Passed()
        discard = options["unknown_senses"] == "discard"
        self.known = gold.senses.known if discard and gold.senses else None

    @cached_property
    def places(self) -> dict[str, int]:
        return dict(zip(self.names, range(len(self.names)), strict=True))

    def rows(self, answers: Answers) -> Integers:
        """The row in the key of every answer (a,), -1 for one that is not scored."""
        begin, end = self.next, self.next + len(answers.names)
        # Most files keep to the order of the key, so that nobody needs to look.
        if self.names[begin:end] == tuple(answers.names):
            self.next = end
            return np.arange(begin, end)
        found = map(self.places.get, answers.names, repeat(-1))
        return np.fromiter(found, dtype=np.int64, count=len(answers.names))

    def counting(self, answers: Answers, rows: Integers) -> Flags:
        """Which answers count (a,): the first with known senses of each instance."""
        scored, filled = rows >= 0, answers.sizes > 0
        self._pass_unknown(answers, ~scored)
        self.passed.add("empty", answers, scored & ~filled)
        strange = self._strange(answers)
        self.passed.add("discarded", answers, scored & strange)
        able = scored & filled & ~strange
        first = self._first(rows, np.flatnonzero(able))
        self.passed.add("duplicate", answers, able & ~first)
        self.answered[rows[first]] = True
        return first

    def _pass_unknown(self, answers: Answers, unscored: Flags) -> None:
        unknown = np.zeros_like(unscored)
        for row in np.flatnonzero(unscored).tolist():
            unknown[row] = answers.names[row] not in self.left_out
        self.passed.add("unknown", answers, unknown)

    def _strange(self, answers: Answers) -> Flags:
        """Answers with an unknown sense (a,), where those are to be discarded."""
        strange = np.zeros(len(answers.names), dtype=bool)
        if self.known is not None:
            known = [tag in self.known for tag in answers.tags]
            answer_of = np.repeat(np.arange(len(strange)), answers.sizes)
            strange[answer_of[~np.array(known, dtype=bool)]] = True
        return strange

    def _first(self, rows: Integers, able: Integers) -> Flags:
        """The first answer of every instance among the `able` ones, as flags (a,)."""
        new = able[~self.answered[rows[able]]]
        # Written backwards, so that the first answer of each instance stays.
        self.first[rows[new[::-1]]] = new[::-1]
        first = np.zeros(len(rows), dtype=bool)
        first[self.first[rows[new]]] = True
        return first


def read_system(source: Source, options: Options, gold: SenseGold) -> Guesses:
    """Read answers and keep the first of each scored instance.

    Raises Refused with the lines of bad weights, of weights above 1 under the
    conjunctive policy, and of lines that are no answers.
    """
    findings = Findings(source.name)
    guesses = _gather(source, findings, AnswerPairing(gold, options))
    if options["policy"] == "conjunctive":
        _refuse_above_one(guesses, gold, findings)
    findings.problems.sort(key=lambda problem: problem.line or 0)
    findings.raise_if_any(Refused)
    return guesses


def _gather(source: Source, findings: Findings, pairing: AnswerPairing) -> Guesses:
    instance_of, lines = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    tags, weights = list[str](), [np.zeros(0)]
    for answers in sense_answers.read(source, findings, len(pairing.names)):
        rows = pairing.rows(answers)
        counting = pairing.counting(answers, rows)
        answer_of = np.repeat(np.arange(len(rows)), answers.sizes)
        which = counting[answer_of]
        answer_of = answer_of[which]
        instance_of.append(rows[answer_of])
        lines.append(answers.lines[answer_of])
        weights.append(answers.weights[which])
        tags += answers.tags if which.all() else compress(answers.tags, which.tolist())
    return Guesses(
        instance_of=np.concatenate(instance_of),
        lines=np.concatenate(lines),
        tags=tags,
        weights=np.concatenate(weights),
        remarks=pairing.passed.remarks(),
    )


def _refuse_above_one(guesses: Guesses, gold: SenseGold, findings: Findings) -> None:
    """Weights are probabilities of appearance, unless one is missing in the line."""
    missing = np.zeros(len(gold.key.names), dtype=bool)
    missing[guesses.instance_of[np.isnan(guesses.weights)]] = True
    above = (guesses.weights > 1) & ~missing[guesses.instance_of]
    for guess in np.flatnonzero(above).tolist():
        message = (
            f"weight {guesses.weights[guess]:g} of tag '{shown(guesses.tags[guess])}' "
            "is above 1; expected probabilities of appearance."
        )
        unit = shown(gold.key.names[guesses.instance_of[guess]])
        line = int(guesses.lines[guess])
        findings.add("weight_above_one", message, line=line, unit=unit)
