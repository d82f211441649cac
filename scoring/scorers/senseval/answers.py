"""Key and answers of word senses: filters, sense map, the answers that count."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, repeat

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.errors import Findings, Problem, Refused, SetupError
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorers.senseval import reader, sense_answers
from scoring.scorers.senseval.reader import Key, SenseMap, brief
from scoring.scorers.senseval.sense_answers import SenseAnswers
from scoring.source import Source

MESSAGES = Messages(
    sense_map=_("%(grain)s grain needs a sense map (option sensemap)."),
    none_is_known=_(
        "no line answers an instance of this test set: '%(found)s', where the "
        "test set has '%(expected)s'."
    ),
    no_lexelt=_(
        "the lines begin with the instance, without a lexelt: '%(found)s', where "
        "the test set has '%(expected)s'."
    ),
    write_lexelt=_("Write lexelt, instance and the senses, with spaces."),
    copy_instance=_(
        "Copy lexelt and instance from the input file, character by character."
    ),
    bare=_("Write the instance as in the input file, then its senses."),
    comments_only=_("the file holds no answer, only comments"),
    number=_(
        "'%(tag)s' is read as a sense; a weight is written with a slash, as in "
        "bank:1/0.7."
    ),
    sign=_("'%(tag)s' is read as a sense; several are separated by spaces."),
    joined=_("'%(tag)s' is read as one sense; several are separated by spaces."),
    above_one=_(
        "weight %(weight)s of tag '%(tag)s' is above 1; expected "
        "probabilities of appearance."
    ),
)

SHOWN = 5


@dataclass(frozen=True)
class SenseGold:
    """Key that is scored, with its sense map.

    `key` holds the instances that every filter leaves; `left_out` names those of the
    file that are not among them; `notes` are for whoever set the task up.
    """

    key: Key
    left_out: frozenset[str]
    senses: SenseMap | None
    notes: tuple[str, ...]


def read_gold(source: Source, options: Options) -> SenseGold:
    """Key, filtered by instances, then by senses, then to single senses (`minimal`).

    Raises SetupError for a bad key, map or filter, and for coarse or mixed grain
    without a sense map (SCORING.md, `senseval`).
    """
    whole = reader.read_key(source)
    key, unmatched = _filter(whole, options)
    if options["senses"] is not None:
        listed = reader.read_senses(options["senses"])
        key = key.keep_tags(np.array([tag in listed for tag in key.tags], dtype=bool))
    if options["minimal"]:
        key = key.keep(key.sizes == 1)
    senses = read_senses(options)
    notes = unmatched + _notes(key, senses, options)
    return SenseGold(key, _left_out(whole, key), senses, tuple(notes))


def read_blind(source: Source, options: Options) -> SenseGold:
    """Instances without their senses.

    The filters that look at senses cannot be seen from here, so more instances may
    stand in it than are scored. Raises SetupError as `read_gold` does.
    """
    whole = reader.read_instances(source)
    key, _ = _filter(whole, options)
    return SenseGold(key, _left_out(whole, key), read_senses(options), ())


def blind(gold: Source, options: Options) -> Source:
    """The published file: `lexelt instance` of all that the instance filter leaves, or
    the instances alone, as the key has them.

    The sense filter and `minimal` do not show in it: which instances they leave says
    something about the key.
    """
    key, _ = _filter(reader.read_key(gold), options)
    text = "".join(f"{name}\n" for name in key.names)
    return Source.of_bytes(gold.name, text.encode())


def read_senses(options: Options) -> SenseMap | None:
    """The sense map of the task. Raises SetupError for a bad one, or none where the
    granularity needs it."""
    source = options["sensemap"]
    if source is not None:
        return reader.read_sense_map(source)
    if options["granularity"] != "fine":
        message = MESSAGES("sense_map", grain=options["granularity"])
        raise SetupError(Problem("sensemap", message))
    return None


def _left_out(whole: Key, key: Key) -> frozenset[str]:
    if len(whole.names) == len(key.names):
        return frozenset()
    return frozenset(whole.names) - frozenset(key.names)


def _filter(key: Key, options: Options) -> tuple[Key, list[str]]:
    """The instances on the filter list, and a note on entries that name none."""
    if options["instances"] is None:
        return key, []
    entries = reader.read_instance_list(options["instances"])
    ids = [name.rpartition(" ")[2] for name in key.names]
    listed = [
        name in entries or alone in entries
        for name, alone in zip(key.names, ids, strict=True)
    ]
    unmatched = entries - set(key.names) - set(ids)
    return key.keep(np.array(listed, dtype=bool)), note(
        unmatched, "on the instance filter but not in the key"
    )


def _notes(key: Key, senses: SenseMap | None, options: Options) -> list[str]:
    if senses is not None:
        outside = set(key.tags) - senses.known
        return note(outside, "in the key but not in the sense map")
    if options["unknown_senses"] == "discard":
        return ["without a sense map no sense is unknown: nothing is discarded"]
    return []


def note(items: Iterable[str], what: str) -> list[str]:
    """One remark with the number of items and the first of them; none for none."""
    names = sorted(items)
    if not names:
        return []
    named = ", ".join(reader.brief(item) for item in names[:SHOWN])
    more = ", …" if len(names) > SHOWN else ""
    return [f"{len(names)} {what}: {named}{more}"]


WHY_NOT = {
    "unknown": "for an instance that does not exist",
    "empty": "without a tag (not attempted)",
    "discarded": "with an unknown sense (not attempted)",
    "strange": "with a sense that is not in the sense map",
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


class UncountedAnswers:
    """Answers that do not count, or can't be right, by reason: how many, and the first
    few by name."""

    def __init__(self) -> None:
        self.sizes = dict.fromkeys(WHY_NOT, 0)
        self.named: dict[str, list[str]] = {why: [] for why in WHY_NOT}

    def add(self, why: str, answers: SenseAnswers, which: Flags) -> None:
        rows = np.flatnonzero(which).tolist()
        self.sizes[why] += len(rows)
        for row in rows[: SHOWN - len(self.named[why])]:
            text = f"{brief(answers.names[row])} (line {answers.lines[row]})"
            self.named[why].append(text)

    def remarks(self) -> list[str]:
        remarks = []
        for why, size in self.sizes.items():
            if size:
                named = ", ".join(self.named[why]) + (", …" if size > SHOWN else "")
                noun = "answer" if size == 1 else "answers"
                remarks.append(f"{size} {noun} {WHY_NOT[why]}: {named}")
        return remarks


class AnswerPairing:
    """Finds the answers that count, block after block of one file."""

    def __init__(self, gold: SenseGold, options: Options) -> None:
        self.names, self.bare = gold.key.names, gold.key.bare
        self.next = 0
        self.left_out = gold.left_out
        self.answered = np.zeros(len(self.names), dtype=bool)
        self.first = np.zeros(len(self.names), dtype=np.int64)
        self.passed = UncountedAnswers()
        self.discards = options["unknown_senses"] == "discard"
        self.known = gold.senses.known if gold.senses else None

    def told(self, first: str) -> tuple[str, str, str]:
        """The code, what to say and what helps, where no answer is for an instance."""
        about = {"found": brief(first), "expected": brief(self.names[0])}
        lacks = any(name.endswith(f" {first.split()[0]}") for name in self.names)
        hint = "write_lexelt" if lacks else "copy_instance"
        message = MESSAGES("no_lexelt" if lacks else "none_is_known", **about)
        code = "no_lexelt" if lacks else "unknown_id"
        return code, message, MESSAGES("bare" if self.bare else hint)

    @cached_property
    def places(self) -> dict[str, int]:
        return dict(zip(self.names, range(len(self.names)), strict=True))

    def rows(self, answers: SenseAnswers) -> Integers:
        """The row in the key of every answer (a,), -1 for one that is not scored."""
        begin, end = self.next, self.next + len(answers.names)
        # Most files keep to the order of the key, so that nobody needs to look.
        if self.names[begin:end] == tuple(answers.names):
            self.next = end
            return np.arange(begin, end)
        places = map(self.places.get, answers.names, repeat(-1))
        return np.fromiter(places, dtype=np.int64, count=len(answers.names))

    def counting(self, answers: SenseAnswers, rows: Integers) -> Flags:
        """Flags (a,) of the first answers of each instance that have known senses."""
        scored, filled = rows >= 0, answers.sizes > 0
        self._pass_unknown(answers, ~scored)
        self.passed.add("empty", answers, scored & ~filled)
        strange = self._strange(answers)
        able = scored & filled
        if self.discards:
            self.passed.add("discarded", answers, scored & strange)
            able &= ~strange
        first = self._first(rows, np.flatnonzero(able))
        self.passed.add("duplicate", answers, able & ~first)
        self.passed.add("strange", answers, first & strange)
        self.answered[rows[first]] = True
        return first

    def _pass_unknown(self, answers: SenseAnswers, unscored: Flags) -> None:
        unknown = np.zeros_like(unscored)
        for row in np.flatnonzero(unscored).tolist():
            unknown[row] = answers.names[row] not in self.left_out
        self.passed.add("unknown", answers, unknown)

    def _strange(self, answers: SenseAnswers) -> Flags:
        """Answers with a sense that is not in the map (a,), where there is one."""
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
    count, first = 0, ""
    for answers in sense_answers.read(
        source, findings, len(pairing.names), bare=pairing.bare
    ):
        count += len(answers.names)
        first = first or next(iter(answers.names), "")
        rows = pairing.rows(answers)
        counting = pairing.counting(answers, rows)
        answer_of = np.repeat(np.arange(len(rows)), answers.sizes)
        which = counting[answer_of]
        answer_of = answer_of[which]
        instance_of.append(rows[answer_of])
        lines.append(answers.lines[answer_of])
        weights.append(answers.weights[which])
        tags += answers.tags if which.all() else compress(answers.tags, which.tolist())
    if not (count or findings.problems):
        message = MESSAGES("comments_only")
        findings.add("empty_file", message)
    if count and count == pairing.passed.sizes["unknown"] and pairing.names:
        code, message, hint = pairing.told(first)
        findings.add(code, message, hint=hint)
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
        message = MESSAGES(
            "above_one",
            weight=f"{guesses.weights[guess]:g}",
            tag=brief(guesses.tags[guess]),
        )
        unit = brief(gold.key.names[guesses.instance_of[guess]])
        line = int(guesses.lines[guess])
        findings.add("weight_above_one", message, line=line, unit=unit)
