"""The parser of commands, here and in the client: a name that is not known is answered
with the one that was probably meant."""

import argparse
import sys
from typing import NoReturn

from scoring.picks import likely

USAGE = 64  # exit code


class CommandParser(argparse.ArgumentParser):
    """Parser that exits with the usage code of the contract."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            if near := likely(str(value), [*map(str, action.choices or ())]):
                message = f"there is no '{value}'. Did you mean '{near}'?"
                raise argparse.ArgumentError(action, message) from None
            raise error
