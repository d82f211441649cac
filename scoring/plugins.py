"""Plug-ins: scorers of other packages that are installed beside the engine.

A package names its scorers in the entry-point group `plumbline.scorers`; each entry
point is a Scorer or several. One that cannot be used is left out, with the reason, and
harms no other.
"""

import logging
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from scoring.scorer import Scorer

GROUP = "plumbline.scorers"
# A name stands in addresses.
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
LONGEST_FAULT = 300

log = logging.getLogger(__name__)
# Said by `list` at home, and by the log of a site; not on every other command.
log.addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Plugin:
    """An entry point with its scorers, or with the reason why it has none.

    `package` is its distribution and version, as in harbour-metric==1.0.
    """

    entry: str
    package: str
    scorers: tuple[Scorer, ...] = ()
    fault: str = ""

    def __str__(self) -> str:
        if self.fault:
            return f"{self.package} ({self.entry}): {self.fault}"
        return f"{self.package} ({', '.join(scorer.name for scorer in self.scorers)})"


def installed_plugins(taken: Container[str]) -> tuple[Plugin, ...]:
    """All plug-ins by package; `taken` are names that no plug-in can have."""
    entries = entry_points(group=GROUP)
    plugins = sorted(
        map(_load, entries), key=lambda plugin: (plugin.package, plugin.entry)
    )
    return tuple(_without_clashes(plugins, taken))


def _load(entry: EntryPoint) -> Plugin:
    distribution = entry.dist
    package = ""
    if distribution is not None:
        package = f"{distribution.name}=={distribution.version}"
    named = f"{entry.name} = {entry.value}"
    try:
        value = entry.load()
        scorers = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        fault = next(filter(None, map(_fault, scorers)), "")
        if not fault:
            # Of its own choice a scorer could claim to be another package's.
            scorers = tuple(replace(scorer, package=package) for scorer in scorers)
    except (Exception, SystemExit) as error:
        # Whatever a stranger's module does while it is imported.
        scorers, fault = (), f"{type(error).__name__}: {error}"
    if fault:
        log.error("plug-in %s (%s) is left out: %s", package, named, _cut(fault))
        return Plugin(named, package, fault=_cut(fault))
    return Plugin(named, package, scorers)


def _cut(fault: str) -> str:
    return " ".join(fault.split())[:LONGEST_FAULT]


def _fault(scorer: Any) -> str:
    """The reason why this value is no scorer that can be registered; empty for one that
    is."""
    if not isinstance(scorer, Scorer):
        return f"expected a Scorer or a tuple of them, found {type(scorer).__name__}"
    if not NAME.fullmatch(scorer.name):
        return f"a name is of small letters, digits and hyphens, not '{scorer.name}'"
    names = [measure.name for measure in scorer.measures(())]
    if scorer.headline not in names:
        return f"the headline '{scorer.headline}' of {scorer.name} is no measure of it"
    if len(set(names)) < len(names):
        return f"two measures of {scorer.name} have one name"
    if not scorer.units or not scorer.formats:
        return f"{scorer.name} names no units, or no format"
    return ""


def _without_clashes(
    plugins: Sequence[Plugin], taken: Container[str]
) -> Sequence[Plugin]:
    """Plug-ins without those of one name, which are all left out: which one scores must
    not be chance."""
    owners: dict[str, list[str]] = {}
    for plugin in plugins:
        for scorer in plugin.scorers:
            owners.setdefault(scorer.name, []).append(plugin.package)
    checked = []
    for plugin in plugins:
        faults = []
        for scorer in plugin.scorers:
            if scorer.name in taken:
                faults.append(f"the engine has a scorer called {scorer.name}")
            elif len(owners[scorer.name]) > 1:
                both = " and ".join(owners[scorer.name])
                faults.append(f"two scorers are called {scorer.name}, of {both}")
        if faults:
            log.error("plug-in %s is left out: %s", plugin.package, faults[0])
            plugin = replace(plugin, scorers=(), fault="; ".join(faults))
        checked.append(plugin)
    return checked
