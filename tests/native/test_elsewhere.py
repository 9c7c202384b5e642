"""The core for a processor and a library that were not at hand: aarch64 under qemu, and libc++, which macOS has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from fiedler import native
from tests.folders import ROOT
from tests.native.positions import data_of

pytestmark = pytest.mark.soak
SOURCES = ROOT / "native/src"
GAMES = re.findall(r"^  (\S+\.hpp):(\w+)", (ROOT / "native/games.cmake").read_text("utf-8"), re.MULTILINE)
FLAGS = ["-std=c++20", "-DNDEBUG", "-Wall", "-Wextra", "-ffp-contract=off", "-fno-math-errno", f"-I{SOURCES}"]
CROSS, QEMU, CLANG = "aarch64-linux-gnu-g++", "qemu-aarch64", "clang++-19"
MOST_PATHS = 200_000
"""The move paths of the deepest count of a game."""
COUNT = """
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/perft.hpp"
{includes}
template <class P>
void count(std::string_view wanted, int depth) {{
    fiedler::StopFlag stop;
    if (P::id == wanted) std::printf("%llu\\n", static_cast<unsigned long long>(fiedler::perft(P(), depth, stop)));
}}
int main(int, char** words) {{
    {counts}
}}
"""


def lacking(*programs: str) -> bool:
    return not all(map(shutil.which, programs))


@pytest.mark.skipif(lacking(CROSS, QEMU), reason="needs Debian's g++-aarch64-linux-gnu and qemu-user")
def test_the_move_paths_of_every_game_on_another_processor(tmp_path: Path) -> None:
    includes = "\n".join(sorted({f'#include "{header}"' for header, _ in GAMES}))
    counts = "\n    ".join(f"count<fiedler::{name}>(words[1], std::atoi(words[2]));" for _, name in GAMES)
    (tmp_path / "count.cpp").write_text(COUNT.format(includes=includes, counts=counts), encoding="utf-8")
    program = tmp_path / "count"
    command = [CROSS, *FLAGS, "-Wno-psabi", "-O2", "-static", str(tmp_path / "count.cpp"), "-o", str(program)]
    subprocess.run(command, check=True)
    for game in native.GAMES:
        for row in data_of(game)["perft"]:
            if row["paths"] <= MOST_PATHS:
                run = [QEMU, str(program), game, str(row["depth"])]
                found = subprocess.run(run, capture_output=True, text=True, check=True).stdout
                assert found == f"{row['paths']}\n", (game, row["depth"])


@pytest.mark.skipif(lacking(CLANG), reason="needs Debian's clang-19 and libc++-19-dev")
def test_clang_and_its_library_accept_the_core(tmp_path: Path) -> None:
    with (tmp_path / "games.cpp").open("w", encoding="utf-8") as games:
        games.writelines(f'#include "{header}"\n' for header in sorted({header for header, _ in GAMES}))
        games.write('#include "bind/factory.hpp"\n')
        for _, name in GAMES:
            games.write(f"constexpr fiedler::GameFactory of_{name} = fiedler::make_factory<fiedler::{name}>();\n")
    nanobind = [sys.executable, "-m", "nanobind", "--include_dir"]
    theirs = [subprocess.run(nanobind, check=True, capture_output=True, text=True).stdout.strip()]
    theirs += [sysconfig.get_path("include")]
    flags = [*FLAGS, "--target=aarch64-linux-gnu", "-stdlib=libc++", "-fsyntax-only", "-DFIEDLER_MODULE=_core_baseline"]
    flags += [word for folder in theirs for word in ("-isystem", folder)]
    for source in [tmp_path / "games.cpp", *(SOURCES / "bind").glob("*.cpp")]:
        done = subprocess.run([CLANG, *flags, str(source)], capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr
