"""Graphs of a few made-up sentences: relations, scopes, single UWs."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
[D:log]
[P:1]
[S:1]
{org:en}
Green boats drift.
{/org}
{unl}
agt(drift(icl>move).@entry, boat(icl>vessel).@pl)
mod(boat(icl>vessel).@pl, green(icl>colour))
{/unl}
[/S]
[S:2]
{org:en}
boats with or without oars
{/org}
{unl}
mod(boat(icl>vessel).@pl, :01.@with)
or:01(oar(icl>tool):01.@pl, oar(icl>tool):02.@pl.@not)
{/unl}
[/S]
[/P]
[/D]
[D:song]
[S:7] {org:en} very calm {/org} {unl} [W] calm(icl>still).@plus [/W] {/unl} [/S]
[S:8] {org:en} 12 of the "Merry Gulls" {/org}
{unl} qua("Merry Gulls".@def, 12) nam("Merry Gulls".@def, crew) {/unl} [/S]
[/D]
"""
CAREFUL = (
    GOLD.replace(".@pl, green", ".@pl.@def, green")
    .replace("@with)", "@without)")
    .replace(".@plus", "")
    .replace("qua(", "qua:03(")
)
HASTY = """\
[S:1] {unl} agt(drift(icl>move), boot) {/unl} [/S]
[S:8] {unl} qua("Merry Gulls", {/unl} {en} twelve gulls {/en} [/S]
[S:2] {unl} 100200300 {/unl} [/S]
"""


def file(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


KEY = file("gold.unl", GOLD)
SYSTEMS = [file("careful.unl", CAREFUL), file("hasty.unl", HASTY)]
WORDS = [file("words.txt", "boot\n\nquay\n")]

EXAMPLES = [
    Example(KEY, SYSTEMS),
    Example(
        KEY,
        SYSTEMS,
        {"uw_list": WORDS, "ignored_attributes": ["@pl,@not"], "language": ["en"]},
    ),
]
