"""What is read of those who take part, wherever it comes from."""

from typing import Any, Protocol


class Entrant(Protocol):
    """A participation, or as much of it as a board reads."""

    @property
    def pk(self) -> int: ...
    @property
    def merged_into_id(self) -> int | None: ...
    @property
    def anonymous(self) -> bool: ...
    @property
    def alias(self) -> int | None: ...
    @property
    def team(self) -> Any: ...
