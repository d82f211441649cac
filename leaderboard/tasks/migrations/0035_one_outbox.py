"""Mail of messages and about requests goes to the one table of mail."""

from django.db import migrations

PROGRESS = ("tried", "not_before", "sent_at", "error")
AT_ONCE = 1000


def move(apps, _editor):
    """All of it, as pages say of each whether it was sent."""
    mail = apps.get_model("mail", "Mail")
    deliveries = apps.get_model("tasks", "Delivery").objects.select_related("message")
    rows = [
        mail(
            kind="message",
            about=one.message_id,
            user_id=one.user_id,
            at=one.message.at,
            **{name: getattr(one, name) for name in PROGRESS},
        )
        for one in deliveries.order_by("pk").iterator(AT_ONCE)
    ]
    mail.objects.bulk_create(rows, batch_size=AT_ONCE, ignore_conflicts=True)
    told = set()
    for one in apps.get_model("tasks", "CreationMail").objects.select_related("request"):
        told.add((one.request_id, one.answer))
        create(mail, one.request, one.answer, one)
    # What was asked or answered since mail was last ordered
    for asked in apps.get_model("teams", "CreationRequest").objects.all():
        if (asked.pk, bool(asked.answer)) not in told:
            create(mail, asked, bool(asked.answer))


def create(mail, asked, answer, progress=None):
    mail.objects.create(
        kind="creation answer" if answer else "creation",
        about=asked.pk,
        user_id=asked.user_id if answer else None,
        at=(asked.answered_at if answer else None) or asked.at,
        **{name: getattr(progress, name) for name in PROGRESS if progress},
    )


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0034_lasting_differences"),
        ("teams", "0009_affiliations"),
        ("mail", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.DeleteModel("CreationMail"),
        migrations.DeleteModel("Delivery"),
    ]
