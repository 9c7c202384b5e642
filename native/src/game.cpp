// Everything that is made of the FIEDLER_GAME-th game of the registry; compiled once for each.
#include "registry.hpp"

namespace fiedler {

template <>
const GameFactory& factory<FIEDLER_GAME>() {
    static constexpr GameFactory made = make_factory<std::tuple_element_t<FIEDLER_GAME, Games>>();
    return made;
}

}  // namespace fiedler
