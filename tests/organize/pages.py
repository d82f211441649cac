"""Contents of a page for a browser: addresses to follow, forms with their values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urljoin

from lxml import etree

Fields = dict[str, list[str]]
LINKS = ("href", "hx-get", "src")
SILENT = ("submit", "button", "file", "image", "reset")


@dataclass
class Form:
    """`options` are all the values that a field offers, the chosen ones too."""

    action: str
    method: str
    values: Fields = field(default_factory=dict)
    options: Fields = field(default_factory=dict)

    def filled(self, changes: Mapping[str, object]) -> dict[str, object]:
        """Values that are sent when nothing but `changes` was touched."""
        kept = {k: v for k, v in self.values.items() if k != "csrfmiddlewaretoken"}
        return {**kept, **changes}

    def addresses(self) -> Iterator[str]:
        """Addresses of a form that asks by GET: each of its choices, alone."""
        for name, values in self.options.items():
            for value in values:
                yield f"{self.action.split('?')[0]}?{urlencode({name: value})}"


class Page:
    """Reads one page; `links` and actions are paths, as seen from `address`.

    It is the target of a parser in C: Python's takes longer than the site does for the
    page.
    """

    def __init__(self, address: str, text: str) -> None:
        self.address = address
        self.links: list[str] = []
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._select = self._area = ""
        self._many = False
        if text.strip():
            etree.fromstring(
                text.encode(), etree.HTMLParser(encoding="utf-8", target=self)
            )

    def form_at(self, action: str) -> Form:
        """The form that posts to that path."""
        for form in self.forms:
            if form.method == "post" and form.action.split("?")[0] == action:
                return form
        raise AssertionError(f"{self.address} has no form for {action}")

    def start(self, tag: str, found: Mapping[str, str]) -> None:
        self.links += [self._path(found[name]) for name in LINKS if found.get(name)]
        if tag == "form":
            action = self._path(found.get("action") or self.address)
            self._form = Form(action, found.get("method", "get").lower())
            self.forms.append(self._form)
        elif self._form is not None and tag in ("input", "button"):
            self._input(self._form, tag, found)
        elif self._form is not None and tag == "select":
            self._select = found.get("name", "")
            self._many = "multiple" in found
        elif self._form is not None and tag == "option" and self._select:
            self._option(self._form, found)
        elif self._form is not None and tag == "textarea":
            self._area = found.get("name", "")
            self._form.values[self._area] = [""]

    def _path(self, address: str) -> str:
        if address.startswith("/") and "//" not in address and "/." not in address:
            return address  # most are, and to join them takes as long as to read them
        return urljoin(self.address, address)

    def _input(self, form: Form, tag: str, found: Mapping[str, str]) -> None:
        name, kind = found.get("name", ""), found.get("type", "text")
        value = found.get("value", "on" if kind in ("checkbox", "radio") else "")
        if not name or kind in ("file", "image", "reset") or "disabled" in found:
            return
        form.options.setdefault(name, []).append(value)
        chosen = kind not in ("checkbox", "radio") or "checked" in found
        if chosen and tag == "input" and kind not in SILENT:
            form.values.setdefault(name, []).append(value)

    def _option(self, form: Form, found: Mapping[str, str]) -> None:
        value = found.get("value", "")
        form.options.setdefault(self._select, []).append(value)
        if "selected" in found:
            form.values.setdefault(self._select, []).append(value)

    def data(self, text: str) -> None:
        if self._area and self._form is not None:
            self._form.values[self._area][0] += text

    def end(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._end_of_select()
        elif tag == "textarea" and self._form is not None:
            (value,) = self._form.values[self._area]
            self._form.values[self._area] = [value.removeprefix("\n")]
            self._area = ""

    def _end_of_select(self) -> None:
        """Where nothing is chosen a list that takes one value sends its first."""
        offered = self._form.options.get(self._select) if self._form else None
        if self._form is not None and offered and not self._many:
            self._form.values.setdefault(self._select, offered[:1])
        self._select = ""

    def close(self) -> None:
        """A parser asks this of its target."""
