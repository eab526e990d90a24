"""What is shipped, and what starting costs."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
UNCONFINED = {
    **os.environ,
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}
HEAVY = ("ortools", "scipy", "pandas")


def tracked(*patterns):
    """Tracked files of the checkout that match, deleted ones left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *patterns],
        cwd=ROOT,
        env=UNCONFINED,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip(f"not a git checkout, so what should be shipped is not known: {listed.stderr.strip()}")
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """Names in a wheel built from the tracked files."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in tracked():
        target = folder / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, folder / "source"],
        capture_output=True,
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_holds_every_source_file(shipped):
    """A subpackage missing from the explicit list would work in a checkout and be missing from the wheel."""
    sources = {f"kubestow/{name}" for name in tracked("*.py") if not name.startswith("tests/")}
    assert {name for name in shipped if name.endswith(".py")} == sources


def test_the_wheel_holds_the_data(shipped):
    """Scenarios, the licence and the typing marker are shipped."""
    data = {f"kubestow/{name}" for name in (*tracked("scenarios/*.yaml"), "py.typed")}
    assert data <= shipped
    assert any(name.endswith("licenses/LICENSE") for name in shipped)


def loaded_by(program):
    """Modules that are loaded once `program` has run in a fresh interpreter."""
    code = f"{program}\nimport sys\nprint(*sys.modules, file=sys.__stderr__, sep='\\n')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name for name in HEAVY if name in run.stderr.split()}


def test_help_loads_no_solver():
    """Asking for help must not pay for importing a solver."""
    program = """
import sys
from kubestow.adapters.cli import main
sys.argv = ["kubestow", "--help"]
try:
    main()
except SystemExit as done:
    assert not done.code, done.code
"""
    assert loaded_by(program) == set()


def test_importing_the_package_loads_no_solver():
    """`import kubestow` must not pay for importing a solver; the API that needs one loads it when called."""
    assert loaded_by("import kubestow") == set()


def test_a_loaded_solver_would_be_noticed():
    """The two tests above can fail."""
    assert "ortools" in loaded_by("import ortools")


def test_the_script_is_installed():
    """`kubestow --version` prints the package's version."""
    import kubestow

    script = Path(sys.executable).with_name("kubestow")
    run = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert kubestow.__version__ in run.stdout
