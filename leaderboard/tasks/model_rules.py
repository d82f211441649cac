"""What the models' own rules say against values of a manifest."""

from collections.abc import Mapping
from functools import partial

from django.core.exceptions import ValidationError
from django.db.models import Model

from leaderboard.tasks.manifest import Section


def check_fields(
    section: Section, instance: Model, places: Mapping[str, str] | None = None
) -> None:
    """Note what is wrong with the plain fields of an unsaved row, and between them.

    `places` says under which key of the section a field is found that has no key of
    its own name.
    """
    relations = [field.name for field in instance._meta.fields if field.is_relation]
    for rules in (partial(instance.clean_fields, exclude=relations), instance.clean):
        try:
            rules()
        except ValidationError as error:
            _note(section, error, places or {})


def _note(section: Section, error: ValidationError, places: Mapping[str, str]) -> None:
    for name, texts in error.message_dict.items():
        place = places.get(name, name)
        inside = f"{name}: " if place != name else ""
        for text in texts:
            section.refuse(place, inside + text)
