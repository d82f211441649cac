"""The log, plain for readers or as JSON for programs.

Neither form has what was sent or what is compared with it: of an error the kind and
the places are told in JSON, not its message, which may quote a file.
"""

import logging
import os
import re
import time
from types import TracebackType
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from pythonjsonlogger.json import JsonFormatter

from leaderboard.web import requests

FORMS = ("plain", "json")
FIELDS = "{asctime}{levelname}{name}{message}{process}{request_id}{evaluation}"
BY_CLIENTS = "django.security."
ABOUT_EVALUATION = "evaluation %s"
# Beginnings of addresses of which the rest is as good as a password.
WITH_TOKENS = (
    "/teams/invitations/",
    "/invitations/",
    "/judging/",
    "/api/v1/judging/",
    "/letters/",
    "/results/",
    "/accounts/confirm-email/",
    "/accounts/password/reset/key/",
)
TOKENS = re.compile(rf"({'|'.join(WITH_TOKENS)})[^\s\"'<>]+")


ExcInfo = (
    tuple[type[BaseException], BaseException, TracebackType | None]
    | tuple[None, None, None]
)


def wanted_format() -> str:
    """PLUMBLINE_LOG: "plain" or "json"."""
    form = os.environ.get("PLUMBLINE_LOG", "plain")
    if form not in FORMS:
        raise ImproperlyConfigured('PLUMBLINE_LOG must be "plain" or "json"')
    return form


def configuration(form: str) -> dict[str, Any]:
    """Django's LOGGING: everything to standard error, for whoever keeps it."""
    handler = {
        "class": "logging.StreamHandler",
        "formatter": form,
        "filters": ["clients", "ids", "secrets"],
    }
    level = "INFO" if form == "json" else "WARNING"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "clients": {"()": "leaderboard.web.logs.Clients"},
            "ids": {"()": "leaderboard.web.logs.Ids"},
            "secrets": {"()": "leaderboard.web.logs.Secrets"},
        },
        "formatters": {
            "plain": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
            "json": {"()": "leaderboard.web.logs.Json"},
        },
        "handlers": {"console": handler},
        "root": {"handlers": ["console"], "level": "INFO"},
        # Django's own handlers would mail tracebacks with what was sent.
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            requests.log.name: {"level": level},
            "botocore": {"level": "WARNING"},
            # Two lines for each job, and a sweep every two seconds.
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
        },
    }


class Clients(logging.Filter):
    """Makes a warning, without its places, of what a client alone can have done.

    Django writes an error with a traceback for a host that is not ours, too many fields
    of a form and the like, so that anybody could raise an alarm.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith(BY_CLIENTS) and record.levelno > logging.WARNING:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.exc_info = record.exc_text = None
        return True


class Ids(logging.Filter):
    """Gives every record its request and, if it has one, its evaluation."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = getattr(requests.current.get(), "id", None)
        record.evaluation = getattr(record, "evaluation", None) or _evaluation(record)
        return True


class Secrets(logging.Filter):
    """Takes tokens out of the addresses in a record, wherever in it they stand.

    What follows a token is taken out, too: a token that was mistyped is still one.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        cleaned = without_tokens(message)
        if cleaned != message:
            record.msg, record.args = cleaned, ()
        if record.exc_info:
            # A plain formatter writes what stands here instead of its own.
            text = logging.Formatter().formatException(record.exc_info)
            record.exc_text = without_tokens(text)
        return True


def without_tokens(text: str) -> str:
    return TOKENS.sub(r"\1[token]", text)


def _evaluation(record: logging.LogRecord) -> Any:
    """Messages about one begin with the words, and its number is the first argument."""
    about = isinstance(record.msg, str) and record.msg.startswith(ABOUT_EVALUATION)
    return record.args[0] if about and isinstance(record.args, tuple) else None


class Json(JsonFormatter):
    """One line of JSON per record."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self) -> None:
        names = {"asctime": "time", "levelname": "level", "name": "logger"}
        super().__init__(FIELDS, style="{", rename_fields=names)

    def formatException(self, ei: ExcInfo) -> str:
        """Kind and places, innermost first."""
        places, trace = [], ei[2]
        while trace is not None:
            code = trace.tb_frame.f_code
            where = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno}"
            places.append(f"{where} {code.co_name}")
            trace = trace.tb_next
        kind = ei[0].__name__ if ei[0] else "no error"
        return f"{kind} in {' < '.join(reversed(places))}"

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """A record without fields that do not apply, and without Django's request
        object."""
        log_data.pop("request", None)
        return {key: value for key, value in log_data.items() if value is not None}
