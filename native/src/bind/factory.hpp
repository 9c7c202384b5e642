// The bindings' view of one game: its positions and searches, each behind its common interface. A game's own
// translation unit (CMakeLists.txt writes it) instantiates all of it, so that games compile concurrently.
#pragma once

#include "bind/erased.hpp"
#include "bind/erased_descent.hpp"
#include "bind/erased_labels.hpp"
#include "bind/erased_negamax.hpp"
#include "bind/erased_network.hpp"
#include "bind/erased_trees.hpp"

namespace fiedler {

struct GameFactory {
    std::string_view id;
    std::unique_ptr<ErasedPosition> (*position)(std::string_view text);  // `startpos` or a word; throws PositionError
    std::unique_ptr<ErasedNegamax> (*negamax)(const NegamaxOptions&, const EvaluationNet&);
    std::unique_ptr<ErasedTreeSearch> (*mcts)(const MctsOptions&);
    std::shared_ptr<Batcher> (*batcher)(Heads, std::size_t rows, std::size_t enough);
    std::unique_ptr<ErasedPuct> (*puct)(const std::shared_ptr<Batcher>&, const PuctOptions&,
                                        const std::shared_ptr<const CellNet>&);
    std::unique_ptr<ErasedSamples> (*samples)(std::string_view target, std::size_t capacity);
    std::unique_ptr<ErasedSelfPlay> (*self_play)(const std::shared_ptr<Batcher>&, const SelfPlayOptions&);
    std::unique_ptr<ErasedKeptTrees> (*kept_trees)(const KeptTreesOptions&);
    std::unique_ptr<ErasedBestFirst> (*best_first)(const ValueSource&, const BestFirstOptions&);
    PatternsInfo patterns;                                                          // none: places is 0,
    std::unique_ptr<ErasedDescentPlay> (*descent_play)(const DescentPlayOptions&);  // and this is null
    CellsInfo cells;                                                                // none: cells is 0,
    std::unique_ptr<ErasedLabelPlay> (*label_play)(const LabelPlayOptions&);        // and this is null
};

template <Position P>
constexpr auto descent_play_of() -> std::unique_ptr<ErasedDescentPlay> (*)(const DescentPlayOptions&) {
    if constexpr (HasPatterns<P>)
        return [](const DescentPlayOptions& options) -> std::unique_ptr<ErasedDescentPlay> {
            return std::make_unique<DescentPlayOf<P>>(options);
        };
    return nullptr;
}

template <Position P>
constexpr auto label_play_of() -> std::unique_ptr<ErasedLabelPlay> (*)(const LabelPlayOptions&) {
    if constexpr (HasCellPatterns<P>)
        return [](const LabelPlayOptions& options) -> std::unique_ptr<ErasedLabelPlay> {
            return std::make_unique<LabelPlayOf<P>>(options);
        };
    return nullptr;
}

// Searches with a policy keep a move in ten bits (puct_tree.hpp).
template <Position P>
inline constexpr bool has_policy = P::actions <= 1024;

template <Position P>
[[noreturn]] void refuse_policy() {
    throw std::invalid_argument(std::string(P::id) + " has " + std::to_string(P::actions) +
                                " moves by name: expected a game with at most 1024 to learn a policy");
}

template <Position P>
std::unique_ptr<ErasedPuct> puct_with(const std::shared_ptr<Batcher>& batcher, const PuctOptions& options,
                                      const std::shared_ptr<const CellNet>& cells) {
    if constexpr (has_policy<P>) {
        return puct_of<P>(batcher, options, cells);
    } else {
        refuse_policy<P>();
    }
}

template <Position P>
std::unique_ptr<ErasedSelfPlay> self_play_with(const std::shared_ptr<Batcher>& batcher,
                                               const SelfPlayOptions& options) {
    if constexpr (has_policy<P>) {
        return std::make_unique<SelfPlayOf<P>>(fitting<P>(batcher, policy_and_value<P>()), options);
    } else {
        refuse_policy<P>();
    }
}

template <Position P>
std::unique_ptr<ErasedSamples> samples_of(std::string_view target, std::size_t capacity) {
    if constexpr (has_policy<P>) {
        return samples_with<P, PolicyValue<P>, Value>(target, capacity);
    } else {
        refuse_policy<P>();
    }
}

template <Position P>
constexpr GameFactory make_factory() {
    return {
        .id = P::id,
        .position = [](std::string_view text) -> std::unique_ptr<ErasedPosition> {
            return std::make_unique<PositionOf<P>>(text == "startpos" ? P{} : P::parse(text));
        },
        .negamax = [](const NegamaxOptions& options, const EvaluationNet& net) -> std::unique_ptr<ErasedNegamax> {
            return std::make_unique<NegamaxOf<P>>(options, net);
        },
        .mcts = [](const MctsOptions& options) -> std::unique_ptr<ErasedTreeSearch> {
            return std::make_unique<MctsOf<P>>(options);
        },
        .batcher =
            [](Heads heads, std::size_t rows, std::size_t enough) {
                return std::make_shared<Batcher>(planes_size<P>, std::move(heads), rows, enough);
            },
        .puct = &puct_with<P>,
        .samples = &samples_of<P>,
        .self_play = &self_play_with<P>,
        .kept_trees = [](const KeptTreesOptions& options) -> std::unique_ptr<ErasedKeptTrees> {
            return std::make_unique<KeptTreesOf<P>>(options);
        },
        .best_first = [](const ValueSource& source,
                         const BestFirstOptions& options) -> std::unique_ptr<ErasedBestFirst> {
            std::vector<std::unique_ptr<Values<P>>> values;
            for (std::size_t i = 0; i < options.threads; ++i) values.push_back(values_from<P>(source));
            return std::make_unique<BestFirstOf<P>>(std::move(values), options);
        },
        .patterns = patterns_of<P>(),
        .descent_play = descent_play_of<P>(),
        .cells = cells_of<P>(),
        .label_play = label_play_of<P>(),
    };
}

}  // namespace fiedler
