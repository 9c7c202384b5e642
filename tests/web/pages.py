"""The server of pages in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

from tests.folders import ROOT
from tests.patience import PATIENCE


class Pages:
    """`python -m fiedler.web` for a folder of runs; its port is kept, so that it can be killed and started again."""

    def __init__(self, results: Path, *options: object, files: int = 0, module: str = "fiedler.web") -> None:
        """`files` is the most files that the server may open; 0: as the tests. `module` is the one that is run."""
        self.module = module
        self.results = results
        self.options = options
        self.limit = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"] if files else []
        self.port = 0
        self.lines: list[str] = []
        self.start()

    @property
    def url(self) -> str:
        """The address of the first page, without a slash at its end."""
        return self._url.rstrip("/")

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        command = [*self.limit, sys.executable, "-m", self.module, self.results, "--port", self.port, *self.options]
        self.process = subprocess.Popen(
            [str(word) for word in command], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, cwd=ROOT
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip())
            if line.startswith("listening on "):
                self._url = line.split()[-1]
                self.port = int(self._url.split("/")[2].rpartition(":")[2])
                break
        else:
            raise AssertionError("\n".join(self.lines))
        self._reader = threading.Thread(target=self._read, args=(self.process,))
        self._reader.start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        with process.stderr as lines:
            self.lines += [line.rstrip() for line in lines]

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End the server; return its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._reader.join()
        return code
