// The games of native/games.cmake, by name.
#pragma once

#include <vector>

#include "bind/factory.hpp"

namespace fiedler {

// In the order of the list.
std::vector<const GameFactory*> factories();

// Throws std::invalid_argument for an unknown name.
inline const GameFactory& find_game(std::string_view name) {
    std::string known;
    for (const GameFactory* game : factories()) {
        if (game->id == name) return *game;
        known += (known.empty() ? "" : ", ") + std::string(game->id);
    }
    throw std::invalid_argument("unknown game '" + std::string(name) + "'; known: " + known);
}

}  // namespace fiedler
