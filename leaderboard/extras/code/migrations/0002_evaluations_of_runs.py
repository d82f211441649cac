from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    """What ran before a scoring program is what ran for its evaluation."""
    code = apps.get_model('code', 'CodeRun')
    programs = apps.get_model('submissions', 'ProgramRun').objects
    own = programs.filter(pk=OuterRef('program_run'))
    code.objects.filter(evaluation=None).update(
        evaluation=Subquery(own.values('evaluation')[:1]),
        test_set=Subquery(own.values('test_set')[:1]),
        number=Subquery(own.values('run')[:1]),
        at=Subquery(own.values('at')[:1]),
    )


def move(apps, schema_editor):
    """The history of rules goes on."""
    kinds = apps.get_model('contenttypes', 'ContentType').objects
    for model in ('coderule', 'coderun'):
        if not kinds.filter(app_label='code', model=model).exists():
            kinds.filter(app_label='programs', model=model).update(app_label='code')


class Migration(migrations.Migration):

    dependencies = [
        ('code', '0001_initial'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(move, migrations.RunPython.noop, elidable=True),
    ]
