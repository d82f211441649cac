"""The extension: all that extras import of the site."""

from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from tests.house import exported, modules, read
from tests.loops import loop_over

PAGE = read(Path("docs/developers/extras.md"))
MODULES = [
    path.stem for path in modules("leaderboard/extension") if exported(read(path))
]


def promise(value: Any) -> str:
    """The docstring of a class or function: its own, none that Python wrote."""
    value = getattr(value, "__wrapped__", value)
    if not isinstance(value, type | FunctionType):
        return ""
    text = vars(value).get("__doc__") if isinstance(value, type) else value.__doc__
    return "" if (text or "").startswith(f"{value.__name__}(") else text or ""


@loop_over("module", MODULES)
def test_each_name_says_what_it_promises(module: str) -> None:
    names = import_module(f"leaderboard.extension.{module}")
    silent = [
        name
        for name in names.__all__
        if not promise(getattr(names, name))
        and f"`{name}`" not in PAGE
        and f"`{module}.{name}`" not in PAGE
    ]
    assert silent == [], "give it a docstring, or a row of docs/developers/extras.md"
    assert f"| `{module}` |" in PAGE
