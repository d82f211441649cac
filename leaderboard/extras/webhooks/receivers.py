"""Announcements, written in the transaction of what they tell of."""

from collections.abc import Iterable
from typing import Any

from django.db.models.signals import post_save
from django.dispatch import receiver

from leaderboard.extras.webhooks.models import Announcement, Webhook
from leaderboard.submissions.models import Event, evaluations_ended
from leaderboard.tasks.models import Notice, Participation, Phase
from leaderboard.tasks.models.people import extension_changed


@receiver(evaluations_ended)
def announce(events: Iterable[Event], **_sender: Any) -> None:
    """Write announcements inside the transaction that ends the evaluations."""
    if Webhook.objects.alive().exists():
        Announcement.objects.bulk_create(Announcement(event=event) for event in events)


@receiver(post_save, sender=Notice)
def announce_notice(instance: Notice, created: bool, **_signal: Any) -> None:
    if created and Webhook.objects.alive().exists():
        Announcement.objects.create(notice=instance)


@receiver(extension_changed)
def announce_extension(phase: Phase, entry: Participation, **_signal: Any) -> None:
    if Webhook.objects.alive().exists():
        Announcement.objects.create(phase=phase, entry=entry)
