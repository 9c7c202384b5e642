"""The output of `make` while it installs, and without a tool."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import install

PROGRAM = Path(install.__file__)


def without_compiler(compiler: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), str(folder / "venv"), "cpu", "--", "nothing"]
    environment = {**os.environ, "CXX": compiler}
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, check=False)


@pytest.mark.parametrize(
    ("compiler", "message"),
    [
        ("no-such-compiler", "C++ compiler 'no-such-compiler' not found; install g++ (12 or later)"),
        ("false", "'false' does not compile C++20; install g++ (12 or later), or name another compiler in CXX"),
    ],
)
def test_a_missing_compiler_is_one_line_with_its_package(compiler: str, message: str, tmp_path: Path) -> None:
    done = without_compiler(compiler, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {message}\n")
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Collecting numpy<3,>=2.3\n", "fetching numpy<3,>=2.3"),
        ("  *** Configuring CMake...\n", "configuring the build"),
        ("  [12/47] Building CXX object CMakeFiles/_core.dir/game_Uttt.cpp.o\n", "12 of 47 files: game_Uttt.cpp"),
        ("  [47/47] Linking CXX shared module _core.cpython-311.so\n", "47 of 47 files: _core.cpython-311.so"),
        ("Installing collected packages: numpy\n", "unpacking the packages"),
        ("  Using cached numpy.whl (16 MB)\n", ""),
    ],
)
def test_progress_is_read_from_the_output_of_pip(line: str, shown: str) -> None:
    assert install.progress(line).rpartition("] ")[2] == shown


def installed(folder: Path, **groups: list[str]) -> subprocess.CompletedProcess[str]:
    """Install with this Python; it cannot succeed."""
    script = f"import sys; from pathlib import Path; sys.path[:0] = [{str(PROGRAM.parents[1])!r}]\n"
    script += f"from tools import install; sys.exit(install.install(Path(sys.executable), {groups!r}))"
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


def test_a_failure_shows_the_errors_and_names_the_log(tmp_path: Path) -> None:
    done = installed(tmp_path, packages=["--no-index", "no-such-thing"])
    assert done.returncode == 1
    assert "No matching distribution found for no-such-thing" in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "error: the package index has no no-such-thing for this Python; the output of pip is in "
        "build/install-packages.log"
    )


RETRYING = "WARNING: Retrying (Retry(total=0)) after connection broken by "
BROKEN = "<HTTPSConnection object at 0x7f7d5a2c26d0>: Failed to establish a new connection: [Errno"


@pytest.mark.parametrize(
    ("output", "cause"),
    [
        (
            f"{RETRYING}'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify "
            "failed: self-signed certificate in certificate chain (_ssl.c:992)'))': /simple/numpy/",
            "pip cannot verify the certificate of the package index (certificate verify failed: self-signed certificate"
            " in certificate chain); behind a proxy, name its certificate in the variable PIP_CERT",
        ),
        (
            f"{RETRYING}'NewConnectionError('{BROKEN} -2] Name or service not known')': /simple/numpy/",
            "pip cannot reach the package index (Name or service not known); is there a network, or a proxy for the"
            " variable https_proxy?",
        ),
        (
            f"{RETRYING}'ProxyError('Cannot connect.', NewConnectionError('{BROKEN} 111] Connection refused'))",
            "pip cannot reach the package index (Connection refused); is there a network, or a proxy for the variable"
            " https_proxy?",
        ),
        (
            f"{RETRYING}'ProxyError('Cannot connect to proxy.', NewConnectionError('{BROKEN} 111] Refused'))",
            "pip cannot reach the proxy of the variable https_proxy (Refused)",
        ),
        (
            f"{RETRYING}'ProxyError('x', OSError('Tunnel connection failed: 407 Proxy Authentication Required'))'",
            "the proxy of the variable https_proxy refuses (407 Proxy Authentication Required)",
        ),
        (
            "SSLError(1, '[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)')",
            "pip cannot speak TLS with the package index, or its proxy (wrong version number)",
        ),
        ("ERROR: HTTP error 403 while getting https://host/x.whl", "the package index answers with error 403"),
        ("requests.HTTPError: 503 Server Error: busy for url: x", "the package index answers with error 503"),
        ("OSError: [Errno 122] Disk quota exceeded", "the disk is full"),
        ("an OSError: [Errno 13] Permission denied: '/srv/.venv/x'", "/srv/.venv/x cannot be written"),
        ("c++: fatal error: Killed signal terminated program cc1plus", "too little memory"),
        ("a.cpp:450: note: x\na.cpp:3:10: fatal error: b.h: No such file", "the compiler failed: b.h: No such file"),
        ("CMake Error at CMakeLists.txt:3 (project):\n  No compiler found.\n", "CMake failed: No compiler found"),
        (
            "The conflict is caused by:\n    The user requested click>=9\n    The user requested (constraint) click==8",
            "no version of a package fits the constraint click==8; if that is in lock.txt, `make lock` renews it",
        ),
        ("", "the package index has no numpy for this Python"),
        (f'{RETRYING}"ReadTimeoutError(Read timed out. (read timeout=15))"', "the package index does not answer"),
        ("ERROR: Could not install packages: [Errno 28] No space left on device", "the disk is full"),
    ],
)
def test_the_cause_of_a_failure_is_found_above_the_last_lines(output: str, cause: str) -> None:
    last = (
        "ERROR: Could not find a version that satisfies the requirement numpy (from versions: none)\n"
        "ERROR: No matching distribution found for numpy"
    )
    assert install.cause(f"Collecting numpy\n{output}\n{last}\n") == cause


ENDLESS = """
import time

def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    while True:
        print("compiling", flush=True)
        time.sleep(0.05)

get_requires_for_build_wheel = build_wheel = prepare_metadata_for_build_wheel
"""


def test_a_failure_ends_concurrent_installations(tmp_path: Path) -> None:
    endless = tmp_path / "endless"
    endless.mkdir()
    (endless / "pyproject.toml").write_text(
        "[build-system]\nrequires = []\nbuild-backend = 'builder'\nbackend-path = ['.']", encoding="utf-8"
    )
    (endless / "builder.py").write_text(ENDLESS, encoding="utf-8")
    done = installed(tmp_path, packages=["--no-index", "no-such-thing"], project=["--no-build-isolation", str(endless)])
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "error: the package index has no no-such-thing for this Python; the output of pip is in "
        "build/install-packages.log"
    )


def dry(*words: str) -> list[str]:
    """The commands of a target, which are not run."""
    environment = {
        name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    }
    command = ["make", "--dry-run", "--always-make", *words]
    root = PROGRAM.parents[1]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, env=environment, check=True)
    return done.stdout.splitlines()


INDEX = "https://download.pytorch.org/whl/cpu"


def test_make_train_installs_torch_for_the_processor() -> None:
    (line,) = (line for line in dry("train") if "tools/install.py" in line)
    assert f" .venv cpu,mqtt,web,train {INDEX} -- --config-settings" in line
    (line,) = (line for line in dry("train", "TORCH_INDEX=") if "tools/install.py" in line)
    assert " .venv cpu,mqtt,web,train  -- " in line


def test_make_gpu_exchanges_both_libraries() -> None:
    lines = dry("gpu")
    removed = lines.index(".venv/bin/python -m pip uninstall --quiet --yes onnxruntime torch")
    assert "tools/install.py .venv cpu,mqtt,web,train" in "".join(lines[:removed])
    assert lines[removed + 1] == "touch .venv/.gpu"
    assert "tools/install.py .venv gpu,mqtt,web,train -- " in lines[removed + 2]


@pytest.mark.parametrize("target", [".venv/.play", ".venv/.train", ".venv/.test", ".venv/.sanitized", ".venv/.levels"])
def test_an_environment_for_a_gpu_keeps_its_libraries(target: str) -> None:
    (line,) = (line for line in dry(target, "ONNX=gpu") if "tools/install.py" in line)
    assert " .venv gpu,mqtt,web" in line


def test_the_further_index_is_an_argument_of_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, list[str]]] = []

    def record(python: Path, groups: dict[str, list[str]]) -> int:
        asked.append(groups)
        return 0

    monkeypatch.chdir(PROGRAM.parents[1])
    monkeypatch.setattr(install, "install", record)
    assert install.install_project(Path(sys.executable), ["train"], ["-v"], [INDEX]) == 0
    assert f"--extra-index-url={INDEX}" in asked[-1]["packages"]
    assert any(package.startswith("torch==") for package in asked[-1]["packages"])
    assert INDEX not in "".join(asked[-1]["project"])
    assert all(install.LOCK in words for groups in asked for name, words in groups.items() if name != "project")
