"""The level of this processor."""

def level() -> str:
    """The x86-64 microarchitecture level: `baseline`, `v3` (AVX2, BMI2, popcnt) or `v4` (AVX-512 besides)."""
