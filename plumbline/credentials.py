"""Stored tokens by site, and keys of uploads that were cut off.

All of it in one folder that only its owner may read.
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

TOKEN, SITE = "PLUMBLINE_TOKEN", "PLUMBLINE_SITE"
TOKENS, UPLOADS = "tokens.json", "uploads.json"


def folder() -> Path:
    """XDG_CONFIG_HOME, on Windows APPDATA, else ~/.config."""
    name = "APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME"
    given = os.environ.get(name)
    return Path(given) / "plumbline" if given else Path.home() / ".config/plumbline"


def read(name: str) -> dict[str, Any]:
    """The stored table of that name; empty where there is no such file, or one that is
    no JSON."""
    try:
        content = json.loads((folder() / name).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write(name: str, values: dict[str, Any]) -> Path:
    """The whole file or nothing of it; never for others to read, not for a moment."""
    place = folder()
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=place)  # made with mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(values, file, indent=1)
    os.replace(temporary, place / name)
    return place / name


def token_of(site: str) -> str:
    """The token of the environment, else that of `login`; empty where there is none."""
    return os.environ.get(TOKEN) or str(read(TOKENS).get("tokens", {}).get(site, ""))


def keep_token(site: str, token: str) -> Path:
    stored = read(TOKENS)
    stored.setdefault("tokens", {})[site] = token
    return write(TOKENS, {**stored, "site": site})


def last_site() -> str:
    """The site of the environment, else the one that was logged in to last."""
    return os.environ.get(SITE) or str(read(TOKENS).get("site", ""))
