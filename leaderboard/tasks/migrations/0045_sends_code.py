from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks', '0044_bounded_markdown'),
    ]

    operations = [
        migrations.AddField(
            model_name='phase',
            name='sends_code',
            field=models.BooleanField(db_default=False, default=False, help_text='Teams send a program, which runs here on input that they do not see; what it writes is checked and scored as a file. Input files are not given out.', verbose_name='Teams send code'),
        ),
    ]
