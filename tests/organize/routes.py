"""A line of the authorisation matrix: who may use a route, and what is sent there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.organize.matrix_access import Rule


@dataclass(frozen=True)
class Route:
    """`get` is what readers get, `draft` where the task is one.

    `named`: which object, or name, stands in which place of the address. `reading`
    lets more people read than send.
    """

    access: Rule
    post: Mapping[str, Any] | None = None
    form: bool = False
    get: int = 200
    draft: int = 0
    idle: str = ""
    query: str = ""
    named: Mapping[str, str] = field(default_factory=dict)
    reading: Rule | None = None


def read(access: Rule, **more: Any) -> Route:
    return Route(access, **more)


def form(access: Rule, post: Mapping[str, Any], **more: Any) -> Route:
    return Route(access, post, form=True, **more)


def button(access: Rule, post: Mapping[str, Any] | None = None, **more: Any) -> Route:
    return Route(access, post or {}, get=405, **more)
