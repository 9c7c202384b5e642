"""Engine servers of ours: the report of their start."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fiedler.support.reaper import Reaper
from fiedler.tournament.play.server_process import ServerProcess, engine_program
from fiedler.tournament.play.session import PlayerLostError
from tests.folders import ROOT
from tests.patience import PATIENCE

pytestmark = pytest.mark.programs

SERVE = (engine_program(), "serve", "--game", "uttt", "--port", "0")


@asynccontextmanager
async def server() -> AsyncIterator[ServerProcess]:
    reaper = Reaper()
    made = ServerProcess(reaper)
    try:
        async with asyncio.timeout(PATIENCE):
            yield made
    finally:
        await made.end()
        reaper.close()


def players(folder: Path, *tables: str) -> str:
    file = folder / "players.toml"
    file.write_text("\n".join(f"[[players]]\n{table}" for table in tables), encoding="utf-8")
    return str(file)


async def test_a_server_reports_its_port() -> None:
    async with server() as one:
        await one.start("a", (*SERVE, "--player", "random"), ".", None)
        reader, writer = await asyncio.open_connection("127.0.0.1", one.port)
        writer.write(b"ugi\n")
        assert (await reader.readline()).startswith(b"id name ")
        writer.close()
        assert (one.has_ended, one.failed, one.largest_model_mb) == (False, "", 0.0)
        one.process.kill()
        await one.process.exited
        assert one.process.exit_message == "was killed by SIGKILL"


async def test_a_server_reports_the_memory_of_its_largest_model_with_its_rows(tmp_path: Path) -> None:
    """That of an incremental network is many times its file."""
    small, large = (f'name = "{name}"\nmodel = "{ROOT / "models" / name}.onnx"' for name in ("uttt-small", "uttt"))
    file = players(tmp_path, 'name = "0"\nplayer = "random"', small, large)
    async with server() as one:
        await one.start("all", (*SERVE, "--players", file), ".", None)
        assert one.largest_model_mb > 10 * (ROOT / "models/uttt.onnx").stat().st_size / 2**20


async def test_a_server_that_does_not_start_names_the_player(tmp_path: Path) -> None:
    file = players(tmp_path, 'name = "0"\nplayer = "random"', 'name = "17"\nplayer = "mcts"\noptions = { c = "x" }')
    async with server() as one:
        with pytest.raises(PlayerLostError) as lost:
            await one.start("all", (*SERVE, "--players", file), ".", None)
        assert one.failed == "17"
        assert lost.value.fault.detail.startswith(f"engine serve: {file}: players '17'.options.c: option 'c': expected")


async def test_a_file_that_cannot_be_read_is_the_fault_of_no_player(tmp_path: Path) -> None:
    async with server() as one:
        with pytest.raises(PlayerLostError):
            await one.start("all", (*SERVE, "--players", str(tmp_path / "none")), ".", None)
        assert one.failed == ""


async def test_other_lines_on_standard_output_are_no_report() -> None:
    said = ["a library", "{", '{"event": "other"}', '{"event": "listening", "address": "127.0.0.1:7"}']
    code = f"import sys, time; print({chr(10).join(said)!r}, flush=True); sys.stdin.read()"
    async with server() as one:
        await one.start("a", (sys.executable, "-c", code), ".", None)
        assert one.port == 7
