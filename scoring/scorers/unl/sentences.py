"""Sentences right or wrong: precision, recall and F in both directions of UNL."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from scoring.answered import Answered
from scoring.counts import Counts, Flags, Floats
from scoring.errors import Refused, SetupError
from scoring.measures import f1_measure, f1_or_zero, ratio_or_zero, share_measure
from scoring.messages import _
from scoring.options import Option, Options
from scoring.scorers.unl import reader
from scoring.scorers.unl.reader import Sentences, UnlBlock
from scoring.source import Source, brief

LANGUAGE = Option("language", "language of the texts, as in {en}", "text", "en")
MOST_NAMED = 5
KINDS = ("returned", "correct", "missing", "exceeding")


@dataclass(frozen=True)
class UnlGold:
    """Sentences of the gold, or of the published file, which has nothing else."""

    sentences: Sentences


class SentenceVerdict(Protocol):
    """Verdict on a gold sentence; `why` says why it is not returned."""

    @property
    def why(self) -> str: ...
    @property
    def correct(self) -> bool: ...


ACCURACY = (
    share_measure(
        "precision",
        "Precision",
        ("correct", "returned"),
        _("correct sentences / returned sentences, 0 where none is returned"),
        ratio_or_zero,
    ),
    share_measure(
        "recall",
        "Recall",
        ("correct", "expected"),
        _("correct sentences / expected sentences"),
    ),
    f1_measure(
        "f1",
        "F",
        ("correct", "returned", "expected"),
        _("2 × precision × recall / (precision + recall), 0 where both are 0"),
        f1_or_zero,
    ),
)


def read_blind(source: Source, _options: Options) -> UnlGold:
    return UnlGold(reader.read(source, SetupError))


def read_system(source: Source, _options: Options, gold: UnlGold) -> Sentences:
    """A system's sentences by id. Raises Refused for a broken frame, an unknown or a
    repeated id."""
    return reader.read(source, Refused, gold.sentences)


def blind_of(kept: Callable[[UnlBlock], bool]) -> Callable[[Source, Options], Source]:
    """The gold document with those blocks only that are `kept`."""

    def blind(source: Source, _options: Options) -> Source:
        text = reader.write(reader.read(source, SetupError), kept)
        return Source.of_bytes(source.name, text.encode())

    return blind


def language_of(options: Options) -> str:
    return str(options["language"]).lower()


def counts_of(
    gold: UnlGold, verdicts: Sequence[SentenceVerdict], more: Mapping[str, Floats]
) -> Counts:
    """Counts with one row per gold sentence; [D:...] groups them into documents."""
    items = {
        "correct": np.array([verdict.correct for verdict in verdicts], dtype=float),
        "returned": np.array([not verdict.why for verdict in verdicts], dtype=float),
        **more,
    }
    documents = tuple(sentence.document for sentence in gold.sentences.values())
    rows = np.arange(len(documents), dtype=np.int64)
    units = tuple(gold.sentences)
    return Counts.per_unit(units, rows, items, {"document": documents})


def not_returned(verdicts: Iterable[tuple[str, SentenceVerdict]]) -> list[str]:
    """One remark for every kind of reason, with the first sentences it holds for."""
    by_kind: dict[str, list[str]] = {}
    for name, verdict in verdicts:
        if verdict.why:
            by_kind.setdefault(verdict.why.partition(":")[0], []).append(name)
    return [
        f"not returned, {kind}: {len(names)} of the sentences ({first(names)})"
        for kind, names in by_kind.items()
    ]


def of_sentences(
    asked: UnlGold, texts: Mapping[str, str], system: Sentences, wanted: str
) -> Answered:
    """How the sentences are answered by texts of the blocks `wanted`; some may be
    empty or lacking."""
    met = [" ".join(texts[name].split()) for name in asked.sentences if name in texts]
    answered = Answered.of_texts(met, units="sentences")
    others = (block.name for sentence in system.values() for block in sentence.blocks)
    other = next((name for name in others if name != wanted), "")
    instead = (f"{{{other}}}", f"{{{wanted}}}") if other else None
    return replace(answered, asked=len(asked.sentences), instead=instead)


def first(names: Sequence[str]) -> str:
    some = ", ".join(map(brief, names[:MOST_NAMED]))
    return some + ", ..." * (len(names) > MOST_NAMED)


def kinds_of(verdict: SentenceVerdict) -> tuple[str, ...]:
    """Kinds of errors of a sentence as a whole, for the error browser."""
    if verdict.why:
        return ("returned",)
    return ("correct",) * (not verdict.correct)


def flags_of(items: Sequence[tuple[str, ...]]) -> dict[str, Flags]:
    """Flags (items,) of each kind of error; kinds that no item has are left out."""
    flags = {kind: np.array([kind in kinds for kinds in items], bool) for kind in KINDS}
    return {k: some for k, some in flags.items() if some.any() or k in KINDS[:2]}
