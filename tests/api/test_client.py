"""The client against a site that is played, and one that is not there."""

import io
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from plumbline import credentials, exits
from plumbline.__main__ import main
from plumbline.exits import Ended
from plumbline.files import by_test_set
from plumbline.site import check_address
from tests.leaderboard.small import perfect

PHASE = {
    "test_sets": ["north"],
    "scoring": {"scorer": "attachment", "options": {}},
    "files": [
        {
            "name": "north",
            "blind": {
                "name": "north.conllu",
                "sha256": "",
                "address": "http://elsewhere/blind",
            },
        }
    ],
}
SENT = {
    "id": "1" * 8 + "-" + "1" * 27,
    "system": "x",
    "task": "otters",
    "phase": "test",
    "state": "queued",
    "text": "",
    "problems": [],
    "scores": {},
    "withheld": [],
}
SUBMIT = ["submit", "otters/test", "north.conllu", "--system", "x"]


class Played(BaseHTTPRequestHandler):
    """Answers from `script`: by path, a list of (status, body); None drops the line."""

    script: dict[str, list[Any]]
    seen: list[tuple[str, str, str]]

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.seen.append((self.command, path, self.headers.get("Idempotency-Key", "")))
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        waiting = self.script[path]
        found = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if found is None:
            self.close_connection = True
            return
        status, body = found
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET

    def log_message(self, *args: Any) -> None:
        """Silence."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[type[Played]]:
    """A site with one phase, and a folder with one file."""
    script = {
        "/api/v1/tasks/otters/phases/test/": [(200, PHASE)],
        "/blind": [(200, perfect())],
    }
    handler = type("Handler", (Played,), {"script": script, "seen": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(credentials.SITE, f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv(credentials.TOKEN, "plb_test")
    monkeypatch.chdir(tmp_path)
    Path("north.conllu").write_bytes(perfect())
    yield handler
    server.shutdown()
    server.server_close()
    thread.join()


UPLOADS = "/api/v1/tasks/otters/test/submissions/"


def keys(site: type[Played]) -> list[str]:
    return [key for method, _path, key in site.seen if method == "POST"]


def test_a_broken_connection_does_not_submit_twice(site: type[Played]) -> None:
    site.script[UPLOADS] = [None, (201, SENT)]
    assert main(SUBMIT) == exits.SITE_FAILED
    assert main(SUBMIT) == exits.FINE
    first, second = keys(site)
    assert first == second != ""
    assert main(SUBMIT) == exits.FINE  # meant: the first was answered
    assert keys(site)[2] != first


def test_a_site_that_fails_keeps_the_key_and_a_refusal_frees_it(
    site: type[Played],
) -> None:
    problem = {"detail": "No more today.", "code": "quota_used"}
    site.script[UPLOADS] = [(503, {}), (429, problem), (201, SENT)]
    assert main(SUBMIT) == exits.SITE_FAILED
    assert main(SUBMIT) == exits.REFUSED_BY_SITE
    assert main(SUBMIT) == exits.FINE
    first, second, third = keys(site)
    assert first == second != third


def test_a_test_set_that_is_named_again_is_the_next_run(
    site: type[Played], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["north=a.conllu", "north=b.conllu"]
    several = {**PHASE, "most_runs": 2}
    parts = {"north": Path("a.conllu"), "north.2": Path("b.conllu")}
    assert by_test_set(words, several) == parts
    for phase, given in ((PHASE, words), (several, [*words, "north=c.conllu"])):
        with pytest.raises(Ended, match="say TEST_SET=FILE"):
            by_test_set(given, phase)


def test_every_run_is_checked_before_it_is_sent(
    site: type[Played], capsys: pytest.CaptureFixture[str]
) -> None:
    site.script["/api/v1/tasks/otters/phases/test/"] = [
        (200, {**PHASE, "most_runs": 2})
    ]
    site.script[UPLOADS] = [(201, SENT)]
    Path("second.conllu").write_bytes(perfect().replace(b"\t0\troot", b"\t9\troot"))
    assert main([*SUBMIT[:3], "second.conllu", *SUBMIT[3:]]) == exits.UNFIT
    assert "second.conllu:4" in capsys.readouterr().err and keys(site) == []
    Path("second.conllu").write_bytes(perfect())
    words = [*SUBMIT[:3], "second.conllu", *SUBMIT[3:]]
    assert main(words) == exits.FINE
    assert len(keys(site)) == 1


def test_a_file_with_problems_is_not_sent(
    site: type[Played], capsys: pytest.CaptureFixture[str]
) -> None:
    broken = perfect().replace(b"\t0\troot", b"\t9\troot")
    Path("north.conllu").write_bytes(broken)
    assert main(SUBMIT) == exits.UNFIT
    assert "north.conllu:4" in capsys.readouterr().err and keys(site) == []
    assert main(["check", "otters/test", "north=north.conllu"]) == exits.UNFIT


def test_a_file_without_problems_is_fine(
    site: type[Played], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "otters/test", "north.conllu"]) == exits.FINE
    assert capsys.readouterr().out == "fine\n"


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("scored", exits.FINE),
        ("late", exits.FINE),
        ("invalid", exits.NOT_SCORED),
        ("timeout", exits.NOT_SCORED),
        ("failed_system", exits.SITE_FAILED),
    ],
)
def test_waiting_ends_with_a_code_for_each_result(
    site: type[Played], state: str, code: int
) -> None:
    site.script[UPLOADS] = [(201, SENT)]
    path = f"/api/v1/submissions/{SENT['id']}/"
    site.script[path] = [(200, {**SENT, "state": state})]
    assert main([*SUBMIT, "--wait"]) == code


def test_waiting_ends_when_its_time_is_over(site: type[Played]) -> None:
    site.script[f"/api/v1/submissions/{SENT['id']}/"] = [(200, SENT)]
    command = ["status", str(SENT["id"]), "--wait", "--timeout", "0"]
    assert main(command) == exits.UNDER_WAY
    assert main(["status", str(SENT["id"])]) == exits.FINE


def test_a_busy_site_is_asked_again(
    site: type[Played], capsys: pytest.CaptureFixture[str]
) -> None:
    site.script["/api/v1/tasks/"] = [(503, {}), (429, {}), (200, [])]
    assert main(["tasks"]) == exits.FINE
    assert capsys.readouterr().out == "no tasks\n"


def test_lists_say_times_to_the_second(
    site: type[Played], capsys: pytest.CaptureFixture[str]
) -> None:
    phase = {"name": "test", "state": "open", "closes": "2026-12-01T11:59:59.123456Z"}
    task = {"slug": "otters", "scorer": "labels", "title": "Otters", "phases": [phase]}
    sent = SENT | {"received_at": "2026-11-27T08:06:07.450442Z"}
    site.script["/api/v1/tasks/"] = [(200, [task])]
    site.script["/api/v1/tasks/otters/submissions/"] = [(200, {"submissions": [sent]})]
    assert main(["tasks"]) == main(["status", "otters"]) == exits.FINE
    printed = capsys.readouterr().out
    assert "2026-12-01T11:59:59Z" in printed and "2026-11-27T08:06:07Z" in printed
    assert "123456" not in printed and "450442" not in printed


@pytest.mark.thorough
def test_a_site_that_leads_elsewhere_is_not_followed(site: type[Played]) -> None:
    site.script["/api/v1/tasks/"] = [(302, {})]
    assert main(["tasks"]) == exits.REFUSED_BY_SITE


def test_a_site_that_is_not_there_is_told_apart(
    site: type[Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(credentials.SITE, "http://127.0.0.1:9")
    assert main(["tasks"]) == exits.SITE_FAILED


@pytest.mark.parametrize("address", ["", "http://example.org", "ftp://x", "https://"])
def test_a_token_goes_nowhere_in_the_clear(address: str) -> None:
    with pytest.raises(exits.Ended) as ended:
        check_address(address)
    assert ended.value.code == exits.USAGE


def test_addresses_lose_what_is_not_the_site() -> None:
    assert check_address("plumb.example/tasks/") == "https://plumb.example"
    assert check_address("http://localhost:8000/") == "http://localhost:8000"


@pytest.mark.parametrize(
    "command",
    [
        ["submit", "otters", "x", "--system", "y"],
        ["nothing"],
        ["check", "otters/test", "south=north.conllu"],
        ["check", "otters/test", "north=absent.conllu"],
    ],
)
def test_a_wrong_command_says_so(site: type[Played], command: list[str]) -> None:
    try:
        code = main(command)
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == exits.USAGE


def test_what_is_kept_is_for_its_owner_alone(site: type[Played]) -> None:
    place = credentials.keep_token("http://localhost", "plb_x")
    assert place.stat().st_mode & 0o777 == 0o600
    assert credentials.folder().stat().st_mode & 0o777 == 0o700


def test_a_bundle_is_pushed_as_it_was_pulled(
    site: type[Played], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the note of what it was changed from nothing is applied."""
    Path("task.zip").write_bytes(b"zip")
    path = "/api/v1/tasks/otters/bundle/"
    result = {"applied": False, "etag": '"x"', "changes": [], "corrected_gold": []}
    site.script[path] = [(200, result)]
    assert main(["bundle", "push", "otters", "task.zip"]) == exits.FINE
    assert capsys.readouterr().out == "nothing changes\n"
    push = ["bundle", "push", "otters", "task.zip", "--apply"]
    assert main(push) == exits.REFUSED_BY_SITE
    Path("task.zip.etag").write_text('"x"')
    assert main(push) == exits.FINE


def test_a_board_is_put_together_from_its_pages(
    site: type[Played], capsys: pytest.CaptureFixture[str]
) -> None:
    pages = [
        {"rows": [{"team": team}], "rows_in_all": 2, "page": number, "pages": 2}
        for number, team in enumerate(("Alder", "Birch"), 1)
    ]
    site.script["/api/v1/tasks/otters/test/board/"] = [(200, page) for page in pages]
    assert main(["--json", "board", "otters/test", "--all"]) == exits.FINE
    board = json.loads(capsys.readouterr().out)
    assert [row["team"] for row in board["rows"]] == ["Alder", "Birch"]


def test_who_sits_at_a_terminal_is_asked_about_the_blind_file(
    site: type[Played],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    site.script[UPLOADS] = [(201, SENT)]
    for said, code in (("n\n", exits.UNFIT), ("", exits.UNFIT), ("y\n", exits.FINE)):
        terminal = io.StringIO(said)
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr("sys.stdin", terminal)
        assert main(SUBMIT) == code
        assert "uses an attempt? [y/N]" in capsys.readouterr().err
