"""A list of hundreds of choices, printed at once and not by a template for each."""

from typing import Any

from django import forms
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe


class LongSelect(forms.Select):
    """Prints what Django's own prints, without groups."""

    def render(
        self, name: str, value: Any, attrs: Any = None, renderer: Any = None
    ) -> SafeString:
        chosen = {str(one) for one in self.format_value(value)}
        selected = mark_safe(" selected")
        options = format_html_join(
            "\n",
            '<option value="{}"{}>{}</option>',
            (
                (key, selected if str(key) in chosen else "", label)
                for key, label in self.choices
            ),
        )
        built = self.build_attrs(self.attrs, {"name": name, **(attrs or {})})
        return format_html("<select{}>\n{}\n</select>", flatatt(built), options)
