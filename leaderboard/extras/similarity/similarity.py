"""Submissions of a phase that are alike: in next to all counts, or byte for byte.

Per unit a submission has a row of counts; a number that is the same for equal rows
stands for it here, so that comparing two submissions is comparing two rows of a
matrix.
"""

import hashlib
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from allauth.account.models import EmailAddress
from django.db.models import Count
from django.utils.translation import gettext as _

from leaderboard.results import scores
from leaderboard.results.scores import PastEntry
from leaderboard.results.stored_counts import MEGABYTE, key_of
from leaderboard.submissions.models import StoredCounts, Submission, SubmittedFile
from leaderboard.tasks.models import Participant, Phase, Task
from leaderboard.web.cache import LruBySize

ALIKE = 0.01  # of the units; fewer that differ are worth a look
NEIGHBOURS = 40  # of one submission that are looked at per block
MOST_PAIRS = 60_000
BURST_GAP = timedelta(hours=1)
BURST_LENGTH = 3
SAMPLED = 2000

Codes = npt.NDArray[np.uint64]
Indices = npt.NDArray[np.int64]
MOST_LISTED = 10
MOST_SHOWN = 50
MOST_CODES = 16 * MEGABYTE


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

    Of each list the first MOST_SHOWN; `numbers` say by name how many there are.
    `usual` is the median share of units in which two teams' submissions differ, None
    where there are no two teams. `skipped`: not all pairs were compared.
    """

    looked_at: int
    across: Sequence[Alike]
    within: Sequence[Alike]
    bursts: Sequence[Burst]
    numbers: Mapping[str, int]
    usual: float | None
    skipped: bool


def team(submission: Submission) -> int:
    """Merged teams are one."""
    return scores.team_of(submission.participation)


def likeness(phase: Phase) -> Likeness:
    """Compare everything scored of a phase, whatever became of it later.

    Three queries. Only submissions to the same test sets are compared.
    """
    groups = list(_groups(phase))
    across: list[_Pair] = []
    within: list[_Pair] = []
    skipped = False
    for group in groups:
        first, second, left_out = _candidates(group)
        for pair in _closest(group, first, second):
            (across if pair.across else within).append(pair)
        skipped |= left_out
    for pairs in (across, within):
        pairs.sort(key=lambda pair: (pair.units / pair.of, -pair.more))
    bursts = [burst for group in groups for burst in _bursts(group)]
    usual = (group.usual() for group in groups)
    found = _Submissions(
        [*across[:MOST_SHOWN], *within[:MOST_SHOWN]], bursts[:MOST_SHOWN]
    )
    return Likeness(
        looked_at=sum(len(group.entries) for group in groups),
        across=[found.alike(pair) for pair in across[:MOST_SHOWN]],
        within=[found.alike(pair) for pair in within[:MOST_SHOWN]],
        bursts=[found.burst(run) for run in bursts[:MOST_SHOWN]],
        numbers={
            "across": len(across),
            "within": len(within),
            "bursts": len(bursts),
        },
        usual=next((share for share in usual if share is not None), None),
        skipped=skipped,
    )


class _Pair(NamedTuple):
    """As `Alike`, before the submissions are read."""

    first: PastEntry
    second: PastEntry
    units: int
    of: int
    more: int
    across: bool


class _Run(NamedTuple):
    """As `Burst`, before the submissions are read."""

    entries: Sequence[PastEntry]
    least: int
    most: int
    of: int


class _Submissions:
    """The submissions that pairs and runs name, read at once."""

    def __init__(self, pairs: Sequence[_Pair], runs: Sequence[_Run]) -> None:
        named = {e.submission_id for pair in pairs for e in pair[:2]}
        named.update(e.submission_id for run in runs for e in run.entries)
        rows = Submission.objects.filter(pk__in=named)
        rows = rows.select_related("participation__team")
        self.by_key = {row.pk: row for row in rows} if named else {}

    def _of(self, entry: PastEntry) -> Submission:
        return self.by_key[entry.submission_id]

    def alike(self, pair: _Pair) -> Alike:
        first, second = self._of(pair.first), self._of(pair.second)
        return Alike(first, second, pair.units, pair.of, pair.more)

    def burst(self, run: _Run) -> Burst:
        return Burst(list(map(self._of, run.entries)), run.least, run.most, run.of)


@dataclass(frozen=True)
class _Group:
    """Entries for the same test sets in order of receipt; `codes` (them, units)."""

    entries: Sequence[PastEntry]
    codes: Codes

    @cached_property
    def teams(self) -> Indices:
        return np.array([entry.team for entry in self.entries], dtype=np.int64)

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
        random, size = np.random.default_rng(0), len(self.entries)
        draw = random.integers(size, size=(2, SAMPLED))
        first, second = draw[:, self.teams[draw[0]] != self.teams[draw[1]]]
        if not len(first):
            return None
        return float(np.median(self.differing(first, second))) / self.units


def _groups(phase: Phase) -> Iterator[_Group]:
    """The largest first."""
    entries = scores.plain_history(phase)
    codes = _codes(entries)
    alike: dict[tuple[tuple[int, int], ...], list[PastEntry]] = {}
    for entry in entries:
        own = codes.get(entry.pk, {})
        shape = tuple(sorted((key, len(code)) for key, code in own.items()))
        if any(units for _, units in shape):
            alike.setdefault(shape, []).append(entry)
    for shape, members in sorted(alike.items(), key=lambda item: -len(item[1])):
        rows = [
            np.concatenate([codes[entry.pk][key] for key, _ in shape])
            for entry in members
        ]
        yield _Group(members, np.stack(rows))


OfTestSets = Mapping[int, Codes]
# Counts never change, and decoding those of thousands takes seconds.
_known: LruBySize[OfTestSets] = LruBySize(
    MOST_CODES, lambda codes: 400 + sum(200 + code.nbytes for code in codes.values())
)


def _codes(entries: Sequence[PastEntry]) -> dict[int, OfTestSets]:
    """Per evaluation and test set a number for each unit; at most one query."""
    keys = {key_of(entry, 0): entry.pk for entry in entries}
    known = _known.recall(keys)
    codes = {keys[key]: found for key, found in known.items()}
    missing = {pk: key for key, pk in keys.items() if key not in known}
    read: dict[int, dict[int, Codes]] = defaultdict(dict)
    if missing:
        stored = StoredCounts.objects.filter(evaluation__in=list(missing))
        rows = stored.values_list("evaluation", "test_set", "data")
        for evaluation, test_set, data in rows.iterator():
            read[evaluation][test_set] = codes_of(bytes(data))
    for pk, found in read.items():
        _known.remember(missing[pk], found)
    return codes | read


def codes_of(data: bytes) -> Codes:
    """One number per unit of saved counts, equal for equal counts by column name.

    Read without the names of units, which would take most of the time.
    """
    with np.load(io.BytesIO(data), allow_pickle=False) as saved:
        keys = np.array([_key(name) for name in saved["columns"].tolist()], np.uint64)
        table = saved["table"].astype(np.int64).view(np.uint64)
    # Sums wrap round, which does no harm to a fingerprint.
    return np.asarray(table @ keys, dtype=np.uint64)


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
    size = len(group.entries)
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
    # As np.unique does it, which hashes and is then several times slower.
    numbers = np.sort(np.concatenate(pairs))
    numbers = numbers[np.diff(numbers, prepend=-1) > 0]
    first, second = np.divmod(numbers, size)
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


def _closest(group: _Group, first: Indices, second: Indices) -> Iterator[_Pair]:
    """The closest pair of each two teams, with the number of others that are alike."""
    differing = group.differing(first, second)
    near = differing <= group.most
    first, second, units = first[near], second[near], differing[near]
    if not len(units):
        return
    teams = np.sort(np.stack([group.teams[first], group.teams[second]]), axis=0)
    order = np.lexsort((second, first, units, teams[1], teams[0]))
    teams = teams[:, order]
    changes = (teams[:, 1:] != teams[:, :-1]).any(axis=0)
    starts = np.concatenate(([0], np.flatnonzero(changes) + 1))
    times = np.diff(np.concatenate((starts, [len(order)])))
    # Teams in the order in which their first pair came.
    turns = np.argsort(np.minimum.reduceat(order, starts))
    best = order[starts][turns]
    columns = (first[best], second[best], units[best], times[turns] - 1)
    for one, other, differ, more in zip(*(c.tolist() for c in columns), strict=True):
        pair = group.entries[one], group.entries[other]
        across = pair[0].team != pair[1].team
        yield _Pair(*pair, differ, group.units, more, across)


def _bursts(group: _Group) -> Iterator[_Run]:
    """Runs of a team's submissions, each soon after the last and little different."""
    few = max(group.most, 1)
    for key in np.unique(group.teams):
        own = np.flatnonzero(group.teams == key)
        changed = group.differing(own[:-1], own[1:])
        for run in _runs([group.entries[i] for i in own], changed, few):
            steps = changed[run.start : run.stop - 1]
            entries = [group.entries[own[i]] for i in run]
            yield _Run(entries, int(steps.min()), int(steps.max()), group.units)


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
    of_phase = SubmittedFile.objects.filter(submission__phase=phase).order_by()
    several = (
        of_phase.values("test_set", "sha256")
        .annotate(entries=Count("submission__participation", distinct=True))
        .filter(entries__gt=1)
    )
    related = "submission__participation__team"
    rows = of_phase.filter(sha256__in=several.values("sha256"))
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
