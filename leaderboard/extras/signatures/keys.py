"""The key of the site: made, rotated, used, and published.

Its private half is not stored: it is made of the site's SECRET_KEY and the key's own
chance. A copy of the database alone signs nothing. With
a new SECRET_KEY the key stays as long as the old one is among SECRET_KEY_FALLBACKS;
after that a new key is made, which nobody endorses.
"""

from hashlib import sha256
from secrets import token_urlsafe
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from leaderboard.extras.signatures.models import SiteKey

SALT = "key of the site"
Values = dict[str, Any]


def sign(data: bytes) -> Values:
    """The signature of these bytes by the key in use, with what it signs."""
    key, private = _current_key()
    return {
        "algorithm": "Ed25519",
        "key": key.public,
        "sha256": sha256(data).hexdigest(),
        "signature": private.sign(data).hex(),
    }


def ensure() -> None:
    """Make a key where there is none to sign with."""
    _current_key()


def rotate() -> SiteKey:
    """A new key, endorsed by the one in use, which is retired."""
    with transaction.atomic():
        old = _private_of_newest()
        return _make_key(old)


def published_keys() -> Values:
    """All keys as everybody may have them, the oldest first."""
    return {
        "site": settings.SITE_URL,
        "keys": [
            {
                "key": key.public,
                "made_at": key.made_at.isoformat(),
                "retired_at": key.retired_at and key.retired_at.isoformat(),
                "endorsed_by": key.endorsed_by,
                "endorsement": key.endorsement,
            }
            for key in SiteKey.objects.all()
        ],
    }


def endorsed_text(public: str) -> bytes:
    """The text of a new key that an older one signs."""
    return f"plumbline key {public}".encode()


def _current_key() -> tuple[SiteKey, Ed25519PrivateKey]:
    pair = _private_of_newest()
    if pair is None:
        key = _make_key(None)
        pair = key, _private(settings.SECRET_KEY, key.nonce)
    return pair


def _private_of_newest() -> tuple[SiteKey, Ed25519PrivateKey] | None:
    """The key in use with its private half; None where no SECRET_KEY makes it."""
    key = SiteKey.objects.filter(retired_at=None).last()
    for site_key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if key is None:
            break
        private = _private(site_key, key.nonce)
        if _public(private) == key.public:
            return key, private
    return None


def _make_key(old: tuple[SiteKey, Ed25519PrivateKey] | None) -> SiteKey:
    nonce = token_urlsafe(32)
    public = _public(_private(settings.SECRET_KEY, nonce))
    key = SiteKey(nonce=nonce, public=public)
    if old is not None:
        key.endorsed_by = old[0].public
        key.endorsement = old[1].sign(endorsed_text(public)).hex()
    with transaction.atomic():
        SiteKey.objects.filter(retired_at=None).update(retired_at=timezone.now())
        key.save()
    return key


def _private(site_key: str, nonce: str) -> Ed25519PrivateKey:
    seed = salted_hmac(SALT, nonce, site_key, algorithm="sha256").digest()
    return Ed25519PrivateKey.from_private_bytes(seed)


def _public(private: Ed25519PrivateKey) -> str:
    return private.public_key().public_bytes_raw().hex()
