"""A phase under a disclosure policy, three submissions, and everything readers ask."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
from django.test import Client
from django.utils import timezone

from leaderboard.results.board_sample import Split
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.policy import Part
from leaderboard.teams.models import User
from scoring import Counts
from tests.leaderboard.small import both, one_wrong, scored

HOUR = timedelta(hours=1)
BOARD = "/tasks/otters/test/board/"
API = "/api/v1/tasks/otters/test"
CHOICES = (
    "",
    "entries=all",
    "measure=uas",
    "test_set=north",
    "as=public",
    "slice=length:1-10",
    "part=private",
    "part=all",
    "part=public",
)


def under(phase: Phase, **fields: Any) -> Phase:
    """The phase with these fields, as everybody reads it from now on."""
    Phase.objects.filter(pk=phase.pk).update(**fields)
    phase.refresh_from_db()
    return phase


def unrevealed(phase: Phase, policy: str = "open", **fields: Any) -> Phase:
    """Open for two more hours, revealed an hour later."""
    now = timezone.now()
    times = {"closes": now + 2 * HOUR, "reveal_at": now + 3 * HOUR}
    return under(phase, policy=policy, **times | fields)


def revealed(phase: Phase) -> Phase:
    now = timezone.now()
    return under(phase, closes=now - 2 * HOUR, reveal_at=now - HOUR)


def three_sent(phase: Phase, entry: Participation) -> list[Submission]:
    """93.75 (one of eight words wrong on one of two test sets), 100, and 93.75."""
    wrong = both({"north": one_wrong()})
    files = (wrong, both(), wrong)
    names = ("alder", "birch", "cedar")
    return [
        scored(phase, entry, sent, system=name)
        for name, sent in zip(names, files, strict=True)
    ]


def salted(phase: Phase) -> Phase:
    """Half of the units private; the sentence that `one_wrong` spoils is among them."""
    for number in range(100):
        salt = f"salt{number}"
        split = Split(Part.PRIVATE, salt, 0.5)
        if first_is_private(phase, split):
            return under(phase, salt=salt, private_share=0.5)
    raise AssertionError("no salt of a hundred puts the first sentence there")


def first_is_private(phase: Phase, split: Split) -> bool:
    counts = Counts(("s1", "s2"), (), np.zeros((2, 0)))
    north = phase.test_sets.get(name="north")
    (cut,) = split.cut(north, [counts])
    return cut is not None and cut.units == ("s1",)


def public_pages(sent: list[Submission]) -> Iterator[str]:
    """Every address at which somebody could look for a score of the phase."""
    pair = "&".join(f"system={one.pk}" for one in sent[:2])
    for choice in CHOICES:
        yield f"{BOARD}?{choice}"
        yield f"{API}/board/?{choice}"
    for prefix in ("/tasks/otters/test", API):
        yield f"{prefix}/compare/?{pair}"
        yield f"{prefix}/compare/?{pair}&entries=all&test_set=north"
        yield f"{prefix}/across/?system={sent[0].pk}"
    yield from ("/", "/tasks/otters/", "/tasks/otters/board/", "/api/v1/tasks/")
    yield from ("/api/v1/tasks/otters/", "/tasks/otters/test/separation/")
    yield "/tasks/otters/test/submit/"


def own_pages(sent: list[Submission]) -> Iterator[str]:
    """Pages that are a team's own."""
    yield "/tasks/otters/submissions/"
    for one in sent:
        yield f"/submissions/{one.pk}/"
        yield f"/submissions/{one.pk}/?part=status"
        yield f"/api/v1/submissions/{one.pk}/"
        yield f"/submissions/{one.pk}/receipt/north/"
        yield f"/submissions/{one.pk}/receipt/south/"


def text_of(client: Client, address: str) -> str:
    """The text of an answer, redirects followed; nothing of the address itself."""
    answer = client.get(address, follow=True)
    assert answer.status_code in (200, 401, 404), address
    return answer.content.decode()


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def reader(who: str, people: dict[str, User]) -> Client:
    return logged_in(people[who]) if who in people else Client()


def board_values(client: Client, **choices: str) -> list[float]:
    rows = client.get(f"{API}/board/", choices).json()["rows"]
    return [row["scores"]["las"]["value"] for row in rows]


def own_values(client: Client, sent: list[Any]) -> list[float | None]:
    answers = [client.get(f"/api/v1/submissions/{one.pk}/").json() for one in sent]
    return [one["scores"].get("las", {}).get("value") for one in answers]
