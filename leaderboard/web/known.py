"""Answers that are known already, so that the database is not asked again."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from leaderboard.web.requests import READING, current

T = TypeVar("T")


def once(key: Hashable, ask: Callable[[], T]) -> T:
    """The answer of `ask`, asked for once in a request that only reads.

    A request that writes may change it, and asks each time; so does code outside one.
    """
    request = current.get()
    if request is None or request.method not in READING:
        return ask()
    answers: dict[Hashable, T] = vars(request).setdefault("known", {})
    if key not in answers:
        answers[key] = ask()
    return answers[key]


def note_rows(owner: Any, relation: str, rows: Iterable[Any] = ()) -> None:
    """Let a row know the rows that refer to it, as if they had been prefetched."""
    related = getattr(owner, relation).all()
    related._result_cache, related._prefetch_done = list(rows), True
    vars(owner).setdefault("_prefetched_objects_cache", {})[relation] = related


def knows_rows(owner: object, relation: str) -> bool:
    """Whether a row knows the rows that refer to it."""
    return relation in vars(owner).get("_prefetched_objects_cache", ())
