"""How REST framework and the schema are set up, for the settings of the site."""

from typing import Any

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "leaderboard.api.parsing.SoundJSON",
        "rest_framework.parsers.MultiPartParser",
    ],
    # A token first: whoever has none is told of tokens, by 401.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "leaderboard.api.authentication.BearerToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["leaderboard.api.permissions.Scoped"],
    "DEFAULT_THROTTLE_CLASSES": ["leaderboard.api.throttling.Rates"],
    "EXCEPTION_HANDLER": "leaderboard.api.problems.handler",
    "DEFAULT_SCHEMA_CLASS": "leaderboard.api.schema.AutoSchema",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Plumbline",
    "DESCRIPTION": "Shared tasks with leaderboards that say how sure they are.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": r"/api/v1/",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SORT_OPERATIONS": False,
}
