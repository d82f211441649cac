"""Build hooks of plumbline-scoring: packages and version of the tree that it is in.

In a checkout the packages stand two folders up, in an unpacked sdist beside this file.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PACKAGES = ("scoring", "plumbline")


def tree(root: str) -> Path:
    here = Path(root)
    return here if (here / "scoring").is_dir() else here.parents[1]


class Packages(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for name in PACKAGES:
            build_data["force_include"][str(tree(self.root) / name)] = name


class Version(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = (tree(self.root) / "scoring" / "version.py").read_text("utf-8")
        (metadata["version"],) = re.findall(r'^RELEASE = "(.+)"$', text, re.MULTILINE)
