"""`manage.py makemessages`: the texts of pages for the catalogues of translations."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    """Django's command, which also finds the help of every declared `Option`."""

    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=Option:2"]
