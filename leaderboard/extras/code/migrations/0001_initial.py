import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    """Rules and runs are taken over with their tables from the extra `programs`."""

    initial = True

    dependencies = [
        ('programs', '0002_without_code'),
        ('submissions', '0023_board_rows'),
        ('tasks', '0044_bounded_markdown'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='CodeRule',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('seconds_a_day', models.PositiveIntegerField(default=0, help_text='How long the code of a team may run in all; 0 for no limit.', validators=[django.core.validators.MaxValueValidator(86400)], verbose_name='Seconds for a team and day')),
                        ('most_megabytes', models.PositiveIntegerField(default=0, help_text='Code and weights together; 0 for the limit of this site.', validators=[django.core.validators.MaxValueValidator(10000)], verbose_name='Largest zip, in MB')),
                        ('show_log', models.BooleanField(default=False, help_text='Only where the hidden input may be public: code can print all of it.', verbose_name='Show teams what their code prints')),
                        ('phase', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='code_rule', to='tasks.phase')),
                    ],
                    options={'db_table': 'programs_coderule'},
                ),
                migrations.CreateModel(
                    name='CodeRun',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('seconds', models.FloatField(default=0)),
                        ('facts', models.JSONField(default=dict)),
                        ('program_run', models.OneToOneField(db_column='run_id', on_delete=django.db.models.deletion.CASCADE, related_name='code', to='submissions.programrun')),
                    ],
                    options={'db_table': 'programs_coderun'},
                ),
            ],
        ),
        migrations.AlterField(
            model_name='coderun',
            name='program_run',
            field=models.OneToOneField(db_column='run_id', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='code', to='submissions.programrun'),
        ),
        migrations.AddField(
            model_name='coderun',
            name='evaluation',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='code_runs', to='submissions.evaluation'),
        ),
        migrations.AddField(
            model_name='coderun',
            name='test_set',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tasks.testset'),
        ),
        migrations.AddField('coderun', 'number', models.PositiveSmallIntegerField(db_default=1, default=1)),
        migrations.AddField('coderun', 'input_sha256', models.CharField(db_default='', default='', max_length=64)),
        migrations.AddField('coderun', 'output_name', models.CharField(db_default='', default='', max_length=200)),
        migrations.AddField('coderun', 'output_sha256', models.CharField(db_default='', default='', max_length=64)),
        migrations.AddField('coderun', 'output_size', models.PositiveBigIntegerField(db_default=0, default=0)),
        migrations.AddField('coderun', 'log', models.TextField(db_default='', default='')),
        migrations.AddField('coderun', 'problems', models.JSONField(db_default=[], default=list)),
        migrations.AddField('coderun', 'at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
        migrations.AddConstraint(
            model_name='coderun',
            constraint=models.UniqueConstraint(fields=('evaluation', 'test_set', 'number'), name='code_ran_once'),
        ),
        migrations.CreateModel(
            name='HiddenInput',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64)),
                ('size', models.PositiveBigIntegerField()),
                ('test_set', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='tasks.testset')),
            ],
        ),
    ]
