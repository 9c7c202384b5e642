# Every game of the house: its header in native/src and its class. Adding one is adding a line.
set(FIEDLER_GAMES
  tictactoe.hpp:TicTacToe
  connect4.hpp:Connect4
  uttt.hpp:Uttt
  uttt.hpp:UtttMajority
  cube.hpp:Cube
  gomoku.hpp:Gomoku9
  gomoku.hpp:Gomoku15
  gomoku.hpp:Standard15
  gomoku.hpp:Renju15)
