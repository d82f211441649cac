"""Series of linked test sets are gone; what was declared has no other place."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("criteria", "0002_series")]

    operations = [migrations.DeleteModel("Series")]
