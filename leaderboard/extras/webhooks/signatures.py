"""Signatures of deliveries, after the Standard Webhooks convention.

The secret of a webhook is not stored: it is made of the site's SECRET_KEY and the
webhook's own chance. A copy of the database alone signs nothing, and nobody has to look
after a second key. The stored fingerprint tells whether it still is the secret that its
owner was shown: with a new SECRET_KEY it is as long as the old one is among
SECRET_KEY_FALLBACKS.
"""

import hmac
from base64 import b64encode
from hashlib import sha256
from secrets import token_urlsafe

from django.conf import settings
from django.utils.crypto import salted_hmac

from leaderboard.extras.webhooks.models import Webhook

SALT = "secret of a webhook"
PREFIX = "whsec_"
VERSION = "v1"


class KeyChanged(Exception):
    """The site's key is not the one that the secret was made with."""


def seal(hook: Webhook) -> None:
    """Give a new webhook its chance, and so its secret."""
    hook.nonce = token_urlsafe(32)
    key = _derived(settings.SECRET_KEY, hook.nonce)
    hook.fingerprint = sha256(key).hexdigest()


def key_of(hook: Webhook) -> bytes:
    """The 32 bytes that sign. Raises KeyChanged."""
    for site_key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        key = _derived(site_key, hook.nonce)
        if sha256(key).hexdigest() == hook.fingerprint:
            return key
    raise KeyChanged


def secret_of(hook: Webhook) -> str:
    """The same as its owner is shown it."""
    return PREFIX + b64encode(key_of(hook)).decode()


def signature(key: bytes, name: str, seconds: int, body: str) -> str:
    """Signature of a delivery called `name`, tried that many seconds after 1970."""
    signed = f"{name}.{seconds}.{body}".encode()
    return f"{VERSION},{b64encode(hmac.digest(key, signed, 'sha256')).decode()}"


def _derived(site_key: str, nonce: str) -> bytes:
    key: bytes = salted_hmac(SALT, nonce, site_key, algorithm="sha256").digest()
    return key
