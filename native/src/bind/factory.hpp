// The bindings' view of one game: its positions and searches, each behind its common interface. A game's own
// translation unit (CMakeLists.txt writes it) instantiates all of it, so that games compile concurrently.
#pragma once

#include "bind/erased.hpp"
#include "bind/erased_network.hpp"
#include "bind/erased_trees.hpp"

namespace fiedler {

struct GameFactory {
    std::string_view id;
    std::unique_ptr<ErasedPosition> (*position)(std::string_view text);  // `startpos` or a word; throws PositionError
    std::unique_ptr<ErasedNegamax> (*negamax)(const NegamaxOptions&);
    std::unique_ptr<ErasedTreeSearch> (*mcts)(const MctsOptions&);
    std::shared_ptr<Batcher> (*batcher)(Heads, std::size_t rows, std::size_t enough);
    std::unique_ptr<ErasedPuct> (*puct)(const std::shared_ptr<Batcher>&, const PuctOptions&);
    std::unique_ptr<ErasedSamples> (*samples)(std::string_view target, std::size_t capacity);
    std::unique_ptr<ErasedSelfPlay> (*self_play)(const std::shared_ptr<Batcher>&, const SelfPlayOptions&);
    std::unique_ptr<ErasedKeptTrees> (*kept_trees)(const KeptTreesOptions&);
};

// The heads of PUCT: logits of all actions, and a value in -1 .. 1 for the side to move.
template <Position P>
Heads policy_and_value() {
    return {{"policy", P::actions}, {"value", 1}};
}

inline std::string text_of(const Heads& heads) {
    std::string text;
    for (const Head& head : heads) text += (text.empty() ? "" : ", ") + head.name + " " + std::to_string(head.width);
    return text;
}

// The batcher of a network with the planes of game P and these heads; throws std::invalid_argument for another.
template <Position P>
const std::shared_ptr<Batcher>& fitting(const std::shared_ptr<Batcher>& batcher, const Heads& heads) {
    if (batcher->planes() != PuctTree<P>::planes_size)
        throw std::invalid_argument("batcher: not made for " + std::string(P::id));
    if (batcher->heads() != heads)
        throw std::invalid_argument("batcher: expected the heads " + text_of(heads) + ", got " +
                                    text_of(batcher->heads()));
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
            [](Heads heads, std::size_t rows, std::size_t enough) {
                return std::make_shared<Batcher>(PuctTree<P>::planes_size, std::move(heads), rows, enough);
            },
        .puct = [](Network batcher, const PuctOptions& options) -> std::unique_ptr<ErasedPuct> {
            return std::make_unique<PuctOf<P>>(fitting<P>(batcher, policy_and_value<P>()), options);
        },
        .samples = &samples_with<P, PolicyValue<P>, Value>,
        .self_play = [](Network batcher, const SelfPlayOptions& options) -> std::unique_ptr<ErasedSelfPlay> {
            return std::make_unique<SelfPlayOf<P>>(fitting<P>(batcher, policy_and_value<P>()), options);
        },
        .kept_trees = [](const KeptTreesOptions& options) -> std::unique_ptr<ErasedKeptTrees> {
            return std::make_unique<KeptTreesOf<P>>(options);
        },
    };
}

}  // namespace fiedler
