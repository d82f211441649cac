"""login: keep a token for a site."""

import argparse
import getpass
import sys
from typing import Any

from plumbline import credentials
from plumbline.exits import FINE, USAGE, Ended
from plumbline.site import Site


def add_login(commands: Any) -> None:
    command = commands.add_parser(
        "login",
        help="keep a token, read from the terminal or from standard input",
        description="Keep a token of a site. Make one on its page /accounts/tokens/ "
        "(menu: Account, Tokens); it is read from the terminal or from standard input.",
    )
    command.set_defaults(run=run_login)


def run_login(called: argparse.Namespace, site: Site) -> int:
    """The token is tried first; it never stands on a command line, where others see."""
    prompt = f"Token for {site.address} (made at {site.address}/accounts/tokens/): "
    token = getpass.getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline()
    if not token.strip():
        raise Ended(USAGE, "no token was given")
    account = Site(site.address, token.strip()).get("me/")
    place = credentials.keep_token(site.address, token.strip())
    scopes = ", ".join(account["scopes"]) or "none"
    print(f"{account['email']} at {site.address}, scopes: {scopes}; kept in {place}")
    return FINE
