"""What a form showed when its page was loaded, so that nobody's change is undone."""

import json
from hashlib import sha256
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

NAME = "seen"


class ShowsValues:
    """For forms that replace values: the page sends back a digest of those it showed.

    A form is made anew from the values of now when it is sent, under the lock of the
    task (`tasks/lock.py`). Where they are others than those on the page it is
    refused once; the page of the refusal shows them as seen. Without the digest, as a
    program may send it, nothing is compared.
    """

    data: Any
    is_bound: bool
    _shown = ""

    def shows(self, values: Any) -> None:
        """Remember what stands there now; called while the form is made."""
        text = json.dumps(values, sort_keys=True, default=str)
        self._shown = sha256(text.encode()).hexdigest()[:32]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}  # type: ignore[misc]
        given = self.data.get(NAME, "")
        if given and given != self._shown:
            said = _(
                "Somebody changed this in the meantime, and what stands here "
                "would undo it. Open the page again to see it, or save once more "
                "to keep what stands here."
            )
            self.add_error(None, said)  # type: ignore[attr-defined]
        return cleaned

    @property
    def seen(self) -> SafeString:
        """The hidden field, for the template."""
        return format_html(
            '<input type="hidden" name="{}" value="{}">', NAME, self._shown
        )
