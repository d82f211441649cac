from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('tasks', '0016_questions_and_boards'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='task',
            name='boards',
        ),
        migrations.RemoveField(
            model_name='task',
            name='fact_sheet',
        ),
    ]
