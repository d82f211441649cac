"""Submissions of a phase that are alike: in next to all counts, or byte for byte.

Per unit a submission has a row of counts; a number that is the same for equal rows
stands for it here, so that comparing two submissions is comparing two rows of a
matrix.
"""

import hashlib
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from allauth.account.models import EmailAddress
from django.utils.translation import gettext as _

from leaderboard.submissions import scores
from leaderboard.submissions.models import (
    Evaluation,
    StoredCounts,
    Submission,
    SubmittedFile,
)
from leaderboard.tasks.models import Participant, Phase, Task

ALIKE = 0.01  # of the units; fewer that differ are worth a look
NEIGHBOURS = 40  # of one submission that are looked at per block
MOST_PAIRS = 60_000
BURST_GAP = timedelta(hours=1)
BURST_LENGTH = 3
SAMPLED = 2000

Codes = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Alike:
    """The two submissions of a team, or of two teams, that differ least.

    `units` of `of` differ; `more` further pairs of the same teams are alike too.
    """

    first: Submission
    second: Submission
    units: int
    of: int
    more: int

    @property
    def across(self) -> bool:
        return team(self.first) != team(self.second)


@dataclass(frozen=True)
class Burst:
    """Submissions of one team, soon after each other, each changing few units."""

    submissions: Sequence[Submission]
    least: int
    most: int
    of: int

    @property
    def minutes(self) -> int:
        first, last = self.submissions[0], self.submissions[-1]
        return round((last.received_at - first.received_at).total_seconds() / 60)


@dataclass(frozen=True)
class Likeness:
    """What comparing a phase's submissions found, and how much of it was looked at.

    `usual` is the median share of units in which two teams' submissions differ, None
    where there are no two teams. `skipped`: not all pairs were compared.
    """

    looked_at: int
    across: Sequence[Alike]
    within: Sequence[Alike]
    bursts: Sequence[Burst]
    usual: float | None
    skipped: bool


def team(submission: Submission) -> int:
    """Merged teams are one."""
    return scores.team_of(submission.participation)


def likeness(phase: Phase) -> Likeness:
    """Compare everything scored of a phase, whatever became of it later.

    Two queries. Only submissions to the same test sets are compared.
    """
    groups = list(_groups(phase))
    found = [_compared(group) for group in groups]
    alike = [pair for pairs, _ in found for pair in pairs]
    usual = [share for group in groups if (share := group.usual()) is not None]
    return Likeness(
        looked_at=sum(len(group.submissions) for group in groups),
        across=sorted((p for p in alike if p.across), key=_closeness),
        within=sorted((p for p in alike if not p.across), key=_closeness),
        bursts=[burst for group in groups for burst in _bursts(group)],
        usual=usual[0] if usual else None,
        skipped=any(skipped for _, skipped in found),
    )


def _closeness(pair: Alike) -> tuple[float, int]:
    return pair.units / pair.of, -pair.more


@dataclass(frozen=True)
class _Group:
    """Submissions to the same test sets in order of receipt; `codes` (them, units)."""

    submissions: Sequence[Submission]
    codes: Codes

    @property
    def teams(self) -> Indices:
        return np.array([team(one) for one in self.submissions], dtype=np.int64)

    @property
    def units(self) -> int:
        return int(self.codes.shape[1])

    @property
    def most(self) -> int:
        """The most units that may differ between two that are alike."""
        return max(0, int(np.ceil(ALIKE * self.units)) - 1)

    def differing(self, first: Indices, second: Indices) -> Indices:
        """In how many units the pairs differ; in pieces, for the sake of memory."""
        pieces = np.array_split(np.arange(len(first)), len(first) // 500 + 1)
        found = [
            (self.codes[first[piece]] != self.codes[second[piece]]).sum(axis=1)
            for piece in pieces
        ]
        return np.concatenate(found).astype(np.int64)

    def usual(self) -> float | None:
        random, size = np.random.default_rng(0), len(self.submissions)
        draw = random.integers(size, size=(2, SAMPLED))
        first, second = draw[:, self.teams[draw[0]] != self.teams[draw[1]]]
        if not len(first):
            return None
        return float(np.median(self.differing(first, second))) / self.units


def _groups(phase: Phase) -> Iterator[_Group]:
    """The largest first."""
    evaluations = scores.history(phase)
    codes = _codes(evaluations)
    alike: dict[tuple[tuple[int, int], ...], list[Evaluation]] = {}
    for evaluation in evaluations:
        own = codes.get(evaluation.pk, {})
        shape = tuple(sorted((key, len(code)) for key, code in own.items()))
        if any(units for _, units in shape):
            alike.setdefault(shape, []).append(evaluation)
    for shape, members in sorted(alike.items(), key=lambda item: -len(item[1])):
        rows = [
            np.concatenate([codes[one.pk][key] for key, _ in shape]) for one in members
        ]
        yield _Group([one.submission for one in members], np.stack(rows))


def _codes(evaluations: Iterable[Evaluation]) -> dict[int, dict[int, Codes]]:
    """Per evaluation and test set a number for each unit; one query."""
    found: dict[int, dict[int, Codes]] = {}
    stored = StoredCounts.objects.filter(evaluation__in=[e.pk for e in evaluations])
    rows = stored.values_list("evaluation", "test_set", "data")
    for evaluation, test_set, data in rows.iterator():
        found.setdefault(evaluation, {})[test_set] = codes_of(bytes(data))
    return found


def codes_of(data: bytes) -> Codes:
    """One number per unit of saved counts, equal for equal counts by column name.

    Read without the names of units, which would take most of the time.
    """
    with np.load(io.BytesIO(data), allow_pickle=False) as saved:
        keys = np.array([_key(name) for name in saved["columns"].tolist()], np.uint64)
        table = saved["table"].astype(np.int64).view(np.uint64)
    # Sums wrap round, which does no harm to a fingerprint.
    return np.asarray(table @ keys, dtype=np.uint64)


@lru_cache(maxsize=10_000)
def _key(name: str) -> int:
    """An odd number that belongs to a column."""
    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") | 1


def _compared(group: _Group) -> tuple[list[Alike], bool]:
    first, second, skipped = _candidates(group)
    differing = group.differing(first, second)
    near = differing <= group.most
    return list(_closest(group, first[near], second[near], differing[near])), skipped


def _candidates(group: _Group) -> tuple[Indices, Indices, bool]:
    """Pairs that may be alike, and whether some were left out.

    Two that differ in at most `most` units agree in at least one of `most + 1` blocks
    of units; so only those that agree in a block are compared. Where very many agree
    each is paired with those next in time, and pairs of two teams go first.
    """
    size = len(group.submissions)
    pairs, skipped = [np.zeros(0, dtype=np.int64)], False
    for column in _block_codes(group).T:
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        for step in range(1, size):
            same = ordered[step:] == ordered[:-step]
            if not same.any():
                break
            if step > NEIGHBOURS:
                skipped = True
                break
            one, other = order[:-step][same], order[step:][same]
            pairs.append(np.minimum(one, other) * size + np.maximum(one, other))
    first, second = np.divmod(np.unique(np.concatenate(pairs)), size)
    if len(first) > MOST_PAIRS:
        teams, skipped = group.teams, True
        foremost = np.argsort(teams[first] == teams[second], kind="stable")
        first, second = first[foremost][:MOST_PAIRS], second[foremost][:MOST_PAIRS]
    return first, second, skipped


def _block_codes(group: _Group) -> Codes:
    """A number per submission and block, equal where all units of the block are."""
    odd = np.random.default_rng(1).integers(2**63, size=group.units, dtype=np.uint64)
    weighed = group.codes * (2 * odd + 1)
    starts = np.linspace(0, group.units, group.most + 1, endpoint=False).astype(int)
    return np.add.reduceat(weighed, starts, axis=1)


def _closest(
    group: _Group, first: Indices, second: Indices, differing: Indices
) -> Iterator[Alike]:
    """Of all pairs of the same two teams the closest, with the number of others."""
    teams = group.teams
    best: dict[tuple[int, int], tuple[int, int, int]] = {}
    times: dict[tuple[int, int], int] = {}
    rows = zip(first.tolist(), second.tolist(), differing.tolist(), strict=True)
    for one, other, units in rows:
        low, high = sorted((int(teams[one]), int(teams[other])))
        times[low, high] = times.get((low, high), 0) + 1
        if (low, high) not in best or units < best[low, high][0]:
            best[low, high] = (units, one, other)
    for pair, (units, one, other) in best.items():
        sent = group.submissions
        yield Alike(sent[one], sent[other], units, group.units, times[pair] - 1)


def _bursts(group: _Group) -> Iterator[Burst]:
    """Runs of a team's submissions, each soon after the last and little different."""
    few = max(group.most, 1)
    for key in np.unique(group.teams):
        own = np.flatnonzero(group.teams == key)
        changed = group.differing(own[:-1], own[1:])
        for run in _runs([group.submissions[i] for i in own], changed, few):
            steps = changed[run.start : run.stop - 1]
            submissions = [group.submissions[own[i]] for i in run]
            yield Burst(submissions, int(steps.min()), int(steps.max()), group.units)


def _runs(sent: Sequence[Any], changed: Indices, few: int) -> Iterator[range]:
    start = 0
    for i in range(1, len(sent) + 1):
        goes_on = (
            i < len(sent)
            and changed[i - 1] <= few
            and sent[i].received_at - sent[i - 1].received_at <= BURST_GAP
        )
        if goes_on:
            continue
        if i - start >= BURST_LENGTH:
            yield range(start, i)
        start = i


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
