"""Seals for texts that wait in the table of mail and hold a link or a code.

The key is made of the site's own, which is in no table: who reads the database, a
backup or a replica of it reads no text.
"""

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken
from django.utils.crypto import salted_hmac


class Unreadable(Exception):
    """It was sealed with another key."""


def _fernet() -> Fernet:
    key = salted_hmac("leaderboard.mail.seal", "sealed text", algorithm="sha256")
    return Fernet(urlsafe_b64encode(key.digest()))


def sealed(text: str) -> str:
    return _fernet().encrypt(text.encode()).decode()


def opened(seal: str) -> str:
    """Raises Unreadable."""
    try:
        return _fernet().decrypt(seal.encode()).decode()
    except InvalidToken as error:
        raise Unreadable from error
