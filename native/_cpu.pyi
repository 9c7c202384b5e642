"""What the processor can do."""

def level() -> str:
    """The x86-64 microarchitecture level: `v3`, `v4`, or `baseline`."""
