"""The site's settings, on a data directory of the tests' own."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from leaderboard.embedded.broker import default_url

# In memory where there is room: nobody needs these files to survive.
MEMORY, ENOUGH = Path("/dev/shm"), 2 * 1024**3
ROOMY = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH
# Whatever a test starts inherits the directory and does not make another.
if "PLUMBLINE_TEST_DATA" not in os.environ:
    made = os.environ["PLUMBLINE_TEST_DATA"] = tempfile.mkdtemp(
        prefix="plumbline-test-", dir=MEMORY if ROOMY else None
    )
    atexit.register(shutil.rmtree, made, ignore_errors=True)
# Processes that share a run share neither database, broker nor files.
TEST_DATA = Path(os.environ["PLUMBLINE_TEST_DATA"]) / os.environ.get(
    "PYTEST_XDIST_WORKER", "alone"
)
TEST_DATA.mkdir(mode=0o700, exist_ok=True)
# Whatever the developer's shell says, tests never touch the site's own data.
os.environ["PLUMBLINE_DATA"] = str(TEST_DATA)
os.environ["REDIS_URL"] = default_url(TEST_DATA)
# On a loaded machine workers that give way more would take longer than tests wait.
os.environ["PLUMBLINE_WORKER_NICE"] = "1"
for elsewhere in ("PLUMBLINE_S3_BUCKET", "RABBIT_URL"):
    os.environ.pop(elsewhere, None)

from leaderboard.settings import *  # noqa: E402, F403
from leaderboard.settings import (  # noqa: E402
    API_RATES,
    DATABASES,
    STATIC_ROOT,
    STORAGES,
    cache_stores,
)

SECRET_KEY = "for-tests-only"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# A file rather than memory, so that a worker process can open it too.
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["TEST"] = {"NAME": str(TEST_DATA / "test.sqlite3")}
# Pages must render without `collectstatic`; WhiteNoise warns of a missing directory.
STATIC_ROOT.mkdir(exist_ok=True)
# Else each test's client would look through all that was collected for the browser.
WHITENOISE_AUTOREFRESH = True
STORAGES["staticfiles"] = {
    "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
}
# Some tests ask for every address there is, within a minute.
API_RATES = dict.fromkeys(API_RATES, 100_000)
# One test's missing broker must not be remembered by the next test.
QUEUE_REST_SECONDS = 0
# The product's cache, on a server that no test of the queue stops.
CACHE_URL = default_url(TEST_DATA / "cache")
CACHES = cache_stores(CACHE_URL)

# The tests' test sets have two sentences; those of these limits state them.
LEAST_PART_UNITS = LEAST_HEADLINE_UNITS = 1

# Off unless an operator says so: tests of programs are tests of what they do.
PROGRAMS = "everyone"
