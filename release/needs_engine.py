"""Build hook of the site's wheel: it needs the engine of its own release."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NeedsEngine(BuildHookInterface):
    """Adds the requirement that pyproject.toml, read by `make lock`, cannot name: a
    distribution that is built beside this one and stands in no index."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        release = self.metadata.version
        build_data["dependencies"] = [f"plumbline-scoring=={release}"]
