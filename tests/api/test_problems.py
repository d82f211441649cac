"""Whatever goes wrong is answered as a problem document."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.api import requests
from leaderboard.api.models import Scope
from leaderboard.api.problems import CODES, handler
from leaderboard.submissions.models import Submission
from leaderboard.tasks import access
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import perfect

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
SUBMIT = "/api/v1/tasks/otters/test/submissions/"
JOIN = "/api/v1/tasks/otters/team/"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
NAMED = b'Content-Disposition: form-data; name="name"'
MEMBERS = {"type", "title", "status", "detail", "code"}


def parts(count: int, file: str = "", text: bytes = b"x") -> bytes:
    """A form of so many parts with the boundary `b`, files if they have a name."""
    name = f'; filename="{file}"' if file else ""
    head = 'Content-Disposition: form-data; name="%d"' + name
    made = [(head % i).encode() + b"\r\n\r\n" + text for i in range(count)]
    return b"--b\r\n" + b"\r\n--b\r\n".join(made) + b"\r\n--b--\r\n"


def problem(answer: Any, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found.keys() >= MEMBERS
    assert (found["status"], found["code"]) == (status, code)
    assert found["type"] == f"/api/docs/#{code}" and code in CODES
    return found


def test_an_address_that_is_none_is_a_problem(client: Client) -> None:
    problem(client.get("/api/v1/nowhere/"), 404, "not_found")
    problem(client.post("/api/v2/"), 404, "not_found")
    problem(client.get("/api/v1/tasks/voles/"), 404, "not_found")


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("nowhere/else/", "no address “v1/nowhere/else/”"),
        ("tasks/voles/", "task “voles”"),
        ("tasks/otters/west/board/", "task “otters”, phase “west”"),
        ("tasks/otters/test/test-sets/west/blind/", "name “west”"),
        ("tasks/otters/gold-revisions/9/", "number “9”"),
        ("submissions/3fa85f64-5717-4562-b3fc-2c963f66afa6/", "number “3fa85f64-"),
        (f"tasks/{'x' * 3000}/", "task “xxx"),
    ],
)
def test_who_finds_nothing_reads_by_which_names(
    address: str, named: str, ada: User, phase: Phase
) -> None:
    program = bearer(ada, Scope.READ, Scope.ORGANIZE)
    found = problem(program.get(f"/api/v1/{address}"), 404, "not_found")
    assert named in found["detail"] and len(found["detail"]) < 300


def test_a_draft_is_no_more_there_than_what_is_not(
    client: Client, phase: Phase
) -> None:
    absent = client.get("/api/v1/tasks/voles/test/board/").json()["detail"]
    phase.task.draft = True
    phase.task.save(update_fields=["draft"])
    hidden = client.get("/api/v1/tasks/otters/test/board/").json()["detail"]
    assert hidden == absent.replace("voles", "otters")


def test_a_forgotten_slash_leads_on(client: Client, phase: Phase) -> None:
    answer = client.get("/api/v1/tasks?x=1")
    assert (answer.status_code, answer["Location"]) == (302, "/api/v1/tasks/?x=1")


def test_a_method_that_is_not_taken_is_a_problem(client: Client, phase: Phase) -> None:
    answer = client.post("/api/v1/tasks/otters/")
    problem(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "GET, HEAD, OPTIONS"


def test_a_body_of_another_form_is_a_problem(entry: Participation, ben: User) -> None:
    answer = bearer(ben, "submit").post(SUBMIT, {}, content_type="application/json")
    detail = problem(answer, 415, "unsupported_media_type")["detail"]
    assert "application/json" in detail
    assert detail.endswith("Send the body as multipart/form-data.")


@pytest.mark.parametrize(
    ("media_type", "body", "said"),
    [
        ("multipart/form-data", b"x", "boundary"),
        ("multipart/form-data; boundary=b", parts(2001), "2000 fields"),
        ("multipart/form-data; boundary=b", parts(121, "a"), "120 files"),
        ("multipart/form-data; boundary=b", parts(1, text=b"x" * 3_000_000), "bytes"),
    ],
    ids=["no boundary", "many fields", "many files", "long field"],
)
def test_a_body_that_cannot_be_read_is_a_problem(
    entry: Participation, ben: User, media_type: str, body: bytes, said: str
) -> None:
    answer = bearer(ben, "submit").post(SUBMIT, body, content_type=media_type)
    assert said in problem(answer, 400, "parse_error")["detail"].lower()


def test_an_ordinary_form_is_read_as_json_is(phase: Phase, ben: User) -> None:
    client = bearer(ben, "submit")
    body = "name=River+House&accept_terms=true"
    answer = client.post(JOIN, body, content_type=FORM)
    assert answer.status_code == 201, answer.text
    assert answer.json()["team"]["name"] == "River House"


@pytest.mark.parametrize(
    ("media_type", "body", "said"),
    [
        (FORM, "&".join(f"f{i}=x" for i in range(2001)), "2000 fields"),
        (f"{FORM}; charset=rot13", "name=x", "must be UTF-8"),
    ],
    ids=["many fields", "odd charset"],
)
def test_an_ordinary_form_that_cannot_be_read_is_a_problem(
    phase: Phase, ben: User, media_type: str, body: str, said: str
) -> None:
    client = bearer(ben, "submit")
    answer = client.generic("POST", JOIN, body, content_type=media_type)
    found = answer.json()
    assert (answer.status_code, found["code"]) == (400, "parse_error"), found
    assert said in found["detail"]


def test_a_form_of_parts_is_utf8_whatever_charset_it_names(
    phase: Phase, ben: User
) -> None:
    body = b"--b\r\n%s\r\n\r\nx\r\n--b--\r\n" % NAMED
    kind = "multipart/form-data; boundary=b; charset=rot13"
    answer = bearer(ben, "submit").generic("POST", JOIN, body, content_type=kind)
    assert answer.status_code == 201, answer.text
    assert answer.json()["team"]["name"] == "x"


@pytest.mark.parametrize(
    "body",
    ["[" * 100_000, "[" * 940 + "]" * 940, '{"\\ud800": 1}', '{"name": "\\ud800"}'],
    ids=["open brackets", "brackets", "half a key", "half a value"],
)
def test_json_that_nothing_can_be_done_with_is_a_problem(
    phase: Phase, ben: User, body: str
) -> None:
    client = bearer(ben, "submit")
    for headers in ({}, {"Idempotency-Key": "once"}):
        answer = client.post(JOIN, body, content_type=JSON, headers=headers)
        problem(answer, 400, "parse_error")


def test_what_breaks_on_our_side_is_a_problem_too(
    phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(access, "task_or_404", broken)
    client = Client(raise_request_exception=False)
    problem(client.get("/api/v1/tasks/otters/"), 500, "our_fault")


def test_pages_tell_readers_of_errors_in_html(client: Client, phase: Phase) -> None:
    here = {"Origin": "http://testserver"}
    form = "multipart/form-data"
    answer = client.post("/language/", b"x", content_type=form, headers=here)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "text/html; charset=utf-8"


def test_another_form_than_json_is_not_to_be_had(client: Client, phase: Phase) -> None:
    answer = client.get("/api/v1/tasks/", headers={"Accept": "application/xml"})
    problem(answer, 406, "not_acceptable")


def test_format_problems_have_their_lines(entry: Participation, ben: User) -> None:
    broken = perfect().replace(b"\t0\troot", b"\t9\troot")
    fields = {"system": "x", "file_north": SimpleUploadedFile("n.conllu", broken)}
    found = problem(bearer(ben, "submit").post(SUBMIT, fields), 422, "unfit")
    assert [(one["file"], one["line"]) for one in found["problems"]] == [
        ("n.conllu", 4),
        ("n.conllu", 9),
    ]
    assert found["detail"].startswith("2 problems, first: ")


def test_a_field_that_is_missing_is_named(entry: Participation, ben: User) -> None:
    found = problem(bearer(ben, "submit").post(SUBMIT, {}), 422, "invalid")
    assert "system" in found["errors"]


def test_the_sentence_says_which_field_is_wrong(
    entry: Participation, ben: User
) -> None:
    found = problem(bearer(ben, "submit").post(SUBMIT, {}), 422, "invalid")
    assert found["detail"] == "system: This field is required."
    both = problem(bearer(ben, "submit").post(JOIN, {}), 422, "invalid")
    assert both["detail"] == "name: Choose a team or name a new one."


def file(data: bytes = perfect()) -> SimpleUploadedFile:
    return SimpleUploadedFile("n.conllu", data)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"file_nord": file()}, "“file_nord” is none of the files asked for"),
        ({"south": file()}, "“south” is none of the files asked for"),
        ({"file_south": "south.conllu"}, "file_south: This is a text"),
        ({"description": ["this", "or that"]}, "description: Send this once"),
    ],
    ids=["mistyped", "without its beginning", "a text", "twice"],
)
def test_a_file_for_no_test_set_is_refused_not_passed_over(
    entry: Participation, ben: User, more: dict[str, Any], said: str
) -> None:
    """A phase counts 0 for what is left out, and an attempt is used."""
    fields = {"system": "x", "file_north": file(), **more}
    found = problem(bearer(ben, "submit").post(SUBMIT, fields), 422, "invalid")
    assert said in found["detail"]
    assert not Submission.objects.exists()


def test_a_field_that_a_browser_left_empty_is_no_stray(
    entry: Participation, ben: User
) -> None:
    fields = {"system": "x", "file_north": file(), "file_south": "", "archive": ""}
    assert bearer(ben, "submit").post(SUBMIT, fields).status_code == 201


def test_a_file_over_the_limit_is_a_problem_of_its_own(
    entry: Participation, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "UPLOAD_BYTES", 10)
    fields = {"system": "x", "file_north": SimpleUploadedFile("n.conllu", perfect())}
    found = problem(bearer(ben, "submit").post(SUBMIT, fields), 413, "too_large")
    assert "file_north" in found["errors"]


def test_a_refusal_says_when_to_return(
    phase: Phase, entry: Participation, ben: User
) -> None:
    phase.daily_limit = 0
    phase.save()
    fields = {"system": "x", "file_north": SimpleUploadedFile("n.conllu", perfect())}
    client = bearer(ben, "submit")
    look = client.get(SUBMIT).json()
    found = problem(client.post(SUBMIT, fields), 429, "quota_used")
    assert found["next_at"] and found["left"]["today"] == 0
    assert not look["may_submit"]
    assert (look["code"], look["detail"]) == ("quota_used", found["detail"])


def test_every_refusal_has_its_line_in_the_list() -> None:
    def codes(kind: type[Refusal]) -> set[str]:
        return {kind.code}.union(*map(codes, kind.__subclasses__()))

    assert codes(Refusal) - {"refused"} <= CODES.keys()


def test_who_asks_too_often_is_told_when_to_come_back(
    phase: Phase, ben: User, cy: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "API_RATES", dict.fromkeys(settings.API_RATES, 2))
    mine, other = bearer(ben), bearer(cy)
    answers = [mine.get("/api/v1/tasks/") for _ in range(3)]
    if answers[-1].status_code == 200:  # the minute ended in between
        answers += [mine.get("/api/v1/tasks/") for _ in range(2)]
    assert answers[0]["RateLimit-Policy"] == '"read";q=2;w=60'
    assert answers[0]["RateLimit"].startswith('"read";r=1;t=')
    problem(answers[-1], 429, "throttled")
    assert 0 < int(answers[-1]["Retry-After"]) <= 60
    assert other.get("/api/v1/tasks/").status_code == 200
    assert Client().get("/api/v1/tasks/").status_code == 200


@pytest.fixture
def within_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = SimpleNamespace(time=lambda: 1_700_000_000.0)
    monkeypatch.setattr(requests, "time", moment)


def statuses(client: Client, times: int) -> list[int]:
    return [client.get("/api/v1/tasks/").status_code for _ in range(times)]


def test_reading_writing_tokens_and_visitors_have_limits_of_their_own(
    phase: Phase, ben: User, settings: Any, within_a_minute: None
) -> None:
    settings.API_RATES = {
        "read": 3,
        "write": 2,
        "anonymous_read": 1,
        "anonymous_write": 1,
    }
    one, other = bearer(ben, *Scope), bearer(ben)
    assert statuses(one, 4) == [200, 200, 200, 429]
    writes = [one.post(JOIN, {}, content_type=JSON).status_code for _ in range(3)]
    assert 429 not in writes[:2] and writes[2] == 429
    assert statuses(other, 4) == [200, 200, 200, 429]
    assert statuses(Client(), 2) == [200, 429]
    assert statuses(Client(REMOTE_ADDR="192.0.2.7"), 2) == [200, 429]


def test_the_page_explains_every_code(client: Client) -> None:
    page = client.get("/api/docs/").content.decode()
    assert all(f'id="{code}"' in page for code in CODES)
    assert "/api/v1/tasks/{slug}/{phase}/submissions/" in page


def test_no_answer_is_kept_by_others(client: Client, phase: Phase) -> None:
    answer = client.get("/api/v1/tasks/")
    assert "private" in answer["Cache-Control"] and "Authorization" in answer["Vary"]


def test_codes_of_the_document_are_codes_of_the_site() -> None:
    text = Path(settings.BASE_DIR, "docs", "api.md").read_text("utf-8")
    table = text.partition("| what | codes |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`([a-z_]+)`", table)) - {"next_at"}
    assert len(named) > 20 and named <= set(CODES)


def test_a_refusal_for_want_of_room_says_when_to_come_back() -> None:
    """Whichever view it came through, also one that does not look for it."""
    busy = Refusal("too many wait", code="busy", status=503, retry_seconds=30)
    answer = handler(busy, {"view": SimpleNamespace(refused_as="")})
    assert answer is not None and answer.status_code == 503
    assert (answer.data["code"], answer["Retry-After"]) == ("busy", "30")


def test_a_choice_that_a_board_does_not_have_is_told_with_what_there_is(
    client: Client, phase: Phase
) -> None:
    board = "/api/v1/tasks/otters/test/board/"
    for query, said in {
        "measure=foo": "There is no “foo” here; expected one of ",
        "slice=foo": "There is no “foo” here",
        "test_set=nroth": "There is no “nroth” here; did you mean “north”?",
        "measure=uass": "There is no “uass” here; did you mean “uas”?",
        "slice=documnet:a": "There is no “documnet:a” here",
        "test_set=foo": "There is no “foo” here; expected one of north, south.",
        "board=foo": "There is no “foo” here",
        "part=foo": "There is no “foo” here; expected one of all.",
        "fact.foo=1": "There is no “foo” here",
        "at=foo": "“foo” is no day or time; expected one as 2026-05-01.",
        "measure=" + "x" * 500: f"There is no “{'x' * 60}” here",
    }.items():
        found = problem(client.get(f"{board}?{query}"), 404, "not_found")
        assert said in found["detail"], query
    known = problem(client.get(f"{board}?measure=foo"), 404, "not_found")["detail"]
    assert "las" in known and "uas" in known


def test_a_team_of_ones_own_name_is_told_how_to_send_it(
    entry: Participation, ben: User
) -> None:
    Participation.objects.all().delete()
    client, name = bearer(ben, Scope.SUBMIT), entry.team.name
    for written in (name, name.upper(), f" {name} "):
        data = {"name": written, "terms": True}
        found = problem(client.post(JOIN, data), 422, "invalid")
        assert f"team: {entry.team.pk}" in found["detail"]
    joined = client.post(JOIN, {"team": entry.team.pk, "terms": True})
    assert joined.status_code == 201
