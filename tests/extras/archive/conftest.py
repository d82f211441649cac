"""The board that tests of exports have, and a bucket, too."""

from tests.exports.conftest import sent  # noqa: F401
from tests.operations.conftest import bucket_server, store  # noqa: F401
