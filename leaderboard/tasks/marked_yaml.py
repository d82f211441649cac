"""YAML as plain values that remember on which line each key stands."""

from typing import Any

import yaml

from scoring.errors import Problem, SetupError
from scoring.source import decode

# With aliases a short file can stand for endless values.
MOST_VALUES = 20_000


class Table(dict[str, Any]):
    """A mapping; `lines` holds the line of each key, `line` where it begins."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


class Items(list[Any]):
    """A list; `lines` holds the line of each item."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []


def read(name: str, data: bytes) -> Table:
    """The table a YAML file holds.

    Raises SetupError with the line of what is not readable, of a key that is there
    twice, and for anything but a table.
    """
    loader = yaml.SafeLoader(decode(name, data))
    try:
        node = loader.get_single_node()
        found = _Maker(name, loader).value(node) if node else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else None
        raise _unreadable(name, f": {error.problem}", line) from None
    except (yaml.YAMLError, RecursionError):
        raise _unreadable(name) from None
    finally:
        loader.dispose()
    if not isinstance(found, Table):
        raise SetupError(Problem("yaml", "expected a table of keys", name, 1))
    return found


def _unreadable(name: str, why: str = "", line: int | None = None) -> SetupError:
    return SetupError(Problem("yaml", f"not readable as YAML{why}", name, line))


class _Maker:
    """Turns nodes into values."""

    def __init__(self, name: str, loader: yaml.SafeLoader) -> None:
        self.name, self.loader = name, loader
        self.made = 0

    def value(self, node: yaml.Node) -> Any:
        self.made += 1
        if self.made > MOST_VALUES:
            raise _unreadable(self.name, f": more than {MOST_VALUES} values")
        if isinstance(node, yaml.MappingNode):
            return self._table(node)
        if isinstance(node, yaml.SequenceNode):
            return self._items(node)
        try:
            return self.loader.construct_object(node)  # type: ignore[no-untyped-call]
        except ValueError as error:  # the thirteenth month, a number without end
            raise _unreadable(self.name, f": {error}", line_of(node)) from None

    def _table(self, node: yaml.MappingNode) -> Table:
        table = Table(line_of(node))
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _unreadable(self.name, ": expected a word as key", table.line)
            key, line = key_node.value, line_of(key_node)
            if key in table:
                why = f": '{key}' is there twice, first on line {table.lines[key]}"
                raise _unreadable(self.name, why, line)
            table[key] = self.value(value_node)
            table.lines[key] = line
        return table

    def _items(self, node: yaml.SequenceNode) -> Items:
        items = Items()
        for child in node.value:
            items.append(self.value(child))
            items.lines.append(line_of(child))
        return items


def line_of(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
