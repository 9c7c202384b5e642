"""The progress of a computation as lines, where there is no terminal."""

from __future__ import annotations

import io
import threading

from fiedler.support import stages


class Lines(io.StringIO):
    """A text output that remembers that it was written to."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def flush(self) -> None:
        self.written.set()


def test_lines_have_the_stage_its_steps_and_the_time() -> None:
    output = Lines()
    with stages.progress_lines("reading", output, every_s=0.01):
        assert output.written.wait(60)
        stages.begin("climbing", 3)
        stages.step()
        while "climbing: 1 of 3, " not in output.getvalue():
            output.written.clear()
            assert output.written.wait(60)
        for _ in range(4):
            stages.step()
        while "climbing: 5 of 5, " not in output.getvalue():
            output.written.clear()
            assert output.written.wait(60)
    text = output.getvalue()
    assert text.startswith("reading: 0 s\n")
    stages.begin("nobody listens")
    assert output.getvalue() == text


def test_a_short_computation_prints_nothing() -> None:
    output = Lines()
    with stages.progress_lines("reading", output):
        stages.begin("climbing")
    assert output.getvalue() == ""
