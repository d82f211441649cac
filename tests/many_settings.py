"""The tests' settings for web servers that are processes of their own."""

from tests.settings import *  # noqa: F403
from tests.settings import MIDDLEWARE

MIDDLEWARE = ["tests.many.ForgetContentTypes", *MIDDLEWARE]
# Files are handed out as they are collected, also by a server that runs already.
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
