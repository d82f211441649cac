"""Texts of a few made-up sentences, one of them with two good answers."""

from scoring.source import Source
from tests.scoring.examples import Example

GOLD = """\
[D:log]
[S:1] {unl} agt(drift(icl>move), boat(icl>vessel).@pl) {/unl}
{en} Green boats drift past the quay. {/en}
{fr} Des bateaux verts passent. {/fr} [/S]
[S:2] {unl} 301400500.@plus {/unl}
{en} very calm {/en} {en} quite still {/en}
{fr} très calme {/fr} [/S]
[/D]
[D:song]
[S:3] {unl} 301400501 {/unl} {org:en} hm {/org} {fr} hum {/fr} [/S]
[/D]
"""
CAREFUL = """\
[S:1]
{en}
Green boats   drifted past a quay.
{/en}
{fr} Des bateaux verts passe\u0301rent. {/fr}
[/S]
[S:2] {en} quite stil {/en} {fr} tre\u0300s calme {/fr} [/S]
[S:3] {en} ham {/en} {fr} hum {/fr} [/S]
"""
HASTY = """\
[S:3] {en} hm {/en} {fr} {/fr} [/S]
[S:1] {en} boat(icl>vessel).@pl {/en} {fr} bateau vert [W] {/fr} [/S]
"""


def file(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


KEY = file("gold.unl", GOLD)
SYSTEMS = [file("careful.unl", CAREFUL), file("hasty.unl", HASTY)]

EXAMPLES = [Example(KEY, SYSTEMS), Example(KEY, SYSTEMS, {"language": ["fr"]})]
