"""Requests of people who are signed in, for views whose mark lets nobody else in."""

from django.http import HttpRequest
from rest_framework.request import Request

from leaderboard.teams.models import User


class SignedInRequest(HttpRequest):
    """A request whose `user` has an account."""

    user: User


class SignedInCall(Request):
    """A request to the API whose `user` has an account."""

    user: User
