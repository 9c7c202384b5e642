"""The folders of the tests' input files."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
DOCS = ROOT / "docs"
CONFIGS = ROOT / "configs"
