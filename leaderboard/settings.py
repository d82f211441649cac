"""Settings of every installation, chosen by environment variables alone."""

import os
import re
import shlex
from email.utils import parseaddr
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu.entity import Queue

from leaderboard.celery import (
    BOARDS,
    UPKEEP,
    consumed_queues,
    for_celery,
    transport_options,
)
from leaderboard.embedded.broker import default_url
from leaderboard.teams import identity_providers
from leaderboard.web import logs

PACKAGE = Path(__file__).resolve().parent
# Templates, static files, translations and the handbook: beside the package in a
# checkout, and inside it where a wheel was installed.
INSTALLED = PACKAGE / "installed"
FROM_WHEEL = INSTALLED.is_dir()
BASE_DIR = INSTALLED if FROM_WHEEL else PACKAGE.parent


YES, NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


def env_flag(name: str, default: bool = False) -> bool:
    text = os.environ.get(name, str(default)).strip().lower()
    if text not in YES + NO:
        raise ImproperlyConfigured(f'{name} must be "true" or "false"')
    return text in YES


# Extras of earlier releases, and what to use instead. A site that names one starts.
REMOVED_EXTRAS = {
    "contamination": "`python -m scoring overlap`; canary strings are in the core",
    "similarity": "the mark of equal files in the list of submissions (oversight)",
    "style": "the tests of the pages",
    "webhooks": "feeds, mail and the API",
}
# Extras that became part of another. A site that names one has that other.
JOINED_EXTRAS = {"mergers": "oversight"}


def extras_of(names: str) -> list[str]:
    """The extras named, or all of them where none is; sorted by their names.

    Those that were removed are passed over; a check at start names them.
    """
    installed = sorted(place.parent.name for place in PACKAGE.glob("extras/*/apps.py"))
    words = names.replace(",", " ").split()
    named = {JOINED_EXTRAS.get(name, name) for name in words}
    chosen = named - {"none", *(REMOVED_EXTRAS.keys() - set(installed))}
    if unknown := sorted(chosen - set(installed)):
        raise ImproperlyConfigured(
            f"PLUMBLINE_EXTRAS names {unknown[0]!r}; there are {', '.join(installed)}"
        )
    return [name for name in installed if not names.strip() or name in chosen]


def package_folder(name: str) -> Path:
    """The folder of an installed package, which is not imported for it."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # of what stands before a dot
        spec = None
    if spec is None or spec.submodule_search_locations is None:
        raise ImproperlyConfigured(f"The package {name} is not installed.")
    return Path(spec.submodule_search_locations[0])


def env_number(name: str, default: int, least: int = 0, most: int = 10**9) -> int:
    text = os.environ.get(name, str(default)).strip()
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise ImproperlyConfigured(f"{name} must be a whole number")
    if int(text) < least:
        raise ImproperlyConfigured(f"{name} must be {least} or more")
    if int(text) > most:
        raise ImproperlyConfigured(f"{name} must be {most} or less")
    return int(text)


def env_address(name: str, *schemes: str) -> str:
    """An address of a service, which is refused here, not where it is asked first."""
    text = os.environ.get(name, "").strip()
    if text and text.partition("://")[0] not in schemes:
        words = " or ".join(f"{scheme}://" for scheme in schemes)
        raise ImproperlyConfigured(f"{name} must begin with {words}")
    return text


MAIL_ADDRESS = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")


def env_mail(name: str) -> list[str]:
    """Mail addresses, with commas between them."""
    parts = [part.strip() for part in os.environ.get(name, "").split(",")]
    for address in filter(None, parts):
        if not MAIL_ADDRESS.fullmatch(address):
            raise ImproperlyConfigured(
                f"{name} must be mail addresses with commas between them, as "
                "mira@elmhaven.example, ben@elmhaven.example"
            )
    return [*filter(None, parts)]


def env_hosts(name: str, default: str) -> list[str]:
    """Names of this site, with commas between them."""
    parts = [part.strip() for part in os.environ.get(name, default).split(",")]
    for host in parts:
        if not re.fullmatch(r"[\w.-]+|\*|\[[0-9a-fA-F:.]+\]", host):
            raise ImproperlyConfigured(
                f"{name} must be names with commas between them, without https:// and "
                "ports, as shared.elmhaven.example,127.0.0.1"
            )
    return parts


# Where this installation keeps its data: an update replaces the folder of a wheel.
AT_HOME = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
DATA = Path(
    os.environ.get("PLUMBLINE_DATA")
    or (Path(AT_HOME, "plumbline") if FROM_WHEEL else BASE_DIR / "var")
).absolute()
# It holds the gold: nobody else on the machine may read it.
try:
    DATA.mkdir(mode=0o700, parents=True, exist_ok=True)
except OSError as error:
    raise ImproperlyConfigured(
        f"PLUMBLINE_DATA must be a folder, there or to be made: {DATA}: "
        f"{error.strerror}"
    ) from error

DEBUG = env_flag("PLUMBLINE_DEBUG")
LOCAL_KEY = "only-for-one-machine-" + "0" * 40
SECRET_KEY = os.environ.get("PLUMBLINE_SECRET_KEY") or LOCAL_KEY
# The one before: what it signed is still known, such as sessions
SECRET_KEY_FALLBACKS = [*filter(None, [os.environ.get("PLUMBLINE_OLD_SECRET_KEY")])]
ALLOWED_HOSTS = env_hosts("PLUMBLINE_HOSTS", "localhost,127.0.0.1,[::1]")
LOCAL = set(ALLOWED_HOSTS) <= {"localhost", "127.0.0.1", "[::1]", "testserver"}
if SECRET_KEY == LOCAL_KEY and not LOCAL:
    raise ImproperlyConfigured(
        "set PLUMBLINE_SECRET_KEY, which is empty or the key of local sites, before "
        f"serving {ALLOWED_HOSTS[0]}. This makes one: "
        'python3 -c "import secrets; print(secrets.token_urlsafe(60))"'
    )

# Where links in mail lead to
SITE_URL = env_address("PLUMBLINE_URL", "https", "http").rstrip("/") or (
    f"http://127.0.0.1:{env_number('PLUMBLINE_PORT', 8000)}"
    if LOCAL
    else f"https://{ALLOWED_HOSTS[0]}"
)

# What a site can do without: the names of those it has, "none" for none of them
EVERY_EXTRA = extras_of("")
EXTRAS = extras_of(os.environ.get("PLUMBLINE_EXTRAS", ""))
# Packages of other people that are extras as well, by their modules
_packages = os.environ.get("PLUMBLINE_EXTRA_PACKAGES", "")
EXTRA_PACKAGES = _packages.replace(",", " ").split()
for _name in EXTRA_PACKAGES:
    package_folder(_name)
# Those with tables of their own are installed, but join nothing: what other rows are
# deleted with lies in their tables, too.
INSTALLED_EXTRAS = [
    name
    for name in EVERY_EXTRA
    if name in EXTRAS or (PACKAGE / "extras" / name / "migrations").is_dir()
]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "leaderboard.web.apps.StaticFiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.github",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "auditlog",
    "leaderboard.web.apps.Web",
    "leaderboard.mail.apps.MailConfig",
    "leaderboard.teams",
    "leaderboard.tasks",
    "leaderboard.submissions",
    "leaderboard.results",
    "leaderboard.boards",
    "leaderboard.organize",
    "leaderboard.api",
    *(f"leaderboard.extras.{name}" for name in INSTALLED_EXTRAS),
    *EXTRA_PACKAGES,
    "leaderboard.operations",
    "leaderboard.handbook",
    "leaderboard.demo",
    "leaderboard.embedded",
]

MIDDLEWARE = [
    "leaderboard.web.requests.CurrentRequest",
    "leaderboard.operations.error_pages.ErrorPages",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.web.page_cache.AnonymousCache",
    "leaderboard.submissions.uploads.ReadFirst",
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "leaderboard.web.page_cache.PrivatePages",
    "leaderboard.web.languages.ReaderLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "leaderboard.teams.accounts.AskForTwoFactor",
    "leaderboard.teams.accounts.SignInElsewhere",
]

ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
FORM_RENDERER = "leaderboard.web.form_renderer.UncutTexts"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.web.languages.language_context",
            ]
        },
    },
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {"environment": "leaderboard.web.jinja.environment"},
    },
]

# Database: SQLite on one machine, PostgreSQL when grown
env_address("DATABASE_URL", "postgresql", "postgres", "pgsql", "sqlite")
DATABASES = {
    "default": dj_database_url.config(
        default=f"sqlite:///{DATA / 'plumbline.sqlite3'}", conn_health_checks=True
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["ENGINE"] = "leaderboard.embedded.sqlite3"
    # Opening it reads every table's definition: 3 to 4 ms of a page's processor time.
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    # Deferred transactions die with "database is locked" as soon as two of them write.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    # Not kept: a web process has more threads than the database takes connections.
    DATABASES["default"]["CONN_MAX_AGE"] = 0
    _options = DATABASES["default"].setdefault("OPTIONS", {})
    # A forgotten lock or a lost client must end by itself, and within seconds.
    _options["options"] = (
        "-c statement_timeout=30s -c lock_timeout=10s "
        "-c idle_in_transaction_session_timeout=60s"
    )
    # So must a wait for a server that is silent, or behind a network that is gone.
    _options.setdefault("connect_timeout", 10)
    _options.setdefault("tcp_user_timeout", 30_000)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Broker: a hint only; short time-outs, so that a hung one costs an upload seconds
RABBIT_URL = env_address("RABBIT_URL", "amqp", "amqps")
# With RabbitMQ there may be a Redis beside it, for what is kept for seconds.
REDIS_URL = env_address("REDIS_URL", "redis", "rediss", "unix") or (
    "" if RABBIT_URL else default_url(DATA)
)
CELERY_BROKER_URL = RABBIT_URL or for_celery(REDIS_URL)
CELERY_BROKER_TRANSPORT_OPTIONS = transport_options(CELERY_BROKER_URL)
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_TASK_DEFAULT_QUEUE = UPKEEP
CELERY_TASK_ROUTES = {"boards.compute": {"queue": BOARDS}}
# What workers take; whoever tells makes the others too.
QUEUES = consumed_queues()
CELERY_TASK_QUEUES = [Queue(name, routing_key=name) for name in QUEUES]
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
# What is taken is begun: behind a heavy job no other one waits for the same process.
# Of RabbitMQ each process still takes one more.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_DISABLE_PREFETCH = not RABBIT_URL
# A new process reads gold anew.
CELERY_WORKER_MAX_TASKS_PER_CHILD = 2000
# A board of ten thousand systems takes a gigabyte: whoever computed it ends then, too.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 500_000  # KiB, looked at after each job
# Before that Celery closes no connection: see `celery.keep_connection`.
CELERY_DB_REUSE_MAX = CELERY_WORKER_MAX_TASKS_PER_CHILD
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_NICE = env_number("PLUMBLINE_WORKER_NICE", 10, least=-20, most=19)
SWEEP_SECONDS = 2
COLLECT_SECONDS, CLEAR_SECONDS = 3600, 6 * 3600
CELERY_BEAT_SCHEDULER = "leaderboard.lanes:Clock"
CELERY_BEAT_SCHEDULE = {
    name: {"task": task, "schedule": seconds}
    for name, task, seconds in (
        ("sweep", "submissions.sweep", SWEEP_SECONDS),
        ("boards", "boards.compute", SWEEP_SECONDS),
        ("mail", "mail.send", 20),
        # A second each, until they are done: begun after the seconds above
        ("collect", "operations.collect", 10),
        ("clear", "operations.clear", 10),
        ("watch", "operations.watch", 60),
    )
}

# Scoring
HINT_WINDOW = 8  # in each queue

# Claims need units: of each part of a test set where some units are private, and to
# publish a task without saying that one knows how few there are.
LEAST_PART_UNITS = 20
LEAST_HEADLINE_UNITS = 10
# What is guessed to take longer has a queue of its own.
HEAVY_SECONDS = env_number("PLUMBLINE_HEAVY_SECONDS", 1)
HINT_SECONDS = 15
QUEUE_REST_SECONDS = 5  # a broker that did not answer is left alone this long
MOST_PER_TEAM = 2  # under way at a time
MOST_BACKGROUND = 4  # the same of everything that is scored anew
LEASE_SECONDS = 30
MOST_ATTEMPTS = 3
BACK_OFF_SECONDS = 5  # before the second attempt; four times that before the third
# Published limits of one file; the wall clock is ours and costs nobody an attempt.
SCORE_CPU_SECONDS = env_number("PLUMBLINE_SCORE_CPU_SECONDS", 60, least=1)
SCORE_WALL_SECONDS = 4 * SCORE_CPU_SECONDS
CELERY_TASK_TIME_LIMIT = SCORE_WALL_SECONDS + 360  # a last net
SCORE_MEMORY_MB = env_number("PLUMBLINE_SCORE_MEMORY_MB", 1024, least=1)
# Organizers' scoring programs: "granted" runs those of organizers who were given the
# permission in the admin site, "everyone" those of all; anything else none.
PROGRAMS = os.environ.get("PLUMBLINE_PROGRAMS", "").lower()
# The Python of an environment with packages for them; without one that which
# `manage.py programs_environment` makes, and without that ours
PROGRAM_PYTHON = os.environ.get("PLUMBLINE_PROGRAM_PYTHON", "")
# A command that runs code of teams in place of the sandbox
CODE_RUNNER = tuple(shlex.split(os.environ.get("PLUMBLINE_CODE_RUNNER", "")))
# Limits of each run, of which there is one for each file that is sent
PROGRAM_CPU_SECONDS = env_number("PLUMBLINE_PROGRAM_CPU_SECONDS", 120, least=1)
PROGRAM_WALL_SECONDS = 2 * PROGRAM_CPU_SECONDS
PROGRAM_MEMORY_MB = env_number("PLUMBLINE_PROGRAM_MEMORY_MB", 2048, least=1)
PROGRAM_DISK_MB = env_number("PLUMBLINE_PROGRAM_DISK_MB", 256, least=1)
PROGRAM_FILES = 1000
PROGRAM_OUTPUT_BYTES = 1 << 20
CELERY_TASK_TIME_LIMIT += 10 * PROGRAM_WALL_SECONDS if PROGRAMS else 0
CHECK_CPU_SECONDS = 20
CHECK_WALL_SECONDS = 60
SANDBOX_INLINE = False  # in the asking process and without any limit: for tests only

# What may be sent, beside the daily limit of a phase
UPLOAD_BYTES = env_number("PLUMBLINE_UPLOAD_MB", 50, least=1) * 1024 * 1024
REFUSED_PER_DAY = env_number("PLUMBLINE_REFUSED_PER_DAY", 50)
# Who may create tasks: "everybody", "asked" (those whom an administrator lets), or
# people with a confirmed address in one of these mail domains, and whom one lets
TASK_CREATORS = os.environ.get("PLUMBLINE_TASK_CREATORS", "everybody").lower()
_domains = TASK_CREATORS.replace(",", " ").split()
TASK_CREATOR_DOMAINS = [] if TASK_CREATORS in ("everybody", "asked") else _domains
if not _domains or not all("." in domain for domain in TASK_CREATOR_DOMAINS):
    raise ImproperlyConfigured(
        'PLUMBLINE_TASK_CREATORS must be "everybody", "asked" or mail domains, as '
        "elmhaven.example"
    )
# What one organizer may own, in tasks and in bytes of their files; 0: any
TASKS_PER_ORGANIZER = env_number("PLUMBLINE_TASKS_PER_ORGANIZER", 100)
STORAGE_PER_ORGANIZER = (
    env_number("PLUMBLINE_STORAGE_PER_ORGANIZER_MB", 20_000) * 1024 * 1024
)
# Bundles of one person that are read in a day; 0: any
BUNDLES_PER_DAY = env_number("PLUMBLINE_BUNDLES_PER_DAY", 100)
# Attempts of a team given back for failures of the site
REFUNDS_PER_DAY = env_number("PLUMBLINE_REFUNDS_PER_DAY", 20)
LATE_PER_DAY = env_number("PLUMBLINE_LATE_PER_DAY", 10)
LEAST_FREE_BYTES = env_number("PLUMBLINE_LEAST_FREE_MB", 100) * 1024 * 1024
KEEP_UNUSED_SECONDS = 24 * 3600
# Addresses of computers, records of mail that was sent, invitations nobody took
KEEP_DAYS = env_number("PLUMBLINE_KEEP_DAYS", 90)

# Files
DISK_STORE = "leaderboard.tasks.blobs.BlobStorage"
BUCKET_STORE = "leaderboard.tasks.buckets.BucketStorage"
CACHED_STORE = "leaderboard.tasks.blobs.BlobCache"


def file_stores(data: Path) -> dict[str, dict[str, Any]]:
    """The stores of files: on a disk, or in a bucket that all machines share.

    Keys of a bucket are where boto3 looks for them.
    """
    bucket = os.environ.get("PLUMBLINE_S3_BUCKET", "")
    if not bucket:
        return {
            name: {"BACKEND": DISK_STORE, "OPTIONS": {"location": data / name}}
            for name in ("blobs", "archives")
        }
    where = {
        "bucket": bucket,
        "endpoint": env_address("PLUMBLINE_S3_ENDPOINT", "https", "http"),
        "region": os.environ.get("PLUMBLINE_S3_REGION", ""),
    }
    prefix = os.environ.get("PLUMBLINE_S3_PREFIX", "").strip("/")
    stores: dict[str, dict[str, Any]] = {
        name: {
            "BACKEND": BUCKET_STORE,
            "OPTIONS": {**where, "folder": f"{prefix}/{name}".lstrip("/")},
        }
        for name in ("blobs", "archives")
    }
    most = env_number("PLUMBLINE_S3_CACHE_MB", 1024) * 1024 * 1024
    near = {"location": data / "nearby", "most_bytes": most}
    return {**stores, "nearby": {"BACKEND": CACHED_STORE, "OPTIONS": near}}


STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    **file_stores(DATA),
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
MEDIA_ROOT = DATA / "media"
FILE_UPLOAD_TEMP_DIR = DATA / "tmp"
FILE_UPLOAD_TEMP_DIR.mkdir(exist_ok=True)
FILE_UPLOAD_HANDLERS = ["leaderboard.submissions.uploads.CappedUpload"]
# Acts on 200 rows name each of them, a judge marks 100 errors by four fields each, and
# systems that fail under corrected gold are confirmed one by one.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
# One of each test set, of which a phase may have more than an upload has runs.
DATA_UPLOAD_MAX_NUMBER_FILES = 120

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
PLOTLY = package_folder("plotly") / "package_data"
STATICFILES_DIRS = [BASE_DIR / "static", ("plotly", PLOTLY)]

# What is kept for seconds, in each process, and what is counted for hours or claimed:
# in Redis or, without one, each process.
BOARD_SECONDS = 4
ANONYMOUS_SECONDS = 1
MEMORY = "leaderboard.web.cache.MemoryCache"
# Of one process, which nothing seals: pages and what they show of boards
OBJECTS = {
    "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
    "LOCATION": "at-hand",
    "OPTIONS": {"MAX_ENTRIES": 400},
}
# Of this machine, in files: what takes seconds to make
FILES = {
    "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
    "LOCATION": DATA / "made",
    "TIMEOUT": 3600,
    "OPTIONS": {"MAX_ENTRIES": 200},
}


Caches = dict[str, dict[str, Any]]


def cache_stores(redis_url: str) -> Caches:
    """The caches: in Redis or, without one, in the memory of each process.

    A Redis that hangs costs a request a quarter second.
    """
    local: Caches = {
        "default": {"BACKEND": MEMORY},
        "at-hand": OBJECTS,
        "files": FILES,
    }
    if not redis_url:
        return local
    shared = {
        "BACKEND": "leaderboard.web.cache.SharedCache",
        "LOCATION": redis_url,
        "OPTIONS": {"socket_timeout": 0.25, "socket_connect_timeout": 0.25},
    }
    return local | {"default": {**shared, "KEY_PREFIX": "site"}}


CACHES = cache_stores(REDIS_URL)

# Accounts and mail
AUTH_USER_MODEL = "teams.User"
AUTHENTICATION_BACKENDS = [
    "leaderboard.demo.guard.OnlyHere",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_REDIRECT_URL = "home"
LOGIN_URL = "account_login"
EMAIL_HOST = os.environ.get("PLUMBLINE_SMTP_HOST", "")
EMAIL_PORT = env_number("PLUMBLINE_SMTP_PORT", 587, 1, 65535)
EMAIL_HOST_USER = os.environ.get("PLUMBLINE_SMTP_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("PLUMBLINE_SMTP_PASSWORD", "")
_ENCRYPTED = env_flag("PLUMBLINE_SMTP_TLS", True)
# At this port servers speak TLS from the first byte, elsewhere after a command.
EMAIL_USE_SSL = _ENCRYPTED and EMAIL_PORT == 465
EMAIL_USE_TLS = _ENCRYPTED and not EMAIL_USE_SSL
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = os.environ.get("PLUMBLINE_MAIL_FROM") or "plumbline@localhost"
if not MAIL_ADDRESS.fullmatch(parseaddr(DEFAULT_FROM_EMAIL)[1]):
    raise ImproperlyConfigured("PLUMBLINE_MAIL_FROM must be a mail address")
# Who is told by mail when something is wrong; without any, all administrators
OPERATORS = env_mail("PLUMBLINE_OPERATORS")
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_ADAPTER = "leaderboard.teams.accounts.AccountMail"
ACCOUNT_FORMS = {"signup": "leaderboard.teams.forms.SignupForm"}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
# Without a mail server nobody could ever confirm an address.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_HOST else "optional"
# Whoever signed up in this browser goes on to where they wanted.
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Plumbline] "
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_RATE_LIMITS = {"team_invitation": "30/h/user"}
MFA_TOTP_ISSUER = "Plumbline"
MFA_TOTP_TOLERANCE = 1
# Without a mail server no address is ever confirmed.
MFA_ALLOW_UNVERIFIED_EMAIL = not EMAIL_HOST
# Who must have a second factor: "organizers" (administrators with them) or "off"
TWO_FACTOR = os.environ.get("PLUMBLINE_TWO_FACTOR", "off")
if TWO_FACTOR not in ("organizers", "off"):
    raise ImproperlyConfigured('PLUMBLINE_TWO_FACTOR must be "organizers" or "off"')

# Signing in with an account elsewhere: no account here is found by an address that a
# provider names, and each address is confirmed by mail.
IDENTITY_PROVIDERS = identity_providers.from_environment(os.environ)
SOCIALACCOUNT_PROVIDERS = identity_providers.as_settings(IDENTITY_PROVIDERS)
SOCIALACCOUNT_ADAPTER = "leaderboard.teams.accounts.IdentityAdapter"
SOCIALACCOUNT_FORMS = {"signup": "leaderboard.teams.forms.IdentitySignupForm"}
SOCIALACCOUNT_AUTO_SIGNUP = SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
# A session that somebody else got hold of must not become a way in that lasts.
SOCIALACCOUNT_REAUTHENTICATION_REQUIRED = True
SOCIALACCOUNT_STORE_TOKENS = SOCIALACCOUNT_LOGIN_ON_GET = False
SOCIALACCOUNT_EMAIL_VERIFICATION = ACCOUNT_EMAIL_VERIFICATION
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10

if not EMAIL_HOST:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = DATA / "mail"

# Whose attempts to sign in are counted: the proxy says who asks, not the client.
ALLAUTH_TRUSTED_PROXY_COUNT = 0 if LOCAL else 1

# API
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "leaderboard.api.requests.SoundJSON",
        "rest_framework.parsers.MultiPartParser",
        "rest_framework.parsers.FormParser",
    ],
    # A token first: whoever has none is told of tokens, by 401.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "leaderboard.api.requests.BearerToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["leaderboard.api.requests.Scoped"],
    "DEFAULT_THROTTLE_CLASSES": ["leaderboard.api.requests.Rates"],
    "EXCEPTION_HANDLER": "leaderboard.api.problems.handler",
    "DEFAULT_SCHEMA_CLASS": "leaderboard.api.schema.AutoSchema",
    "NUM_PROXIES": 0 if LOCAL else 1,
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Plumbline",
    "DESCRIPTION": "Shared tasks whose boards say how sure they are.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": r"/api/v1/",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SORT_OPERATIONS": False,
}
# Requests to the API in a minute
API_RATES = {"read": 600, "write": 120, "anonymous_read": 300, "anonymous_write": 30}

# History of changes
AUDITLOG_LOGENTRY_MODEL = "tasks.Change"
# Its migrations would make the table of the model that ours replaces.
MIGRATION_MODULES = {"auditlog": None}
AUDITLOG_STORE_JSON_CHANGES = True

# Security
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "frame-ancestors": [NONE],
        # Signing in elsewhere begins with a form here.
        "form-action": [SELF, *(o for p in IDENTITY_PROVIDERS for o in p.origins)],
        "base-uri": [NONE],
        "object-src": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_ENGINE = "leaderboard.web.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not LOCAL
if not LOCAL:
    SECURE_SSL_REDIRECT = env_flag("PLUMBLINE_HTTPS", True)
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31536000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    # Asked by machines on this one, past the proxy that has the certificate.
    SECURE_REDIRECT_EXEMPT = ["^(healthz|readyz|metrics)$"]
    # Browsers' own lists are for whoever owns the whole domain to decide.
    SILENCED_SYSTEM_CHECKS = ["security.W021"]

LANGUAGE_CODE = "en-gb"
# As each calls itself.
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch"), ("ru", "Русский")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["leaderboard.formats"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = not LOCAL
TIME_ZONE = "UTC"
USE_TZ = True

LOGGING = logs.configuration(logs.wanted_format())
METRICS_TOKEN = os.environ.get("PLUMBLINE_METRICS_TOKEN", "")
