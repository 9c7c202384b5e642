"""Write the schemas."""

from __future__ import annotations

from tools.schemas.files import OUT, texts

OUT.mkdir(exist_ok=True)
made = texts()
for path in set(OUT.glob("*.json")) - {OUT / name for name in made}:
    path.unlink()
for name, text in made.items():
    (OUT / name).write_text(text, encoding="utf-8")
