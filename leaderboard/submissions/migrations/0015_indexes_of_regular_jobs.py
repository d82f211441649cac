from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0014_quota_of_attempts_given_back'),
        ('tasks', '0032_measures_in_order'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name='evaluation',
            index=models.Index(condition=models.Q(('state', 'scored')), fields=['engine'], name='scored_by_engine'),
        ),
        migrations.AddIndex(
            model_name='event',
            index=models.Index(condition=models.Q(('new__in', ('scored', 'invalid', 'timeout', 'failed_system'))), fields=['at'], name='ended_lately'),
        ),
        migrations.AddIndex(
            model_name='judgementtable',
            index=models.Index(fields=['sha256'], name='judgement_bytes'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(fields=['-received_at', 'id'], name='newest_first'),
        ),
        migrations.AddIndex(
            model_name='submittedfile',
            index=models.Index(fields=['sha256'], name='submitted_bytes'),
        ),
    ]
