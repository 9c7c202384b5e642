# Every game of the house: its header in native/src and its class. Adding one is adding a line.
set(FIEDLER_GAMES
  games/tictactoe.hpp:TicTacToe
  games/connect4.hpp:Connect4
  games/uttt/uttt.hpp:Uttt
  games/uttt/uttt.hpp:UtttMajority
  games/cube/cube.hpp:Cube
  games/gomoku/gomoku.hpp:Gomoku9
  games/gomoku/gomoku.hpp:Gomoku15
  games/gomoku/gomoku.hpp:Gomoku20
  games/gomoku/gomoku.hpp:Standard15
  games/gomoku/gomoku.hpp:Renju15
  games/chess/chess.hpp:Chess
  games/chess/chess.hpp:Chess960
  games/go/go.hpp:Go9
  games/go/go.hpp:Go13
  games/go/go.hpp:Go19)
