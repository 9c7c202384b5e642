// Every game of the house. Adding one: its header above, its type below, and the count in CMakeLists.txt.
#pragma once

#include <tuple>

#include "connect4.hpp"
#include "cube.hpp"
#include "factory.hpp"
#include "gomoku.hpp"
#include "tictactoe.hpp"
#include "uttt.hpp"

namespace fiedler {

using Games = std::tuple<TicTacToe, Connect4, Uttt, Cube, Gomoku9, Gomoku15, Standard15, Renju15>;
static_assert(std::tuple_size_v<Games> == FIEDLER_GAMES, "FIEDLER_GAMES in CMakeLists.txt counts the games");

// What is made of the n-th game (game.cpp).
template <std::size_t n>
const GameFactory& factory();

}  // namespace fiedler
