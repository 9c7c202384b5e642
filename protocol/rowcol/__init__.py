"""rowcol and rowcol-list, the dialects whose lines are moves: docs/protocols/rowcol.md."""

from fiedler.protocol.rowcol.cell import is_cell
from fiedler.protocol.rowcol.client import RowcolClient
from fiedler.protocol.rowcol.server import RowcolServer, refusal

__all__ = ["RowcolClient", "RowcolServer", "is_cell", "refusal"]
