"""The tests' settings for web servers that are processes of their own."""

from tests.settings import *  # noqa: F403
from tests.settings import MIDDLEWARE

MIDDLEWARE = ["tests.many.ForgetContentTypes", *MIDDLEWARE]
# Also what was not collected when the server started
WHITENOISE_USE_FINDERS = True
