"""The log can be read by programs, tells what belongs together, and no secrets."""

import json
import logging
import logging.config
import re
from collections.abc import Iterator
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLResolver, get_resolver

from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks import organizers
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.mail import off_address
from leaderboard.teams.models import User
from leaderboard.web import logs, requests
from tests.leaderboard.small import CANARY, both, upload


@pytest.fixture
def written() -> Iterator[StringIO]:
    """Lines that go to the log in JSON meanwhile."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.Json())
    handler.addFilter(logs.Ids())
    handler.addFilter(logs.Secrets())
    logger, level = logging.getLogger(), requests.log.level
    logger.addHandler(handler)
    requests.log.setLevel(logging.INFO)
    yield stream
    requests.log.setLevel(level)
    logger.removeHandler(handler)


def lines(written: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


@pytest.mark.django_db
def test_a_request_has_an_id_in_answer_and_log(written: StringIO, task: Any) -> None:
    answer = Client().get("/tasks/otters/", headers={"X-Request-Id": "forged"})
    noted = lines(written)[-1]
    assert len(answer["X-Request-Id"]) == 32
    assert noted["request_id"] == answer["X-Request-Id"]
    assert (noted["route"], noted["status"], noted["method"]) == ("task", 200, "GET")
    assert noted["time"].endswith("Z") and noted["level"] == "INFO"
    assert "otters" not in written.getvalue() and "forged" not in written.getvalue()


@pytest.mark.django_db
def test_two_requests_have_two_ids(task: Any) -> None:
    answers = [Client().get("/healthz") for _ in range(2)]
    assert len({answer["X-Request-Id"] for answer in answers}) == 2
    assert requests.current.get() is None


@pytest.mark.django_db
def test_a_failing_worker_names_the_evaluation_and_quotes_nothing(
    written: StringIO, phase: Phase, entry: Participation, monkeypatch: Any
) -> None:
    def burn(*_: Any) -> None:
        raise ValueError(f"the gold has {CANARY}")

    accept.submit(upload(phase, entry, both()))
    waiting = Evaluation.objects.get()
    monkeypatch.setattr(evaluation, "_pairs", burn)
    evaluation.run(waiting.pk)
    noted = [line for line in lines(written) if line.get("evaluation")]
    assert [line["evaluation"] for line in noted] == [waiting.pk]
    assert "ValueError" in noted[0]["message"]
    assert CANARY not in written.getvalue()


def test_an_error_is_told_by_kind_and_place(written: StringIO) -> None:
    def break_it() -> None:
        raise KeyError(CANARY)

    try:
        break_it()
    except KeyError:
        logging.getLogger("any").exception("it broke")
    (noted,) = lines(written)
    assert noted["exc_info"].startswith("KeyError in test_logs.py:")
    assert "break_it" in noted["exc_info"]
    assert CANARY not in written.getvalue()


def test_an_answer_to_nobody_we_know_is_not_noted(written: StringIO) -> None:
    middleware = requests.CurrentRequest(lambda request: HttpResponse("x"))
    answer = middleware(RequestFactory().get("/letters/secret-token/"))
    assert answer["X-Request-Id"]
    assert lines(written) == []


@pytest.mark.parametrize("form", logs.FORMS)
def test_both_forms_can_be_set_up(form: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("PLUMBLINE_LOG", form)
    table = logs.configuration(logs.wanted_format())
    configurator = logging.config.DictConfigurator(table)
    for name, formatter in table["formatters"].items():
        made = configurator.configure_formatter(formatter)
        assert isinstance(made, logging.Formatter), name


def test_a_worker_does_not_note_each_of_its_jobs() -> None:
    """A sweep comes every two seconds; a job that fails is an error."""
    for name in ("celery.worker.strategy", "celery.app.trace"):
        quiet = logging.getLogger(name)
        assert not quiet.isEnabledFor(logging.INFO)
        assert quiet.isEnabledFor(logging.ERROR)


def test_another_form_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setenv("PLUMBLINE_LOG", "xml")
    with pytest.raises(ImproperlyConfigured, match="PLUMBLINE_LOG"):
        logs.wanted_format()


# --- Addresses that are as good as a password ---


@pytest.fixture(params=["plain", "json"])
def as_configured(request: pytest.FixtureRequest) -> Iterator[StringIO]:
    """Lines that a site with that form of log writes meanwhile."""
    stream, logger = StringIO(), logging.getLogger()
    table = logs.configuration(request.param)
    handler = {**table["handlers"]["console"], "stream": stream}
    before = logger.handlers[:], logger.level
    logging.config.dictConfig({**table, "handlers": {"console": handler}})
    yield stream
    logger.handlers[:], logger.level = before


def with_tokens() -> Iterator[str]:
    """The beginnings of the addresses of which routes say that a token follows."""
    for route in routes(get_resolver().url_patterns):
        if found := re.search(r"<(?:str:)?(token|key|uidb36)>", route):
            yield "/" + re.sub(r"[\^$]|\(\?P$", "", route[: found.start()])


def routes(patterns: Any, start: str = "") -> Iterator[str]:
    for one in patterns:
        route = start + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one.url_patterns, route)
        else:
            yield route


def test_the_log_knows_every_address_with_a_token() -> None:
    assert set(with_tokens()) == set(logs.WITH_TOKENS)


@pytest.mark.django_db
@pytest.mark.parametrize("ending", ["", "x/", "%20", "/../", "?next=/"])
def test_no_token_of_a_refused_address_is_logged(
    as_configured: StringIO, task: Any, ending: str
) -> None:
    """Live tokens, in addresses that lead to a page, and that were copied badly."""
    ben = User.objects.create_user("token@example.org", "x", name="ben")
    invitation = organizers.invite(task, "guest@example.org", "editor", ben)
    live = organizers.address(invitation)
    reset = f"/accounts/password/reset/key/{user_pk_to_url_str(ben)}-"
    reset += default_token_generator.make_token(ben)
    off = off_address(ben)
    for address in (live, reset, off):
        path = urlsplit(address).path
        token = path.rstrip("/").rpartition("/")[2]
        for wrong in (path.rstrip("/") + ending, path + "nothing/", path[:-4] + "/"):
            Client().get(wrong)
            Client().delete(wrong)
        assert token[:-4] not in as_configured.getvalue(), address
    assert "[token]" in as_configured.getvalue()


@pytest.mark.django_db
def test_no_token_is_logged_when_the_page_breaks(
    as_configured: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_it(token: str, **_: Any) -> None:
        raise ValueError(f"cannot read /invitations/{token}")

    monkeypatch.setattr(organizers, "loads", break_it)
    token = "kanarietoken:1abc:" + "x" * 40
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_user("token@example.org", "x"))
    assert client.get(f"/invitations/{token}/").status_code == 500
    written = as_configured.getvalue()
    assert "ValueError" in written and "[token]" in written
    assert "kanarietoken" not in written


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["a forged host", "too many fields"])
def test_what_a_client_does_wrong_is_no_error_with_places(
    as_configured: StringIO, what: str
) -> None:
    if what == "a forged host":
        answer = Client().get("/", headers={"host": "evil.example"})
    else:
        answer = Client().post("/accounts/login/", {f"a{i}": "" for i in range(2001)})
    assert answer.status_code == 400
    written = as_configured.getvalue()
    assert "django.security" in written
    assert "ERROR" not in written and "Traceback" not in written
