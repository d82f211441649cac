"""Settings of accounts and mail; `leaderboard.settings` takes them all."""

import os

from django.core.exceptions import ImproperlyConfigured

from leaderboard.environment import env_flag, env_number

AUTH_USER_MODEL = "teams.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
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
EMAIL_PORT = env_number("PLUMBLINE_SMTP_PORT", 587)
EMAIL_HOST_USER = os.environ.get("PLUMBLINE_SMTP_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("PLUMBLINE_SMTP_PASSWORD", "")
_ENCRYPTED = env_flag("PLUMBLINE_SMTP_TLS", True)
# At this port servers speak TLS from the first byte, elsewhere after a command.
EMAIL_USE_SSL = _ENCRYPTED and EMAIL_PORT == 465
EMAIL_USE_TLS = _ENCRYPTED and not EMAIL_USE_SSL
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = os.environ.get("PLUMBLINE_MAIL_FROM", "plumbline@localhost")
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_ADAPTER = "leaderboard.teams.account_mail.AccountMail"
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
