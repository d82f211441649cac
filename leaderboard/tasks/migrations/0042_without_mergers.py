"""Teams ask each other for a merger no more: requests are gone, open ones as well.

What was carried out stands in the entries of the teams.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tasks", "0041_without_publication")]

    operations = [migrations.DeleteModel("Merger")]
