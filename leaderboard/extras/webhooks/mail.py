"""Mail about webhooks that the site paused by itself."""

from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.extras.webhooks.models import PAUSED, Webhook
from leaderboard.mail.models import Mail
from leaderboard.mail.outbox import MailKind, NotWanted, prefixed, site
from leaderboard.web.languages import of_reader


def written(row: Mail, hook: Webhook) -> EmailMessage:
    """Raises NotWanted when it runs again, or nobody may read it."""
    if hook.paused_at is None or not hook.user.is_active:
        raise NotWanted("runs again")
    address = site(reverse("webhook", args=[hook.pk]))
    with of_reader(hook.user):
        why = Webhook.Why(row.detail).label
        lines = [
            _("A webhook of yours is paused: %(why)s.") % {"why": why},
            "",
            hook.url,
            "",
            _("See what was tried, and let it run again: %(address)s")
            % {"address": address},
        ]
        subject = prefixed(_("A webhook is paused"))
    return EmailMessage(subject, "\n".join(lines), to=[hook.user.email])


MailKind(PAUSED, written, Webhook.objects.select_related("user"))
