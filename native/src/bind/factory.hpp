// What the bindings ask of one game: its positions and searches, each behind its common face. A game's own translation
// unit (CMakeLists.txt writes it) instantiates all of it, so that games compile side by side.
#pragma once

#include "bind/erased.hpp"
#include "bind/erased_network.hpp"

namespace fiedler {

struct GameFactory {
    std::string_view id;
    std::unique_ptr<ErasedPosition> (*position)(std::string_view text);  // `startpos` or a word; throws PositionError
    std::unique_ptr<ErasedNegamax> (*negamax)(const NegamaxOptions&);
    std::unique_ptr<ErasedTreeSearch> (*mcts)(const MctsOptions&);
    std::shared_ptr<Batcher> (*batcher)(std::size_t rows);
    std::unique_ptr<ErasedPuct> (*puct)(const std::shared_ptr<Batcher>&, const PuctOptions&);
    std::unique_ptr<ErasedSamples> (*samples)(std::size_t capacity);
    std::unique_ptr<ErasedSelfPlay> (*self_play)(const std::shared_ptr<Batcher>&, const SelfPlayOptions&);
};

// The batcher of a network whose input and output fit game P; throws std::invalid_argument for any other.
template <Position P>
const std::shared_ptr<Batcher>& fitting(const std::shared_ptr<Batcher>& batcher) {
    if (batcher->planes() != PuctTree<P>::planes_size || batcher->actions() != P::actions)
        throw std::invalid_argument("batcher: not made for " + std::string(P::id));
    return batcher;
}

template <Position P>
constexpr GameFactory make_factory() {
    using Network = const std::shared_ptr<Batcher>&;
    return {
        .id = P::id,
        .position = [](std::string_view text) -> std::unique_ptr<ErasedPosition> {
            return std::make_unique<PositionOf<P>>(text == "startpos" ? P{} : P::parse(text));
        },
        .negamax = [](const NegamaxOptions& options) -> std::unique_ptr<ErasedNegamax> {
            return std::make_unique<NegamaxOf<P>>(options);
        },
        .mcts = [](const MctsOptions& options) -> std::unique_ptr<ErasedTreeSearch> {
            return std::make_unique<MctsOf<P>>(options);
        },
        .batcher =
            [](std::size_t rows) { return std::make_shared<Batcher>(PuctTree<P>::planes_size, P::actions, rows); },
        .puct = [](Network batcher, const PuctOptions& options) -> std::unique_ptr<ErasedPuct> {
            return std::make_unique<PuctOf<P>>(fitting<P>(batcher), options);
        },
        .samples = [](std::size_t capacity) -> std::unique_ptr<ErasedSamples> {
            return std::make_unique<SamplesOf<P>>(capacity);
        },
        .self_play = [](Network batcher, const SelfPlayOptions& options) -> std::unique_ptr<ErasedSelfPlay> {
            return std::make_unique<SelfPlayOf<P>>(fitting<P>(batcher), options);
        },
    };
}

}  // namespace fiedler
