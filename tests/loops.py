"""One test that is asked of many cases, where a test of each would be too many."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]
Ids = Callable[[Any], Any] | Iterable[Any] | None
# That of pytest.fail and pytest.raises is no Exception.
FAILURES = (Exception, pytest.fail.Exception)


def loop_over(
    names: str | tuple[str, ...], values: Iterable[Any], ids: Ids = None
) -> Callable[[Test], Test]:
    """A decorator that is written like `pytest.mark.parametrize`, and makes one test.

    All cases are tried, and the failure names each that failed. Fixtures are made once,
    so a case must find them as the first did. Of several above a test, all combinations
    are tried.
    """
    words = (names,) if isinstance(names, str) else tuple(names)
    rows = [(one,) if isinstance(names, str) else tuple(one) for one in values]
    cases = [
        (called, dict(zip(words, row, strict=True)))
        for called, row in zip(_called(rows, ids), rows, strict=True)
    ]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def loop(**fixtures: Any) -> None:
            failed: dict[str, BaseException] = {}
            for called, case in cases:
                try:
                    test(**fixtures, **case)
                except CasesFailed as inner:
                    failed |= {f"{called}-{k}": v for k, v in inner.failed.items()}
                except FAILURES as failure:
                    failed[called] = failure
            assert cases, "there is no case"
            if failed:
                raise CasesFailed(failed)

        asked = inspect.signature(test)
        left = [one for name, one in asked.parameters.items() if name not in words]
        loop.__signature__ = asked.replace(parameters=left)  # type: ignore[attr-defined]
        return loop

    return decorate


class CasesFailed(BaseExceptionGroup):
    """All failures of a loop, by the names of their cases."""

    failed: dict[str, BaseException]

    def __new__(cls, failed: dict[str, BaseException]) -> "CasesFailed":
        for called, failure in failed.items():
            failure.__notes__ = [f"case {called}"]
        group = super().__new__(cls, "failed: " + ", ".join(failed), [*failed.values()])
        group.failed = failed
        return group

    def __init__(self, failed: dict[str, BaseException]) -> None:
        super().__init__(self.message, self.exceptions)


def _called(rows: list[tuple[Any, ...]], ids: Ids) -> list[str]:
    """A name for each case, none twice."""
    if ids is None or callable(ids):
        show = ids or _shown
        found = ["-".join(str(show(part)) for part in row) for row in rows]
    else:
        found = [str(name) for name in ids]
    twice = len(set(found)) < len(found)
    return [f"{n}-{name}" for n, name in enumerate(found)] if twice else found


def _shown(part: Any) -> str:
    return str(getattr(part, "__name__", part))[:60]
