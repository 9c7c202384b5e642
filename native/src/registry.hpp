// Every game of the house. Adding one: its header above, its type below.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "connect4.hpp"
#include "tictactoe.hpp"
#include "uttt.hpp"

namespace fiedler {

using Games = std::tuple<TicTacToe, Connect4, Uttt>;

// Calls `visit.template operator()<P>()` for each game in order.
template <class Visit>
void for_each_game(Visit visit) {
    [&]<class... P>(std::tuple<P...>*) { (visit.template operator()<P>(), ...); }(static_cast<Games*>(nullptr));
}

// Calls `make.template operator()<P>()` for the game of this name and gives back what it returns; throws
// std::invalid_argument for an unknown name.
template <class Made, class Make>
Made for_game(std::string_view name, Make make) {
    std::optional<Made> made;
    std::string known;
    for_each_game([&]<class P>() {
        if (P::id == name) made.emplace(make.template operator()<P>());
        known += known.empty() ? "" : ", ";
        known += P::id;
    });
    if (!made) throw std::invalid_argument("unknown game '" + std::string(name) + "'; known: " + known);
    return std::move(*made);
}

}  // namespace fiedler
