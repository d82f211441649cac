"""Addresses of the API: their base, parameters, answers and problems."""

from leaderboard.api.idempotency import Deferred, once
from leaderboard.api.problems import ApiError, invalid, unfit
from leaderboard.api.serializers import AnswerSerializer, nullable, objects, strings
from leaderboard.api.urls import PHASE
from leaderboard.api.views.base import (
    FILE,
    IDEMPOTENCY_KEY,
    Endpoint,
    answers,
    form,
    members,
)
from leaderboard.api.views.boards import CHOICES, SYSTEM, SYSTEMS

__all__ = [
    "CHOICES",  # Parameters that choose a board.
    "FILE",  # The schema of a file.
    "IDEMPOTENCY_KEY",  # The header by which a request is not taken twice.
    "PHASE",  # How addresses of a phase begin.
    "SYSTEM",  # The parameter that names a system.
    "SYSTEMS",  # The same for several.
    "AnswerSerializer",  # An answer: members of a row or mapping, read only.
    "ApiError",
    "Deferred",
    "Endpoint",
    "answers",
    "form",
    "invalid",
    "members",
    "nullable",
    "objects",
    "once",
    "strings",
    "unfit",
]
