"""What every test can rely on."""

from __future__ import annotations

import signal

# A run in the background of a shell, or under nohup, is told to ignore Ctrl-C and a terminal that closes, and what it
# starts inherits that; our commands are tested with both.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
