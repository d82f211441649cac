"""Dependency trees on the words of a CoNLL-U file, paired by position."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Integers
from scoring.errors import Findings, Refused, ScoringError, SetupError
from scoring.formats import conllu
from scoring.formats.conllu import DEPREL, FORM, HEAD, ID, NOT_A_NUMBER, Table
from scoring.source import Source


@dataclass(frozen=True)
class Trees:
    """The `n` words of a file; multiword ranges and empty nodes are left out.

    `heads` (n,) are positions in the sentence, 0 the root, NOT_A_NUMBER in a blind
    file; `sizes` (sentences,) are words per sentence; `lines` (n,) count from 1.
    """

    name: str
    table: Table
    forms: list[str]
    heads: Integers
    relations: list[str]
    sentence_of: Integers
    lines: Integers

    @cached_property
    def sizes(self) -> Integers:
        return np.bincount(self.sentence_of, minlength=self.table.sentences)

    @cached_property
    def first(self) -> Integers:
        """Row of each sentence's first word."""
        return np.concatenate(([0], np.cumsum(self.sizes)[:-1]))

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.sentence_names


def read(source: Source, kind: type[ScoringError], single_root: bool = False) -> Trees:
    """Read words with heads.

    Raises `kind` for IDs that do not count 1, 2, 3, ..., a HEAD that is no number or
    outside its sentence, and, with `single_root`, a sentence without exactly one root.
    """
    trees = _words(source, kind)
    findings = Findings(source.name)
    _check_ids(trees, findings)
    _check_heads(trees, findings)
    if single_root:
        _check_roots(trees, findings)
    findings.raise_if_any(kind)
    return trees


def read_blind(source: Source) -> Trees:
    """Read words whose heads and relations are hidden.

    Raises SetupError.
    """
    trees = _words(source, SetupError)
    findings = Findings(source.name)
    _check_ids(trees, findings)
    findings.raise_if_any(SetupError)
    return trees


def _words(source: Source, kind: type[ScoringError]) -> Trees:
    table = conllu.read(source.name, source.single(), kind)
    rows = table.words
    return Trees(
        name=source.name,
        table=table,
        forms=table.texts(FORM, rows),
        heads=table.numbers(HEAD)[rows],
        relations=table.texts(DEPREL, rows),
        sentence_of=table.sentence_of[rows],
        lines=table.lines[rows],
    )


def _check_ids(trees: Trees, findings: Findings) -> None:
    ids = trees.table.numbers(ID)[trees.table.words]
    expected = np.arange(len(ids)) - trees.first[trees.sentence_of] + 1
    for row in np.flatnonzero(ids != expected):
        message = f"word ID {ids[row]} where {expected[row]} was expected."
        findings.add("word_id", message, line=int(trees.lines[row]))


def _check_heads(trees: Trees, findings: Findings) -> None:
    sizes = trees.sizes[trees.sentence_of]
    wrong = np.flatnonzero((trees.heads == NOT_A_NUMBER) | (trees.heads > sizes))
    if not len(wrong):
        return
    written = trees.table.texts(HEAD, trees.table.words[wrong])
    for row, text in zip(wrong, written, strict=True):
        message = f"HEAD is '{text[:40]}'; expected a number from 0 to {sizes[row]}."
        findings.add("head", message, line=int(trees.lines[row]), unit=_at(trees, row))


def _check_roots(trees: Trees, findings: Findings) -> None:
    roots = np.bincount(
        trees.sentence_of[trees.heads == 0], minlength=trees.table.sentences
    )
    for sentence in np.flatnonzero(roots != 1):
        line = int(trees.lines[trees.first[sentence]])
        message = f"the sentence has {roots[sentence]} roots; this task expects one."
        findings.add("roots", message, line=line, unit=trees.names[sentence])


def _at(trees: Trees, row: int) -> str:
    return trees.names[int(trees.sentence_of[row])]


def pair(trees: Trees, gold: Trees) -> None:
    """Check that both have the same words in the same sentences.

    Raises Refused with the line of the first difference. What was expected is named
    only in forms, which the blind file shows too.
    """
    if trees.forms == gold.forms and np.array_equal(trees.sizes, gold.sizes):
        return
    findings = Findings(trees.name)
    shared = min(len(trees.sizes), len(gold.sizes))
    for sentence in range(shared):
        if _compare_sentence(trees, gold, sentence, findings):
            findings.raise_if_any(Refused)
    message = (
        f"{len(trees.sizes)} sentences found, {len(gold.sizes)} expected; "
        f"the first {shared} agree."
    )
    findings.add("sentences", message, line=int(trees.lines[-1]))
    findings.raise_if_any(Refused)


def _compare_sentence(
    trees: Trees, gold: Trees, sentence: int, findings: Findings
) -> bool:
    """Report the first difference in a sentence; True if there was one."""
    start, begin = int(trees.first[sentence]), int(gold.first[sentence])
    size, wanted = int(trees.sizes[sentence]), int(gold.sizes[sentence])
    unit = gold.names[sentence]
    for i in range(min(size, wanted)):
        found, expected = trees.forms[start + i], gold.forms[begin + i]
        if found != expected:
            message = f"word {i + 1} is '{found[:60]}'; expected '{expected[:60]}'."
            findings.add("form", message, line=int(trees.lines[start + i]), unit=unit)
            return True
    if size != wanted:
        line = int(trees.lines[start + min(size, wanted) - 1]) if size else 1
        message = f"the sentence has {size} words; expected {wanted}."
        findings.add("words", message, line=line, unit=unit)
    return size != wanted
