"""Rules of access: whom of the cast each mark lets in, and what the others get instead.

They are written down from what is promised and ask nothing of `tasks.policy`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from leaderboard.api.tokens import OWN_TOKEN
from leaderboard.operations import creation_requests
from leaderboard.operations.views import MONITORS, STAFF
from leaderboard.submissions.access import ON_BOARD, OWN_SUBMISSION, SUBMISSION
from leaderboard.tasks import access
from leaderboard.tasks.policy import Power
from leaderboard.teams.views import MEMBER
from leaderboard.web.access import ANYBODY, LINK, Access

ALL = frozenset(Power)
MINE = {
    "reviewer": frozenset({Power.SEE}),
    "editor": ALL - {Power.OWN},
    "owner": ALL,
}


@dataclass(frozen=True)
class Target:
    """Target of a request: an address, its task, and who sent the submission, if one.

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
class Rule:
    """Whom the views under a mark let in; others get what `otherwise` says.

    Where the mark asks for a person the anonymous are sent to sign in, whatever they
    asked for. With "join" for `otherwise` those who see the task are sent to where they
    can join it.
    """

    mark: Access
    allows: Callable[[str, Target], bool]
    otherwise: str = "404"

    def lets_in(self, role: str, target: Target) -> bool:
        if self.login and role == "anonymous":
            return False
        return target.exists and self.allows(role, target)

    def instead(self, role: str, target: Target) -> str:
        """The answer to those who are not let in."""
        if self.login and role == "anonymous":
            return "login"
        if self.otherwise == "join" and not visible(role, target.slug):
            return "404"
        return self.otherwise

    @property
    def login(self) -> bool:
        return self.mark.gate not in (None, MONITORS.gate)

    @property
    def signed_in(self) -> "Rule":
        return replace(self, mark=self.mark.signed_in)


def needs(mark: Access, power: Power) -> Rule:
    return Rule(mark, lambda role, asked: power in powers(role, asked.slug))


def everybody(role: str, asked: Target) -> bool:
    return True


def sees_task(role: str, asked: Target) -> bool:
    return visible(role, asked.slug)


def enters(role: str, asked: Target) -> bool:
    return entered(role, asked.slug)


def holds(role: str, asked: Target) -> bool:
    return role == "participant"


PUBLIC = Rule(ANYBODY, everybody)
LINKED = Rule(LINK, everybody)
MONITORED = Rule(MONITORS, everybody)  # from this machine, as the test is
TASK = Rule(access.TASK, sees_task)
SEE = needs(access.SEE, Power.SEE)
EDIT = needs(access.EDIT, Power.EDIT)
PEOPLE = needs(access.PEOPLE, Power.PEOPLE)
OWN = needs(access.OWN, Power.OWN)
# Of the submission named by the address:
TEAM = Rule(SUBMISSION, sees)
SPEAKS = Rule(OWN_SUBMISSION, speaks)
ON_A_BOARD = Rule(ON_BOARD, lambda role, to: visible(role, to.slug) or sees(role, to))
MEMBERS = Rule(MEMBER, holds)
OPERATORS = Rule(STAFF, lambda role, asked: role == "administrator", "login")
ADMINISTRATORS = Rule(creation_requests.ADMINISTRATORS, OPERATORS.allows, "login")
TOKEN = Rule(OWN_TOKEN, holds)
BY_MARK = (
    *(PUBLIC, PUBLIC.signed_in, LINKED, LINKED.signed_in, MONITORED, OPERATORS),
    ADMINISTRATORS,
    *(TASK, TASK.signed_in, SEE, EDIT, EDIT.signed_in, PEOPLE, OWN),
    *(TEAM, SPEAKS, ON_A_BOARD, MEMBERS, TOKEN),
)
# Views that say no to more people than their marks do:
ENTERED = Rule(access.TASK.signed_in, enters, "join")
ENTERED_API = Rule(access.TASK.signed_in, enters)
INVITED = Rule(LINK.signed_in, lambda role, asked: role == "stranger")
