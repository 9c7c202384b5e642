"""The priority of a process that reads a run beside its games."""

from __future__ import annotations

import ctypes
import os
import platform

NICE = 10
SLICE_NS = 100_000
"""Nanoseconds that such a process may run on while a player waits for the processor: the least that Linux takes."""

_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
"""Machine -> number of the system call, which Python does not have."""


class _Attributes(ctypes.Structure):
    """`struct sched_attr` of Linux, its first version (`man 2 sched_setattr`)."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def give_way() -> None:
    """Leave the processor to the games: low priority, and a short time slice where Linux has one (6.12 and later).

    Low priority bounds the share of the processor, not the wait of a player that wakes up: without a short slice it
    waits a millisecond or more for the process to be interrupted.
    """
    os.nice(NICE)
    number = _SCHED_SETATTR.get(platform.machine())
    if number is not None and os.sched_getscheduler(0) == os.SCHED_OTHER:
        wanted = _Attributes(ctypes.sizeof(_Attributes), nice=os.getpriority(os.PRIO_PROCESS, 0), runtime=SLICE_NS)
        ctypes.CDLL(None).syscall(number, 0, ctypes.byref(wanted), 0)  # no harm if it fails
