"""The look at the files of a scoring program: what is said of it before it runs."""

from textwrap import dedent

import pytest

from scoring.scorers.program.conventions import program_of
from scoring.scorers.program.look import look
from tests.loops import loop_over
from tests.scoring.programs import RIGHT, UNITS, program

MODULES = {"json", "math", "os", "pathlib", "subprocess", "sys", "numpy", "nltk"}


def seen(script: str, **files: bytes) -> list[tuple[str, str, int]]:
    made = program_of(program(dedent(script), **files))
    return [(one.code, one.file, one.line) for one in look(made, MODULES, "3.11.7")]


@pytest.mark.parametrize("script", [RIGHT, UNITS])
def test_nothing_is_seen_in_a_program_that_runs(script: str) -> None:
    assert seen(script) == []


@loop_over(
    "line",
    [
        'print "accuracy", 1',
        "print",
        "except_ = 1\ntry:\n    pass\nexcept IOError, error:\n    pass",
        'raise ValueError, "no"',
        "mode = 0755",
        'exec "x = 1"',
        "if 1 <> 2:\n    pass",
        'text = ur"x"',
    ],
)
def test_python_2_is_named_with_its_line(line: str) -> None:
    if line == "print":  # is Python 3, too
        assert seen(line) == []
        return
    ((code, file, number),) = seen("import sys\n\n" + line)
    assert (code, file) == ("python_2", "score.py") and number >= 3


def test_what_is_no_python_at_all_is_told_as_such() -> None:
    assert seen("def f(:\n    pass\n") == [("python_syntax", "score.py", 1)]
    assert seen("x = '\0'")[0][0] == "python_syntax"


def test_all_that_is_missing_is_told_at_once() -> None:
    found = seen(
        """
        import numpy, torch
        from sklearn.metrics import f1_score
        import cPickle
        import helper
        """,
        helper__py=b"import psutil\n",
    )
    assert found == [
        ("package_missing", "helper.py", 1),
        ("package_missing", "score.py", 2),
        ("package_missing", "score.py", 3),
        ("old_module", "score.py", 4),
    ]


def test_imports_of_a_program_in_python_2_are_told_with_it() -> None:
    assert seen("import urllib2, sys\nfrom sklearn import svm\nprint 'x'\n") == [
        ("old_module", "score.py", 1),
        ("package_missing", "score.py", 2),
        ("python_2", "score.py", 3),
    ]


def test_an_import_that_may_fail_or_comes_later_ends_no_run() -> None:
    found = seen(
        """
        import sys
        try:
            import cPickle as pickle
        except ImportError:
            import pickle5 as pickle
        if sys.version_info[0] < 3:
            import urllib2
        def main():
            import torch
        """
    )
    assert found == [
        ("package_later", "score.py", 6),
        ("package_later", "score.py", 10),
    ]


def test_a_file_that_the_command_does_not_reach_is_not_held_against_it() -> None:
    assert seen("import json", old__py=b"print 'no'\nimport torch\n") == []


def test_where_files_are_run_by_name_all_are_looked_at() -> None:
    found = seen("import runpy", parts__py=b"print 'no'\n")
    assert found == [("python_2", "parts.py", 1), ("package_missing", "score.py", 1)]


def test_packages_are_not_missed_where_nobody_knows_which_there_are() -> None:
    made = program_of(program("import torch"))
    assert look(made, (), "") == []


def test_packages_of_the_program_itself_are_there() -> None:
    assert seen("import helper, deep.inside", helper__py=b"", deep__py=b"") == []


@loop_over(
    ("line", "code"),
    [
        ("import subprocess as s\ns.run(['ls'])", "starts_process"),
        ("from os import system\nsystem('ls')", "starts_process"),
        ("import os\nos.popen('perl score.pl')", "starts_process"),
        ("import threading\nthreading.Thread(target=print).start()", "starts_thread"),
        ("import nltk\nnltk.download('punkt')", "uses_network"),
        ("import urllib.request\nurllib.request.urlopen('x')", "uses_network"),
        ("import os, sys\nopen(os.path.join(sys.argv[1], 'metadata'))", "metadata"),
    ],
)
def test_what_the_sandbox_refuses_is_seen(line: str, code: str) -> None:
    made = program_of(program(line))
    modules = {*MODULES, "threading", "urllib"}
    ((found),) = look(made, modules, "3.11.7")
    assert code in found.code and found.line == 2 and not found.fatal


def test_what_is_nested_beyond_reading_is_no_crash() -> None:
    found = look(program_of(program("x = " + "(" * 5000)), MODULES, "3.11.7")
    assert [one.code for one in found] == ["python_syntax"]
    look(program_of(program("x = 1" + " + 1" * 9000)), MODULES, "3.11.7")


def test_of_a_thousand_things_the_first_few_are_told() -> None:
    script = "\n".join(f"import missing_{n}" for n in range(1000))
    assert len(look(program_of(program(script)), MODULES, "3")) == 8


@loop_over(
    ("line", "call"),
    [
        ("import sys\nexec(open(sys.argv[1]).read())", "exec"),
        ("import sys\nprint(eval(sys.argv[1]))", "eval"),
        ("import pickle\npickle.load(open('res/model.pkl', 'rb'))", "pickle.load"),
        ("from pickle import loads as read\nread(b'')", "pickle.loads"),
        ("import joblib as jl\njl.load('res/model.joblib')", "joblib.load"),
        ("import numpy as np\nnp.load('p.npy', allow_pickle=True)", "numpy.load"),
        ("import pandas as pd\npd.read_pickle('res/p')", "pandas.read_pickle"),
        ("import yaml\nyaml.load(open('res/p.yaml'), yaml.Loader)", "yaml.load"),
        ("import runpy\nrunpy.run_path('res/solve.py')", "runpy.run_path"),
        (
            "import importlib, sys\nimportlib.import_module(sys.argv[1])",
            "importlib.import_module",
        ),
        (
            "import importlib.util\nimportlib.util.spec_from_file_location('m', 'x')",
            "importlib.util.spec_from_file_location",
        ),
        (
            "import os, sys\nsys.path.insert(0, os.path.join(sys.argv[1], 'res'))",
            "sys.path.insert",
        ),
    ],
)
def test_what_would_run_a_submission_beside_the_gold_is_seen(
    line: str, call: str
) -> None:
    (found,) = look(program_of(program(line)), (), "3.11.7")
    assert found.code == "runs_submissions" and found.values == {"call": call}
    assert found.line == 2 and not found.fatal


@loop_over(
    "line",
    [
        "import ast, sys\nast.literal_eval(sys.argv[1])",
        "eval('1 + 1')",
        "import importlib\nimportlib.import_module('json')",
        "import json\njson.load(open('res/p.json'))",
        "import numpy as np\nnp.load('res/p.npy')",
        "import yaml\nyaml.load(open('res/p'), Loader=yaml.SafeLoader)",
        "import pandas as pd\npd.DataFrame().eval('a + b')",
        "import os, sys\nsys.path.append(os.path.dirname(__file__))",
        "import re\nre.compile('x')",
        "class Net:\n    def eval(self): ...\nNet().eval()",
    ],
)
def test_what_reads_data_alone_is_not_taken_for_running_it(line: str) -> None:
    assert look(program_of(program(line)), (), "3.11.7") == []
