"""The commands of GTP: each is a function of the session and its arguments."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.gtp import analysis, board
from fiedler.protocol.gtp.command import HANDICAPS, NAMES, PASS, SET_RULE, Command, color, whole
from fiedler.protocol.gtp.game import HostGame
from fiedler.protocol.gtp.session import Session
from fiedler.protocol.gtp.sgf import read_komi, read_sgf
from fiedler.protocol.gtp.timing import MAX_SECONDS
from fiedler.protocol.host import MoveScore
from fiedler.protocol.limit import Limit
from fiedler.protocol.words import MAX_LINE, number, quoted

PROTOCOL_VERSION = "2"
MORE = "[...]"
"""Stands for further arguments."""
MAX_STONES = 1000
"""Most stones of a period of overtime."""
MAX_MOVES = 4096
"""Most moves that `loadsgf` counts."""
SCORES_MS = 1000
"""Time of `fiedler-scores`."""


def list_commands(session: Session, _: Sequence[str]) -> str:
    """Return every command, a line each."""
    return "\n".join([*sorted(commands(session)), *option_names(session)])


def known_command(session: Session, arguments: Sequence[str]) -> str:
    """Return whether there is such a command."""
    return "true" if arguments[0] in commands(session) or arguments[0] in option_names(session) else "false"


def configure(session: Session, arguments: Sequence[str]) -> None:
    """Set the option that the command names."""
    session.host.configure(session.command.name, " ".join(arguments), session.done)


def end(session: Session, _: Sequence[str]) -> str:
    """End the session."""
    session.listening = False
    return ""


def boardsize(session: Session, arguments: Sequence[str]) -> str:
    """Accept the size of the game's board, and clear it."""
    if number(arguments[0]) != session.game.size:
        raise RemoteProtocolError(f"unacceptable size: expected {session.game.size}, got {quoted(arguments[0])}")
    session.game.clear()
    return ""


def clear_board(session: Session, _: Sequence[str]) -> None:
    """Begin another game. A player that has searched nothing has nothing to forget."""
    fresh, session.is_fresh = session.is_fresh, True
    session.timing.start()
    if fresh:
        session.host.prepare(session.done)
    else:
        session.host.new_game(session.done)
    session.game.clear()


def komi(session: Session, arguments: Sequence[str]) -> str:
    """Set the komi of a game of Go; accept any one in a game without points, where it means nothing."""
    try:
        points = float(arguments[0])
    except ValueError:
        raise RemoteProtocolError(f"expected a number, got {quoted(arguments[0])}") from None
    if session.game.has_komi:
        session.game.set_komi(points)
    return ""


def set_rule(session: Session, arguments: Sequence[str]) -> str:
    """Set whether suicide is legal in Go, as programs of KataGo's kind do."""
    rule, value = arguments
    if rule != "suicide" or value not in {"true", "false"}:
        raise RemoteProtocolError(f"expected suicide true or suicide false, got {quoted(' '.join(arguments))}")
    session.game.allow_suicide(legal=value == "true")
    return ""


def play(session: Session, arguments: Sequence[str]) -> str:
    """Play a move."""
    session.game.play_all([(color(arguments[0]), arguments[1])])
    return ""


def play_sequence(session: Session, arguments: Sequence[str]) -> str:
    """Play several moves, all or none."""
    if len(arguments) % 2:
        raise RemoteProtocolError("syntax error: expected pairs of COLOR VERTEX")
    pairs = zip(arguments[::2], arguments[1::2], strict=True)
    session.game.play_all([(color(side), name) for side, name in pairs])
    return ""


def undo(session: Session, _: Sequence[str]) -> str:
    """Take back the last move."""
    session.game.undo()
    return ""


def genmove(session: Session, arguments: Sequence[str]) -> str | None:
    """Search and play the move; a finished game has only passes. Without a move the board is as before."""
    side = color(arguments[0])
    has_passed = session.game.take_turn(side)
    if session.game.state.result is not None:
        session.game.pass_turn()
        return PASS
    session.search(side, session.host.play, has_passed=has_passed)
    return None


def reg_genmove(session: Session, arguments: Sequence[str]) -> str | None:
    """Search, and leave the board as it is. GoGui's statistics ask for the color `null` before the first move."""
    side = session.game.side_to_move if arguments[0] == "null" else color(arguments[0])
    has_passed = session.game.take_turn(side)

    def leave(_: str) -> None:
        if has_passed:
            session.game.undo()

    if session.game.state.result is not None:
        leave(PASS)
        return PASS
    session.search(side, leave, has_passed=has_passed)
    return None


def final_score(session: Session, _: Sequence[str]) -> str:
    """Return the result of a finished game."""
    result = session.game.state.result
    if result is None:
        raise RemoteProtocolError("game is not over")
    return board.score(result, session.game.state.lead)


def loadsgf(session: Session, arguments: Sequence[str]) -> str:
    """Play the moves of a file from the start, by its komi, up to the one before a number."""
    before = whole(arguments[1], 1, MAX_MOVES) if len(arguments) > 1 else None
    most = None if before is None else before - 1
    text, passes = session.host.read_file(arguments[0]), session.game.has_passes
    moves = read_sgf(text, session.game.size, most, passes=passes)
    points = read_komi(text) if session.game.has_komi else None  # elsewhere it means nothing
    session.game.play_all(moves, from_start=True, points=points)
    return ""


def showboard(session: Session, _: Sequence[str]) -> str:
    """Return the board for a terminal."""
    return board.drawing(session.game.state)


def time_settings(session: Session, arguments: Sequence[str]) -> str:
    """Set the time control of both sides."""
    main, period = (whole(word, 0, MAX_SECONDS) for word in arguments[:2])
    session.timing.set(main, period, whole(arguments[2], 0, MAX_STONES))
    return ""


def time_left(session: Session, arguments: Sequence[str]) -> str:
    """Set a clock."""
    side, seconds = color(arguments[0]), whole(arguments[1], 0, MAX_SECONDS)
    session.timing.set_left(side, seconds, whole(arguments[2], 0, MAX_STONES))
    return ""


def analyze_commands(session: Session, _: Sequence[str]) -> str:
    """Return the analysis commands of GoGui."""
    options = [one for one in session.host.options if one.name in option_names(session)]
    return analysis.analysis_lines(options, commands(session))


def principal_variation(session: Session, _: Sequence[str]) -> str:
    """Return the rest of the principal variation of the last search, from this board."""
    moves = session.game.state.moves
    expected = (*session.searched, *(session.info.pv if session.info is not None else ()))
    return " ".join(session.game.points(expected[len(moves) :])) if expected[: len(moves)] == moves else ""


def search_figures(session: Session, _: Sequence[str]) -> str:
    """Return the figures of the last search."""
    return analysis.search_text(session.info)


def visits(session: Session, _: Sequence[str]) -> str:
    """Return the visits of each move at the root of the last search."""
    point = session.game.point_after
    return "\n".join(f"{point(session.searched, move)} {count}" for move, count in session.host.visits() if count)


def scores(session: Session, _: Sequence[str]) -> None:
    """Search every move and return the score of each."""
    session.is_fresh = False
    session.host.evaluate(Limit(movetime_ms=SCORES_MS), lambda found, why: _scored(session, found, why))


def _scored(session: Session, scores: Sequence[MoveScore], why: str) -> None:
    if why:
        session.done(why)
    else:
        session.answer("\n".join(f"{session.game.point(one.move)} {analysis.label(one)}" for one in scores))


Handler = Callable[[Session, Sequence[str]], str | None]
"""Fulfils a command with these arguments; returns its answer, None if that comes later."""


def _showing(show: Callable[[HostGame], str]) -> Handler:
    """Return the handler of a command without arguments that shows something of the game."""
    return lambda session, _: show(session.game)


COMMANDS: dict[str, tuple[str, Handler]] = {
    "boardsize": ("SIZE", boardsize),
    "clear_board": ("", clear_board),
    "fiedler-position": ("", _showing(lambda game: game.state.notation)),
    "fiedler-pv": ("", principal_variation),
    "fiedler-scores": ("", scores),
    "fiedler-search": ("", search_figures),
    "fiedler-visits": ("", visits),
    "final_score": ("", final_score),
    "genmove": ("COLOR", genmove),
    "gogui-analyze_commands": ("", analyze_commands),
    "gogui-interrupt": ("", lambda _session, _: ""),
    "gogui-play_sequence": (f"[COLOR] [VERTEX] {MORE}", play_sequence),
    "gogui-rules_board": ("", _showing(lambda game: board.rows(game.state.picture))),
    "gogui-rules_board_gfx": ("", _showing(lambda game: board.graphics(game.state, game.last))),
    "gogui-rules_board_size": ("", _showing(lambda game: str(game.size))),
    "gogui-rules_captured_count": ("", _showing(lambda game: "{} {}".format(*game.state.captured))),
    "gogui-rules_final_result": ("", _showing(lambda game: board.status(game.state))),
    "gogui-rules_game_id": ("", lambda session, _: session.host.game.capitalize()),
    "gogui-rules_legal_moves": ("", _showing(lambda game: " ".join(game.legal))),
    "gogui-rules_side_to_move": ("", _showing(lambda game: NAMES[game.side_to_move])),
    SET_RULE: ("RULE VALUE", set_rule),
    "known_command": ("COMMAND", known_command),
    "komi": ("NUMBER", komi),
    "list_commands": ("", list_commands),
    "loadsgf": ("FILE [NUMBER]", loadsgf),
    "name": ("", lambda session, _: session.host.name),
    "play": ("COLOR VERTEX", play),
    "protocol_version": ("", lambda _session, _: PROTOCOL_VERSION),
    "quit": ("", end),
    "reg_genmove": ("COLOR", reg_genmove),
    "showboard": ("", showboard),
    "time_left": ("COLOR SECONDS STONES", time_left),
    "time_settings": ("MAIN PERIOD STONES", time_settings),
    "undo": ("", undo),
    "version": ("", lambda session, _: session.host.version),
}
"""Of every command the arguments and the handler."""
NEED_CELLS = frozenset({"fiedler-scores", "loadsgf", *(name for name in COMMANDS if name.startswith("gogui-rules_"))})
"""The commands that a game without a board of cells lacks."""
NEED_RULES = frozenset({SET_RULE})
"""The commands that a game without rules to choose lacks."""


def commands(session: Session) -> Mapping[str, tuple[str, Handler]]:
    """Return the commands of the game that is played."""
    return _commands(has_cells=session.game.state.has_cells, has_rules=session.game.has_komi)


@cache
def _commands(*, has_cells: bool, has_rules: bool) -> Mapping[str, tuple[str, Handler]]:
    """Return the commands of such a game, found once: a board of GoGui sends thousands."""
    lacks = [*(() if has_cells else NEED_CELLS), *(() if has_rules else NEED_RULES)]
    return {name: entry for name, entry in COMMANDS.items() if name not in lacks}


def option_names(session: Session) -> list[str]:
    """Return the options that are commands: those whose name is one word that is not a command already."""
    names = (option.name for option in session.host.options)
    return [name for name in names if name not in COMMANDS and name.split() == [name]]


def handler(session: Session) -> Handler:
    """Return the handler of the session's command.

    Raises:
        RemoteProtocolError: The command is unknown, or its arguments are not as many as it has.
    """
    command = session.command
    if command.name in (known := commands(session)):
        usage, found = known[command.name]
        _check_count(command, usage.split())
        return found
    if command.name in option_names(session):
        return configure
    if command.name in HANDICAPS:
        raise RemoteProtocolError("expected no handicap: a game begins on the empty board")
    raise RemoteProtocolError("unknown command")


def _check_count(command: Command, usage: Sequence[str]) -> None:
    least = sum(not word.startswith("[") for word in usage)
    most = MAX_LINE if usage[-1:] == [MORE] else len(usage)
    if not least <= len(command.arguments) <= most:
        expected = " ".join([command.name, *usage])
        got = " ".join([command.name, *command.arguments])
        raise RemoteProtocolError(f"syntax error: expected {expected}, got {quoted(got)}")
