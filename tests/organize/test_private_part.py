"""Nothing tells what a private unit counted, nor which units are private."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from leaderboard.mail import outbox
from leaderboard.tasks.models import Phase
from tests.cast import built_once
from tests.organize.canaries import Aviary
from tests.organize.crawling import starts
from tests.organize.disclosing import under
from tests.organize.private_part import DOCUMENT, build, crawl, of_half

DAY = timedelta(days=1)
READERS = ("anonymous", "stranger", "participant", "rival", "other organizer")


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[Aviary]:
    with built_once(django_db_blocker):
        yield build()


@pytest.fixture
def site(built: Aviary, db: None) -> Aviary:
    return built


def typed(site: Aviary, role: str) -> Iterator[str]:
    """Addresses that a curious reader types beside those that pages lead to."""
    yield from starts(site, role)
    for sent in site.sent[::2]:  # one of each team to each phase
        yield from (f"/submissions/{sent.pk}/errors/{n}/" for n in range(1, 13))
        yield from (
            f"/submissions/{sent.pk}/errors/?{one}"
            for one in (
                "page=1",
                "order=file",
                "test_set=north",
                f"slice=document:{DOCUMENT}0",
                f"other={site.sent[0].pk}",
            )
        )
        yield f"/submissions/{sent.pk}/receipt/north/"
    for first, second in zip(site.sent, site.sent[1:], strict=False):
        pair = f"submission={first.pk}&submission={second.pk}"
        yield f"/tasks/otters/submissions/compare/?{pair}"
    for start in ("/tasks/otters", "/api/v1/tasks/otters"):
        for phase in ("test", "half"):
            for n in range(6):
                yield f"{start}/{phase}/board/?slice=document:{DOCUMENT}{n}"
            yield f"{start}/{phase}/board/?level=99&part=private"
            yield f"{start}/{phase}/charts/?kind=slices&group=document"


@pytest.mark.thorough
@pytest.mark.parametrize("role", READERS)
def test_no_address_tells_anything_of_a_private_unit(site: Aviary, role: str) -> None:
    found = crawl(site, role).open(typed(site, role)).found
    assert {name: where[:5] for name, where in found.items()} == {}


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["owner", "reviewer"])
def test_who_may_see_every_score_sees_all_of_it(site: Aviary, role: str) -> None:
    visit = crawl(site, role)
    addresses = [f"/submissions/{sent.pk}/errors/1/" for sent in of_half(site)]
    for board in ("/tasks/otters/half/board/", "/api/v1/tasks/otters/half/board/"):
        for part in ("private", "all"):
            addresses.append(f"{board}?part={part}&entries=all")
    for address in addresses:
        visit.note(address, visit.client.get(address))
    assert set(visit.found) == set(visit.canaries)


def test_mail_tells_nothing_of_it(site: Aviary) -> None:
    visit = crawl(site, "anonymous")
    outbox.send("result")
    outbox.send()
    assert mail.outbox
    for message in mail.outbox:
        visit.look(str(message.to), f"{message.subject}\n{message.body}")
    assert visit.found == {}


@pytest.mark.thorough
def test_with_the_reveal_units_open_in_every_phase_of_the_gold(site: Aviary) -> None:
    now = timezone.now()
    pages = [f"/submissions/{sent.pk}/errors/" for sent in site.sent[1:3]]
    client = crawl(site, "participant").client
    assert {client.get(page).status_code for page in pages} == {404}
    half = Phase.objects.get(task=site.tasks["otters"], name="half")
    under(half, closes=now - 2 * DAY, reveal_at=now - DAY)
    assert {client.get(page).status_code for page in pages} == {200}
