"""Answers that are known already, so that the database is not asked again."""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from django.db.models import Model

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


def note_rows_of(
    owners: Iterable[Any], relation: str, rows: Sequence[Any], field: str
) -> None:
    """Let each owner know those of the rows that refer to it by a field; they know it
    then."""
    for owner in owners:
        own = [row for row in rows if getattr(row, f"{field}_id") == owner.pk]
        for row in own:
            setattr(row, field, owner)
        note_rows(owner, relation, own)


def values_of_row(row: Model, but: Collection[str] = ()) -> list[object]:
    """The values of all of its columns but some."""
    fields = row._meta.concrete_fields
    return [getattr(row, f.attname) for f in fields if f.name not in but]


def knows_rows(owner: object, relation: str) -> bool:
    """Whether a row knows the rows that refer to it."""
    return relation in vars(owner).get("_prefetched_objects_cache", ())
