"""Seals for texts that wait in the table of mail and hold a link or a code.

The key is made of the site's own, which is in no table: who reads the database, a
backup or a replica of it reads no text.
"""

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac


class WrongKey(Exception):
    """It was sealed with another key."""


def _fernet() -> MultiFernet:
    """Seals with the key of today, and opens with those before it, too."""
    salt, kind = "leaderboard.mail.seal", "sealed text"
    digests = [
        salted_hmac(salt, kind, secret=key, algorithm="sha256").digest()
        for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    ]
    return MultiFernet([Fernet(urlsafe_b64encode(digest)) for digest in digests])


def seal_text(text: str) -> str:
    return _fernet().encrypt(text.encode()).decode()


def open_seal(seal: str) -> str:
    """Raises Unreadable."""
    try:
        return _fernet().decrypt(seal.encode()).decode()
    except InvalidToken as error:
        raise WrongKey from error
