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
from functools import cached_property, lru_cache
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
MOST_LISTED = 10


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
    """Submissions of a phase that are alike, and how much of it was looked at.

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
    alike: list[Alike] = []
    skipped = False
    for group in groups:
        first, second, left_out = _candidates(group)
        alike += _closest(group, first, second)
        skipped |= left_out
    alike.sort(key=lambda pair: (pair.units / pair.of, -pair.more))
    usual = (group.usual() for group in groups)
    return Likeness(
        looked_at=sum(len(group.submissions) for group in groups),
        across=[pair for pair in alike if pair.across],
        within=[pair for pair in alike if not pair.across],
        bursts=[burst for group in groups for burst in _bursts(group)],
        usual=next((share for share in usual if share is not None), None),
        skipped=skipped,
    )


@dataclass(frozen=True)
class _Group:
    """Submissions to the same test sets in order of receipt; `codes` (them, units)."""

    submissions: Sequence[Submission]
    codes: Codes

    @cached_property
    def teams(self) -> Indices:
        return np.array([team(sent) for sent in self.submissions], dtype=np.int64)

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
        differing = [
            (self.codes[first[piece]] != self.codes[second[piece]]).sum(axis=1)
            for piece in pieces
        ]
        return np.concatenate(differing).astype(np.int64)

    def usual(self) -> float | None:
        """The median share of units that differ between teams, from a few pairs."""
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
            np.concatenate([codes[evaluation.pk][key] for key, _ in shape])
            for evaluation in members
        ]
        yield _Group([evaluation.submission for evaluation in members], np.stack(rows))


def _codes(evaluations: Iterable[Evaluation]) -> dict[int, dict[int, Codes]]:
    """Per evaluation and test set a number for each unit; one query."""
    codes: dict[int, dict[int, Codes]] = defaultdict(dict)
    stored = StoredCounts.objects.filter(evaluation__in=[e.pk for e in evaluations])
    rows = stored.values_list("evaluation", "test_set", "data")
    for evaluation, test_set, data in rows.iterator():
        codes[evaluation][test_set] = codes_of(bytes(data))
    return codes


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
            before, after = order[:-step][same], order[step:][same]
            pairs.append(np.minimum(before, after) * size + np.maximum(before, after))
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


def _closest(group: _Group, first: Indices, second: Indices) -> Iterator[Alike]:
    """The closest pair of each two teams, with the number of others that are alike."""
    differing = group.differing(first, second)
    near = differing <= group.most
    columns = (differing[near], first[near], second[near])
    teams = np.sort(group.teams[np.stack(columns[1:])], axis=0)
    pairs = list(map(tuple, teams.T.tolist()))
    best: dict[tuple[int, ...], tuple[int, ...]] = {}
    for pair, row in zip(pairs, np.stack(columns, axis=1).tolist(), strict=True):
        best[pair] = min(best.get(pair, tuple(row)), tuple(row))
    times = Counter(pairs)
    for pair, (units, one, other) in best.items():
        yield Alike(
            group.submissions[one],
            group.submissions[other],
            units,
            group.units,
            times[pair] - 1,
        )


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
    rows = SubmittedFile.objects.filter(submission__phase=phase)
    rows = rows.select_related(related, "test_set").order_by("submission__received_at")
    by_bytes: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    for file in rows:
        same = by_bytes[file.test_set.title, file.sha256]
        if file.submission not in same[-1:]:  # of two runs one is enough
            same.append(file.submission)
    people = People(phase.task)
    files = []
    for (title, _digest), same in by_bytes.items():
        teams = set(map(team, same))
        if len(teams) > 1:
            more = max(0, len(same) - MOST_LISTED)
            shared = list(people.shared(teams))
            files.append(SameFile(title, same[:MOST_LISTED], more, shared))
    return files


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
        """Sentences on what people of at least two of the teams have in common."""
        plain = self._in_several(entries, _without_tag)
        if plain:
            sentence = _(
                "Addresses of people of these teams differ only in dots or a "
                "+tag, at %(domains)s."
            )
            yield sentence % {"domains": ", ".join(sorted(map(_domain, plain)))}
        for domain in sorted(self._in_several(entries, _domain)):
            sentence = _(
                "People of these teams have addresses at %(domain)s, as %(n)s of "
                "%(all)s people of this task have."
            )
            users = sum(domain in map(_domain, own) for own in self.addresses.values())
            yield sentence % {"domain": domain, "n": users, "all": len(self.addresses)}

    def _in_several(self, entries: set[int], of: Callable[[str], str]) -> set[str]:
        teams: Counter[str] = Counter()
        for entry in entries:
            addresses = set[str]().union(*map(self.addresses.get, self.people[entry]))
            teams.update(set(map(of, addresses)))
        return {part for part, times in teams.items() if times > 1}


def _domain(address: str) -> str:
    return address.rpartition("@")[2]


def _without_tag(address: str) -> str:
    name, _at, domain = address.rpartition("@")
    return f"{name.partition('+')[0].replace('.', '')}@{domain}"
