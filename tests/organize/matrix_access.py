"""Classes of access: who of the cast is let in, and what the others get instead.

It is written down from what is promised and asks nothing of `tasks.policy`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from leaderboard.tasks.policy import Power

ALL = frozenset(Power)
MINE = {
    "reviewer": frozenset({Power.SEE}),
    "editor": ALL - {Power.OWN},
    "owner": ALL,
}


@dataclass(frozen=True)
class Target:
    """What is asked for: an address, its task, and who sent the submission, if one.

    `exists` is false where the parts of the address belong to different tasks.
    """

    address: str
    slug: str = ""
    sender: str = ""
    exists: bool = True


def powers(role: str, slug: str) -> frozenset[Power]:
    if role == "administrator":
        return ALL
    if role == "foreign":
        return ALL if slug != "otters" else frozenset()
    return MINE.get(role, frozenset()) if slug == "otters" else frozenset()


def visible(role: str, slug: str) -> bool:
    return slug != "newts" or bool(powers(role, slug))


def entered(role: str, slug: str) -> bool:
    return slug == "otters" and role in ("participant", "rival")


def sent(role: str, target: Target) -> bool:
    return target.slug == "otters" and role == target.sender


def sees(role: str, target: Target) -> bool:
    return sent(role, target) or Power.SEE in powers(role, target.slug)


def speaks(role: str, target: Target) -> bool:
    if target.sender == "baseline":
        return Power.EDIT in powers(role, target.slug)
    return sent(role, target)


@dataclass(frozen=True)
class Access:
    """Whom a page lets in; others get what `otherwise` says.

    With `login` the anonymous are sent to sign in, whatever they asked for. With
    "join" for `otherwise` those who see the task are sent to where they can join it.
    """

    allows: Callable[[str, Target], bool]
    login: bool = False
    otherwise: str = "404"

    def lets_in(self, role: str, target: Target) -> bool:
        if self.login and role == "anonymous":
            return False
        return target.exists and self.allows(role, target)

    def instead(self, role: str, target: Target) -> str:
        """What those get who are not let in."""
        if self.login and role == "anonymous":
            return "login"
        if self.otherwise == "join" and not visible(role, target.slug):
            return "404"
        return self.otherwise


def needs(power: Power, login: bool = False) -> Access:
    return Access(lambda role, asked: power in powers(role, asked.slug), login)


PUBLIC = Access(lambda role, asked: True)
SIGNED_IN = Access(lambda role, asked: True, login=True)
TASK = Access(lambda role, asked: visible(role, asked.slug))
TASK_SIGNED_IN = Access(lambda role, asked: visible(role, asked.slug), login=True)
ENTERED = Access(lambda role, asked: entered(role, asked.slug), True, "join")
ENTERED_API = Access(lambda role, asked: entered(role, asked.slug), login=True)
# Of the submission named by the address:
TEAM = Access(sees, login=True)
SPEAKS = Access(speaks, login=True)
ON_BOARD = Access(lambda role, asked: visible(role, asked.slug) or sees(role, asked))
SEE, EDIT, PEOPLE, OWN = map(needs, Power)
EDIT_API = needs(Power.EDIT, login=True)
SEE_SIGNED_IN = needs(Power.SEE, login=True)
OPERATORS = Access(lambda role, asked: role == "administrator", True, "login")
HOLDER = Access(lambda role, asked: role == "participant", login=True)
MEMBER = Access(lambda role, asked: role == "participant", login=True)
INVITED = Access(lambda role, asked: role == "stranger")
