"""A task as a bundle: what import took, given back; the same task, the same bytes."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from leaderboard.tasks.bundle import FORMAT
from leaderboard.tasks.bundle_extras import BOARD_KEYS, FACT_KEYS
from leaderboard.tasks.bundle_scoring import BOOTSTRAP_KEYS
from leaderboard.tasks.manifest import MANIFEST
from leaderboard.tasks.plans import BaselinePlan, PhasePlan, TaskPlan, TestSetPlan
from scoring.formats.bundle import zipped
from scoring.source import Source

Values = dict[str, Any]
# Left out where they say what is understood without them
USUAL = {
    item.name: item.default
    for item in fields(PhasePlan)
    if item.name not in ("test_sets", "lines")
}
WIDTH = 88


def exported(plan: TaskPlan) -> Source:
    """The bundle as one zip, `<slug>.zip`."""
    return zipped(f"{plan.slug}.zip", bundle_of_plan(plan).files)


def bundle_of_plan(plan: TaskPlan) -> Source:
    """The files of the bundle; reading them gives an equal plan."""
    files = _Files()
    table = _table(plan, files)
    text = yaml.dump(
        table, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH
    )
    return Source(plan.slug, {MANIFEST: text.encode(), **files.written})


@dataclass
class _Files:
    """Files of the bundle by their path in it."""

    written: dict[str, bytes] = field(default_factory=dict)

    def put(self, folder: str, source: Source) -> str:
        """Write a file, or the files of a zip; the path that the manifest names."""
        path = f"{folder}/{source.name}"
        if source.name.endswith(".zip"):
            path = path.removesuffix(".zip")
            for name, data in _members(source).items():
                self.written[f"{path}/{name}"] = data
        else:
            self.written[path] = source.single()
        return path


def _members(source: Source) -> Mapping[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(source.single())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _table(plan: TaskPlan, files: _Files) -> Values:
    table: Values = {"plumbline": FORMAT, "slug": plan.slug, "title": plan.title}
    if plan.summary:
        table["summary"] = plan.summary
    if plan.description:
        files.written["description.md"] = plan.description.encode()
        table["description"] = "description.md"
    table |= {
        "synthetic": plan.synthetic,
        "draft": plan.draft,
        "entry": plan.entry,
        "mail_domains": list(plan.mail_domains),
        "allows_anonymous": plan.allows_anonymous,
        "prizes": plan.prizes,
        **({} if plan.margin is None else {"margin": plan.margin}),
        "scorer": _scorer(plan, files),
        "bootstrap": {key: getattr(plan, key) for key in BOOTSTRAP_KEYS},
        "test_sets": list(_test_sets(plan.test_sets, files)),
        "phases": [_phase(phase) for phase in plan.phases],
    }
    lists = {
        "boards": [{key: one[key] for key in BOARD_KEYS} for one in plan.boards],
        "fact_sheet": [{key: one[key] for key in FACT_KEYS} for one in plan.fact_sheet],
        "baselines": [_baseline(one, files) for one in plan.baselines],
    }
    return table | {key: found for key, found in lists.items() if found}


def _scorer(plan: TaskPlan, files: _Files) -> Values:
    options: Values = {}
    # As the scorer declares them: not every database keeps the order of a table.
    for name in (option.name for option in plan.scorer.options):
        if name not in plan.raw_options:
            continue
        values = plan.raw_options[name]
        written = [
            value if isinstance(value, str) else files.put(f"options/{name}", value)
            for value in values
        ]
        options[name] = written[0] if len(written) == 1 else written
    found: Values = {"name": plan.scorer.name}
    if options:
        found["options"] = options
    if plan.measures:
        found["measures"] = list(plan.measures)
    return {**found, "headline": plan.headline, "unit": plan.unit}


def _test_sets(plans: tuple[TestSetPlan, ...], files: _Files) -> Iterator[Values]:
    for index, plan in enumerate(plans):
        entry = {
            "name": plan.name,
            "title": plan.title,
            "gold": files.put(f"gold/{plan.name}", plan.gold),
            "blind": files.put(f"blind/{plan.name}", plan.blind),
        }
        yield entry if plan.position == index else {**entry, "position": plan.position}


def _phase(plan: PhasePlan) -> Values:
    found: Values = {"name": plan.name, "title": plan.title}
    zone = ZoneInfo(plan.time_zone)
    for key, value in asdict(plan).items():
        if key not in USUAL or value == USUAL[key]:
            continue
        found[key] = value.astimezone(zone) if isinstance(value, datetime) else value
    return {**found, "test_sets": list(plan.test_sets)}


def _baseline(plan: BaselinePlan, files: _Files) -> Values:
    found: Values = {"system": plan.system}
    if plan.description:
        found["description"] = plan.description
    folder = f"baselines/{plan.system_key}"
    written = {
        name: files.put(f"{folder}/{name}", source)
        for name, source in sorted(plan.files.items())
    }
    return {**found, "phases": list(plan.phases), "files": written}


class _Dumper(yaml.SafeDumper):
    """Plain YAML: no aliases, times with their offset, lists set in."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _time(dumper: yaml.SafeDumper, value: datetime) -> yaml.ScalarNode:
    offset = value.utcoffset()
    assert offset is not None
    whole = value if offset.total_seconds() % 60 == 0 else value.astimezone(UTC)
    text = whole.isoformat().replace("+00:00", "Z")
    return dumper.represent_scalar("tag:yaml.org,2002:timestamp", text)


_Dumper.add_representer(datetime, _time)
