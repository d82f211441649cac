"""The same file from two teams, and what the accounts behind it have in common."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.utils.translation import gettext as _

from leaderboard.submissions.models import Submission, SubmittedFile
from leaderboard.submissions.probing import team
from leaderboard.tasks.models import Participant, Phase, Task

MOST_LISTED = 10


@dataclass(frozen=True)
class SameFile:
    """Submissions of several teams with a file of the same bytes.

    `shared` are sentences on what their accounts share; `more` are not listed.
    """

    test_set: str
    submissions: Sequence[Submission]
    more: int
    shared: Sequence[str]


def same_files(phase: Phase) -> list[SameFile]:
    """Files that came from more than one team; three queries, baselines included."""
    related = "submission__participation__team"
    files = SubmittedFile.objects.filter(submission__phase=phase)
    by_bytes: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    for file in files.select_related(related, "test_set").order_by(
        "submission__received_at"
    ):
        found = by_bytes[file.test_set.title, file.sha256]
        if file.submission not in found[-1:]:  # of two runs one is enough
            found.append(file.submission)
    people = People(phase.task)
    return [
        SameFile(
            title,
            sent[:MOST_LISTED],
            max(0, len(sent) - MOST_LISTED),
            list(people.shared({team(one) for one in sent})),
        )
        for (title, _digest), sent in by_bytes.items()
        if len({team(one) for one in sent}) > 1
    ]


class People:
    """The accounts of a task by team entry, with their addresses, confirmed or not."""

    def __init__(self, task: Task) -> None:
        rows = Participant.objects.filter(task=task)
        self.people: Mapping[int, set[int]] = defaultdict(set)
        self.addresses: dict[int, set[str]] = defaultdict(set)
        for entry, person, address in rows.values_list(
            "participation", "user", "user__email"
        ):
            self.people[entry].add(person)
            self.addresses[person].add(address.lower())
        more = EmailAddress.objects.filter(user__participants__task=task)
        for person, address in more.values_list("user", "email"):
            self.addresses[person].add(address.lower())

    def shared(self, entries: set[int]) -> Iterator[str]:
        """What people of at least two of the teams have in common, in sentences."""
        plain = self._in_several(entries, _without_tag)
        if plain:
            said = _(
                "Addresses of people of these teams differ only in dots or a "
                "+tag, at %(domains)s."
            )
            yield said % {"domains": ", ".join(sorted(map(_domain, plain)))}
        for domain in sorted(self._in_several(entries, _domain)):
            said = _(
                "People of these teams have addresses at %(domain)s, as %(n)s of "
                "%(all)s people of this task have."
            )
            users = sum(
                any(_domain(one) == domain for one in own)
                for own in self.addresses.values()
            )
            yield said % {"domain": domain, "n": users, "all": len(self.addresses)}

    def _in_several(self, entries: set[int], of: Callable[[str], str]) -> set[str]:
        seen: Counter[str] = Counter()
        for entry in entries:
            seen.update(
                {
                    of(address)
                    for person in self.people[entry]
                    for address in self.addresses[person]
                }
            )
        return {found for found, teams in seen.items() if teams > 1}


def _domain(address: str) -> str:
    return address.rpartition("@")[2]


def _without_tag(address: str) -> str:
    name, _at, domain = address.rpartition("@")
    return f"{name.partition('+')[0].replace('.', '')}@{domain}"
