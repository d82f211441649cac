"""Where webhooks may lead: no way of writing an address gets into a private network."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpcore
import pytest
from django.conf import settings as site

from leaderboard.extras.webhooks import ssrf
from tests.extras.webhooks.receiving import drip, hang, listening, redirect, status

INSIDE = [
    "127.0.0.1",
    "127.8.9.10",
    "0.0.0.0",
    "10.0.0.7",
    "172.16.3.4",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.7",
    "198.18.0.1",
    "224.0.0.251",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "fec0::1",
    "2001:db8::1",
    "2001::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.7",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.7",
]
OUTSIDE = [
    "93.184.216.34",
    "2606:2800:220:1::1",
    "::ffff:93.184.216.34",
    "64:ff9b::93.184.216.34",
]
# Forms that the system's resolver takes for 127.0.0.1 or 10.0.0.7.
DISGUISED = [
    "2130706433",
    "0177.0.0.1",
    "0x7f.1",
    "127.1",
    "0x7f000001",
    "0",
    "012.0.0.7",
    "167772167",
]


def resolving(monkeypatch: pytest.MonkeyPatch, *found: str) -> None:
    """Every name means these ssrf."""

    def rows(host: str, port: int, **_: Any) -> list[Any]:
        return [(0, 0, 0, "", (one, port)) for one in found]

    monkeypatch.setattr(socket, "getaddrinfo", rows)


@pytest.mark.parametrize("address", INSIDE)
def test_a_name_that_means_an_address_inside_is_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving(monkeypatch, address)
    with pytest.raises(ssrf.NotAllowed):
        ssrf.looked_up("hooks.example.org", 443, 1)
    resolving(monkeypatch, OUTSIDE[0], address)
    with pytest.raises(ssrf.NotAllowed):
        ssrf.looked_up("hooks.example.org", 443, 1)


@pytest.mark.parametrize("address", INSIDE)
def test_an_address_inside_is_refused_when_it_is_typed(address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(ssrf.NotAllowed):
        ssrf.parsed(f"https://{host}/hook")


@pytest.mark.parametrize("address", OUTSIDE)
def test_an_address_outside_is_allowed(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolving(monkeypatch, address)
    assert ssrf.looked_up("hooks.example.org", 443, 1) == [address]


@pytest.mark.parametrize("host", DISGUISED)
def test_numbers_in_other_bases_are_what_the_system_takes_them_for(host: str) -> None:
    """The real resolver is asked; a system that refuses such a number is as good."""
    with pytest.raises((ssrf.NotAllowed, OSError)):
        ssrf.looked_up(host, 443, 5)
    assert ssrf.post(f"https://{host}/", {}, b"").status is None


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://",
        "https:///x",
        "https://ben:secret@example.org/",
        "https://example.org/#x",
        "https://example.org:22/",
        "https://example.org:6379/",
        "example.org",
        "",
        "https://exa mple.org/",
        "https://[::1/",
        "javascript:alert(1)",
        "https://example.org:99999/",
    ],
)
def test_only_whole_addresses_of_the_web_are_taken(url: str) -> None:
    with pytest.raises(ssrf.NotAllowed):
        ssrf.parsed(url)


def test_ordinary_addresses_are_taken() -> None:
    for url in (
        "https://example.org/a?b=c",
        "https://example.org:8443/",
        "https://xn--bcher-kva.example/",
        "https://bücher.example/",
    ):
        assert ssrf.parsed(url)


def test_private_installations_may_send_inside_but_not_to_the_clouds_metadata(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_PRIVATE = True
    assert ssrf.parsed("http://10.0.0.7:8080/")
    for address in ("169.254.169.254", "::ffff:169.254.169.254", "0.0.0.0", "ff02::1"):
        resolving(monkeypatch, address)
        with pytest.raises(ssrf.NotAllowed):
            ssrf.looked_up("metadata", 80, 1)


def test_the_connection_is_made_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second look-up would be the moment to change what the name means."""
    asked, connected = [], []

    def rows(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        address = "93.184.216.34" if len(asked) == 1 else "127.0.0.1"
        return [(0, 0, 0, "", (address, port))]

    class Refusing(httpcore.SyncBackend):
        def connect_tcp(self, host: str, *_: Any, **__: Any) -> Any:
            connected.append(host)
            raise httpcore.ConnectError("refused")

    monkeypatch.setattr(socket, "getaddrinfo", rows)
    monkeypatch.setattr(httpcore, "SyncBackend", Refusing)
    outcome = ssrf.post("https://rebinding.example/", {}, b"{}")
    assert (asked, connected) == (["rebinding.example"], ["93.184.216.34"])
    assert outcome.status is None and "refused" in outcome.error


def test_a_name_server_that_changes_its_mind_leads_nobody_inside(
    tmp_path: Path,
) -> None:
    """With sockets and a resolver that are the system's own, in another network."""
    apart = ["unshare", "--user", "--map-root-user", "--mount", "--net"]
    if sys.platform != "linux" or subprocess.run([*apart, "ip", "link"]).returncode:
        pytest.skip("this account may not have a network of its own")
    resolver = tmp_path / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.1\n")
    module = "tests.extras.webhooks.rebinding"
    program = [sys.executable, "-m", module, str(resolver), OUTSIDE[0]]
    found = subprocess.run(
        [*apart, *program], cwd=site.BASE_DIR, check=True, capture_output=True
    )
    told, asked, reached = json.loads(found.stdout.splitlines()[-1])
    assert [status for status, _error in told] == [None, None]
    assert "unreachable" in told[0][1], "the address that was checked"
    assert "not allowed" in told[1][1], "the other one"
    assert (asked, reached) == (2, False)


def test_a_look_up_that_takes_too_long_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with listening() as program:
        never = program.over.wait
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: never(20) and [])
        with pytest.raises(TimeoutError):
            ssrf.looked_up("slow.example", 443, 0.05)


def test_a_redirect_into_the_network_is_not_followed(settings: Any) -> None:
    settings.WEBHOOK_PRIVATE = True
    with listening() as inside, listening() as program:
        program.answers = [redirect(inside.url)]
        outcome = ssrf.post(program.url, {}, b"{}")
        assert (outcome.status, outcome.arrived) == (302, False)
        assert inside.received == []


@pytest.mark.parametrize("answer", [hang, drip])
def test_a_slow_answer_ends_at_the_limit_of_the_whole(
    answer: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_PRIVATE = True
    monkeypatch.setattr(ssrf, "SECONDS", 0.4)
    with listening() as program:
        program.answers = [answer]
        outcome = ssrf.post(program.url, {}, b"{}")
    assert outcome.status is None and outcome.error == "no answer within 0.4 s"
    assert 300 < outcome.milliseconds < 20_000


def test_of_a_long_answer_a_few_characters_are_kept(settings: Any) -> None:
    settings.WEBHOOK_PRIVATE = True
    with listening() as program:
        program.answers = [status(500, b"\x00\xff<b>" + b"x" * 3_000_000)]
        outcome = ssrf.post(program.url, {}, b"{}")
    assert len(outcome.answer) <= 200 and outcome.answer.isprintable()
    assert (outcome.status, outcome.error) == (500, "answered 500")


def test_no_proxy_of_the_environment_is_asked(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_PRIVATE = True
    with listening() as proxy, listening() as program:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert ssrf.post(program.url, {}, b"{}").arrived
        assert (len(proxy.received), len(program.received)) == (0, 1)


def test_a_certificate_of_nobody_is_refused(settings: Any) -> None:
    """Speaking https to a server that does not is no answer either."""
    settings.WEBHOOK_PRIVATE = True
    with listening() as program:
        outcome = ssrf.post(program.url.replace("http", "https", 1), {}, b"{}")
    assert outcome.status is None and program.received == []
