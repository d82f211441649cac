"""Jobs on uploaded files: their format, and which member of a zip is for what."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from scoring import Problem, examine
from scoring.errors import Findings, Refused, ScoringError
from scoring.formats import bundle
from scoring.formats.bundle import zip_files
from scoring.messages import Messages, _
from scoring.sandbox.codec import Request, Values, problem_rows
from scoring.scorers import all_scorers
from scoring.source import Source, size_in_words

MESSAGES = Messages(
    rename=_("Name each file as its test set, such as %(file)s, in any folder."),
    file_size=_("the file for %(test_set)s is larger than %(most)s"),
    unmatched=_("member '%(member)s' is for no test set; they are: %(test_sets)s"),
    second=_("member '%(member)s' is for %(test_set)s, and so is '%(first)s'"),
    one_each=_("Send one file for each test set."),
)

Files = dict[str, tuple[str, bytes]]
# Here, in the server, once: what a child must load it would load for every file.
all_scorers()


def check(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Check pairs of blind file and system's file with the scorer's own reader: remarks
    on files that can be scored. `others` are further blind files by name, of which a
    file may be one. Raises Refused with the diagnosis of each file and its problems."""
    scorer, options, pairs = request.unpack()
    others = request.sources("others")
    problems: list[Problem] = []
    remarks: list[Problem] = []
    try:
        for blind, sent in pairs:
            verdict = examine(scorer, blind, sent, options, others)
            problems += verdict.findings
            remarks += verdict.remarks
    except ScoringError:  # of the blind file, which is not the sender's
        raise RuntimeError from None
    if problems:
        raise Refused(problems)
    return {"remarks": problem_rows(remarks)}, []


@dataclass(frozen=True)
class ZipContents:
    """Test sets that the zip can hold a file for, by name, with their other names.

    `several` are test sets of many documents, which may be a folder. `endings` are
    what the task takes off the name of a submission's file and then puts on.
    """

    names: Mapping[str, Sequence[str]]
    several: Sequence[str] = ()
    endings: Sequence[str] = ("", "")
    most_bytes: int = 50 << 20


def members(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Names and bytes of all members of a zip, zips among them as they are."""
    source = Source.of_bytes(request.values["name"], request.files[0])
    files = bundle.without_folder(bundle.unpack(source, ("",)))
    return {"names": list(files)}, list(files.values())


def unpack(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Names of files by test set, and the files; given a name and `ZipContents`."""
    values = dict(request.values)
    source = Source.of_bytes(values.pop("name"), request.files[0])
    files = sorted_out(source, ZipContents(**values))
    names = [[name, file] for name, (file, _) in files.items()]
    return {"files": names}, [data for _, data in files.values()]


def sorted_out(source: Source, wanted: ZipContents) -> Files:
    """Name and bytes of the file for each test set that the zip has one for.

    A member goes by its own name before its folder's, by a whole name before the
    beginning of one, and by the longest name that fits. What lies beside the data (a
    README, checkpoints) is passed over, and the one file of data is for the only test
    set whatever its name. Raises Refused with every other member that is for no test
    set, or for one that has its file.
    """
    members = bundle.unpack(source)
    sorting = _Sorting(wanted, Findings(source.name))
    sorting.run(list(members))
    files = {
        name: _file(name, [(member, members[member]) for member in chosen])
        for name, chosen in sorted(sorting.chosen.items())
    }
    for name, (_file_name, data) in files.items():
        if len(data) > wanted.most_bytes:
            most = size_in_words(wanted.most_bytes)
            message = MESSAGES("file_size", test_set=name, most=most)
            sorting.findings.add("file_size", message)
    sorting.findings.raise_if_any(Refused)
    return files


def _file(name: str, members: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """One member as it is; those of a folder as a zip of their own."""
    if len(members) == 1:
        path, data = members[0]
        return path.rpartition("/")[2], data
    inner = zip_files(f"{name}.zip", dict(members))
    return inner.name, inner.single()


@dataclass
class _Sorting:
    wanted: ZipContents
    findings: Findings
    chosen: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.keys = {
            key(alias): name
            for name, aliases in self.wanted.names.items()
            for alias in (name, *aliases)
        }

    def run(self, members: Sequence[str]) -> None:
        rest = self._pass(members, self._whole)
        rest = self._pass(rest, self._beginning)
        rest = self._pass(rest, self._folder, folders=True)
        data = [member for member in rest if not bundle.is_beside(member)]
        if len(self.wanted.names) == len(data) == 1 and not self.chosen:
            self.chosen[next(iter(self.wanted.names))] = data
            return
        for member in data if self.chosen else rest:
            names = ", ".join(self.wanted.names)
            message = MESSAGES("unmatched", member=shown(member), test_sets=names)
            ending = PurePosixPath(member).suffix
            file = shown(f"{next(iter(self.wanted.names))}{ending}")
            hint = MESSAGES("rename", file=file)
            self.findings.add("zip_unmatched", message, hint=hint)

    def _pass(
        self, members: Sequence[str], find: Any, folders: bool = False
    ) -> list[str]:
        """Members that this way of looking finds no test set for."""
        rest, taken = [], set(self.chosen)
        for member in members:
            name = find(member)
            if name is None or (name in taken and find != self._whole):
                rest.append(member)
            elif name in self.chosen and not (folders and name in self.wanted.several):
                self._second(name, member)
            else:
                self.chosen.setdefault(name, []).append(member)
        return rest

    def _second(self, name: str, member: str) -> None:
        first = shown(self.chosen[name][0])
        message = MESSAGES("second", member=shown(member), test_set=name, first=first)
        hint = MESSAGES("one_each")
        self.findings.add("zip_duplicate", message, hint=hint)

    def _whole(self, member: str) -> str | None:
        return next((self.keys[k] for k in self._forms(member) if k in self.keys), None)

    def _beginning(self, member: str) -> str | None:
        forms = self._forms(member)
        fits = [k for k in self.keys if any(f.startswith(f"{k}-") for f in forms)]
        return self.keys[max(fits, key=len)] if fits else None

    def _folder(self, member: str) -> str | None:
        folders = member.split("/")[-2::-1] if "/" in member else []
        names = (self.keys.get(key(folder)) for folder in folders)
        return next((name for name in names if name is not None), None)

    def _forms(self, member: str) -> list[str]:
        """Forms of the name, from all of it to the part before its first dot."""
        own = member.rpartition("/")[2]
        names = [own]
        off, on = self.wanted.endings
        if (off or on) and own.endswith(off):
            names += [own.removesuffix(off) + on, own.removesuffix(off)]
        for name in list(names):
            while "." in name.lstrip("."):
                name = name.rpartition(".")[0]
                names.append(name)
        return [key(name) for name in names]


def key(name: str) -> str:
    """How names are compared: no case, and every separator alike."""
    plain = unicodedata.normalize("NFC", name).casefold()
    return "".join(c if c.isalnum() else "-" for c in plain)


def shown(member: str) -> str:
    return member if len(member) <= 80 else f"…{member[-80:]}"
