"""The board that tests of exports have, too."""

from tests.exports.conftest import sent  # noqa: F401
