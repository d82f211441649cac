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
    "CHOICES",
    "FILE",
    "IDEMPOTENCY_KEY",
    "PHASE",
    "SYSTEM",
    "SYSTEMS",
    "AnswerSerializer",
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
