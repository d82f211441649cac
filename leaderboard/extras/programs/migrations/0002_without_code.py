from django.db import migrations


class Migration(migrations.Migration):
    """The tables of code stay, and are from now on those of the extra `code`."""

    dependencies = [
        ('programs', '0001_initial'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name='CodeRun'),
                migrations.DeleteModel(name='CodeRule'),
            ],
        ),
    ]
