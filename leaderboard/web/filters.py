"""Forms that narrow a list by its address."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.forms import Form, Select
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

ALL = ("", gettext_lazy("all"))


class ListFilters(Form):
    """A form of choices that narrow a list; `orders` names those that only sort it.

    `descriptions` are those of the API, by field. A value that is none of the
    choices fits no row, and is no error: such an address was true once.
    """

    orders: ClassVar[Sequence[str]] = ()
    descriptions: ClassVar[Mapping[str, str]] = {}
    use_required_attribute = False

    def __init__(self, query: Mapping[str, str]) -> None:
        super().__init__(query, auto_id="%s", label_suffix="")

    @property
    def chosen(self) -> dict[str, str]:
        """The choices by field, without NUL, which PostgreSQL refuses."""
        data = {name: self.data.get(name, "") for name in self.base_fields}
        return {name: value.replace("\0", "").strip() for name, value in data.items()}

    @property
    def is_narrowed(self) -> bool:
        chosen = self.chosen
        return any(chosen[name] for name in chosen if name not in self.orders)

    def offer(
        self, name: str, choices: Sequence[tuple[str, str | Promise]], least: int = 1
    ) -> None:
        """Give the choices of a field, which goes where there are too few of them."""
        if len(choices) < least:
            del self.fields[name]
        else:
            self.fields[name].widget = Select(choices=[ALL, *choices])
