"""Texts of tasks that become pages have a bound; no table changes."""

from django.db import migrations, models

import leaderboard.web.markdown


class Migration(migrations.Migration):
    dependencies = [
        ("tasks", "0043_without_reports_on_overlap"),
    ]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="description",
            field=models.TextField(
                blank=True,
                help_text="What to predict, from which data, and the rules. Markdown; HTML is not kept.",
                validators=[leaderboard.web.markdown.check_markdown],
                verbose_name="Description",
            ),
        ),
        migrations.AlterField(
            model_name="task",
            name="terms",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="Each team accepts them when it joins. Markdown; empty for none. Teams that are in already are not asked again.",
                validators=[leaderboard.web.markdown.check_markdown],
                verbose_name="Terms",
            ),
        ),
    ]
