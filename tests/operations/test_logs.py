"""The log can be read by programs, tells what belongs together, and no secrets."""

import json
import logging
import logging.config
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import Client, RequestFactory

from leaderboard import logs
from leaderboard.submissions import evaluation, intake
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.models import Participation, Phase
from tests.leaderboard.small import CANARY, both, upload


@pytest.fixture
def written() -> Iterator[StringIO]:
    """What goes to the log in JSON meanwhile."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.Json())
    handler.addFilter(logs.Ids())
    logger, level = logging.getLogger(), logs.log.level
    logger.addHandler(handler)
    logs.log.setLevel(logging.INFO)
    yield stream
    logs.log.setLevel(level)
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
    assert logs.current.get() is None


@pytest.mark.django_db
def test_a_failing_worker_names_the_evaluation_and_quotes_nothing(
    written: StringIO, phase: Phase, entry: Participation, monkeypatch: Any
) -> None:
    def burn(*_: Any) -> None:
        raise ValueError(f"the gold has {CANARY}")

    intake.submit(upload(phase, entry, both()))
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
    middleware = logs.RequestId(lambda request: HttpResponse("x"))
    answer = middleware(RequestFactory().get("/letters/secret-token/"))
    assert answer["X-Request-Id"]
    assert lines(written) == []


@pytest.mark.parametrize("form", logs.FORMS)
def test_both_forms_can_be_set_up(form: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("PLUMBLINE_LOG", form)
    table = logs.configuration(logs.wanted())
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
        logs.wanted()
