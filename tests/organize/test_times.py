"""Time served right: deadlines across zones, slow uploads, days of 23 and 25 hours."""

import re
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.organize.checklist import remarks
from leaderboard.organize.fields import ClockTimes, on_clock, read_time
from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from leaderboard.web.requests import CurrentRequest
from leaderboard.web.time_zones import zone_named
from scoring.errors import SetupError
from tests.leaderboard.channels import PAGE as URL
from tests.leaderboard.channels import Channel, Told
from tests.leaderboard.small import both, bundle, manifest
from tests.waiting import wait_until

Login = Callable[[User], Client]
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/Havana",
    "America/Santiago",
    "Pacific/Kiritimati",
    "Pacific/Chatham",
    "Africa/Cairo",
    "Asia/Beirut",
    "America/Nuuk",
)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# Worked by hand from the rules of each zone: a moment, and when the next day begins.
DAYS = [
    ("UTC", "2026-06-30 23:59:59", "2026-07-01 00:00"),
    ("UTC", "2026-07-01 00:00", "2026-07-02 00:00"),
    ("Asia/Kathmandu", "2026-07-01 18:00", "2026-07-01 18:15"),
    # The clocks go forward: a day of 23 hours.
    ("Europe/Berlin", "2026-03-28 23:00", "2026-03-29 22:00"),
    ("America/New_York", "2026-03-08 05:00", "2026-03-09 04:00"),
    # They go back: 25 hours.
    ("Europe/Berlin", "2026-10-24 22:00", "2026-10-25 23:00"),
    ("America/New_York", "2026-11-01 04:00", "2026-11-02 05:00"),
    # By half an hour.
    ("Australia/Lord_Howe", "2026-10-03 13:30", "2026-10-04 13:00"),
    ("Australia/Lord_Howe", "2026-04-04 13:00", "2026-04-05 13:30"),
    # Midnight is skipped: the day begins at one o'clock.
    ("America/Santiago", "2026-09-05 12:00", "2026-09-06 04:00"),
    # Midnight comes twice: the day begins with the first.
    ("America/Havana", "2026-10-31 12:00", "2026-11-01 04:00"),
    # A minute after midnight the clocks went back to the day before.
    ("America/Moncton", "2005-10-30 02:59", "2005-10-30 03:00"),
    ("America/Moncton", "2005-10-30 03:30", "2005-10-30 04:00"),
]


@pytest.mark.parametrize(("zone", "moment", "expected"), DAYS)
def test_the_next_day_begins_at_midnight_of_the_phase(
    zone: str, moment: str, expected: str
) -> None:
    phase = Phase(time_zone=zone)
    assert phase.next_day(utc(moment)) == utc(expected)


first, last = datetime(2010, 1, 1), datetime(2037, 1, 1)
moments = st.datetimes(first, last, timezones=st.just(UTC))


@given(moments, st.sampled_from(ZONES))
def test_the_next_slot_is_ahead_within_a_day_and_on_another_date(
    moment: datetime, zone: str
) -> None:
    phase = Phase(time_zone=zone)
    after = phase.next_day(moment)
    assert timedelta(0) < after - moment <= timedelta(hours=25.5)
    assert phase.day_of(after) != phase.day_of(moment)
    before = after - timedelta(microseconds=1)
    assert phase.day_of(before) == phase.day_of(moment)


@given(st.datetimes(first, last), st.sampled_from(ZONES))
def test_a_time_of_a_form_is_shown_again_as_it_was_typed(
    local: datetime, zone: str
) -> None:
    local = local.replace(microsecond=0)
    place = ZoneInfo(zone)
    for fold in (0, 1):
        try:
            moment = on_clock(read_time(local.isoformat()), place, fold)
        except ValidationError as error:
            assert "clocks go forward" in error.message
            continue
        assert moment.astimezone(place).replace(tzinfo=None, fold=0) == local


@pytest.mark.parametrize(
    "typed",
    ["2016-12-31T23:59:60", "2026-06-30 23:59:60", "2026-06-30T24:00", "2026-06-31"],
)
def test_a_leap_second_is_no_time_of_a_form(typed: str) -> None:
    with pytest.raises(ValidationError):
        read_time(typed)


@pytest.mark.django_db
@pytest.mark.parametrize("quotes", ["'", ""])
def test_a_leap_second_is_no_time_of_a_bundle(quotes: str) -> None:
    plain = bundle(phases=[manifest()["phases"][0] | {"opens": "OPENS"}])
    stamp = f"{quotes}2016-12-31T23:59:60Z{quotes}".encode()
    plain.files["task.yaml"] = plain.files["task.yaml"].replace(b"OPENS", stamp)
    with pytest.raises(SetupError):
        create_task(plain, None)


# Worked by hand: the zone, and in UTC where 1 June 2031 begins and 20 June 2031 ends.
CALENDARS = [
    ("UTC", "2031-06-01 00:00", "2031-06-21 00:00"),
    ("AoE", "2031-06-01 12:00", "2031-06-21 12:00"),
    ("Europe/Prague", "2031-05-31 22:00", "2031-06-20 22:00"),
]
AT_TEN = "2031-06-10T10:00:00Z"


@pytest.mark.django_db
@pytest.mark.parametrize(("zone", "begins", "ends"), CALENDARS)
def test_a_day_of_a_bundle_is_one_of_the_phases_zone(
    zone: str, begins: str, ends: str
) -> None:
    days = {
        "opens": ("2031-06-01", utc(begins)),
        "closes": ("2031-06-20", utc(ends)),
        "reveal_at": ("2031-06-20", utc(ends)),
        "freeze_from": (AT_TEN, datetime.fromisoformat(AT_TEN)),
    }
    written = manifest()["phases"][0] | {"time_zone": zone}
    plain = bundle(phases=[written | {name: day for name, (day, _at) in days.items()}])
    phase = create_task(plain, None).phases.get()
    assert {name: getattr(phase, name) for name in days} == {
        name: at for name, (_day, at) in days.items()
    }
    # Dates as people write them, which YAML reads as its own.
    text = plain.files["task.yaml"].replace(b"slug: otters", b"slug: beavers")
    plain.files["task.yaml"] = re.sub(rb"'(2031-06-\d\d)'", rb"\1", text)
    again = create_task(plain, None).phases.get()
    assert (again.opens, again.closes) == (utc(begins), utc(ends))


@pytest.mark.django_db
def test_a_day_beside_times_is_read_and_one_without_a_zone_is_refused() -> None:
    written = manifest()["phases"][0] | {"closes": "2031-06-20"}
    with pytest.raises(SetupError, match="beside a 'time_zone'"):
        create_task(bundle(phases=[written]), None)
    task = create_task(bundle(phases=[written | {"time_zone": "UTC"}]), None)
    assert task.phases.get().closes == utc("2031-06-21")
    (said,) = [r.text for r in remarks(task, None) if "closes at the end" in r.text]
    assert said == "“Test” closes at the end of 20 Jun 2031, UTC."


@pytest.mark.parametrize(("zone", "begins", "ends"), CALENDARS)
def test_a_day_of_a_form_is_one_of_its_zone(zone: str, begins: str, ends: str) -> None:
    form, cleaned = (
        ClockTimes(),
        {
            "opens": read_time("2031-06-01"),
            "closes": read_time("2031-06-20"),
            "reveal_at": read_time("2031-06-20"),
        },
    )
    for name in cleaned:
        form.read_clock(cleaned, name, ZoneInfo(zone_named(zone)))
    assert cleaned == {
        "opens": utc(begins),
        "closes": utc(ends),
        "reveal_at": utc(ends),
    }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "end"),
    [
        ("Pacific/Kiritimati", "2026-05-01 09:59"),
        ("Europe/Berlin", "2026-05-01 21:59"),
        ("Etc/GMT+12", "2026-05-02 11:59"),
    ],
)
def test_the_same_deadline_ends_elsewhere_at_another_moment(
    channel: Channel, entry: Participation, ben: User, zone: str, end: str
) -> None:
    phase = entry.task.phases.get()
    phase.time_zone = zone
    phase.opens = utc("2026-01-01")
    phase.closes = on_clock(read_time("2026-05-01T23:59"), phase.zone)
    phase.save()
    last = utc(end)
    for moment, late in ((last - timedelta(seconds=1), False), (last, True)):
        sent = channel.send(ben, at=moment).sent
        assert sent is not None and sent.late == late


@pytest.mark.databases("time")
@pytest.mark.django_db
def test_attempts_are_counted_on_the_calendar_of_the_phase(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    """Berlin on 25 October 2026: 02:30 comes twice, and it is one day of 25 hours."""
    phase.time_zone, phase.daily_limit = "Europe/Berlin", 2
    phase.opens, phase.closes = utc("2026-10-01"), None
    phase.save()

    def send(moment: str) -> Told:
        return channel.send(ben, at=utc(moment))

    assert send("2026-10-24 21:59").accepted  # 23:59 on the 24th
    assert send("2026-10-24 22:00").accepted  # midnight
    assert send("2026-10-25 01:30").accepted  # the second 02:30
    told = send("2026-10-25 22:59")  # 23:59
    assert told.code == "quota_used"
    assert "26 Oct 2026, 00:00 CET (Europe/Berlin)" in told.text
    assert send("2026-10-25 23:00").accepted
    days = QuotaCounter.objects.filter(kind="scored", person=None)
    assert [str(one.day) for one in days.order_by("day")] == [
        "2026-10-24",
        "2026-10-25",
        "2026-10-26",
    ]


@pytest.mark.django_db
def test_times_of_a_phase_are_printed_in_its_zone(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    phase.time_zone, phase.closes = "Europe/Berlin", utc("2031-10-26 01:30")
    phase.daily_limit = 3
    phase.save()
    for address in (URL, "/tasks/otters/"):
        page = as_user(ben).get(address).content.decode()
        assert "26 Oct 2031, 02:30 CET (Europe/Berlin)" in page
    assert (
        "Days begin at midnight, Europe/Berlin"
        in as_user(ben).get(URL).content.decode()
    )


class Slow:
    """An upload whose body comes in two halves, over a connection of its own."""

    def __init__(self, live_server: Any, client: Client, address: str) -> None:
        """By form when `client` has cookies, else with its token."""
        client.get(URL)
        files = {
            f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
            for name, data in both().items()
        }
        kept = {name: morsel.value for name, morsel in client.cookies.items()}
        fields = {"system": "slow", "key": uuid4().hex, "again": "on"}
        fields["csrfmiddlewaretoken"] = kept.get("csrftoken", "")
        self.body = encode_multipart(BOUNDARY, fields | files)
        cookies = "; ".join(f"{name}={value}" for name, value in kept.items())
        place = urlsplit(live_server.url)
        self.head = (
            f"POST {address} HTTP/1.1\r\nHost: {place.netloc}\r\n"
            f"Content-Type: {MULTIPART_CONTENT}\r\nCookie: {cookies}\r\n"
            f"Authorization: {client.defaults.get('HTTP_AUTHORIZATION', '')}\r\n"
            f"Content-Length: {len(self.body)}\r\nConnection: close\r\n\r\n"
        ).encode()
        self.connection = socket.create_connection((place.hostname, place.port), 20)
        self.half = len(self.body) // 2

    def begin(self) -> None:
        self.connection.sendall(self.head + self.body[: self.half])

    def end(self) -> bytes:
        self.connection.sendall(self.body[self.half :])
        answer = b""
        while part := self.connection.recv(65536):
            answer += part
        self.connection.close()
        return answer


@pytest.fixture
def slow(channel: Channel, live_server: Any, ben: User) -> Callable[[], Slow]:
    return lambda: Slow(live_server, channel.client(ben), channel.address)


@pytest.fixture
def began(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Set as soon as the server has noted when a request arrived."""
    event, stamp = Event(), CurrentRequest.__call__

    def noted(self: CurrentRequest, request: Any) -> Any:
        def go_on(given: Any) -> Any:
            event.set()
            return self.get_response(given)

        return stamp(CurrentRequest(go_on), request)

    monkeypatch.setattr(CurrentRequest, "__call__", noted)
    return event


@pytest.mark.databases("time")
@pytest.mark.in_process
def test_an_upload_that_begins_before_the_end_and_arrives_after_it_counts(
    slow: Callable[[], Slow], began: Event, phase: Phase, entry: Participation
) -> None:
    accepted = (b"HTTP/1.1 302", b"HTTP/1.1 201")
    early, late = slow(), slow()
    began.clear()
    early.begin()
    assert began.wait(60), "the server took up the request"
    # Clocks of machine and database may be adjusted a little meanwhile.
    phase.closes = timezone.now() + timedelta(milliseconds=50)
    phase.save()
    wait_until(lambda: timezone.now() > phase.closes, what="the phase is over")
    assert early.end().startswith(accepted)
    assert not Submission.objects.get().late
    late.begin()
    assert late.end().startswith(accepted)
    assert Submission.objects.filter(late=True).count() == 1
