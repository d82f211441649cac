"""Receipts of other sites are gone, with the sites and keys that were known."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("signatures", "0002_receipts_of_other_sites")]

    operations = [
        migrations.DeleteModel("ForeignReceipt"),
        migrations.DeleteModel("KnownKey"),
        migrations.DeleteModel("KnownSite"),
    ]
