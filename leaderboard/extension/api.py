"""Addresses of the API: their base, parameters, answers and problems."""

from leaderboard.api.idempotency import Deferred
from leaderboard.api.problems import ApiError, invalid, unfit
from leaderboard.api.serializers import AnswerSerializer
from leaderboard.api.urls import PHASE
from leaderboard.api.views.base import Endpoint, answers
from leaderboard.api.views.boards import CHOICES, SYSTEMS

# An extra's addresses of the API answer, refuse and are described as the site's.
__all__ = [
    "CHOICES",  # Parameters that choose a board.
    "PHASE",  # How addresses of a phase begin.
    "SYSTEMS",  # The same for several.
    "AnswerSerializer",  # An answer: members of a row or mapping, read only.
    "ApiError",
    "Deferred",
    "Endpoint",
    "answers",
    "invalid",
    "unfit",
]
