"""Write the schemas, and the types of the scripts."""

from __future__ import annotations

from tools.schemas import typescript
from tools.schemas.files import OUT, texts

OUT.mkdir(exist_ok=True)
made = texts()
for path in set(OUT.glob("*.json")) - {OUT / name for name in made}:
    path.unlink()
for name, text in made.items():
    (OUT / name).write_text(text, encoding="utf-8")
typescript.OUT.write_text(typescript.text(), encoding="utf-8")
