"""Addresses of the API: their base, parameters, answers and problems."""

from leaderboard.api.problems import ApiError
from leaderboard.api.serializers import AnswerSerializer, nullable, objects, strings
from leaderboard.api.urls import PHASE
from leaderboard.api.views.base import Endpoint, answers, form
from leaderboard.api.views.boards import CHOICES

__all__ = [
    "CHOICES",
    "PHASE",
    "AnswerSerializer",
    "ApiError",
    "Endpoint",
    "answers",
    "form",
    "nullable",
    "objects",
    "strings",
]
