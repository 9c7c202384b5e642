"""The dialects as the fuzzers speak them: correct dialogues, words, and the form of every answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from fiedler.games import Game, game
from fiedler.games.coordinates import coordinates
from fiedler.protocol import DIALECTS, Coordinates
from fiedler.protocol.gtp import COMMANDS
from tests.protocol.fuzz.tape import Tape

MOST_PLIES = 8
"""Most plies of a game in a dialogue."""


@dataclass(frozen=True)
class Board:
    """A game in the coordinates of a dialect."""

    game: Game
    coordinates: Coordinates

    def playout(self, tape: Tape, plies: int) -> list[str]:
        """Return some legal moves from the start, in the notation of the game."""
        position, moves = self.game.position(), list[str]()
        while len(moves) < plies and position.result is None:
            move = tape.choice(position.legal_moves())
            moves.append(position.move_text(move))
            position.play(move)
        return moves

    def names(self, moves: Sequence[str]) -> list[str]:
        """Return the names of moves in the dialect."""
        return [self.coordinates.write(move, moves[:at]) for at, move in enumerate(moves)]

    def legal(self, tape: Tape, moves: Sequence[str]) -> str:
        """Return a legal move after others, or an empty text."""
        legal = self.game.position("startpos", moves).legal_moves()
        return self.game.position("startpos", moves).move_text(tape.choice(legal)) if legal else ""


@cache
def board(game_id: str, dialect: str) -> Board:
    """Return a game in the coordinates of a dialect."""
    return Board(game(game_id), coordinates(game(game_id), DIALECTS[dialect].coordinates))


@dataclass(frozen=True)
class Language:
    """A dialect."""

    games: Sequence[str]
    """The games of the dialogues."""
    requests: Callable[[Tape, Board], list[str]]
    """Returns the lines of a correct client."""
    answer: re.Pattern[str]
    """The form of one answer of a server."""
    refusal: re.Pattern[str]
    """The form of a refusal."""
    responses: Callable[[str, str], Sequence[str]]
    """Returns the answer of a correct player to a line, with the name of a legal move."""
    words: Sequence[bytes]
    """The words of both sides."""
    separator: str = "\n"
    """What separates two answers."""
    opening: Sequence[str] = ()
    """The first lines of a player that begins the conversation."""
    state: Callable[[Any], object] = lambda _: None
    """Returns what a refused line must leave as it is, beside the host's own state."""


def _bytes(text: str) -> list[bytes]:
    return [word.encode() for word in text.split()]


# --- UGI and UCI ------------------------------------------------------------------------------------------------------

_UGI_WORDS = """
    ugi uci isready setoption name value seed uginewgame ucinewgame position startpos fen moves query gameover p1turn
    result legalmoves position board capabilities go depth nodes movetime p1time p2time wtime btime winc binc movestogo
    ponder searchmoves infinite stop quit debug register ponderhit id author option type spin check combo string button
    default min max var ugiok uciok readyok info score cp mate pv response bestmove none (none) true false
    5 -5 a1 <empty>
"""


def _ugi_requests(hello: str, newgame: str, goes: Sequence[str]) -> Callable[[Tape, Board], list[str]]:
    def lines(tape: Tape, board: Board) -> list[str]:
        moves = board.playout(tape, tape.below(MOST_PLIES))
        at = tape.below(len(moves) + 1)
        found = [hello, "setoption name seed value 7", "isready", newgame]
        found += [f"position startpos moves {' '.join(moves[:at])}".removesuffix(" moves "), tape.choice(goes)]
        found += [f"position fen {board.game.position('startpos', moves)}", f"query {tape.choice(_QUERIES)}"]
        return [*found, tape.choice(goes), "stop", "isready", "quit"][: None if tape.below(2) else 5 + tape.below(7)]

    return lines


_QUERIES = ("gameover", "p1turn", "result", "legalmoves", "position", "board", "capabilities")
_UGI_ANSWER = re.compile(
    r"id (name|author) .+|option name .+|u[gc]iok|readyok|info .+|response( .*)?|bestmove (\S+|\(none\))"
)


def _ugi_responses(line: str, move: str) -> Sequence[str]:
    command = line.split(" ", maxsplit=1)[0]
    match command:
        case "ugi" | "uci":
            offer = "option name seed type spin default 0 min 0 max 99"
            return ("id name A B", "id author me", offer, "option name go on type button", f"{command}ok")
        case "isready":
            return ("readyok",)
        case "query":
            return ("response ok",)
        case "go":
            return (f"info depth 2 nodes 9 time 1 nps 9 score cp -31 pv {move}", f"bestmove {move or 'none'}")
        case _:
            return ()


def _ugi(hello: str, newgame: str, goes: Sequence[str]) -> Language:
    return Language(
        games=("tictactoe", "uttt", "connect4"),
        requests=_ugi_requests(hello, newgame, goes),
        answer=_UGI_ANSWER,
        refusal=re.compile("info string error: .+"),
        responses=_ugi_responses,
        words=_bytes(_UGI_WORDS),
    )


# --- GTP --------------------------------------------------------------------------------------------------------------

SLOW = {"fiedler-scores"}
"""It searches for a second."""
_GTP_WORDS = """
    b w A1 B2 C3 D4 I1 Z99 pass resign 3 7 9 0 -1 12 null seed true = ? =1 # #interrupt interrupt
"""


def _gtp_requests(tape: Tape, board: Board) -> list[str]:
    points = board.names(board.playout(tape, tape.below(MOST_PLIES)))
    found = ["list_commands", f"boardsize {board.coordinates.size}", "clear_board", "time_settings 0 5 1", "seed 7"]
    found += [f"play {'bw'[at % 2]} {point}" for at, point in enumerate(points)]
    found += [f"{tape.below(20)} genmove {'bw'[len(points) % 2]}", tape.choice(_GTP_ASKED), "undo"]
    pairs = " ".join(f"{'bw'[at % 2]} {point}" for at, point in enumerate(points))
    return [*found, f"gogui-play_sequence {pairs}", f"time_left b {tape.below(99)} 0", "reg_genmove w", "quit"]


_GTP_ASKED = (
    "name", "final_score", "showboard", "gogui-rules_board", "gogui-rules_legal_moves", "gogui-rules_board_gfx",
    "gogui-rules_side_to_move", "fiedler-pv", "fiedler-visits", "fiedler-search", "fiedler-position", "loadsgf x 3",
    "gogui-analyze_commands", "known_command play", "gogui-rules_final_result",
)  # fmt: skip


def _gtp_responses(line: str, move: str) -> Sequence[str]:
    command = line.split(" ", maxsplit=1)[0]
    if command == "list_commands":
        return ("= name", "genmove", "seed", "gogui-interrupt", "time_left", "fiedler-position", "")
    if command == "#":
        return ()
    return (f"= {move}" if command == "genmove" else "= x" if command == "name" else "=", "")


# --- Gomocup ----------------------------------------------------------------------------------------------------------

_GOMOCUP_WORDS = """
    START RECTSTART RESTART BEGIN TURN BOARD SWAP2BOARD DONE PLAY TAKEBACK INFO ABOUT END OK UNKNOWN ERROR MESSAGE
    DEBUG SUGGEST SWAP 9 15 20 0,0 7,7 8,8,1 7,7,2 3,3,3 14,14 timeout_turn timeout_match time_left max_memory rule
    game_type folder seed 0 1 2 4 -1 100 name="x"
"""
_GOMOCUP_ANSWER = r"OK|SWAP|ERROR .{1,400}|UNKNOWN .{1,400}|MESSAGE .+|\d+,\d+( \d+,\d+){0,2}|name=\".*"


def _gomocup_requests(tape: Tape, board: Board) -> list[str]:
    points = board.names(board.playout(tape, tape.below(MOST_PLIES)))
    found = ["ABOUT", f"START {board.coordinates.size}", "INFO timeout_turn 100", "INFO seed 7", "INFO rule 0"]
    found += ["BEGIN", *(f"TURN {point}" for point in points[:2]), f"PLAY {tape.below(9)},{tape.below(9)}", "RESTART"]
    stones = [f"{point},{1 + (len(points) - at) % 2}" for at, point in enumerate(points)]
    found += ["BOARD", *stones, "DONE", *(f"TAKEBACK {point}" for point in reversed(points))]
    return [*found, "SWAP2BOARD", *points[: tape.choice((0, 3, 5))], "DONE", "END"]


def _gomocup_responses(line: str, move: str) -> Sequence[str]:
    match line.split(" ", maxsplit=1)[0]:
        case "START" | "RESTART":
            return ("OK",)
        case "TURN" | "BEGIN" | "DONE":
            return ("MESSAGE depth 1 score 5", move or "ERROR the game is over")
        case "PLAY":
            return (line.removeprefix("PLAY "),)
        case _:
            return ()


# --- rowcol and makemove ----------------------------------------------------------------------------------------------


def _rowcol_requests(tape: Tape, board: Board) -> list[str]:
    cells = board.names(board.playout(tape, 1))
    return ["-1 -1", *cells] if tape.chance(2) else [*cells, f"{tape.below(9)} {tape.below(9)}"]


def _rowcol_list_requests(tape: Tape, board: Board) -> list[str]:
    moves = board.playout(tape, tape.below(2))
    legal = board.coordinates.legal(moves)
    return [*(board.names(moves) or ["-1 -1"]), str(len(legal)), *legal]


def _rowcol(requests: Callable[[Tape, Board], list[str]]) -> Language:
    return Language(
        games=("uttt", "uttt-majority"),
        requests=requests,
        answer=re.compile(r"[0-8] [0-8]|error: .{1,400}"),
        refusal=re.compile("error: .+"),
        responses=lambda line, move: (move,) if re.fullmatch(r"-?\d -?\d", line) else (),
        words=_bytes("-1 0 1 2 3 4 5 6 7 8 9 81 error: x"),
    )


_MAKEMOVE_WORDS = """
    OK MOVE:64 MOVE:255 MOVE: APPLY_MOVE:68 APPLY_MOVE: GAME_RESET MAKE_MOVE EXIT LOAD_MODEL: ERROR:x : 7
"""


def _makemove_requests(tape: Tape, board: Board) -> list[str]:
    numbers = board.names(board.playout(tape, tape.below(MOST_PLIES)))
    found = ["GAME_RESET", "SET_TIME_PER_MOVE:0.5", *(f"APPLY_MOVE:{number}" for number in numbers), "MAKE_MOVE"]
    return [*found, "MAKE_MOVE", "LOAD_MODEL:x", "GAME_RESET", "EXIT"]


def _makemove_responses(line: str, move: str) -> Sequence[str]:
    return (f"MOVE:{move}",) if line == "MAKE_MOVE" else ("OK",)


LANGUAGES = {
    "ugi": _ugi("ugi", "uginewgame", ("go nodes 5", "go movetime 1", "go", "go infinite", "go p1time 5 p2time 7")),
    "uci": _ugi(
        "uci", "ucinewgame", ("go nodes 5", "go movetime 1", "go wtime 5 btime 7 winc 1 binc 1", "go infinite")
    ),
    "gtp": Language(
        games=("tictactoe", "connect4", "uttt"),
        requests=_gtp_requests,
        answer=re.compile(r"[=?]\d{0,19}( [^\n]+(\n[^\n]+)*)?"),
        refusal=re.compile(r"\?.*"),
        responses=_gtp_responses,
        words=[*_bytes(_GTP_WORDS), *(name.encode() for name in sorted({*COMMANDS} - SLOW))],
        separator="\n\n",
        state=lambda server: (server.game.side_to_move, repr(server.timing._clocks)),
    ),
    "gomocup": Language(
        games=("gomoku9", "gomoku15", "renju15"),
        requests=_gomocup_requests,
        answer=re.compile(_GOMOCUP_ANSWER),
        refusal=re.compile("(?!ERROR expected DONE)(ERROR|UNKNOWN) .+"),  # the command in its place is fulfilled
        responses=_gomocup_responses,
        words=_bytes(_GOMOCUP_WORDS),
        state=lambda server: server._settings._size,
    ),
    "rowcol": _rowcol(_rowcol_requests),
    "rowcol-list": _rowcol(_rowcol_list_requests),
    "makemove": Language(
        games=("uttt", "uttt-majority"),
        requests=_makemove_requests,
        answer=re.compile(r"OK|MOVE:\d{1,3}|ERROR:.{1,400}"),
        refusal=re.compile("ERROR:.+"),
        responses=_makemove_responses,
        words=_bytes(
            "OK MOVE:64 MOVE:255 MOVE: APPLY_MOVE:68 APPLY_MOVE: GAME_RESET MAKE_MOVE EXIT LOAD_MODEL: ERROR:x : 7"
        ),
        opening=("OK",),
        state=lambda server: server._limit,
    ),
}
"""Every dialect."""
