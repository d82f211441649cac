"""Pages handed out again at once: to whom, for how long, and that nothing is asked."""

import time
from typing import Any

import pytest
from django.core.cache import caches
from django.core.cache.backends import locmem
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import resolve

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import Team, User
from leaderboard.web.page_cache import LATE_SECONDS, AnonymousCache
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.disclosing import logged_in

URL = "/tasks/otters/test/board/"
FEW = 30
NOW = time.time


@pytest.fixture(autouse=True)
def keeping(settings: Any) -> None:
    settings.BOARD_SECONDS = settings.ANONYMOUS_SECONDS = FEW


def kingfisher(phase: Phase, entry: Participation) -> None:
    scored(phase, entry, both({"north": one_wrong()}), system="kingfisher")


pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=kingfisher)]


@pytest.fixture
def sent(phase: Phase) -> Submission:
    return phase.submissions.get()


def page(client: Client | None = None, **headers: str) -> str:
    return (client or Client()).get(URL, headers=headers).content.decode()


def queries(address: str = URL, **headers: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert Client().get(address, headers=headers).status_code == 200
    return len(seen)


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    then = NOW() + seconds
    monkeypatch.setattr(locmem.time, "time", lambda: then)


def test_the_next_reader_costs_no_query(sent: Submission) -> None:
    first = page()
    assert queries() == 0
    assert page() == first


@pytest.mark.parametrize("name", ["charts/", "compare/"])
def test_charts_and_comparisons_are_handed_out_again_too(
    sent: Submission, name: str
) -> None:
    address = URL.replace("board/", name)
    assert queries(address) > 0 == queries(address)
    assert queries(f"{address}?level=90") > 0


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/?kind=trees",
        "/?state=open",
        "/tasks/otters/",
        "/teams/results/?team=Bens",
        "/api/docs/",
    ],
)
def test_other_public_pages_cost_the_next_reader_no_query_either(
    sent: Submission, address: str
) -> None:
    first = Client().get(address)
    with CaptureQueriesContext(connection) as seen:
        again = Client().get(address)
    assert (first.status_code, again.status_code, len(seen)) == (200, 200, 0)
    assert again.content == first.content
    assert again["ETag"]


def test_the_page_of_a_system_is_handed_out_again_and_its_opened_row_is_not_it(
    sent: Submission,
) -> None:
    address = f"{sent.get_absolute_url()}system/"
    whole = Client().get(address).content
    assert queries(address) == 0
    opened = Client().get(address, headers={"HX-Request": "true"}).content
    assert b"<html" in whole and b"<html" not in opened
    assert Client().get(address).content == whole


def test_the_second_answer_has_every_header_of_the_first(sent: Submission) -> None:
    first, again = Client().get(URL), Client().get(URL)
    own = {"X-Request-Id"}
    assert set(first.headers) == set(again.headers)
    differing = {name for name in first.headers if first[name] != again[name]}
    assert differing == own
    assert "Content-Security-Policy" in again


def test_a_page_one_has_is_not_sent_again(sent: Submission) -> None:
    tag = Client().get(URL)["ETag"]
    with CaptureQueriesContext(connection) as seen:
        again = Client().get(URL, headers={"If-None-Match": tag})
    assert (again.status_code, again.content, len(seen)) == (304, b"", 0)


def test_it_is_given_up_after_a_moment(
    sent: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    page()
    Team.objects.update(name="Renamed")
    assert "Renamed" not in page()
    later(monkeypatch, 2 * FEW)
    assert "Renamed" in page()


def test_nobody_with_a_cookie_or_a_token_is_answered_from_it(
    sent: Submission, ben: User
) -> None:
    page()
    assert str(ben) in page(logged_in(ben))
    assert queries(Cookie="theme=dark") > 0
    assert queries(Authorization="Bearer otter") > 0


def test_what_somebody_sees_is_given_to_nobody_else(
    sent: Submission, ben: User
) -> None:
    assert str(ben) in page(logged_in(ben))
    assert str(ben) not in page()


def test_languages_and_addresses_are_kept_apart(sent: Submission) -> None:
    english = page()
    assert page(**{"Accept-Language": "ru"}) != english
    assert Client().get(f"{URL}?q=heron").content.decode() != english
    assert page() == english


def test_what_is_not_there_is_looked_for_each_time(
    phase: Phase, entry: Participation
) -> None:
    away = f"{URL}?q=kingfisher&measure=none"
    assert Client().get(away).status_code == 404
    assert Client().get(away).status_code == 404
    assert len(caches["at-hand"]._cache) == 0


def test_no_page_is_handed_out_for_five_seconds() -> None:
    from leaderboard.settings import ANONYMOUS_SECONDS

    assert 0 < ANONYMOUS_SECONDS < ANONYMOUS_SECONDS + LATE_SECONDS < 5


def test_an_answer_that_sets_a_cookie_is_for_one_reader(phase: Phase) -> None:
    asked = []

    def answer(request: HttpRequest) -> HttpResponse:
        asked.append(request)
        request.resolver_match = resolve(URL)
        response = HttpResponse("for anybody", headers={"ETag": '"1"'})
        response.for_anybody = True  # type: ignore[attr-defined]
        if len(asked) < 3:
            response.set_cookie("seen", "yes")
        return response

    cache = AnonymousCache(answer)
    for _ in range(5):
        assert cache(RequestFactory().get(URL)).status_code == 200
    assert len(asked) == 3, "what sets no cookie is cached"


def test_hosts_are_kept_apart(sent: Submission, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["one.example", "two.example"]
    assert queries(host="one.example") and queries(host="two.example")
    assert queries(host="one.example") == queries(host="two.example") == 0


def test_the_log_names_the_route_of_each(
    sent: Submission, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", "leaderboard.requests"):
        page()
        page()
    routes = [getattr(record, "route", None) for record in caplog.records]
    assert routes == ["board", "board"]
