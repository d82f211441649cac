"""Addresses of the API: their base, parameters, answers and problems."""

# An extra's addresses of the API answer, refuse and are described as the site's.
from leaderboard.api.idempotency import Deferred
from leaderboard.api.problems import ApiError, invalid, unfit
from leaderboard.api.serializers import (
    AnswerSerializer,  # An answer: members of a row or mapping, read only.
)
from leaderboard.api.urls import PHASE  # How addresses of a phase begin.
from leaderboard.api.views.base import Endpoint, answers
from leaderboard.api.views.boards import (
    CHOICES,  # Parameters that choose a board.
    SYSTEMS,  # The same for several.
)
