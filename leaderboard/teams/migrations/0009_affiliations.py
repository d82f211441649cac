from django.db import migrations, models

import leaderboard.teams.names


class Migration(migrations.Migration):
    dependencies = [("teams", "0008_creation_requests")]

    operations = [
        migrations.AddField(
            "team",
            "affiliations",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                max_length=300,
                validators=[leaderboard.teams.names.check_seen],
            ),
        ),
    ]
