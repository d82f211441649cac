"""The side an answer file is held against: key or blind file, filters, sense map."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from scoring.errors import Problem, SetupError
from scoring.formats import sense_map, senseval
from scoring.formats.sense_map import SenseMap
from scoring.formats.senseval import Key
from scoring.options import Options
from scoring.source import Source

SHOWN = 5


@dataclass(frozen=True)
class SenseGold:
    """What is scored.

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
    whole = senseval.read_key(source)
    key, unmatched = _filtered(whole, options)
    if options["senses"] is not None:
        listed = senseval.read_senses(options["senses"])
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
    whole = senseval.read_instances(source)
    key, _ = _filtered(whole, options)
    return SenseGold(key, _left_out(whole, key), read_senses(options), ())


def blind(gold: Source, options: Options) -> Source:
    """The published file: `lexelt instance` of all that the instance filter leaves.

    The sense filter and `minimal` do not show in it: which instances they leave says
    something about the key.
    """
    key, _ = _filtered(senseval.read_key(gold), options)
    text = "".join(f"{name}\n" for name in key.names)
    return Source.of_bytes(gold.name, text.encode())


def read_senses(options: Options) -> SenseMap | None:
    """The sense map of the task.

    Raises SetupError for a bad one, or none where the granularity needs it.
    """
    source = options["sensemap"]
    if source is not None:
        return sense_map.read(source)
    if options["granularity"] != "fine":
        message = f"{options['granularity']} grain needs a sense map (option sensemap)."
        raise SetupError(Problem("sensemap", message))
    return None


def _left_out(whole: Key, key: Key) -> frozenset[str]:
    if len(whole.names) == len(key.names):
        return frozenset()
    return frozenset(whole.names) - frozenset(key.names)


def _filtered(key: Key, options: Options) -> tuple[Key, list[str]]:
    """The instances on the filter list, and a note on entries that name none."""
    if options["instances"] is None:
        return key, []
    entries = senseval.read_instance_list(options["instances"])
    ids = [name.partition(" ")[2] for name in key.names]
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
    found = sorted(items)
    if not found:
        return []
    named = ", ".join(senseval.shown(item) for item in found[:SHOWN])
    more = ", …" if len(found) > SHOWN else ""
    return [f"{len(found)} {what}: {named}{more}"]
