"""Identity providers that people may sign in with, as the environment names them.

ORCID and institutions speak OpenID Connect, GitHub its own OAuth 2. Imported by the
settings, so nothing here needs them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

GITHUB, GITHUB_URL = "github", "https://github.com"
# Of an institution; further ones have a number: PLUMBLINE_OIDC_2_NAME
NEEDED = ("NAME", "URL", "CLIENT_ID", "SECRET")
PARTS = ", ".join((*NEEDED, "ORIGINS"))
OIDC = re.compile(rf"PLUMBLINE_OIDC_(?:([1-9]\d*)_)?({PARTS.replace(', ', '|')})")


@dataclass(frozen=True)
class IdentityProvider:
    """One provider: its `id` in addresses, the `name` on buttons, its address, and the
    client that the operator registered there. `origins` are those that its pages of
    signing in lie at, which forms may lead to."""

    id: str
    name: str
    url: str
    client_id: str
    secret: str
    origins: tuple[str, ...]

    @property
    def login_url(self) -> str:
        where = GITHUB if self.id == GITHUB else f"oidc/{self.id}"
        return f"/accounts/{where}/login/"

    def as_app(self) -> dict[str, Any]:
        """The app as allauth wants it in SOCIALACCOUNT_PROVIDERS."""
        app = {"client_id": self.client_id, "secret": self.secret, "name": self.name}
        if self.id == GITHUB:
            return app
        return app | {"provider_id": self.id, "settings": {"server_url": self.url}}


def from_environment(environ: Mapping[str, str]) -> tuple[IdentityProvider, ...]:
    """The providers whose client is named. Raises ImproperlyConfigured for one of which
    a part is missing, or whose address is not https."""
    get = environ.get
    orcid = {
        "NAME": "ORCID",
        "URL": get("PLUMBLINE_ORCID_URL") or "https://orcid.org",
        "CLIENT_ID": get("PLUMBLINE_ORCID_CLIENT_ID", ""),
        "SECRET": get("PLUMBLINE_ORCID_SECRET", ""),
    }
    github = {
        "NAME": "GitHub",
        "URL": get("PLUMBLINE_GITHUB_URL") or GITHUB_URL,
        "CLIENT_ID": get("PLUMBLINE_GITHUB_CLIENT_ID", ""),
        "SECRET": get("PLUMBLINE_GITHUB_SECRET", ""),
    }
    institution = {
        "NAME": get("PLUMBLINE_OIDC_NAME", ""),
        "URL": get("PLUMBLINE_OIDC_URL", ""),
        "CLIENT_ID": get("PLUMBLINE_OIDC_CLIENT_ID", ""),
        "SECRET": get("PLUMBLINE_OIDC_SECRET", ""),
    }
    pages = get("PLUMBLINE_OIDC_ORIGINS", "").split()
    providers = (
        _provider("orcid", "ORCID", orcid),
        _provider(GITHUB, "GITHUB", github),
        _provider("institution", "OIDC", institution, pages),
        *_more_institutions(environ),
    )
    return tuple(provider for provider in providers if provider)


def _more_institutions(
    environ: Mapping[str, str],
) -> Iterator[IdentityProvider | None]:
    """Institutions whose settings have a number, in its order."""
    given: dict[int, dict[str, str]] = {}
    for name, value in environ.items():
        if name.startswith("PLUMBLINE_OIDC_"):
            match = OIDC.fullmatch(name)
            if match is None:
                words = f"{name} is no setting: those of institutions end in {PARTS}"
                raise ImproperlyConfigured(f"{words}, as PLUMBLINE_OIDC_2_URL")
            given.setdefault(int(match[1] or 0), {})[match[2]] = value
    for number, values in sorted(given.items()):
        if number:
            named = {part: values.get(part, "") for part in NEEDED}
            pages = values.get("ORIGINS", "").split()
            yield _provider(f"institution-{number}", f"OIDC_{number}", named, pages)


def _provider(
    name: str, prefix: str, given: Mapping[str, str], pages: Sequence[str] = ()
) -> IdentityProvider | None:
    """The provider of these settings; None without a client."""
    if not (given["CLIENT_ID"] or given["SECRET"]):
        return None
    missing = [f"PLUMBLINE_{prefix}_{of}" for of in given if not given[of].strip()]
    if missing:
        message = f"for signing in elsewhere set {', '.join(missing)}, too"
        raise ImproperlyConfigured(message)
    url = given["URL"].strip().rstrip("/")
    if not _is_safe(url):
        raise ImproperlyConfigured(f"PLUMBLINE_{prefix}_URL must begin with https://")
    return IdentityProvider(
        id=name,
        name=given["NAME"].strip(),
        url=url,
        client_id=given["CLIENT_ID"].strip(),
        secret=given["SECRET"].strip(),
        origins=tuple(map(_origin, (url, *pages))),
    )


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    own = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return parts.scheme == "https" or (parts.scheme == "http" and own)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def as_settings(providers: tuple[IdentityProvider, ...]) -> dict[str, dict[str, Any]]:
    """SOCIALACCOUNT_PROVIDERS of allauth, with PKCE, and a nonce where there is one."""
    apps: dict[str, list[dict[str, Any]]] = {GITHUB: [], "openid_connect": []}
    by_kind: dict[str, dict[str, Any]] = {
        kind: {"APPS": rows, "OAUTH_PKCE_ENABLED": True} for kind, rows in apps.items()
    }
    by_kind["openid_connect"]["provider_class"] = (
        "leaderboard.teams.openid.OpenIDProvider"
    )
    for provider in providers:
        kind = GITHUB if provider.id == GITHUB else "openid_connect"
        apps[kind].append(provider.as_app())
        if provider.id == GITHUB and provider.url != GITHUB_URL:
            by_kind[GITHUB]["GITHUB_URL"] = provider.url
    return by_kind
